"""The checks from sizing to the proof, and those of the way back: each where it passes, and where it stops or warns."""

from __future__ import annotations

from pathlib import Path

import msgspec
import pytest

from remote.gpfs.models import FsSpace
from remote.jobs import JobState
from simulator import faults
from supervision.checking import Check, Outcome, stops
from supervision.footprint import Assumptions
from supervision.plan import Options, Plan
from supervision.recipes.metadata_to_ssd.restriping import RestripeAll
from supervision.state import log_source
from tests.simulator.seed_listings import DATA_ONLY_STANZAS, SSD_STANZAS
from tests.supervision import gpfs_states as made
from tests.supervision.farfacts import SCALE_STANZAS, Far
from tests.supervision.test_plan import PLAN

PASS, NOTE, WARNING, BLOCK, UNKNOWN = (
    Outcome.PASS,
    Outcome.NOTE,
    Outcome.WARNING,
    Outcome.BLOCK,
    Outcome.UNKNOWN,
)
replace = msgspec.structs.replace
DEVICE_KEYS = {"boots", "nsds-found", "devices", "nsds-made", "signatures"}
"""Checks that rest on a look at devices, which no command told here: tests/supervision/test_preflight_devices.py."""


def reads(check: Check, *words: str) -> None:
    """The check says these words."""
    told = f"{check.read} | {check.advice}"
    for word in words:
        assert word in told, told


def told(found: dict[str, Check]) -> dict[str, Outcome]:
    """What is more than a note, but for devices."""
    return {
        key: check.outcome
        for key, check in found.items()
        if check.outcome not in (PASS, NOTE) and key not in DEVICE_KEYS
    }


async def begun(tmp_path: Path, scenario: str = "seed-5.2") -> tuple[Far, Plan]:
    far = Far(tmp_path, scenario)
    return far, await far.plan()


async def restriped(far: Far, plan: Plan) -> None:
    """The whole procedure, and the job of its restripe with the log."""
    await far.inside.migrate()
    command = f"mmrestripefs {plan.file_system} -r -N foo1,foo2,foo3"
    answer = await far.inside.run(*command.split())
    assert answer.rc == 0
    job = far.job(plan, command)
    lines = [(far.now, line) for line in answer.out.splitlines()]
    log = made.log(*lines, job_id=job.status.id)
    far.logs[plan.host, log_source(job.status.id)] = replace(log, host=plan.host)


async def test_sizes_are_judged_by_figures_of_now(tmp_path: Path) -> None:
    far, plan = await begun(tmp_path)
    found = await far.look(plan, "size")
    assert told(found) == {}
    # 88,772,608 x (512 + 2048 bytes) x 2 copies
    reads(found["size-as-planned"], "443,863,040 KB by plan now, 443,863,040 KB when the plan was made")
    far.fs.inodes.allocated = 100_000_000
    check = (await far.look(plan, "size"))["size-as-planned"]
    assert check.outcome is WARNING
    # 100,000,000 x (512 + 2048 bytes) x 2 copies
    reads(check, "500,000,000 KB by plan now", "the plan still holds")


async def test_a_plan_that_does_not_fit_is_refused_and_one_that_is_tight_a_warning(tmp_path: Path) -> None:
    far, plan = await begun(tmp_path)
    for each_plan, outcome in ((2048, PASS), (5000, WARNING), (9000, BLOCK)):
        options = Options(assumptions=Assumptions(each_plan=each_plan))
        found = await far.look(replace(plan, options=options), "size")
        assert found["size-fits"].outcome is outcome, each_plan


async def test_uneven_groups_and_disks_too_large_for_the_pool_are_told(tmp_path: Path) -> None:
    far, plan = await begun(tmp_path)
    larger = replace(plan.devices[0], size_bytes=2 * plan.devices[0].size_bytes)
    found = await far.look(replace(plan, devices=(larger, *plan.devices[1:])), "size")
    assert found["group-sizes"].outcome is WARNING
    reads(found["group-sizes"], "failure group 2 has 398,962,196,480 bytes, another 598,443,294,720")
    assert found["largest-disk"].outcome is PASS
    huge = replace(plan.devices[0], size_bytes=400 << 40)
    check = (await far.look(replace(plan, devices=(huge, *plan.devices[1:])), "size"))["largest-disk"]
    assert check.outcome is BLOCK
    reads(check, "429,496,729,600 KB", "mmadddisk would refuse it")


