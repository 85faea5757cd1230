"""`restripe replay`: from any moment, of anything, and in words when it cannot be."""

from __future__ import annotations

import os
import re
import subprocess
from pathlib import Path

import pytest

from remote.events import Header, Marked, encode
from remote.recording import Writer
from supervision.clocktext import local_time
from supervision.replay import Replay
from tests.supervision.seed import SHIPPED
from tests.tui.program import COMMAND, environment, no_traceback, restripe
from tui.replay import StartError, moment, no_moment

STEPS = ("look", "devices", "mmcrnsd", "mmadddisk", "mmchdisk", "mmrestripefs", "proof")


def test_the_shipped_session_is_told_from_look_to_proof(tmp_path: Path) -> None:
    done = restripe(tmp_path, "replay", str(SHIPPED), "--plain")
    assert (done.returncode, done.stderr) == (0, "")
    lines = done.stdout.splitlines()
    assert lines[0].startswith("REPLAY of seed-3.5.jsonl: mss1 by ")
    begun = [re.search(r"step (\d)     (\w+): ", line) for line in lines]
    assert [match[2] for match in begun if match and match[2] in STEPS] == list(STEPS)
    assert "# mmrestripefs mss1 -r -N foo1,foo2,foo3" in done.stdout
    assert "407,779,968 KB of metadata on the SSDs" in lines[-1]
    assert "its last count, minutes before the end, was 87,601,428 of 88,772,608 inodes" in done.stdout
    assert not {"\x1b", "\r"} & set(done.stdout)


@pytest.mark.parametrize(
    ("start", "first"),
    [
        ("step 6", "step 6     mmrestripefs: move the metadata to the SSDs"),
        ("mmrestripefs", "step 6     mmrestripefs: move the metadata to the SSDs"),
        ("step 3: mmcrnsd", "step 3     mmcrnsd: make NSDs of the SSDs"),
        ("23:59:59", ""),
        ("+100000", ""),
    ],
)
def test_it_begins_where_a_person_says(tmp_path: Path, start: str, first: str) -> None:
    done = restripe(tmp_path, "replay", str(SHIPPED), "--from", start)
    assert (done.returncode, done.stderr) == (0, "")
    after = [line for line in done.stdout.splitlines()[2:] if line]
    if not first:
        assert after == []
        return
    assert "407,779,968" in after[-1]
    assert any(first in line for line in after[:4])
    assert "step 1 " not in done.stdout


def test_it_begins_at_a_time_of_day_or_after_minutes(tmp_path: Path) -> None:
    replay = Replay(SHIPPED)
    mark = replay.marks[-1]
    assert mark.label == "step 7: proof"
    before = local_time(mark.t - 2, replay.header.utc_offset).strftime("%H:%M:%S")
    for start in (before, f"+{(mark.t - 2 - replay.began) / 60:.4f}"):
        done = restripe(tmp_path, "replay", str(SHIPPED), "--from", start)
        assert done.returncode == 0
        assert "step 7     proof: look again" in done.stdout
        assert "step 5 " not in done.stdout


@pytest.mark.parametrize(
    "start", ["0:00:00x", "+", "+soon", "+nan", "+inf", "+1e3", "+-5", "25:00", "12:60", "1²:00", "step 8"]
)
def test_what_is_no_moment_is_told_with_what_was_typed(start: str) -> None:
    told = no_moment(Replay(SHIPPED), start)
    assert start in told
    assert len(told.splitlines()) == 1


@pytest.mark.parametrize("start", ["+soon", "step 8"])
def test_a_moment_that_is_none_is_wrong_usage(tmp_path: Path, start: str) -> None:
    done = restripe(tmp_path, "replay", str(SHIPPED), "--from", start)
    assert (done.returncode, done.stdout) == (2, "")
    assert len(done.stderr.splitlines()) == 1
    assert start in done.stderr
    assert no_traceback(done.stderr)


def test_moments_are_on_the_hosts_clock(tmp_path: Path) -> None:
    path = tmp_path / "r.jsonl"
    # began at 15:20:00 in a zone seven hours behind UTC
    began = 1370557200.0
    writer = Writer(path, Header(1, "0", 0.0, began, utc_offset=-25200))
    writer.write(Marked(began + 30, "step 1: look"))
    writer.close()
    replay = Replay(path)
    assert moment(replay, "15:20") == began
    assert moment(replay, "15:20:30") == began + 30
    assert moment(replay, "19:41:03") == began + 4 * 3600 + 21 * 60 + 3
    assert moment(replay, "15:19:59") == began + 86399  # a session may go past midnight
    assert moment(replay, "+1.5") == began + 90
    assert moment(replay, "look") == moment(replay, "step 1") == began + 30
    with pytest.raises(StartError, match="Its marks: step 1: look"):
        moment(replay, "step 2")


