"""The threads that wait on a node: those that were put there, and those of a restripe that moves or stands still."""

from __future__ import annotations

from simulator.going import Waiter
from simulator.world import World

HELPERS = "waiting for helper worker threads"


def waiters(world: World, host: str) -> list[Waiter]:
    """What `mmdiag --waiters` has to tell on a host now."""
    found, run = list(world.waiters.get(host, ())), world.run
    if run is None:
        return found
    now, since = world.clock.now(), run.standing_since
    helper = host in run.helpers
    if world.policies.command_waits == "seen" and host == world.cluster.fs.manager:
        # It waits from the beginning to the end, and that is as it should be.
        found.append(Waiter("PitCommandThread", HELPERS, run.report()["started"], condition="PitDoneCondvar"))
    if since is None:
        found += [Waiter("PitWorkerThread", "for I/O completion", now - 0.04)] * helper
        if helper or any(host in disk.nsd.servers for disk in world.cluster.fs.disks):
            found.append(Waiter("NSDThread", "for I/O completion", now - 0.01))
        return found
    where, thread, reason = run.waiting_for
    if host == where:
        found.append(Waiter(thread, reason, since))
    if helper:
        # All workers of a node wait for an answer, of which a few are told.
        found += [
            Waiter("PitWorkerThread", "RPC wait", since + 0.5 * each, condition="MsgRecordCondvar") for each in (1, 2)
        ]
    return found
