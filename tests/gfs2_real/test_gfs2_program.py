"""The program itself beside a savemeta that really runs: killed in the middle, started again, and nothing is lost."""

from __future__ import annotations

import asyncio
import contextlib
import json
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from remote.events import LogRead
from remote.gfs2 import commands
from remote.jobs import JobSpec, JobState
from remote.recording import Recording
from tests.conftest import Sites
from tests.gfs2_real.far import Gfs2Host, blocks_in
from tests.tui.program import COMMAND, environment

pytestmark = pytest.mark.openssh


@contextlib.contextmanager
def watching(host: Gfs2Host, home: Path, name: str) -> Iterator[subprocess.Popen[str]]:
    """`restripe watch`, which finds for itself what runs."""
    words = ["watch", host.name, "--gfs2", str(host.device), "-F", str(host.server.farm.config)]
    words += ["--until", "done", "--json", "--each-line", "--record", str(home / f"{name}.jsonl")]
    with subprocess.Popen([*COMMAND, *words], stdout=subprocess.PIPE, text=True, env=environment(home)) as program:
        try:
            yield program
        finally:
            program.kill()


def lines_of(program: subprocess.Popen[str]) -> Iterator[dict[str, Any]]:
    """What it tells, line by line."""
    assert program.stdout is not None
    for line in program.stdout:
        print(line)
        yield json.loads(line)


async def test_a_savemeta_is_found_again_by_a_program_that_was_killed(
    host: Gfs2Host, sites: Sites, tmp_path: Path
) -> None:
    output = host.output("killed.meta.gz")
    command = commands.savemeta(str(host.device), str(output), 9)
    site = sites(host.server, armed=True)
    status = await site.launch(host.name, JobSpec("killed", f"savemeta of {host.device}", "tests", command))
    assert status.state is JobState.RUNNING
    await asyncio.to_thread(_watch_twice, host, tmp_path)
    logs = [event for event in Recording(tmp_path / "second.jsonl") if isinstance(event, LogRead)]
    whole = b"".join(event.data.data for event in logs)
    assert whole == (host.server.account.home / ".local/state/restripe/killed/log").read_bytes()
    assert blocks_in(output) >= host.filled.files + host.filled.indirect


def _watch_twice(host: Gfs2Host, home: Path) -> None:
    with watching(host, home, "first") as first:
        for told in lines_of(first):
            if "blocks" in json.dumps(told):
                break
        first.kill()
    assert host.tools("killed.meta.gz")
    with watching(host, home, "second") as second:
        last: dict[str, Any] = {}
        for last in lines_of(second):
            pass
        print(second.wait(60))
