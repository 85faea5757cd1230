"""What a person may type to begin work on a GFS2, and that nothing begins which was not agreed to."""

from __future__ import annotations

import pytest

from remote.errors import RefusedError
from supervision import filesystems
from supervision.gfs2_guides import Gfs2Guides
from supervision.gfs2_jobs import Gfs2Job
from supervision.migration import Ending, StopError
from supervision.state import State
from tests.gfs2.gfs2texts import told
from tests.gfs2.pacemaker import STOPPED, mount, resources
from tests.supervision.gfs2_scripted import DEVICE, HOST, MOUNTED, OUT, THERE, UNUSED, host, supervised
from tests.supervision.scripted_site import ScriptedSite

CLUSTERED = told("sb_350").replace("lock_nolock", "lock_dlm")
UUID = "0d9b438d-66af-4b8a-a559-d2c28a88db74"


def guides(site: ScriptedSite | None = None) -> Gfs2Guides:
    found = filesystems.guides(supervised(site or host()), "ops@desk")
    assert isinstance(found, Gfs2Guides)
    return found


@pytest.mark.parametrize(
    ("typed", "tool"),
    [
        (f"savemeta {OUT}", f"gfs2_edit savemeta -z1 {DEVICE} {OUT}"),
        (f"savemeta {OUT} -z9", f"gfs2_edit savemeta -z9 {DEVICE} {OUT}"),
        (f"  savemeta -z 0  {OUT} ", f"gfs2_edit savemeta -z0 {DEVICE} {OUT}"),
        (f"restoremeta {OUT}", f"gfs2_edit restoremeta {OUT} {DEVICE}"),
        (f"restoremeta {OUT} {UUID}", f"gfs2_edit restoremeta {OUT} {DEVICE}"),
        ("fsck -n", f"fsck.gfs2 -n {DEVICE}"),
        ("fsck -p", f"fsck.gfs2 -p {DEVICE}"),
        ("fsck.gfs2 -y", f"fsck.gfs2 -y {DEVICE}"),
    ],
)
def test_what_is_typed_is_what_would_run_inside_of_the_guard(typed: str, tool: str) -> None:
    assert guides().wrong(typed) == ""
    job = guides().open(typed)
    ran = [command for command in job.commands() if command.endswith(f" -- {tool}")]
    assert len(ran) == 1
    assert ran[0].startswith(f"sh /JOBS/{job.steps.plan}-")
    assert ("--new=" in ran[0]) is (job.wanted.work == "savemeta")


def test_the_uuid_of_what_may_be_lost_is_passed_on_to_the_checks() -> None:
    assert guides().open(f"restoremeta {OUT} {UUID}").wanted.over == UUID


@pytest.mark.parametrize(
    ("typed", "why"),
    [
        ("", "none of savemeta"),
        ("mkfs", "none of savemeta"),
        ("savemeta", "takes one file"),
        ("savemeta out.gz", "takes one file"),
        (f"savemeta {DEVICE} {OUT}", "need not be named"),
        (f"savemeta {OUT} -z12", "no level"),
        (f"savemeta {OUT} -x", "no level"),
        ("savemeta /a;b", "no absolute path"),
        (f"restoremeta {OUT} yes", "UUID"),
        ("fsck", "one of -n"),
        ("fsck -n -y", "one of -n"),
        (f"fsck {DEVICE}", "need not be named"),
    ],
)
def test_what_cannot_be_meant_is_said(typed: str, why: str) -> None:
    assert why in guides().wrong(typed)
    with pytest.raises(ValueError, match=why.replace("(", r"\(")):
        guides().open(typed)


def test_the_example_can_be_opened_as_it_stands() -> None:
    assert guides().wrong(guides().example) == ""


async def test_what_stops_it_is_told_before_anything_runs() -> None:
    site = host()
    site.answers |= {"restripe-room": THERE}
    opened = guides(site)
    with pytest.raises(RefusedError, match=r"would overwrite it; name another file"):
        await opened.open(f"savemeta {OUT}").prepare()
    site.answers |= {"restripe-gfs2-use": MOUNTED}
    with pytest.raises(RefusedError, match=r"fsck of a mounted GFS2 destroys it"):
        await opened.open("fsck -n").prepare()
    assert site.launched == []
    assert opened.ending is None


