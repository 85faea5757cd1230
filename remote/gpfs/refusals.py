"""What the words mean with which GPFS refuses a command, and what to do then. For people; nothing is decided by it."""

from __future__ import annotations

import re
from collections.abc import Iterable

import msgspec

PIT_LIMIT = 31
"""Worker threads of all nodes of one scan together, in the words of the one refusal that was ever published."""

_PIT = re.compile(r"total number of PIT worker threads")
_PIT_LIMIT = re.compile(r"cannot exceed ([0-9]{1,6})")


class Refusal(msgspec.Struct, frozen=True):
    """A refusal understood: what it says, and what to do."""

    says: str
    advice: str


_KNOWN = (
    (
        re.compile(r"conflicting program (\S+)"),
        "another command has the file system to itself",
        "Find who runs it (mmdiag --waiters and the processes on the manager), and begin again when it has ended",
    ),
    (
        re.compile(r"refers to an existing NSD"),
        "the device carries an NSD already",
        "Find out whose it is before anything else; never -v no",
    ),
    (
        re.compile(r"is already registered for use by GPFS"),
        "an NSD of that name is there already",
        "See mmlsnsd: it may be from an earlier attempt",
    ),
    (
        re.compile(r"belongs to file system"),
        "the disk is in a file system already",
        "See mmlsdisk: it may be from an earlier attempt",
    ),
    (
        re.compile(r"could not store (?:meta)?data|must contain at least one disk for metadata"),
        "the file system would be left without a disk for data or for metadata",
        "The stanza file names disks that it must not; nothing was changed",
    ),
    (
        re.compile(r"reduces the number of failure groups"),
        "too few failure groups would be left for the replicas",
        "Change the other disks back first, and read them back",
    ),
    (
        re.compile(r"does not exist or is not active on this node"),
        "the first server does not have the device that the stanza names",
        "Look at the devices again: names change at a boot",
    ),
    (re.compile(r"File system is busy"), "the file system is busy", "See what else runs on it, then begin again"),
    (
        re.compile(r"Unable to obtain the GPFS configuration file lock"),
        "another command changes the configuration",
        "It waits by itself; never stop either of them",
    ),
    (
        re.compile(r"Failed to connect to file system daemon"),
        "GPFS does not run on the host of the command",
        "Start it there, or make a plan for another host",
    ),
)


def pit_limit(text: str) -> int | None:
    """The number of worker threads that a refusal of a scan tells as the most; PIT_LIMIT where it tells none.

    None where the text is no such refusal. Its lines may be wrapped.
    """
    joined = " ".join(text.split())
    if not _PIT.search(joined):
        return None
    found = _PIT_LIMIT.search(joined)
    return int(found[1]) if found else PIT_LIMIT


def understood(lines: Iterable[str]) -> tuple[Refusal, ...]:
    """All refusals in what a command printed."""
    text = " ".join(" ".join(line.split()) for line in lines)
    found = []
    limit = pit_limit(text)
    if limit is not None:
        says = f"the nodes of the scan would have more than {limit} worker threads together"
        advice = "Give it fewer nodes (-N), or lower pitWorkerThreadsPerNode; the manager of the file system counts too"
        found.append(Refusal(says, advice))
    return (*found, *(Refusal(says, advice) for pattern, says, advice in _KNOWN if pattern.search(text)))
