"""The commands that make disks and give them to the file system: mmcrnsd and mmadddisk.

Where no public text of an error is known, the wording is this project's own; it always ends in the failure tail.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from itertools import cycle

from simulator import stanza
from simulator.clock import ctime
from simulator.discovery import is_discovered
from simulator.hardware import Device
from simulator.restripe import RestripeRun, perform
from simulator.stanza import Stanza, StanzaError
from simulator.state import DATA_AND_METADATA, DATA_ONLY, FAILURE_GROUPS, USAGES, Disk, FileSystem
from simulator.usage import Arguments, CommandError, UsageError, parse
from simulator.world import Call, World

MAX_SERVERS = 8
LARGE_KB = 1 << 30
_NAME = re.compile(r"[A-Za-z0-9_]+\Z")
_NUMBER = re.compile(r"-?\d{1,9}\Z")
# Simulated seconds to format one disk; between one and five, as the volume ids of real runs show.
_FORMAT_SECONDS = (3, 2, 3, 1, 1, 4)
_ADD_SECONDS = (4, 22, 25, 6)


@dataclass(frozen=True)
class Attributes:
    """What a stanza says of a disk in a file system."""

    usage: str
    failure_group: str
    pool: str


def read_stanzas(call: Call, given: Arguments) -> tuple[str, list[Stanza]]:
    """The file of -F and its stanzas; a file without any is an error."""
    if "-F" not in given.options:
        raise UsageError("Missing arguments.")
    name = given.options["-F"]
    text = call.read_file(name)
    try:
        stanzas = stanza.parse(text)
    except StanzaError as problem:
        raise CommandError(f"{call.name}: {problem}") from None
    if not stanzas:
        raise CommandError(f"{call.name}: No disks were specified in file {name}.")
    return text, stanzas


def attributes(call: Call, item: Stanza, name: str, default: Attributes) -> Attributes:
    """Usage, failure group and pool of a stanza, checked as far as that goes without the file system."""
    pool = item.get("pool") or default.pool
    fallback = default.usage if pool == default.pool else DATA_ONLY
    by_lower_case = {usage.lower(): usage for usage in USAGES}
    wanted = item.get("usage") or fallback
    usage = by_lower_case.get(wanted.lower())
    if usage is None:
        raise CommandError(f"{call.name}: Incorrect disk usage {wanted} for disk {name}.")
    group = item.get("failureGroup") or default.failure_group
    if not _NUMBER.match(group) or int(group) not in FAILURE_GROUPS:
        raise CommandError(
            f"{call.name}: Value {group} for the 'failure group' option for disk {name} is out of range. "
            f"Valid values are {FAILURE_GROUPS.start} through {FAILURE_GROUPS.stop - 1}."
        )
    if pool != "system" and usage != DATA_ONLY:
        raise CommandError(f"{call.name}: Disk usage {usage} is incompatible with storage pool {pool}.")
    return Attributes(usage, group, pool)


_DEFAULTS = Attributes(DATA_AND_METADATA, "-1", "system")


def _check_nsd(world: World, call: Call, item: Stanza) -> tuple[str, tuple[str, ...], Device, Attributes]:
    """Everything mmcrnsd looks at before it writes to a disk. Content of the disk is not among it."""
    cluster = world.cluster
    device_name = item.get("device")
    if not device_name:
        raise CommandError(f"{call.name}: The device clause is missing for disk {item.get('nsd') or '(unnamed)'}.")
    name = item.get("nsd")
    if not name:
        number = 1
        while (name := f"gpfs{number}nsd") in cluster.nsds:
            number += 1
    elif name.startswith("gpfs"):
        raise CommandError(
            f"{call.name}: Disk name {name} is not allowed. Names beginning with gpfs are reserved for use by GPFS."
        )
    elif not _NAME.match(name):
        raise CommandError(f"{call.name}: Disk name {name} is not allowed.")
    if name in cluster.nsds:
        raise CommandError(f"{call.name}: Disk name {name} is already registered for use by GPFS.")
    servers: list[str] = []
    for server in (item.get("servers") or call.host.daemon_name).split(","):
        host = cluster.find_host(server)
        if host is None:
            raise CommandError(f"{call.name}: Incorrect node {server} specified for command.")
        servers.append(host.name)
    if len(servers) > MAX_SERVERS:
        raise CommandError(f"{call.name}: More than {MAX_SERVERS} servers are specified for disk {name}.")
    kept = attributes(call, item, name, _DEFAULTS)
    if lost := [name for name in servers if name in world.powered_off]:
        raise CommandError(f"{call.name}: Node {cluster.hosts[lost[0]].admin_name} could not be reached.")
    device = cluster.hosts[servers[0]].find_device(device_name)
    if device is None or not is_discovered(cluster.hosts[servers[0]], device):
        raise CommandError(f"[E] Device {device_name} does not exist or is not active on this node.")
    if (owner := cluster.nsd_of(device)) is not None:
        raise CommandError(f"{call.name}: Disk device {device.name} refers to an existing NSD {owner.name}")
    return name, tuple(servers), device, kept


async def mmcrnsd(world: World, call: Call) -> None:
    """Format devices as NSDs. Each stanza stands alone: some may succeed and some fail."""
    given = parse(call.argv[1:], "", "-F -v")
    given.end(0)
    if given.options.get("-v", "yes") not in ("yes", "no"):
        raise UsageError(f"Incorrect option: -v {given.options['-v']}")
    text, stanzas = read_stanzas(call, given)
    world.need_configuration(call)
    done: list[tuple[Stanza, str]] = []
    async with world.configuration:
        for item, seconds in zip(stanzas, cycle(_FORMAT_SECONDS), strict=False):
            await call.emit(f"mmcrnsd: Processing disk {item.get('device').removeprefix('/dev/') or item.get('nsd')}\n")
            try:
                name, servers, device, kept = _check_nsd(world, call, item)
            except CommandError as problem:
                call.err.extend(f"{line}\n" for line in problem.lines)
                continue
            await world.clock.sleep(seconds)
            world.cluster.create_nsd(name, servers, device, world.clock.now())
            new = f"%nsd: nsd={name} usage={kept.usage} failureGroup={kept.failure_group} pool={kept.pool}"
            done.append((item, f"{new} servers={item.get('servers')}" if item.get("servers") else new))
        if done:
            _rewrite(call, given.options["-F"], stanza.rewritten(text, done))
            await call.emit(world.dialect.propagating(call.name))
    if len(done) < len(stanzas):
        raise CommandError


def _rewrite(call: Call, name: str, text: str) -> None:
    try:
        call.write_file(name, text)
    except OSError as problem:
        call.err.append(f"{call.name}: File {name} could not be rewritten: {problem.strerror}\n")


def _new_disks(world: World, call: Call, fs: FileSystem, stanzas: list[Stanza]) -> list[Disk]:
    """The disks a file adds; any error means that none is added."""
    disks: list[Disk] = []
    for item in stanzas:
        name = item.get("nsd")
        if not name:
            raise CommandError(f"{call.name}: The nsd clause is missing in a stanza.")
        nsd = world.cluster.nsds.get(name)
        if nsd is None:
            raise CommandError(f"{call.name}: Disk {name} is not known to the GPFS cluster.")
        if fs.disk(name) is not None:
            raise CommandError(f"{call.name}: Disk {name} belongs to file system {fs.name}.")
        if any(disk.name == name for disk in disks):
            raise CommandError(f"{call.name}: Disk {name} is specified more than once.")
        kept = attributes(call, item, name, _DEFAULTS)
        disk = fs.new_disk(nsd, kept.usage, kept.failure_group, kept.pool)
        disk.disk_id += len(disks)
        disks.append(disk)
    return disks


def size_text(world: World, disk: Disk) -> str:
    """A disk's size as it is told when it is formatted."""
    return f"{disk.size_kb >> 10} MB" if world.dialect.at_least(4, 1) else f"{disk.size_kb} KB"


