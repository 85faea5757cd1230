"""`room.sh` in every shell: what is at a path, how it begins, and what is free where it lies."""

from __future__ import annotations

import gzip
import os
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from remote.linux.room import Room, Rooms, parse_room, room
from remote.text import decode
from tests.remote.local_host import HOST, LocalHost


async def asked(host: LocalHost, *paths: str) -> Rooms:
    """What the host tells of some paths."""
    (answer,) = await host.site.query(HOST, room(*paths))
    assert (answer.rc, answer.stderr) == (0, b"")
    parsed = parse_room(decode(answer.stdout))
    assert (parsed.problems, parsed.notes) == ((), ())
    return parsed.model


async def test_every_shell_tells_what_is_there_and_how_much_is_free(host: LocalHost, tmp_path: Path) -> None:
    content = bytes(range(256)) * 3
    plain, packed, empty = tmp_path / "a ü\nb", tmp_path / "packed.gz", tmp_path / "empty"
    plain.write_bytes(content)
    packed.write_bytes(gzip.compress(content))
    empty.touch()
    (tmp_path / "broken").symlink_to("nowhere")
    os.mkfifo(tmp_path / "pipe")
    missing, nowhere = f"{tmp_path}/new", f"{tmp_path}/none/new"
    paths = [str(plain), str(packed), str(empty), f"{tmp_path}/broken", f"{tmp_path}/pipe", str(tmp_path), missing]
    rooms = await asked(host, *paths, nowhere)
    assert [each.path for each in rooms.rooms] == [*paths, nowhere]
    kinds = ["file", "file", "file", "other", "other", "directory", "absent", "absent"]
    assert [each.kind for each in rooms.rooms] == kinds
    sizes = [len(content), packed.stat().st_size, 0, None, None, None, None, None]
    assert [each.size for each in rooms.rooms] == sizes
    assert [each.header for each in rooms.rooms[:3]] == [content[:128], content[:128], b""]
    new = rooms.at(missing)
    assert new is not None
    assert new.directory
    assert new.file_system
    stats = os.statvfs(tmp_path)
    total = stats.f_blocks * stats.f_frsize
    assert new.free is not None
    assert 0 < new.free <= total
    major, _, minor = new.number.partition(":")
    mounts = Path("/proc/self/mountinfo").read_text().splitlines()
    assert any(f" {major}:{minor} " in line and f" - {new.file_system} " in line for line in mounts)
    none = rooms.at(nowhere)
    assert none == Room(nowhere, "absent")


def test_only_absolute_paths_are_asked_for() -> None:
    with pytest.raises(ValueError, match="not an absolute path"):
        room("/tmp/x", "tmp")


def test_an_answer_is_read_to_the_last_line() -> None:
    text = "restripe-room 1\npath =/a\nkind block\nsize 5\npath =/b/c\nkind absent\ndirectory 8:1 xfs 7\nend\n"
    rooms = (Room("/a", "block", 5), Room("/b/c", "absent", None, b"", True, "xfs", 7168, "8:1"))
    assert parse_room(text).model == Rooms(rooms)
    assert parse_room(text).ok


@pytest.mark.parametrize("line", ["kind cloud", "size many", "header 00", "directory 8:1 xfs", "path /a", "more 1"])
def test_a_broken_line_is_a_problem(line: str) -> None:
    parsed = parse_room(f"restripe-room 1\npath =/a\n{line}\nend\n")
    assert [problem.text for problem in parsed.problems] == [line]


WORDS = ("restripe-room 1", "path =/a", "path x2f", "kind file", "size 1", "header x00", "directory - - 7", "end")


@given(st.lists(st.sampled_from(WORDS) | st.text(max_size=30)).map("\n".join), st.text(max_size=30))
def test_the_parser_is_total(stdout: str, stderr: str) -> None:
    parse_room(stdout, stderr)
