"""Every check of the first look: that it passes on a cluster that is well, and what it says to each that is not."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import msgspec
import pytest

from remote.events import Exact, Reply
from remote.gpfs import commands as gpfs
from remote.gpfs.models import DiskList, HealthEvent, NsdDevice, NsdDevices, NsdList
from remote.parsed import Problem
from simulator import faults
from simulator.state import DESC_ONLY, METADATA_ONLY, Snapshot
from supervision.checking import Check, Outcome, stops, worst
from supervision.facts import learn
from supervision.gpfs import READING
from supervision.plan import Options, Plan
from tests.supervision.farfacts import SCALE_STANZAS, Far

PASS, NOTE, WARNING, BLOCK, UNKNOWN = (
    Outcome.PASS,
    Outcome.NOTE,
    Outcome.WARNING,
    Outcome.BLOCK,
    Outcome.UNKNOWN,
)
Prepare = Callable[[Far, Plan], Plan | None]
replace = msgspec.structs.replace

PROGRAM = """restripe-scans 1
clock 1370557274 5000.00 100
scan 4711 1 140025
arg =/bin/ksh
arg =/usr/lpp/mmfs/bin/{}
arg ={}
uid 0 =root
end
"""


def reads(check: Check, *words: str) -> None:
    """The check says these words."""
    told = f"{check.read} | {check.advice}"
    for word in words:
        assert word in told, told


async def seen(tmp_path: Path, prepare: Prepare, step: str = "look", scenario: str = "seed-5.2") -> dict[str, Check]:
    far = Far(tmp_path, scenario)
    plan = await far.plan()
    return await far.look(prepare(far, plan) or plan, step)


async def test_on_a_cluster_that_is_well_nothing_stops_the_first_look(tmp_path: Path) -> None:
    found = await seen(tmp_path, lambda far, plan: None)
    assert worst(found.values()) is NOTE
    notes = {key for key, check in found.items() if check.outcome is NOTE}
    assert notes == {
        "format",
        "block-size",
        "helpers-exports",
        "pit-threads",
        "qos",
        "replica-factors",
        "nightly",
        "callbacks",
    }
    assert all(check.read and check.title for check in found.values())
    assert {key for key, check in found.items() if check.at is None} == {
        "hosts-reached",
        "new-stanzas",
        "old-stanzas",
        "helpers-named",
    }
    reads(found["quorum"], "3 of 3 quorum nodes active, 2 needed")
    reads(found["descriptors"], "3 of 3 descriptors are on disks that are up")
    assert "mmlsdisk" in found["disks-ready"].source


async def test_what_is_older_than_it_may_be_or_was_not_read_whole_passes_nothing(tmp_path: Path) -> None:
    far = Far(tmp_path)
    plan = await far.plan()
    await far.look(plan, "look")
    old = far.judged(plan, "look", since=far.now + 1)
    alone = {"hosts-reached", "new-stanzas", "old-stanzas", "helpers-named", "callbacks", "health", "nightly"}
    assert {key for key, check in old.items() if check.outcome is not UNKNOWN} == alone
    reads(old["disks-ready"], "its last answer is too old")
    reads(old["callbacks"], "was not read")
    assert old["health"].outcome is old["nightly"].outcome is WARNING
    reads(old["health"], "mmhealth tells nothing on pollux1; mmhealth tells nothing on pollux2")
    reads(old["nightly"], "not read: pollux1: nothing")
    for key, fact in far.facts.items():
        assert fact.parsed
        problems = (Problem(3, "?", "no row"),)
        far.facts[key] = replace(fact, parsed=replace(fact.parsed, problems=problems))
    torn = far.judged(plan, "look", since=far.now)
    assert {key for key, check in torn.items() if check.outcome is not UNKNOWN} == alone
    reads(torn["disks-ready"], "line 3 was not understood (no row)")
    far.facts.clear()
    none = far.judged(plan, "look", since=0.0)
    assert {key for key, check in none.items() if not check.stops} == alone


def config(parameter: str, value: str, nodes: str = "") -> Prepare:
    def prepare(far: Far, plan: Plan) -> None:
        faults.set_config(far.world, parameter, value, nodes)

    return prepare


def attribute(name: str, value: int) -> Prepare:
    def prepare(far: Far, plan: Plan) -> None:
        setattr(far.fs, name, value)

    return prepare


def down(*hosts: str, manager: str = "") -> Prepare:
    """Daemons that are down, without anything else that would follow from it."""

    def prepare(far: Far, plan: Plan) -> None:
        far.world.policies.down_nodes = list(hosts)
        far.fs.manager = manager or far.fs.manager

    return prepare


def disks(change: Callable[[Far], None]) -> Prepare:
    def prepare(far: Far, plan: Plan) -> None:
        change(far)

    return prepare


def role(name: str, **values: str) -> Prepare:
    def prepare(far: Far, plan: Plan) -> None:
        disk = faults.find_disk(far.world, name)
        for field, value in values.items():
            setattr(disk, field, value)

    return prepare


def says(host: str, script: str, text: str) -> Prepare:
    def prepare(far: Far, plan: Plan) -> None:
        far.scripts[host, script] = text

    return prepare


def planned(**changes: object) -> Prepare:
    return lambda far, plan: replace(plan, **changes)


def device(**changes: object) -> Prepare:
    """All devices of the plan are otherwise."""
    return lambda far, plan: replace(plan, devices=tuple(replace(each, **changes) for each in plan.devices))


def lost(far: Far, plan: Plan) -> None:
    far.world.quorum_lost = True


def two_descriptors_down(far: Far, plan: Plan) -> None:
    for name in ("foo1_nsd1", "foo2_nsd1"):
        faults.set_disk(far.world, name, "down")


def one_group(far: Far, plan: Plan) -> None:
    for disk in far.fs.disks:
        disk.failure_group = "1"


def two_groups(far: Far, plan: Plan) -> None:
    for disk in far.fs.disks:
        disk.failure_group = "1" if disk.failure_group == "3" else disk.failure_group


def all_metadata(far: Far, plan: Plan) -> None:
    for disk in far.fs.disks:
        disk.usage = METADATA_ONLY


def unmounted(far: Far, plan: Plan) -> None:
    far.fs.mounted_on.remove("pollux2")


def guests(far: Far, plan: Plan) -> Plan:
    far.fs.remote_mounts = [("10.40.0.1", "hpc01", "hpc.example.org")]
    for disk in far.fs.disks:
        disk.nsd.servers = ("pollux1",)
    return plan


def snapshot(status: str) -> Prepare:
    def prepare(far: Far, plan: Plan) -> None:
        far.fs.snapshots = [Snapshot("daily", 1, 1370000000.0, status)]

    return prepare


def callback(far: Far, plan: Plan) -> None:
    far.world.cluster.callbacks["ilm"] = ("/usr/local/sbin/migrate", "lowDiskSpace")


def little_planned(far: Far, plan: Plan) -> Plan:
    return replace(plan, old_disks=plan.old_disks[:-1])


def gone(far: Far, plan: Plan) -> Plan:
    ghost = replace(plan.old_disks[0], nsd="foo9_nsd1")
    return replace(plan, old_disks=(*plan.old_disks, ghost))


def stanza(of: str, old: str, new: str) -> Prepare:
    def prepare(far: Far, plan: Plan) -> Plan:
        text = getattr(plan.stanzas, of)
        assert old in text
        return replace(plan, stanzas=replace(plan.stanzas, **{of: text.replace(old, new, 1)}))

    return prepare


def running(far: Far, plan: Plan) -> None:
    far.job(plan, f"mmrestripefs {plan.file_system} -r -N foo1", rc=None)


def waits(host: str, thread: str, reason: str, seconds: float) -> Prepare:
    def prepare(far: Far, plan: Plan) -> None:
        faults.add_waiter(far.world, host, thread, reason, seconds)

    return prepare


def unwatched_manager(far: Far, plan: Plan) -> None:
    """A manager that is none of the hosts, though a node of the cluster."""
    far.fs.manager = "pollux3"
    far.hosts = ("pollux1", "pollux2")
    del far.links["pollux3"]


NIGHTLY = "restripe-nightly 1\nline =/etc/cron.d/snap\ntext =0 1 * * * root mmcrsnapshot mss1 daily\nend\n"

CASES: list[tuple[str, Prepare, str, Outcome, tuple[str, ...]]] = [
    ("quorum is lost", lost, "quorum", BLOCK, ("has no quorum", "arbitrating")),
    ("one more quorum node and it is", down("pollux3"), "quorum", WARNING, ("2 of 3", "one more stops the cluster")),
    ("tiebreaker disks keep it", config("tiebreakerDisks", "foo1_nsd1"), "quorum", PASS, ("tiebreaker",)),
    ("a server is down", down("pollux3"), "servers-active", BLOCK, ("GPFS is down on foo3",)),
    ("the manager is down", down("pollux2", manager="pollux2"), "manager-active", BLOCK, ("down on foo2",)),
    ("a helper is down", down("pollux3"), "helpers-active", BLOCK, ("down on foo3", "without it")),
    ("a helper is no node", planned(nodes=("foo1", "foo9")), "helpers-active", UNKNOWN, ("no node of the cluster",)),
    ("no helper is named", planned(nodes=()), "helpers-named", BLOCK, ("every node of the cluster",)),
    (
        "a disk is down",
        disks(lambda far: faults.set_disk(far.world, "foo2_nsd3", "down")),
        "disks-ready",
        BLOCK,
        ("foo2_nsd3 is ready and down", "`mmchdisk mss1 start -a`"),
    ),
    (
        "a disk is suspended",
        role("foo2_nsd3", status="suspended"),
        "disks-ready",
        BLOCK,
        ("suspended and up", "resume"),
    ),
    ("a disk is to be emptied", role("foo1_nsd1", status="to be emptied"), "disks-ready", BLOCK, ("to be emptied",)),
    ("a disk is unrecovered", role("foo1_nsd1", availability="unrecovered"), "disks-ready", BLOCK, ("unrecovered",)),
    ("descriptors are lost", two_descriptors_down, "descriptors", BLOCK, ("1 of 3", "2 needed")),
    (
        "a restripe is due",
        attribute("properly_replicated", 0),
        "replication",
        BLOCK,
        ("no longer properly replicated",),
    ),
    ("only balance is amiss", attribute("well_balanced", 0), "attention", NOTE, ("balanced", "-r never clears it")),
    (
        "somebody deletes a disk",
        says("pollux2", "restripe-programs", PROGRAM.format("mmdeldisk", "mss1")),
        "conflicting",
        BLOCK,
        ("mmdeldisk mss1 runs on pollux2 (pid 4711 by root)",),
    ),
    (
        "another file system is restriped",
        says("pollux2", "restripe-programs", PROGRAM.format("mmrestripefs", "other")),
        "conflicting",
        PASS,
        ("no such command",),
    ),
    (
        "a backup of a path runs",
        says("pollux2", "restripe-programs", PROGRAM.format("mmbackup", "/gpfs")),
        "competing",
        WARNING,
        ("mmbackup /gpfs",),
    ),
    (
        "somebody makes NSDs",
        says("pollux2", "restripe-programs", PROGRAM.format("mmcrnsd", "-F")),
        "conflicting",
        BLOCK,
        ("mmcrnsd -F runs on pollux2",),
    ),
    ("our own restripe runs", running, "conflicting", BLOCK, ("as job plan-1-9-mmrestripefs-1",)),
    (
        "threads of a scan wait",
        waits("pollux3", "PitWorkerThread", "for I/O", 0.1),
        "conflicting",
        BLOCK,
        ("threads of a scan wait on pollux3",),
    ),
    (
        "nobody can look at the manager",
        unwatched_manager,
        "conflicting",
        WARNING,
        ("the manager, foo3, is not watched or cannot be reached",),
    ),
    (
        "a thread waits",
        waits("pollux2", "NSDThread", "for I/O completion", 300.0),
        "waiters",
        WARNING,
        ("NSDThread on pollux2", "for I/O completion"),
    ),
    (
        "health is bad",
        disks(lambda far: faults.set_disk(far.world, "foo2_nsd3", "down")),
        "health",
        WARNING,
        ("DISK is DEGRADED on pollux2",),
    ),
    ("too many copies", attribute("metadata_replicas", 3), "replicas", BLOCK, ("-m 3, -M 2",)),
    ("too few groups", one_group, "replicas", BLOCK, ("in 1 groups", "too few for 2 copies")),
    ("two groups alone hold descriptors", two_groups, "descriptors", PASS, ("2 of 2",)),
    ("a device in another pool", device(pool="data"), "pools", BLOCK, ("another pool than system",)),
    ("an old disk went to another pool", role("foo1_nsd1", pool="data"), "pools", BLOCK, ("than planned",)),
    (
        "inodes run out",
        disks(lambda far: setattr(far.fs.inodes, "maximum", far.fs.inodes.used)),
        "inodes",
        WARNING,
        ("--inode-limit",),
    ),
    (
        "free inodes run out",
        disks(lambda far: setattr(far.fs.inodes, "allocated", far.fs.inodes.used)),
        "inodes",
        NOTE,
        ("More are allocated soon",),
    ),
    ("a descriptor disk is planned", role("foo1_nsd1", usage=DESC_ONLY), "special-disks", BLOCK, ("foo1_nsd1",)),
    ("the new file lacks one", stanza("new", "foo1_ssd1", "foo1_ssd9"), "new-stanzas", BLOCK, ("it lacks foo1_ssd1",)),
    ("the new file has other uses", stanza("new", "metadataOnly", "dataOnly"), "new-stanzas", BLOCK, ("dataOnly",)),
    (
        "the new file has other groups",
        stanza("new", "failureGroup=1", "failureGroup=7"),
        "new-stanzas",
        BLOCK,
        ("failure group 7",),
    ),
    (
        "the new file is thin",
        stanza("new", "pool=system", "pool=system thinDiskType=nvme"),
        "new-stanzas",
        BLOCK,
        ("thinDiskType= has no place",),
    ),
    ("the new file says more", stanza("new", "%nsd:", "%pool: pool=x\n%nsd:"), "new-stanzas", BLOCK, ("%pool:",)),
    (
        "the old file names a new disk",
        stanza("old", "nsd=foo1_nsd1 ", "nsd=foo1_ssd1 "),
        "old-stanzas",
        BLOCK,
        ("it lacks foo1_nsd1",),
    ),
    (
        "the old file has another use",
        stanza("old", "dataOnly", "metadataOnly"),
        "old-stanzas",
        BLOCK,
        ("metadataOnly",),
    ),
    (
        "the way back is another",
        stanza("back", "dataAndMetadata", "dataOnly"),
        "old-stanzas",
        BLOCK,
        ("for the way back",),
    ),
    ("a disk with metadata is not in the plan", little_planned, "old-disks", BLOCK, ("foo3_nsd4 holds metadata too",)),
    ("an old disk is gone", gone, "old-disks", BLOCK, ("foo9_nsd1 is not in the file system",)),
    ("one was changed before", role("foo1_nsd1", usage="dataOnly"), "old-disks", WARNING, ("dataOnly already",)),
    ("one is in another group", role("foo1_nsd1", failure_group="4"), "old-disks", BLOCK, ("failure group 4",)),
    ("no disk would hold data", all_metadata, "data-disks", BLOCK, ("no disk would hold data",)),
    (
        "one copy on drives of one server",
        attribute("metadata_replicas", 1),
        "availability",
        BLOCK,
        ("1 copy of metadata", "has one server", "two groups and -m 2 first"),
    ),
    ("all in one group", device(failure_group="1"), "availability", BLOCK, ("in 1 failure groups",)),
    ("one group of new disks", device(failure_group="1"), "groups-after", BLOCK, ("1 failure groups (1)",)),
    ("the group that is none", device(failure_group="-1"), "groups-after", BLOCK, ("failure group -1",)),
    ("fewer groups", device(failure_group="2"), "servers-compared", WARNING, ("groups 1, 2, 3;", "Fewer groups")),
    (
        "worker threads are too many",
        config("pitWorkerThreadsPerNode", "16"),
        "pit-threads",
        WARNING,
        ("48 worker threads",),
    ),
    ("worker threads are few", config("pitWorkerThreadsPerNode", "8"), "pit-threads", PASS, ("24 worker threads",)),
    (
        "worker threads of one node",
        config("pitWorkerThreadsPerNode", "8", "foo1,foo2,foo3"),
        "pit-threads",
        PASS,
        ("24",),
    ),
    ("helpers by default", config("defaultHelperNodes", "castor1"), "helpers-default", NOTE, ("castor1", "foo1, foo2")),
    ("a helper does not mount it", unmounted, "mounted", WARNING, ("foo2 does not mount mss1",)),
    ("a guest cannot reach new servers", guests, "remote-clusters", WARNING, ("hpc.example.org", "foo[2-3]")),
    (
        "GPFS restripes by itself",
        config("restripeOnDiskFailure", "yes"),
        "restripe-on-failure",
        WARNING,
        ("stops this",),
    ),
    ("nodes stay down", config("autoload", ""), "autoload", NOTE, ("mmstartup",)),
    ("a node stays down", config("autoload", "no", "foo2"), "autoload", NOTE, ("not yes for foo2",)),
    ("snapshots hold metadata too", snapshot("Valid"), "snapshots", NOTE, ("1: daily",)),
    ("a snapshot is being deleted", snapshot("DeleteRequired"), "snapshots", WARNING, ("daily is DeleteRequired",)),
    ("a job at night", says("pollux1", "restripe-nightly", NIGHTLY), "nightly", WARNING, ("mmcrsnapshot mss1 daily",)),
    (
        "a crontab nobody may read",
        says("pollux1", "restripe-nightly", "restripe-nightly 1\nunread =/var/spool/cron\nend\n"),
        "nightly",
        WARNING,
        ("pollux1:/var/spool/cron",),
    ),
    ("a callback", callback, "callbacks", NOTE, ("ilm at lowDiskSpace: /usr/local/sbin/migrate",)),
    ("metadata alone", planned(options=Options(metadata_only=True)), "metadata-only", NOTE, ("not known",)),
]


@pytest.mark.parametrize(
    ("prepare", "key", "outcome", "words"), [case[1:] for case in CASES], ids=[c[0] for c in CASES]
)
async def test_a_check_says_what_it_read_and_what_to_do_where(
    tmp_path: Path, prepare: Prepare, key: str, outcome: Outcome, words: tuple[str, ...]
) -> None:
    check = (await seen(tmp_path, prepare))[key]
    assert check.outcome is outcome, check
    reads(check, *words)
    if outcome is not PASS:
        assert check.advice


async def test_hosts_that_are_not_connected_stop_everything(tmp_path: Path) -> None:
    def prepare(far: Far, plan: Plan) -> None:
        far.links["pollux2"] = "waiting"

    check = (await seen(tmp_path, prepare))["hosts-reached"]
    assert check.outcome is BLOCK
    reads(check, "no connection to pollux2")


async def test_other_words_of_attention_are_told_apart(tmp_path: Path) -> None:
    far = Far(tmp_path)
    plan = await far.plan()
    await far.look(plan, "look")
    fact = far.facts["disks mss1"]
    assert fact.parsed
    texts = {
        "Attention: The file system may contain data that is at risk of being lost.": BLOCK,
        "Attention: Something else.": WARNING,
    }
    for text, outcome in texts.items():
        model: DiskList = fact.parsed.model
        told = replace(fact.parsed, model=replace(model, attention=(text,)))
        far.facts["disks mss1"] = replace(fact, parsed=told)
        check = far.judged(plan, "look", 0.0)["attention"]
        assert (check.outcome, check.read) == (outcome, text)


async def test_disks_of_a_recovery_group_are_refused(tmp_path: Path) -> None:
    far = Far(tmp_path)
    plan = await far.plan()
    await far.look(plan, "look")
    fact = far.facts["nsd devices"]
    assert fact.parsed
    rows: tuple[NsdDevice, ...] = fact.parsed.model.rows
    vdisk = tuple(replace(row, device="gss1_Data_4M_2p_1") if row.nsd == "foo1_nsd1" else row for row in rows)
    far.facts["nsd devices"] = replace(fact, parsed=replace(fact.parsed, model=NsdDevices(vdisk)))
    check = far.judged(plan, "look", 0.0)["vdisks"]
    assert check.outcome is BLOCK
    reads(check, "foo1_nsd1: device gss1_Data_4M_2p_1, a vdisk", "mmvdisk")


async def test_what_a_release_does_not_have_is_refused_before_anything_is_done(tmp_path: Path) -> None:
    check = (await seen(tmp_path, planned(options=Options(metadata_only=True)), scenario="seed"))["metadata-only"]
    assert check.outcome is BLOCK
    reads(check, "--metadata-only came with 4.2", "Make the plan without")


async def test_a_release_without_mmhealth_and_qos_is_no_reason_to_stop(tmp_path: Path) -> None:
    found = await seen(tmp_path, lambda far, plan: None, scenario="seed")
    assert stops(found.values()) == ()
    assert found["health"].outcome is found["qos"].outcome is NOTE
    reads(found["health"], "this release has no mmhealth", "mmfs.log.latest")


async def test_on_two_servers_a_disk_with_dead_clients_and_guests(tmp_path: Path) -> None:
    far = Far(tmp_path, "scale")
    plan = await far.plan(SCALE_STANZAS)
    await far.ask(plan.host, gpfs.mmgetstate())
    found = await far.look(plan, "look")
    warned = {key for key, check in found.items() if check.outcome is not PASS and check.outcome is not NOTE}
    assert warned == {"pit-threads"}
    reads(found["pit-threads"], "64 worker threads on 8 nodes")
    reads(found["quorum"], "3 of 3 quorum nodes active, with tiebreaker disks")
    reads(found["remote-clusters"], "hpc.example.org mounts it; the servers of the new disks serve it already")
    reads(found["servers-compared"], "before: 96 disks with 2 servers in groups 1, 2, 3, 4; after: 8 with 2")
    assert found["other-nodes"].outcome is NOTE
    reads(found["other-nodes"], "GPFS is not active on cl")
    reads(found["helpers-exports"], "ces01 left out")


async def test_chosen_nodes_that_export_or_are_far_and_disks_with_fewer_servers_are_warned_about(
    tmp_path: Path,
) -> None:
    far = Far(tmp_path, "scale")
    plan = await far.plan(SCALE_STANZAS)
    single = tuple(replace(each, servers=each.servers[:1]) for each in plan.devices)
    found = await far.look(replace(plan, nodes=("nsd01", "ces01", "cl01"), devices=single), "look")
    for key, outcome in (("helpers-exports", WARNING), ("helpers-near", WARNING), ("servers-compared", WARNING)):
        assert found[key].outcome is outcome
    reads(found["helpers-exports"], "ces01 (CES) would work in the restripe")
    reads(found["helpers-near"], "serves no disk of proj")
    reads(found["servers-compared"], "with 2 servers", "8 with 1 in groups")
    assert found["availability"].outcome is PASS
    far.fs.metadata_replicas = 1
    check = (await far.look(plan, "look"))["availability"]
    assert check.outcome is WARNING
    reads(check, "No command tells whether the array")


async def test_clusters_that_may_mount_it_and_thin_disks_are_told(tmp_path: Path) -> None:
    far = Far(tmp_path)
    plan = await far.plan()
    await far.look(plan, "look")
    guests = "Cluster name:        a (this cluster)\n\nCluster name:        b\nFile system access:  mss1 (rw)\n"
    reply = Reply(0, Exact(guests.encode()))
    fact = learn(READING, None, plan.host, gpfs.mmauth_show(), reply, far.now, far.now)
    assert fact
    far.facts[fact.key] = fact
    check = far.judged(plan, "look", far.now)["remote-clusters"]
    assert check.outcome is NOTE
    reads(check, "b may mount it, says mmauth show, and does not now")
    listed = far.facts["nsds"]
    assert listed.parsed
    nsds: NsdList = listed.parsed.model
    thin = (replace(nsds.nsds[0], thin="nvme"), *nsds.nsds[1:])
    far.facts["nsds"] = replace(listed, parsed=replace(listed.parsed, model=replace(nsds, nsds=thin)))
    check = far.judged(plan, "look", far.now)["thin-disks"]
    assert check.outcome is WARNING
    reads(check, "foo1_nsd1 is thinly provisioned")


async def test_a_forced_unmount_is_told_before_anything_else_of_health(tmp_path: Path) -> None:
    far = Far(tmp_path)
    plan = await far.plan()
    await far.look(plan, "look")
    fact = far.facts["health pollux2"]
    assert fact.parsed
    event = HealthEvent("pollux2", "FILESYSTEM", "mss1", "FILESYSTEM", "fs_forced_unmount")
    told = replace(fact.parsed, model=replace(fact.parsed.model, events=(event,)))
    far.facts["health pollux2"] = replace(fact, parsed=told)
    check = far.judged(plan, "look", far.now)["health"]
    assert check.outcome is WARNING
    reads(check, "fs_forced_unmount on pollux2", "files were cut off: find out why")
