"""savemeta and restoremeta of every release: what their lines count, how they end, and when that is not true."""

from __future__ import annotations

import pytest

from remote.gfs2.doubts import of_restoremeta, of_savemeta
from remote.gfs2.metadata import parse_restoremeta, parse_savemeta, whole_size
from remote.gfs2.models import Counted, Timed
from remote.gfs2.progress import parse_progress_line
from remote.parsed import Note
from tests.gfs2.gfs2texts import told

GIB = 1 << 30


@pytest.mark.parametrize(
    ("line", "saved", "percent", "address"),
    [
        # by the formats in the source of these releases; the first counts nothing: its figure is an address
        ("470126 metadata blocks (89%) processed,", None, 89, 470_126),
        ("88900 inodes processed, 91251 blocks saved (100%) processed,", 91_251, 100, None),
        # as printed
        ("524283 blocks processed, 91251 saved (100%)", 91_251, 100, 524_283),
        ("26843185520 blocks processed, 183199987 saved (100%)", 183_199_987, 100, 26_843_185_520),
        ("91251 blocks saved (100% complete)", 91_251, 100, None),
    ],
)
def test_a_line_of_each_release_tells_the_blocks_saved_and_the_tools_own_percentage(
    line: str, saved: int | None, percent: int, address: int | None
) -> None:
    assert parse_progress_line(line) == Counted(saved, percent, address)


@pytest.mark.parametrize(
    "line", ["", "91251 blocks saved", "12 blocks saved (101% complete)", "x 1 blocks saved (1% complete)"]
)
def test_what_is_no_whole_line_of_progress_is_none(line: str) -> None:
    assert parse_progress_line(line) is None


def test_a_log_of_317_goes_on_to_its_end() -> None:
    parsed = parse_savemeta(told("savemeta_317"))
    log = parsed.model
    assert (parsed.notes, parsed.problems) == ((), ())
    assert (log.blocks, log.block_size, log.of_device) == (524_288, 4096, True)
    assert len(log.counted) == 32
    assert log.counted[0] == Counted(3195, 0, 3211)
    assert log.counted[-1] == Counted(91_251, 100, 524_283)
    assert (log.finished, log.file, log.gzip_level) == (True, "/tmp/gfs2w/o.3.1.7", 1)


