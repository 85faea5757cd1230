"""The checks on a simulated cluster that is asked over SSH: what only hosts themselves tell, and devices."""

from __future__ import annotations

from simulator.client import Simulation
from supervision.checking import Outcome, stops
from tests.supervision.cluster import session
from tests.supervision.preflight import look, planned

NIGHTLY = "0 1 * * * root /usr/lpp/mmfs/bin/mmcrsnapshot mss1 daily"


async def test_what_hosts_tell_of_programs_crontabs_and_devices() -> None:
    async with Simulation.start("seed-5.2", speed=3000) as sim, session(sim) as live:
        plan = await planned(live)
        await sim.control("file", host="pollux2", path="/etc/cron.d/snap", text=NIGHTLY)
        await sim.control("callback", name="ilm", command="/usr/local/sbin/migrate", event="lowDiskSpace")
        await sim.control("attribute", name="metadata_replicas", value=1)
        await sim.control("mount", host="pollux2", mounted=False)
        await sim.control("role", disk="foo1_nsd1", status="suspended")
        await sim.control("inodes", used=145_000_000, allocated=146_000_000)
        await sim.control("outsider", host="pollux3", through="nohup", options="-r -N foo3")
        found = await look(live, plan, "look")
        assert {check.key for check in stops(found.values())} == {"conflicting", "disks-ready", "availability"}
        assert "mmrestripefs mss1 -r -N foo3 runs on pollux3" in found["conflicting"].read
        assert found["nightly"].outcome is found["mounted"].outcome is found["inodes"].outcome is Outcome.WARNING
        assert found["nightly"].read == f"pollux2 /etc/cron.d/snap: {NIGHTLY}"
        assert "ilm at lowDiskSpace" in found["callbacks"].read

        await sim.control("set_device", host="pollux1", device="sdg", fstype="xfs")
        found = await look(live, plan, "devices")
        assert found["devices"].outcome is found["devices-in-use"].outcome is Outcome.BLOCK
        assert "foo1_ssd1" in found["devices-in-use"].read
