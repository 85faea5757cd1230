"""The guide on a grown cluster: two servers a disk, multipath, one administration node, dead clients, snapshots."""

from __future__ import annotations

import msgspec

from remote.checked import Outcome
from remote.events import Launching
from remote.live import LiveOptions
from remote.ssh.settings import SshSettings
from simulator.client import Simulation
from supervision.gpfs_planning import Wish, make
from supervision.migration import Ending, StepState
from tests.supervision.cluster import OPERATOR, session
from tests.supervision.seed import of_kind

SPEED = 4_000.0
GROUPS = {f"nsd{server:02d}": str((server + 1) // 2) for server in range(1, 9)}
"""Of the new SSDs: that of the enclosure, as the administrator knows it."""
CHANGING = ("mmcrnsd", "mmadddisk", "mmchdisk", "mmrestripefs")


async def test_a_grown_cluster_is_migrated_to_the_end_with_fewer_nodes_where_all_are_too_many() -> None:
    async with Simulation.start("scale", speed=SPEED, disks=32) as sim:
        await sim.control("qos", enabled=False)  # its limits and 400 million inodes would take a week
        await sim.control("pace", factor=100)
        options = LiveOptions(poll_seconds=0.05 * SPEED, ssh=SshSettings(config_files=(sim.ssh_config,)))
        async with session(sim, hosts=(sim.entry,), options=options) as live:
            made = await make(live.supervisor, Wish(groups=GROUPS), by=OPERATOR)
            plan = made.plan
            assert (len(plan.devices), len(plan.old_disks), plan.host) == (16, 24, "adm01")
            assert {len(device.servers) for device in plan.devices} == {2}
            assert plan.nodes == tuple(GROUPS)

            guide, stop = await live.walk(plan)
            warned = {check.key for check in guide.checks(7) if check.outcome is Outcome.WARNING}
            assert "pit-threads" in warned
            assert stop is not None
            assert (stop.ending, guide.status(7)) == (Ending.FAILED, StepState.FAILED)
            assert "more than 31 worker threads together. Give it fewer nodes (-N)" in str(stop)
            assert {"cl03", "cl07", "cl11"}.isdisjoint(live.supervisor.site.hosts)  # dead clients are never asked

            fewer = msgspec.structs.replace(plan, id=f"{plan.id}b", nodes=("nsd01", "nsd03"))
            guide, stop = await live.walk(fewer)
            assert (stop, guide.next) == (None, None)
            launched = [event.spec.command.argv[0] for event in of_kind(live.events, Launching)]
        facts = await sim.control("facts")
    assert launched == ["mmbackupconfig", *CHANGING, "mmrestripefs"]
    assert (facts["metadata_left_on_rotating_kb"], facts["properly_replicated"], facts["destroyed"]) == (0, True, [])
    usages = {disk["name"]: (disk["usage"], disk["pool"]) for disk in facts["disks"]}
    assert {usages[device.nsd] for device in plan.devices} == {("metadataOnly", "system")}
    assert {usages[disk.nsd] for disk in plan.old_disks} == {("dataOnly", "system")}
    assert sum(pool == "capacity" for _, pool in usages.values()) == 8
