"""Every command by name, the reading ones themselves, and how a command ends."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any

from simulator import changing, restripe, tables
from simulator.lsblk import lsblk
from simulator.spacetable import UNITS, inode_block, space_table
from simulator.state import Disk, Nsd
from simulator.usage import USAGES, Arguments, CommandError, UsageError, parse
from simulator.world import Call, Record, World

Handler = Callable[[World, Call], Awaitable[None]]


async def mmlscluster(world: World, call: Call) -> None:
    """The cluster's names, servers and nodes."""
    parse(call.argv[1:], "--cnfs").end(0)
    await call.emit(tables.cluster_listing(world.cluster))


async def mmgetstate(world: World, call: Call) -> None:
    """The state of the daemons."""
    given = parse(call.argv[1:], "-a -L -s -v", "-N")
    given.end(0)
    hosts = list(world.cluster.hosts.values()) if "-a" in given.options else [call.host]
    if nodes := given.options.get("-N"):
        hosts = [] if nodes != "all" else list(world.cluster.hosts.values())
        for name in nodes.split(",") if nodes != "all" else ():
            host = world.cluster.find_host(name)
            if host is None:
                raise CommandError(f"mmgetstate: Incorrect node {name} specified for command.")
            hosts.append(host)
    down = world.policies.down_nodes
    rows = [(host, "down" if host.name in down else "active") for host in hosts]
    await call.emit(tables.state_listing(rows, len(world.cluster.hosts), "-L" in given.options))


async def mmlsfs(world: World, call: Call) -> None:
    """The attributes of the file system."""
    given = parse(call.argv[1:], f"{tables.FS_FLAGS} -a")
    name = given.word(0)
    given.end(1)
    everything = name in ("all", "all_local")
    fs = world.cluster.fs if everything else world.file_system(call, name)
    world.settle()
    if everything:
        await call.emit(f"\nFile system attributes for /dev/{fs.name}:\n=======================================\n")
    wanted = frozenset() if "-a" in given.options else frozenset(given.options)
    await call.emit(tables.fs_listing(fs, wanted))


def _chosen(call: Call, given: Arguments, disks: list[Disk], fs: str) -> list[Disk]:
    if "-d" not in given.options:
        return disks
    names = [name for name in given.options["-d"].split(";") if name]
    for name in names:
        if not any(disk.name == name for disk in disks):
            raise CommandError(f"{call.name}: Disk {name} does not belong to file system {fs}.")
    return [disk for disk in disks if disk.name in names]


async def mmlsdisk(world: World, call: Call) -> None:
    """The disks of the file system."""
    given = parse(call.argv[1:], "-e -L", "-d")
    fs = world.file_system(call, given.word(0))
    given.end(1)
    world.need_daemon(call)
    world.settle()
    disks = _chosen(call, given, fs.disks, fs.name)
    if "-e" in given.options:
        trailer = "" if fs.properly_replicated else tables.ATTENTION
        await call.emit("6027-623 All disks up and ready\n" + trailer)
    else:
        await call.emit(tables.disk_listing(fs, disks, "-L" in given.options))


async def mmdf(world: World, call: Call) -> None:
    """Free space."""
    given = parse(call.argv[1:], "-d -F -m", "-P --block-size")
    fs = world.file_system(call, given.word(0))
    given.end(1)
    only = {"-m": "metadata", "-d": "data"}.get(given.one_of("-d", "-F", "-m"), "")
    if (size := given.options.get("--block-size", "1K").upper()) not in UNITS:
        raise UsageError(f"Incorrect block size: {size}")
    if (pool := given.options.get("-P", "system")) not in {disk.pool for disk in fs.disks}:
        raise CommandError(f"mmdf: Storage pool {pool} does not exist in file system {fs.name}.")
    world.need_daemon(call)
    world.settle()
    if "-F" not in given.options:
        await call.emit(space_table(fs, *UNITS[size], only))
    if not only:
        await call.emit(("" if "-F" in given.options else "\n") + inode_block(fs))


