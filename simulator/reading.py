"""The commands that read about nodes and file systems."""

from __future__ import annotations

from simulator import fstables, healthtables, nodetables, qos, waiting
from simulator.asking import arguments, chosen_nodes, unreachable
from simulator.healthtables import Health
from simulator.state import UP
from simulator.usage import CommandError, UsageError, parse
from simulator.world import Call, World


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


async def mmlscallback(world: World, call: Call) -> None:
    """What GPFS runs by itself. The text follows the manual's example."""
    given = parse(call.argv[1:], "")
    given.end(0)
    if not world.cluster.callbacks:
        call.err.append("mmlscallback: No callback identifiers were found.\n")
    for name, (command, event) in world.cluster.callbacks.items():
        await call.emit(f"{name}\n      command       = {command}\n      event         = {event}\n")


async def mmauth(world: World, call: Call) -> None:
    """`mmauth show`: who may mount the file system, which are those that do. The text follows the manual's example."""
    given = parse(call.argv[1:], "")
    if given.word(0) != "show":
        raise UsageError(f"Incorrect option: {given.word(0)}")
    given.end(1)
    await call.emit(f"Cluster name:        {world.cluster.name} (this cluster)\nFile system access:  (all rw)\n")
    fs = world.cluster.fs
    for cluster in dict.fromkeys(cluster for _, _, cluster in fs.remote_mounts):
        await call.emit(f"\nCluster name:        {cluster}\nFile system access:  {fs.name} (rw, root allowed)\n")


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
    measured = qos.rates(world, fs, int(seconds)) if fs.qos.enabled else []
    rates = [rate for rate in measured if pool in ("all", rate[0])]
    if "-Y" in given.options:
        await call.emit(fstables.qos_y(fs, rates))
    else:
        await call.emit(fstables.qos_listing(fs, rates))


async def mmdiag(world: World, call: Call) -> None:
    """The threads of this node's daemon that wait, or which daemon it is and since when it runs."""
    given = arguments(world, call, "--waiters --version")
    given.end(0)
    what = given.one_of("--waiters", "--version")
    if not what or (what == "--version" and "-Y" in given.options):
        raise UsageError("Missing arguments.")
    world.need_daemon(call)
    now = world.clock.now()
    if what == "--version":
        started, pid = world.daemon_of(call.host)
        await call.emit(healthtables.version_listing(world.dialect, now - started, pid))
        return
    waiters = waiting.waiters(world, call.host.name)
    if "-Y" in given.options:
        await call.emit(healthtables.waiters_y(waiters, now))
    else:
        await call.emit(healthtables.waiters_listing(waiters, now, world.dialect))


def _health(world: World, call: Call) -> list[Health]:
    """The node's components. Everything healthy has been so since the scenario began."""
    cluster, begin, node = world.cluster, world.clock.epoch, call.host.daemon_name
    fs = cluster.fs
    state = world.daemon_state(call.host)
    since = max(begin, world.daemon_of(call.host)[0])
    gpfs = {"active": "HEALTHY", "arbitrating": "DEGRADED"}.get(state, "FAILED")
    events = {"arbitrating": ("quorum_down",), "down": ("gpfs_down",)}.get(state, ())
    found = [
        Health("GPFS", node, "NODE", gpfs, since, events),
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
