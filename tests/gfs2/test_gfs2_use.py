"""Who uses a GFS2, as one host tells it: mounts, the kernel, nodes and resources; what is broken, and garbage."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from remote.gfs2.cluster import Node, NodeState, Resource, nodes_of_cmap, nodes_of_crm_node, resources
from remote.gfs2.use import InKernel, ManagerAnswer, Mounted, Use, gfs2_use
from remote.gfs2.use_parsing import parse_use
from remote.parsed import Problem
from tests.gfs2.pacemaker import CMAP, CRM_NODE, STARTED, STOPPED, attributes, mount
from tests.gfs2.pacemaker import resources as cib


def behind(text: str) -> str:
    """What a tool printed, as the script tells it."""
    return "".join(f"| {line}\n" for line in text.splitlines())


ANSWER = f"""\
restripe-gfs2-use 1
device =/dev/vg/home
number 253:4
kernel yes
mount 253:4 gfs2
of =/dev/mapper/vg-home
at =/srv/my\\040home
mounts told
table =alpha:home
id 253:4
uuid 0D9B438D-66AF-4B8A-A559-D2C28A88DB74
withdraw 0
table =alpha:scratch
id 253:5
withdraw 1
nodes crm_node 0
{behind(CRM_NODE)}nodes corosync-cmapctl 0
{behind(CMAP)}resources cibadmin 0
{behind(cib(mount("home"), mount("other", "/dev/vg/other")))}known 253:4 =/dev/vg/home
end
"""


def test_an_answer_is_read_to_the_last_line() -> None:
    parsed = parse_use(ANSWER)
    assert parsed.problems == ()
    nodes = (
        Node("pollux1", NodeState.MEMBER),
        Node("pollux2", NodeState.MEMBER),
        Node("pollux3", NodeState.AWAY),
    )
    assert parsed.model == Use(
        "/dev/vg/home",
        True,
        ("253:4",),
        True,
        (Mounted("/dev/mapper/vg-home", "/srv/my home", "gfs2", "253:4"),),
        (
            InKernel("alpha:home", "253:4", "0d9b438d-66af-4b8a-a559-d2c28a88db74"),
            InKernel("alpha:scratch", "253:5", withdrawn=True),
        ),
        ManagerAnswer.TOLD,
        nodes,
        "crm_node",
        "",
        ManagerAnswer.TOLD,
        (
            Resource("home", "/dev/vg/home", "/srv/home", False, "253:4"),
            Resource("other", "/dev/vg/other", "/srv/other", False),
        ),
    )


def test_a_mount_is_found_by_its_number_and_in_the_kernel_by_table_or_uuid() -> None:
    use = parse_use(ANSWER).model
    assert use.mounted() == ("/dev/mapper/vg-home on /srv/my home",)
    elsewhere = Use("/dev/sdq", True, ("8:1",), True, use.mounts, use.in_kernel)
    assert elsewhere.mounted() == ()
    assert elsewhere.mounted(table="alpha:scratch") == ("alpha:scratch in its kernel, by no name in the mounts",)
    assert elsewhere.mounted(uuid="0D9B438D-66AF-4b8a-a559-d2c28a88db74") == (
        "alpha:home in its kernel, by no name in the mounts",
    )
    assert elsewhere.mounted(table="alpha:none", uuid="1-2") == ()


def test_a_host_without_cluster_says_so_and_one_whose_tools_fail_says_what_they_said() -> None:
    bare = "restripe-gfs2-use 1\nkernel no\nmounts told\n"
    alone = parse_use(f"{bare}end\n").model
    assert (alone.asked_nodes, alone.asked_resources) == (ManagerAnswer.NONE, ManagerAnswer.NONE)
    assert (alone.has_gfs2, alone.exists, alone.nodes) == (False, False, ())
    failing = "nodes crm_node 102\n| not connected\nresources cibadmin 105\n| Could not connect\n"
    failed = parse_use(f"{bare}{failing}end\n").model
    assert (failed.asked_nodes, failed.nodes_text) == (ManagerAnswer.FAILED, "crm_node: exit code 102: not connected")
    assert failed.asked_resources is ManagerAnswer.FAILED
    assert failed.resources_text == "cibadmin: exit code 105: Could not connect"
    next_best = f"nodes crm_node 102\n| not connected\nnodes corosync-cmapctl 0\n{behind(CMAP)}"
    told = parse_use(f"{bare}{next_best}end\n").model
    assert (told.nodes_by, told.nodes) == ("corosync-cmapctl", (Node("pollux1"), Node("10.0.0.2")))


def test_nodes_are_told_by_name_and_else_by_what_there_is() -> None:
    assert nodes_of_crm_node(["1 (null) lost", "noise", "7 pollux7", ""]) == (
        Node("id 1", NodeState.AWAY),
        Node("pollux7"),
    )
    assert nodes_of_cmap(CMAP.splitlines()) == (Node("pollux1"), Node("10.0.0.2"))


@pytest.mark.parametrize(
    ("text", "disabled"),
    [
        (mount("a"), False),
        (mount("a", "/dev/x", STOPPED), True),
        (f'<clone id="c">{mount("a")}{STOPPED}</clone>', True),
        (f'<clone id="c">{mount("a", "/dev/x", STARTED)}{STOPPED}</clone>', False),
        (f'<clone id="c"><group id="g">{mount("b")}{mount("a")}{STOPPED}</group></clone>', True),
        (f'<group id="g">{STARTED}{mount("a", "/dev/x", STOPPED)}</group>', True),
        (mount("a", "/dev/x", STOPPED.replace("<nvpair", '<rule id="r"/><nvpair')), None),
        (mount("a", "/dev/x", STOPPED, STARTED), None),
        (mount("a", "/dev/x", '<meta_attributes id-ref="m"/>') + STOPPED.replace('id="s"', 'id="m"'), True),
    ],
)
def test_what_is_set_nearest_to_a_resource_decides_whether_it_is_disabled(text: str, disabled: bool | None) -> None:
    found = {each.id: each.disabled for each in resources(cib(text), {}) or ()}
    assert found["a"] is disabled


def test_only_agents_that_mount_gfs2_count_and_a_template_gives_what_they_lack() -> None:
    template = f'<template id="t" type="Filesystem">{attributes("instance", fstype="gfs2", device="/dev/t")}</template>'
    made = f'<primitive id="m" template="t">{attributes("instance", directory="/srv/m")}</primitive>'
    text = cib(template, made, mount("x", fstype="xfs"), '<primitive id="ip" type="IPaddr2"/>')
    assert resources(text, {"/dev/t": "8:1"}) == (Resource("m", "/dev/t", "/srv/m", False, "8:1"),)
    assert resources("<resources/>", {}) == ()
    assert resources(f"a warning\n{cib()}another\n", {}) == ()


@pytest.mark.parametrize(
    "text",
    ["", "no xml", "<resources>", "<resources><group></resources>", '<resources a="<!DOCTYPE"></resources>'],
)
def test_resources_that_are_not_whole_are_none(text: str) -> None:
    assert resources(text, {}) is None


@pytest.mark.parametrize(
    "line",
    [
        "device x6",
        "number 8",
        "kernel maybe",
        "mount 8:1 xfs",
        "id 8:1",
        "at =/x",
        "nodes crm_node",
        "known 8 =/x",
        "kill",
    ],
)
def test_a_broken_line_is_a_problem(line: str) -> None:
    parsed = parse_use(f"restripe-gfs2-use 1\n{line}\nmounts told\nend\n")
    assert [problem.text for problem in parsed.problems] == [line]


def test_an_answer_that_is_cut_and_one_without_mounts_are_problems() -> None:
    assert parse_use("restripe-gfs2-use 1\nmounts told\n").problems == (Problem(0, "", "the answer is not whole"),)
    hidden = parse_use("restripe-gfs2-use 1\nmounts hidden\nend\n")
    assert hidden.problems == (Problem(0, "", "the mounts are not told"),)


def test_the_question_changes_nothing_and_may_name_a_device() -> None:
    assert (gfs2_use().text, gfs2_use("/dev/a b").text) == ("restripe-gfs2-use", "restripe-gfs2-use '/dev/a b'")


LINES = st.sampled_from(ANSWER.splitlines()) | st.text(max_size=30)


@given(st.lists(LINES, max_size=20), st.text(max_size=30))
def test_the_parser_never_raises(lines: list[str], garbage: str) -> None:
    parse_use(garbage, garbage)
    use = parse_use("restripe-gfs2-use 1\n" + "\n".join(lines), garbage).model
    use.mounted(table="a", uuid="b")


@given(st.lists(st.sampled_from(["<resources>", "</resources>", "<group", ' id="a"', ">", "</group>", "&x;", "\0"])))
def test_no_xml_makes_it_raise(pieces: list[str]) -> None:
    resources("".join(pieces), {})


def test_a_host_tells_what_it_calls_itself() -> None:
    named = parse_use("restripe-gfs2-use 1\nname =node1.example.com\nmounts told\nend\n")
    assert (named.model.name, named.problems) == ("node1.example.com", ())
