"""`mmchdisk` and `mmchqos`: changes to what is there.

The texts of `mmchdisk start` and the other actions follow IBM's manuals; no real output of them was public.
"""

from __future__ import annotations

from simulator import fstables, stanza, timeline
from simulator.asking import chosen_nodes, names_of
from simulator.changing import Attributes, attributes, read_stanzas
from simulator.stanza import Stanza, StanzaError
from simulator.state import DOWN, EMPTIED, READY, SUSPENDED, UP, Disk, FileSystem
from simulator.usage import Arguments, CommandError, UsageError, parse
from simulator.world import Call, World

_VERIFY_SECONDS = 3
_START_SECONDS = 40

ACTIONS = ("suspend", "resume", "start", "stop", "empty", "change")


def _changes(call: Call, fs: FileSystem, stanzas: list[Stanza]) -> dict[str, Attributes]:
    """What a file changes, by disk; any error means that nothing is changed."""
    changes: dict[str, Attributes] = {}
    for item in stanzas:
        name = item.get("nsd")
        disk = fs.disk(name)
        if disk is None:
            raise CommandError(f"{call.name}: {name or '(unnamed)'} not found in file system {fs.name}")
        if item.get("pool") and item.get("pool") != disk.pool:
            raise CommandError(f"{call.name}: The storage pool of disk {name} cannot be changed.")
        present = Attributes(disk.usage, disk.failure_group, disk.pool)
        changes[name] = attributes(call, item, name, present)
    usages = [changes[disk.name].usage if disk.name in changes else disk.usage for disk in fs.disks]
    if refusal := fs.refusal(usages):
        raise CommandError(*refusal.splitlines())
    return changes


def _change(call: Call, fs: FileSystem, stanzas: list[Stanza]) -> None:
    changes = _changes(call, fs, stanzas)
    for disk in fs.disks:
        if disk.name in changes:
            kept = changes[disk.name]
            if disk.failure_group != kept.failure_group:
                fs.properly_replicated = False
            disk.usage, disk.failure_group = kept.usage, kept.failure_group
    if fs.needs_move:
        fs.properly_replicated = False


def named_disks(call: Call, fs: FileSystem, given: Arguments) -> list[Disk]:
    """The disks of -d, -F (stanzas, or names one a line) or -a."""
    if not given.one_of("-d", "-F", "-a"):
        raise UsageError("Missing arguments.")
    if "-a" in given.options:
        return list(fs.disks)
    if "-d" in given.options:
        names = [name.partition(":")[0] for name in names_of(given.options["-d"])]
    else:
        text = call.read_file(given.options["-F"])
        try:
            names = [item.get("nsd") for item in stanza.parse(text)]
        except StanzaError as problem:
            raise CommandError(f"{call.name}: {problem}") from None
        names = names or [line.split()[0] for line in text.splitlines() if line.split()]
    found: list[Disk] = []
    for name in names:
        disk = fs.disk(name)
        if disk is None:
            raise CommandError(f"{call.name}: {name or '(unnamed)'} not found in file system {fs.name}")
        found.append(disk)
    if not found:
        raise CommandError(f"{call.name}: No disks were specified.")
    return found


async def _start(world: World, call: Call, fs: FileSystem, disks: list[Disk]) -> None:
    """Bring disks up: their servers must see them. They are `recovering` while metadata is scanned."""
    await call.emit("mmnsddiscover:  Attempting to rediscover the disks.  This may take a while ...\n")
    await world.clock.sleep(_VERIFY_SECONDS)
    await call.emit("mmnsddiscover:  Finished.\n")
    reached: list[Disk] = []
    for disk in disks:
        servers = [world.cluster.hosts[name] for name in disk.nsd.servers]
        seeing = [
            host
            for host in servers
            if world.daemon_state(host) == "active" and world.cluster.local_device(disk.nsd, host) is not None
        ]
        if seeing:
            reached.append(disk)
            await call.emit(
                "".join(
                    f"{host.daemon_name.partition('.')[0]}:  Rediscovered nsd server access to {disk.name}.\n"
                    for host in seeing
                )
            )
        elif disk.availability != UP:
            disk.availability = "unrecovered"
    for disk in reached:
        disk.availability = "recovering" if disk.availability != UP else UP
    scan = timeline.short(fs.inodes.allocated, wide=True).lines
    for line in scan:
        if not line.stamped:
            await call.progress(f"{line.text}\n")
    try:
        await world.clock.sleep(_START_SECONDS)
    finally:
        for disk in reached:
            disk.availability = UP
    if len(reached) < len(disks):
        lost = ";".join(disk.name for disk in disks if disk not in reached)
        raise CommandError(f"Failed to open disks {lost}.", "No such device")


