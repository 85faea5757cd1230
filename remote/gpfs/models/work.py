"""What the commands that change something tell while they work, and how far a scan is."""

from __future__ import annotations

from typing import TypeAlias

import msgspec


class PhaseStarted(msgspec.Struct, frozen=True, tag="phase_started"):
    """A phase began: `Scanning file system metadata` with its number, or `Scanning user file metadata`
    (None).
    """

    name: str
    number: int | None


class Percent(msgspec.Struct, frozen=True, tag="percent"):
    """Progress within the present phase. `stamp` is local time without a zone, as printed: see `parse_stamp`.

    `inodes` and `mb` (MB) count what was examined so far; None where the line has no counters.
    """

    percent: float
    stamp: str
    inodes: int | None
    mb: int | None


class PhaseDone(msgspec.Struct, frozen=True, tag="phase_done"):
    """The present phase is over."""


class Waiting(msgspec.Struct, frozen=True, tag="waiting"):
    """Another program scans the same file system; this one begins when that ends (6027-2763). Not a stall."""

    program: str
    text: str


class Failed(msgspec.Struct, frozen=True, tag="failed"):
    """A line that tells of a failure. Whether the command failed is its exit status."""

    text: str


ProgressEvent: TypeAlias = PhaseStarted | Percent | PhaseDone | Waiting | Failed


class RestripeLog(msgspec.Struct, frozen=True):
    """All that a whole log tells, in its order; stderr comes after stdout."""

    events: tuple[ProgressEvent, ...]

    @property
    def last_percent(self) -> Percent | None:
        """The last line of progress."""
        return next((event for event in reversed(self.events) if isinstance(event, Percent)), None)

    @property
    def failures(self) -> tuple[str, ...]:
        """The texts of all failures."""
        return tuple(event.text for event in self.events if isinstance(event, Failed))


class Message(msgspec.Struct, frozen=True):
    """A message of an mm* command without its prefix.

    `number` is such as `6027-1371`, `severity` a letter (`E` error, `W` warning, ...); both are "" on
    systems that print the text alone, which is usual on Linux.
    """

    number: str
    severity: str
    text: str


class NsdsCreated(msgspec.Struct, frozen=True):
    """`mmcrnsd`: the devices it began to process, in the order of the stanza file, as their base names.

    A device in `processed` may still have failed: see `errors`. `propagated` tells that the new
    configuration is on its way to the other nodes, which lag.
    """

    processed: tuple[str, ...]
    propagated: bool
    errors: tuple[Message, ...]


class DisksAdded(msgspec.Struct, frozen=True):
    """`mmadddisk`. `node` formats the disks; it is the file system manager. Sizes are in KB whatever was
    printed.
    """

    fs: str
    node: str
    sizes_kb: tuple[tuple[str, int], ...]
    completed: bool
    propagated: bool
    errors: tuple[Message, ...]


class DisksChanged(msgspec.Struct, frozen=True):
    """`mmchdisk`, any verb. `verified` tells that it began to verify the configuration, not that it found it good.

    `start` also scans: `events` are its progress, `rediscovered` the nodes that found the disks again.
    """

    verified: bool
    propagated: bool
    errors: tuple[Message, ...]
    events: tuple[ProgressEvent, ...] = ()
    rediscovered: tuple[str, ...] = ()


class DisksDeleted(msgspec.Struct, frozen=True):
    """`mmdeldisk`. `completed` tells that the disks are out of the file system.

    If it fails or is stopped, the disks stay suspended (`being emptied`) and it can be run again.
    """

    events: tuple[ProgressEvent, ...]
    completed: bool
    propagated: bool
    errors: tuple[Message, ...]
    attention: tuple[str, ...] = ()


class DisksReplaced(msgspec.Struct, frozen=True):
    """`mmrpldisk`: what `mmadddisk` tells of the new disk and `mmdeldisk` of the old one. Sizes are in KB."""

    fs: str
    node: str
    sizes_kb: tuple[tuple[str, int], ...]
    events: tuple[ProgressEvent, ...]
    completed: bool
    propagated: bool
    errors: tuple[Message, ...]


class NsdsDeleted(msgspec.Struct, frozen=True):
    """`mmdelnsd`: the NSDs that it began to process. One of them may still have failed: see `errors`."""

    processed: tuple[str, ...]
    propagated: bool
    errors: tuple[Message, ...]


class QosChanged(msgspec.Struct, frozen=True):
    """`mmchqos`. `installed` tells that the new limits are on their way to all nodes."""

    installed: bool
    errors: tuple[Message, ...]
