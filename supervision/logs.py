"""A followed log, as state: its last lines, and the progress of a scan where it tells of one.

Frozen like all state: `append` returns the log after more bytes came.
"""

from __future__ import annotations

import msgspec

from remote.gpfs.progress import Failed, Percent, PhaseDone, PhaseStarted, Waiting, parse_progress_line
from remote.text import decode, one_line

TAIL = 200
"""Lines kept of a log; the whole of it is in its job directory, and in the recording."""
POINTS = 20_000
"""Progress points kept: a month of one every two minutes."""
LONGEST_LINE = 4096
"""Bytes of a line that are kept."""
_CR = b"\r"


class Point(msgspec.Struct, frozen=True):
    """A line of progress: when it arrived (Site's clock), and what it said."""

    at: float
    percent: float
    inodes: int | None
    mb: int | None


class Scan(msgspec.Struct, frozen=True):
    """How far a scanning command (`mmrestripefs` and its like) is, by its own words.

    `phases_done` counts the phases that ended; `phase` and `number` are of the present one, `points` too, except
    that counters are kept over the whole run in `inodes` and `mb`.
    """

    phase: str = ""
    number: int | None = None
    phases_done: int = 0
    in_phase: bool = False
    percent: float | None = None
    stamp: str = ""
    inodes: int | None = None
    mb: int | None = None
    points: tuple[Point, ...] = ()
    waiting_for: str = ""
    failures: tuple[str, ...] = ()


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


def append(log: Log, data: bytes, at: float, *, end: int) -> Log:
    """The log after `data` came at the time `at`; `end` is where it ends in the file.

    Where the bytes are cut into pieces makes no difference to the lines, nor to the scan.
    """
    if not data:
        return log
    fresh, before = (data.removeprefix(b"\n"), b"") if log.partial == _CR else (data, log.partial)
    *whole, rest = (before + fresh).replace(b"\r\n", b"\n").replace(_CR, b"\n").split(b"\n")
    rest = _CR if data.endswith(_CR) else rest[:LONGEST_LINE]
    scan = log.scan
    texts = []
    for line in whole:
        text = decode(line[:LONGEST_LINE])
        texts.append(one_line(text))
        scan = _advance(scan, text, at)
    return msgspec.structs.replace(
        log,
        size=end,
        lines=log.lines + len(whole),
        partial=rest,
        tail=(log.tail + tuple(texts))[-TAIL:],
        last_at=at,
        scan=scan,
    )


def _advance(scan: Scan, line: str, at: float) -> Scan:
    event = parse_progress_line(line)
    match event:
        case PhaseStarted(name, number):
            return msgspec.structs.replace(
                scan, phase=one_line(name), number=number, in_phase=True, percent=None, points=(), waiting_for=""
            )
        case Percent(percent, stamp, inodes, mb):
            return msgspec.structs.replace(
                scan,
                percent=percent,
                stamp=one_line(stamp),
                inodes=scan.inodes if inodes is None else inodes,
                mb=scan.mb if mb is None else mb,
                points=(*scan.points, Point(at, percent, inodes, mb))[-POINTS:],
                waiting_for="",
            )
        case PhaseDone():
            return msgspec.structs.replace(scan, phases_done=scan.phases_done + 1, in_phase=False)
        case Waiting(program):
            return msgspec.structs.replace(scan, waiting_for=one_line(program))
        case Failed(text):
            return msgspec.structs.replace(scan, failures=(*scan.failures, one_line(text))[-20:])
    return scan
