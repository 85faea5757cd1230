"""One model whatever the form: the same cluster told by the human form and by `-Y`."""

from __future__ import annotations

from collections.abc import Callable

import msgspec
import pytest

from remote.gpfs import parsers
from remote.gpfs.models import (
    ClusterNode,
    ConfigEntry,
    DiskQuorum,
    DisksAdded,
    FsManager,
    HealthEvent,
    HealthState,
    Inodes,
    MountedNode,
    NodeState,
    Nsd,
    NsdDevice,
    Percent,
    PhaseDone,
    PhaseStarted,
    Pool,
    QosLimit,
    QosStat,
    QuorumSummary,
    Snapshot,
    SpaceTotal,
    Waiter,
)
from tests.gpfs.told import TAIL, collapsed, commands_and_texts, in_dos_lines, told

Shape = Callable[[str], str]


@pytest.mark.parametrize(("command", "name"), commands_and_texts())
@pytest.mark.parametrize("shape", [str, in_dos_lines])
def test_every_text_is_understood(command: str, name: str, shape: Shape) -> None:
    parsed = parsers.parse((command,), shape(told(name)))
    assert parsed.ok
    left = {"mmhealth_y_50": 1}
    assert len(parsed.notes) == left.get(name, 0)


def test_a_cluster() -> None:
    human, machine = (
        parsers.parse_mmlscluster(told("mmlscluster_35")),
        parsers.parse_mmlscluster(told("mmlscluster_y_504")),
    )
    assert machine.model.name == human.model.name == "mss.example.com"
    assert machine.model.cluster_id == human.model.cluster_id
    assert machine.model.repository == "CCR"
    assert (machine.model.ces, machine.model.cnfs, human.model.ces) == (("pollux1.example.com",), (), ())
    assert machine.model.nodes == (
        ClusterNode(1, "pollux1.example.com", "140.252.28.5", "foo1", "quorum-manager-perfmon-ces"),
        ClusterNode(2, "pollux2.example.com", "140.252.28.8", "foo2", "quorum-perfmon"),
        ClusterNode(4, "castor.example.com", "140.252.28.20", "castor.example.com", ""),
    )
    assert [(node.quorum, node.manager) for node in machine.model.nodes] == [
        (True, True),
        (True, False),
        (False, False),
    ]


@pytest.mark.parametrize("shape", [str, collapsed])
def test_states_of_nodes(shape: Shape) -> None:
    model = parsers.parse_mmgetstate(shape(told("mmgetstate_al_42"))).model
    assert model.nodes == (
        NodeState(1, "foo1", "active", 2, 2, 4, "quorum node"),
        NodeState(2, "foo2", "arbitrating", 2, 2, 4, "quorum node"),
        NodeState(3, "foo3", "unknown", 0, 0, 4),
        NodeState(4, "a_node_with_a_very_long_name", "active", 2, 2, 4),
    )
    assert model.unreachable == ("foo3",)
    assert model.summary == QuorumSummary(4, 2, 0, 3, 2, 2, achieved=True)
    assert [node.active for node in model.nodes] == [True, False, False, True]


def test_states_of_nodes_by_machine() -> None:
    model = parsers.parse_mmgetstate(told("mmgetstate_y_50")).model
    assert model.get("foo2.example.com") == NodeState(2, "foo2.example.com", "arbitrating", 2, 2, 4, "quorum node")
    assert model.nodes[2] == NodeState(4, "castor", "down", 0, 0, 4)


def test_states_of_nodes_without_quorum_and_with_tiebreakers() -> None:
    head = " Node number  Node name        GPFS state \n" + "-" * 42 + "\n"
    parsed = parsers.parse_mmgetstate(head + "       1      foo1             active\n", "mmgetstate: not a row\n")
    assert parsed.model.nodes == (NodeState(1, "foo1", "active"),)
    assert [note.line for note in parsed.notes] == [4]
    row = "       1      foo1               1*        1          2       active      quorum node\n"
    assert parsers.parse_mmgetstate(row).model.nodes == (NodeState(1, "foo1", "active", 1, 1, 2, "quorum node", True),)


def test_attributes_of_file_systems() -> None:
    human = parsers.parse_mmlsfs(told("mmlsfs_35"), name="mss1").model
    machine = parsers.parse_mmlsfs(told("mmlsfs_y_504"), name="mss1").model
    for fs in (human, machine):
        assert (fs.name, fs.inode_size, fs.block_size, fs.estimated_nodes) == ("mss1", 512, 4194304, 32)
        assert (fs.metadata_replicas, fs.data_replicas) == (2, 1)
        assert fs.version == "13.23 (3.5.0.7)"
        assert fs.get("--create-time") == fs.get("create-time") == ("Thu Jan  3 09:15:02 2013",)
        assert fs.mount_point == "/mss1"
        assert fs.disks[:2] == ("foo1_nsd1", "foo1_nsd2")
    assert machine.pools == ("system", "data")
    assert machine.get("UID") == ("090B5475:5E4F9685",)


