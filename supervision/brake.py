"""The brake: what limits how much a scan may do to the file system, and how it can be eased. Values alone.

A limit is for a class of I/O in a pool; `scan` is the class in which the scan runs, `users` the one of everybody else.
Rates are I/O operations a second (IOPS); `math.inf` is no limit.
"""

from __future__ import annotations

import math
import re
from enum import Enum

import msgspec

from remote.command import Command
from supervision.clocktext import DAYS
from supervision.tables import Line, Severity

FLOOR = 100.0
"""IOPS for all that scan together below which nothing is set: a scan that creeps holds its locks for longer."""


class Terms(msgspec.Struct, frozen=True):
    """How a person wants limits to be set: never below `floor`, and by which command where there are several."""

    floor: float = FLOOR
    tool: str = ""


USUAL = Terms()


class Power(Enum):
    """Whether there are limits at all."""

    ENABLED = "enabled"
    OFF = "off"
    UNKNOWN = "unknown"
    ABSENT = "not in this release"


class Limit(msgspec.Struct, frozen=True):
    """The limit of the scan's class in a pool. `nodes` are those over which it is divided, `helpers` those that scan.

    Either count is None while it is not known.
    """

    pool: str
    iops: float
    nodes: int | None = None
    helpers: int | None = None
    users: float = math.inf
    scoped: bool = False
    """Whether it is for the helpers alone, so that nothing of it is lost on other nodes."""

    @property
    def each(self) -> float | None:
        """What one node may do."""
        return self.iops / self.nodes if self.nodes else None

    @property
    def effective(self) -> float | None:
        """What all helpers may do together."""
        return None if self.each is None or self.helpers is None else self.each * self.helpers


class Rate(msgspec.Struct, frozen=True):
    """What a class does in a pool: `of` is the class, `delayed` the mean number of requests that are held back."""

    pool: str
    of: str
    iops: float
    delayed: float | None = None
    mb_s: float | None = None


class Step(msgspec.Struct, frozen=True):
    """A limit that is offered: `iops` for all helpers together, infinite to measure alone. `refused` says why not."""

    iops: float
    text: str
    refused: str = ""


class Judged(Enum):
    """What came of the last change of a limit."""

    NONE = "no change of ours"
    WAITING = "not known yet"
    FELL = "rates fell"
    WITHIN = "within the limit"
    NOTHING = "no effect"
    UNKNOWN = "cannot be judged"


class Effect(msgspec.Struct, frozen=True):
    """What came of our last change: in words, when it was made, and when it is judged (both Site's clock)."""

    judged: Judged = Judged.NONE
    text: str = ""
    since: float | None = None
    due: float | None = None


class Held(msgspec.Struct, frozen=True):
    """A limit of ours that holds, or may: the job that set it, and what the settings were before our first change.

    `others` says what somebody else has changed since; then nothing is restored by itself. `schedule` is whether a job
    on the host keeps changing it.
    """

    host: str
    job_id: str
    at: float
    text: str
    earlier: str
    others: str = ""
    sure: bool = True
    schedule: bool = False


class Brake(msgspec.Struct, frozen=True):
    """How it stands with the limits of a scan. `at` is when that was asked for, `why` why nothing can be done now."""

    power: Power
    limits: tuple[Limit, ...] = ()
    rates: tuple[Rate, ...] = ()
    helpers: tuple[str, ...] = ()
    steps: tuple[Step, ...] = ()
    floor: float = 0.0
    effect: Effect = Effect()
    held: Held | None = None
    scanning: bool = False
    why: str = ""
    at: float | None = None
    restore_due: bool = False
    """Whether the scan has ended and what we changed is still as we left it."""


_REQUEST = re.compile(
    r"(?P<iops>measure|[0-9][0-9,]{0,12})(?: *iops)?"
    r"(?: +(?P<first>[a-z]{3,5})(?:-(?P<last>[a-z]{3}))? +(?P<begin>[0-9]{1,2})(?::(?P<b>[0-9]{2}))?"
    r"-(?P<end>[0-9]{1,2})(?::(?P<e>[0-9]{2}))?)?",
    re.IGNORECASE,
)


class Hours(msgspec.Struct, frozen=True):
    """When a limit is to be tight: days (1 is Monday) and minutes of the day, in the time of the host."""

    days: str = "12345"
    begin: int = 7 * 60
    end: int = 19 * 60

    @property
    def text(self) -> str:
        """`Mon-Fri 07:00-19:00`."""
        names = [DAYS[int(day) - 1] for day in self.days if day in "1234567"]
        whole = "".join(sorted(set(self.days)))
        row = len(whole) > 2 and whole in "1234567"
        days = f"{DAYS[int(whole[0]) - 1]}-{DAYS[int(whole[-1]) - 1]}" if row else ",".join(names)
        times = "-".join(f"{minute // 60:02}:{minute % 60:02}" for minute in (self.begin, self.end))
        return f"{days} {times}"


