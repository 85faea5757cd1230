"""A simulated host as this machine runs it: its SSH server, the gate before it, its directories and its processes."""

from __future__ import annotations

import asyncio
import contextlib
import os
import shutil
import signal
import subprocess
from collections.abc import Mapping
from pathlib import Path

import asyncssh

from simulator.clock import TZ_VARIABLE
from simulator.gate import Gate
from simulator.hardware import Host
from simulator.livefiles import LiveFiles
from simulator.processes import Processes
from simulator.sshd import HostServer
from simulator.sysroot import Sysroot

JOB_DISK_KB = 1024
BALLAST = ".ballast"
MOUNT_SECONDS = 10.0
KILL_ROUNDS = 50


def processes_with(marks: tuple[bytes, ...]) -> list[int]:
    """The pids of all processes whose environment holds each of these settings."""
    found: list[int] = []
    for entry in Path("/proc").iterdir():
        if not entry.name.isdigit() or int(entry.name) == os.getpid():
            continue
        try:
            settings = (entry / "environ").read_bytes().split(b"\0")
        except OSError:
            continue
        if all(mark in settings for mark in marks):
            found.append(int(entry.name))
    return found


class Machine:
    """One host. `common` are the settings that all hosts share (PATH, port and token of the shims)."""

    def __init__(
        self, host: Host, processes: Processes, base: Path, common: Mapping[str, str], live: LiveFiles
    ) -> None:
        self.host = host
        self._processes = processes
        self._base = base
        self._common = dict(common)
        self.home = base / "root"
        self.jobs = base / "var" / "lib" / "restripe"
        self.live = live
        self.sysroot = Sysroot(host, base / "sysroot", live.links)
        self._environment: dict[str, str] = {}
        self._server = HostServer(processes, self._environment, self.home, self.look)
        self.gate: Gate | None = None
        self.frozen = False
        self._mounted = False

    async def look(self) -> None:
        """Somebody is about to look at the host's files: make them true. Raises OSError."""
        await self.sysroot.ensure()
        self.live.look()

    def shared_environment(self) -> dict[str, str]:
        """What a session needs to be this host, whoever serves it: the shims' settings, zone, boot id, job place, and
        where its /sys, /proc, /dev and /var/mmfs are."""
        return {
            **self._common,
            "TZ": TZ_VARIABLE,
            "RESTRIPE_JOBS": str(self.jobs),
            "RESTRIPE_BOOT_ID": self.host.boot_id,
            "RESTRIPE_SYSROOT": str(self.sysroot.path),
            "SIM_HOST": self.host.name,
            "SIM_NAME": self.host.daemon_name,
        }

    def _refresh(self) -> None:
        self._environment.update(
            self.shared_environment(),
            HOME=str(self.home),
            USER="root",
            LOGNAME="root",
            SHELL=shutil.which("sh", path="/bin") or "/bin/sh",
        )

    async def start(self, host_key: asyncssh.SSHKey, client_key: asyncssh.SSHKey) -> int:
        """Make the directories and listen; returns the port."""
        self.home.mkdir(parents=True, mode=0o700)
        self.jobs.parent.mkdir(parents=True)
        self._refresh()
        self.gate = Gate(await self._server.start(host_key, client_key))
        return await self.gate.start()

    async def stop(self) -> None:
        """Close all connections."""
        await self.live.stop()
        if self.gate is not None:
            await self.gate.stop()
        await self._server.stop()
        self.free_job_disk()  # So that whoever removes the directory can.

    @property
    def door(self) -> Gate:
        """The gate; only once started."""
        if self.gate is None:
            raise RuntimeError("this host was not started")
        return self.gate

    async def power_off(self) -> None:
        """Kill everything that runs on the host and take it off the network."""
        self.door.close()
        self.door.cut()
        marks = tuple(f"{name}={self._environment[name]}".encode() for name in ("SIM_TOKEN", "SIM_PORT", "SIM_HOST"))
        for _ in range(KILL_ROUNDS):
            pids = processes_with(marks)
            if not pids:
                return
            for pid in pids:
                with contextlib.suppress(ProcessLookupError, PermissionError):
                    os.kill(pid, signal.SIGKILL)
            await asyncio.sleep(0.01)

    async def power_on(self, *, shuffle: bool) -> None:
        """Boot: another boot id, and with `shuffle` other device names."""
        self.host.reboot(shuffle=shuffle)
        self._refresh()
        await self.sysroot.renew()
        self.frozen = False
        self.door.freeze(frozen=False)
        if not self.door.listening:
            await self.door.start()

    def spawn(self, command: str) -> int:
        """Run a shell command on the host in a session of its own, without anybody's connection; its pid."""
        child = self._processes.spawn(["/bin/sh", "-c", command], self._environment, self.home)
        for pipe in (child.stdin, child.stdout, child.stderr):
            if pipe is not None:
                pipe.close()
        self._processes.forget(child.pid)
        return child.pid

    def small_job_disk(self) -> str:
        """Keep jobs on a file system of a megabyte, if that can be had: `tmpfs`, or else `directory`.

        It exists for this simulator's processes alone and needs root. Jobs that run already go on writing to the old
        place.
        """
        self.jobs.mkdir(mode=0o700, exist_ok=True)
        if not self._mounted and self._processes.may_mount:
            self._mounted = self._mount()
        return "tmpfs" if self._mounted else "directory"

    def fill_job_disk(self) -> str:
        """Leave no room where jobs are kept. Returns how: `tmpfs` is really full, `unwritable` only takes nothing new
        (the directory's mode, which a job that runs already does not notice, and root not at all: then `nothing`).
        """
        if self.small_job_disk() != "tmpfs":
            self.jobs.chmod(0o500)
            return "unwritable" if os.geteuid() else "nothing"
        with contextlib.suppress(OSError), (self.jobs / BALLAST).open("ab", buffering=0) as file:
            while file.write(b"\0" * 4096):
                continue
        return "tmpfs"

    def free_job_disk(self) -> None:
        """Make room again; the small file system stays."""
        (self.jobs / BALLAST).unlink(missing_ok=True)
        if self.jobs.exists():
            self.jobs.chmod(0o700)

    def _mount(self) -> bool:
        """Put a small file system in the place of the jobs' directory, with what is there."""
        size = sum(file.stat().st_size + 4096 for file in self.jobs.rglob("*")) // 1024 + JOB_DISK_KB
        beside = self.jobs.with_name("restripe.before")
        self.jobs.rename(beside)
        self.jobs.mkdir(mode=0o700)
        command = ["mount", "-t", "tmpfs", "-o", f"size={size}k,mode=0700", "none", str(self.jobs)]
        try:
            subprocess.run(command, check=True, capture_output=True, timeout=MOUNT_SECONDS)
        except (OSError, subprocess.SubprocessError):
            self.jobs.rmdir()
            beside.rename(self.jobs)
            return False
        shutil.copytree(beside, self.jobs, symlinks=True, dirs_exist_ok=True)
        return True
