"""The phases that the log of a GPFS scan tells of, with a word each. Pure."""

from __future__ import annotations

from supervision.filesystem import Phase
from supervision.logs import Scan
from supervision.state import Job


def phases(scan: Scan, job: Job, phase: Phase) -> tuple[tuple[str, str], ...]:
    """The phases with a word each. Only the present one is told by name; those before it were numbered from 1."""
    if not scan.phase:
        return ()
    before = max(0, scan.phases_done - (0 if scan.in_phase else 1))
    named = [(f"metadata {number}", "done") for number in range(1, before + 1)]
    if phase is Phase.FINISHED or not scan.in_phase:
        word = "done"
    elif phase is Phase.FAILED:
        word = "failed"
    elif job.status.state.settled or phase in (Phase.UNKNOWN, Phase.LOST):
        word = "not known"
    else:
        word = phase.value if phase is Phase.STALLED else "running"
    named.append((_phase_name(scan), word))
    if scan.number is not None and phase not in (Phase.FINISHED, Phase.FAILED, Phase.UNKNOWN, Phase.LOST):
        named.append(("user files", "to come"))
    return tuple(named)


def _phase_name(scan: Scan) -> str:
    if scan.number is not None:
        return f"metadata {scan.number}"
    return "user files" if "user file" in scan.phase else scan.phase.removeprefix("Scanning ")
