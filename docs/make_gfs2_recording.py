"""Makes recordings/gfs2-savemeta.jsonl anew: `make gfs2-recording`, as root, in some ten minutes.

A real savemeta, as `restripe connect --gfs2 --write` starts and watches it over real OpenSSH, in real time: the
connection is cut, the tool stands still for some minutes and goes on, and what it has written is verified. The file
system is an image behind a loop device, with files as the tests make them. Host, paths and names are nobody's own: the
far side sees neither the processes of this machine nor its name, and is not asked for its disks and the kernel's log.
"""

from __future__ import annotations

import argparse
import asyncio
import os
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass
from importlib.metadata import version
from importlib.resources import files
from pathlib import Path

from remote.clock import WallClock
from remote.events import Closed, Header
from remote.live import LiveOptions, LiveSite
from remote.recorder import RecordingSite
from remote.recording import VERSION, Writer
from remote.ssh.settings import SshSettings
from supervision.clocktext import local_time
from supervision.filesystem import FileSystem, Phase, Progress
from supervision.filesystems import guides
from supervision.gfs2 import Gfs2FileSystem
from supervision.journal import Journal
from supervision.state import Job
from supervision.store import Store
from supervision.supervisor import Cadence, Supervisor
from supervision.watching import Watch
from tests import openssh
from tests.gfs2_real.far import make_image
from tests.openssh import Account, Server
from tests.processes import send

SHIPPED = Path(str(files("recordings"))) / "gfs2-savemeta.jsonl"
HOST, OPERATOR = "node1", "admin@vm"
HOME, DEVICE, OUTPUT = Path("/var/lib/admin"), Path("/dev/vg0/homes"), Path("/var/tmp/homes.meta.gz")  # noqa: S108
TYPED = f"savemeta {OUTPUT} -z9"
FILES = 1_200_000
"""What savemeta works on for some minutes at its default level of gzip."""
BEFORE, AFTER = 30.0, 15.0
"""Seconds of looking before it begins and after its end."""
STILL = 150.0
"""Seconds for which it stands still once that is seen."""
JOBS = Path("/var/lib/restripe")
"""Where root's jobs are kept."""
OWN = ("devices ", "io ", "log ", "logs ")
"""Questions about the disks and the kernel's log of this machine, which are nobody's business."""


class Neutral(Gfs2FileSystem):
    """The kind, where no host is asked for what is this machine's own."""

    def host_cadences(self, host: str) -> tuple[Cadence, ...]:
        """All others."""
        return tuple(each for each in super().host_cadences(host) if not each.name.startswith(OWN))


@contextmanager
def far_side() -> Iterator[Server]:
    """The host with the device. Everything is gone afterwards."""
    taken = [str(path) for path in (HOME, DEVICE.parent, OUTPUT, JOBS) if path.exists()]
    if taken:
        raise SystemExit(f"there already, and not to be overwritten: {', '.join(taken)}")
    place = Path(tempfile.mkdtemp(prefix="rs-gfs2-", dir="/var/tmp"))
    loop = ""
    try:
        image, _ = make_image(place, FILES)
        loop = subprocess.run(
            ["losetup", "-f", "--show", str(image)], check=True, capture_output=True, text=True
        ).stdout.strip()
        DEVICE.parent.mkdir()
        DEVICE.symlink_to(loop)
        HOME.mkdir(mode=0o700)
        JOBS.mkdir(mode=0o700)
        with openssh.farm() as farm:
            yield farm.server(HOST, account=Account("root", HOME, "", 0, owned=False), settings="PermitRootLogin yes")
    finally:
        if loop:
            subprocess.run(["losetup", "-d", loop], check=False)
        OUTPUT.unlink(missing_ok=True)
        for path in (HOME, JOBS, DEVICE.parent, place):
            shutil.rmtree(path, ignore_errors=True)


@dataclass
class Run:
    """The session and its host."""

    server: Server
    supervisor: Supervisor
    fs: FileSystem

    @property
    def job(self) -> Job | None:
        """The savemeta."""
        return self.fs.scan_job(self.supervisor.store.state)

    @property
    def progress(self) -> Progress | None:
        """How far it is."""
        return self.fs.progress(self.supervisor.store.state, self.job) if self.job else None

    @property
    def phase(self) -> Phase | None:
        """How it stands."""
        return self.progress.phase if self.progress else None

    @property
    def done(self) -> float:
        """How much of it is done, as far as one knows."""
        counter = self.progress.counter if self.progress else None
        return (counter.fraction if counter else None) or 0.0

    def mark(self, label: str) -> None:
        """A scene begins, or is seen."""
        now = self.supervisor.site.clock.now()
        self.supervisor.journal.mark(now, label)
        sys.stdout.write(f"{local_time(now, 0):%H:%M:%S}  {label}\n")
        sys.stdout.flush()

    async def until(self, look: Callable[[], object], minutes: float) -> None:
        """Wait until something is seen. Raises TimeoutError when it is not in time: no good recording."""
        async with asyncio.timeout(60 * minutes):
            await self.supervisor.store.until(lambda _state: bool(look()))

    async def seen(self, label: str, look: Callable[[], object], minutes: float) -> None:
        """The same, marked."""
        await self.until(look, minutes)
        self.mark(label)