async def test_figures_that_are_rounded_decide_nothing(tmp_path: Path) -> None:
    far, plan = await begun(tmp_path)
    await far.look(plan, "size")
    fact = far.facts["space mss1"]
    assert fact.parsed
    space: FsSpace = fact.parsed.model
    far.facts["space mss1"] = replace(fact, parsed=replace(fact.parsed, model=replace(space, unit="TB")))
    found = far.judged(plan, "size", 0.0)
    assert found["size-fits"].outcome is found["size-as-planned"].outcome is UNKNOWN
    reads(found["size-fits"], "mmdf tells TB, which are rounded up")


async def test_the_configuration_is_saved_before_anything_is_changed(tmp_path: Path) -> None:
    far, plan = await begun(tmp_path)
    found = await far.look(plan, "mmcrnsd")
    assert found["saved-config"].outcome is NOTE
    reads(found["saved-config"], "has not run for this plan", "mmbackupconfig mss1 -o FILE")
    assert (found["saved-tables"].outcome, found["verify"].outcome) == (PASS, PASS)
    far.job(plan, "mmbackupconfig mss1 -o /jobs/x", rc=1)
    check = (await far.look(plan, "mmcrnsd"))["saved-config"]
    assert check.outcome is WARNING
    reads(check, "did not end well: exit code 1")
    going = far.job(plan, "mmbackupconfig mss1 -o /jobs/x", rc=None)
    assert (await far.look(plan, "mmcrnsd"))["saved-config"].outcome is BLOCK
    del far.jobs[plan.host, going.status.id]
    far.job(plan, "mmbackupconfig mss1 -o /jobs/x")
    assert told(await far.look(plan, "mmcrnsd")) == {}
    del far.facts["nsd devices"]
    assert far.judged(plan, "mmcrnsd", 0.0)["saved-tables"].outcome is UNKNOWN


async def test_only_free_nsds_of_the_plan_are_added(tmp_path: Path) -> None:
    far, plan = await begun(tmp_path)
    check = (await far.look(plan, "mmadddisk"))["nsds-free"]
    assert check.outcome is BLOCK
    reads(check, "there is no NSD foo1_ssd1")
    await far.inside.run("mmcrnsd", "-F", far.inside.write(SSD_STANZAS))
    found = await far.look(plan, "mmadddisk")
    assert told(found) == {}
    reads(found["nsds-free"], "6 NSDs in no file system, with the servers of the plan")
    elsewhere = replace(plan.devices[0], servers=("foo2",))
    check = (await far.look(replace(plan, devices=(elsewhere, *plan.devices[1:])), "mmadddisk"))["nsds-free"]
    assert check.outcome is BLOCK
    reads(check, "foo1_ssd1 has servers pollux1.example.com")
    first = SSD_STANZAS.splitlines()[0]
    await far.inside.run("mmadddisk", "mss1", "-F", far.inside.write(f"{first}\n"))
    check = (await far.look(plan, "mmadddisk"))["nsds-free"]
    assert check.outcome is NOTE
    reads(check, "foo1_ssd1 was added already")
    rest = far.inside.write("\n".join(SSD_STANZAS.splitlines()[1:]))
    await far.inside.run("mmadddisk", "mss1", "-F", rest)
    check = (await far.look(plan, "mmadddisk"))["nsds-free"]
    assert check.outcome is BLOCK
    reads(check, "foo1_ssd1 belongs to mss1")


async def test_what_each_step_promised_is_read_back(tmp_path: Path) -> None:
    far, plan = await begun(tmp_path)
    await far.look(plan, "mmcrnsd")
    assert told(far.promised(plan, "mmcrnsd")) == {"nsds-free": BLOCK}
    await far.inside.run("mmcrnsd", "-F", far.inside.write(SSD_STANZAS))
    await far.look(plan, "mmadddisk")
    assert told(far.promised(plan, "mmcrnsd")) == {}
    assert told(far.promised(plan, "mmadddisk")) == {"new-disks": BLOCK}
    await far.inside.run("mmadddisk", "mss1", "-F", far.inside.write(SSD_STANZAS))
    await far.look(plan, "mmchdisk")
    assert told(far.promised(plan, "mmadddisk")) == {}
    assert told(far.promised(plan, "mmchdisk")) == {"old-disks-data": BLOCK, "restripe-due": BLOCK}
    await far.inside.run("mmchdisk", "mss1", "change", "-F", far.inside.write(DATA_ONLY_STANZAS))
    await far.look(plan, "mmrestripefs")
    assert told(far.promised(plan, "mmchdisk")) == {}
    assert told(far.promised(plan, "mmrestripefs")) == {"replication": BLOCK, "moved": BLOCK}
    assert far.promised(plan, "look") == {}
    far.now += 1
    assert {check.outcome for check in far.promised(plan, "mmchdisk", far.now).values()} == {UNKNOWN}


