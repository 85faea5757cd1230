"""A followed log, as state: its last lines, the progress of a scan where it tells of one, and what a probe tells.

Frozen like all state: `append` returns the log after more bytes came.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import MappingProxyType

import msgspec

from remote.text import decode, one_line
from supervision import forecasts, probing
from supervision.eta_rates import Known
from supervision.forecasts import Forecasts, Moment
from supervision.probing import Samples
from supervision.reading import Counted, Failing, Found, PhaseBegun, PhaseOver, Reading, ScanEvent, SumBegun, WaitsFor

TAIL = 200
"""Lines kept of a log; the whole of it is in its job directory, and in the recording."""
HEAD = 20
"""The same of its beginning."""
POINTS = 20_000
"""Progress points kept: a month of one every two minutes."""
LONGEST_LINE = 4096
"""Bytes of a line that are kept."""
CATCHING_UP = 10.0
"""Seconds that lie at most between two pieces of a log that are read one right after the other,"""
SURELY = 60.0
"""and by which the stamps of the later one are later at least for that to be told from a clock that goes wrong."""
KINDS = 200
"""Kinds of what a scan found that are kept,"""
OTHER_KINDS = "other kinds"
"""and what those beyond that are counted under."""
PHASES = 100
"""Names of phases that are kept."""
_CR = b"\r"


class Point(msgspec.Struct, frozen=True):
    """A line of progress: when it arrived (Site's clock), and what it said.

    Of lines that arrived together, as they do when one connects in the middle of a run, the last counts as having
    just been printed; the others are as much older as their own stamps say.
    """

    at: float
    percent: float | None
    done: int | None
    mb: int | None


class Scan(msgspec.Struct, frozen=True):
    """How far a scanning command is, by its own words.

    `phases_done` counts the phases that ended; `phase` and `number` are of the present one, `points` too, except
    that counters are kept over the whole run in `done` (the unit is the file system's) and `mb`, until it begins anew.
    `stamp` is the time on its last line of progress, `printed` the same in seconds; `together` tells that this line
    came in one piece with others: then it may be older than its arrival. `restarts` counts how often it began anew
    from its first phase, `restarted` is when it last did, None where nobody knows.

    `ended` names the phases that are over, where their ends have names. `found` counts the lines of each kind of what
    it found, `summed` those of them that only sums told of.
    """

    phase: str = ""
    number: int | None = None
    phases_done: int = 0
    in_phase: bool = False
    percent: float | None = None
    stamp: str = ""
    printed: float | None = None
    done: int | None = None
    mb: int | None = None
    points: tuple[Point, ...] = ()
    waiting_for: str = ""
    failures: tuple[str, ...] = ()
    together: bool = False
    restarts: int = 0
    restarted: float | None = None
    ended: tuple[str, ...] = ()
    found: Mapping[str, int] = MappingProxyType({})
    summed: Mapping[str, int] = MappingProxyType({})


class Log(msgspec.Struct, frozen=True):
    """A log as far as it has been read. `size` is in bytes; `last_at` is when its last bytes arrived.

    `head` are its first lines, in which a tool says what it works on, `tail` its last ones. `partial` is the beginning
    of the line that is not whole yet; a lone CR when that ended the last line, and may be the first half of a CR LF.
    `forecasts` is when its scan is over, and how that moved.
    """

    host: str
    source: str
    size: int = 0
    lines: int = 0
    partial: bytes = b""
    tail: tuple[str, ...] = ()
    head: tuple[str, ...] = ()
    last_at: float = 0.0
    scan: Scan = Scan()
    forecasts: Forecasts = Forecasts()
    samples: Samples = Samples()


def append(log: Log, data: bytes, at: float, *, end: int, reading: Reading, known: Known | None = None) -> Log:
    """The log after `data` came at the time `at`; `end` is where it ends in the file, `reading` knows its lines.

    `known` is what is known of its scan besides. Where the bytes are cut into pieces makes no
    difference to the lines, nor to the scan.
    """
    if not data:
        return log
    fresh, before = (data.removeprefix(b"\n"), b"") if log.partial == _CR else (data, log.partial)
    *whole, rest = (before + fresh).replace(b"\r\n", b"\n").replace(_CR, b"\n").split(b"\n")
    rest = _CR if data.endswith(_CR) else rest[:LONGEST_LINE]
    texts = [decode(line[:LONGEST_LINE]) for line in whole]
    events = [event for text in texts if (event := reading.scan_event(text))]
    if (older := _older_by(log, events, at)) > 0:
        log = _earlier(log, older)
    moments = _moments(log.scan, events, at)
    return msgspec.structs.replace(
        log,
        size=end,
        lines=log.lines + len(whole),
        partial=rest,
        tail=(log.tail + tuple(one_line(text) for text in texts[-TAIL:]))[-TAIL:],
        head=log.head if len(log.head) >= HEAD else (*log.head, *map(one_line, texts[: HEAD - len(log.head)])),
        last_at=at,
        scan=_advanced(log.scan, moments),
        forecasts=forecasts.advanced(log.forecasts, moments, known or Known()),
        samples=probing.advanced(log.samples, texts, at),
    )


def _older_by(log: Log, events: Sequence[ScanEvent], at: float) -> float:
    """Seconds by which what came before is older than it was taken for; 0 as a rule.

    A long log is read in pieces that come one right after the other, and what ends the first of them was taken for
    just printed. The stamps of the next tell that it was not.
    """
    stamps = [event.printed for event in events if isinstance(event, Counted)]
    passed = at - log.last_at
    if not stamps or stamps[-1] is None or log.scan.printed is None or not log.scan.together or passed > CATCHING_UP:
        return 0.0
    older = stamps[-1] - log.scan.printed - passed
    return older if older > SURELY else 0.0


def _earlier(log: Log, seconds: float) -> Log:
    """A log whose scan was that many seconds earlier."""
    points = tuple(msgspec.structs.replace(point, at=point.at - seconds) for point in log.scan.points)
    scan = msgspec.structs.replace(log.scan, points=points)
    return msgspec.structs.replace(log, scan=scan, forecasts=forecasts.earlier(log.forecasts, seconds))


def _moments(scan: Scan, events: Sequence[ScanEvent], at: float) -> list[Moment]:
    """What lines that came together at `at` tell, each with its time: of a phase, when the line before it was printed.

    None where nobody knows that: nothing was printed before it, but something after it that came together with it.
    """
    counted = [event for event in events if isinstance(event, Counted)]
    after = scan.points[-1].at if scan.points else None
    times = iter(_times(counted, at, after))
    moments: list[Moment] = []
    left, last = len(counted), after
    for event in events:
        if isinstance(event, Counted):
            last, left = next(times), left - 1
        moments.append((last if left or isinstance(event, Counted) else at, event))
    return moments


def _times(came: Sequence[Counted], at: float, after: float | None) -> list[float]:
    """When lines of progress were printed that came together at `at`, none of them earlier than `after`."""
    stamps = [event.printed for event in came]
    times: list[float] = []
    for stamp in stamps:
        last = stamps[-1]
        older = max(0.0, last - stamp) if last is not None and stamp is not None else 0.0
        when = at - older if after is None else max(after, at - older)
        times.append(when)
        after = when
    return times


def _advanced(scan: Scan, moments: Sequence[Moment]) -> Scan:
    """The scan after lines that came together."""
    points = list(scan.points) if moments else []
    found, summed = dict(scan.found), dict(scan.summed)
    came = 0
    for when, event in moments:
        match event:
            case PhaseBegun(name, number):
                if _again(scan, number):  # what it had counted is to be counted once more
                    if scan.in_phase or scan.number is not None:  # else the run before this one in the file was over
                        scan = msgspec.structs.replace(scan, restarts=scan.restarts + 1, restarted=when)
                    scan = msgspec.structs.replace(scan, phases_done=0, done=None, mb=None)
                scan = msgspec.structs.replace(
                    scan, phase=one_line(name), number=number, in_phase=True, percent=None, waiting_for=""
                )
                if name in scan.ended:  # another run in the same file
                    scan = msgspec.structs.replace(scan, ended=())
                    found.clear()
                    summed.clear()
                points.clear()
            case Counted(percent, done, mb, stamp, printed):
                scan = msgspec.structs.replace(
                    scan,
                    percent=percent,
                    stamp=one_line(stamp),
                    printed=printed,
                    done=scan.done if done is None else done,
                    mb=scan.mb if mb is None else mb,
                    waiting_for="",
                )
                if when is not None:
                    points.append(Point(when, percent, done, mb))
                came += 1
            case PhaseOver(name):
                ended = (*scan.ended, one_line(name))[-PHASES:] if name else scan.ended
                scan = msgspec.structs.replace(scan, phases_done=scan.phases_done + 1, in_phase=False, ended=ended)
            case WaitsFor(program):
                scan = msgspec.structs.replace(scan, waiting_for=one_line(program))
            case Failing(text, kind):
                if kind:
                    _count(found, kind, 1)
                scan = msgspec.structs.replace(scan, failures=(*scan.failures, one_line(text))[-20:])
            case Found(kind, count, is_sum):
                _count(summed if is_sum else found, kind, count)
            case SumBegun():
                summed.clear()
    if came:
        scan = msgspec.structs.replace(scan, together=came > 1)
    if (found, summed) != (scan.found, scan.summed):
        scan = msgspec.structs.replace(scan, found=MappingProxyType(found), summed=MappingProxyType(summed))
    return msgspec.structs.replace(scan, points=tuple(points[-POINTS:])) if moments else scan


def _count(counts: dict[str, int], kind: str, count: int) -> None:
    """Count lines of a kind; of kinds beyond those kept under OTHER_KINDS."""
    kind = one_line(kind) if kind in counts or len(counts) < KINDS else OTHER_KINDS
    counts[kind] = counts.get(kind, 0) + count


def _again(scan: Scan, number: int | None) -> bool:
    """Whether a phase of this number shows that the scan began anew: numbered ones come first, and rise."""
    return number is not None and bool(scan.phase) and (scan.number is None or number <= scan.number)
