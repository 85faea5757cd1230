"""docs/img/seed-eta.svg: what was to be read off the recorded restripe while it ran, and what was true."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from html import escape
from importlib.resources import files
from pathlib import Path
from typing import NamedTuple

from benchmarks.eta.recorded import SEED_ALLOCATED
from benchmarks.eta.rivals import Linear
from remote.events import LogRead
from remote.recording import Recording
from supervision.clocktext import local_time
from supervision.eta import Span
from supervision.gpfs_eta import LogForecaster, numbered_lines

FILE = Path(__file__).parents[2] / "docs" / "img" / "seed-eta.svg"
RECORDING = Path(str(files("recordings") / "seed-3.5.jsonl"))
JOB = "mmrestripefs"
USED_MB = 293_332_971
"""On the data disks, as mmdf told."""
WIDTH, HEIGHT = 860, 560
LEFT, RIGHT = 64, 720
PERCENT_TOP, PERCENT_BOTTOM = 56, 186
FINISH_TOP, FINISH_BOTTOM = 244, 520
HOUR = 3600.0

Pair = tuple[float, float]
_STYLE = """
text{font:13px system-ui,"DejaVu Sans",sans-serif;fill:#1f2328}
.title{font-weight:600;font-size:15px}
.dim{fill:#59636e}
.back{fill:#ffffff}
.grid{stroke:#d1d9e0;stroke-width:1;fill:none}
.tool{stroke:#bc4c00;fill:none;stroke-width:2}
.ours{stroke:#0969da;fill:none;stroke-width:2}
.band{fill:#0969da;fill-opacity:.18;stroke:none}
.true{stroke:#1a7f37;fill:none;stroke-width:2;stroke-dasharray:7 4}
text.tool{fill:#bc4c00;stroke:none}
text.ours{fill:#0969da;stroke:none}
text.true{fill:#1a7f37;stroke:none}
@media (prefers-color-scheme:dark){
text{fill:#f0f6fc}
.dim{fill:#9198a1}
.back{fill:#0d1117}
.grid{stroke:#3d444d}
.tool{stroke:#f0883e}
.ours{stroke:#58a6ff}
.band{fill:#58a6ff;fill-opacity:.22}
.true{stroke:#3fb950}
text.tool{fill:#f0883e}
text.ours{fill:#58a6ff}
text.true{fill:#3fb950}
}
"""


class Moment(NamedTuple):
    """A line of progress: seconds as it was printed, and the finish as each would have it then, in the same."""

    at: float
    percent: float
    work: float | None
    naive: float | None
    ours: Span | None


def moments() -> list[Moment]:
    """The run of the recording, line by line; the last one is its end."""
    forecaster, naive, made = LogForecaster(SEED_ALLOCATED, USED_MB), Linear(), list[Moment]()
    for number, text in numbered_lines(_log().splitlines(keepends=True)):
        told = forecaster.forecast() if forecaster.read(number, text) else None
        if told is None or told.printed is None:
            continue
        at, span, said = told.printed, told.estimate.remaining, told.said
        left = naive.left(at - (made[0].at if made else at), said.percent / 100)
        ours = Span(at + span.low, at + span.mid, at + span.high) if span else None
        work = said.inodes / SEED_ALLOCATED if said.inodes is not None else None
        made.append(Moment(at, said.percent, work, at + left if made and left is not None else None, ours))
    return made


def _log() -> bytes:
    """The log of the restripe."""
    reads = (event for event in Recording(RECORDING) if isinstance(event, LogRead))
    return b"".join(event.data.data for event in reads if JOB in event.source)


def draw(run: Sequence[Moment]) -> str:
    """The picture as SVG; the same run gives the same text."""
    begin, end = run[0].at, run[-1].at
    hours = [hour * HOUR for hour in range(int(begin // HOUR) + 1, int(end // HOUR) + 1)]
    low, high = begin, max([end, *(one.ours.high for one in run if one.ours)]) + 600

    def across(at: float) -> float:
        return LEFT + (RIGHT - LEFT) * (at - begin) / (end - begin)

    def percent(value: float) -> float:
        return PERCENT_BOTTOM - (PERCENT_BOTTOM - PERCENT_TOP) * value / 100

    def finish(at: float) -> float:
        return FINISH_BOTTOM - (FINISH_BOTTOM - FINISH_TOP) * (at - low) / (high - low)

    later = [hour * HOUR for hour in range(int(low // HOUR) + 1, int(high // HOUR) + 1)]
    parts = [
        _text(LEFT, 26, "title", "How far is it?"),
        *(_rule(percent(value), f"{value} %") for value in (0, 50, 100)),
        *_times(hours, across, PERCENT_TOP, PERCENT_BOTTOM),
        _line("true", [(across(begin), percent(0)), (across(end), percent(100))]),
        _line("ours", [(across(one.at), percent(100 * one.work)) for one in run if one.work is not None]),
        _line("tool", [(across(one.at), percent(one.percent)) for one in run]),
        _text(RIGHT + 8, percent(100) + 4, "tool", "the tool says"),
        _text(RIGHT + 8, percent(72), "true", "time passed"),
        _text(RIGHT + 8, percent(72) + 18, "ours", "inodes"),
        _text(LEFT, 218, "title", "When will it be over? What was to be said at each moment"),
        *(_rule(finish(at), _clock(at)) for at in later),
        *_times(hours, across, FINISH_TOP, FINISH_BOTTOM),
        _band(run, across, finish),
        _line("true", [(across(begin), finish(end)), (across(end), finish(end))]),
        _line("ours", [(across(one.at), finish(one.ours.mid)) for one in run if one.ours]),
        _line("tool", [(across(one.at), finish(one.naive)) for one in run if one.naive is not None]),
        _text(RIGHT + 8, finish(end) + 4, "true", f"the end, {_clock(end)}"),
        _text(across(begin + 0.12 * (end - begin)), finish(end) - 24, "ours", "restripe: a range and its middle"),
        _text(across(begin + 0.42 * (end - begin)), finish(begin + 0.3 * (end - begin)), "tool", "from the percentage"),
        *(_text(across(at), HEIGHT - 18, "dim", _clock(at), anchor="middle") for at in hours),
    ]
    title = f"Forecasts of a restripe of {(end - begin) / HOUR:.1f} hours"
    return "\n".join(
        (
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" role="img">',
            f"<title>{escape(title)}</title>",
            f"<style>{_STYLE}</style>",
            f'<rect class="back" width="{WIDTH}" height="{HEIGHT}"/>',
            *parts,
            "</svg>\n",
        )
    )


def _times(hours: Iterable[float], across: Callable[[float], float], top: float, bottom: float) -> list[str]:
    return [f'<path class="grid" d="M{across(at):.1f} {top}V{bottom}"/>' for at in hours]


def _rule(y: float, label: str) -> str:
    return f'<path class="grid" d="M{LEFT} {y:.1f}H{RIGHT}"/>\n' + _text(LEFT - 8, y + 4, "dim", label, anchor="end")


def _line(kind: str, points: Iterable[Pair]) -> str:
    return f'<polyline class="{kind}" points="{_points(points)}"/>'


def _band(run: Sequence[Moment], across: Callable[[float], float], finish: Callable[[float], float]) -> str:
    spans = [(one.at, one.ours) for one in run if one.ours]
    above = [(across(at), finish(span.high)) for at, span in spans]
    below = [(across(at), finish(span.low)) for at, span in reversed(spans)]
    return f'<polygon class="band" points="{_points([*above, *below])}"/>'


def _points(points: Iterable[Pair]) -> str:
    return " ".join(f"{x:.1f},{y:.1f}" for x, y in points)


def _text(x: float, y: float, kind: str, text: str, *, anchor: str = "start") -> str:
    return f'<text class="{kind}" x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}">{escape(text)}</text>'


def _clock(at: float) -> str:
    return f"{local_time(at, 0):%H:%M}"


def write() -> None:
    """Draw the picture of the docs."""
    FILE.write_text(draw(moments()), encoding="utf-8")
