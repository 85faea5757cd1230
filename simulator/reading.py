"""The commands that read about nodes and file systems."""

from __future__ import annotations

import math
from datetime import datetime

from simulator import fstables, healthtables, nodetables
from simulator.asking import arguments, chosen_nodes, unreachable
from simulator.clock import MST
from simulator.healthtables import Health
from simulator.restripe import FULL_IOPS
from simulator.state import UP
from simulator.usage import CommandError, UsageError, parse
from simulator.world import Call, Waiter, World


async def mmlscluster(world: World, call: Call) -> None:
    """The cluster's names, servers and nodes."""
    given = arguments(world, call, "--cnfs --ces" if world.dialect.at_least(4, 1) else "--cnfs")
    given.end(0)
    if "-Y" in given.options:
        await call.emit(nodetables.cluster_y(world.cluster))
    else:
        await call.emit(nodetables.cluster_listing(world.cluster, ces="--ces" in given.options))


async def mmgetstate(world: World, call: Call) -> None:
    """The state of the daemons; asking others needs an administration node."""
    given = arguments(world, call, "-a -L -s -v", "-N")
    given.end(0)
    hosts = [call.host]
    if given.options.keys() & {"-a", "-N"}:
        world.need_admin(call)
        hosts = chosen_nodes(world, call, "all" if "-a" in given.options else given.options["-N"])
    everybody = [(host, world.daemon_state(host)) for host in world.cluster.hosts.values()]
    rows = [(host, world.daemon_state(host)) for host in hosts]
    if "-Y" in given.options:
        await call.emit(nodetables.state_y(world.cluster, rows, everybody))
    else:
        await call.emit(nodetables.state_listing(world.cluster, rows, everybody, long="-L" in given.options))
        if "-s" in given.options:
            await call.emit(nodetables.state_summary(world.cluster, everybody))
    unreachable(world, call, hosts)


async def mmlsfs(world: World, call: Call) -> None:
    """The attributes of the file system."""
    given = arguments(world, call, f"{fstables.FS_FLAGS} -a")
    name = given.word(0)
    given.end(1)
    everything = name in ("all", "all_local")
    fs = world.cluster.fs if everything else world.file_system(call, name)
    world.settle()
    wanted = frozenset() if "-a" in given.options else frozenset(given.options) - {"-Y"}
    if "-Y" in given.options:
        await call.emit(fstables.fs_y(world.cluster, wanted))
        return
    if everything:
        title = f"File system attributes for /dev/{fs.name}:"
        await call.emit(f"\n{title}\n{'=' * len(title)}\n")
    await call.emit(fstables.fs_listing(world.cluster, wanted))


async def mmlsmount(world: World, call: Call) -> None:
    """Where the file system is mounted."""
    given = arguments(world, call, "-L")
    name = given.word(0)
    given.end(1)
    fs = world.cluster.fs if name in ("all", "all_local") else world.file_system(call, name)
    world.need_daemon(call)
    if "-Y" in given.options:
        await call.emit(nodetables.mount_y(world.cluster, fs))
    else:
        await call.emit(nodetables.mount_listing(world.cluster, fs, long="-L" in given.options))


async def mmlsmgr(world: World, call: Call) -> None:
    """The managers of the file system and of the cluster."""
    given = arguments(world, call, "-c")
    if given.words:
        world.file_system(call, given.word(0))
    given.end(1)
    world.need_daemon(call)
    manager = world.cluster_manager
    if "-Y" in given.options:
        await call.emit(nodetables.manager_y(world.cluster, manager.name))
    elif "-c" in given.options:
        await call.emit(f"Cluster manager node: {manager.address} ({manager.daemon_name.partition('.')[0]})\n")
    else:
        await call.emit(nodetables.manager_listing(world.cluster, manager.name))


async def mmlsconfig(world: World, call: Call) -> None:
    """The configuration, whole or one parameter."""
    given = arguments(world, call, "")
    given.end(1)
    parameter = given.words[0] if given.words else ""
    if "-Y" in given.options:
        await call.emit(nodetables.config_y(world.cluster, parameter))
    elif parameter:
        await call.emit(nodetables.config_value(world.cluster, parameter))
    else:
        await call.emit(nodetables.config_listing(world.cluster))


async def mmlspool(world: World, call: Call) -> None:
    """The storage pools; for people only."""
    given = parse(call.argv[1:], "-L")
    fs = world.file_system(call, given.word(0))
    given.end(2)
    if len(given.words) > 1 and given.words[1] not in ("all", *fs.pools):
        raise CommandError(f"mmlspool: Storage pool {given.words[1]} does not exist in file system {fs.name}.")
    world.need_daemon(call)
    world.settle()
    await call.emit(fstables.pool_listing(fs))


async def mmlssnapshot(world: World, call: Call) -> None:
    """The snapshots."""
    given = arguments(world, call, "-d -Q", "-s")
    fs = world.file_system(call, given.word(0))
    given.end(1)
    world.need_daemon(call)
    wanted = given.options.get("-s", "all").split(",")
    snapshots = [each for each in fs.snapshots if "all" in wanted or each.name in wanted]
    filesets = world.dialect.at_least(4, 1)
    if "-Y" in given.options:
        await call.emit(fstables.snapshot_y(fs, snapshots, filesets=filesets))
    elif not snapshots:
        await call.emit(f"No snapshots in file system {fs.name}.\n")
    else:
        await call.emit(fstables.snapshot_listing(fs, snapshots, sizes="-d" in given.options, filesets=filesets))


