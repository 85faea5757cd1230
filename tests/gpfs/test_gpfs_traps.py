"""The traps that GPFS's outputs lay for a parser, one test each."""

from __future__ import annotations

import pytest

from remote.gpfs import parsers
from remote.gpfs.models import ClusterNode, Percent, PhaseDone, SpaceTotal, Usage
from remote.gpfs.progress import parse_progress_line, parse_stamp
from remote.gpfs.stanza import parse_stanzas
from remote.names import NodeTable
from tests.gpfs.told import TAIL, in_dos_lines, told

DISK_HEAD = "\n".join(told("mmlsdisk_before").split("\n")[:3]) + "\n"
LONG_HEAD = "\n".join(told("mmlsdisk_long").split("\n")[:3]) + "\n"


def test_trap_01_long_names_push_every_later_column() -> None:
    disk = parsers.parse_mmlsdisk(told("mmlsdisk_long")).model.get("archive_vault_rack7_disk12")
    assert disk is not None
    assert (disk.failure_group, disk.status, disk.pool) == ("-1", "to be emptied", "system")
    row = parsers.parse_mmlsnsd_x(told("mmlsnsd_m_35")).model.rows[0]
    assert (row.device, row.node, row.remarks) == ("/dev/mapper/a_long_lun_name0", "n1", "server node")
    space = parsers.parse_mmdf(told("mmdf_two_pools_60")).model.get("vault_of_metadata_0001")
    assert space is not None
    assert (space.size_kb, space.free_blocks_percent) == (1048576, 21)
    assert parsers.parse_mmlspool(told("mmlspool_42")).model.get("a_pool_with_a_very_long_name") is not None


@pytest.mark.parametrize(
    "status", ["to be emptied", "being emptied", "emptied", "replacing", "replacement", "suspended"]
)
def test_trap_02_cells_of_several_words(status: str) -> None:
    row = f"d1           nsd         512           1 Yes      Yes   {status:<13} up          1 system        desc\n"
    text = LONG_HEAD + row
    disk = parsers.parse_mmlsdisk(text).model.disks[0]
    assert (disk.status, disk.availability, disk.disk_id, disk.remarks) == (status, "up", "1", "desc")
    servers = parsers.parse_mmlsnsd_list(told("mmlsnsd_42")).model
    assert [nsd.servers for nsd in servers.nsds] == [("foo1", "foo2"), ("foo1",), ()]
    assert parsers.parse_mmlsnsd_x(told("mmlsnsd_x")).model.rows[0].remarks == "server node"
    assert parsers.parse_mmlspool(told("mmlspool_42")).model.pools[0].block_size == 4194304
    pair = parsers.parse_mmdf(told("mmdf_two_pools_60")).model.disks
    assert [disk.free_blocks_percent for disk in pair] == [22, 21, 99, 100]


def test_trap_03_empty_cells() -> None:
    assert parsers.parse_mmlsnsd_x(told("mmlsnsd_m_35")).model.rows[1].remarks == ""
    assert parsers.parse_mmlscluster(told("mmlscluster_35")).model.nodes[3].designation == ""
    assert parsers.parse_mmlscluster(told("mmlscluster_y_504")).model.nodes[2].designation == ""
    assert parsers.parse_mmgetstate(told("mmgetstate_al_42")).model.nodes[2].remarks == ""


@pytest.mark.parametrize("group", ["01", "-1", "1,0,1"])
def test_trap_04_text_that_looks_like_a_number(group: str) -> None:
    row = f"d1           nsd         512 {group:>7} Yes      Yes   ready         up           system       \n"
    assert parsers.parse_mmlsdisk(DISK_HEAD + row).model.disks[0].failure_group == group
    assert parsers.parse_mmlscluster(told("mmlscluster_y_504")).model.cluster_id == "13882454286519183232"


def test_trap_05_many_names_for_one_node() -> None:
    table = NodeTable.from_cluster(parsers.parse_mmlscluster(told("mmlscluster_y_504")).model)
    second = ClusterNode(2, "pollux2.example.com", "140.252.28.8", "foo2", "quorum-perfmon")
    assert {table.resolve(name) for name in ("foo2", "pollux2", "pollux2.example.com", "140.252.28.8")} == {second}


def test_trap_06_capitals_and_spelling_as_they_are() -> None:
    usages = [disk.usage for disk in parsers.parse_mmlsdisk(told("mmlsdisk_y_50")).model.disks]
    both, data, nothing, metadata = Usage.DATA_AND_METADATA, Usage.DATA_ONLY, Usage.DESC_ONLY, Usage.METADATA_ONLY
    assert usages == [both, both, data, nothing, metadata]
    assert "cnfsMoundPort" in told("mmlscluster_y_504")
    row = "mmhealth:Event:0:1:::n1:DISK:d1:NSD:disc_recovering::now::no:\n"
    health = parsers.parse_mmhealth(told("mmhealth_y_50") + row).model
    assert health.events[-1].event == "disc_recovering"


