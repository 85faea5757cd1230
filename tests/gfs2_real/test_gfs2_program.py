"""The program itself beside a savemeta that really runs: cut off, killed, started again, and nothing is lost."""

from __future__ import annotations

import asyncio
import contextlib
import json
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from remote.events import LinkChanged, LogRead
from remote.gfs2 import commands
from remote.jobs import JobSpec, JobState
from remote.recording import Recording
from tests.conftest import Sites
from tests.gfs2_real.far import Gfs2Host, blocks_in
from tests.tui.program import COMMAND, environment

pytestmark = pytest.mark.openssh
Told = dict[str, Any]


class Watching:
    """`restripe watch` of a device, as a process: it finds for itself what runs there."""

    def __init__(self, process: subprocess.Popen[str]) -> None:
        self.process = process
        self.told: list[Told] = []

    def until(self, blocks: int) -> Told:
        """Read what it tells until so many blocks are saved."""
        return next(told for told in self._lines() if (told.get("done") or 0) >= blocks)

    def end(self) -> int:
        """Read what it tells to the end; its exit status."""
        for _ in self._lines():
            pass
        return self.process.wait(30)

    def _lines(self) -> Iterator[Told]:
        assert self.process.stdout is not None
        for line in self.process.stdout:
            self.told.append(json.loads(line))
            yield self.told[-1]


@contextlib.contextmanager
def watching(host: Gfs2Host, home: Path, recording: Path) -> Iterator[Watching]:
    """Start it; it is killed at the end, should it still live."""
    words = ["watch", host.name, "--gfs2", str(host.device), "-F", str(host.server.farm.config), "--until", "done"]
    command = [*COMMAND, *words, "--json", "--each-line", "--record", str(recording)]
    out, err = subprocess.PIPE, subprocess.DEVNULL
    with subprocess.Popen(command, stdout=out, stderr=err, text=True, env=environment(home)) as process:
        try:
            yield Watching(process)
        finally:
            process.kill()


async def test_a_savemeta_is_found_again_after_a_cut_and_after_the_program_was_killed(
    host: Gfs2Host, sites: Sites, tmp_path: Path
) -> None:
    output = host.output("killed.meta.gz")
    command = commands.savemeta(str(host.device), str(output), 9)
    spec = JobSpec("killed", f"savemeta of {host.device}", "tests", command)
    status = await sites(host.server, armed=True).launch(host.name, spec)
    assert status.state is JobState.RUNNING
    first, second = tmp_path / "first.jsonl", tmp_path / "second.jsonl"
    code, seen = await asyncio.to_thread(_watch_twice, host, tmp_path, first, second)

    log = (host.server.account.home / ".local/state/restripe/killed/log").read_bytes()
    assert log.endswith(f"Metadata saved to file {output} (gzipped, level 9).\n".encode())
    before, after = _log_in(first), _log_in(second)
    assert 0 < len(before) < len(log)
    assert log.startswith(before)
    assert after == log  # byte for byte, over two connections
    links = [event.state for event in Recording(second) if isinstance(event, LinkChanged)]
    assert links.count("up") >= 2
    done = [told["done"] for told in seen if told.get("done")]
    assert len(set(done)) >= 3  # live, not only when it was over
    assert done == sorted(done)
    assert (code, seen[-1]["phase"], seen[-1]["urgent"]) == (6, "finished", "finish")  # gzip -t was not run
    assert blocks_in(output) == done[-1] >= host.filled.files + host.filled.indirect


def _watch_twice(host: Gfs2Host, home: Path, first: Path, second: Path) -> tuple[int, list[Told]]:
    """Kill the program in the middle of the savemeta, and its connection when it is there again."""
    with watching(host, home, first) as program:
        program.until(1)
        program.process.kill()
    assert host.tools("killed.meta.gz")
    with watching(host, home, second) as program:
        program.until(1)
        assert program.told[0]["event"] == "watching"
        assert program.told[0]["job"] == "killed"
        host.server.kill_sessions()
        program.until(host.filled.files // 2)
        assert host.tools("killed.meta.gz")
        return program.end(), program.told


def _log_in(recording: Path) -> bytes:
    """The log as a session has read it, in the order in which it came."""
    log = b""
    for event in Recording(recording):
        if isinstance(event, LogRead):
            assert event.offset == len(log)
            log += event.data.data
    return log
