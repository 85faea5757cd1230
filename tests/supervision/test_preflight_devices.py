"""The checks that rest on a look at devices: three servers, on the third of which the SSDs have other names."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import msgspec

from remote.gpfs.models import FileSystem, FsAttribute, NsdDevice, NsdDevices, Usage
from remote.gpfs.stanza import NsdStanza, write_nsd_stanzas
from remote.jobs import JobState, JobStatus, Place
from remote.linux.inventory import Content, ReadState, Signature
from remote.linux.models import BlockDevices
from remote.parsed import Parsed, Problem
from supervision import gpfs_preflight as preflight
from supervision import gpfs_preflight_devices as rules
from supervision import gpfs_preflight_made as nsds
from supervision.checking import Check, Outcome, stops
from supervision.facts import Fact
from supervision.footprint import Sizing
from supervision.gpfs_preflight_grounds import Rule, apply
from supervision.gpfs_view import View
from supervision.pins import PinnedAt
from supervision.plan import Plan, PlannedDevice, Stanzas
from supervision.state import Job
from tests.supervision import devicefacts as far

PASS, NOTE, WARNING, BLOCK, UNKNOWN = (
    Outcome.PASS,
    Outcome.NOTE,
    Outcome.WARNING,
    Outcome.BLOCK,
    Outcome.UNKNOWN,
)
replace = msgspec.structs.replace
SSDS = {f"foo{number}_ssd{slot}": f"BTWA{number}0{slot}" for number in (1, 2, 3) for slot in (1, 2)}
"""The NSDs to come and the serial numbers of their disks."""
XFS = Signature("xfs", "filesystem")
MADE = int(far.NOW) - 60
"""When mmcrnsd ran, by the volume ids."""


def stanzas() -> list[NsdStanza]:
    found = []
    for number, host in enumerate(far.HOSTS, 1):
        for slot in (1, 2):
            name = far.NAMES[host][1 + slot]
            found.append(
                NsdStanza(name, f"foo{number}_ssd{slot}", (f"foo{number}",), Usage.METADATA_ONLY, str(number), "system")
            )
    return found


def plan(**changes: Any) -> Plan:
    devices = tuple(
        PlannedDevice(
            nsd=stanza.nsd,
            identity=f"wwn:{far.wwn(SSDS[stanza.nsd])}",
            size_bytes=far.SSD,
            servers=stanza.servers,
            failure_group=stanza.failure_group,
            pool="system",
            at=(
                PinnedAt(
                    f"pollux{stanza.failure_group}",
                    f"pollux{stanza.failure_group}.example.com",
                    stanza.device,
                    f"boot-pollux{stanza.failure_group}-1",
                ),
            ),
        )
        for stanza in stanzas()
    )
    made = Plan(
        id="plan-1",
        recipe="metadata-to-ssd",
        kind="gpfs",
        goal="",
        cluster="c",
        file_system=far.FS,
        host="pollux1",
        made=far.NOW - 3600,
        by="ops@desk",
        nodes=("foo1", "foo2", "foo3"),
        sizing=Sizing(floor_kb=1, low_kb=1, plan_kb=1, high_kb=1, usable_kb=1),
        stanzas=Stanzas(new=write_nsd_stanzas(stanzas()), old=""),
        devices=devices,
        old_disks=(),
    )
    return replace(made, **changes)


def system(copies: int = 2, inode: int = 512) -> FileSystem:
    flags = {"-m": str(copies), "-i": str(inode), "--is4KAligned": "Yes"}
    return FileSystem(far.FS, tuple(FsAttribute(flag, value, "") for flag, value in flags.items()))


def with_nsds(facts: dict[str, Fact], made_at: int = MADE, swapped: bool = False) -> dict[str, Fact]:
    """After mmcrnsd: each SSD is an NSD of its name; `swapped`: two of one server have each other's device."""
    table: NsdDevices = facts["nsd devices"].parsed.model  # type: ignore[union-attr]
    rows = list(table.rows)
    names = {stanza.nsd: stanza.device for stanza in stanzas()}
    if swapped:
        names["foo1_ssd1"], names["foo1_ssd2"] = names["foo1_ssd2"], names["foo1_ssd1"]
    for index, (nsd, name) in enumerate(names.items()):
        number = int(nsd[3])
        node, volume = f"pollux{number}.example.com", f"0A00000{number}{made_at + index:08X}"
        rows.append(NsdDevice(nsd, volume, f"/dev/{name}", "generic", node, "server node"))
    facts["nsd devices"] = replace(facts["nsd devices"], parsed=Parsed(NsdDevices(tuple(rows))))
    return facts