def test_trap_07_units() -> None:
    kb, mb = parsers.parse_mmadddisk(told("mmadddisk_35")).model, parsers.parse_mmadddisk(told("mmadddisk_60")).model
    assert (kb.sizes_kb[0][1], mb.sizes_kb[0][1]) == (194805760, 10485760)
    assert parsers.parse_mmdf(told("mmdf_changed_1t")).model.unit == "TB"
    assert not parsers.parse_mmdf(told("mmdf_changed_1t")).model.exact
    assert parsers.parse_mmdf(told("mmdf_two_pools_60")).model.largest_disk_kb[0] == ("system", 16640901)
    assert [pool.block_size for pool in parsers.parse_mmlspool(told("mmlspool_42")).model.pools][:2] == [
        4194304,
        1048576,
    ]


@pytest.mark.parametrize("on_stderr", [False, True])
def test_trap_08_attention_in_the_middle_and_wrapped(on_stderr: bool) -> None:
    sentence = "Attention: Due to an earlier configuration change the file system\nis no longer properly replicated.\n"
    head, rows = told("mmlsdisk_before")[: len(DISK_HEAD)], told("mmlsdisk_before")[len(DISK_HEAD) :]
    parsed = (
        parsers.parse_mmlsdisk(head + rows, sentence) if on_stderr else parsers.parse_mmlsdisk(head + sentence + rows)
    )
    assert parsed.ok
    assert len(parsed.model.disks) == 12
    assert parsed.model.not_properly_replicated
    machine = parsers.parse_mmlsdisk(told("mmlsdisk_y_50") + sentence)
    assert (machine.ok, machine.model.not_properly_replicated, len(machine.model.disks)) == (True, True, 5)
    risk = sentence.replace("is no longer properly replicated", "may contain data that is at risk of being lost")
    assert parsers.parse_mmlsdisk(told("mmlsdisk_before") + risk).model.at_risk
    off = sentence.replace("properly replicated", "properly balanced")
    assert parsers.parse_mmlsdisk(told("mmlsdisk_before") + off).model.unbalanced


def test_trap_09_exit_zero_without_rows() -> None:
    for text in ("mmlsnsd: [I] No disks were found.\n", "No disks were found\n"):
        parsed = parsers.parse(("mmlsnsd", "-d", "nope"), "", text)
        assert parsed.ok
        assert len(parsed.notes) == 1


def test_trap_10_empty_lines_and_trailing_blanks() -> None:
    for command, name in (("mmlsnsd", "mmlsnsd_42"), ("mmadddisk", "mmadddisk_60"), ("mmlsmount", "mmlsmount_l_42")):
        text = "\n" + "\n".join(line + "   " for line in told(name).split("\n"))
        assert parsers.parse((command,), text).model == parsers.parse((command,), told(name)).model
    assert parsers.parse_mmdiag_waiters("\n\n" + told("mmdiag_waiters_42")).ok


@pytest.mark.parametrize(
    "words",
    [
        told("mmchdisk").partition("...\n")[2],  # two lines
        "mmchdisk: Propagating the cluster configuration data to all affected nodes.\n",
        "mmchdisk: mmsdrfs propagation completed.\n",
        "mmchdisk: 6027-1371 Propagating the cluster configuration data to all\n",
    ],
)
def test_trap_11_shapes_of_propagation(words: str) -> None:
    parsed = parsers.parse_mmchdisk("Verifying file system configuration information ...\n" + words)
    assert (parsed.ok, parsed.notes, parsed.model.propagated) == (True, (), True)


def test_trap_12_the_end_of_a_phase_is_not_the_end() -> None:
    events = parsers.parse_mmrestripefs(told("restripe_35")).model.events
    assert sum(isinstance(event, PhaseDone) for event in events) == 2
    percents = [event.percent for event in events if isinstance(event, Percent)]
    assert sorted(percents) != percents  # it begins again
    last = parsers.parse_mmrestripefs(told("restripe_35")).model.last_percent
    assert last is not None
    assert last.inodes is None
    small = "Scanning file system metadata, phase 1 ... \nScan completed successfully.\n"
    assert parsers.parse_mmrestripefs(small).model.last_percent is None


@pytest.mark.parametrize("name", ["mmlsdisk_y_50", "mmlsdisk_long", "mmdf_after", "restripe_42", "mmlsnsd_x"])
def test_trap_13_carriage_returns(name: str) -> None:
    command = "mmrestripefs" if name.startswith("restripe") else name.partition("_")[0]
    as_told = parsers.parse((command,), told(name))
    assert parsers.parse((command,), in_dos_lines(told(name))) == as_told
    assert parsers.parse((command,), told(name).replace("\n", "\r")) == as_told