async def mmlsnsd(world: World, call: Call) -> None:
    """The NSDs of the cluster."""
    given = parse(call.argv[1:], "-a -F -L -m -M -X -v", "-f -d")
    given.end(0)
    form = given.one_of("-L", "-m", "-M", "-X")
    choice = given.one_of("-a", "-F", "-f", "-d")
    fs = world.cluster.fs
    nsds: list[Nsd] = sorted(world.cluster.nsds.values(), key=lambda nsd: nsd.name)
    if choice == "-f":
        fs = world.file_system(call, given.options["-f"])
        nsds = [nsd for nsd in nsds if fs.disk(nsd.name)]
    elif choice == "-F":
        nsds = [nsd for nsd in nsds if not fs.disk(nsd.name)]
    elif choice == "-d":
        names = given.options["-d"].split(";")
        nsds = [nsd for nsd in nsds if nsd.name in names]
    if not nsds:
        # Exit status 0 and a note beside the listing: so the real one does.
        call.err.append("mmlsnsd: No disks were found.\n")
    elif form in ("-m", "-M", "-X"):
        await call.emit(tables.nsd_devices(world.cluster, nsds, form == "-X"))
    else:
        # Disks of a file system come first, free ones last.
        nsds.sort(key=lambda nsd: fs.disk(nsd.name) is None)
        await call.emit(tables.nsd_listing(world.cluster, nsds, form == "-L"))


async def block_devices(world: World, call: Call) -> None:
    """lsblk."""
    await call.emit(lsblk(call.host, call.argv[1:]))


async def now(world: World, call: Call) -> None:
    """The simulated time for the `date` shim: UNIX seconds with six decimals."""
    await call.emit(f"{world.clock.now():.6f}\n")


HANDLERS: dict[str, Handler] = {
    "mmlscluster": mmlscluster,
    "mmgetstate": mmgetstate,
    "mmlsfs": mmlsfs,
    "mmlsdisk": mmlsdisk,
    "mmdf": mmdf,
    "mmlsnsd": mmlsnsd,
    "mmcrnsd": changing.mmcrnsd,
    "mmadddisk": changing.mmadddisk,
    "mmchdisk": changing.mmchdisk,
    "mmrestripefs": restripe.mmrestripefs,
    "lsblk": block_devices,
    "date": now,
}

_TAIL = "Command failed.  Examine previous error messages to determine cause."


async def execute(world: World, call: Call) -> int:
    """Run one command and return its exit status; its stderr text is in `call.err` afterwards.

    Cancellation means that the command's process has died; the history then keeps no exit status.
    """
    handler = HANDLERS.get(call.name)
    if handler is None:
        call.err.append(f"{call.name}: command not found\n")
        return 127
    record = Record(call.host.name, list(call.argv), call.pid, world.clock.now())
    listed = call.name.startswith("mm")
    if listed:
        world.history.append(record)
        world.running.append(record)
    try:
        record.rc = await _handled(handler, world, call)
    finally:
        record.end = world.clock.now()
        if listed:
            world.running.remove(record)
    return record.rc


async def _handled(handler: Handler, world: World, call: Call) -> int:
    try:
        await handler(world, call)
    except UsageError as problem:
        call.err.append(f"{call.name}: {problem}\nUsage: {USAGES[call.name]}\n")
        return 1
    except CommandError as problem:
        call.err.extend(f"{line}\n" for line in problem.lines)
        if call.name.startswith("mm"):
            call.err.append(f"{call.name}: {_TAIL}\n")
        return problem.rc
    return 0


def as_json(record: Record) -> dict[str, Any]:
    """A record of the history for the control interface."""
    return {
        "host": record.host,
        "argv": record.argv,
        "pid": record.pid,
        "start": record.start,
        "end": record.end,
        "rc": record.rc,
    }