def view(
    facts: Mapping[str, Fact] | None = None,
    *,
    boots: str = "1",
    fs: FileSystem | None = None,
    jobs: tuple[Job, ...] = (),
) -> View:
    told = dict(facts or far.facts())
    told[f"filesystem {far.FS}"] = Fact("", "pollux1", "mmlsfs mss1", far.NOW, 1.0, Parsed(fs or system()))
    state = replace(
        far.state(told),
        places={host: Place("/jobs", f"boot-{host}-{boots}") for host in far.HOSTS},
        jobs={(job.host, job.status.id): job for job in jobs},
    )
    return View(state, far.FS, far.HOSTS)


def judged(seen: View, of: Plan | None = None, since: float = 0.0) -> dict[str, Check]:
    return {check.key: check for check in rules.device_checks(seen, of or plan(), since)}


def ruled(rule: Rule, seen: View, of: Plan | None = None, since: float = 0.0) -> Check:
    (check,) = apply((rule,), seen, of or plan(), since)
    return check


def reads(check: Check, *words: str) -> None:
    told = f"{check.read} | {check.advice}"
    for word in words:
        assert word in told, told


def test_devices_that_are_as_planned_pass_though_names_differ_between_hosts() -> None:
    found = judged(view())
    assert stops(found.values()) == ()
    assert found["devices"].outcome is PASS
    reads(found["devices"], "6 devices: foo1_ssd1 is sdg on foo1", "foo2_ssd2 is sdh on foo2")
    assert found["devices-drift"].outcome is NOTE


def test_devices_that_were_looked_at_too_long_ago_or_not_whole_pass_nothing() -> None:
    assert {check.outcome for check in judged(view(), since=far.NOW + 1).values()} == {UNKNOWN}
    facts = far.facts()
    blocks: BlockDevices = facts["devices pollux2"].parsed.model  # type: ignore[union-attr]
    broken = Parsed(blocks, problems=(Problem(2, "?", "no row"),))
    facts["devices pollux2"] = replace(facts["devices pollux2"], parsed=broken)
    found = judged(view(facts))
    assert {check.outcome for check in found.values()} == {UNKNOWN}
    reads(found["devices"], "line 2 was not understood")
    assert set(judged(view(far.facts(read=False)))) == {"devices"}


def test_a_device_that_is_in_use_or_another_one_stops_everything() -> None:
    found = judged(view(far.facts(changed={"BTWA201": Content("", ReadState.READ, signatures=(XFS,), nonzero=9)})))
    assert found["devices"].outcome is BLOCK
    assert {key for key, check in found.items() if check.stops} >= {"devices-in-use"}
    other = replace(plan().devices[0], identity="wwn:5000000000000001")
    found = judged(view(), plan(devices=(other, *plan().devices[1:])))
    assert found["devices"].outcome is found["devices-drift"].outcome is BLOCK
    reads(found["devices"], "5 of 6 are found")


def test_devices_that_moved_are_followed_by_their_identity() -> None:
    names = {**far.NAMES, "pollux1": ("sda", "sdb", "sdc", "sdd", "sde", "sdf")}
    again = {host: f"boot-{host}-2" for host in far.HOSTS}
    found = judged(view(far.facts(names, boots=again), boots="2"))
    assert found["devices"].outcome is PASS
    reads(found["devices"], "foo1_ssd1 is sdc on foo1", "foo1_ssd1: sdg is now sdc on pollux1")


def test_a_host_in_another_boot_than_it_was_looked_at_in_stops_and_one_since_the_plan_is_told() -> None:
    assert ruled(rules.BOOTS, view()).outcome is PASS
    check = ruled(rules.BOOTS, view(boots="2"))
    assert check.outcome is BLOCK
    reads(check, "pollux[1-3] was rebooted since the look")
    again = {host: f"boot-{host}-2" for host in far.HOSTS}
    check = ruled(rules.BOOTS, view(far.facts(boots=again), boots="2"))
    assert check.outcome is NOTE
    reads(check, "rebooted since the plan was made")
    silent = view()
    silent.state = replace(silent.state, places={})
    assert ruled(rules.BOOTS, silent).outcome is UNKNOWN


