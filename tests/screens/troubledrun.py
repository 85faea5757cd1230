"""A recorded scan that meets everything: a limit that slows it, a disk that goes down, a stall, and users who wait."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from pathlib import Path
from tempfile import mkdtemp
from time import gmtime, strftime

from remote.command import Command
from remote.events import Answered, Asked, Closed, Event, Exact, Header, JobsListed, LinkChanged, LogRead, Reply
from remote.gpfs.commands import mmdf, mmlsdisk, mmlsqos
from remote.jobs import JobState, JobStatus
from remote.linux.commands import logs
from remote.recording import Writer
from supervision.replay import Replay
from tests.supervision.probelines import begin, ended
from tests.supervision.test_canary import told

NOON = 1_370_520_000.0
"""Thu Jun 6 12:00:00 2013 on the hosts, which live in UTC; the scan begins then."""
MINUTE = 60.0
ENDS = 180
"""Minutes after which it ends."""
TOTAL = 10_000_000
SLOWED, DOWN, STALLED, MOVES = 60, 95, 110, 130
"""Minutes: a limit is set, a disk goes down, nothing moves any more, it goes on."""
PROBED = -40
"""Minutes: the probe begins."""
SCAN = JobStatus("scan", JobState.RUNNING, began=NOON, title="restripe", command="mmrestripefs fs1 -r -N n1")
_COMMAND = "sh /jobs/probe/run/probe.sh /gpfs/fs1/tmp 20 30 4 2419200 2"
PROBE = JobStatus("probe", JobState.RUNNING, began=NOON + PROBED * MINUTE, title="probe", command=_COMMAND)
_INODES = f"mmdf:inode:0:1:::{TOTAL - 1000}:1000:{TOTAL}:{TOTAL}:\n"
_MMDF = (
    "mmdf:nsd:HEADER:version:reserved:reserved:nsdName:storagePool:diskSize:failureGroup:metadata:data:freeBlocks:"
    "freeBlocksPct:freeFragments:freeFragmentsPct:diskAvailableForAlloc:\n"
    "mmdf:inode:HEADER:version:reserved:reserved:usedInodes:freeInodes:allocatedInodes:maxInodes:\n"
)
_MMLSDISK = (
    "mmlsdisk::HEADER:version:reserved:reserved:nsdName:driverType:sectorSize:failureGroup:metadata:data:status:"
    "availability:diskID:storagePool:remarks:numQuorumDisks:readQuorumValue:writeQuorumValue:diskSizeKB:diskUID:"
    "thinDiskType:\n"
)
_QOS = "QOS config::            enabled\nQOS values::            pool=system,other=inf,maintenance={limit}\n"


def minute_of(share: float) -> float:
    """When so much of the work was done: half the pace while it is limited, none while it stands still."""
    pieces = ((0, SLOWED, 1.0), (SLOWED, STALLED, 0.5), (MOVES, ENDS, 1.0))
    work = sum((end - start) * pace for start, end, pace in pieces) * share
    for start, end, pace in pieces:
        if work <= (end - start) * pace:
            return start + work / pace
        work -= (end - start) * pace
    return float(ENDS)


def _log() -> Iterator[tuple[float, str]]:
    yield 0.0, "Scanning user file metadata ...\n"
    for step in range(1, 100):
        minute = minute_of(step / 100)
        stamp = strftime("%a %b %e %H:%M:%S %Y", gmtime(NOON + minute * MINUTE))
        yield minute, f"{step:6.2f} % complete on {stamp}  ({TOTAL * step // 100:10} inodes{step * 10_000:11} MB)\n"
    yield ENDS - 0.1, " 100.00 % complete\nScan completed successfully.\n"


def _probes() -> Iterator[tuple[float, str]]:
    """Users wait 2 ms before the scan, 5 ms while it runs, and 9 ms once a disk is down."""
    yield PROBED, begin(NOON + PROBED * MINUTE, budget="3") + "\n"
    for number in range((ENDS - PROBED) * 3):
        minute = PROBED + number / 3
        us = 2000 if minute < 0 else 9000 if minute > DOWN else 5000
        yield minute, ended(NOON + minute * MINUTE, number, us) + "\n"


def _read(host: str, job: str, lines: Iterator[tuple[float, str]]) -> Iterator[Event]:
    size = 0
    for minute, text in lines:
        data = text.encode()
        yield LogRead(NOON + minute * MINUTE, host, f"job:{job}", size, Exact(data))
        size += len(data)


def _answers() -> Iterator[tuple[float, Command, str]]:
    for minute in range(PROBED, ENDS, 10):
        limit = "300Iops" if SLOWED <= minute < MOVES else "inf"
        yield minute, mmlsqos("fs1"), _QOS.format(limit=limit)
        up = "down" if minute >= DOWN else "up"
        disks = "".join(f"mmlsdisk::0:1:::{name}:nsd:512:1:yes:yes:ready:{is_up}:1:system::1:1:1:1048576:C0A8::\n"
                        for name, is_up in (("d1", "up"), ("d2", up)))  # fmt: skip
        yield minute, mmlsdisk("fs1"), _MMLSDISK + disks
        free = 1_048_576 - 6_000 * (minute - PROBED)
        nsd = f"mmdf:nsd:0:1:::d1:system:1048576:1:yes:no:{free}:22:0:0:yes:\n"
        yield minute, mmdf("fs1"), _MMDF + nsd + _INODES
        bad = [_complaint(DOWN + each / 4) for each in range(min(60, max(0, minute - DOWN)))]
        yield minute, logs(), told(bad)


def _complaint(minute: float) -> str:
    stamp = strftime("%Y-%m-%d_%H:%M:%S", gmtime(NOON + minute * MINUTE))
    return f"{stamp}.000+0000: [E] Disk failure.  Volume fs1. rc = 19. Physical volume d2"


def _events() -> list[Event]:
    ended_job = JobStatus("scan", JobState.FINISHED, rc=0, began=NOON, ended=NOON + ENDS * MINUTE,
                          title=SCAN.title, command=SCAN.command)  # fmt: skip
    events: list[Event] = [
        LinkChanged(NOON + PROBED * MINUTE, "n1", "up"),
        LinkChanged(NOON + PROBED * MINUTE, "login1", "up"),
        JobsListed(NOON + PROBED * MINUTE, "login1", (PROBE,)),
        JobsListed(NOON, "n1", (SCAN,)),
        JobsListed(NOON + ENDS * MINUTE + 5, "n1", (ended_job,)),
        *_read("n1", "scan", _log()),
        *_read("login1", "probe", _probes()),
    ]
    for n, (minute, command, text) in enumerate(_answers()):
        at = NOON + minute * MINUTE
        events.append(Asked(at, n, "n1", (command,)))
        events.append(Answered(at + 1, n, (Reply(0, Exact(text.encode())),)))
    return sorted(events, key=lambda event: event.t)


@cache
def recorded() -> Replay:
    """The recording, written and read once."""
    path = Path(mkdtemp()) / "troubled.jsonl"
    header = Header(1, "0", NOON, NOON + PROBED * MINUTE, "fs1", ("n1", "login1"), "n1")
    writer = Writer(path, header)
    for event in _events():
        writer.write(event)
    writer.write(Closed(NOON + (ENDS + 5) * MINUTE))
    writer.close()
    replay = Replay(path)
    replay.fold_to(len(replay.index))
    return replay
