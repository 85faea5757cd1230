"""A forecast from a saved log, as `restripe eta` tells it: an object for programs, a line, or a few lines."""

from __future__ import annotations

from typing import Any, TypeAlias

from remote.text import one_line
from supervision import gfs2_eta, gpfs_eta
from supervision.clocktext import LATEST, duration_text, local_time, moment_text
from supervision.eta import Span

OVER = "its lines tell that it completed"
Forecast: TypeAlias = gpfs_eta.Forecast | gfs2_eta.Forecast


def as_object(forecast: Forecast) -> dict[str, Any]:
    """A forecast for programs: times as the log prints them, in ISO form without a zone; spans in seconds."""
    estimate = forecast.estimate
    span = estimate.remaining
    return {
        "line": forecast.line,
        "time": _iso(forecast.printed),
        "phase": forecast.phase,
        "percent": _percent(forecast),
        **_counts(forecast),
        "state": estimate.state.value,
        "unit": estimate.unit,
        "remaining_s": None if span is None else {name: round(value) for name, value in _named(span)},
        "finish": None if span is None else {name: _later(forecast.printed, value) for name, value in _named(span)},
        "why": estimate.why,
    }


def as_line(forecast: Forecast) -> str:
    """A forecast as one line, to stand below others."""
    words = one_line("; ".join(as_words(forecast)))
    stamp = _iso(forecast.printed) or ""
    if isinstance(forecast, gfs2_eta.Forecast):
        return f"{stamp or 'line ' + str(forecast.line)}  {_blocks(forecast)}  {words}"
    stamp = one_line(forecast.said.stamp) if forecast.printed is None else stamp
    return f"{stamp}  {forecast.said.percent:6.2f} %  {words}"


def as_text(forecast: Forecast) -> list[str]:
    """A forecast as a few lines."""
    if isinstance(forecast, gfs2_eta.Forecast):
        on = f" on {_iso(forecast.printed)}" if forecast.printed is not None else ""
        own = f"the tool's {forecast.percent} % is an address"
        return [f"{forecast.phase}: {_blocks(forecast)}{on}; {own}", *map(one_line, as_words(forecast))]
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
        over = estimate.why.startswith(OVER)
        return [f"{'over' if over else estimate.state}: {estimate.why}"]
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


def _percent(forecast: Forecast) -> float:
    return forecast.percent if isinstance(forecast, gfs2_eta.Forecast) else forecast.said.percent


def _counts(forecast: Forecast) -> dict[str, int | None]:
    """What is counted, by unit."""
    if isinstance(forecast, gfs2_eta.Forecast):
        return {"blocks": forecast.counter.done}
    return {"inodes": forecast.said.inodes, "mb": forecast.said.mb}


def _blocks(forecast: gfs2_eta.Forecast) -> str:
    """`69,019 blocks of at least 88,900 (78 %)`; without a part where it is past the lower bound."""
    counter = forecast.counter
    if counter.done is None:
        return "blocks not counted"
    text = f"{counter.done:,} {counter.unit}"
    if counter.total is not None:
        text += f" of {'at least ' if counter.at_least else ''}{counter.total:,}"
    return text if counter.fraction is None else f"{text} ({int(counter.fraction * 100)} %)"