def test_attributes_of_all_file_systems() -> None:
    model = parsers.parse_mmlsfs_all(told("mmlsfs_y_504")).model
    assert [fs.name for fs in model.file_systems] == ["mss1", "scratch"]
    scratch = model.get("scratch")
    assert scratch is not None
    assert (scratch.inode_size, scratch.block_size) == (4096, 1048576)  # rows of 3.5, one field short
    titled = "\n".join(f"File system attributes for /dev/{fs}:\n====\n{told('mmlsfs_35')}" for fs in ("a", "b"))
    assert [fs.name for fs in parsers.parse_mmlsfs_all(titled).model.file_systems] == ["a", "b"]
    assert parsers.parse_mmlsfs(titled).notes[0].text == "also tells of b"
    assert parsers.parse_mmlsfs(titled, name="b").model.name == "b"
    assert not parsers.parse_mmlsfs(titled, name="c").ok


def test_no_file_system_at_all_is_an_answer() -> None:
    parsed = parsers.parse(("mmlsfs", "all"), "", "mmlsfs: No file systems were found.\n")
    assert (parsed.ok, parsed.model.file_systems) == (True, ())


def test_disks() -> None:
    human, machine = (
        parsers.parse_mmlsdisk(told("mmlsdisk_long")).model,
        parsers.parse_mmlsdisk(told("mmlsdisk_y_50")).model,
    )
    only = {"size_kb": None, "disk_uid": "", "thin": ""}
    assert tuple(msgspec.structs.replace(disk, **only) for disk in machine.disks) == human.disks
    assert machine.quorum == human.quorum == DiskQuorum(3, 2, 2)
    third = machine.disks[2]
    assert (third.size_kb, third.disk_uid, third.thin) == (2227566542848, "0703160A632377DB", "nvme")


def test_disks_that_are_all_ready() -> None:
    for stdout, stderr in (("6027-623 All disks up and ready\n", ""), ("", "mmlsdisk: All disks up and ready\n")):
        parsed = parsers.parse_mmlsdisk(stdout, stderr)
        assert parsed.ok
        assert (parsed.model.disks, parsed.model.all_ready) == ((), True)


def test_nodes_that_do_the_io() -> None:
    text = told("mmlsdisk_y_50").replace("thinDiskType:", "IOPerformedOnNode:").replace(":nvme:", ":localhost:")
    assert parsers.parse_mmlsdisk(text).model.disks[2].io_node == "localhost"


@pytest.mark.parametrize("shape", [str, collapsed])
@pytest.mark.parametrize("name", ["mmlsnsd_42", "mmlsnsd_l_42", "mmlsnsd_y_50"])
def test_nsds(name: str, shape: Shape) -> None:
    model = parsers.parse_mmlsnsd_list(shape(told(name))).model
    ids = ("", "", "") if name == "mmlsnsd_42" else ("8CFC1C05507CC5D0", "8CFC1C0551B10CF7", "8CFC1C0B51B10D01")
    assert model.nsds == (
        Nsd("foo1_nsd1", "mss1", ("foo1", "foo2"), ids[0]),
        Nsd("foo1_ssd1", "", ("foo1",), ids[1]),
        Nsd("a_long_disk_name_0001", "a_long_file_system", (), ids[2]),
    )
    assert [nsd.nsd for nsd in model.free] == ["foo1_ssd1"]
    assert parsers.parse_mmlsnsd(told(name)).model == model


def test_devices_of_nsds() -> None:
    machine = parsers.parse_mmlsnsd_x(told("mmlsnsd_x_y_50")).model
    assert machine.rows == (
        NsdDevice("nsd_0", "8CFC1C05507CC5D0", "/dev/dm-1", "dmm", "n1", "server node"),
        NsdDevice("nsd_0", "8CFC1C05507CC5D0", "/dev/dm-4", "dmm", "n2", "server node"),
        NsdDevice("nsd_1", "8CFC1C0B51B10D01", "-", "generic", "n2", "(not found) server node"),
    )
    assert [row.found for row in machine.rows] == [True, True, False]
    for name in ("mmlsnsd_x", "mmlsnsd_m_35", "mmlsnsd_x_y_50"):
        assert parsers.parse_mmlsnsd(told(name)).model == parsers.parse_mmlsnsd_x(told(name)).model


