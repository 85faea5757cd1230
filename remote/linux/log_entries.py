"""One line of GPFS's log or of the kernel's: when, how bad, of which kind, which node it names, and how often.

Lines come with the times of many programs: GPFS's own up to 4.1 and since, syslog's without a year, journalctl's
short-iso, the kernel's seconds since the boot and what `dmesg -T` makes of them. Everything is pure and total. Texts
that are believed and were never seen are in docs/to-confirm.md.
"""

from __future__ import annotations

import calendar
import re
from functools import lru_cache

import msgspec

ERROR, WARNING, NOTE = 2, 1, 0
"""How bad a line is. Notes are not counted."""

DISK, IO, EXPEL, LEASE, WAITER, NETWORK, OTHER = "disk", "io", "expel", "lease", "waiter", "network", "other"
NAMES = {
    EXPEL: "expel",
    DISK: "disk",
    IO: "I/O error",
    LEASE: "lease",
    WAITER: "long waiter",
    NETWORK: "network",
    OTHER: "other",
}
"""What each kind is called, the gravest first."""
GRAVE = (EXPEL, DISK, IO)
"""Kinds of which one error that is not usual is an alarm."""

_I = re.IGNORECASE
KINDS: tuple[tuple[str, int, re.Pattern[str]], ...] = (
    # a node that is thrown out of the cluster, as the manager and as all others tell it
    (EXPEL, ERROR, re.compile(r"being expelled|expelling|expelled|expel request|request(?:ing)? .{0,80}\bexpel", _I)),
    # what comes before that: a node may not write without its lease, and none without a quorum
    (
        LEASE,
        WARNING,
        re.compile(
            r"lease (?:is )?overdue|lease (?:period |has )?expired|lease renewal|disk lease|lost membership in cluster"
            r"|contact any quorum|quorum loss|lost quorum|probe cluster",
            _I,
        ),
    ),
    # threads that wait too long, GPFS's and the kernel's
    (
        WAITER,
        WARNING,
        re.compile(r"long waiter|deadlock detected|waiting [\d.]+ sec|blocked for more than \d+ sec|soft lockup", _I),
    ),
    # a read or write that failed
    (
        IO,
        ERROR,
        re.compile(
            r"i/o error|i/o failed|\bcritical (?:medium|target|space allocation) error|medium error|rejecting i/o"
            r"|unrecovered read|lost (?:async )?page write|timing out command|i/o \d+ .{0,40}timeout"
            r"|exception emask|failed command:|sense key : (?:medium|hardware|aborted)"
            r"|^(?:print_req_error|blk_update_request|buffer_io_error|quiet_error|end_request|scsi_io_completion\w*):",
            _I,
        ),
    ),
    # a disk, or a way to it, that is gone
    (
        DISK,
        ERROR,
        re.compile(
            r"disk failure|unavailable disks?|disks? .{0,60}(?:marked down|is down|unavailable|not found)"
            r"|device offlined|offline device|failing path|remaining active paths: 0|paths? .{0,20}(?:down|faulty)"
            r"|rport-\S+ blocked|blocked fc remote port|loop down|lost access to (?:nsd|disk)|physical volume",
            _I,
        ),
    ),
    (
        NETWORK,
        WARNING,
        re.compile(
            r"close connection|connection (?:reset|refused|timed out)|failed to connect|attempting reconnect"
            r"|reconnect failed|bad tcp (?:socket )?state|link is down|link down|netdev watchdog|transmit queue"
            r"|verbs rdma .{0,60}(?:error|fail|fatal|disabled|timed? ?out)|ibv_wc_|rdma .{0,20}error|net_ratelimit"
            r"|table full, dropping|neighbou?r(?:ing)? table overflow",
            _I,
        ),
    ),
)
"""Kind, how bad a line of it is at least, and its words. The first that fits holds; what fits none is `other`."""
_ANY = re.compile("|".join(f"(?:{words.pattern})" for _, _, words in KINDS), _I)
_BAD = re.compile(r"\berror\b|\bfail(?:ed|ure|s|ing)?\b|\bfatal\b|\bpanic|\bBUG:|\bOops\b|out of memory|corrupt", _I)

