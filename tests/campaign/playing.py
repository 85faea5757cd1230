"""Playing one case: two clients, a blow, and then nothing but the program's own recovery."""

from __future__ import annotations

import asyncio
import contextlib
import signal
import statistics
import sys
import time
from pathlib import Path

import msgspec

from remote.clock import WallClock
from remote.errors import SiteError
from remote.jobs import JobStatus
from remote.live import LiveOptions, LiveSite
from remote.site import JobLog
from remote.ssh.settings import SshSettings
from tests.campaign import striking
from tests.campaign.cases import Case, Kind, Other, Phase, Victim, draw
from tests.campaign.following import POLL_SECONDS, Errand, Seen, follow
from tests.campaign.jobs import LONG_STEP, Job
from tests.openssh import Farm
from tests.processes import send
from tests.waiting import until

CASE_SECONDS = 90.0


class Played(msgspec.Struct):
    """How a case went: who was struck, what the recovery was told, and what lies on the host afterwards."""

    struck: int = 0
    relaunched: JobStatus | None = None
    first: Seen | None = None
    seen: Seen = msgspec.field(default_factory=Seen)
    after: JobStatus | None = None
    again: JobStatus | None = None
    on_disk: bytes = b""
    runs: int = 0
    problem: str = ""


class Field:
    """A server of its own with two clients whose connections stay open from case to case."""

    def __init__(self, farm: Farm, name: str) -> None:
        self.server = farm.server(name)
        self.host = self.server.host
        self.span = 0.5
        self._config = farm.config
        self.first = self._site()
        self.second = self._site()

    def _site(self) -> LiveSite:
        ssh = SshSettings(config_files=(self._config,))
        return LiveSite([self.host], WallClock(), armed=True, options=LiveOptions(poll_seconds=POLL_SECONDS, ssh=ssh))

    async def close(self) -> None:
        """Let go of both clients."""
        await self.first.close()
        await self.second.close()

    async def measure(self) -> None:
        """How long an undisturbed launch takes here; the moments of a launch are fractions of it."""
        times = []
        for number in range(3):
            job = Job(self.server.account, f"measure-{self.host}-{number}", draw("measure", 0))
            began = time.monotonic()
            await self.first.launch(self.host, job.spec)
            times.append(time.monotonic() - began)
            await follow(self.second, self.host, job.id, Seen())
        self.span = statistics.median(times)

    async def play(self, case: Case, job: Job) -> Played:
        """Play a case to its end; what takes too long is a problem of it."""
        played = Played()
        try:
            async with asyncio.timeout(CASE_SECONDS):
                await _Play(self, case, job, played).run()
        except TimeoutError:
            played.problem = f"not settled after {CASE_SECONDS:g} s"
        except (SiteError, AssertionError) as error:
            played.problem = f"{type(error).__name__}: {error}"
        finally:
            self.server.thaw()
        played.runs = job.runs
        played.on_disk = job.on_disk()
        return played