def test_space() -> None:
    human, machine = parsers.parse_mmdf(told("mmdf_two_pools_60")).model, parsers.parse_mmdf(told("mmdf_y_50")).model
    by_name = {disk.nsd: disk for disk in machine.disks}
    assert tuple(by_name[disk.nsd] for disk in human.disks) == human.disks
    assert (machine.pools, machine.data, machine.metadata, machine.total) == (
        human.pools, human.data, human.metadata, human.total,
    )  # fmt: skip
    assert machine.inodes == human.inodes == Inodes(4108, 103412, 107520, 107520)
    assert machine.exact
    assert human.largest_disk_kb == (("system", 16640901), ("capacity", 338029445))  # 15.87 GB and 322.37 GB
    assert machine.largest_disk_kb == (("system", 16641085), ("capacity", 338035344))
    assert [disk.nsd for disk in machine.disks if not disk.available] == ["n7"]


def test_space_of_inodes_alone_and_of_one_pool() -> None:
    whole = told("mmdf_two_pools_60")
    inodes = parsers.parse(("mmdf", "fs1", "-F"), whole[whole.index("Inode Information") :])
    assert (inodes.ok, inodes.model.inodes) == (True, Inodes(4108, 103412, 107520, 107520))
    pool = whole[: whole.index("Disks in storage pool: capacity")]
    assert not parsers.parse(("mmdf", "fs1"), pool).ok
    parsed = parsers.parse(("mmdf", "fs1", "-P", "system"), pool)
    assert parsed.ok
    assert parsed.model.pools == (("system", SpaceTotal(2097152, 450560, 23024)),)


@pytest.mark.parametrize("name", ["mmlsmount_l_42", "mmlsmount_y_50"])
def test_mounts(name: str) -> None:
    model = parsers.parse_mmlsmount(told(name)).model
    mounts, nowhere = model.of("mss1"), model.of("scratch")
    assert mounts is not None
    assert nowhere is not None
    assert [(node.address, node.name) for node in mounts.nodes] == [("140.252.28.5", "foo1"), ("140.252.28.8", "foo2")]
    assert mounts.nodes[1].cluster == "mss.example.com"
    assert (mounts.count, nowhere.count, nowhere.nodes) == (2, 0, ())


def test_mounts_without_their_nodes_and_without_a_header() -> None:
    model = parsers.parse_mmlsmount("File system fs1 is mounted on 1 nodes.\n").model
    assert [(mounts.fs, mounts.count, mounts.nodes) for mounts in model.file_systems] == [("fs1", 1, ())]
    row = "mmlsmount::0:1:::mss1:mss1:mss.example.com:2:140.252.28.5:foo1:mss.example.com:RW:\n"
    parsed = parsers.parse_mmlsmount(row)
    assert parsed.ok
    assert parsed.model.file_systems[0].nodes == (MountedNode("140.252.28.5", "foo1", "mss.example.com", "RW"),)


@pytest.mark.parametrize("name", ["mmlsmgr_42", "mmlsmgr_y_50"])
def test_managers(name: str) -> None:
    model = parsers.parse_mmlsmgr(told(name)).model
    assert model.file_systems == (
        FsManager("mss1", "foo1", "140.252.28.5"),
        FsManager("a_long_file_system", "foo2", "140.252.28.8"),
    )
    assert model.cluster_manager == "foo3"
    assert model.of("mss1") == model.file_systems[0]


def test_configuration() -> None:
    human, machine = (
        parsers.parse_mmlsconfig(told("mmlsconfig_42")).model,
        parsers.parse_mmlsconfig(told("mmlsconfig_y_50")).model,
    )
    assert human.entries == machine.entries
    assert human.cluster == machine.cluster == "mss.example.com"
    assert (human.get("adminMode"), human.get("pagepool")) == ("central", "4G")
    assert human.overrides("pagepool") == (ConfigEntry("pagepool", "16G", ("foo1", "foo2")),)
    assert human.get("tscCmdPortRange") == "60000-61000 and more"
    assert human.file_systems == ("/dev/mss1", "/dev/scratch")


def test_one_parameter() -> None:
    model = parsers.parse_mmlsconfig("pagepool 4G\npagepool 16G [foo1,foo2]\nautoload (undefined)\n").model
    assert model.entries == (
        ConfigEntry("pagepool", "4G"),
        ConfigEntry("pagepool", "16G", ("foo1", "foo2")),
        ConfigEntry("autoload", None),
    )