_SEVERITIES = {"A": ERROR, "X": ERROR, "E": ERROR, "W": WARNING, "N": NOTE, "I": NOTE, "D": NOTE}
_MONTHS = {name: number for number, name in enumerate(calendar.month_abbr) if name}
_DAY = "(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun)"
_CLOCK = r"(?P<h>\d\d):(?P<m>\d\d):(?P<s>\d\d)(?:[.,](?P<f>\d{1,9}))?"
_ZONE = r"(?:(?P<zone>[+-]\d\d:?\d\d|Z))?"
_STAMPS = tuple(
    re.compile(pattern)
    for pattern in (
        # 2017-11-01_14:10:09.157+0900: and 2026-11-30T19:28:52+0000
        rf"(?P<Y>\d{{4}})-(?P<M>\d\d)-(?P<D>\d\d)[_T ]{_CLOCK}{_ZONE}(?::)? +",
        # Fri Mar 19 02:46:21.345 2010 GPFS: and [Mon Nov 30 19:28:52 2026]
        rf"\[?{_DAY} (?P<b>[A-Z][a-z]{{2}}) +(?P<D>\d{{1,2}}) {_CLOCK} (?P<Y>\d{{4}})(?:\]|:)? *",
        # May  7 22:25:39
        rf"(?P<b>[A-Z][a-z]{{2}}) +(?P<D>\d{{1,2}}) {_CLOCK} +",
        # <3>[ 4233.685241]
        r"(?:<(?P<p>\d{1,3})>)?\[ *(?P<up>\d{1,10})\.(?P<f>\d{1,9})\] *",
    )
)
_WHO = re.compile(r"\S{1,255} (?:(?:kernel|mmfs|mmfsd)(?:\[\d+\])?: *|(?=message repeated |last message repeated ))")
_UPTIME = re.compile(r"\[ *\d+\.\d+\] *")
_LETTER = re.compile(r"(?:GPFS: )?(?:6027-\d+ )?\[([AXEWNID])\] *")
_REPEATED = re.compile(r"(?:last message|message) repeated (\d{1,9}) times(?:: \[ ?(.*?)\]?$|\b)")
_SUPPRESSED = re.compile(r"(?P<who>[\w.-]*):? ?(?P<count>\d{1,9}) callbacks suppressed")

_ADDRESS = r"\d{1,3}(?:\.\d{1,3}){3}"
_NAME = r"(?!(?:failed|is|was|has|on|in|via|with|timed|not)\b)[A-Za-z][\w-]*(?:\.[\w-]+)*"
_NODES = tuple(
    re.compile(pattern, _I)
    for pattern in (
        rf"{_ADDRESS}(?::\d+)? \((?P<node>{_NAME})(?:\)| in )",
        rf"\b(?:connect(?:ion|ing)? to(?: node)?|node) (?P<address>{_ADDRESS})(?::\d+)?(?: (?P<node>{_NAME}))?",
        rf"\b(?:on|from|to|of) node (?P<node>{_NAME})",
    )
)


class Moment(msgspec.Struct, frozen=True):
    """What is needed to understand times: a host's date as `(year, month, day)`, its offset from UTC in seconds, and
    when it was booted (seconds since 1970), None where that was not told.
    """

    today: tuple[int, int, int]
    utc_offset: int = 0
    booted: float | None = None


class Words(msgspec.Struct, frozen=True, gc=False):
    """What the words of a line tell, whenever they were written. `repeats` is how often the line before it came again.

    `suppressed` counts lines that the kernel left out; they are of the kind of the line before where that is "".
    """

    severity: int
    kind: str
    node: str = ""
    count: int = 1
    repeats: bool = False


