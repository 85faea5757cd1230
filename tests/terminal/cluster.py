"""A simulated cluster for programs on terminals, started as a person would: `restripe simulate`."""

from __future__ import annotations

import asyncio
import contextlib
import shutil
import signal
import subprocess
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from remote.clock import WallClock
from remote.command import Command, Effect
from remote.jobs import JobSpec, JobState
from remote.live import LiveOptions, LiveSite
from remote.ssh.settings import SshSettings
from simulator.client import control
from tests.processes import alive, command_line, every_pid
from tests.tui.program import COMMAND, environment

FS = "mss1"
ENTRY = "pollux1"


class Cluster:
    """A cluster that runs; its entry host is `ENTRY`, its file system `FS`."""

    def __init__(self, directory: Path) -> None:
        self.directory = directory
        self.config = directory / "ssh_config"

    def ctl(self, op: str, **arguments: Any) -> dict[str, Any]:
        """Let something happen, or ask what is so."""
        return asyncio.run(control(self.directory / "control", op, arguments))

    def ran(self, program: str) -> list[dict[str, Any]]:
        """Every run of an mm* command on the whole cluster, whoever ran it."""
        commands: list[dict[str, Any]] = self.ctl("history")["commands"]
        return [command for command in commands if command["argv"][0] == program]


@contextlib.contextmanager
def simulated(home: Path, *, speed: float = 600) -> Iterator[Cluster]:
    """The seed's three servers; they are gone afterwards, with all that ran on them."""
    place = Path(tempfile.mkdtemp(prefix="sim-", dir="/tmp"))  # short: it holds Unix sockets
    words = ("simulate", "--dir", str(place), "--speed", str(speed))
    with subprocess.Popen([*COMMAND, *words], stdout=subprocess.PIPE, env=environment(home)) as program:
        assert program.stdout is not None
        try:
            assert b"ssh -F" in program.stdout.readline()
            yield Cluster(place)
        finally:
            program.send_signal(signal.SIGTERM)
            program.wait(30)
            shutil.rmtree(place, ignore_errors=True)
    assert program.returncode == 0


def start_job(cluster: Cluster, job_id: str, *argv: str, host: str = ENTRY) -> None:
    """Have a detached job on a host, as an earlier session has left it behind."""

    async def launch() -> None:
        options = LiveOptions(ssh=SshSettings(config_files=(cluster.config,)))
        site = LiveSite([host], WallClock(), armed=True, options=options)
        try:
            spec = JobSpec(job_id, "", "somebody", Command(argv, Effect.CHANGES))
            status = await site.launch(host, spec)
            assert status.state is JobState.RUNNING, status
        finally:
            await site.close()

    asyncio.run(launch())


def processes(*argv: str) -> list[int]:
    """The processes with exactly these words, of which tests choose such as nobody else has."""
    return [pid for pid in every_pid() if command_line(pid).split() == list(argv) and alive(pid)]