class _Play:
    def __init__(self, field: Field, case: Case, job: Job, played: Played) -> None:
        self.field = field
        self.case = case
        self.job = job
        self.played = played
        self.began = asyncio.Event()
        self.launched = asyncio.Event()
        self.over = asyncio.Event()

    async def run(self) -> None:
        case, field = self.case, self.field
        async with asyncio.TaskGroup() as group:
            other = group.create_task(self._other())
            if case.victim is Victim.CLIENT:
                self.played.struck = await self._client_killed()
            else:
                main = group.create_task(self._launch_and_follow())
                self.played.struck = await self._strike()
                await main
            await other
        # the program's own recovery, which is the same whatever happened: launch the same id again, then follow
        self.played.relaunched = await self._relaunch()
        await follow(field.second, field.host, self.job.id, self.played.seen)
        await until(lambda: not striking.living(field.server, self.job.id), 30)
        self.played.after = (await field.second.look(field.host, JobLog(self.job.id), 0, "-")).status(self.job.id)
        self.played.again = await self._relaunch()
        await until(lambda: not striking.living(field.server, self.job.id), 30)

    async def _relaunch(self) -> JobStatus:
        """Launch the same id by the second client; a connection that had died under it is the only excuse."""
        for _ in range(5):
            with contextlib.suppress(SiteError):
                return await self.field.second.launch(self.field.host, self.job.spec)
            await asyncio.sleep(0.2)  # the pause of a person who tries again
        return await self.field.second.launch(self.field.host, self.job.spec)

    async def _launch_and_follow(self) -> None:
        """The first client. An error of its launch is the end of it: the recovery launches again."""
        self.began.set()
        try:
            await self.field.first.launch(self.field.host, self.job.spec)
            self.launched.set()
            seen = Seen()
            await follow(self.field.first, self.field.host, self.job.id, seen)
            self.played.first = seen
        except SiteError:
            self.launched.set()
        finally:
            self.over.set()

    async def _other(self) -> None:
        """The second client, where it does not wait for somebody to be frozen."""
        if self.case.victim not in (Victim.FROZEN_LAUNCHER, Victim.FROZEN_RUNNER):
            await self.began.wait()
            await asyncio.sleep(self.case.other_moment * self.field.span)  # the moment drawn for it
            await self._act()

    async def _act(self) -> None:
        with contextlib.suppress(SiteError):
            if self.case.other is Other.LAUNCH:
                await self.field.second.launch(self.field.host, self.job.spec)
            elif self.case.other is Other.SEAL:
                await self.field.second.seal(self.field.host, self.job.id)

    async def _strike(self) -> int:
        case = self.case
        if case.victim is Victim.CUT:
            return await self._cut()
        if case.phase is Phase.RUN and case.victim is Victim.SESSION:
            await self.launched.wait()
        gone = self.launched if case.victim in (Victim.LAUNCHER, Victim.FROZEN_LAUNCHER) else self.over
        pids = await striking.strike(self.field.server, case, self.job.id, self._span(), gone)
        if case.victim in (Victim.FROZEN_LAUNCHER, Victim.FROZEN_RUNNER) and pids:
            # the others act while it stands; neither waits for it, or both would wait for ever
            acting = asyncio.create_task(self._act())
            await asyncio.sleep(case.frozen)  # how long it stands still is part of the case
            send(pids, signal.SIGCONT)
            await acting
        return len(pids)

    async def _cut(self) -> int:
        """Cut the first client's connection while it follows: by the server's end, and by the network."""
        await self.launched.wait()
        cuts = 0
        began = time.monotonic()
        for index, at in enumerate(sorted(self.case.cuts)):
            # the moment drawn for this cut
            await asyncio.sleep(max(0.0, began + at * self._span() - time.monotonic()))
            if self.over.is_set():
                break
            if index % 2 and self.field.first.links[self.field.host].state == "up":
                self.field.first.fleet.drop(self.field.host)
                cuts += 1
            else:
                pids = self.field.server.sessions()
                send(pids, signal.SIGKILL)
                cuts += len(pids) > 0
        return cuts

    def _span(self) -> float:
        """The seconds over which the moment is spread."""
        if self.case.phase is Phase.RUN:
            # following a big log takes longer than writing it
            big = 0.5 if self.case.victim in (Victim.SESSION, Victim.CUT, Victim.CLIENT) else 0.05
            more = {Kind.LONG: self.case.steps * LONG_STEP, Kind.BIG: big}.get(self.case.kind, 0.0)
            return self.case.pause + more
        # most of a launch is the launcher's; its runner has claimed the job and begun in a small part of it
        return self.field.span * (0.15 if self.case.victim in (Victim.RUNNER, Victim.FROZEN_RUNNER) else 1.0)

    async def _client_killed(self) -> int:
        """A client of its own process, killed at the moment."""
        errand = Errand(str(self.field.server.farm.config), self.field.host, self.job.spec)
        process = await asyncio.create_subprocess_exec(
            *(sys.executable, "-m", "tests.campaign.client"),
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
            cwd=Path(__file__).parents[2],
        )
        assert process.stdin is not None
        assert process.stdout is not None
        try:
            process.stdin.write(msgspec.json.encode(errand))
            process.stdin.close()
            said = await process.stdout.readline()
            self.began.set()
            if said and self.case.phase is Phase.RUN:
                said = await process.stdout.readline()
            await asyncio.sleep(self.case.moment * self._span())  # the moment drawn for the blow
            alive = process.returncode is None
        finally:
            self.began.set()
            with contextlib.suppress(ProcessLookupError):
                process.kill()
            await process.wait()
        return int(bool(said) and alive)