async def format_disks(world: World, call: Call, fs: FileSystem, disks: list[Disk]) -> None:
    """Add disks to the file system and tell it; about a minute. They are part of it when `Completed` is printed."""
    node = world.cluster.hosts[fs.manager].admin_name
    heading, extending, checking, settling = _ADD_SECONDS
    await call.emit(f"\nThe following disks of {fs.name} will be formatted on node {node}:\n")
    await call.emit("".join(f"    {disk.name}: size {size_text(world, disk)}\n" for disk in disks))
    await world.clock.sleep(heading)
    await call.emit("Extending Allocation Map\n")
    await world.clock.sleep(extending)
    known = {disk.pool for disk in fs.disks}
    for pool in dict.fromkeys(disk.pool for disk in disks):
        if pool not in known:
            await call.emit(f"Creating Allocation Map for storage pool {pool}\n")
            await call.emit(f"Flushing Allocation Map for storage pool {pool}\n")
            if world.dialect.at_least(4, 1):
                await call.emit(f"Disks up to size {fs.max_disk_size} can be added to storage pool {pool}.\n")
        await call.emit(f"Checking Allocation Map for storage pool {pool}\n")
    # Long runs of later releases tell how far they are; those of the seed did not.
    told = world.dialect.at_least(4, 2) and max(disk.size_kb for disk in disks) >= LARGE_KB
    for percent in (5, 60, 100) if told else ():
        await world.clock.sleep(checking)
        await call.progress(f"{percent:>4} % complete on {ctime(world.clock.now())}\n")
    await world.clock.sleep(checking)
    now = int(world.clock.now())
    for number, disk in enumerate(disks):
        disk.uid = f"{world.cluster.hosts[fs.manager].address_hex}{now + number:08X}"
    # A restripe that runs would have been waited for; nobody else changes the list meanwhile.
    fs.disks.extend(disks)
    if world.policies.balance_attention == "after_add":
        fs.well_balanced = False
    await call.emit(f"Completed adding disks to file system {fs.name}.\n")
    await world.clock.sleep(settling)


async def mmadddisk(world: World, call: Call) -> None:
    """Add NSDs to the file system; with -r, spread everything over old and new disks afterwards."""
    given = parse(call.argv[1:], "-a -r", "-F -v -N --qos")
    fs = world.file_system(call, given.word(0))
    given.end(1)
    _, stanzas = read_stanzas(call, given)
    world.need_daemon(call)
    await world.acquire(call, fs)
    kept = True
    try:
        async with world.configuration:
            disks = _new_disks(world, call, fs, stanzas)
            await format_disks(world, call, fs, disks)
            await call.emit(world.dialect.propagating(call.name))
        if "-r" in given.options:
            run = RestripeRun(world, fs, call, "-b")
            kept = False  # The run gives the file system back.
            await perform(world, call, run)
            if run.failure:
                raise CommandError(*run.failure)
    finally:
        if kept:
            world.release()
