"""What a restripe moves: exact whole-number arithmetic between a start and a target. Pure, no I/O.

Metadata leaves the disks that may not hold it and spreads over those that may; data likewise. At every point of
a run the sum over all disks is what it was before, to the KB.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from simulator.state import UP, FileSystem

# The fragments on a new metadata disk grow by about a 91st of what is moved there (mean of the seed's six).
_FRAGMENT_SHARE = 91


def spread(amount: int, weights: Mapping[str, int], room: Mapping[str, int]) -> dict[str, int]:
    """Share an amount by weight, nobody above their room; the sum is exact unless the room is too small."""
    shares = dict.fromkeys(weights, 0)
    open_names = [name for name in weights if weights[name] > 0 and room[name] > 0]
    left = amount
    while left > 0 and open_names:
        total = sum(weights[name] for name in open_names)
        done = cumulated = 0
        for name in open_names:
            cumulated += weights[name]
            due = left * cumulated // total - done
            done += due
            shares[name] += due
        left = 0
        for name in open_names:
            if (surplus := shares[name] - room[name]) > 0:
                shares[name] -= surplus
                left += surplus
        open_names = [name for name in open_names if shares[name] < room[name]]
    return shares


def partway(change: Mapping[str, int], done: int, whole: int) -> dict[str, int]:
    """The changes after `done` of `whole`, as whole numbers; those that sum to 0 in all sum to 0 at each point."""
    result = {name: -(-value * done // whole) if value < 0 else 0 for name, value in change.items()}
    gone = -sum(result.values())
    arriving = sum(value for value in change.values() if value > 0)
    cumulated = placed = 0
    for name, value in change.items():
        if value > 0:
            cumulated += value
            upto = gone * cumulated // arriving
            result[name] = upto - placed
            placed = upto
    return result


@dataclass(frozen=True)
class Plan:
    """One restripe, from the disks as they stood when it began. All mappings are by NSD name, in KB.

    `unplaced_kb` is what finds no room: the run fails when that point is reached.
    """

    start: Mapping[str, tuple[int, int, int]]
    metadata: Mapping[str, int]
    data: Mapping[str, int]
    growth: Mapping[str, int]
    fragments: Mapping[str, int]
    inodes_start: int
    inodes_end: int
    wanted_kb: int
    unplaced_kb: int

    @property
    def idle(self) -> bool:
        """Whether there is nothing to move."""
        return self.wanted_kb == 0

    @property
    def reach(self) -> float:
        """The fraction of the run that can be done before the room is used up; 1.0 when all fits."""
        return 1.0 if self.wanted_kb == 0 else 1.0 - self.unplaced_kb / self.wanted_kb

    def apply(self, fs: FileSystem, done: int, whole: int) -> None:
        """Put the disks into the state after `done` of `whole` inodes. Idempotent; never goes by the present state."""
        metadata = partway(self.metadata, done, whole)
        data = partway(self.data, done, whole)
        for disk in fs.disks:
            if disk.name not in self.start:
                continue
            start_metadata, start_data, start_fragments = self.start[disk.name]
            disk.metadata_kb = start_metadata + metadata[disk.name]
            disk.data_kb = start_data + data[disk.name] + self.growth[disk.name] * done // whole
            aim = start_fragments + self.fragments[disk.name] * done // whole
            free = disk.free_kb
            blocks = max(0, free - aim) // fs.block_kb * fs.block_kb
            disk.fragments_kb = free - blocks
        fs.inodes.used = self.inodes_start + (self.inodes_end - self.inodes_start) * done // whole

    def settle(self, fs: FileSystem, done: int, whole: int) -> None:
        """Apply, and take what users wrote off what they will still write: the run ends here."""
        self.apply(fs, done, whole)
        for disk in fs.disks:
            if disk.wwn in fs.growth_left and disk.name in self.growth:
                written = self.growth[disk.name] * done // whole
                fs.growth_left[disk.wwn] = max(0, fs.growth_left[disk.wwn] - written)


def _placed(
    amounts: Mapping[str, int], leaving: set[str], targets: Mapping[str, int], room: dict[str, int], *, level: bool
) -> dict[str, int]:
    """Changes that take what lies on the leaving disks to the targets (name to weight), as far as it fits.

    `level`: spread everything anew over the targets by their weight. `room` shrinks by what was placed.
    """
    if level:
        for name in targets:
            room[name] += amounts[name]
        total = sum(amounts[name] for name in leaving | targets.keys())
        shares = spread(total, targets, room)
        # What finds no room stays where it is, and room that was there before is there again.
        left = total - sum(shares.values())
        changes = {name: shares.get(name, 0) - amounts[name] for name in targets}
        stay = spread(left, {name: amounts[name] for name in leaving}, amounts)
        changes |= {name: stay.get(name, 0) - amounts[name] for name in leaving}
    else:
        going = {name: amounts[name] for name in leaving}
        shares = spread(sum(going.values()), targets, room)
        taken = spread(sum(shares.values()), going, going)
        changes = {name: shares.get(name, 0) for name in targets}
        for name in leaving:
            changes[name] = changes.get(name, 0) - taken.get(name, 0)
    for name, share in shares.items():
        room[name] -= share
    return changes


MOVING = ("-r", "-b", "-m")
"""The modes of mmrestripefs that move whole blocks from disk to disk."""


def _changes(fs: FileSystem, mode: str, kind: str, room: dict[str, int]) -> dict[str, int]:
    """The changes of metadata or data on every disk. Data never leaves its pool, metadata lives in system."""
    result = dict.fromkeys((disk.name for disk in fs.disks), 0)
    for pool in fs.pools:
        amounts: dict[str, int] = {}
        leaving: set[str] = set()
        targets: dict[str, int] = {}
        for disk in fs.disks:
            if disk.pool != pool or disk.availability != UP:
                continue
            amounts[disk.name] = disk.metadata_kb if kind == "metadata" else disk.data_kb
            allowed = disk.holds_metadata if kind == "metadata" else disk.holds_data
            if disk.leaving or (mode != "-m" and not allowed):
                leaving.add(disk.name)
            elif allowed and disk.accepts:
                targets[disk.name] = disk.size_kb
        result |= _placed(amounts, leaving, targets, room, level=mode == "-b")
    return result


def plan(fs: FileSystem, mode: str = "-r", *, metadata_only: bool = False) -> Plan:
    """What a restripe of that mode that begins now will do."""
    disks = fs.disks
    start = {disk.name: (disk.metadata_kb, disk.data_kb, disk.fragments_kb) for disk in disks}
    # A little is never given away: allocation needs some free blocks on each disk.
    room = {disk.name: max(0, disk.free_blocks_kb - fs.block_kb) for disk in disks}
    none = dict.fromkeys(start, 0)
    idle = Plan(start, none, none, none, none, fs.inodes.used, fs.inodes.used, 0, 0)
    if mode not in MOVING:
        return idle
    leaving = [disk for disk in disks if disk.availability == UP and disk.leaving]
    wanted = sum(disk.metadata_kb + (0 if metadata_only else disk.data_kb) for disk in leaving)
    if mode != "-m":
        staying = [disk for disk in disks if disk.availability == UP and not disk.leaving]
        wanted += sum(disk.metadata_kb for disk in staying if not disk.holds_metadata)
        wanted += 0 if metadata_only else sum(disk.data_kb for disk in staying if not disk.holds_data)
    if not wanted and mode != "-b":
        return idle
    metadata = _changes(fs, mode, "metadata", room)
    data = none if metadata_only else _changes(fs, mode, "data", room)
    sources = {disk.name for disk in leaving}
    placed = 0
    for disk in disks:
        if disk.name in sources or (mode != "-m" and not disk.holds_metadata):
            placed += max(0, -metadata[disk.name])
        if disk.name in sources or (mode != "-m" and not disk.holds_data):
            placed += max(0, -data[disk.name])
    moved = wanted + (sum(abs(value) for value in (*metadata.values(), *data.values())) // 2 if mode == "-b" else 0)
    if not moved:
        return idle
    growth = {
        disk.name: min(fs.growth_left.get(disk.wwn, 0), max(0, room[disk.name]))
        if disk.holds_data and disk.accepts
        else 0
        for disk in disks
    }
    fragments = {disk.name: max(0, metadata[disk.name]) // _FRAGMENT_SHARE for disk in disks}
    plain = mode == "-r" and not metadata_only and all(disk.accepts for disk in disks)
    if plain and (known := _known(fs, data)):
        metadata, growth, fragments = known
    end = max(fs.inodes.used, fs.used_inodes_at_end)
    return Plan(start, metadata, data, growth, fragments, fs.inodes.used, end, moved, wanted - placed)


def _known(fs: FileSystem, data: Mapping[str, int]) -> tuple[dict[str, int], dict[str, int], dict[str, int]] | None:
    """Changes of metadata, growth and fragments that end at the known figures, if these disks have these roles."""
    end = fs.known_end
    if end is None:
        return None
    if {disk.wwn for disk in fs.disks if disk.holds_metadata} != set(end.metadata):
        return None
    if {disk.wwn for disk in fs.disks if disk.holds_data} != set(end.data):
        return None
    metadata: dict[str, int] = {}
    growth: dict[str, int] = {}
    fragments: dict[str, int] = {}
    for disk in fs.disks:
        free = end.metadata.get(disk.wwn) or end.data.get(disk.wwn)
        if free is None:
            # A disk that may hold nothing at all (descOnly) only gives away.
            metadata[disk.name], growth[disk.name], fragments[disk.name] = -disk.metadata_kb, 0, 0
            continue
        used = disk.size_kb - disk.maps_kb - free.blocks_kb - free.fragments_kb
        aim_metadata, aim_data = (used, 0) if disk.holds_metadata else (0, used)
        metadata[disk.name] = aim_metadata - disk.metadata_kb
        growth[disk.name] = aim_data - disk.data_kb - data[disk.name]
        fragments[disk.name] = free.fragments_kb - disk.fragments_kb
    if sum(metadata.values()) or any(value < 0 for value in growth.values()):
        return None
    return metadata, growth, fragments
