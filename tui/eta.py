"""`restripe eta`: when the command whose log this is will be over. No connection, nothing but the log."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import NamedTuple, TypeAlias

import click
import msgspec

from remote.text import one_line
from supervision.eta import Span
from supervision.eta_runs import NAME, calibration, finished
from supervision.gfs2_eta import NO_TIMES, NO_TOTAL, SavemetaForecaster
from supervision.gpfs_eta import LONGEST_LINE, LogForecaster, numbered_lines, run_kind
from supervision.gpfs_eta import Forecast as GpfsForecast
from tui.eta_text import OVER, Forecast, as_line, as_object, as_text
from tui.exits import Exit
from tui.paths import runs_file
from tui.runs import RunsError, append, load

Forecaster: TypeAlias = LogForecaster | SavemetaForecaster
_HINT = "its lines count inodes: with --allocated-inodes (mmdf tells the number) the forecast is far better"
_HINTS = {
    NO_TIMES: "--elapsed tells how long it had run at the last line (ps -o etime= -p PID); and a log has times that is"
    " written through: stdbuf -oL tr '\\r' '\\n' | ts",
    NO_TOTAL: "--saved-total tells how many: `saved_at_least` in what restripe parse gfs2-rgs says of gfs2_edit -p rgs",
}


class Like(NamedTuple):
    """Which runs are alike: those of a kind of command at a site."""

    kind: str
    site: str

    @classmethod
    def of(cls, words: str, site: str) -> Like:
        """Of a command as it was typed, or of its kind alone."""
        return cls((run_kind(words.split()) or one_line(words))[:NAME], one_line(site)[:NAME])

    def __str__(self) -> str:
        return f"{self.kind} at {self.site}"


class Totals(NamedTuple):
    """What is known of a run besides its log: counts of what it passes, and the seconds that it had run at its end."""

    allocated: int | None = None
    used_mb: int | None = None
    saved: int | None = None
    elapsed: float | None = None
    snapshots: bool = False


def forecasters(totals: Totals, like: Like | None = None) -> tuple[Forecaster, ...]:
    """What reads a log, each of another command; `like` are the finished runs that it is to learn from."""
    learned = None
    if like is not None:
        learned = calibration(load(runs_file()), *like)
        runs = "1 finished run" if learned.runs == 1 else f"{learned.runs} finished runs"
        told = f"range by what {runs} of {like} taught"
        click.echo(told if learned.runs else f"no finished run of {like} is kept: the range is as without", err=True)
    now = datetime.now().replace(tzinfo=UTC).timestamp()  # noqa: DTZ005  the local time, as logs print it
    return (
        LogForecaster(totals.allocated, totals.used_mb, snapshots=totals.snapshots, calibration=learned),
        SavemetaForecaster(totals.saved, totals.elapsed, now=now, calibration=learned),
    )


def run(
    file: str, forecasters: Sequence[Forecaster], *, each_line: bool, as_json: bool, keep: Like | None = None
) -> Exit:
    """Forecast from a saved log (`-`: stdin). FAILED tells that it holds no progress, USAGE of nothing to read.

    It is of the command of which there is progress first. With `keep` it is to teach later ones of these runs: FAILED
    where it cannot.
    """
    made: list[tuple[float, Span | None]] = []
    found: Forecaster | None = None
    try:
        for number, text in numbered_lines(_pieces(file)):
            # each reads what stands before the first progress
            told = [one for one in ([found] if found else forecasters) if one.read(number, text)]
            found = found or next(iter(told), None)
            if found is None or not told or not (each_line or keep):
                continue
            now = found.forecast()
            if now and now.printed is not None:
                made.append((now.printed, now.estimate.remaining))
            if each_line:
                _show(now, as_json=as_json, short=True)
    except (OSError, ValueError) as error:
        click.echo(f"cannot read {one_line(ascii(file))}: {getattr(error, 'strerror', None) or error}", err=True)
        return Exit.USAGE
    last = found.forecast() if found else None
    if found is None or last is None:
        waiting = any(isinstance(one, LogForecaster) and one.waiting for one in forecasters)
        waits = "; the command waited for another one" if waiting else ""
        click.echo(f"no line of progress in {one_line(ascii(file))}{waits}", err=True)
        return Exit.FAILED
    if not each_line:
        if isinstance(found, LogForecaster) and found.over:
            last = msgspec.structs.replace(last, estimate=msgspec.structs.replace(last.estimate, why=OVER))
        _show(last, as_json=as_json, short=False)
    for hint in _hints(found, last):
        click.echo(hint, err=True)
    return _kept(keep, found, made) if keep else Exit.DONE


def _hints(forecaster: Forecaster, last: Forecast) -> list[str]:
    """What would make the forecast better, or possible at all."""
    if isinstance(forecaster, LogForecaster):
        counts = isinstance(last, GpfsForecast) and last.said.inodes is not None
        return [_HINT] if counts and not forecaster.counts_inodes else []
    return [hint for why, hint in _HINTS.items() if why in last.estimate.why]


def _kept(like: Like, forecaster: Forecaster, made: Sequence[tuple[float, Span | None]]) -> Exit:
    """Let a whole run teach later ones: `made` are its forecasts by the times printed on its lines, the end last."""
    spans = [(at, span) for at, span in made if span]
    over = forecaster.over and made
    found = finished(*like, made[0][0], made[-1][0], spans, forecaster.calibration) if over else None
    if found is None:
        why = "nothing was forecast that its end can be held against" if over else "it does not go on to the end"
        click.echo(f"the log was not kept to teach later runs: {why}", err=True)
        return Exit.FAILED
    try:
        append(runs_file(), found)
    except RunsError as error:
        click.echo(str(error), err=True)
        return Exit.FAILED
    click.echo(f"kept, to teach later runs of {like}", err=True)
    return Exit.DONE


def _pieces(file: str) -> Iterator[bytes]:
    """The lines of a file; one that is endless comes in pieces."""
    if file == "-":
        yield from iter(lambda: sys.stdin.buffer.readline(LONGEST_LINE), b"")
        return
    with Path(file).open("rb") as stream:
        yield from iter(lambda: stream.readline(LONGEST_LINE), b"")


def _show(forecast: Forecast | None, *, as_json: bool, short: bool) -> None:
    if forecast is None:
        return
    if as_json:
        click.echo(msgspec.json.encode(as_object(forecast)).decode())
    else:
        click.echo(as_line(forecast) if short else "\n".join(as_text(forecast)))
