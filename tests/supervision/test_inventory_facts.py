"""What hosts tell of their devices, as facts: asked in the form a host speaks, and what it cannot tell is a failure."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from remote.command import Command
from remote.events import Header
from remote.gpfs.commands import mmdevdiscover
from remote.gpfs.models import Discovery
from remote.linux.commands import devices, lsblk, lsblk_json, signatures
from remote.linux.host_time import host_time
from remote.linux.inventory import Content, Contents, Inventory, ReadState
from remote.linux.models import BlockDevices
from remote.question import Answer
from remote.recorder import RecordingSite
from remote.recording import VERSION
from simulator.client import Simulation
from supervision.gpfs import GpfsFileSystem
from supervision.gpfs_facts import facts_of
from supervision.journal import Journal
from supervision.store import Store
from supervision.supervisor import Supervisor
from tests.supervision.cluster import look_until_read, session
from tests.supervision.scripted_site import ScriptedSite

JSON = '{"blockdevices": [{"name": "sdb", "kname": "sdb", "size": 5, "parttype": "37AFFC90"}]}'
PAIRS = 'NAME="sdb" KNAME="sdb" SIZE="5"\n'
INVENTORY = "restripe-devices 1\nboot b\ndevice sdb\nnumber 8:16\nnsddevices absent\nend\n"
CONTENTS = "restripe-signatures 1\ndevice sdb\nstate hangs\nend\n"
NO_JSON = "lsblk: invalid option -- 'J'\n"


class Host(ScriptedSite):
    """Answers by the whole text of a command: exit code, stdout, stderr. What it does not hold is not found."""

    def __init__(self, **said: tuple[int, str, str]) -> None:
        super().__init__("n1")
        self.said = {
            lsblk_json().text: (0, JSON, ""),
            devices().text: (0, INVENTORY, ""),
            signatures().text: (0, CONTENTS, ""),
            host_time().text: (0, "1000 +0000\n", ""),
        }
        self.said.update((name.replace("_", "-"), answer) for name, answer in said.items())

    async def _query(self, host: str, commands: Sequence[Command]) -> tuple[Answer, ...]:
        await super()._query(host, commands)
        said = [(command, self.said.get(command.text, (127, "", "sh: not found\n"))) for command in commands]
        return tuple(Answer(command, rc, out.encode(), err.encode()) for command, (rc, out, err) in said)


def watched(site: ScriptedSite) -> Supervisor:
    journal = Journal(Store(Header(VERSION, "0", 0.0, 1000.0, "fs1", site.hosts, site.hosts[0])))
    return Supervisor(RecordingSite(site, journal.emit), journal, fs="fs1", entry=site.hosts[0])


async def test_a_look_at_devices_tells_of_all_three() -> None:
    site = Host()
    async with watched(site) as supervisor:
        assert await supervisor.look_at_devices(("n1",)) == {}
        state = supervisor.store.state
    facts = facts_of(state)
    assert {key for key in state.facts if state.facts[key].failure} == set()
    listed = facts.get(BlockDevices, "n1")
    assert listed is not None
    assert listed.devices[0].parttype == "37affc90"
    inventory = facts.get(Inventory, "n1")
    assert inventory is not None
    assert [node.kname for node in inventory.nodes] == ["sdb"]
    assert facts.get(Contents, "n1") == Contents((Content("sdb", ReadState.HANGS),))
    assert set(state.facts) == {"devices n1", "inventory n1", "contents n1"}


async def test_a_host_without_json_is_asked_for_pairs_and_not_for_json_again() -> None:
    site = Host()
    site.said |= {lsblk_json().text: (1, "", NO_JSON), lsblk().text: (0, PAIRS, "")}
    async with watched(site) as supervisor:
        for _ in range(3):
            assert await supervisor.look_at_devices(("n1",)) == {}
        fact = facts_of(supervisor.store.state).fact(BlockDevices, "n1")
        ran = [command.failure for command in supervisor.store.state.commands if "-J" in command.command]
    assert fact is not None
    assert (fact.failure, fact.command) == ("", lsblk().text)
    assert (site.asked["n1", lsblk_json().text], site.asked["n1", lsblk().text]) == (1, 3)
    assert ran == ["no JSON in this release; it is asked without"]


async def test_a_failure_of_lsblk_is_no_reason_to_ask_it_otherwise() -> None:
    site = Host()
    site.said[lsblk_json().text] = (1, "", "lsblk: failed to access sysfs directory\n")
    async with watched(site) as supervisor:
        await supervisor.look_at_devices(("n1",))
        fact = facts_of(supervisor.store.state).fact(BlockDevices, "n1")
    assert fact is not None
    assert fact.failure == "exit code 1: lsblk: failed to access sysfs directory"
    assert site.asked["n1", lsblk().text] == 0


@pytest.mark.parametrize(
    ("answer", "failure"),
    [
        ((127, "", "sh: sh: not found\n"), "exit code 127: sh: sh: not found"),
        ((1, "", "sudo: a password is required\n"), "exit code 1: sudo: a password is required"),
        ((124, CONTENTS[:30], ""), "exit code 124: restripe-signatures 1\ndevice s"),
    ],
)
async def test_what_a_host_cannot_tell_is_a_failure_beside_what_it_can(
    answer: tuple[int, str, str], failure: str
) -> None:
    site = Host(restripe_signatures=answer)
    async with watched(site) as supervisor:
        assert await supervisor.look_at_devices(("n1",)) == {}
        facts = facts_of(supervisor.store.state)
    fact = facts.fact(Contents, "n1")
    assert fact is not None
    assert (fact.failure, fact.parsed) == (failure, None)
    assert facts.get(Contents, "n1") is None
    assert facts.get(Inventory, "n1") is not None


async def test_an_answer_of_nothing_is_a_problem_of_its_text() -> None:
    async with watched(ScriptedSite("n1")) as supervisor:
        assert await supervisor.look_at_devices(("n1",)) == {}
        facts = facts_of(supervisor.store.state)
    for kind in (Inventory, Contents, BlockDevices):
        fact = facts.fact(kind, "n1")
        assert fact is not None
        assert fact.parsed is not None
        assert not fact.parsed.ok


def test_each_watched_host_is_asked_for_its_devices_apart_from_its_time() -> None:
    """A disk that hangs must hold no time up: clocks are compared by it."""
    cadences = {cadence.name: cadence for cadence in GpfsFileSystem("fs1", "n1").host_cadences("n1")}
    assert cadences["devices n1"].commands == (lsblk(), devices(), signatures(), mmdevdiscover())
    assert cadences["time n1"].commands == (host_time(),)


@pytest.mark.parametrize("scenario", ["seed", "scale"])
async def test_simulated_hosts_are_asked_over_ssh_and_never_for_the_disks_of_this_machine(scenario: str) -> None:
    async with Simulation.start(scenario, speed=60) as sim, session(sim, armed=False) as live:
        await look_until_read(live, (sim.entry,))
        await live.supervisor.ask(sim.entry, mmdevdiscover())
        state = live.store.state
    facts = facts_of(state)
    assert not any(fact.failure or (fact.parsed and fact.parsed.problems) for fact in state.facts.values())
    inventory, contents, found = (facts.get(kind, sim.entry) for kind in (Inventory, Contents, Discovery))
    assert isinstance(inventory, Inventory)
    assert inventory.boot_id
    assert isinstance(contents, Contents)
    assert {content.state for content in contents.devices} <= {ReadState.READ, ReadState.PATH}
    assert isinstance(found, Discovery)
    listed = facts.get(BlockDevices, sim.entry)
    assert listed is not None
    names = {device.kname for device in listed.devices}
    assert {name for name, _ in found.devices} <= names
    assert {node.kname for node in inventory.nodes} <= names
    assert {content.kname for content in contents.devices} <= names
    assert found.devices
