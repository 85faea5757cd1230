"""The commands that read about disks: mmlsdisk, mmdf, mmlsnsd, mmdevdiscover, lsblk."""

from __future__ import annotations

from simulator import disktables
from simulator.asking import arguments, names_of, unreachable
from simulator.hardware import Host
from simulator.lsblk import lsblk
from simulator.spacetable import UNITS, inode_block, space_table, space_y
from simulator.state import READY, UP, Disk, FileSystem, Nsd
from simulator.usage import Arguments, CommandError, UsageError
from simulator.world import Call, World


def _chosen(call: Call, given: Arguments, fs: FileSystem) -> list[Disk]:
    if "-d" not in given.options:
        return fs.disks
    names = names_of(given.options["-d"])
    for name in names:
        if fs.disk(name) is None:
            raise CommandError(f"{call.name}: Disk {name} does not belong to file system {fs.name}.")
    return [disk for disk in fs.disks if disk.name in names]


def _io(world: World, disk: Disk, host: Host) -> disktables.Io:
    """Where a node's I/O to a disk is done."""
    device = world.cluster.local_device(disk.nsd, host)
    if disk.availability != UP:
        return disk, host, "-", "-"
    if device is not None:
        return disk, host, "localhost", device.path
    servers = (world.cluster.hosts[name] for name in disk.nsd.servers)
    serving = next((server for server in servers if world.daemon_state(server) == "active"), None)
    return disk, host, serving.daemon_name if serving else "-", "-"


async def mmlsdisk(world: World, call: Call) -> None:
    """The disks of the file system."""
    given = arguments(world, call, "-e -L -m -M", "-d")
    fs = world.file_system(call, given.word(0))
    given.end(1)
    form = given.one_of("-e", "-L", "-m", "-M")
    given.one_of("-e", "-Y")
    world.need_daemon(call)
    world.settle()
    disks = _chosen(call, given, fs)
    if form in ("-m", "-M"):
        every = form == "-M"
        hosts = [host for host in world.cluster.hosts.values() if world.daemon_state(host) == "active"]
        rows = [_io(world, disk, host) for disk in disks for host in (hosts if every else [call.host])]
        await call.emit(
            disktables.io_y(rows) if "-Y" in given.options else disktables.io_listing(rows, every_node=every)
        )
        return
    if "-Y" in given.options:
        await call.emit(disktables.disk_y(world.cluster, disks))
        return
    trailer = disktables.attention(fs)
    if form == "-e":
        disks = [disk for disk in disks if (disk.status, disk.availability) != (READY, UP)]
        if not disks:
            await call.emit("6027-623 All disks up and ready\n")
            await call.attention(trailer)
            return
    wide = world.dialect.at_least(4, 1)
    await call.emit(disktables.disk_listing(fs, disks, long=form == "-L", wide=wide))
    await call.attention(trailer)


async def mmdf(world: World, call: Call) -> None:
    """Free space."""
    given = arguments(world, call, "-d -F -m", "-P --block-size --qos")
    fs = world.file_system(call, given.word(0))
    given.end(1)
    only = {"-m": "metadata", "-d": "data"}.get(given.one_of("-d", "-F", "-m"), "")
    size = given.options.get("--block-size", "1K").upper()
    if size != "AUTO" and size not in UNITS:
        raise UsageError(f"Incorrect block size: {size}")
    if (pool := given.options.get("-P", "")) and pool not in fs.pools:
        raise CommandError(f"mmdf: Storage pool {pool} does not exist in file system {fs.name}.")
    world.need_daemon(call)
    world.settle()
    table, inodes = "-F" not in given.options, not only and not pool
    if "-Y" in given.options:
        if only and len(fs.pools) > 1:
            # Known of real clusters whose system pool is separate; the text is this project's own.
            raise CommandError("mmdf: An internal error occurred.")
        await call.emit(space_y(fs, only, pool, inodes=inodes, disks=table))
        return
    if table:
        unit = UNITS["1T" if size == "AUTO" else size]
        await call.emit(space_table(fs, *unit, only, pool=pool, wide=world.dialect.at_least(5, 0)))
    if inodes:
        await call.emit(("\n" if table else "") + inode_block(fs))


def _sights(world: World, nsds: list[Nsd], *, everybody: bool) -> list[disktables.Sight]:
    """The servers of each NSD with what they see; with `everybody`, other nodes that see it too."""
    rows: list[disktables.Sight] = []
    for nsd in nsds:
        hosts = {name: world.cluster.hosts[name] for name in nsd.servers}
        if everybody:
            hosts |= {host.name: host for host, _ in world.cluster.sights(nsd.device.wwn)}
        for host in hosts.values():
            lost = host.name in world.powered_off
            rows.append((nsd, host, None if lost else world.cluster.local_device(nsd, host)))
    return rows


async def mmlsnsd(world: World, call: Call) -> None:
    """The NSDs of the cluster."""
    given = arguments(world, call, "-a -F -L -m -M -X -v", "-f -d")
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
        sights = _sights(world, nsds, everybody=form != "-X")
        if "-Y" in given.options:
            await call.emit(disktables.nsd_devices_y(sights))
        else:
            wide = world.dialect.at_least(5, 0)
            await call.emit(disktables.nsd_devices(sights, extended=form == "-X", wide=wide))
        unreachable(world, call, list({host.name: host for _, host, _ in sights}.values()))
    else:
        # Disks of a file system come first, free ones last.
        nsds.sort(key=lambda nsd: fs.disk(nsd.name) is None)
        if "-Y" in given.options:
            await call.emit(disktables.nsd_y(world.cluster, nsds))
        else:
            await call.emit(disktables.nsd_listing(world.cluster, nsds, long=form == "-L"))


async def mmdevdiscover(world: World, call: Call) -> None:
    """The devices that GPFS finds on this node; maps instead of their paths."""
    del world
    await call.emit("".join(f"{device.name} {device.devtype}\n" for device in call.host.devices.values()))


async def block_devices(world: World, call: Call) -> None:
    """lsblk."""
    await call.emit(lsblk(call.host, call.argv[1:], world.dialect.lsblk))
