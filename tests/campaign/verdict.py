"""Holding a played case to what the protocol promises. The rules are docs/job-protocol.md's, not the code's."""

from __future__ import annotations

import signal

import msgspec

from remote.jobs import JobState, JobStatus
from tests.campaign.cases import Case, Kind, Other, Victim
from tests.campaign.jobs import Job
from tests.campaign.playing import Played

KILLED = 137


class Verdict(msgspec.Struct, frozen=True):
    """What a case came to. `lost` is bytes of a log that were written and not followed, or not written at all."""

    number: int
    victim: Victim
    kind: Kind
    other: Other
    words: str
    struck: bool
    outcome: str
    runs: int
    lost: int
    problems: tuple[str, ...]


def judge(case: Case, job: Job, played: Played) -> Verdict:
    """All that is wrong with how the case went; nothing, if all is well."""
    status = played.seen.last
    problems = [played.problem] if played.problem else []
    problems += _runs(case, played, status)
    if status is not None:
        problems += _state(case, played, status)
    elif not played.problem:
        problems.append("the follower was told no state")
    lost, wrong = _log(case, job, played, status)
    return Verdict(
        case.number,
        case.victim,
        case.kind,
        case.other,
        case.words,
        played.struck > 0,
        _outcome(played, status),
        played.runs,
        lost,
        tuple(problems + wrong),
    )


def _outcome(played: Played, status: JobStatus | None) -> str:
    if status is None or played.problem:
        return "unsettled"
    if status.state is JobState.LOST:
        return "lost, had run" if played.runs else "lost, had not run"
    word: str = status.state.value
    return word


def _runs(case: Case, played: Played, status: JobStatus | None) -> list[str]:
    if played.runs > 1:
        return [f"ran {played.runs} times"]
    if played.runs == 1 or status is None:
        return []
    if status.state is JobState.SEALED:
        return []
    if status.state is JobState.LOST and status.note == "no_child":
        return []
    if case.victim is Victim.COMMAND and status.rc == KILLED:  # killed before its first line
        return []
    return [f"never ran, and the state is {status.state.value} ({status.note or 'no note'})"]


def _state(case: Case, played: Played, status: JobStatus) -> list[str]:
    """The last state is an honest one, and the one that everybody is told from now on."""
    problems = []
    for name, other in (("a look afterwards", played.after), ("launching again", played.again)):
        if other is not None and (other.state, other.rc) != (status.state, status.rc):
            problems.append(
                f"{name} told {other.state.value}/{other.rc} ({other.note}) "
                f"where the follower was told {status.state.value}/{status.rc} ({status.note})"
            )
    if status.state is JobState.FINISHED:
        codes = {case.rc, KILLED} if case.victim is Victim.COMMAND and played.struck else {case.rc}
        if status.rc not in codes:
            problems.append(f"exit code {status.rc} instead of {sorted(codes)}")
    elif status.state is JobState.SEALED:
        if case.other is not Other.SEAL:
            problems.append("sealed, and nobody did")
        if played.runs:
            problems.append("sealed, and it ran")
    elif status.state is not JobState.LOST or case.victim is not Victim.RUNNER or not played.struck:
        problems.append(f"{status.state.value} ({status.note}) after {case.victim.value}")
    return problems


def _log(case: Case, job: Job, played: Played, status: JobStatus | None) -> tuple[int, list[str]]:
    """Bytes that are missing, and how the logs differ: followed, on the host, and as it was to be."""
    if status is None or played.problem:
        return 0, []
    problems = []
    lost = 0
    followers = {"the second client": played.seen, **({"the first client": played.first} if played.first else {})}
    for name, seen in followers.items():
        if seen.trouble:
            problems.append(f"{name}: {seen.trouble}")
        if seen.log != played.on_disk:
            lost = max(lost, len(played.on_disk) - len(seen.log), 1)
            problems.append(f"{name} followed {len(seen.log)} bytes that are not the {len(played.on_disk)} on the host")
    killed = case.victim is Victim.COMMAND and status.rc == KILLED
    printed = _printed(played.on_disk, status)
    if killed and not job.log.startswith(printed):
        problems.append("the log is no beginning of what the command prints")
    elif not killed and played.runs == 1 and printed != job.log:
        lost = max(lost, len(job.log) - len(printed), 1)
        problems.append(f"the log on the host has {len(printed)} bytes, not the {len(job.log)} that were printed")
    elif played.runs == 0 and printed:
        problems.append("there is a log of a command that never ran")
    return lost, problems


def _printed(log: bytes, status: JobStatus) -> bytes:
    """What the command printed: dash adds a line of its own about a command that ended by a signal."""
    numbers = {int(number) for number in signal.Signals}
    if status.rc is not None and status.rc - 128 in numbers:
        log = log.removesuffix(f"{signal.strsignal(status.rc - 128)}\n".encode())
    return log
