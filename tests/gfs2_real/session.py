"""A session with a GFS2 host as the program has it: supervised over SSH, armed, on a clock that runs fast.

Forecasts need minutes of progress, and a standstill is called one after minutes: on this clock a real second is half a
minute. The host's own clock goes with it.
"""

from __future__ import annotations

import time
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

from remote.clock import ScaledClock
from remote.events import Event, Header
from remote.gfs2 import commands
from remote.jobs import JobSpec
from remote.live import LiveOptions, LiveSite
from remote.recorder import RecordingSite
from remote.recording import VERSION
from remote.ssh.settings import SshSettings
from supervision.filesystem import FileSystem, Phase, Progress
from supervision.filesystems import file_system
from supervision.gfs2_checking import Wanted
from supervision.gfs2_jobs import Gfs2Job
from supervision.journal import Journal
from supervision.logcopy import LogCopies
from supervision.state import Job, State
from supervision.store import Store
from supervision.supervisor import Supervisor
from supervision.watching import Watch
from tests.gfs2_real.far import Gfs2Host
from tests.waiting import until

OPERATOR = "tester@here"
_DATE = """#!/bin/sh
# the date on this host, which is {speed:g} times as fast as others
read -r up rest </proc/uptime
exec /bin/date -d "@$(awk -v up="$up" 'BEGIN {{ printf "%.3f", {epoch:.3f} + (up - {up}) * {speed:g} }}')" "$@"
"""


class Time:
    """The time on a host and on the clock of who looks at it."""

    def __init__(self, speed: float) -> None:
        self.speed = speed
        self._epoch, self._monotonic = time.time(), time.monotonic()
        self._up = Path("/proc/uptime").read_text(encoding="ascii").split()[0]

    @property
    def clock(self) -> ScaledClock:
        """A clock for a Site."""
        return ScaledClock(self._epoch, self._monotonic, self.speed)

    @property
    def date(self) -> str:
        """What is to be `date` on the host."""
        return _DATE.format(speed=self.speed, epoch=self._epoch, up=self._up)


@dataclass
class Watched:
    """A session: what is known, and every state of its job that was shown."""

    host: Gfs2Host
    supervisor: Supervisor
    fs: FileSystem
    watch: Watch
    logs: LogCopies
    seen: list[Progress]

    @property
    def state(self) -> State:
        """What is known now."""
        return self.supervisor.store.state

    def job(self, words: str) -> Job | None:
        """The newest job with these words in its command."""
        found = [job for job in self.state.jobs.values() if words in job.status.command]
        return found[-1] if found else None

    def progress(self, words: str) -> Progress | None:
        """How far it is."""
        job = self.job(words)
        return self.fs.progress(self.state, job) if job else None

    async def sees(self, words: str, wanted: Callable[[Progress], object], seconds: float = 60.0) -> Progress:
        """Wait until the progress of a job is as wanted."""
        last: Progress | None = None

        def look() -> bool:
            nonlocal last
            last = self.progress(words)
            return last is not None and bool(wanted(last))

        try:
            await until(look, seconds)
        except AssertionError:
            raise AssertionError(f"not seen within {seconds:g} s; last: {last}") from None
        assert last is not None
        return last

    async def phase(self, words: str, *wanted: Phase, seconds: float = 60.0) -> Progress:
        """Wait until a job is in one of these phases."""
        return await self.sees(words, lambda progress: progress.phase in wanted, seconds)


@asynccontextmanager
async def watched(host: Gfs2Host, there: Time, *, armed: bool = True, words: str = "") -> AsyncIterator[Watched]:
    """A session; `words` are of the command whose progress is kept as it was shown."""
    clock = there.clock
    ssh = SshSettings(config_files=(host.server.farm.config,))
    live = LiveSite([host.name], clock, armed=armed, options=LiveOptions(poll_seconds=2.0, ssh=ssh))
    now = clock.now()
    header = Header(
        VERSION,
        "test",
        now,
        now,
        str(host.device),
        live.hosts,
        host.name,
        kind="gfs2",
        operator=OPERATOR,
        speed=there.speed,
    )
    journal = Journal(Store(header))
    fs = file_system(header)
    supervisor = Supervisor(
        RecordingSite(live, journal.emit, prepare=journal.prepare), journal, fs=header.file_system, entry=host.name
    )
    logs = LogCopies()
    journal.store.listen(logs.on_event)
    session = Watched(host, supervisor, fs, Watch(supervisor, fs), logs, [])

    def keep(_state: State, event: Event) -> None:
        progress = session.progress(words) if words else None
        if progress and (not session.seen or session.seen[-1] != progress):
            session.seen.append(progress)

    journal.store.listen(keep)
    async with supervisor:
        yield session


async def launch_savemeta(session: Watched, name: str, output: str, level: int) -> None:
    """A savemeta as a job without a guard, which is followed."""
    host = session.host
    command = commands.savemeta(str(host.device), str(host.output(output)), level)
    await session.supervisor.site.launch(host.name, JobSpec(name, f"savemeta of {host.device}", OPERATOR, command))
    session.supervisor.follow(host.name, name)


def guided(session: Watched, plan: str, wanted: Wanted) -> Gfs2Job:
    """A guided work on the host of a session, as the screen Migrate begins it."""
    return Gfs2Job(session.supervisor, wanted, plan=plan, operator=OPERATOR)


def states(session: Watched) -> dict[str, str]:
    """How it stands with the steps of a guided work."""
    return {step.name: step.state for step in session.state.steps.values()}