def test_an_nsd_that_leads_to_no_device_leaves_open_which_disk_is_taken() -> None:
    assert ruled(rules.LOST, view()).outcome is PASS
    facts = far.facts()
    table: NsdDevices = facts["nsd devices"].parsed.model  # type: ignore[union-attr]
    rows = (replace(table.rows[0], device="-", remarks="(not found) server node"), *table.rows[1:])
    facts["nsd devices"] = replace(facts["nsd devices"], parsed=Parsed(NsdDevices(rows)))
    check = ruled(rules.LOST, view(facts))
    assert check.outcome is BLOCK
    reads(check, "foo1_nsd1 on pollux1 ((not found) server node)")


def test_disks_with_native_sectors_want_inodes_as_large() -> None:
    assert apply((rules.NATIVE_SECTORS,), view(), plan(), 0.0) == ()
    facts = far.facts()
    for host in far.HOSTS:
        blocks: BlockDevices = facts[f"devices {host}"].parsed.model  # type: ignore[union-attr]
        large = tuple(
            replace(each, logical_sector=4096) if each.size_bytes == far.SSD else each for each in blocks.devices
        )
        facts[f"devices {host}"] = replace(facts[f"devices {host}"], parsed=Parsed(BlockDevices(large)))
    check = ruled(rules.NATIVE_SECTORS, view(facts))
    assert check.outcome is WARNING
    reads(check, "inodes have 512")
    assert apply((rules.NATIVE_SECTORS,), view(facts, fs=system(inode=4096)), plan(), 0.0) == ()


def test_new_nsds_must_be_the_devices_that_were_chosen_and_made_just_now() -> None:
    assert ruled(nsds.MADE, view(with_nsds(far.facts()))).outcome is PASS
    check = ruled(nsds.MADE, view())
    assert check.outcome is BLOCK
    reads(check, "mmlsnsd -X does not show foo1_ssd1")
    check = ruled(nsds.MADE, view(with_nsds(far.facts(), swapped=True)))
    assert check.outcome is BLOCK
    reads(check, "foo1_ssd1 is /dev/sdh on pollux1.example.com")
    check = ruled(nsds.MADE, view(with_nsds(far.facts(), made_at=far.NSD_MADE)))
    assert check.outcome is BLOCK
    reads(check, "the volume id of foo1_ssd1 is of 2012")
    began, ended = far.NOW - 2000.0, far.NOW - 1990.0
    status = JobStatus("plan-1-4-mmcrnsd-1", JobState.FINISHED, 0, began, ended, 0, command="mmcrnsd -F x")
    job = Job("pollux1", status, far.NOW)
    assert ruled(nsds.MADE, view(with_nsds(far.facts()), jobs=(job,))).outcome is BLOCK
    assert ruled(nsds.MADE, view(with_nsds(far.facts(), made_at=int(began) + 2), jobs=(job,))).outcome is PASS


def test_before_disks_are_added_nothing_but_the_nsds_may_lie_on_them() -> None:
    def after(serial: str = "", content: Content | None = None) -> View:
        held = {}
        for index, (nsd, number) in enumerate(SSDS.items()):
            sector = f"0a00000{nsd[3]}{MADE + index:08x}"
            held[number] = Content("", ReadState.READ, nonzero=40, sector2=sector)
        if content:
            held[serial] = content
        return view(with_nsds(far.facts(changed=held)))

    assert ruled(nsds.UNTOUCHED, after()).outcome is PASS
    check = ruled(nsds.UNTOUCHED, after("BTWA301", Content("", ReadState.READ, signatures=(XFS,), nonzero=9)))
    assert check.outcome is BLOCK
    reads(check, "foo3_ssd1 (sde on pollux3)", "mmadddisk would format it")
    assert ruled(nsds.UNTOUCHED, after("BTWA301", Content("", ReadState.HANGS))).outcome is UNKNOWN


def test_one_copy_on_a_single_drive_is_refused_whoever_serves_it() -> None:
    twice = tuple(replace(each, servers=("foo1", "foo2")) for each in plan().devices)
    facts = far.facts()
    check = ruled(preflight.RULES["devices"][4], view(facts, fs=system(copies=1)), plan(devices=twice))
    assert check.key == "availability"
    assert check.outcome is BLOCK
    reads(check, "a drive in a slot of an enclosure", "the loss of the file system")