async def test_the_old_disks_are_changed_once_the_new_ones_are_as_planned_and_have_room(tmp_path: Path) -> None:
    far, plan = await begun(tmp_path)
    await far.inside.add()
    found = await far.look(plan, "mmchdisk")
    assert told(found) == {}
    reads(found["groups-stay"], "6 disks for metadata stay, in 3 failure groups")
    faults.fill(far.world, "foo1_ssd1", 10_000_000)
    check = (await far.look(plan, "mmchdisk"))["new-disks-fill"]
    assert check.outcome is BLOCK
    reads(check, "the fullest is foo1_ssd1 with 95%")
    for name in ("foo1_ssd1", "foo1_ssd2", "foo2_ssd1", "foo2_ssd2"):
        faults.set_disk(far.world, name, "down")
    found = await far.look(plan, "mmchdisk")
    assert found["groups-stay"].outcome is found["new-disks"].outcome is BLOCK
    reads(found["groups-stay"], "in 1 failure groups", "2 copies need as many")
    reads(found["new-disks"], "foo1_ssd1 is metadataOnly, ready and down")


async def test_an_mmchdisk_that_changed_some_disks_can_be_run_again(tmp_path: Path) -> None:
    far, plan = await begun(tmp_path)
    await far.inside.add()
    first = DATA_ONLY_STANZAS.partition("%nsd:\nnsd=foo1_nsd2")[0]
    await far.inside.run("mmchdisk", "mss1", "change", "-F", far.inside.write(first))
    found = await far.look(plan, "mmchdisk")
    assert told(found) == {"old-disks": WARNING}
    reads(found["old-disks"], "foo1_nsd1 is dataOnly already, 11 are not")
    assert found["replication"].outcome is NOTE
    await far.inside.run("mmchdisk", "mss1", "change", "-F", far.inside.write(DATA_ONLY_STANZAS))
    check = (await far.look(plan, "mmchdisk"))["old-disks"]
    assert check.outcome is BLOCK
    reads(check, "none of the old disks holds metadata any more")


async def test_a_restripe_begins_when_it_is_due(tmp_path: Path) -> None:
    far, plan = await begun(tmp_path)
    await far.inside.add()
    check = (await far.look(plan, "mmrestripefs"))["replication"]
    assert check.outcome is WARNING
    reads(check, "compare mmlsdisk with the plan")
    await far.inside.run("mmchdisk", "mss1", "change", "-F", far.inside.write(DATA_ONLY_STANZAS))
    found = await far.look(plan, "mmrestripefs")
    assert told(found) == {}
    reads(found["replication"], "as expected since mmchdisk")
    reads(found["replica-factors"], "-r keeps the copies that each file has")
    far.job(plan, "mmrestripefs mss1 -r -N foo1", rc=None)
    assert (await far.look(plan, "mmrestripefs"))["conflicting"].outcome is BLOCK


async def test_the_proof_says_what_is_so_and_that_it_is_indirect(tmp_path: Path) -> None:
    far, plan = await begun(tmp_path)
    await restriped(far, plan)
    found = await far.look(plan, "proof")
    assert told(found) == {}
    # the seed's figures: 1168834560 KB, of which 756817920 in blocks and 4236672 in fragments are free
    reads(found["moved"], "407,779,968 KB used", "the inodes alone are 88,772,608 KB", "indirect")
    reads(found["size-as-computed"], "407,779,968 KB used; planned 177,545,216 to")
    reads(found["restripe-ended"], "exit code 0, and no file failed")
    assert found["inodes"].outcome is NOTE


