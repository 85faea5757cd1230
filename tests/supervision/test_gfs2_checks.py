"""The checks before a work on a GFS2: each once passing, once warning, blocking or unknown, with what to do."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from remote.gfs2.cluster import Node, Resource
from remote.gfs2.models import Superblock
from remote.gfs2.use import InKernel, ManagerAnswer, Mounted
from remote.linux.blkid import Probed
from remote.linux.room import Rooms
from remote.linux.work import Work, Worker
from remote.parsed import Parsed, Problem
from supervision.gfs2_checking import OLD, same_host
from supervision.gfs2_checks import Verdict, Wanted, node_questions, questions
from tests.supervision.gfs2_facts import (
    BLOCKS,
    DEVICE,
    FSCK,
    GIB,
    GOOD,
    GOOD_TARGET,
    HOST,
    NOW,
    OTHER,
    OUT,
    RESTORE,
    SAVE,
    UUID,
    alone,
    bad,
    checks,
    fact,
    facts,
    header,
    only,
    room,
    use,
)

MOUNT = (Mounted("/dev/mapper/vg-home", "/srv/home", "gfs2", "253:4"),)
BLOCK, WARNING, UNKNOWN = Verdict.BLOCK, Verdict.WARNING, Verdict.UNKNOWN


@pytest.mark.parametrize("wanted", [SAVE, FSCK, RESTORE])
def test_all_pass_where_all_is_as_it_must_be_and_tell_when_they_were_read(wanted: Wanted) -> None:
    found = checks(wanted, now=NOW + 10)
    assert bad(found) == []
    assert {check.at for check in found if check.name not in ("device", "level")} == {NOW}
    assert not any(check.todo for check in found)


@pytest.mark.parametrize("device", ["home", "vg/home", "/dev/vg/../home", "/dev/a b"])
def test_a_device_that_the_tools_would_not_take_is_the_only_thing_told(device: str) -> None:
    found = checks(msgspec.structs.replace(FSCK, device=device))
    assert [(check.name, check.verdict) for check in found] == [("device", BLOCK)]


@pytest.mark.parametrize("wanted", [SAVE, FSCK])
def test_what_is_no_gfs2_blocks_and_what_was_not_read_is_unknown(wanted: Wanted) -> None:
    key = f"blkid {DEVICE}"
    assert bad(checks(wanted, {key: ()})) == [("what it holds", BLOCK)]
    assert "xfs" in only(checks(wanted, {key: (Probed(DEVICE, "xfs"),)})).text
    assert bad(checks(wanted, {key: None})) == [("what it holds", UNKNOWN)]
    failed = only(checks(wanted, {key: fact(key, None, failure="exit code 1:\ndenied")}))
    assert (failed.verdict, failed.text) == (UNKNOWN, f"what {DEVICE} holds is not known: exit code 1: / denied")


def test_an_answer_of_which_a_line_is_broken_is_unknown_and_is_shown() -> None:
    key = f"blkid {DEVICE}"
    broken = msgspec.structs.replace(fact(key, (), answer="half a line\nanother"), parsed=Parsed((), (), (_PROBLEM,)))
    check = only(checks(SAVE, {key: broken}))
    assert (check.verdict, check.read) == (UNKNOWN, "half a line / another")
    assert check.text.endswith("the answer cannot be read: a line that is not whole")


_PROBLEM = Problem(1, "half a line", "a line that is not whole")


def test_answers_that_are_old_are_asked_for_again() -> None:
    found = checks(FSCK, now=NOW + OLD + 1)
    assert {check.verdict for check in found if check.name != "device"} == {UNKNOWN}
    assert all("10 min ago: ask again" in check.text for check in found if check.name != "device")


@pytest.mark.parametrize("host", [HOST, OTHER])
def test_a_mount_makes_an_inconsistent_copy_and_stops_what_writes(host: str) -> None:
    key = f"gfs2 use {host}"
    answer = "restripe-gfs2-use 1\nmount 253:4 gfs2\nof =/dev/x\nat =/srv/home\n"
    mounted = fact(key, use(mounts=MOUNT), answer=answer)
    copy = only(checks(SAVE, {key: mounted}))
    assert (copy.name, copy.verdict) == ("mounted", WARNING)
    assert copy.text == f"{host} has it mounted: /dev/mapper/vg-home on /srv/home: this will be an inconsistent copy"
    assert copy.read == "mount 253:4 gfs2 / of =/dev/x / at =/srv/home"
    checked = only(checks(FSCK, {key: mounted}))
    assert (checked.name, checked.verdict, checked.at) == ("mounted", BLOCK, NOW)
    assert checked.todo


def test_a_target_that_is_mounted_anywhere_is_not_written_to() -> None:
    copy = (Mounted("/dev/vg/copy", "/mnt", "gfs2", "253:5"),)
    key = f"gfs2 use {OTHER}"
    assert bad(checks(RESTORE, {key: use("/dev/vg/copy", numbers=("253:5",), mounts=copy)})) == [("mounted", BLOCK)]


def test_a_mount_by_another_number_is_found_by_its_lock_table_or_uuid() -> None:
    elsewhere = use(numbers=(), exists=False, in_kernel=(InKernel("alpha:home", "8:7"),))
    assert bad(checks(FSCK, {f"gfs2 use {OTHER}": elsewhere})) == [("mounted", BLOCK)]
    by_uuid = use(numbers=(), exists=False, in_kernel=(InKernel("renamed", "8:7", UUID),))
    assert bad(checks(FSCK, {f"gfs2 use {OTHER}": by_uuid})) == [("mounted", BLOCK)]
    another = use(in_kernel=(InKernel("alpha:other", "8:7", "1-2"),))
    assert bad(checks(FSCK, {f"gfs2 use {OTHER}": another})) == []


def test_a_node_that_does_not_tell_blocks_what_writes_and_is_a_warning_for_a_copy() -> None:
    silent = {f"gfs2 use {OTHER}": fact(f"gfs2 use {OTHER}", None, failure="no route to host")}
    for wanted, verdict in ((SAVE, WARNING), (FSCK, UNKNOWN)):
        check = only(checks(wanted, silent))
        assert (check.name, check.verdict) == ("mounted", verdict)
        assert f"whether {OTHER} has it mounted is not known: no route to host" in check.text
    assert bad(checks(FSCK, {f"gfs2 use {OTHER}": None})) == [("mounted", UNKNOWN)]
    assert bad(checks(FSCK, {f"gfs2 use {OTHER}": use("/dev/else")})) == [("mounted", UNKNOWN)]


def test_the_host_of_the_work_that_does_not_tell_blocks_a_copy_too() -> None:
    found = checks(SAVE, {f"gfs2 use {HOST}": None})
    assert bad(found) == [("mounted", UNKNOWN), ("cluster", UNKNOWN)]


def test_a_node_may_be_watched_under_another_name() -> None:
    told = {f"gfs2 use {OTHER}": None, f"gfs2 use {OTHER}.example.com": use()}
    assert bad(checks(FSCK, told, hosts=(HOST, f"{OTHER}.example.com"))) == []
    assert bad(checks(FSCK, told)) == [("mounted", UNKNOWN)]


def test_without_a_cluster_one_host_is_asked_and_the_superblock_says_so() -> None:
    nolock = {
        f"sb {DEVICE}": Superblock(4096, lock_protocol="lock_nolock"),
        f"gfs2 use {HOST}": alone(),
        f"gfs2 use {OTHER}": None,
    }
    assert bad(checks(FSCK, nolock)) == []
    assert bad(checks(SAVE, nolock)) == []
    printed = "Superblock:\nsb_lockproto          lock_nolock\nsb_locktable\nuuid 1-2\n"
    read = fact(f"sb {DEVICE}", nolock[f"sb {DEVICE}"], answer=printed)
    (cluster,) = [check for check in checks(FSCK, {**nolock, f"sb {DEVICE}": read}) if check.name == "cluster"]
    assert cluster.read == "sb_lockproto          lock_nolock / sb_locktable"
    assert bad(checks(FSCK, {**nolock, f"sb {DEVICE}": None})) == [("cluster", UNKNOWN), ("resource", UNKNOWN)]


def test_a_cluster_whose_nodes_nobody_tells_blocks_what_writes() -> None:
    for told in (alone(), use(asked_nodes=ManagerAnswer.FAILED, nodes=(), nodes_text="crm_node: exit code 102")):
        found = {f"gfs2 use {HOST}": told}
        assert ("cluster", UNKNOWN) in bad(checks(FSCK, found))
        assert bad(checks(SAVE, found)) == [("cluster", WARNING)]
    failed = next(check for check in checks(FSCK, found) if check.name == "cluster")
    assert failed.read == "crm_node: exit code 102"


def test_a_target_on_a_host_without_cluster_is_fine() -> None:
    told = {f"gfs2 use {HOST}": alone("/dev/vg/copy"), f"gfs2 use {OTHER}": None}
    assert bad(checks(RESTORE, told)) == []


@pytest.mark.parametrize(
    ("resource", "verdict"),
    [
        (Resource("home", DEVICE, "/srv/home", True), None),
        (Resource("home", DEVICE, "/srv/home", False), BLOCK),
        (Resource("home", DEVICE, "/srv/home", None), UNKNOWN),
        (Resource("home", "/dev/mapper/vg-home", "/srv/home", False, "253:4"), BLOCK),
        (Resource("home", f"-U {UUID.upper()}", "/srv/home", False), BLOCK),
        (Resource("home", "LABEL=alpha:home", "/srv/home", False), BLOCK),
        (Resource("other", "/dev/vg/other", "/srv/other", False, "253:9"), None),
        (Resource("other", "/dev/unknown", "/srv/other", False), UNKNOWN),
        (Resource("other", "/dev/unknown", "/srv/other", True), None),
    ],
)
def test_fsck_waits_until_the_cluster_manager_would_not_mount_it(resource: Resource, verdict: Verdict | None) -> None:
    found = checks(FSCK, {f"gfs2 use {HOST}": use(resources=(resource,))})
    assert bad(found) == ([("resource", verdict)] if verdict else [])
    if verdict:
        assert only(found).todo.startswith(f"pcs resource disable {resource.id}")
    assert bad(checks(SAVE, {f"gfs2 use {HOST}": use(resources=(resource,))})) == []


def test_resources_that_cannot_be_read_block() -> None:
    failed = use(asked_resources=ManagerAnswer.FAILED, resources=(), resources_text="cibadmin: exit code 105")
    assert only(checks(FSCK, {f"gfs2 use {HOST}": failed})).read == "cibadmin: exit code 105"
    none = use(asked_resources=ManagerAnswer.NONE, resources=())
    assert bad(checks(FSCK, {f"gfs2 use {HOST}": none})) == [("resource", UNKNOWN)]
    assert bad(checks(FSCK, {f"gfs2 use {HOST}": use(resources=())})) == []


@pytest.mark.parametrize(
    ("changes", "expected"),
    [
        ({"kind": "file", "size": 5}, [("output", BLOCK)]),
        ({"kind": "other"}, [("output", BLOCK)]),
        ({"directory": False, "free": None}, [("output", BLOCK)]),
        ({"file_system": "gfs2", "number": "253:4"}, [("output", BLOCK)]),
        ({"file_system": "gfs2", "number": "253:9"}, []),
        ({"file_system": "tmpfs"}, [("output", WARNING)]),
        ({"free": None}, [("room", UNKNOWN)]),
        # 100,000 blocks: 45 MB by what others took, ten bytes of each cannot be shortened to less than a 1032nd
        ({"free": 45_000_000}, []),
        ({"free": 44_999_999}, [("room", WARNING)]),
        ({"free": BLOCKS * 10 // 1032 - 1}, [("room", BLOCK)]),
    ],
)
def test_what_savemeta_writes_needs_a_free_name_and_room(
    changes: dict[str, Any], expected: list[tuple[str, Verdict]]
) -> None:
    kind = changes.pop("kind", "absent")
    assert bad(checks(SAVE, {f"room {HOST}": Rooms((room(OUT, kind, **changes),))})) == expected


def test_without_compression_every_block_takes_ten_bytes_at_least() -> None:
    plain = msgspec.structs.replace(SAVE, level=0)
    for free, verdict in ((BLOCKS * 10, WARNING), (BLOCKS * 10 - 1, BLOCK)):
        assert bad(checks(plain, {f"room {HOST}": Rooms((room(free=free),))})) == [("room", verdict)]


def test_room_and_output_that_are_not_known_block() -> None:
    assert bad(checks(SAVE, {f"room {HOST}": None})) == [("output", UNKNOWN)]
    assert bad(checks(SAVE, {f"room {HOST}": Rooms((room("/else"),))})) == [("output", UNKNOWN)]
    assert bad(checks(SAVE, {f"rgs {DEVICE}": None})) == [("room", UNKNOWN)]
    assert bad(checks(msgspec.structs.replace(SAVE, file=""))) == [("output", BLOCK)]


@pytest.mark.parametrize(
    ("level", "verdict"), [(None, None), (0, None), (1, None), (3, None), (4, WARNING), (9, WARNING)]
)
def test_a_high_level_is_advised_against_with_the_reason(level: int | None, verdict: Verdict | None) -> None:
    found = checks(msgspec.structs.replace(SAVE, level=level))
    assert bad(found) == ([("level", verdict)] if verdict else [])
    if verdict:
        assert "ten times as long" in only(found).text
        assert only(found).todo == "type -z1"


def test_a_target_that_holds_something_must_be_named_by_its_uuid() -> None:
    key = "blkid /dev/vg/copy"
    held = {key: (Probed("/dev/vg/copy", "xfs", uuid="1-2"),)}
    assert bad(checks(RESTORE, held)) == [("what it holds", BLOCK)]
    assert "1-2" in only(checks(RESTORE, held)).todo
    assert bad(checks(msgspec.structs.replace(RESTORE, over="1-3"), held)) == [("what it holds", BLOCK)]
    assert bad(checks(msgspec.structs.replace(RESTORE, over="1-2"), held)) == [("what it holds", WARNING)]
    assert bad(checks(RESTORE, {key: (Probed("/dev/vg/copy", ""),)})) == [("what it holds", BLOCK)]
    assert bad(checks(RESTORE, {key: None})) == [("what it holds", UNKNOWN)]


def test_restoremeta_reads_what_savemeta_wrote() -> None:
    def of(**changes: Any) -> list[tuple[str, Verdict]]:
        saved = {"kind": "file", "size": 5, "header": header(), **changes}
        rooms = Rooms((room(OUT, **saved), room("/dev/vg/copy", "block", size=10 * GIB)))
        return bad(checks(RESTORE, {f"room {HOST}": rooms}))

    assert of() == []
    assert of(kind="absent") == [("saved metadata", BLOCK)]
    assert of(header=b"\x7fELF") == [("saved metadata", BLOCK)]
    assert of(header=header().replace(b"\x01\x17", b"\x01\x16")) == [("saved metadata", BLOCK)]
    assert bad(checks(RESTORE, {f"room {HOST}": None})) == [("saved metadata", UNKNOWN)]


@pytest.mark.parametrize(
    ("kind", "size", "verdict"),
    [("block", 10 * GIB, None), ("block", 10 * GIB - 1, BLOCK), ("file", 0, WARNING), ("block", None, UNKNOWN)],
)
def test_a_target_that_is_too_small_is_never_a_success(kind: str, size: int | None, verdict: Verdict | None) -> None:
    rooms = Rooms((room(OUT, "file", size=5, header=header()), room("/dev/vg/copy", kind, size=size)))
    assert bad(checks(RESTORE, {f"room {HOST}": rooms})) == ([("size of the target", verdict)] if verdict else [])


def test_what_is_asked_is_what_the_checks_need() -> None:
    assert [command.text for command in questions(SAVE)] == [
        f"blkid -p {DEVICE}",
        f"restripe-gfs2-use {DEVICE}",
        "restripe-work gfs2_edit fsck.gfs2 gfs2_fsck",
        f"gfs2_edit -p sb {DEVICE}",
        f"restripe-gfs2-rgs {DEVICE}",
        f"restripe-room {OUT}",
    ]
    assert [command.text for command in questions(RESTORE)] == [
        "blkid -p /dev/vg/copy",
        "restripe-gfs2-use /dev/vg/copy",
        "restripe-work gfs2_edit fsck.gfs2 gfs2_fsck",
        f"restripe-room {OUT} /dev/vg/copy",
    ]
    assert len(questions(FSCK)) == 4


def test_all_other_nodes_are_asked_and_none_where_there_is_no_cluster() -> None:
    nodes = (Node(f"{HOST}.example.com"), Node(OTHER), Node("pollux3"))
    asked = node_questions(FSCK, facts({f"gfs2 use {HOST}": use(nodes=nodes)}))
    assert {name: command.text for name, command in asked.items()} == {
        OTHER: f"restripe-gfs2-use {DEVICE}",
        "pollux3": f"restripe-gfs2-use {DEVICE}",
    }
    reached = use(nodes=(Node("pollux3"), Node(OTHER)), name="pollux3.example.com")  # by an address, say
    assert set(node_questions(FSCK, facts({f"gfs2 use {HOST}": reached}))) == {OTHER}
    assert node_questions(FSCK, facts({f"sb {DEVICE}": Superblock(4096, lock_protocol="lock_nolock")})) == {}
    assert node_questions(FSCK, {}) == {}


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        ("n1", "n1", True),
        ("root@N1", "n1.example.com", True),
        ("n1.a", "n1.b", False),
        ("10.0.0.1", "10.0.0.2", False),
        ("10.0.0.1", "10", False),
        ("fe80::1", "fe80::2", False),
    ],
)
def test_two_names_are_of_one_host_as_far_as_names_tell(one: str, other: str, same: bool) -> None:
    assert same_host(one, other) is same_host(other, one) is same


@given(st.sampled_from([SAVE, FSCK, RESTORE]), st.sets(st.sampled_from(sorted({*GOOD, *GOOD_TARGET}))))
def test_whatever_is_missing_stops_the_work_or_warns_and_says_what_to_do(wanted: Wanted, missing: set[str]) -> None:
    good = GOOD_TARGET if wanted is RESTORE else GOOD
    found = checks(wanted, dict.fromkeys(missing))
    needed = {fact for command in questions(wanted) for fact in good if fact in missing and _tells(command.argv, fact)}
    assert bool(needed) <= any(check.verdict.stops for check in found)
    assert all(check.todo for check in found if check.verdict is not Verdict.PASSED)


def _tells(argv: tuple[str, ...], key: str) -> bool:
    """Whether the host of the work answers a question with a fact."""
    name = {"restripe-gfs2-use": "gfs2 use", "restripe-gfs2-rgs": "rgs", "restripe-room": "room", "gfs2_edit": "sb"}
    return key in (f"{name.get(argv[0], argv[0])} {argv[-1]}", f"{name.get(argv[0], argv[0])} {HOST}")


def working(command: str, **changes: Any) -> Work:
    """A host on which another tool is at work."""
    other = Worker(77, 1, 5, "R", 1.0, argv=tuple(command.split()))
    return Work("boot", NOW, (msgspec.structs.replace(other, **changes),))


@pytest.mark.parametrize(
    ("wanted", "command", "verdict", "told"),
    [
        (SAVE, f"gfs2_edit savemeta {DEVICE} /tmp/x", WARNING, "savemeta is at work on it already on pollux1, pid 77"),
        (SAVE, f"fsck.gfs2 -y {DEVICE}", WARNING, "what is saved will not fit together"),
        (SAVE, f"fsck.gfs2 -n {DEVICE}", WARNING, "both get slower"),
        (FSCK, f"gfs2_edit savemeta {DEVICE} /tmp/x", BLOCK, "savemeta is at work on it"),
        (RESTORE, f"gfs2_edit restoremeta /tmp/x {RESTORE.device}", BLOCK, "restoremeta is at work on it"),
    ],
)
def test_a_tool_that_is_at_work_on_the_device_stops_what_may_write(
    wanted: Wanted, command: str, verdict: Verdict, told: str
) -> None:
    found = only(checks(wanted, {f"work {HOST}": working(command)}))
    assert (found.name, found.verdict) == ("at work", verdict)
    assert told in found.text
    assert found.todo


def test_a_tool_on_another_host_counts_and_one_on_another_device_or_that_has_ended_does_not() -> None:
    there = {f"work {OTHER}": working(f"fsck.gfs2 -y {DEVICE}")}
    assert bad(checks(FSCK, there, hosts=(HOST, OTHER))) == [("at work", BLOCK)]
    assert bad(checks(FSCK, {f"work {HOST}": working("fsck.gfs2 -y /dev/vg/other")})) == []
    assert bad(checks(FSCK, {f"work {HOST}": working(f"fsck.gfs2 -y {DEVICE}", state="Z")})) == []
    assert bad(checks(FSCK, {f"work {HOST}": None})) == [("at work", UNKNOWN)]
    assert bad(checks(SAVE, {f"work {HOST}": None})) == [("at work", WARNING)]