def test_throttles() -> None:
    model = parsers.parse_mmlsqos(told("mmlsqos_y_50")).model
    assert (model.enabled, model.throttling, model.monitoring) == (True, True, False)
    assert model.limits == (
        QosLimit("system", "other", "inf"),
        QosLimit("system", "maintenance/all_local", "inf"),
        QosLimit("data", "other", "inf"),
        QosLimit("data", "maintenance/all_local", "50000Iops"),
    )
    assert model.limit("data", "maintenance") == "50000Iops"
    assert model.stats == (
        QosStat("system", "misc", 1678438680, 33.267, 0.013449, 1.0751e-05, 30.0, 4.675),
        QosStat("system", "maintenance", 1678438680, 0.066667, None, 0.0, 30.0, 0.00026042),
    )
    human = parsers.parse_mmlsqos(told("mmlsqos_human")).model
    assert (human.enabled, human.throttling, human.monitoring) == (True, True, True)
    assert human.limit("system", "maintenance") == "300Iops"
    assert human.stats[1] == QosStat("system", "maintenance", None, 300.0, 1.5, None, 5.0, clock="10:36:35")


def test_waiters() -> None:
    human, machine = (
        parsers.parse_mmdiag_waiters(told("mmdiag_waiters_42")).model,
        parsers.parse_mmdiag_waiters(told("mmdiag_waiters_y_50")).model,
    )
    reaper = ("19428", "FsckClientReaperThread", 6861.7395)
    reason = ("FsckReaperCondvar", "Waiting to reap fsck pointer")
    assert human.waiters == (
        Waiter(*reaper, "11:04:20", False, *reason),
        Waiter("23170", "NSDThread", 0.0409, "10:24:00", True, "", "for I/O completion"),
    )
    assert machine.waiters[:2] == (
        Waiter(*reaper, "2021-09-23 15:31:33-0400", False, *reason),
        Waiter("23170", "NSDThread", 0.0409, "2021-09-23 15:31:34-0400", True, "", "for I/O completion"),
    )
    assert machine.waiters[2].reason == "Waiting for something"
    assert human.longest == human.waiters[0]
    old = "0x7F0123 waiting 25.2 seconds, NSDThread: on ThCond 0x18 (MsgRecordCondvar), reason 'RPC wait'\n"
    model = parsers.parse_mmdiag_waiters(old).model
    assert model.waiters == (Waiter("0x7F0123", "NSDThread", 25.2, "", None, "MsgRecordCondvar", "RPC wait"),)


def test_no_waiters_is_an_answer() -> None:
    assert parsers.parse_mmdiag_waiters("\n=== mmdiag: waiters ===\n").ok
    assert parsers.parse_mmdiag_waiters(told("mmdiag_waiters_y_50").split("\n")[0]).ok


def test_health() -> None:
    human = parsers.parse_mmhealth(told("mmhealth_50")).model
    assert (human.node, human.status) == ("foo1", "TIPS")
    assert human.component("FILESYSTEM") == HealthState("foo1", "FILESYSTEM", "foo1", "NODE", "DEGRADED", "10 min. ago")
    assert [(event.component, event.event, event.arguments) for event in human.events] == [
        ("GPFS", "total_memory_small", ""),
        ("GPFS", "gpfs_pagepool_small", ""),
        ("GPFS", "callhome_not_enabled", ""),
        ("FILESYSTEM", "ill_unbalanced_fs", "mss1"),
    ]
    machine = parsers.parse_mmhealth(told("mmhealth_y_50")).model
    node = "foo1.example.com"
    assert (machine.node, machine.status, len(machine.states)) == (node, "TIPS", 4)
    assert machine.component("DISK") == HealthState(node, "DISK", node, "NODE", "HEALTHY", "2025-12-31 12:13:53")
    assert machine.events[0] == HealthEvent(
        node, "GPFS", node, "NODE", "gpfs_pagepool_small", "", "2020-01-07 16:47:43.892296 EST"
    )


def test_pools() -> None:
    model = parsers.parse_mmlspool(told("mmlspool_42")).model
    assert model.pools == (
        Pool("system", 0, 4 * 1024**2, True, True, 5242880, 1101824, 5242880, 1155072, "/mss1"),
        Pool("capacity", 65537, 1024**2, True, False, 20971520, 20824064, 0, 0, "/mss1"),
        Pool(
            "a_pool_with_a_very_long_name", 65538, 4 * 1024**2, False, True, 0, 0, 783308292096, 205366984704, "/mss1"
        ),
    )
    later = told("mmlspool_42").replace("1155072 ( 22%)", "1155072 ( 22%)   new 1")
    assert [note.text for note in parsers.parse_mmlspool(later).notes] == ["more columns than are known: new 1"]