def _apply(world: World, fs: FileSystem, action: str, disks: list[Disk]) -> None:
    if action in ("suspend", "empty"):
        staying = [disk for disk in fs.disks if disk not in disks and not disk.leaving]
        if not any(disk.holds_metadata for disk in staying) or not any(disk.holds_data for disk in staying):
            raise CommandError("All disks of the file system would be suspended.")
    for disk in disks:
        if action in ("suspend", "empty"):
            disk.status = world.dialect.suspended
        elif action == "resume" and (disk.status in SUSPENDED or disk.status == EMPTIED):
            disk.status = READY
        elif action == "stop":
            disk.availability = DOWN


async def mmchdisk(world: World, call: Call) -> None:
    """Change the usage, the status or the availability of disks.

    New allocations obey a new usage at once; what lies there stays until a restripe.
    """
    given = parse(call.argv[1:], "-a --pit-continues-on-error", "-F -d -N -o --inode-criteria --qos")
    fs = world.file_system(call, given.word(0))
    action = given.word(1)
    given.end(2)
    if action not in ACTIONS or (action == "empty" and not world.dialect.at_least(4, 1)):
        raise UsageError(f"Incorrect option: {action}")
    if "-a" in given.options and action not in ("resume", "start"):
        raise UsageError("Incorrect option: -a")
    stanzas = read_stanzas(call, given)[1] if action == "change" else []
    world.need_daemon(call)
    disks = [] if action == "change" else named_disks(call, fs, given)
    await world.acquire(call, fs)
    try:
        async with world.configuration:
            if action == "start":
                await _start(world, call, fs, disks)
                return
            await call.emit("Verifying file system configuration information ...\n")
            await world.clock.sleep(_VERIFY_SECONDS)
            if action == "change":
                _change(call, fs, stanzas)
            else:
                _apply(world, fs, action, disks)
            await call.emit(world.dialect.propagating(call.name))
    finally:
        world.release()


async def mmchqos(world: World, call: Call) -> None:
    """Set limits for classes of I/O; they hold at once, for commands that run too."""
    given = parse(call.argv[1:], "--enable --disable --force", "-N --fine-stats")
    fs = world.file_system(call, given.word(0))
    if "--enable" not in given.options:
        given.end(1)
    action = given.one_of("--enable", "--disable")
    if not action:
        raise UsageError("Missing arguments.")
    world.need_daemon(call)
    nodes = given.options.get("-N", "all")
    # The same nodes are the same scope, whatever they are called by.
    named = "" if nodes == "all" else ",".join(sorted(host.name for host in chosen_nodes(world, call, nodes)))
    limits, scopes = fs.qos.limits, fs.qos.scopes
    text = ",".join(given.words[1:])  # a word for each pool
    if text:
        try:
            if named:
                scopes = fstables.changed_scopes(fs.qos, text, list(fs.pools), named)
            else:
                limits = fstables.changed_limits(fs.qos.limits, text, list(fs.pools))
        except ValueError as problem:
            raise CommandError(f"mmchqos: {problem}") from None
        await call.emit(f"Adjusted QOS Class specification: {text}\n")
    world.set_qos(fs, limits, scopes, enabled=action == "--enable")
    await call.emit("QOS configuration has been installed and broadcast to all nodes.\n")
