"""`mmlscluster` and `mmlsfs`."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import pytest

from remote.gpfs.models import ClusterNode
from remote.gpfs.parsers import parse_mmlscluster, parse_mmlsfs

TEXTS = Path(__file__).parent / "texts"
Shape = Callable[[str], str]


def told(name: str) -> str:
    return (TEXTS / f"{name}.txt").read_text(encoding="utf-8")


def collapsed(text: str) -> str:
    return "\n".join(re.sub(r"[ \t]+", " ", line).strip() for line in text.split("\n"))


def in_dos_lines(text: str) -> str:
    return text.replace("\n", "\r\n")


@pytest.mark.parametrize("shape", [str, collapsed, in_dos_lines])
def test_a_cluster_with_configuration_servers(shape: Shape) -> None:
    parsed = parse_mmlscluster(shape(told("mmlscluster_35")))
    cluster = parsed.model
    assert parsed.ok
    assert parsed.notes == ()
    assert cluster.name == "mss.example.com"
    assert cluster.cluster_id == "13882454286519183232"
    assert (cluster.remote_shell, cluster.remote_copy) == ("/usr/bin/ssh", "/usr/bin/scp")
    assert (cluster.primary, cluster.secondary, cluster.repository) == ("pollux1.example.com", "", "")
    assert cluster.nodes[0] == ClusterNode(1, "pollux1.example.com", "140.252.28.5", "foo1", "quorum-manager")
    assert cluster.nodes[3].designation == ""
    assert len(cluster.nodes) == 4


@pytest.mark.parametrize("shape", [str, collapsed])
def test_a_cluster_with_ccr(shape: Shape) -> None:
    parsed = parse_mmlscluster(shape(told("mmlscluster_60")))
    cluster = parsed.model
    assert parsed.ok
    assert (cluster.repository, cluster.primary) == ("CCR", "")
    assert cluster.nodes == (ClusterNode(1, "n1.example.com", "10.1.2.11", "n1.example.com", "quorum-manager-perfmon"),)


@pytest.mark.parametrize(
    ("old", "new", "why"),
    [
        ("   2   pollux2", "   x   pollux2", "node number"),
        ("140.252.28.8 ", "140.252.28.800 ", "IP address"),
        ("   2   pollux2", "   1   pollux2", "before"),
        ("140.252.28.8     foo2                        quorum-manager", "", "needs a number"),
    ],
)
def test_broken_nodes_are_told(old: str, new: str, why: str) -> None:
    parsed = parse_mmlscluster(told("mmlscluster_35").replace(old, new))
    assert [node.number for node in parsed.model.nodes] == [1, 3, 4]
    assert [problem.line for problem in parsed.problems] == [18]
    assert why in parsed.problems[0].why


def test_tables_after_the_nodes_are_notes() -> None:
    parsed = parse_mmlscluster(
        told("mmlscluster_35") + "\n Cluster NFS global parameters\n  Shared root: (undefined)\n"
    )
    assert parsed.ok
    assert len(parsed.model.nodes) == 4
    assert len(parsed.notes) == 2


@pytest.mark.parametrize("text", ["", "mmlscluster: command not found\n"])
def test_no_cluster(text: str) -> None:
    assert [problem.line for problem in parse_mmlscluster(text).problems] == [0, 0]


@pytest.mark.parametrize("shape", [str, collapsed, in_dos_lines])
def test_attributes_of_a_file_system(shape: Shape) -> None:
    parsed = parse_mmlsfs(shape(told("mmlsfs_35")), name="mss1")
    fs = parsed.model
    assert parsed.ok
    assert fs.name == "mss1"
    assert (fs.inode_size, fs.block_size) == (512, 4194304)
    assert (fs.metadata_replicas, fs.max_metadata_replicas) == (2, 2)
    assert (fs.data_replicas, fs.max_data_replicas) == (1, 2)
    assert fs.estimated_nodes == 32
    assert fs.version == "13.23 (3.5.0.7)"
    assert fs.get("--inode-limit") == ("146903040",)
    assert fs.get("-d") == ("foo1_nsd1;foo1_nsd2;foo1_nsd3;foo2_nsd1;foo2_nsd2",)
    assert fs.get("-T") == ("/mss1",)
    assert fs.get("--nope") == ()


def test_values_with_blanks_and_rows_without_a_flag() -> None:
    parsed = parse_mmlsfs(told("mmlsfs_35"))
    fs = parsed.model
    assert parsed.notes == ()
    assert fs.get("-V") == ("13.23 (3.5.0.7)", "12.10 (3.4.0.7)")
    assert fs.get("-Q") == ("user;group;fileset", "none")
    assert fs.get("--create-time") == ("Thu Jan  3 09:15:02 2013",)
    assert fs.get("-o") == ("",)
    descriptions = {row.flag: row.description for row in fs.attributes}
    assert descriptions["--create-time"] == "File system creation time"
    assert descriptions["-d"] == "Disks in file system"
    assert descriptions["-o"] == "Additional mount options"


def test_versions_survive_collapsed_blanks() -> None:
    fs = parse_mmlsfs(collapsed(told("mmlsfs_35"))).model
    assert fs.get("-V") == ("13.23 (3.5.0.7)", "12.10 (3.4.0.7)")
    assert fs.get("--create-time") == ("Thu Jan 3 09:15:02 2013",)


def test_numbers_that_are_none() -> None:
    fs = parse_mmlsfs(" -i                 unknown                  Inode size in bytes\n").model
    assert fs.inode_size is None
    assert fs.block_size is None
    assert fs.version == ""


def test_one_attribute_and_a_flag_without_value() -> None:
    parsed = parse_mmlsfs(" -T                 /ibm/fs1                 Default mount point\n -B\n")
    assert parsed.model.get("-T") == ("/ibm/fs1",)
    assert [(problem.line, problem.why) for problem in parsed.problems] == [(2, "a flag without a value")]


def test_an_unknown_file_system() -> None:
    parsed = parse_mmlsfs(
        "",
        "mmlsfs: File system i_dont_exist is not known to the GPFS cluster.\n"
        "mmlsfs: Command failed. Examine previous error messages to determine cause.\n",
    )
    assert [problem.line for problem in parsed.problems] == [0, 2]
    assert "i_dont_exist is not known" in parsed.problems[1].why
