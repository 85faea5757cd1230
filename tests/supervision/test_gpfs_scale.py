"""The file system's questions, asked of a simulated cluster of 22 nodes: the tables that come of the answers."""

from __future__ import annotations

from remote.gpfs.commands import mmdiag_waiters
from remote.gpfs.models import Waiters
from simulator.client import Simulation
from supervision.gpfs import GpfsFileSystem, own_daemon
from supervision.gpfs_facts import facts_of
from supervision.tables import Severity
from tests.supervision.cluster import look_until_read, session


async def test_a_grown_cluster_answers() -> None:
    async with Simulation.start("scale", speed=60) as sim, session(sim, armed=False) as live:
        fs = GpfsFileSystem(sim.fs, sim.entry, sim.hosts)
        await live.supervisor.ask(sim.entry, *fs.questions(), *fs.costly())
        # those of one enclosure: the other three are the same again, and looking is what takes the time
        await look_until_read(live, ("nsd01", "nsd02"))
        await live.supervisor.ask("cl03", own_daemon())
        await live.supervisor.ask("nsd01", own_daemon(), mmdiag_waiters())
        state = live.store.state
    assert not any(fact.failure for fact in state.facts.values())

    assert facts_of(state).get(Waiters, "nsd01") is not None
    nodes = fs.nodes(state)
    bad = {row.cells[0].text for row in nodes.rows if row.severity is Severity.BAD}
    assert bad == {"cl03", "cl[07,11]"}  # alike but for our connection
    assert nodes.rows[0].severity is Severity.BAD
    assert any("guest" in row.cells[nodes.column("roles")].text for row in nodes.rows)
    assert any("ces" in row.cells[nodes.column("roles")].text for row in nodes.rows)
    down = [line for line in fs.problems(state) if line.label == "Nodes"]
    assert [line.value for line in down] == ["GPFS is down on cl[03,07,11]"]

    disks = fs.disks(state)
    assert len(disks.rows) == 128
    assert not disks.columns[disks.column("pool")].wide
    assert disks.rows[0].cells[disks.column("servers")].text == "nsd[01-02]"
    detail = dict(disks.rows[0].detail)
    assert {"on nsd01", "on nsd02", "disk id"} <= detail.keys()

    devices = fs.devices(state)
    use, drift = devices.column("use"), devices.column("drift")
    first = [row for row in devices.rows if row.cells[use].text == "e1_lun01"]
    assert [row.cells[devices.column("host")].text for row in first] == ["nsd01", "nsd02"]
    assert [row.cells[drift].text for row in first] == ["≠ name"] * 2
    new = [row for row in devices.rows if row.cells[use].text == "free"]
    assert len(new) == 4 * 2  # four new SSDs of the enclosure, seen by two servers