async def test_a_proof_fails_while_anything_is_not_as_promised(tmp_path: Path) -> None:
    far, plan = await begun(tmp_path)
    await restriped(far, plan)
    far.fs.properly_replicated = False
    found = await far.look(plan, "proof")
    assert told(found) == {"replication": BLOCK}
    found = await far.look(replace(plan, options=Options(metadata_only=True)), "proof")
    assert (told(found), found["replication"].outcome) == ({}, NOTE)
    reads(found["replication"], "unknown", "--metadata-only may leave")
    far.fs.properly_replicated = True
    small = replace(plan.sizing, plan_kb=300_000_000)
    assert told(await far.look(replace(plan, sizing=small), "proof")) == {"size-as-computed": WARNING}
    large = replace(plan.sizing, low_kb=410_000_000)
    assert told(await far.look(replace(plan, sizing=large), "proof")) == {"size-as-computed": WARNING}
    for disk in far.fs.disks:
        disk.usage = "dataAndMetadata" if disk.name == "foo1_nsd1" else disk.usage
    assert told(await far.look(plan, "proof")) == {"old-disks-data": BLOCK}


async def test_a_restripe_that_did_not_end_well_is_no_proof(tmp_path: Path) -> None:
    far, plan = await begun(tmp_path)
    await restriped(far, plan)
    far.logs.clear()
    assert told(await far.look(plan, "proof")) == {"restripe-ended": WARNING}
    far.jobs.clear()
    assert told(await far.look(plan, "proof")) == {"restripe-ended": UNKNOWN}
    far.job(plan, "mmrestripefs mss1 -r -N foo1", rc=1)
    check = (await far.look(plan, "proof"))["restripe-ended"]
    assert check.outcome is BLOCK
    reads(check, "exit code 1")
    far.jobs.clear()
    far.job(plan, "mmrestripefs mss1 -r -N foo1", rc=None, word=JobState.LOST)
    assert (await far.look(plan, "proof"))["restripe-ended"].outcome is UNKNOWN


async def test_full_disks_are_told_at_the_end(tmp_path: Path) -> None:
    far, plan = await begun(tmp_path)
    await restriped(far, plan)
    faults.fill(far.world, "foo1_ssd1", 20_000_000)
    check = (await far.look(plan, "proof"))["new-disks-fill"]
    assert check.outcome is WARNING
    reads(check, "foo1_ssd1, 89% used")


async def test_the_way_back_begins_with_the_old_disks_and_nothing_small_holds_it_up(tmp_path: Path) -> None:
    far, plan = await begun(tmp_path)
    await far.inside.migrate()
    assert told(await far.look(plan, "mmchdisk-back")) == {}
    far.job(plan, "mmrestripefs mss1 -r -N foo1", rc=None)
    faults.set_disk(far.world, "foo1_ssd1", "down")
    found = await far.look(plan, "mmchdisk-back")
    assert told(found) == {"conflicting": WARNING}
    reads(found["conflicting"], "Stop a restripe first")
    far.jobs.clear()
    del far.facts["programs pollux3"]
    check = far.judged(plan, "mmchdisk-back", 0.0)["conflicting"]
    assert check.outcome is WARNING
    reads(check, "nobody knows what runs on pollux3")
    far.world.quorum_lost = True
    assert (await far.look(plan, "mmchdisk-back"))["quorum"].outcome is BLOCK
    far.world.quorum_lost = False
    far.fs.drop(["foo1_nsd1"])
    check = (await far.look(plan, "mmchdisk-back"))["old-disks-changed"]
    assert check.outcome is BLOCK
    reads(check, "foo1_nsd1 is not in the file system")


async def test_new_disks_are_removed_only_when_the_old_ones_take_metadata_again(tmp_path: Path) -> None:
    far, plan = await begun(tmp_path)
    await far.inside.migrate()
    found = await far.look(plan, "mmdeldisk")
    assert told(found) == {"old-disks-back": BLOCK, "groups-left": BLOCK, "room-back": BLOCK}
    reads(found["old-disks-back"], "only then may the new ones go")
    reads(found["groups-left"], "0 failure groups for metadata, -m 2 (6027-000)")
    back = far.inside.write(plan.stanzas.back)
    assert (await far.inside.run("mmchdisk", "mss1", "change", "-F", back)).rc == 0
    await far.look(plan, "mmchdisk-back")
    assert told(far.promised(plan, "mmchdisk-back")) == {}
    found = await far.look(plan, "mmdeldisk")
    assert told(found) == {}
    reads(found["groups-left"], "3 failure groups for metadata, -m 2; 3 failure groups for data, -r 1")


