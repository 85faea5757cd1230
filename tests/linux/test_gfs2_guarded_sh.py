"""`guarded.sh` in every shell: what a tool complains of is capped and counted, its exit code kept, its end by TERM."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
from collections.abc import Sequence
from pathlib import Path

import pytest

from remote.gfs2.guarded import OfKind, guarded_line
from remote.gfs2.parsers import parse_fsck
from tests.processes import alive, every_pid, stat_fields
from tests.remote.local_host import SHELLS, LocalHost
from tests.waiting import until_now

SCRIPT = Path("remote/gfs2/guarded.sh").absolute()
MB = 1 << 20


class Guard:
    """The script as a job has it: in a directory of its own, run by one shell."""

    def __init__(self, host: LocalHost, directory: Path) -> None:
        self.env = {**host.env, "LC_ALL": "C"}
        self.bin = host.bin
        self.run_in = directory / "run"
        self.run_in.mkdir()
        self.script = shutil.copy(SCRIPT, self.run_in / "guarded.sh")
        self.log = directory / "log"

    def tool(self, name: str, text: str) -> str:
        """A program on the host."""
        path = self.bin / name
        path.write_text(f"#!/bin/sh\n{text}\n", encoding="utf-8")
        path.chmod(0o755)
        return name

    def start(self, *words: str, before: tuple[str, ...] = ()) -> subprocess.Popen[bytes]:
        """Start it as a runner does: in a process group of its own, both streams in one log; `before` runs it."""
        with self.log.open("wb") as log:
            return subprocess.Popen(
                [*before, "sh", str(self.script), *words],
                stdin=subprocess.DEVNULL, stdout=log, stderr=log, env=self.env, cwd="/", process_group=0,
            )  # fmt: skip

    def run(self, *words: str, before: tuple[str, ...] = ()) -> tuple[int, str]:
        """Its exit code, and what stands in the log; nothing remains of it."""
        process = self.start(*words, before=before)
        rc = process.wait(timeout=60)
        assert os.listdir(self.run_in) == ["guarded.sh"]
        assert not in_group(process.pid)
        return rc, self.log.read_bytes().decode()


def in_group(group: int) -> list[int]:
    """The processes of a process group that live."""
    found = [pid for pid in every_pid() if stat_fields(pid)[2:3] == [str(group)]]
    return [pid for pid in found if alive(pid)]


def counts(log: str) -> dict[str, int]:
    """What was counted by kind, in the last sum."""
    told = [said for line in log[log.rfind(" lines more, ") :].splitlines() if (said := guarded_line(line))]
    return {said.kind: said.count for said in told if isinstance(said, OfKind)}


@pytest.fixture
def guard(host: LocalHost, tmp_path: Path) -> Guard:
    return Guard(host, tmp_path)


@pytest.fixture
def plain(dash: LocalHost, tmp_path: Path) -> Guard:
    return Guard(dash, tmp_path)


def test_both_streams_go_on_and_what_is_beyond_the_cap_is_counted_by_kind(guard: Guard) -> None:
    lines = [f"Found invalid inode at block {n} (0x{n:x})" for n in range(1000, 1060)]
    lines += [f"Block {n} (0x{n:x}) was 'inode', should be free." for n in range(40)]
    text = "\n".join(lines)
    tool = guard.tool(
        "fsck.gfs2", f"echo Initializing fsck\ncat >&2 <<'END'\n{text}\nEND\necho fsck.gfs2 complete\nexit 4"
    )
    rc, log = guard.run("--keep=400", "--", tool, "-n", "/dev/x")
    assert rc == 4
    kept = [line for line in lines if f"\r{line}\n" in log]
    assert kept == lines[: len(kept)]
    assert 400 <= sum(len(line) + 1 for line in kept) < 400 + 45  # up to the line that reaches it
    assert counts(log) == {"Found invalid inode at block N": 60 - len(kept), "Block N was 'inode', should be free.": 40}
    assert "Initializing fsck\n" in log
    assert "fsck.gfs2 complete\n" in log


@pytest.mark.parametrize("code", [0, 1, 4, 127, 255])
def test_the_exit_code_is_the_tool_s_own(plain: Guard, code: int) -> None:
    assert plain.run("--", plain.tool("gfs2_edit", f"exit {code}")) == (code, "")


@pytest.mark.parametrize(("name", "code"), [("SEGV", 139), ("TERM", 143), ("KILL", 137)])
def test_a_signal_is_named(guard: Guard, name: str, code: int) -> None:
    rc, log = guard.run("--", guard.tool("gfs2_edit", f"kill -{name} $$"))
    assert rc == code
    assert f"\nguarded: gfs2_edit was ended by signal {code - 128} (SIG{name})\n" in log


@pytest.mark.parametrize("whole_group", [True, False], ids=["group", "script"])
def test_term_ends_the_tool_and_what_it_told_until_then_stands_there(guard: Guard, whole_group: bool) -> None:
    tool = guard.tool("fsck.gfs2", "trap 'echo gone >&2; exit 143' TERM\necho up >&2\nwhile :; do sleep 0.05; done")
    process = guard.start("--", tool)
    until_now(lambda: b"up\n" in guard.log.read_bytes())
    if whole_group:
        os.killpg(process.pid, signal.SIGTERM)
    else:
        process.terminate()
    assert process.wait(timeout=30) == 143
    assert b"\rgone\n" in guard.log.read_bytes()
    assert not in_group(process.pid)


def test_a_tool_that_term_ends_at_once_keeps_its_exit_code(guard: Guard) -> None:
    process = guard.start("--", guard.tool("fsck.gfs2", "echo up >&2\nexec sleep 1000"))
    until_now(lambda: b"up\n" in guard.log.read_bytes())
    os.killpg(process.pid, signal.SIGTERM)
    assert process.wait(timeout=30) == 143
    assert b"was ended by signal 15 (SIGTERM)" in guard.log.read_bytes()


@pytest.mark.parametrize("there", ["file", "link", "device"])
def test_what_is_there_is_not_written_to(guard: Guard, tmp_path: Path, there: str) -> None:
    path = tmp_path / "out"
    if there == "file":
        path.write_text("precious", encoding="utf-8")
    else:
        path.symlink_to("nowhere" if there == "link" else "/dev/full")
    rc, log = guard.run(f"--new={path}", "--", guard.tool("gfs2_edit", "echo ran"))
    assert (rc, log) == (126, f"guarded: {path} is there already; nothing was run\n")
    assert there != "file" or path.read_text(encoding="utf-8") == "precious"


def test_the_output_is_made_for_its_owner_alone_before_the_tool_runs(guard: Guard, tmp_path: Path) -> None:
    path = tmp_path / "out put"
    rc, log = guard.run(
        f"--new={path}", "--", guard.tool("gfs2_edit", 'ls -l "$2" | cut -c1-10'), "savemeta", str(path)
    )
    assert (rc, log) == (0, "-rw-------\n")


@pytest.mark.parametrize("words", [(), ("--",), ("--cap=1", "--", "x"), ("gfs2_edit",)])
def test_without_a_program_nothing_is_run(plain: Guard, words: Sequence[str]) -> None:
    rc, log = plain.run(*words)
    assert rc == 126
    assert log.endswith("; nothing was run\n")


def test_a_hundred_megabytes_cost_a_megabyte_of_log_and_next_to_no_memory(plain: Guard, tmp_path: Path) -> None:
    each = "".join(
        f"Found invalid inode at block {n} (0x{n:x})\nBlock {n} (0x{n:x}) was 'inode', should be free.\n"
        "The bitmap inconsistency was ignored.\n"
        for n in range(1_000_000, 1_009_000)
    )
    (tmp_path / "each").write_text(each, encoding="ascii")
    times = 100 * MB // len(each) + 1
    again = " ".join([str(tmp_path / "each")] * times)
    tool = plain.tool("fsck.gfs2", f"cat {again} >&2\necho fsck.gfs2 complete\nexit 4")
    rc, log = plain.run("--", tool, before=("sh", "-c", 'ulimit -v 100000; exec "$@"', "limited"))  # KiB, of each
    assert rc == 4
    assert MB <= len(log.replace("\r", "")) < MB + 20_000
    parsed = parse_fsck(log)
    assert parsed.model is not None
    assert parsed.model.lines_of_findings == 27_000 * times
    assert {finding.count for finding in parsed.model.findings} == {9_000 * times}


def test_kinds_beyond_those_kept_are_counted_together(plain: Guard) -> None:
    loop = "for a in a b c d e f g h i j; do for b in a b c d e f g h i j; do for c in a b c; do"
    tool = plain.tool("fsck.gfs2", f'{loop} echo "Kind $a$b$c" >&2; done; done; done')
    rc, log = plain.run("--keep=1", "--", tool)
    assert rc == 0
    assert len(counts(log)) == 201
    assert sum(counts(log).values()) == 299
    assert counts(log)["other kinds"] == 99


def test_the_tool_goes_on_when_its_log_cannot_be_written(plain: Guard, tmp_path: Path) -> None:
    tool = plain.tool("fsck.gfs2", f"yes complaint | head -n 200000 >&2\necho went on >{tmp_path}/proof\nexit 1")
    with open("/dev/full", "wb") as full:
        words = ["sh", str(plain.script), "--", tool]
        ran = subprocess.run(words, stdout=full, stderr=full, env=plain.env, timeout=60, check=False)
    assert ran.returncode == 1
    assert (tmp_path / "proof").read_text(encoding="ascii") == "went on\n"


def test_every_shell_is_tried() -> None:
    assert {"dash", "bash", "mksh", "ksh93", "busybox"} <= set(SHELLS)