def test_an_old_size_is_a_quotient_and_a_remainder_and_no_decimal_number() -> None:
    log = parse_savemeta(told("savemeta_317")).model
    assert (log.size_text, log.size) == ("1.1023GB", GIB + 1023 * (GIB // 1024))
    assert whole_size("99.1022TB") == 99 * 1024 * GIB + 1022 * GIB
    assert whole_size("1024.7GB") == 1024 * GIB + 7 * (GIB // 1024)
    assert whole_size("1.1024GB") is None
    assert whole_size("2 GB") is None


def test_from_318_on_the_size_is_blocks_times_block_size_whatever_the_text_is() -> None:
    for name in ("savemeta_330", "savemeta_350"):
        log = parse_savemeta(told(name)).model
        assert (log.blocks, log.block_size, log.of_device) == (524_284, 4096, False)
        assert (log.size_text, log.size) == ("2.00GB", 524_284 * 4096)
    log = parse_savemeta(
        "There are 268437428 blocks of 4096 bytes in the filesystem.\nFilesystem size: 1024.7GB\n"
    ).model
    assert (log.size_text, log.size) == ("1024.7GB", 268_437_428 * 4096)


def test_logs_of_330_and_350_count_the_same_blocks_as_317() -> None:
    old, new = (parse_savemeta(told(name)).model for name in ("savemeta_330", "savemeta_350"))
    assert old.counted == (Counted(69_019, 75, 393_735), Counted(91_251, 100, 524_284))
    assert new.counted == (Counted(91_251, 100),)
    assert old.saved == new.saved == parse_savemeta(told("savemeta_317")).model.saved == 91_251


def test_a_terminal_and_times_before_the_lines_change_nothing() -> None:
    plain = parse_savemeta(told("savemeta_350_terminal"))
    assert (plain.notes, plain.problems) == ((), ())
    assert plain.model.counted == (Counted(4827, 100),)
    text = told("savemeta_330").replace("\r", "\n")
    timed = "".join(f"Nov 30 20:49:06 {line}\n" for line in text.splitlines())
    assert parse_savemeta(timed).model == parse_savemeta(told("savemeta_330")).model


def test_the_report_of_gnu_time_is_read_with_hours() -> None:
    parsed = parse_savemeta(told("savemeta_100tb_317"))
    log = parsed.model
    assert log.timed == Timed(250_128.84, 7283.33, 141 * 3600 + 60 + 53, 6_987_092)
    assert (log.saved, log.blocks, log.size) == (183_199_987, 26_843_545_600, 99 * 1024 * GIB + 1022 * GIB)
    assert parsed.problems == ()


def test_a_line_that_was_cut_is_a_problem_with_its_number() -> None:
    parsed = parse_savemeta(told("savemeta_317")[:150])
    assert told("savemeta_317")[:150].endswith("\r3211 bloc") or parsed.problems
    cut = parse_savemeta("\r12 blocks saved (1% complete)\r13 blocks saved (1% co")
    assert [(one.line, one.why) for one in cut.problems] == [(3, "a line of progress that is not whole")]
    assert cut.model.saved == 12


def test_a_log_that_is_not_finished_is_not_and_nothing_of_it_is_doubted() -> None:
    log = parse_savemeta(told("savemeta_317").partition("\nMetadata")[0]).model
    assert (log.finished, log.file, log.gzip_level, log.doubts, log.to_check) == (False, "", None, (), ())


def test_a_device_that_is_no_gfs2_is_doubted_though_it_ended_well() -> None:
    log = parse_savemeta(told("savemeta_350_no_gfs2")).model
    assert (log.finished, log.saved) == (True, 1)
    assert log.doubts == ("1 block was saved: the device holds no GFS2 that could be read",)


def test_a_full_disk_behind_gzip_is_not_told_of_so_gzip_has_to_be_asked() -> None:
    log = parse_savemeta(told("savemeta_350_disk_full")).model
    assert [one.saved for one in log.counted] == [8217, 12_584, 13_139]
    assert (log.finished, log.file, log.gzip_level, log.doubts) == (True, "/dev/full", 9, ())
    assert any(check.startswith("gzip -t") for check in log.to_check)
    plain = parse_savemeta(told("savemeta_350_uncompressed")).model
    assert (plain.gzip_level, len(plain.to_check)) == (0, 1)


def test_fewer_blocks_than_there_are_dinodes_are_doubted() -> None:
    log = parse_savemeta(told("savemeta_350")).model
    assert of_savemeta(log, 88_900) == of_savemeta(log, 91_251) == ()
    assert of_savemeta(log, 91_252) == (
        "91,251 blocks were saved of a file system with 91,252 dinodes: it is not whole",
    )


@pytest.mark.parametrize(
    ("name", "error"),
    [
        ("savemeta_350_uncompressed_disk_full", "Failed to write metadata file header: No space left on device"),
        ("savemeta_350_relative_path", "Failed to open '(null)': Bad address"),
    ],
)
def test_failures_are_told_as_such(name: str, error: str) -> None:
    parsed = parse_savemeta(told(name))
    assert (parsed.model.errors, parsed.model.finished) == ((error,), False)
    assert parsed.notes == ()


def test_an_error_before_a_good_end_is_a_doubt() -> None:
    text = "\r9 blocks saved (100% complete)\n\nMetadata saved to file /a (b) (uncompressed).\n"
    log = parse_savemeta(text, "Failed to read block 7: Input/output error\n").model
    assert log.file == "/a (b)"
    assert log.doubts == ("it told of an error and went on: Failed to read block 7: Input/output error",)


def test_restoremeta_tells_the_sizes_and_the_blocks_restored() -> None:
    parsed = parse_restoremeta(told("restoremeta_350"))
    log = parsed.model
    assert (parsed.notes, parsed.problems) == ((), ())
    assert (log.saved_at, log.kind, log.size_text) == ("Mon Nov 30 20:49:06 2026", "gfs2", "0.25GB")
    assert (log.saved_blocks, log.block_size, log.destination_blocks) == (65_534, 4096, 65_536)
    assert (log.restored, log.outcome, log.file) == (4827, "successful", "/scratch/meta.gz")
    assert of_restoremeta(log, 4827) == ()


def test_a_smaller_target_is_doubted_by_the_text_alone() -> None:
    log = parse_restoremeta(told("restoremeta_350_smaller_target")).model
    assert (log.outcome, log.destination_blocks) == ("successful", 8192)
    assert log.doubts == ("the target had 8,192 blocks, the file system has 65,534; a file just grows",)


def test_a_truncated_file_is_found_by_the_count_of_savemeta_and_by_nothing_in_the_text() -> None:
    log = parse_restoremeta(told("restoremeta_350_truncated")).model
    assert (log.outcome, log.restored, log.doubts) == ("successful", 1672, ())
    assert len(log.to_check) == 1
    assert of_restoremeta(log, 4827) == ("1,672 blocks were restored of 4,827 that were saved: it is not whole",)


def test_garbage_is_a_failure_of_restoremeta() -> None:
    log = parse_restoremeta(told("restoremeta_350_garbage")).model
    assert log.errors == ("No superblock found in metadata file",)
    assert log.warnings == ("No valid file header found. Falling back to old format...",)
    assert (log.outcome, log.doubts) == ("", ())


def test_restoremeta_of_older_releases_by_the_formats_in_their_source() -> None:
    log = parse_restoremeta(
        "Metadata saved at Mon Nov 30 06:42:50 2026\nFile system size 1.1023GB\nBlock size is 4096B\n"
        "This is gfs2 metadata.\nThere are 524288 free blocks on the destination device.\n"
        "Saved file system size is 524287 (0x7ffff) blocks, 1.1023GB\nHighest saved block is 470126 (0x72c6e)\n"
        "\r470126 blocks processed, 13139 saved (100%)\nFile /a/meta restore successful.\n"
    ).model
    assert (log.saved_blocks, log.highest_block, log.restored) == (524_287, 470_126, 13_139)
    oldest = parse_restoremeta(
        "File system size: 470126 (0x72c6e) blocks, aka 1.810GBB\n"
        "There are 8192 blocks of 4096 bytes in the destination device.\n\n"
        "\nOut of space on the destination device; quitting.\n\r8192 metadata blocks (100%) processed, \n"
        "File /a/meta restore successful.\n"
    ).model
    assert (oldest.saved_blocks, oldest.destination_blocks, oldest.restored) == (470_126, 8192, None)
    assert len(oldest.doubts) == 2
    assert "Out of space" in oldest.doubts[0]


def test_printsavedmeta_is_counted_line_by_line() -> None:
    log = parse_restoremeta(
        "This is gfs2 metadata.\n0 (l=0x110): Block #128    (0x80) (superblock)\n"
        "1 (l=0x1000): Block #17    (0x11) (resource group)\nFile /a/meta print successful.\n"
    ).model
    assert (log.listed, log.restored, log.outcome) == (2, 2, "successful")


def test_what_is_not_understood_is_kept() -> None:
    parsed = parse_savemeta("hello\n" + told("savemeta_350"))
    assert parsed.notes == (Note(1, "hello"),)
    assert parse_savemeta("hello\n").problems[0].why == "no line of progress"
