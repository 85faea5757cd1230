"""fsck.gfs2, and what gfs2_edit -p and blkid tell of a device."""

from __future__ import annotations

from remote.gfs2.fsck import KINDS, LONGEST_KIND, parse_fsck
from remote.gfs2.models import Finding, FsckPass, ResourceGroup, Statfs, Superblock
from remote.gfs2.structures import parse_rgs, parse_sb, parse_statfs
from remote.linux.blkid import Probed, parse_blkid
from tests.gfs2.gfs2texts import told

PASSES = ["pass1", "reconcile_bitmaps", "pass1b", "pass2", "pass3", "pass4", "check_statfs"]


def test_a_clean_file_system_goes_through_all_passes() -> None:
    parsed = parse_fsck(told("fsck_350"))
    log = parsed.model
    assert (parsed.notes, parsed.problems) == ((), ())
    assert [one.name for one in log.passes] == PASSES
    assert all(one.done and one.seconds == 0.0 for one in log.passes)
    assert (log.complete, log.clean, log.written, log.findings) == (True, False, False, ())


def test_findings_are_counted_by_kind_the_most_frequent_first() -> None:
    log = parse_fsck(told("fsck_350_findings.stdout"), told("fsck_350_findings.stderr")).model
    assert log.complete
    # 20 dinodes, three lines each, from the first line of stderr on: stdout has 19
    assert log.findings[:3] == (
        Finding("Found unlinked inode at N", 20, 20),
        Finding("Unlinked inode has zero size", 20, 21),
        Finding("Unlinked inode left unlinked", 20, 22),
    )
    assert log.lines_of_findings == sum(one.count for one in log.findings) == 20 * 3 + 10
    assert log.other_findings == 0


def test_both_streams_in_one_file_are_told_apart() -> None:
    log = parse_fsck(told("fsck_350_repaired")).model
    assert [one.name for one in log.passes] == PASSES
    assert (log.written, log.complete) == (True, True)
    assert [(one.kind, one.count) for one in log.findings] == [
        ("Found unlinked inode at N", 20),
        ("Unlinked inode has zero size", 20),
        ("Block N was 'inode', should be free.", 20),
        ("The bitmap was fixed.", 20),
    ]


def test_preen_finds_it_marked_clean_and_looks_no_further() -> None:
    log = parse_fsck(told("fsck_350_preen")).model
    assert (log.clean, log.complete, log.passes, log.findings) == (True, False, (), ())


def test_a_crash_leaves_a_log_that_is_not_complete() -> None:
    log = parse_fsck(told("fsck_350_no_gfs2")).model
    assert (log.complete, log.passes) == (False, ())
    assert log.findings[0].kind == "find_rgs_for_bsize:N: Error reading block N: Input/output error"


def test_percentages_are_of_the_pass_that_they_stand_in() -> None:
    text = (
        "Initializing fsck\nStarting pass1\n\r12 percent complete.\r\r57 percent complete.\rReconciling bitmaps.\n"
        "\r3 percent complete.\rreconcile_bitmaps completed in 25.073s\npass1 completed in 1m25.623s\nStarting pass1b\n"
        "\rChecking 1G of 34G of file at 170286669 (0xa265e4d)- 4 percent complete.                   \r"
    )
    log = parse_fsck(text).model
    assert log.passes == (
        FsckPass("pass1", done=True, seconds=85.623, percent=57),
        FsckPass("reconcile_bitmaps", done=True, seconds=25.073, percent=3),
        FsckPass("pass1b", percent=4, file="1G of 34G of file at 170286669 (0xa265e4d)"),
    )
    assert not log.complete


def test_kinds_are_bounded_whatever_comes() -> None:
    words = (f"finding {'x' * (index % 50)}{chr(97 + index % 26)}{chr(97 + index // 26 % 26)}" for index in range(5000))
    log = parse_fsck("Starting pass1\n", "\n".join(words) + "\n" + "y" * 5000).model
    assert len(log.findings) == KINDS
    assert log.lines_of_findings == 5001
    assert log.other_findings == 5001 - sum(one.count for one in log.findings)
    assert all(len(one.kind) <= LONGEST_KIND for one in log.findings)


