"""Plans from what the seed's cluster tells: its devices, stanzas and figures, and what keeps one from being made."""

from __future__ import annotations

from collections.abc import Mapping
from importlib.resources import files
from pathlib import Path
from typing import Any

import msgspec
import pytest

from remote.gpfs.models import DiskList, FsSpace, NsdDevices
from remote.parsed import Parsed
from supervision.gpfs_planning import Planned, PlanningError, Wish, draft
from supervision.gpfs_view import View
from supervision.plan import decode, encode
from supervision.replay import Replay

REPLAY = Replay(Path(str(files("recordings"))) / "seed-3.5.jsonl")
LOOKED = REPLAY.end.step_times[2][1]
"""When the cluster had told of its disks and the servers of their devices; nothing was changed yet."""
HOSTS = ("pollux1", "pollux2", "pollux3")
SSD_BYTES = 194_805_760 * 1024


def planned(wish: Wish = Wish(), **changed: Any) -> Planned:  # noqa: B008  it is frozen
    """A plan of the recorded cluster; `changed` are models that take the place of what it told, by their kind."""
    now = REPLAY.at(LOOKED)
    keys: Mapping[str, str] = {"disks": "disks mss1", "space": "space mss1", "rows": "nsd devices"}
    facts = dict(now.facts)
    for name, change in changed.items():
        fact = facts[keys[name]]
        assert fact.parsed
        facts[keys[name]] = msgspec.structs.replace(fact, parsed=Parsed(change(fact.parsed.model)))
    view = View(msgspec.structs.replace(now, facts=facts), "mss1", HOSTS)
    return draft(view, wish, HOSTS, by="root@admin1", host="pollux1", now=LOOKED)


def refused(wish: Wish = Wish(), **changed: Any) -> str:  # noqa: B008
    with pytest.raises(PlanningError) as error:
        planned(wish, **changed)
    assert not error.value.unread
    return str(error.value)


def test_the_plan_of_the_seed_names_its_six_ssds_by_identity_and_where_each_was_called_what() -> None:
    plan = planned().plan
    assert (plan.id, plan.file_system, plan.cluster) == ("mss1-20130606T152337", "mss1", "pollux.example.com")
    assert [(device.nsd, device.at[0].name, device.failure_group) for device in plan.devices] == [
        ("foo1_ssd1", "sdg", "1"),
        ("foo1_ssd2", "sdh", "1"),
        ("foo2_ssd1", "sdg", "2"),
        ("foo2_ssd2", "sdh", "2"),
        ("foo3_ssd1", "sde", "3"),
        ("foo3_ssd2", "sdf", "3"),
    ]
    assert {device.size_bytes for device in plan.devices} == {SSD_BYTES}
    assert len({device.identity for device in plan.devices}) == 6
    assert all(device.at[0].boot_id for device in plan.devices)
    assert decode(encode(plan)) == plan


def test_its_stanzas_are_those_of_2013_and_the_way_back_is_written_beforehand() -> None:
    stanzas = planned().plan.stanzas
    assert stanzas.new.splitlines()[1] == (
        "%nsd: device=sdg nsd=foo1_ssd1 servers=foo1 usage=metadataOnly failureGroup=1 pool=system"
    )
    assert "%nsd: nsd=foo3_nsd4 usage=dataOnly failureGroup=3 pool=system" in stanzas.old.splitlines()
    assert stanzas.old.count("usage=dataOnly") == stanzas.back.count("usage=dataAndMetadata") == 12


def test_its_size_is_computed_from_what_mmdf_and_mmlsfs_told_and_rests_on_answers_with_their_checksums() -> None:
    plan = planned().plan
    assert (plan.sizing.floor_kb, plan.sizing.plan_kb) == (88_772_608, 443_863_040)
    assert plan.sizing.usable_kb == 6 * 194_805_760
    commands = {(fact.command, fact.host) for fact in plan.facts}
    assert {("mmdf mss1 -Y", "pollux1"), ("mmlsdisk mss1", "pollux1"), ("restripe-devices", "pollux3")} <= commands
    assert all(len(fact.sha256) == 64 and fact.at <= plan.made for fact in plan.facts)


def test_what_a_person_wants_is_in_the_plan() -> None:
    identity = planned().plan.devices
    some = tuple(device.serial for device in (identity[0], identity[2], identity[4]))
    wish = Wish(devices=some, nodes=("pollux2", "foo3"), metadata_only=True, pattern="meta_{server}_{n}")
    plan = planned(wish).plan
    assert [device.nsd for device in plan.devices] == ["meta_foo1_1", "meta_foo2_1", "meta_foo3_1"]
    assert plan.nodes == ("foo2", "foo3")
    assert plan.options.metadata_only
    assert planned(Wish(assumed={"each_plan": 3000})).plan.options.assumptions.each_plan == 3000


@pytest.mark.parametrize(
    ("wish", "told"),
    [
        (Wish(assumed={"each_plan": 9000}), "it does not fit: "),
        (Wish(devices=("nothing",)), "nothing is 0 devices on pollux[1-3]: "),
        (Wish(nodes=("client9",)), "'client9' is no node of the cluster"),
        (Wish(pattern="ssd"), "ssd is taken: a pattern with {n} counts"),
        (Wish(pattern="{nsd}"), "{nsd} is no field"),
    ],
)
def test_what_cannot_be_meant_or_does_not_fit_is_no_plan(wish: Wish, told: str) -> None:
    assert told in refused(wish)


def test_a_cluster_that_is_not_well_gets_no_plan() -> None:
    def first(model: DiskList, **change: Any) -> DiskList:
        return msgspec.structs.replace(
            model, disks=(msgspec.structs.replace(model.disks[0], **change), *model.disks[1:])
        )

    assert "foo1_nsd1 is ready and down" in refused(disks=lambda model: first(model, availability="down"))
    sentence = "Attention: Due to an earlier configuration change the file system is no longer properly replicated."
    replicated = lambda model: msgspec.structs.replace(model, attention=(sentence,))  # noqa: E731
    assert "is not properly replicated now" in refused(disks=replicated)


def test_disks_of_a_recovery_group_are_refused_with_the_reason() -> None:
    def vdisk(model: NsdDevices) -> NsdDevices:
        row = msgspec.structs.replace(model.rows[0], device="foo1_vdisk1", devtype="vdisk")
        return msgspec.structs.replace(model, rows=(row, *model.rows[1:]))

    told = refused(rows=vdisk)
    assert told == "foo1_nsd1 is of a recovery group, which mmvdisk alone may change: this recipe never does"


def test_inodes_that_mmdf_did_not_tell_leave_the_size_open() -> None:
    def without(model: FsSpace) -> FsSpace:
        return msgspec.structs.replace(model, inodes=None)

    assert refused(space=without) == "mmdf has not told how many inodes are allocated"
