"""The proof just before mmcrnsd, on simulated servers that are not what they were when devices were chosen."""

from __future__ import annotations

import re
from collections.abc import AsyncIterator, Awaitable, Callable
from typing import Any

import pytest

from remote.checked import Check
from remote.errors import SiteError
from remote.events import Launching
from simulator.client import Simulation
from supervision.filesystem import Choosing, Preview
from supervision.gpfs import GpfsFileSystem
from supervision.migration import StepState, StopError
from supervision.recipe import Act, GuidedStep
from supervision.supervisor import Supervisor
from tests.supervision.cluster import Session, changed, session, until_so
from tests.supervision.seed import of_kind

SSDS = tuple(f"foo{server}_ssd{number}" for server in (1, 2, 3) for number in (1, 2))
IDENTITIES = [f"wwn:55cd2e404b7d1a{0x31 + 5 * (2 * server + number):02x}" for server in (1, 2, 3) for number in (0, 1)]


@pytest.fixture
async def sim() -> AsyncIterator[Simulation]:
    async with Simulation.start(speed=20_000) as made:
        yield made


class Interrupts:
    """Says yes to all, after something has happened while a step's question was open."""

    def __init__(self, name: str, happens: Callable[[], Awaitable[None]]) -> None:
        self._name = name
        self._happens = happens
        self.armed = True

    async def acknowledge(self, step: GuidedStep, check: Check) -> bool:
        return True

    async def confirm(self, step: GuidedStep, checks: tuple[Check, ...], act: Act) -> bool:
        if step.spec.name == self._name and self.armed:
            self.armed = False
            await self._happens()
        return True


async def reboot(sim: Simulation, supervisor: Supervisor, host: str) -> None:
    """Let a host boot with other device names, while another server serves its disks."""
    before = (await supervisor.site.place(host)).boot_id
    await sim.control("power_off", host=host, disks="stay")
    await sim.control("power_on", host=host, shuffle=True)

    async def is_back() -> bool:
        try:
            return (await supervisor.site.place(host)).boot_id != before
        except SiteError:
            return False

    async def serves() -> bool:
        facts = await sim.control("facts")
        return all(state["daemon"] == "active" for state in facts["hosts"].values())

    await until_so(is_back)
    await until_so(serves)


def stanza_names(live: Session) -> dict[str, str]:
    """The devices that mmcrnsd was told, by the NSDs that it was to make."""
    files = next(event.spec.files for event in of_kind(live.events, Launching) if "-mmcrnsd-" in event.spec.id)
    return {nsd: device for device, nsd in re.findall(r"device=(\S+) nsd=(\S+)", dict(files)["ssd.stanza"])}


async def test_a_server_that_booted_with_other_names_is_followed_by_identity(sim: Simulation) -> None:
    """It boots while a person reads the question, who is asked again then: the file is another one."""
    async with session(sim) as live:
        plan = await live.plan()
        approver = Interrupts("mmcrnsd", lambda: reboot(sim, live.supervisor, "pollux2"))
        guide, stop = await live.walk(plan, approver)
    assert (stop, guide.next) == (None, None)
    # every device of pollux2 has the name that the one before it had
    assert stanza_names(live) == dict(zip(SSDS, ("sdg", "sdh", "sdf", "sdg", "sde", "sdf"), strict=True))
    facts = await sim.control("facts")
    assert facts["destroyed"] == []
    assert await made(sim) == dict(zip(SSDS, IDENTITIES, strict=True))


CHANGES: list[tuple[dict[str, Any], dict[str, Any], str]] = [
    ({"seen": False}, {"seen": True}, "pollux2 does not see wwn:55cd2e404b7d1a4a (was sdh); there is no sdh any more"),
    ({"fstype": "xfs"}, {"fstype": ""}, "xfs"),
    ({"hangs": True}, {"hangs": False}, "could not be read: hangs"),
    ({"nsd_id": "0A00010F507CC5D0"}, {"nsd_id": ""}, "sector 2 may hold the NSD volume id 0A00010F507CC5D0"),
    ({"swap": True}, {}, "pollux2 does not see wwn:55cd2e404b7d1a4a"),
]


async def test_a_device_that_changed_while_the_question_was_open_is_refused_with_the_difference(
    sim: Simulation,
) -> None:
    async with session(sim) as live:
        change: dict[str, Any] = {}

        async def happens() -> None:
            await sim.control("set_device", host="pollux2", device="sdh", **change)

        approver = Interrupts("mmcrnsd", happens)
        guide = live.guide(await live.plan(), approver)
        await guide.find()
        for number in (1, 2, 3):
            await guide.run(number)
        for to, back, why in CHANGES:
            change, approver.armed = to, True
            with pytest.raises(StopError, match=re.escape(why)):
                await guide.run(4)
            assert guide.status(4) is StepState.BLOCKED
            await sim.control("set_device", host="pollux2", device="sdh", **back)
        assert await changed(sim) == []
        assert (await sim.control("facts"))["destroyed"] == []
        assert not [event for event in of_kind(live.events, Launching) if "-mmcrnsd-" in event.spec.id]


async def made(sim: Simulation) -> dict[str, str]:
    """Which device each new NSD really is, by what the cluster itself knows of its hardware."""
    facts = await sim.control("facts")
    return {nsd["name"]: f"wwn:{nsd['wwn'].removeprefix('0x')}" for nsd in facts["nsds"] if nsd["name"] in SSDS}


async def test_names_of_an_earlier_boot_block_until_the_host_is_looked_at_again(sim: Simulation) -> None:
    async with session(sim) as live:
        fs = GpfsFileSystem(sim.fs, sim.entry, sim.hosts)
        await live.supervisor.ask(sim.entry, *fs.questions(), *fs.costly())

        def preview() -> Preview:
            state = live.store.state
            free = [row.key for row in fs.devices(state).rows if row.key.startswith("pollux2 wwn:55cd2e404b7d1a")]
            assert len(free) == 2
            made = fs.preview(state, Choosing(tuple(free)))
            assert made is not None
            return made

        assert await live.supervisor.look_at_devices(sim.hosts, *fs.device_questions()) == {}
        assert preview().text.count("%nsd:") == 2
        await reboot(sim, live.supervisor, "pollux2")  # asks in which boot it is
        stale = preview()
        assert stale.text == ""
        assert any("its host is in another boot than it was looked at in" in line.value for line in stale.lines)
        assert await live.supervisor.look_at_devices(("pollux2",), *fs.device_questions()) == {}
        await live.supervisor.ask(sim.entry, *fs.costly())
        again = preview()
        assert [word for word in again.text.split() if word.startswith("device=")] == ["device=sdf", "device=sdg"]
