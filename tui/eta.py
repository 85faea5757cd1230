"""`restripe eta`: when the command whose log this is will be over. No connection, nothing but the log."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import click
import msgspec

from remote.text import one_line
from supervision.clocktext import LATEST, duration_text, local_time, moment_text
from supervision.eta import Span
from supervision.eta_runs import NAME, calibration, finished
from supervision.gpfs_eta import LONGEST_LINE, Forecast, LogForecaster, numbered_lines, run_kind
from tui.exits import Exit
from tui.paths import runs_file
from tui.runs import RunsError, append, load

_HINT = "its lines count inodes: with --allocated-inodes (mmdf tells the number) the forecast is far better"
_OVER = "its lines tell that it completed"


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


def forecaster(
    allocated: int | None, used_mb: int | None, *, snapshots: bool = False, like: Like | None = None
) -> LogForecaster:
    """What reads the log; `like` are the finished runs that it is to learn from."""
    learned = None
    if like is not None:
        learned = calibration(load(runs_file()), *like)
        runs = "1 finished run" if learned.runs == 1 else f"{learned.runs} finished runs"
        told = f"range by what {runs} of {like} taught"
        click.echo(told if learned.runs else f"no finished run of {like} is kept: the range is as without", err=True)
    return LogForecaster(allocated, used_mb, snapshots=snapshots, calibration=learned)


def run(file: str, forecaster: LogForecaster, *, each_line: bool, as_json: bool, keep: Like | None = None) -> Exit:
    """Forecast from a saved log (`-`: stdin). FAILED tells that it holds no progress, USAGE of nothing to read.

    With `keep` it is to teach later ones of these runs: FAILED where it cannot.
    """
    made: list[tuple[float, Span | None]] = []
    try:
        for number, text in numbered_lines(_pieces(file)):
            if not forecaster.read(number, text) or not (each_line or keep):
                continue
            found = forecaster.forecast()
            if found and found.printed is not None:
                made.append((found.printed, found.estimate.remaining))
            if each_line:
                _show(found, as_json=as_json, short=True)
    except (OSError, ValueError) as error:
        click.echo(f"cannot read {one_line(ascii(file))}: {getattr(error, 'strerror', None) or error}", err=True)
        return Exit.USAGE
    last = forecaster.forecast()
    if last is None:
        waits = "; the command waited for another one" if forecaster.waiting else ""
        click.echo(f"no line of progress in {one_line(ascii(file))}{waits}", err=True)
        return Exit.FAILED
    if not each_line:
        if forecaster.over:
            last = msgspec.structs.replace(last, estimate=msgspec.structs.replace(last.estimate, why=_OVER))
        _show(last, as_json=as_json, short=False)
    if last.said.inodes is not None and not forecaster.counts_inodes:
        click.echo(_HINT, err=True)
    return _kept(keep, forecaster, made) if keep else Exit.DONE


def _kept(like: Like, forecaster: LogForecaster, made: Sequence[tuple[float, Span | None]]) -> Exit:
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


def as_object(forecast: Forecast) -> dict[str, Any]:
    """A forecast for programs: times as the log prints them, in ISO form without a zone; spans in seconds."""
    said, estimate = forecast.said, forecast.estimate
    span = estimate.remaining
    return {
        "line": forecast.line,
        "time": _iso(forecast.printed),
        "phase": forecast.phase,
        "percent": said.percent,
        "inodes": said.inodes,
        "mb": said.mb,
        "state": estimate.state.value,
        "unit": estimate.unit,
        "remaining_s": None if span is None else {name: round(value) for name, value in _named(span)},
        "finish": None if span is None else {name: _later(forecast.printed, value) for name, value in _named(span)},
        "why": estimate.why,
    }


def as_line(forecast: Forecast) -> str:
    """A forecast as one line, to stand below others."""
    stamp = forecast.said.stamp if forecast.printed is None else _iso(forecast.printed) or ""
    return f"{one_line(stamp)}  {forecast.said.percent:6.2f} %  {'; '.join(as_words(forecast))}"


def as_text(forecast: Forecast) -> list[str]:
    """A forecast as a few lines."""
    said = forecast.said
    counts = [f"{said.inodes:,} inodes"] if said.inodes is not None else []
    counts += [f"{said.mb:,} MB"] if said.mb is not None else []
    head = ", ".join((f"{said.percent:g} % on {one_line(said.stamp)}", *counts))
    return [f"{forecast.phase}: {head}", *as_words(forecast)]


def as_words(forecast: Forecast) -> list[str]:
    """What is forecast, and why."""
    estimate, printed = forecast.estimate, forecast.printed
    span = estimate.remaining
    why = [estimate.why] if estimate.why else []
    if span is None:
        return [f"over: {_OVER}" if estimate.why == _OVER else f"{estimate.state}: {estimate.why}"]
    left = f"{duration_text(span.low)} to {duration_text(span.high)} left, middle {duration_text(span.mid)}"
    if printed is None or printed + span.high > LATEST:
        return [f"{left}, by {estimate.unit}", *why]
    low, mid, high = (moment_text(printed + value, printed, 0) for _, value in _named(span))
    return [f"finish likely {low} to {high}, middle {mid}, by {estimate.unit} ({left})", *why]


def _named(span: Span) -> tuple[tuple[str, float], ...]:
    return ("low", span.low), ("mid", span.mid), ("high", span.high)


def _later(printed: float | None, seconds: float) -> str | None:
    return None if printed is None else _iso(printed + round(seconds))


def _iso(at: float | None) -> str | None:
    """`2013-06-06T19:41:03`; None for no time, and for what no calendar has."""
    return None if at is None or not 86_400.0 <= at <= LATEST else local_time(at, 0).strftime("%Y-%m-%dT%H:%M:%S")
