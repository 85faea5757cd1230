"""Diagnosis: `mmdiag --waiters` and `mmhealth node show`. Models in, text out, to the blank.

Sources: public outputs of 4.2 to 5.2; the form of waiters before 4 is from memory of that release.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime

from simulator import ylines
from simulator.clock import MST
from simulator.dialects import Dialect
from simulator.going import Waiter

_WAITERS = (
    *("threadId", "threadAddr", "threadName", "waitStartTime", "waitTime", "isMonitored", "condVarAddr", "condVarName"),
    *("condVarReason", "mutexAddr", "mutexName", "auxReason", "delayTime", "delayReason"),
)


def _thread(index: int) -> int:
    return 23170 + 7 * index


def _condition(index: int) -> str:
    return f"0x{0x7F138008EC10 + 0x40 * index:X}"


def _why(waiter: Waiter, index: int) -> str:
    if not waiter.condition:
        return waiter.reason
    return f"on ThCond {_condition(index)} ({waiter.condition}), reason '{waiter.reason}'"


def version_listing(dialect: Dialect, seconds: float, pid: int) -> str:
    """`mmdiag --version`: the build, and for how long the daemon has run. Its form is from memory."""
    days, rest = divmod(int(seconds), 86400)
    hours, rest = divmod(rest, 3600)
    minutes, rest = divmod(rest, 60)
    return (
        f'\n=== mmdiag: version ===\nCurrent GPFS build: "{dialect.version.partition("(")[2].rstrip(")")} ".\n'
        f"Running {days} days {hours} hours {minutes} minutes {rest} secs, pid {pid}\n"
    )


def waiters_listing(waiters: Sequence[Waiter], now: float, dialect: Dialect) -> str:
    """`mmdiag --waiters`; the longest first."""
    lines = ["", "=== mmdiag: waiters ==="]
    for index, waiter in enumerate(sorted(waiters, key=lambda each: each.since)):
        seconds = max(0.0, now - waiter.since)
        if dialect.at_least(4, 1):
            since = datetime.fromtimestamp(waiter.since, MST).strftime("%H:%M:%S")
            monitored = "monitored" if waiter.monitored else "ignored"
            lines.append(
                f"Waiting {seconds:.4f} sec since {since}, {monitored}, thread {_thread(index)} {waiter.thread}: "
                f"{_why(waiter, index)}"
            )
        else:
            address = f"0x7F{0x138008EC + 0x40 * index:08X}10"
            lines.append(f"{address} waiting {seconds:.9f} seconds, {waiter.thread}: {_why(waiter, index)}")
    return "\n".join(lines) + "\n"


def waiters_y(waiters: Sequence[Waiter], now: float) -> str:
    """`mmdiag --waiters -Y`."""
    rows: list[tuple[str | int, ...]] = []
    for index, waiter in enumerate(sorted(waiters, key=lambda each: each.since)):
        since = datetime.fromtimestamp(waiter.since, MST).strftime("%Y-%m-%d_%H%%3A%M%%3A%S%z")
        monitored = "monitored" if waiter.monitored else "ignored"
        seconds = f"{max(0.0, now - waiter.since):.4f}"
        address = f"{0xF57FC500 + 0x40 * index:016X}"
        head = (_thread(index), address, waiter.thread, since, seconds, monitored)
        reason = ylines.colons(waiter.reason)
        why = (_condition(index), waiter.condition, reason, "", "", "") if waiter.condition else (*[""] * 5, reason)
        rows.append((*head, *why, "", ""))
    return ylines.table("mmdiag", "waiters", _WAITERS, rows)


@dataclass(frozen=True)
class Health:
    """One line of the state: a component or an entity of it, its status, and the events behind that."""

    component: str
    entity: str
    kind: str
    status: str
    since: float
    events: tuple[str, ...] = ()


def _ago(seconds: float) -> str:
    for size, word in ((86400, "day"), (3600, "hour"), (60, "min.")):
        if seconds >= size:
            count = int(seconds // size)
            return f"{count} {word}{'s' if count > 1 and word[-1] != '.' else ''} ago"
    return "Now"


def health_listing(node: str, states: Sequence[Health], now: float, dialect: Dialect) -> str:
    """`mmhealth node show`: components only."""
    whole = states[0]
    dated = dialect.at_least(5, 0)
    lines = ["", f"Node name:      {node}", f"Node status:    {whole.status}"]
    if dated:
        lines.append(f"Status Change:  {_ago(now - whole.since)}")
    change = f"{'Status Change':<18}" if dated else ""
    heading = f"{'Component':<15}{'Status':<14}{change}Reasons & Notices"
    lines += ["", heading, "-" * len(heading)]
    for state in states[1:]:
        if state.kind == "NODE":
            reasons = {event for each in states if each.component == state.component for event in each.events}
            change = f"{_ago(now - state.since):<18}" if dated else ""
            lines.append(f"{state.component:<15}{state.status:<14}{change}{', '.join(sorted(reasons)) or '-'}")
    return "\n".join(lines) + "\n"


def _moment(when: float) -> str:
    local = datetime.fromtimestamp(when, UTC).astimezone(MST)
    return ylines.colons(local.strftime("%Y-%m-%d %H:%M:%S.%f MST"))


def health_y(node: str, states: Sequence[Health], now: float, dialect: Dialect) -> str:
    """`mmhealth node show -Y`; later releases added columns at the end."""
    place = ["node", "component", "entityname", "entitytype"]
    event = [*place, "event", "arguments"] + ["activesince", "identifier", "ishidden"] * dialect.at_least(5, 0)
    event += ["message", "eventtype", "severity", "fullidentifier"] * dialect.at_least(5, 2)
    state = [*place, "status"] + ["laststatuschange"] * dialect.at_least(5, 0) + ["lastcheck"] * dialect.at_least(5, 2)
    text = ylines.header("mmhealth", "Event", event) + ylines.header("mmhealth", "State", state)
    for each in states:
        row: list[str] = [node, each.component, each.entity, each.kind, each.status]
        row += [_moment(each.since)] * dialect.at_least(5, 0) + [_moment(now)] * dialect.at_least(5, 2)
        text += ylines.row("mmhealth", "State", row)
        for name in each.events:
            row = [node, each.component, each.entity, each.kind, name, each.entity]
            row += [_moment(each.since), each.entity, "no"] * dialect.at_least(5, 0)
            sentence = f"Event {name} on {each.entity}."
            row += [sentence, "STATE_CHANGE", "ERROR", f"{name}-{each.entity}"] * dialect.at_least(5, 2)
            text += ylines.row("mmhealth", "Event", row)
    return text
