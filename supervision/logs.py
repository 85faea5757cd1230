"""A followed log, as state: its last lines, the progress of a scan where it tells of one, and what a probe tells.

Frozen like all state: `append` returns the log after more bytes came.
"""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from remote.text import decode, one_line
from supervision.probing import Samples, advanced
from supervision.reading import Counted, Failing, PhaseBegun, PhaseOver, Reading, WaitsFor

TAIL = 200
"""Lines kept of a log; the whole of it is in its job directory, and in the recording."""
POINTS = 20_000
"""Progress points kept: a month of one every two minutes."""
LONGEST_LINE = 4096
"""Bytes of a line that are kept."""
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
    that counters are kept over the whole run in `done` (the unit is the file system's) and `mb`. `stamp` is the time
    on its last line of progress, `printed` the same in seconds; `together` tells that this line came in one piece with
    others: then it may be older than its arrival.
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


class Log(msgspec.Struct, frozen=True):
    """A log as far as it has been read. `size` is in bytes; `last_at` is when its last bytes arrived.

    `partial` is the beginning of the line that is not whole yet; a lone CR when that ended the last line, and may be
    the first half of a CR LF.
    """

    host: str
    source: str
    size: int = 0
    lines: int = 0
    partial: bytes = b""
    tail: tuple[str, ...] = ()
    last_at: float = 0.0
    scan: Scan = Scan()
    samples: Samples = Samples()


def append(log: Log, data: bytes, at: float, *, end: int, reading: Reading) -> Log:
    """The log after `data` came at the time `at`; `end` is where it ends in the file, `reading` knows its lines.

    Where the bytes are cut into pieces makes no difference to the lines, nor to the scan.
    """
    if not data:
        return log
    fresh, before = (data.removeprefix(b"\n"), b"") if log.partial == _CR else (data, log.partial)
    *whole, rest = (before + fresh).replace(b"\r\n", b"\n").replace(_CR, b"\n").split(b"\n")
    rest = _CR if data.endswith(_CR) else rest[:LONGEST_LINE]
    texts = [decode(line[:LONGEST_LINE]) for line in whole]
    scan = _advanced(log.scan, texts, at, reading)
    return msgspec.structs.replace(
        log,
        size=end,
        lines=log.lines + len(whole),
        partial=rest,
        tail=(log.tail + tuple(one_line(text) for text in texts[-TAIL:]))[-TAIL:],
        last_at=at,
        scan=scan,
        samples=advanced(log.samples, texts, at),
    )


def _advanced(scan: Scan, lines: Sequence[str], at: float, reading: Reading) -> Scan:
    """The scan after lines that came together at the time `at`."""
    points = list(scan.points)
    came = 0
    together: list[Counted] = []
    for line in lines:
        event = reading.scan_event(line)
        match event:
            case PhaseBegun(name, number):
                scan = msgspec.structs.replace(
                    scan, phase=one_line(name), number=number, in_phase=True, percent=None, waiting_for=""
                )
                points.clear()
                together.clear()
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
                together.append(event)
                came += 1
            case PhaseOver():
                scan = msgspec.structs.replace(scan, phases_done=scan.phases_done + 1, in_phase=False)
            case WaitsFor(program):
                scan = msgspec.structs.replace(scan, waiting_for=one_line(program))
            case Failing(text):
                scan = msgspec.structs.replace(scan, failures=(*scan.failures, one_line(text))[-20:])
    points += _points(together, at, points[-1].at if points else None)
    if came:
        scan = msgspec.structs.replace(scan, together=came > 1)
    return msgspec.structs.replace(scan, points=tuple(points[-POINTS:]))


def _points(came: Sequence[Counted], at: float, after: float | None) -> list[Point]:
    """Lines of progress that came together at `at`, none of them earlier than `after`."""
    stamps = [event.printed for event in came]
    points: list[Point] = []
    for event, stamp in zip(came, stamps, strict=True):
        last = stamps[-1]
        older = max(0.0, last - stamp) if last is not None and stamp is not None else 0.0
        when = at - older if after is None else max(after, at - older)
        points.append(Point(when, event.percent, event.done, event.mb))
        after = when
    return points