RUBBISH = {
    "empty": b"",
    "binary": bytes(range(256)) * 50,
    "another json": b'{"version": 2}\n',
    "newer": b'{"restripe": 99, "program": "9", "created": 0, "began": 0}\n',
}


@pytest.mark.parametrize("content", RUBBISH.values(), ids=RUBBISH.keys())
def test_what_is_no_recording_is_wrong_usage(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "x.jsonl"
    path.write_bytes(content)
    done = restripe(tmp_path, "replay", str(path))
    assert (done.returncode, done.stdout) == (2, "")
    assert str(path) in done.stderr
    assert len(done.stderr.splitlines()) == 1
    assert no_traceback(done.stderr)


def test_a_file_that_is_not_there_or_a_directory_is_wrong_usage(tmp_path: Path) -> None:
    for path in (tmp_path / "none.jsonl", tmp_path):
        done = restripe(tmp_path, "replay", str(path))
        assert done.returncode == 2
        assert no_traceback(done.stderr.replace("Error: Invalid value", ""))


def test_a_torn_or_partly_broken_recording_is_played_and_said_to_be(tmp_path: Path) -> None:
    path = tmp_path / "r.jsonl"
    lines = SHIPPED.read_bytes().splitlines(keepends=True)
    path.write_bytes(b"".join([*lines[:10], b"{broken\n", *lines[10:40], lines[40][:9]]))
    done = restripe(tmp_path, "replay", str(path))
    assert (done.returncode, done.stderr) == (0, "")
    assert "The last line of the recording was cut off" in done.stdout
    assert "1 lines of the recording were not understood" in done.stdout


def test_a_hostile_recording_steers_no_terminal(tmp_path: Path) -> None:
    evil = "\x1b]0;owned\x07\x1b[2J\r\n09:09:09  forged"
    path = tmp_path / "r.jsonl"
    header = Header(1, evil, 0.0, 1e300, evil, (evil,), evil, evil, True, 1.0, 10**30, evil)
    path.write_bytes(encode(header) + b"\n" + encode(Marked(1e300, evil)) + b"\n")
    for words in ((), ("--from", "nothing")):
        done = restripe(tmp_path, "replay", str(path), *words)
        assert done.returncode == (2 if words else 0)
        assert no_traceback(done.stderr)
        assert not {"\x1b", "\x07", "\r"} & set(done.stdout + done.stderr)
        assert not [line for line in (done.stdout + done.stderr).splitlines() if line.startswith("09:09")]


@pytest.mark.parametrize("encoding", ["ascii", "latin-1"])
def test_a_terminal_without_unicode_ends_nothing(tmp_path: Path, encoding: str) -> None:
    done = restripe(tmp_path, "replay", str(SHIPPED), PYTHONIOENCODING=encoding)
    assert (done.returncode, done.stderr) == (0, "")
    assert "407,779,968" in done.stdout
    assert "\\u2026" in done.stdout  # the ellipsis of a long command


def test_a_reader_who_has_seen_enough_is_no_error(tmp_path: Path) -> None:
    """`restripe replay FILE | head -1`, with far more behind it than a pipe holds."""
    reading, writing = os.pipe()
    long = tmp_path / "r.jsonl"
    head, *rest = SHIPPED.read_bytes().splitlines(keepends=True)
    long.write_bytes(head + b"".join(rest) * 20)
    with subprocess.Popen(
        [*COMMAND, "replay", str(long)], stdout=writing, stderr=subprocess.PIPE, env=environment(tmp_path)
    ) as program:
        os.close(writing)
        assert os.read(reading, 6) == b"REPLAY"
        os.close(reading)
        _, complaints = program.communicate(timeout=60)
    assert no_traceback(complaints.decode())
    assert complaints == b""
    assert program.returncode in (0, 1)


def test_a_reader_who_was_never_there_is_no_error_either(tmp_path: Path) -> None:
    """What was written is still in a buffer when the program ends."""
    for words in (("replay", str(SHIPPED), "--from", "step 7"), ("info",)):
        reading, writing = os.pipe()
        os.close(reading)
        done = subprocess.run(
            [*COMMAND, *words],
            stdout=writing,
            stderr=subprocess.PIPE,
            check=False,
            env=environment(tmp_path),
            timeout=60,
        )
        os.close(writing)
        assert no_traceback(done.stderr.decode())
        assert done.returncode == 1