def test_trap_14_several_nodes_in_one_output() -> None:
    assert parsers.parse_mmchdisk(told("mmchdisk_start_42")).model.rediscovered == ("foo1", "foo2")


@pytest.mark.parametrize("comma", ["98,22", "98.22"])
def test_trap_15_decimal_commas(comma: str) -> None:
    assert parse_progress_line(f" {comma} % complete on Thu Jun  6 19:30:54 2013") == Percent(
        98.22, "Thu Jun  6 19:30:54 2013", None, None
    )
    assert parsers.parse_mmdiag_waiters(told("mmdiag_waiters_42")).model.waiters[1].seconds == 0.0409
    assert parsers.parse_mmlsqos(told("mmlsqos_y_50")).model.stats[0].iops == 33.267


def test_trap_16_times_with_and_without_a_zone() -> None:
    assert parse_stamp("Fri May 17 15:39:49 CST 2024") == parse_stamp("Fri May 17 15:39:49 2024")
    health = parsers.parse_mmhealth(told("mmhealth_y_50")).model
    assert health.states[0].since == "2020-01-27 09:35:21.859186 EST"
    assert parsers.parse_mmdiag_waiters(told("mmdiag_waiters_42")).model.waiters[0].since == "11:04:20"


def test_trap_17_names_not_positions() -> None:
    text = told("mmlsdisk_y_50")
    moved = text.replace("nsdName:driverType:", "replicaType:nsdName:driverType:").replace("::0:1:::", "::0:1:::none:")
    assert parsers.parse_mmlsdisk(moved).model == parsers.parse_mmlsdisk(text).model
    assert parsers.parse_mmlsdisk(text + "mmlsdisk:invalid\n").problems[0].line == 7


def test_trap_18_data_and_metadata_are_not_the_total() -> None:
    space = parsers.parse_mmdf(told("mmdf_y_50")).model
    assert (space.data, space.metadata, space.total) == (
        SpaceTotal(23068672, 21348352, 31080),
        SpaceTotal(2097152, 450560, 23024),
        SpaceTotal(23068672, 21348352, 31080),
    )
    without = "".join(line for line in told("mmdf_y_50").splitlines(keepends=True) if ":metadata:0" not in line)
    assert parsers.parse_mmdf(without).ok
    assert parsers.parse_mmdf(without).model.metadata is None
    assert parsers.parse_mmdf(told("mmdf_metadata")).model.inodes is None
    several = parsers.parse_mmdf(told("mmdf_after")).model.inodes
    assert several is not None
    assert several.maximum == 146903040


def test_trap_19_a_row_for_every_server() -> None:
    devices = parsers.parse_mmlsnsd_x(told("mmlsnsd_x_y_50")).model
    groups = devices.by_volume()
    assert {volume: len(rows) for volume, rows in groups.items()} == {"8CFC1C05507CC5D0": 2, "8CFC1C0B51B10D01": 1}


def test_trap_20_a_stanza_file_that_mmcrnsd_has_rewritten() -> None:
    rewritten = (
        "# /dev/sdg:foo1::metadataOnly:1:foo1_ssd1:system\n"
        "%nsd: nsd=foo1_ssd1\n  usage=metadataOnly\n  FailureGroup=1\n  pool=system\n"
    )
    stanzas = parse_stanzas(rewritten).model
    assert [(stanza.get("nsd"), stanza.get("failureGroup")) for stanza in stanzas] == [("foo1_ssd1", "1")]


@pytest.mark.parametrize(
    "prefix", ["GPFS: 6027-1930 ", "mmadddisk: 6027-1930 [E] ", "6027-1930 ", "[E] ", "mmadddisk: "]
)
def test_trap_21_numbers_and_severities_before_everything(prefix: str) -> None:
    words = "Disk foo1_ssd1 belongs to file system other."
    model = parsers.parse_mmadddisk("", f"{prefix}{words}\nmmadddisk: {TAIL}\n").model
    assert [error.text for error in model.errors] == [words, TAIL]


def test_trap_22_a_device_is_a_name_on_one_node() -> None:
    rows = parsers.parse_mmlsnsd_x(told("mmlsnsd_x_y_50")).model.by_volume()["8CFC1C05507CC5D0"]
    assert [(row.node, row.device) for row in rows] == [("n1", "/dev/dm-1"), ("n2", "/dev/dm-4")]


def test_trap_23_names_follow_no_rule() -> None:
    nodes = parsers.parse_mmlscluster(told("mmlscluster_35")).model.nodes
    assert [(node.admin_name, node.daemon_name) for node in nodes[:2]] == [
        ("foo1", "pollux1.example.com"),
        ("foo2", "pollux2.example.com"),
    ]