class Plan(msgspec.Struct, frozen=True):
    """What would be run to change a limit: commands one after another, each as a job with a title, or why not.

    `says` is what will be true then, line by line; `files` go with each job. `stop` is a job to be told to end instead.
    """

    host: str = ""
    kind: str = ""
    commands: tuple[Command, ...] = ()
    titles: tuple[str, ...] = ()
    says: tuple[str, ...] = ()
    files: tuple[tuple[str, str], ...] = ()
    what: str = ""
    stop: str = ""
    job_id: str = ""
    refused: str = ""

    @property
    def lasts(self) -> bool:
        """Whether its job goes on for as long as the scan does."""
        return bool(self.job_id)

    @property
    def text(self) -> str:
        """The commands as a person would type them."""
        if self.stop:
            return f"TERM to every process of job {self.stop}"
        return "; then ".join(command.text for command in self.commands)


def iops_text(value: float | None) -> str:
    """`1,000 IOPS`, `no limit`; `?` for what is not known."""
    if value is None:
        return "? IOPS"
    if value == math.inf:
        return "no limit"
    return f"{value:,.0f} IOPS" if value >= 10 else f"{value:.2g} IOPS"


def limit_text(limit: Limit) -> str:
    """`1,000 IOPS on system = 42 per node, 125 for 3 helpers`."""
    text = f"{iops_text(limit.iops)} on {limit.pool}"
    if limit.iops == math.inf:
        return text
    if limit.each is None:
        return f"{text}, over nobody knows how many nodes"
    if limit.scoped:
        return f"{text} for the {limit.helpers} helpers alone = {limit.each:,.0f} per node"
    mine = "" if limit.effective is None else f", {limit.effective:,.0f} for {limit.helpers} helpers"
    return f"{text} = {limit.each:,.0f} per node{mine}"


def brake_lines(brake: Brake | None) -> tuple[Line, ...]:
    """The brake in a line or two, for beside a scan; nothing where there is no such thing."""
    if brake is None:
        return ()
    if brake.power in (Power.ABSENT, Power.UNKNOWN):
        return (Line("brake", f"{brake.power.value}: {brake.why}" if brake.why else brake.power.value, at=brake.at),)
    held = [limit_text(limit) for limit in brake.limits if limit.iops != math.inf]
    off = brake.power is Power.OFF
    text = "none, and nothing is measured (QoS is off)" if off else "; ".join(held) or "none"
    if brake.held and brake.held.schedule:
        text += "; a schedule on the host keeps it"
    severity = Severity.NORMAL
    if brake.effect.text and brake.scanning:
        text += f"; {brake.effect.text}"
        severity = Severity.WARNING if brake.effect.judged is Judged.NOTHING else Severity.NORMAL
    lines = [Line("brake", text, severity, at=brake.at)]
    if rates := rates_text(brake.rates):
        lines.append(Line("I/O", rates, at=brake.at))
    if brake.why and brake.scanning:
        lines.append(Line("", f"it cannot be eased now: {brake.why}", Severity.NOTE))
    return tuple(lines)


def rates_text(rates: tuple[Rate, ...]) -> str:
    """What each class does, pool by pool: `system: maintenance 2,600, other 9,754 IOPS`."""
    pools: dict[str, list[str]] = {}
    for rate in rates:
        pools.setdefault(rate.pool, []).append(f"{rate.of} {rate.iops:,.0f}")
    return "; ".join(f"{pool}: {', '.join(words)} IOPS" for pool, words in pools.items())


def read_request(typed: str) -> tuple[float, Hours | None]:
    """What a person asks for: `650`, `measure`, or with hours `300 mon-fri 07:00-19:00`, `300 daily 8-18`.

    Raises ValueError, in words.
    """
    match = _REQUEST.fullmatch(typed.strip())
    if match is None:
        raise ValueError("a number of IOPS, `measure`, or with hours: 300 mon-fri 07:00-19:00")
    iops = math.inf if match["iops"].lower() == "measure" else float(match["iops"].replace(",", ""))
    if match["first"] is None:
        return iops, None
    days = _days(match["first"].title(), (match["last"] or "").title())
    begin, end = (int(match[hour]) * 60 + int(match[minute] or 0) for hour, minute in (("begin", "b"), ("end", "e")))
    if not 0 <= begin < end < 24 * 60:
        raise ValueError("hours of one day, the first before the last: 07:00-19:00")
    return iops, Hours(days, begin, end)


def _days(first: str, last: str) -> str:
    """Days as digits, 1 is Monday."""
    if first == "Daily" and not last:
        return "1234567"
    if first not in DAYS or (last and last not in DAYS):
        raise ValueError(f"days are {', '.join(DAYS)} or daily, as in mon-fri")
    begin, end = DAYS.index(first), DAYS.index(last or first)
    row = range(begin, end + 1) if begin <= end else (*range(begin, 7), *range(end + 1))
    return "".join(str(day + 1) for day in sorted(row))