async def test_a_warning_that_nobody_has_agreed_to_stops_it() -> None:
    site = host()
    opened = guides(site)
    job = opened.open(f"savemeta {OUT}")
    await job.prepare()
    assert not any(line.startswith("WARNING") for line in job.lines)
    site.answers |= {"restripe-gfs2-use": MOUNTED}  # somebody mounts it while the question is read
    with pytest.raises(StopError, match="was not so when it was confirmed: mounted: n1 has it mounted") as stopped:
        await job.run()
    assert stopped.value.ending is Ending.REFUSED
    opened.open("fsck -n")  # what was opened and not begun makes no difference
    assert opened.ending is Ending.REFUSED
    assert site.launched == []


async def test_a_warning_that_was_agreed_to_is_kept_with_the_name_of_who_did() -> None:
    site = host()
    site.answers |= {"restripe-gfs2-use": MOUNTED}
    job = guides(site).open(f"savemeta {OUT}")
    await job.prepare()
    assert job.lines[0].startswith("WARNING  mounted: n1 has it mounted: /dev/vg0/data on /data")
    await looked(job)
    (decision,) = state_of(job).decisions
    assert decision.who == "ops@desk"
    assert decision.what.startswith("WARNING: mounted: n1 has it mounted")


async def looked(job: Gfs2Job) -> None:
    """The first step alone."""
    await job.steps.step(job._look)


def state_of(job: Gfs2Job) -> State:
    return job.steps.supervisor.store.state


async def test_the_resource_groups_are_not_read_twice_within_minutes() -> None:
    site = host()
    job = guides(site).open(f"savemeta {OUT}")
    await job.prepare()
    await looked(job)
    assert site.asked[HOST, f"restripe-gfs2-rgs {DEVICE}"] == 1
    assert site.asked[HOST, f"blkid -p {DEVICE}"] == 2


async def test_a_check_waits_for_every_node_and_for_the_resource_to_be_disabled() -> None:
    site = host()
    nodes = "nodes crm_node 0\n| 1 n1 member\n| 2 n2 member\nresources cibadmin 0\n"
    enabled = nodes + "".join(f"| {line}\n" for line in resources(mount("home", DEVICE)).splitlines())
    disabled = nodes + "".join(f"| {line}\n" for line in resources(mount("home", DEVICE, STOPPED)).splitlines())
    site.answers |= {
        "gfs2_edit": CLUSTERED,
        "restripe-gfs2-use": UNUSED.replace("mounts told\n", f"mounts told\n{disabled}"),
    }
    site.away = {"n2"}
    opened = guides(site)
    with pytest.raises(RefusedError, match=r"whether n2 has it mounted is not known: .*make n2 answer"):
        await opened.open("fsck -y").prepare()
    site.away.clear()
    job = opened.open("fsck -y")
    await job.prepare()
    assert any("not mounted on n[1-2]" in line for line in job.lines)
    assert site.asked["n2", f"restripe-gfs2-use {DEVICE}"] >= 1
    site.answers |= {"restripe-gfs2-use": UNUSED.replace("mounts told\n", f"mounts told\n{enabled}")}
    with pytest.raises(StopError, match=r"resource home is not disabled.*pcs resource disable home"):
        await job.run()
    assert site.launched == []


async def test_the_steps_of_one_work_are_gone_when_those_of_another_are_announced() -> None:
    site = host()
    opened = guides(site)
    job = opened.open(f"restoremeta {OUT}")
    job.steps.announce()
    state = state_of(job)
    assert [step.name for step in state.steps.values()] == ["look", "whole", "restoremeta", "verify"]
    after = opened.open("fsck -n")
    after.steps.announce()
    assert [step.name for step in state_of(after).steps.values()] == ["look", "fsck", "verify"]
