"""What is so on a simulated cluster after each step of a migration, by the cluster's own word."""

from __future__ import annotations

from tests.supervision.walked import STEPS, Step, Walk


async def is_so(walk: Walk, step: Step) -> None:
    """Assert that the cluster is as it must be once a step is done: what was promised, and nothing destroyed."""
    facts = await walk.sim.control("facts")
    plan = walk.plan
    assert plan is not None
    old, new = {disk.nsd for disk in plan.old_disks}, {device.nsd: device for device in plan.devices}
    nsds, disks = {nsd["name"]: nsd for nsd in facts["nsds"]}, {disk["name"]: disk for disk in facts["disks"]}
    order = STEPS.index(step)
    made, added = 4 <= order + 1 < 11, 5 <= order + 1 < 10
    changed = 6 <= order + 1 < 9
    assert facts["destroyed"] == []
    assert set(nsds) == (old | set(new) if made else old)
    assert set(disks) == (old | set(new) if added else old)
    assert {disks[name]["usage"] for name in old} == {"dataOnly" if changed else "dataAndMetadata"}
    if made:
        assert {name: f"wwn:{nsds[name]['wwn'].removeprefix('0x')}" for name in new} == {
            name: device.identity for name, device in new.items()
        }
    if added:
        assert {(disks[name]["usage"], disks[name]["status"], disks[name]["availability"]) for name in new} == {
            ("metadataOnly", "ready", "up")
        }
        assert {name: int(disks[name]["failure_group"]) for name in new} == {
            name: int(device.failure_group) for name, device in new.items()
        }
    if step.name in ("mmrestripefs", "proof"):
        assert (facts["metadata_left_on_rotating_kb"], facts["properly_replicated"]) == (0, True)
    assert sum(facts["metadata_kb"].values()) == facts["metadata_total_kb"]
