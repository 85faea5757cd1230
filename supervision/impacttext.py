"""What a scan does to users, in words."""

from __future__ import annotations

from collections.abc import Iterator

from supervision.clocktext import duration_text, moment_text
from supervision.impact import Change, Impact, Standing
from supervision.probing import Spread


def impact_text(found: Impact, now: float, utc_offset: int) -> str:
    """In a line: `create 1.9 ms, 3.1 ms now, 1.6x (budget 3x)   hung probes 0`."""
    judged = found.judged
    words = judged.name
    if judged.before:
        words += f" {latency_text(judged.before.p50)},"
    words += f" {_usual(judged.now)} now" if judged.now else " not known now"
    if judged.factor is not None:
        words += f", {factor_text(judged.factor)}"
    elif judged.before is None:
        words += ", no baseline"
    return f"{words} ({budget_text(found, now, utc_offset)})   {hung_text(found, now, utc_offset)}"


def budget_text(found: Impact, now: float, utc_offset: int) -> str:
    """`budget 3x`; `OVER the budget of 3x since 19:41`."""
    if found.over_since is None:
        near = "near the " if found.standing is Standing.NEAR else ""
        return f"{near}budget {factor_text(found.budget)}"
    return f"OVER the budget of {factor_text(found.budget)} since {moment_text(found.over_since, now, utc_offset)}"


def hung_text(found: Impact, now: float, utc_offset: int) -> str:
    """`hung probes 2 since 19:41`; `hung probes ?` where nobody has told."""
    if found.hung is None:
        return "hung probes ?"
    since = "" if found.hung_since is None else f" since {moment_text(found.hung_since, now, utc_offset)}"
    return f"hung probes {found.hung}{since}"


def detail_lines(found: Impact) -> Iterator[str]:
    """A line for each kind of operation, what the baseline rests on, and what is wrong."""
    for change in found.changes:
        usual, slow = _pair("p50", change, change.factor), _pair("p95", change, change.tail_factor)
        yield f"{change.name:<9}  {usual}  {slow}".rstrip()
    yield f"before: {found.baseline.basis}"
    if found.why:
        yield found.why


def latency_text(us: float) -> str:
    """Microseconds as people say them: `0.4 ms`, `19 ms`, `1.3 s`, `30 s`, `4 min`."""
    if us < 9_950:
        return f"{us / 1e3:.1f} ms"
    if us < 999_500:
        return f"{us / 1e3:.0f} ms"
    return f"{us / 1e6:.1f} s" if us < 9_950_000 else duration_text(us / 1e6)


def factor_text(factor: float) -> str:
    """`1.6x`, `3x`, `24x`."""
    return f"{factor:,.0f}x" if factor >= 9.95 else f"{factor:.1f}".removesuffix(".0") + "x"


def _usual(spread: Spread) -> str:
    return f"{'' if spread.bound is None or spread.p50 < spread.bound else 'at least '}{latency_text(spread.p50)}"


def _pair(label: str, change: Change, factor: float | None) -> str:
    before, now = (
        "?" if spread is None else latency_text(spread.p50 if label == "p50" else spread.p95)
        for spread in (change.before, change.now)
    )
    return f"{label} {before:>7}, {now:>7} now{'' if factor is None else f', {factor_text(factor)}':<8}"
