"""`use.sh` in every shell: mounts, what the kernel has, and what the tools of a cluster say, in a tree of the test."""

from __future__ import annotations

from pathlib import Path

import pytest

from remote.gfs2.cluster import Node, NodeState, Resource
from remote.gfs2.use import InKernel, ManagerAnswer, Mounted, Use, gfs2_use
from remote.gfs2.use_parsing import parse_use
from remote.text import decode
from tests.gfs2.pacemaker import CMAP, CRM_NODE, mount, resources
from tests.linux.sysroot import Sysroot
from tests.remote.local_host import HOST, LocalHost

MOUNTS = """\
25 1 8:1 / / rw,relatime shared:1 - xfs /dev/sda1 rw
40 25 253:4 / /srv/my\\040home rw,noatime shared:9 master:2 - gfs2 /dev/mapper/vg-home rw,quota=off
41 25 253:5 / /srv/\xc3\xbc rw - gfs2meta /dev/vg/scratch rw
"""


async def asked(host: LocalHost, device: str) -> Use:
    """What the host tells."""
    (answer,) = await host.site.query(HOST, gfs2_use(device))
    assert (answer.rc, answer.stderr) == (0, b"")
    parsed = parse_use(decode(answer.stdout))
    assert (parsed.problems, parsed.notes) == ((), ())
    return parsed.model


@pytest.fixture
def tree(tmp_path: Path) -> Sysroot:
    """A node that has two file systems mounted, one of them over a loop device."""
    made = Sysroot(tmp_path / "root")
    made.write("proc/self/mountinfo", MOUNTS.encode("latin-1"))
    made.write("proc/filesystems", "nodev\tsysfs\n\text4\n\tgfs2")
    made.write("sys/fs/gfs2/alpha:home/id", "253:4")
    made.write("sys/fs/gfs2/alpha:home/uuid", "0D9B438D-66AF-4B8A-A559-D2C28A88DB74")
    made.write("sys/fs/gfs2/alpha:home/withdraw", "1")
    made.write("sys/fs/gfs2/loop3/id", "7:3")
    made.write("sys/block/loop3/loop/backing_file", str(tmp_path / "an image"))
    made.write("sys/block/loop3/dev", "7:3")
    (tmp_path / "an image").touch()
    return made


async def test_every_shell_tells_mounts_the_kernel_nodes_and_resources(
    host: LocalHost, tree: Sysroot, tmp_path: Path
) -> None:
    host.env.update(tree.env)
    for name, text in {"crm_node": CRM_NODE, "cibadmin": resources(mount("home"))}.items():
        (tmp_path / f"{name}.txt").write_text(text)
        host.tool(name, f"cat {tmp_path}/{name}.txt")
    host.tool("corosync-cmapctl", "echo 'Could not initialize' >&2; exit 1")
    before = tree.state()
    use = await asked(host, str(tmp_path / "an image"))
    assert use == Use(
        str(tmp_path / "an image"),
        True,
        ("7:3",),
        True,
        (
            Mounted("/dev/mapper/vg-home", "/srv/my home", "gfs2", "253:4"),
            Mounted("/dev/vg/scratch", "/srv/ü", "gfs2meta", "253:5"),
        ),
        (InKernel("alpha:home", "253:4", "0d9b438d-66af-4b8a-a559-d2c28a88db74", True), InKernel("loop3", "7:3")),
        ManagerAnswer.TOLD,
        (Node("pollux1", NodeState.MEMBER), Node("pollux2", NodeState.MEMBER), Node("pollux3", NodeState.AWAY)),
        "crm_node",
        "",
        ManagerAnswer.TOLD,
        (Resource("home", "/dev/vg/home", "/srv/home", False),),
    )
    assert use.mounted() == ("loop3 in its kernel, by no name in the mounts",)
    assert tree.state() == before


async def test_a_tool_that_fails_or_was_ended_is_told_with_what_it_said(dash: LocalHost, tree: Sysroot) -> None:
    dash.env.update(tree.env)
    dash.tool("crm_node", "echo 'crm_node: not connected' >&2; exit 102")
    dash.tool("corosync-cmapctl", f"cat <<'END'\n{CMAP}END")
    dash.tool("cibadmin", "exit 124")
    use = await asked(dash, "/nowhere/dev")
    assert (use.exists, use.numbers) == (False, ())
    assert (use.nodes_by, use.nodes) == ("corosync-cmapctl", (Node("pollux1"), Node("10.0.0.2")))
    assert use.asked_resources is ManagerAnswer.FAILED
    assert use.resources_text == "cibadmin: exit code 124: it printed nothing"


async def test_a_host_without_gfs2_and_without_a_cluster_says_both(dash: LocalHost, tmp_path: Path) -> None:
    bare = Sysroot(tmp_path / "root")
    bare.write("proc/self/mountinfo", MOUNTS.splitlines()[0])
    bare.write("proc/filesystems", "nodev\tsysfs")
    dash.env.update(bare.env)
    for name in ("crm_node", "corosync-cmapctl", "cibadmin"):
        assert not (dash.bin / name).exists()
    use = await asked(dash, str(tmp_path))
    assert use == Use(str(tmp_path), has_gfs2=False)


async def test_mounts_that_cannot_be_read_are_a_problem(dash: LocalHost, tmp_path: Path) -> None:
    dash.env.update(Sysroot(tmp_path / "root").env)
    (answer,) = await dash.site.query(HOST, gfs2_use())
    parsed = parse_use(decode(answer.stdout))
    assert [problem.why for problem in parsed.problems] == ["the mounts are not told"]