def test_snapshots() -> None:
    human, machine = (
        parsers.parse_mmlssnapshot(told("mmlssnapshot_42")).model,
        parsers.parse_mmlssnapshot(told("mmlssnapshot_y_50")).model,
    )
    when = ("Sat Dec 17 03:26:02 2022", "root")
    assert machine.snapshots == (
        Snapshot("mss1", "before_migration", 872, "Valid", *when, 823587352320, 529437984),
        Snapshot("mss1", "20221218", 873, "Valid", "Sun Dec 18 03:35:02 2022"),
    )
    assert human.snapshots[0] == Snapshot(
        "mss1", "before_migration", 872, "Valid", *when, round(46.44 * 1024**3), round(324.2 * 1024**2)
    )
    assert (human.snapshots[1].fileset, human.snapshots[1].metadata_kb) == ("", 8)
    for streams in (("No snapshots in file system mss1\n", ""), ("", "No snapshots in file system mss1\n")):
        assert parsers.parse_mmlssnapshot(*streams).ok


def test_disks_deleted() -> None:
    parsed = parsers.parse_mmdeldisk(
        "Attention: A disk being removed reduces the number of\nfailure groups to 1.\n" + told("mmdeldisk_42")
    )
    model = parsed.model
    assert (parsed.ok, model.completed, model.propagated, model.errors) == (True, True, True, ())
    assert model.attention == ("Attention: A disk being removed reduces the number of failure groups to 1.",)
    assert model.events[0] == PhaseStarted("Scanning file system metadata", 1)
    assert model.events[-2:] == (Percent(100.0, "Tue Jan 22 13:12:31 2019", 65856, 543), PhaseDone())


def test_disks_that_cannot_be_deleted() -> None:
    model = parsers.parse_mmdeldisk("", f"mmdeldisk: nsd1 not found in file system fs5\nmmdeldisk: {TAIL}\n").model
    assert [error.text for error in model.errors] == ["nsd1 not found in file system fs5", TAIL]
    assert not model.completed


def test_a_disk_replaced() -> None:
    model = parsers.parse_mmrpldisk(told("mmrpldisk_42")).model
    assert (model.fs, model.node, model.sizes_kb) == ("mss1", "foo1", (("foo1_new1", 10240 * 1024),))
    assert (model.completed, model.propagated, model.errors) == (True, True, ())
    assert model.events[0] == Percent(5.0, "Thu Apr  4 20:57:49 2019", None, None)


def test_disks_started() -> None:
    model = parsers.parse_mmchdisk(told("mmchdisk_start_42")).model
    assert model.rediscovered == ("foo1", "foo2")
    assert model.events == (
        PhaseStarted("Scanning file system metadata", 1),
        Percent(5.0, "Thu Apr  4 20:57:49 2019", None, None),
        PhaseDone(),
    )
    assert model.errors == ()


def test_nsds_deleted_and_throttles_changed() -> None:
    deleted = parsers.parse_mmdelnsd(told("mmdelnsd")).model
    assert (deleted.processed, deleted.propagated) == (("foo1_nsd1", "foo1_nsd2"), True)
    assert parsers.parse_mmchqos(told("mmchqos")).model.installed
    refused = parsers.parse_mmdelnsd("", f"mmdelnsd: 6027-1930 Disk a belongs to file system fs1.\nmmdelnsd: {TAIL}\n")
    assert refused.model.errors[0].number == "6027-1930"


def test_numbered_messages_of_aix() -> None:
    text = told("mmadddisk_60").lstrip("\n").replace("The following", "GPFS: 6027-531 The following")
    text = text.replace("Completed adding", "GPFS: 6027-1503 Completed adding")
    assert parsers.parse_mmadddisk(text).model == parsers.parse_mmadddisk(told("mmadddisk_60")).model
    assert isinstance(parsers.parse_mmadddisk(text).model, DisksAdded)
    log = told("restripe_42")
    numbered = log.replace("Scanning ", "GPFS: 6027-589 Scanning ").replace(
        "Scan completed", "GPFS: 6027-552 Scan completed"
    )
    assert parsers.parse_mmrestripefs(numbered).model == parsers.parse_mmrestripefs(log).model


def test_a_cluster_that_lost_its_quorum() -> None:
    text = told("mmgetstate_al_42").replace("Quorum = 2, Quorum achieved", "Quorum = 2, Quorum not achieved")
    summary = parsers.parse_mmgetstate(text).model.summary
    assert summary is not None
    assert (summary.quorum_needed, summary.achieved) == (2, False)
