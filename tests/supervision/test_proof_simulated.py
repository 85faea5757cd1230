"""The proof just before mmcrnsd, on simulated servers that are not what they were when devices were chosen."""

from __future__ import annotations

import re
from collections.abc import AsyncIterator, Awaitable, Callable
from typing import Any

import pytest

from remote.errors import SiteError
from remote.events import Decided, Launching
from simulator.client import Simulation
from supervision.filesystem import Choosing, Preview
from supervision.gpfs import GpfsFileSystem
from supervision.migration import Ending, StopError
from supervision.recipes.metadata_to_ssd import MetadataToSsd
from supervision.supervisor import Supervisor
from tests.supervision.cluster import OPERATOR, PLAN, Session, changed, session, until_so
from tests.supervision.seed import of_kind

SSDS = tuple(f"foo{server}_ssd{number}" for server in (1, 2, 3) for number in (1, 2))
IDENTITIES = [f"wwn:55cd2e404b7d1a{0x31 + 5 * (2 * server + number):02x}" for server in (1, 2, 3) for number in (0, 1)]


@pytest.fixture
async def sim() -> AsyncIterator[Simulation]:
    async with Simulation.start(speed=20_000) as made:
        yield made


class Interrupted(MetadataToSsd):
    """The recipe, with something that happens between the choice of devices and the making of NSDs."""

    happens: Callable[[], Awaitable[None]]

    async def _create_nsds(self) -> str:
        await self.happens()
        return await super()._create_nsds()


async def run(live: Session, happens: Callable[[], Awaitable[None]]) -> Interrupted:
    recipe = Interrupted(live.supervisor, plan=PLAN, operator=OPERATOR)
    recipe.happens = happens
    await recipe.run()
    return recipe


async def reboot(sim: Simulation, supervisor: Supervisor, host: str) -> None:
    """Let a host boot with other device names, and its disks be started again by somebody."""
    before = (await supervisor.site.place(host)).boot_id
    await sim.control("reboot", host=host, shuffle=True)

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
    for number in (1, 2, 3, 4):
        await sim.control("disk", disk=f"foo2_nsd{number}", availability="up")


def stanza_names(live: Session) -> dict[str, str]:
    """The devices that mmcrnsd was told, by the NSDs that it was to make."""
    text = next(event.spec for event in of_kind(live.events, Launching) if "mmcrnsd" in event.spec.id).files[0][1]
    return {nsd: device for device, nsd in re.findall(r"device=(\S+) nsd=(\S+)", text)}


async def test_a_server_that_booted_with_other_names_is_followed_by_identity(sim: Simulation) -> None:
    async with session(sim) as live:
        recipe = await run(live, lambda: reboot(sim, live.supervisor, "pollux2"))
        chosen = [event.what for event in of_kind(live.events, Decided)]
    assert (recipe.steps.ending, recipe.steps.why) == (Ending.DONE, "")
    # every device of pollux2 has the name that the one before it had
    assert stanza_names(live) == dict(zip(SSDS, ("sdg", "sdh", "sdf", "sdg", "sde", "sdf"), strict=True))
    assert "ssd.stanza follows the device: foo2_ssd1: sdg is now sdf on pollux2 (wwn:55cd2e404b7d1a45)" in chosen
    facts = await sim.control("facts")
    assert facts["destroyed"] == []
    assert await made(sim) == dict(zip(SSDS, IDENTITIES, strict=True))


async def test_a_server_that_booted_and_whose_disks_nobody_started_stops_it(sim: Simulation) -> None:
    async def boots() -> None:
        await sim.control("reboot", host="pollux2", shuffle=True)

    async with session(sim) as live:
        with pytest.raises(StopError, match=r"not every disk is ready and up|pollux2"):
            await run(live, boots)
    assert await changed(sim) == []


@pytest.mark.parametrize(
    ("change", "why"),
    [
        ({"swap": True}, "pollux2 does not see wwn:55cd2e404b7d1a4a"),
        ({"seen": False}, "pollux2 does not see wwn:55cd2e404b7d1a4a (was sdh); there is no sdh any more"),
        ({"like": "sdg"}, "wwn:55cd2e404b7d1a45 is seen 2 times: sdg, sdh"),
        ({"fstype": "xfs"}, "sdh on pollux2 (foo2_ssd2): xfs"),
        ({"hangs": True}, "sdh on pollux2 (foo2_ssd2): what lies on it could not be read: hangs"),
        ({"nsd_id": "0A00010F507CC5D0"}, "sector 2 may hold the NSD volume id 0A00010F507CC5D0"),
    ],
    ids=str,
)
async def test_a_device_that_changed_after_it_was_chosen_is_refused_with_the_difference(
    sim: Simulation, change: dict[str, Any], why: str
) -> None:
    async def happens() -> None:
        await sim.control("set_device", host="pollux2", device="sdh", **change)

    async with session(sim) as live:
        recipe = Interrupted(live.supervisor, plan=PLAN, operator=OPERATOR)
        recipe.happens = happens
        with pytest.raises(StopError, match=re.escape(why)):
            await recipe.run()
    assert recipe.steps.ending is Ending.REFUSED
    assert await changed(sim) == []
    assert (await sim.control("facts"))["destroyed"] == []


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
