"""What is said of guided work on a GFS2 before it begins and where it fails: for whoever is to agree, and to act."""

from __future__ import annotations

from collections.abc import Sequence

from remote.gfs2.commands import Fsck
from supervision.clocktext import age_text
from supervision.gfs2_checking import Check, Verdict, Wanted
from supervision.gfs2_work import FSCK, RESTOREMETA, SAVEMETA

_SIGNS = {Verdict.PASSED: "ok", Verdict.WARNING: "WARNING", Verdict.BLOCK: "STOPS IT", Verdict.UNKNOWN: "STOPS IT"}
_FSCK = {
    Fsck.LOOK: "Looks through {device} with fsck.gfs2 -n, which changes nothing.",
    Fsck.PREEN: "Replays the journals of {device} and repairs what is safe (fsck.gfs2 -p).",
    Fsck.REPAIR: "Repairs {device} and answers every question with yes (fsck.gfs2 -y): what cannot be repaired is "
    "removed. "
    "A savemeta before it keeps what there is now, for whoever has to look at it later.",
}
_RUNS = (
    "It runs as a detached job, inside of a script that counts what the tool complains of and keeps its exit code. It "
    "can be stopped on the screen Jobs, by TERM."
)
_ADVICE = {
    SAVEMETA: "Do not keep {file} for a copy: look at the log (screen Jobs) and at the room on its disk, remove "
    "the file, and save again",
    RESTOREMETA: "Nothing may mount {device}: look at the log (screen Jobs), and restore from a file that is whole",
    FSCK: "Nothing may mount {device} before a whole fsck.gfs2: look at the log (screen Jobs), and begin again",
}


def lines_of(wanted: Wanted, mode: Fsck, checks: Sequence[Check], now: float) -> tuple[str, ...]:
    """What happens, and what the checks found; what speaks against it comes first. `now` is the Site's clock."""
    order = {Verdict.BLOCK: 0, Verdict.UNKNOWN: 0, Verdict.WARNING: 1, Verdict.PASSED: 2}
    found = sorted(checks, key=lambda check: order[check.verdict])
    return (
        *(_check_line(check, now) for check in found if check.verdict is not Verdict.PASSED),
        _happens(wanted, mode),
        _RUNS,
        *(_check_line(check, now) for check in found if check.verdict is Verdict.PASSED),
    )


def _happens(wanted: Wanted, mode: Fsck) -> str:
    if wanted.work == SAVEMETA:
        return (
            f"Saves the metadata of {wanted.device} to {wanted.file}, a new file. Nothing else is written. Then the "
            "file is read to its end, and the blocks saved are compared with the dinodes of the resource groups: "
            "savemeta ends with 0 even where the disk was full."
        )
    if wanted.work == RESTOREMETA:
        return (
            f"Reads {wanted.file} to its end, and then writes the metadata in it to {wanted.device}. ALL THAT IS ON IT "
            "IS LOST. Files have no contents there afterwards. Then the blocks restored are compared with those saved."
        )
    return _FSCK[mode].format(device=wanted.device)


def _check_line(check: Check, now: float) -> str:
    age = "" if check.at is None else f" (asked {age_text(check.at, now)} ago)"
    read = f" [{check.read}]" if check.read else ""
    return f"{_SIGNS[check.verdict]}  {one_text(check)}{read}{age}"


def one_text(check: Check) -> str:
    """A check in a sentence: what is looked at, what was found, and what to do."""
    return f"{check.name}: {check.text}{f'; {check.todo}' if check.todo else ''}"


def advice_for(wanted: Wanted, mode: Fsck) -> str:
    """What to do when it has failed."""
    if wanted.work == FSCK and mode is Fsck.LOOK:
        return "It has changed nothing: look at the log (screen Jobs)"
    return _ADVICE[wanted.work].format(file=wanted.file, device=wanted.device)
