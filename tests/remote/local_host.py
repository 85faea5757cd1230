"""job.sh on this machine, without SSH, under a shell of choice: a LiveSite whose scripts run in a local `sh -s`."""

from __future__ import annotations

import asyncio
import shutil
import signal
from pathlib import Path
from typing import cast

import pytest

from remote.clock import WallClock
from remote.command import Command, Effect
from remote.fleet import Fleet
from remote.jobs import JobSpec, JobStatus
from remote.live import LiveOptions, LiveSite
from remote.site import JobLog
from remote.ssh.connection import Output
from tests.processes import alive, environ, every_pid, send, stat_fields
from tests.waiting import until

SHELLS = {
    "dash": "dash",
    "bash": "bash",
    "bash-posix": "bash --posix",
    "mksh": "mksh",
    "ksh93": "ksh93",
    "busybox": "busybox sh",
}
HOST = "here"


def in_shells(*shells: str) -> pytest.MarkDecorator:
    """Play a test in these shells and not in all: for what a shell only hands to other programs, or compares as text.

    `bash-posix` is /bin/sh where GPFS runs most; beside it stands one of the others, each in some test.
    """
    assert set(shells) <= SHELLS.keys()
    return pytest.mark.parametrize("host", shells, indirect=True)


class LocalFleet:
    """What a Fleet does, by a local shell."""

    def __init__(self, env: dict[str, str]) -> None:
        self.env = env

    async def run(
        self, _host: str, script: str, *, deadline: float, limit: int, tag: str = "", what: str = ""
    ) -> Output:
        """Run a script by `sh -s`, whichever shell is `sh` in PATH."""
        assert what
        env = {**self.env, **({"RESTRIPE_Q": tag} if tag else {})}
        shell = shutil.which("sh", path=env["PATH"])
        assert shell is not None
        pipe = asyncio.subprocess.PIPE
        process = await asyncio.create_subprocess_exec(
            shell, "-s", stdin=pipe, stdout=pipe, stderr=pipe, env=env, cwd="/"
        )
        async with asyncio.timeout(deadline):
            stdout, stderr = await process.communicate(script.encode())
        return Output(stdout[:limit], stderr, len(stdout) > limit, process.returncode or 0)

    async def close(self) -> None:
        """Nothing is kept open."""


class LocalHost:
    """This machine as a host: its job base is a directory of the test, its `sh` the shell asked for."""

    def __init__(self, directory: Path, shell: str) -> None:
        words = SHELLS[shell].split()
        path = shutil.which(words[0])
        if path is None:
            pytest.skip(f"{words[0]} is not installed")
        self.directory = directory
        self.bin = directory / "bin"
        self.bin.mkdir()
        self.tool("sh", f'exec {" ".join([path, *words[1:]])} "$@"')
        self.base = directory / "jobs"
        # the tools of the system come first, so that nobody's own programs disturb
        self.env = {
            "PATH": f"{self.bin}:/usr/bin:/bin",
            "HOME": str(directory),
            "RESTRIPE_JOBS": str(self.base),
        }
        self.fleet = LocalFleet(self.env)
        self.site = self.site_with_base("")

    def site_with_base(self, base: str) -> LiveSite:
        """A Site that says where the jobs are to be."""
        site = LiveSite([HOST], WallClock(), armed=True, options=LiveOptions(poll_seconds=0.02, job_base=base))
        site.fleet = cast("Fleet", self.fleet)
        return site

    def tool(self, name: str, text: str) -> None:
        """Put a program in front of the system's own."""
        path = self.bin / name
        path.write_text(f"#!/bin/sh\n{text}\n", encoding="utf-8")
        path.chmod(0o755)

    def kill_all(self) -> None:
        """End what a test left running: everything whose home is this host's."""
        mark = f"HOME={self.directory}\0".encode()
        send([pid for pid in every_pid() if mark in environ(pid)], signal.SIGKILL)

    async def launch(self, name: str, script: str, *files: tuple[str, str]) -> JobStatus:
        """Launch a line of shell as a job."""
        return await self.site.launch(HOST, shell_job(name, script, *files))

    async def state(self, name: str) -> JobStatus:
        """How it stands with a job."""
        return (await self.look(name))[0]

    async def look(self, name: str) -> tuple[JobStatus, bytes]:
        """One look at a job, and at its log from the start."""
        header = await self.site.look(HOST, JobLog(name), 0, "-")
        return header.status(name), header.rest

    async def says(self, name: str, log: bytes) -> None:
        """Wait until that is the job's log."""
        path = self.base / name / "log"
        await until(lambda: path.exists() and path.read_bytes() == log)

    def runner(self, name: str) -> int:
        """The process that keeps a job's exit code."""
        return int((self.base / name / "started").read_text().split()[1])

    def group(self, name: str) -> list[int]:
        """All living processes of a job, its runner left out."""
        runner = self.runner(name)
        return [pid for pid in every_pid() if pid != runner and in_group(pid, runner)]


def in_group(pid: int, group: int) -> bool:
    """Whether a process lives in a process group."""
    fields = stat_fields(pid)
    return bool(fields) and fields[2] == str(group) and alive(pid)


def shell_job(name: str, script: str, *files: tuple[str, str]) -> JobSpec:
    """A job that runs a line of shell, whichever shell is `sh`."""
    return JobSpec(name, "a test", "tests", Command(("sh", "-c", script), Effect.CHANGES), files)