def _rates(world: World) -> list[fstables.Rate]:
    """What QoS has measured: ordinary users, and the maintenance class while a restripe runs."""
    now, fs = int(world.clock.now()), world.cluster.fs
    rates: list[fstables.Rate] = []
    for index, pool in enumerate(fs.pools):
        # Users' load goes up and down within the hour; nothing depends on it.
        load = 9000 + 4000 * math.sin((now + 900 * index) / 1800)
        rates.append((pool, now, "other", f"{load:.2f}", f"{load / 800:.3f}", "0.00022791", 5, f"{load / 4:.2f}"))
        if world.run is not None:
            limit = fs.qos.limit(pool, "maintenance")
            wanted = FULL_IOPS if limit == "unlimited" else min(FULL_IOPS, float(limit.lower().removesuffix("iops")))
            delay = "0.00000" if limit == "unlimited" else "0.013449"
            queue = f"{wanted / 400:.3f}"
            rates.append((pool, now, "maintenance", f"{wanted:.2f}", queue, delay, 5, f"{wanted / 6:.3f}"))
    return rates


async def mmlsqos(world: World, call: Call) -> None:
    """Limits, and what they do."""
    given = arguments(world, call, "", "--pool --seconds --sum-nodes --sum-classes")
    fs = world.file_system(call, given.word(0))
    given.end(1)
    seconds = given.options.get("--seconds", "60")
    if not seconds.isdecimal() or not 1 <= int(seconds) <= 999:
        raise UsageError(f"Incorrect value: --seconds {seconds}")
    world.need_daemon(call)
    pool = given.options.get("--pool", "all")
    if pool not in ("all", *fs.pools):
        raise CommandError(f"mmlsqos: Storage pool {pool} does not exist in file system {fs.name}.")
    rates = [rate for rate in _rates(world) if fs.qos.enabled and pool in ("all", rate[0])]
    if "-Y" in given.options:
        await call.emit(fstables.qos_y(fs, rates))
    else:
        stamp = datetime.fromtimestamp(int(world.clock.now()), MST).strftime("%H:%M:%S")
        await call.emit(fstables.qos_listing(fs, rates, stamp))


def _waiters(world: World, call: Call) -> list[Waiter]:
    now = world.clock.now()
    found = list(world.waiters.get(call.host.name, ()))
    if world.run is not None:
        found.append(Waiter("PitWorkerThread", "for I/O completion", now - 0.04))
        found.append(Waiter("NSDThread", "for I/O completion", now - 0.01))
    return found


async def mmdiag(world: World, call: Call) -> None:
    """The threads of this node's daemon that wait."""
    given = arguments(world, call, "--waiters")
    given.end(0)
    if "--waiters" not in given.options:
        raise UsageError("Missing arguments.")
    world.need_daemon(call)
    now = world.clock.now()
    waiters = _waiters(world, call)
    if "-Y" in given.options:
        await call.emit(healthtables.waiters_y(waiters, now))
    else:
        await call.emit(healthtables.waiters_listing(waiters, now, world.dialect))


def _health(world: World, call: Call) -> list[Health]:
    """The node's components. Everything healthy has been so since the scenario began."""
    cluster, begin, node = world.cluster, world.clock.epoch, call.host.daemon_name
    fs = cluster.fs
    state = world.daemon_state(call.host)
    gpfs = {"active": "HEALTHY", "arbitrating": "DEGRADED"}.get(state, "FAILED")
    events = {"arbitrating": ("quorum_down",), "down": ("gpfs_down",)}.get(state, ())
    found = [
        Health("GPFS", node, "NODE", gpfs, begin, events),
        Health("NETWORK", node, "NODE", "HEALTHY", begin),
    ]
    down = [disk for disk in fs.disks if disk.availability != UP and call.host.name in disk.nsd.servers]
    served = [disk for disk in fs.disks if call.host.name in disk.nsd.servers]
    if served:
        found.append(Health("DISK", node, "NODE", "DEGRADED" if down else "HEALTHY", begin))
        found += [
            Health(
                "DISK", disk.name, "NSD", *(("FAILED", begin, ("disk_down",)) if disk in down else ("HEALTHY", begin))
            )
            for disk in served
        ]
    unbalanced = () if fs.well_balanced else ("ill_unbalanced_fs",)
    status = "DEGRADED" if down else "TIPS" if unbalanced else "HEALTHY"
    found.append(Health("FILESYSTEM", node, "NODE", status, begin))
    found.append(Health("FILESYSTEM", fs.name, "FILESYSTEM", status, begin, unbalanced))
    order = ("FAILED", "DEGRADED", "TIPS", "HEALTHY")
    worst = min((each.status for each in found if each.kind == "NODE"), key=order.index)
    return [Health("NODE", node, "NODE", worst, begin), *found]


async def mmhealth(world: World, call: Call) -> None:
    """The health of this node."""
    given = arguments(world, call, "--unhealthy --verbose -v")
    if (given.word(0), given.word(1)) != ("node", "show"):
        raise UsageError(f"Incorrect option: {' '.join(given.words[:2])}")
    given.end(3)
    states = _health(world, call)
    if len(given.words) == 3:
        states = [states[0], *(each for each in states if each.component == given.words[2].upper())]
    now = world.clock.now()
    if "-Y" in given.options:
        await call.emit(healthtables.health_y(call.host.daemon_name, states, now, world.dialect))
    else:
        short = call.host.daemon_name.partition(".")[0]
        await call.emit(healthtables.health_listing(short, states, now, world.dialect))