def stamp(line: str, moment: Moment) -> tuple[float, str, int | None] | None:
    """When a line was written, what follows its time, and the kernel's priority (0 to 7) where that is told.

    The time is in seconds since 1970 by the host's clock. None for a line that begins with no time.
    """
    for pattern in _STAMPS:
        found = pattern.match(line)
        if found is None:
            continue
        parts = found.groupdict()
        fraction = float(f"0.{parts['f']}") if parts.get("f") else 0.0
        priority = int(parts["p"]) & 7 if parts.get("p") else None
        if parts.get("up"):
            at = None if moment.booted is None else moment.booted + int(parts["up"])
        else:
            at = _epoch(parts, moment)
        return None if at is None else (at + fraction, line[found.end() :], priority)
    return None


def _epoch(parts: dict[str, str | None], moment: Moment) -> float | None:
    month = _MONTHS.get(parts["b"] or "", 0) if "b" in parts else int(parts["M"] or 0)
    day = int(parts["D"] or 0)
    midnight = _midnight(int(parts["Y"] or 0), month, day) if "Y" in parts else _last(month, day, moment)
    if midnight is None:
        return None
    h, m, s = (int(parts[name] or 0) for name in "hms")
    if h > 23 or m > 59 or s > 60:
        return None
    zone = parts.get("zone")
    offset = moment.utc_offset
    if zone:
        digits = "0000" if zone == "Z" else zone[1:].replace(":", "")
        offset = (int(digits[:2]) * 3600 + int(digits[2:]) * 60) * (-1 if zone[0] == "-" else 1)
    return float(midnight + h * 3600 + m * 60 + s - offset)


def _midnight(year: int, month: int, day: int) -> int | None:
    """Seconds to the start of a day, as if in UTC; None where there is no such day."""
    if not (1970 <= year <= 9998 and 1 <= month <= 12 and 1 <= day <= calendar.monthrange(year, month)[1]):
        return None
    return calendar.timegm((year, month, day, 0, 0, 0))


def _last(month: int, day: int, moment: Moment) -> int | None:
    """The last day of that name up to tomorrow: midnight may pass between the question for the date and the lines."""
    today = _midnight(*moment.today)
    if today is None:
        return None
    for year in range(moment.today[0] + 1, moment.today[0] - 5, -1):
        found = _midnight(year, month, day)
        if found is not None and found <= today + 86400:
            return found
    return None


@lru_cache(maxsize=4096)
def words(text: str, priority: int | None = None, at_least: int = NOTE) -> Words:
    """What the words of a line tell, without its time. `at_least` is how bad all lines of its source are."""
    for prefix in (_WHO, _UPTIME):
        found = prefix.match(text)
        text = text[found.end() :] if found else text
    repeated = _REPEATED.match(text)
    if repeated:
        inner = repeated[2]
        if not inner:
            return Words(NOTE, "", count=int(repeated[1]), repeats=True)
        return msgspec.structs.replace(words(inner, priority, at_least), count=int(repeated[1]))
    suppressed = _SUPPRESSED.match(text)
    if suppressed:
        kind, severity = _kind(f"{suppressed['who']}:")
        return Words(severity, kind, count=int(suppressed["count"]), repeats=kind == OTHER)
    letter = _LETTER.match(text)
    severity = _SEVERITIES[letter[1]] if letter else NOTE
    if priority is not None:
        severity = ERROR if priority <= 3 else WARNING if priority == 4 else NOTE
    kind, least = _kind(text[letter.end() :] if letter else text)
    if kind == OTHER and letter is None and priority is None and _BAD.search(text):
        least = ERROR
    return Words(max(severity, least, at_least), kind, _node(text))


def _kind(text: str) -> tuple[str, int]:
    if _ANY.search(text):
        for kind, severity, pattern in KINDS:
            if pattern.search(text):
                return kind, severity
    return OTHER, NOTE


def _node(text: str) -> str:
    """The node that a line names, by its name rather than its address; "" for none."""
    for pattern in _NODES:
        found = pattern.search(text)
        if found:
            return found["node"] or found.groupdict().get("address") or ""
    return ""
