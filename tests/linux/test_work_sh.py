"""`work.sh` in every shell, on processes that are really there: what they have done, and what they have open."""

from __future__ import annotations

import os
import shlex
import signal
from collections.abc import Callable
from pathlib import Path

import pytest

from remote.linux.work import Work, Worker, Written, parse_work, work
from remote.text import decode
from tests.processes import stat_fields
from tests.remote.local_host import HOST, LocalHost
from tests.waiting import until

PROGRAM = "savethings"
"""No program of this name runs on any machine."""


async def look(host: LocalHost) -> Work:
    """What the host tells now."""
    (answer,) = await host.site.query(HOST, work(PROGRAM))
    assert (answer.rc, answer.stderr) == (0, b"")
    parsed = parse_work(decode(answer.stdout))
    assert (parsed.problems, parsed.notes) == ((), ())
    return parsed.model


async def told(host: LocalHost, wanted: Callable[[Worker], bool]) -> Worker:
    """The one process, once it is as it is wanted."""

    async def found() -> tuple[Worker, ...]:
        workers = (await look(host)).workers
        return workers if len(workers) == 1 and wanted(workers[0]) else ()

    workers: tuple[Worker, ...] = await until(found)
    return workers[0]


def script(directory: Path) -> Path:
    """A program that writes three bytes to the file named first, and waits."""
    file = directory / PROGRAM
    file.write_text('#!/bin/sh\nexec 7>"$1"\nprintf abc >&7\nwhile :; do sleep 600; done\n', encoding="utf-8")
    file.chmod(0o755)
    return file


async def test_every_shell_tells_what_a_job_has_done_and_has_open(host: LocalHost, tmp_path: Path) -> None:
    host.env["RESTRIPE_SYSROOT"] = str(tmp_path)
    out = tmp_path / "o ü\nt.gz"
    await host.launch("job1", f"{shlex.quote(str(script(tmp_path)))} {shlex.quote(str(out))} 'a b'; :")
    worker = await told(host, lambda each: each.size_of(str(out)) == 3)
    fields = stat_fields(worker.pid)
    assert (str(worker.parent), str(worker.start)) == (fields[1], fields[19])
    assert worker.words == (PROGRAM, str(out), "a b")
    assert worker.job == str(host.base / "job1")
    assert worker.state == "S"
    assert not worker.hidden
    assert worker.chars_written == 3
    assert None not in (worker.chars_read, worker.read, worker.written)
    assert worker.rss_kb is not None
    assert worker.peak_kb is not None
    assert worker.peak_kb >= worker.rss_kb > 0
    assert worker.age is not None
    files = {file.fd: file for file in worker.files}
    assert files[7] == Written(str(out), 3, 7)
    assert files[1].path == str(host.base / "job1" / "log")


async def test_a_stop_and_its_end_are_told(dash: LocalHost, tmp_path: Path) -> None:
    dash.env["RESTRIPE_SYSROOT"] = str(tmp_path)
    await dash.launch("job1", f"{script(tmp_path)} {tmp_path}/out; :")
    worker = await told(dash, lambda each: not each.stopped and each.size_of(f"{tmp_path}/out") == 3)
    os.kill(worker.pid, signal.SIGSTOP)
    await told(dash, lambda each: each.state == "T" and each.stopped)
    os.kill(worker.pid, signal.SIGCONT)
    await told(dash, lambda each: not each.stopped)
    os.kill(worker.pid, signal.SIGKILL)

    async def gone() -> str:
        return "" if (await look(dash)).workers else "gone"

    told_gone: str = await until(gone)
    assert told_gone


async def test_a_job_whose_runner_was_killed_is_known_by_its_log(dash: LocalHost, tmp_path: Path) -> None:
    dash.env["RESTRIPE_SYSROOT"] = str(tmp_path)
    await dash.launch("job1", f"{script(tmp_path)} {tmp_path}/out | cat; :")
    worker = await told(dash, lambda each: each.size_of(f"{tmp_path}/out") == 3)
    os.kill(dash.runner("job1"), signal.SIGKILL)
    await until(lambda: not stat_fields(dash.runner("job1")))
    again = await told(dash, lambda each: each.pid == worker.pid)
    assert again.job == str(dash.base / "job1")  # its own output is a pipe, that of the shell above it the log


async def test_a_file_without_a_name_is_told_apart(dash: LocalHost, tmp_path: Path) -> None:
    dash.env["RESTRIPE_SYSROOT"] = str(tmp_path)
    await dash.launch("job1", f"{script(tmp_path)} {tmp_path}/out; :")
    await told(dash, lambda each: each.size_of(f"{tmp_path}/out") == 3)
    (tmp_path / "out").unlink()
    worker = await told(dash, lambda each: each.size_of(f"{tmp_path}/out") is None)
    assert Written(f"{tmp_path}/out", 3, 7, gone=True) in worker.files


async def test_nothing_runs_and_nothing_is_found(dash: LocalHost) -> None:
    assert (await look(dash)).workers == ()


def test_it_is_never_asked_for_all_processes() -> None:
    with pytest.raises(ValueError, match="no program"):
        work()
    assert work("gfs2_edit", "fsck.gfs2").text == "restripe-work gfs2_edit fsck.gfs2"