async def scenes(run: Run) -> None:
    """All that happens, in order."""
    await run.seen("savemeta: it begins", lambda: run.phase is Phase.RUNNING, 3)
    await run.seen("finish: told", lambda: run.progress and run.progress.finish, 5)
    await run.until(lambda: run.done >= 0.2, 20)
    run.mark("cut: the connection is lost")
    run.server.kill_sessions()
    links = run.supervisor.store.state.links
    await run.until(lambda: run.supervisor.store.state.links != links, 2)
    await run.seen("cut: back", lambda: run.supervisor.store.state.links[HOST].state == "up", 3)
    await run.until(lambda: run.done >= 0.4, 20)
    tools = [pid for pid in run.server.processes(str(OUTPUT)) if "gfs2_edit" in _name(pid)]
    run.mark("stall: begins")
    send(tools, signal.SIGSTOP)
    await run.seen("stall: seen", lambda: run.phase is Phase.STALLED, 5)
    await asyncio.sleep(STILL)
    send(tools, signal.SIGCONT)
    await run.seen("stall: over", lambda: run.phase is Phase.RUNNING, 3)


def _name(pid: int) -> str:
    return Path(f"/proc/{pid}/comm").read_text(encoding="utf-8")


@asynccontextmanager
async def opened(server: Server, record: Path) -> AsyncIterator[Run]:
    """An armed session, recorded."""
    clock = WallClock()
    ssh = SshSettings(config_files=(server.farm.config,))
    live = LiveSite([HOST], clock, armed=True, options=LiveOptions(ssh=ssh))
    now = clock.now()
    header = Header(VERSION, version("restripe"), now, now, str(DEVICE), live.hosts, HOST, OPERATOR, kind="gfs2")
    writer = await asyncio.to_thread(Writer, record, header)
    journal = Journal(Store(header), writer)
    site = RecordingSite(live, journal.emit, writer, journal.prepare)
    supervisor = Supervisor(site, journal, fs=header.file_system, entry=HOST)
    try:
        async with supervisor:
            yield Run(server, supervisor, Neutral(str(DEVICE), HOST))
        journal.emit(Closed(clock.now(), "done"))
    finally:
        await asyncio.to_thread(writer.close)


async def make(record: Path) -> None:
    """One run."""
    with far_side() as server:
        async with opened(server, record) as run:
            await Watch(run.supervisor, run.fs).begin()
            await asyncio.sleep(BEFORE)
            work = guides(run.supervisor, OPERATOR)
            if work is None:
                raise RuntimeError("there is no guided work")
            job = work.open(TYPED)
            await job.prepare()
            happening = asyncio.create_task(scenes(run))
            try:
                await job.run()  # raises StopError when anything of it is not as it should be
                await happening
            finally:
                happening.cancel()
            run.mark("end")
            await asyncio.sleep(AFTER)


def inside(words: list[str]) -> None:
    """Go on as the only processes that there are, on a host of another name."""
    space = ["unshare", "--pid", "--fork", "--mount", "--mount-proc", "--uts", "--"]
    os.execvp(space[0], [*space, sys.executable, __file__, "--inside", *words])  # noqa: S606


def main() -> None:
    """Make it beside the other recordings, or elsewhere."""
    words = argparse.ArgumentParser(description=__doc__)
    words.add_argument("--inside", action="store_true", help=argparse.SUPPRESS)
    words.add_argument("file", type=Path, nargs="?", default=SHIPPED)
    given = words.parse_args()
    if not given.inside:
        inside(sys.argv[1:])
    socket.sethostname(HOST)
    signal.signal(signal.SIGTERM, lambda *_: sys.exit("ended before it was whole"))
    given.file.unlink(missing_ok=True)
    asyncio.run(make(given.file))
    given.file.chmod(0o644)  # nothing in it is anybody's own


if __name__ == "__main__":
    main()
