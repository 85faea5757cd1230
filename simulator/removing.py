"""The commands that take disks away: mmdeldisk, mmrpldisk, mmdelnsd.

mmdeldisk follows a public output of 4.2.3; the texts of the other two follow IBM's manuals.
"""

from __future__ import annotations

from simulator import moves
from simulator.altering import named_disks
from simulator.asking import names_of
from simulator.changing import Attributes, attributes, format_disks, read_stanzas
from simulator.restripe import NO_SPACE, RestripeRun, perform
from simulator.restriping import working_nodes
from simulator.state import FileSystem
from simulator.usage import CommandError, UsageError, parse
from simulator.world import Call, World

_DELETE_SECONDS = 1


def _check_rest(fs: FileSystem, names: set[str]) -> None:
    """Refuse where what remains could not hold everything."""
    rest = [disk for disk in fs.disks if disk.name not in names]
    if not rest:
        raise CommandError("All disks of the file system would be deleted.")
    if refusal := fs.refusal(disk.usage for disk in rest):
        raise CommandError(*refusal.splitlines())
    groups = {disk.failure_group for disk in rest if disk.holds_metadata}
    if len(groups) < fs.metadata_replicas and "-1" not in groups:
        raise CommandError(
            f"Attention: A disk being removed reduces the number of failure groups to {len(groups)},",
            f"which is below the number required for replication: {fs.metadata_replicas}.",
        )


def _check_room(fs: FileSystem) -> None:
    if moves.plan(fs, "-m").unplaced_kb:
        raise CommandError(NO_SPACE)


async def _empty(world: World, call: Call, fs: FileSystem, names: set[str], nodes: str) -> None:
    """Move everything off disks with the nodes of -N; if that fails they stay `being emptied`, and the command can be
    given again.

    The caller has the file system to itself; it is given back when this ends.
    """
    try:
        for disk in fs.disks:
            if disk.name in names:
                disk.status = "being emptied"
        _check_room(fs)
        helpers = [host.name for host in working_nodes(world, call, nodes)]
        run = RestripeRun(world, fs, call, "-m", nodes=helpers)
    except BaseException:
        world.release()
        raise
    await perform(world, call, run)
    if run.failure:
        raise CommandError(*run.failure)


async def mmdeldisk(world: World, call: Call) -> None:
    """Move everything off disks and take them out of the file system; their NSDs are free then."""
    given = parse(call.argv[1:], "-a -c -m -r -b -p --pit-continues-on-error", "-F -N -o --inode-criteria --qos")
    fs = world.file_system(call, given.word(0))
    if "-F" in given.options:
        given.end(1)
        names = {disk.name for disk in named_disks(call, fs, given)}
    else:
        names = set(names_of(given.word(1)))
        given.end(2)
    given.one_of("-m", "-r", "-b")
    for name in sorted(names):
        if fs.disk(name) is None:
            raise CommandError(f"{call.name}: {name} not found in file system {fs.name}")
    world.need_daemon(call)
    await world.acquire(call, fs)
    try:
        _check_rest(fs, names)
        await call.emit("Deleting disks ...\n")
        await world.clock.sleep(_DELETE_SECONDS)
    except BaseException:
        world.release()
        raise
    pools = dict.fromkeys(disk.pool for disk in fs.disks if disk.name in names)
    await _empty(world, call, fs, names, given.options.get("-N", ""))
    async with world.configuration:
        for pool in pools:
            await call.emit(f"Checking Allocation Map for storage pool {pool}\n")
        fs.drop(names)
        fs.well_balanced = fs.well_balanced or "-b" in given.options
        await call.emit("tsdeldisk completed.\n" + world.dialect.propagating(call.name))


async def mmrpldisk(world: World, call: Call) -> None:
    """Put one new disk in the place of an old one: add it, move everything off the old one, drop that."""
    given = parse(call.argv[1:], "", "-F -v -N -o --inode-criteria --qos")
    fs = world.file_system(call, given.word(0))
    old = fs.disk(given.word(1))
    if old is None:
        raise CommandError(f"{call.name}: {given.word(1)} not found in file system {fs.name}")
    given.end(2)
    _, stanzas = read_stanzas(call, given)
    if len(stanzas) != 1:
        raise CommandError(f"{call.name}: Exactly one disk must be specified.")
    name = stanzas[0].get("nsd")
    nsd = world.cluster.nsds.get(name)
    if nsd is None:
        raise CommandError(f"{call.name}: Disk {name or '(unnamed)'} is not known to the GPFS cluster.")
    if fs.disk(name) is not None:
        raise CommandError(f"{call.name}: Disk {name} belongs to file system {fs.name}.")
    kept = attributes(call, stanzas[0], name, Attributes(old.usage, old.failure_group, old.pool))
    world.need_daemon(call)
    await world.acquire(call, fs)
    try:
        async with world.configuration:
            await call.emit("Verifying file system configuration information ...\n")
            await call.emit(f"Replacing {old.name} ...\n")
            disk = fs.new_disk(nsd, kept.usage, kept.failure_group, kept.pool)
            await format_disks(world, call, fs, [disk])
    except BaseException:
        world.release()
        raise
    await _empty(world, call, fs, {old.name}, given.options.get("-N", ""))
    async with world.configuration:
        fs.drop([old.name])
        await call.emit("Done\n" + world.dialect.propagating(call.name))


async def mmdelnsd(world: World, call: Call) -> None:
    """Make plain devices of free NSDs again."""
    given = parse(call.argv[1:], "", "-F -p -N")
    cluster = world.cluster
    if "-F" in given.options:
        given.end(0)
        _, stanzas = read_stanzas(call, given)
        names = [item.get("nsd") for item in stanzas]
    else:
        if not given.words:
            raise UsageError("Missing arguments.")
        names = names_of(given.word(0))
        given.end(1)
    for name in names:
        if name not in cluster.nsds:
            raise CommandError(f"{call.name}: Disk {name or '(unnamed)'} is not known to the GPFS cluster.")
        if cluster.fs.disk(name) is not None:
            raise CommandError(f"{call.name}: Disk {name} belongs to file system {cluster.fs.name}.")
        if name in cluster.tiebreakers:
            raise CommandError(f"{call.name}: Disk {name} is a tiebreaker disk and cannot be deleted.")
    world.need_configuration(call)
    async with world.configuration:
        for name in names:
            await call.emit(f"mmdelnsd: Processing disk {name}\n")
            await world.clock.sleep(1)
            cluster.delete_nsd(name)
        await call.emit(world.dialect.propagating(call.name))
