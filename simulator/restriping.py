"""`mmrestripefs`: what it accepts, what it checks before it begins, and how it ends."""

from __future__ import annotations

from simulator.asking import chosen_nodes
from simulator.hardware import Host
from simulator.restripe import RestripeRun, perform
from simulator.state import UP, FileSystem
from simulator.usage import Arguments, CommandError, UsageError, parse
from simulator.world import Call, World

_MODES = "-m -r -b -R -p"
_MODES_SINCE_4_2 = "-c -z"


def _parsed(world: World, call: Call) -> Arguments:
    flags, valued = _MODES, "-N -P"
    if world.dialect.at_least(4, 2):
        flags += f" {_MODES_SINCE_4_2} --metadata-only"
        valued += " -o --inode-criteria --qos"
    if world.dialect.at_least(5, 0):
        flags += " --strict --read-only --check-conflicting-replicas --pit-continues-on-error"
    return parse(call.argv[1:], flags, valued)


def working_nodes(world: World, call: Call, text: str) -> list[Host]:
    """The nodes of -N, each of which must be active; without it all active ones take part."""
    hosts = chosen_nodes(world, call, text or "all")
    if not text:
        return [host for host in hosts if world.daemon_state(host) == "active"]
    for host in hosts:
        if world.daemon_state(host) != "active":
            raise CommandError(f"{call.name}: GPFS is not active on node {host.admin_name}.")
    return hosts


def check_workers(world: World, call: Call, hosts: list[Host]) -> None:
    """Refuse more worker threads than are safe, all nodes together."""
    limit, each = world.policies.pit_limit, world.policies.pit_threads_per_node
    if limit and each * len(hosts) > limit:
        raise CommandError(
            f"{call.name}: The total number of PIT worker threads of all participating nodes",
            "has been exceeded to safely restripe the file system. The total number of PIT",
            f"worker threads of all participating nodes cannot exceed {limit}.",
        )


def check_replicas(fs: FileSystem) -> None:
    """Refuse where the metadata disks that remain cannot hold as many copies as there must be."""
    groups = [disk.failure_group for disk in fs.disks if disk.holds_metadata and not disk.leaving]
    # -1 says that a disk shares no point of failure with any other.
    distinct = len({group for group in groups if group != "-1"}) + groups.count("-1")
    if distinct < fs.metadata_replicas:
        raise CommandError("The desired replication factor exceeds the number of available failure groups.")


def check_disks(fs: FileSystem) -> None:
    """Refuse while a disk is down."""
    down = [disk.name for disk in fs.disks if disk.availability != UP]
    if down:
        raise CommandError(f"Attention: {len(down)} disks are not available: {';'.join(down)}", "No such device")


async def mmrestripefs(world: World, call: Call) -> None:
    """Move what lies on disks that may not hold it. Killing the command does not kill the work at once."""
    given = _parsed(world, call)
    fs = world.file_system(call, given.word(0))
    given.end(1)
    mode = given.one_of(*f"{_MODES} {_MODES_SINCE_4_2} --check-conflicting-replicas".split())
    if not mode:
        raise UsageError("Missing arguments.")
    metadata_only = "--metadata-only" in given.options
    if metadata_only and mode not in ("-r", "-b", "-R", "-c"):
        raise UsageError(f"Conflicting options: {mode} --metadata-only")
    if (pool := given.options.get("-P", "")) and pool not in fs.pools:
        raise CommandError(f"mmrestripefs: Storage pool {pool} does not exist in file system {fs.name}.")
    world.need_daemon(call)
    hosts = working_nodes(world, call, given.options.get("-N", ""))
    check_workers(world, call, hosts)
    await world.acquire(call, fs)
    try:
        check_replicas(fs)
        check_disks(fs)
        goes_on = "--pit-continues-on-error" in given.options
        nodes = [host.name for host in hosts]
        run = RestripeRun(world, fs, call, mode, quick=metadata_only, goes_on=goes_on, nodes=nodes)
    except BaseException:
        world.release()
        raise
    await perform(world, call, run)
    if run.failure:
        raise CommandError(*run.failure)