def test_names_of_files_make_no_kinds_of_their_own() -> None:
    err = "".join(f"Directory entry 'file {name}' at block {name} (0x{name}) is bad\n" for name in range(9))
    log = parse_fsck("Starting pass2\n", err).model
    assert log.findings == (Finding("Directory entry '...' at block N is bad", 9, 2),)


def test_resource_groups_are_added_up() -> None:
    parsed = parse_rgs(told("rgs_350"))
    found = parsed.model
    assert (parsed.notes, parsed.problems) == ((), ())
    assert (found.told, len(found.groups)) == (9, 9)
    assert found.groups[1] == ResourceGroup(1, 2074, 53_896, 11_120, 65_272, 2079 - 2074)
    assert found.dinodes == 3 + 11_120 + 7 * 11_111 == 88_900
    assert found.free == 53_896 + 4 * 54_161 + 3 * 54_157
    # one header of one block, eight of five with their bitmaps, and the superblock: savemeta saved 91,251
    assert found.saved_at_least == 88_900 + 1 + 8 * 5 + 1 < 91_251


def test_a_list_that_is_not_whole_has_no_sums() -> None:
    text = told("rgs_350")
    cut = parse_rgs(text[: text.index("RG #8")])
    assert [one.why for one in cut.problems] == ["9 resource groups are told of, 8 are there"]
    assert (cut.model.dinodes, cut.model.saved_at_least) == (None, None)
    lost = parse_rgs(text.replace("  rg_dinodes            11120               0x2b70\n", ""))
    assert "this resource group is not whole" in [one.why for one in lost.problems]
    assert lost.model.dinodes is None


def test_resource_groups_of_older_releases_count_one_block_of_header() -> None:
    text = "RG index entries found: 1.\nRG #0 located at: 17 (0x11)\n  rg_flags              0                   0x0\n"
    text += "  rg_free               5                   0x5\n  rg_dinodes            3                   0x3\n"
    found = parse_rgs(text).model
    assert found.groups == (ResourceGroup(0, 17, 5, 3),)
    assert found.saved_at_least == 3 + 1 + 1


def test_a_device_that_is_no_gfs2_has_no_resource_groups() -> None:
    text = "Block #RG List        of 16384 (0x4000) \nUnknown block type\nRG index entries found: 0.\n"
    assert parse_rgs(text).problems[0].why == "no list of resource groups"


def test_statfs_and_superblock() -> None:
    assert parse_statfs(told("statfs_350")).model == Statfs(65_512, 63_191, 12)
    assert parse_statfs(told("statfs_350")).notes == ()
    found = parse_sb(told("sb_350"))
    assert (found.notes, found.problems) == ((), ())
    assert found.model == Superblock(4096, 1802, 1900, "lock_nolock", "", "5232f0dd-b8b5-4586-a2db-ed12da34ed08")
    clustered = (
        told("sb_350")
        .replace("lock_nolock", "lock_dlm")
        .replace("sb_locktable          ", "sb_locktable          c1:home")
    )
    assert parse_sb(clustered).model.lock_table == "c1:home"
    assert not parse_statfs("").ok
    assert not parse_sb("Block #16    (0x10) of 16384 (0x4000) \n\nUnknown block type\n").ok


def test_blkid_says_what_is_on_a_device() -> None:
    found = parse_blkid(told("blkid"))
    assert found.model == (
        Probed("/scratch/small", "gfs2", "filesystem", "", "5232f0dd-b8b5-4586-a2db-ed12da34ed08", 4096),
    )
    other = parse_blkid(
        '/dev/sdb: PTUUID="1" PTTYPE="gpt"\n/dev/sdc: LABEL="a: b" TYPE="xfs"\n/dev/sdd: TYPE="x\n', "oops"
    )
    assert [(one.device, one.kind, one.label) for one in other.model] == [
        ("/dev/sdb", "", ""),
        ("/dev/sdc", "xfs", "a: b"),
    ]
    assert [one.line for one in other.problems] == [3]
    assert [one.text for one in other.notes] == ["oops"]
    assert parse_blkid("").model == ()