async def test_removing_stops_at_disks_that_are_down_and_where_there_is_no_room(tmp_path: Path) -> None:
    far, plan = await begun(tmp_path)
    await far.inside.add()
    faults.set_disk(far.world, "foo1_ssd1", "down")
    check = (await far.look(plan, "mmdeldisk"))["removable"]
    assert check.outcome is BLOCK
    reads(check, "foo1_ssd1 is not up", "never -p")
    faults.set_disk(far.world, "foo1_ssd1", "up")
    for disk in far.fs.disks:
        if disk.name.startswith("foo") and "nsd" in disk.name:
            faults.fill(far.world, disk.name, 0)
    check = (await far.look(plan, "mmdeldisk"))["room-back"]
    assert check.outcome is BLOCK
    reads(check, "Make room on the other disks first")


async def test_a_stopped_mmdeldisk_can_be_run_again(tmp_path: Path) -> None:
    far, plan = await begun(tmp_path)
    await far.inside.add()
    far.fs.drop(["foo1_ssd1"])
    for disk in far.fs.disks:
        disk.status = "being emptied" if "ssd" in disk.name else disk.status
    found = await far.look(plan, "mmdeldisk")
    assert {key for key in told(found) if key != "room-back"} == set()
    reads(found["removable"], "5 new disks, metadataOnly and up; 1 are out already")


async def test_nsds_are_deleted_only_when_no_file_system_and_no_quorum_needs_them(tmp_path: Path) -> None:
    far, plan = await begun(tmp_path)
    check = (await far.look(plan, "mmdelnsd"))["nsds-unused"]
    assert check.outcome is BLOCK
    reads(check, "none of the plan's NSDs is there")
    await far.inside.run("mmcrnsd", "-F", far.inside.write(SSD_STANZAS))
    assert told(await far.look(plan, "mmdelnsd")) == {}
    faults.set_config(far.world, "tiebreakerDisks", "foo1_nsd1;foo2_ssd1", "")
    check = (await far.look(plan, "mmdelnsd"))["tiebreakers"]
    assert check.outcome is BLOCK
    reads(check, "foo2_ssd1 is a tiebreaker disk")
    await far.inside.run("mmadddisk", "mss1", "-F", far.inside.write(SSD_STANZAS))
    check = (await far.look(plan, "mmdelnsd"))["nsds-unused"]
    assert check.outcome is BLOCK
    reads(check, "foo1_ssd1 belongs to mss1", "mmdeldisk")
    assert told(far.promised(plan, "mmdelnsd")) == {"deleted": BLOCK}
    assert told(far.promised(plan, "mmdeldisk")) == {"removed": BLOCK}


@pytest.mark.parametrize(
    ("scenario", "stanzas", "usual"), [("seed", SSD_STANZAS, set()), ("scale", SCALE_STANZAS, {"pit-threads"})]
)
async def test_the_whole_way_there_and_back_meets_no_block(
    tmp_path: Path, scenario: str, stanzas: str, usual: set[str]
) -> None:
    far = Far(tmp_path, scenario)
    plan = await far.plan(stanzas)
    fs = plan.file_system
    far.job(plan, f"mmbackupconfig {fs} -o /jobs/x")
    assert told(await far.look(plan, "mmcrnsd")) == {}
    for step, argv in (
        ("mmadddisk", ("mmcrnsd", "-F", far.inside.write(stanzas, "new"))),
        ("mmchdisk", ("mmadddisk", fs, "-F", far.inside.write(stanzas, "added"))),
        ("mmrestripefs", ("mmchdisk", fs, "change", "-F", far.inside.write(plan.stanzas.old, "old"))),
        ("mmchdisk-back", ("mmrestripefs", fs, "-r", "-N", ",".join(plan.nodes[:2]))),
        ("mmdeldisk", ("mmchdisk", fs, "change", "-F", far.inside.write(plan.stanzas.back, "back"))),
        ("mmdelnsd", ("mmdeldisk", fs, ";".join(device.nsd for device in plan.devices))),
    ):
        assert (await far.inside.run(*argv)).rc == 0, argv
        found = await far.look(plan, step)
        assert set(told(found)) <= usual | {"size-snapshots"}, step
        assert {check.key for check in stops(found.values())} <= DEVICE_KEYS


def test_a_refusal_is_told_with_what_it_means_and_what_support_will_ask_for(tmp_path: Path) -> None:
    plan = replace(PLAN, nodes=("foo1", "foo2"))
    lines = ["mmrestripefs: The total number of PIT worker threads of all participating nodes", "cannot exceed 31."]
    said = RestripeAll().explains(plan, lines)
    assert "more than 31 worker threads together" in said
    assert "fewer nodes (-N)" in said
    assert said.endswith("gpfs.snap -N foo1,foo2.")
    assert "by hand" in RestripeAll().explains(plan, [])
