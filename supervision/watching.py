"""Keeping a live session's state fed: what is asked first, which hosts are watched, their jobs, and the running scan.

The entry host is asked for the whole, every watched host for itself. Hosts that serve the file system join as one
learns of them; one that cannot be reached holds up nobody.
"""

from __future__ import annotations

import asyncio
import contextlib
import math
from collections.abc import Callable, Sequence

import msgspec

from remote.command import Command
from remote.errors import SiteError, Trouble, UnreachableError
from remote.events import Event, LinkChanged
from remote.jobs import JobStatus
from remote.linux.scans import RunningScans, scans
from supervision import adopting
from supervision.braking import Restoring
from supervision.facts import reader
from supervision.filesystem import FileSystem
from supervision.probejob import probes
from supervision.state import Job, State
from supervision.supervisor import Cadence, Supervisor

JOBS_BUSY = 60.0
"""Seconds (Site's clock) between two looks at the jobs of a host where one runs, or where people start them."""
JOBS_IDLE = 300.0
REAL = 1.0
"""Real seconds that lie between two of the same questions at least: much, in a simulation that runs six hundred times
as fast, where hosts would do nothing but answer."""
REAL_SCANS = 5.0
"""The same between two looks at all processes of a simulated host: all of them are processes of this machine."""


class Watch:
    """What a live session asks by itself; `slow` makes questions as rare as a person wants them."""

    def __init__(
        self,
        supervisor: Supervisor,
        fs: FileSystem,
        slow: Callable[[Sequence[Cadence]], Sequence[Cadence]] = tuple,
    ) -> None:
        self._supervisor = supervisor
        self._fs = fs
        self._slow = slow
        self._watched: set[str] = set()
        self.looked: set[str] = set()
        """Hosts whose first look is over, however it went."""
        self._scans_at: dict[str, float] = {}
        self._begun = False
        supervisor.store.listen(self._on_event)
        self._restoring = Restoring(supervisor, fs)

    async def begin(self) -> None:
        """Take the first look at everything, and begin the watching, which goes on until the supervisor ends."""
        supervisor, fs = self._supervisor, self._fs
        for host in supervisor.site.hosts:
            self._watch_host(host)
        await self._one_by_one(fs.questions())
        self.reach()
        supervisor.watch(self._slowed(fs.cadences(supervisor.entry)))
        await self._one_by_one(fs.costly())
        self._begun = True

    async def refresh(self, *, costly: bool, devices: bool = False) -> None:
        """Ask again now what a person wants to know; `costly` includes what touches every node or reads much.

        `devices` looks at the disks of every host, and asks which of them are the file system's own. Hosts that were
        given up are tried again.
        """
        supervisor, fs = self._supervisor, self._fs
        for host, link in supervisor.store.state.links.items():
            if link.state == "refused":
                supervisor.site.retry(host)
        with contextlib.suppress(SiteError):  # it is in the state, with its reason
            await supervisor.ask(supervisor.entry, *fs.questions(), *(fs.costly() if costly else ()))
        self.reach()
        if costly or devices:
            await supervisor.look_at_devices(supervisor.site.hosts, *fs.device_questions())
            with contextlib.suppress(SiteError):  # after the look: names are those of now
                await supervisor.ask(supervisor.entry, *(fs.device_owners() if devices else ()))

    def reach(self) -> None:
        """Watch the hosts of the file system that one has learned of meanwhile."""
        site = self._supervisor.site
        site.add_hosts(self._fs.hosts(self._supervisor.store.state, self._supervisor.entry))
        for host in site.hosts:
            self._watch_host(host)

    def _watch_host(self, host: str) -> None:
        if host not in self._watched:
            self._watched.add(host)
            self._supervisor.start(f"watch {host}", self._ask_host(host))
            self._supervisor.start(f"jobs of {host}", self._keep_jobs(host))

    async def _one_by_one(self, commands: Sequence[Command], host: str = "") -> None:
        """Ask a host, else the entry host: what fails spoils nothing, and what is there is shown at once."""
        for command in commands:
            with contextlib.suppress(SiteError):
                await self._supervisor.ask(host or self._supervisor.entry, command)

    def _slowed(self, cadences: Sequence[Cadence]) -> list[Cadence]:
        """As rare as a person wants them, and as real time demands."""
        speed = self._supervisor.store.state.header.speed
        return [msgspec.structs.replace(each, seconds=each.at_speed(speed)) for each in self._slow(cadences)]

    async def _ask_host(self, host: str) -> None:
        cadences = self._slowed(self._fs.host_cadences(host))
        with contextlib.suppress(SiteError):  # in which boot its names of devices hold
            await self._supervisor.site.place(host)
        for cadence in cadences:
            with contextlib.suppress(SiteError):
                await self._supervisor.ask(host, *cadence.commands)
        self.looked.add(host)
        self._supervisor.watch(cadences)

    # what could not be asked while a host was away

    def _on_event(self, _state: State, event: Event) -> None:
        """Ask what is not known yet once its host can be asked again: cadences may be half an hour away."""
        if isinstance(event, LinkChanged) and event.state == "up" and event.host in self.looked:
            name = f"ask {event.host} what is missing"
            if not self._supervisor.runs(name):
                self._supervisor.start(name, self._ask_missing(event.host))

    async def _ask_missing(self, host: str) -> None:
        await self._ask_after_boot(host)
        of_host = [command for cadence in self._fs.host_cadences(host) for command in cadence.commands]
        await self._one_by_one(self._missing(host, of_host), host)
        if host == self._supervisor.entry and self._begun:
            await self._one_by_one(self._missing(host, self._fs.questions()))
            self.reach()
            await self._one_by_one(self._missing(host, self._fs.costly()))

    async def _ask_after_boot(self, host: str) -> None:
        """Ask a host anew for everything of itself when it has booted: names of devices may be others'."""
        before = self._supervisor.store.state.places.get(host)
        with contextlib.suppress(SiteError):
            now = await self._supervisor.site.place(host)
            if before is not None and before.boot_id != now.boot_id:
                for cadence in self._fs.host_cadences(host):
                    await self._supervisor.ask(host, *cadence.commands)

    def _missing(self, host: str, commands: Sequence[Command]) -> list[Command]:
        """Those whose last answer, if there ever was one, failed."""
        state = self._supervisor.store.state
        return [
            command
            for command in commands
            if (found := reader(state.reading, host, command))
            and ((fact := state.facts.get(found[0])) is None or (fact.failure and not fact.never))
        ]

    async def _keep_jobs(self, host: str) -> None:
        supervisor = self._supervisor
        while True:
            await self._look_at_jobs(host)
            jobs = supervisor.store.state.jobs.values()
            busy = host == supervisor.entry or any(job.host == host and not job.status.state.settled for job in jobs)
            seconds = JOBS_BUSY if busy else JOBS_IDLE
            await supervisor.site.clock.sleep(max(seconds, REAL * supervisor.store.state.header.speed))

    async def look_at_jobs(self) -> None:
        """Ask every host now for its jobs, and for the scans that others have started there."""
        await asyncio.gather(*(self._look_at_jobs(host) for host in self._supervisor.site.hosts))

    async def _look_at_jobs(self, host: str) -> None:
        with contextlib.suppress(SiteError):  # it is in the state, with its reason
            await self._supervisor.site.jobs(host)  # first: what is a job of ours is nobody else's
            await self._look_at_scans(host)
        self._follow_scan()
        self._follow_probes()

    async def _look_at_scans(self, host: str) -> None:
        """Ask a host which scans run there, ours or not, and take in what others have started."""
        supervisor = self._supervisor
        now, speed = supervisor.site.clock.now(), supervisor.store.state.header.speed
        if speed > 1 and now - self._scans_at.get(host, -math.inf) < REAL_SCANS * speed:
            return
        self._scans_at[host] = now
        try:
            await supervisor.ask(host, scans())
        except UnreachableError as error:
            if error.trouble is not Trouble.SUDO:
                raise
            await supervisor.ask(host, scans(root=False))  # sudo may allow no more than GPFS's own commands
        self._adopt(host)

    def _follow_probes(self) -> None:
        """Read the logs of the probes that run, whoever started them."""
        for probe in probes(self._supervisor.store.state):
            if not probe.job.status.state.settled:
                self._supervisor.follow(probe.host, probe.job.status.id)

    def _adopt(self, host: str) -> None:
        """Take in the scans of this file system that others have started on a host."""
        supervisor, state = self._supervisor, self._supervisor.store.state
        fact = state.facts.get(f"scans {host}")
        told = fact.parsed.model if fact and fact.parsed and not fact.failure else None
        if not isinstance(told, RunningScans):
            return
        now = supervisor.site.clock.now()

        def is_ours(directory: str) -> bool:  # by its name: the way to it may hold links
            return (host, directory.rpartition("/")[2]) in state.jobs

        def is_wanted(status: JobStatus) -> bool:
            return self._fs.is_scan(Job(host, status, now))

        found = adopting.found(told, host, now, is_ours=is_ours, is_wanted=is_wanted, speed=state.header.speed)
        for event in found:
            held = state.job(host, event.status.id)
            known = any((job.host, job.pid, job.start) == (host, event.pid, event.start) for job in state.jobs.values())
            if known or (held and not held.status.state.settled):
                continue
            supervisor.journal.emit(event)
            what = f"watches {event.status.command} (pid {event.pid}) on {host}, which was started outside restripe"
            supervisor.journal.decide(now, "restripe", f"{what}: its exit code cannot be known, and it is not touched")

    def _follow_scan(self) -> None:
        """Read the log of the newest scan, whoever started it: without it nobody can say how far it is."""
        state = self._supervisor.store.state
        job = self._fs.scan_job(state)
        if job is None:
            return
        log = state.job_log(job.host, job.status.id)
        if not job.status.state.settled or (log.size if log else 0) < job.status.size:
            self._supervisor.follow(job.host, job.status.id)
