"""`restripe watch`: a scan in lines, one a change, for a log or a chat bridge. It only looks, and records all of it."""

from __future__ import annotations

import asyncio
import contextlib
import sys
from pathlib import Path

import msgspec

from remote.command import Command, Effect
from remote.errors import RefusedError, SiteError, UnreachableError
from remote.linux.scans import RunningScans, scans
from remote.recording import RecordingError
from remote.text import one_line, safe
from supervision import adopting
from supervision.filesystem import Phase, Progress
from supervision.state import Job, State
from tui.connecting import Target
from tui.exits import Exit
from tui.leaving import recording_lines, unreached
from tui.notifying import Notifier
from tui.opening import Opened, opened
from tui.settings import Settings
from tui.watchlines import Notice, Teller, as_object, as_text

PATIENCE = 60.0
"""Real seconds for the first connection; later ones are waited for as long as it takes."""
TICK = 1.0
"""Real seconds between two looks when no event comes: a silence is one, too."""
CALM = 0.1
"""Real seconds that events are gathered for."""
ENDS = {
    Phase.FINISHED: Exit.DONE,
    Phase.FAILED: Exit.FAILED,
    Phase.STOPPED: Exit.FAILED,
    Phase.LOST: Exit.UNKNOWN,
    Phase.UNKNOWN: Exit.UNKNOWN,
}
"""How the program ends, by the phase of a scan that has ended."""


class Wanted(msgspec.Struct, frozen=True):
    """What is to be watched, and how it is told: a job by its id, a log (with its writer's pid), or the newest scan."""

    job: str = ""
    log: str = ""
    pid: int | None = None
    until_done: bool = False
    as_json: bool = False
    each_line: bool = False

    @property
    def one(self) -> bool:
        """Whether one scan is meant, so that nothing is left to tell when it has ended."""
        return self.until_done or bool(self.job or self.log)


class EndError(Exception):
    """Nothing more can be watched: why, and how the program ends."""

    def __init__(self, why: str, code: Exit) -> None:
        super().__init__(why)
        self.code = code


async def run(
    target: Target,
    fs_name: str,
    wanted: Wanted,
    *,
    notifier: Notifier | None,
    record: Path | None,
    settings: Settings,
) -> Exit:
    """Watch until the scan has ended, or for ever; returns how it ended. Without a name it is that of what runs."""
    writer = None
    try:
        if not fs_name:
            kind, fs_name = await _which(target, wanted)
            target = msgspec.structs.replace(target, kind=kind)
        async with opened(target, fs_name, record, settings) as session:
            writer = session.writer
            sys.stderr.write(f"Recording to {safe(str(writer.path.absolute()))}\n")
            code = await _Watching(session, wanted, notifier).run()
            session.how = "the scan has ended"
    except RecordingError as error:
        sys.stderr.write(f"Nothing was done: {error}\n")
        return Exit.FAILED
    except EndError as end:
        sys.stderr.write(f"{safe(str(end))}\n")
        code = end.code
    finally:
        if notifier:
            await notifier.close()
        if writer:
            sys.stderr.writelines(f"{line}\n" for line in recording_lines(writer))
    return Exit.WARNINGS if code is Exit.DONE and writer and writer.failure else code


async def _which(target: Target, wanted: Wanted) -> tuple[str, str]:
    """The kind and the name of the file system that is meant where none was named. Raises EndError."""
    from tui.whichfs import file_system_of

    try:
        kind, name = await file_system_of(target, wanted.job, wanted.log, wanted.pid)
    except SiteError as error:
        raise EndError(str(error), _code_of(error)) from None
    if not name:
        what = (
            f"no job {wanted.job} was seen on"
            if wanted.job
            else "nobody was seen who writes that log on"
            if wanted.log
            else "no scan runs or has run as a job on"
        )
        raise EndError(
            f"{what} {target.host}, so the file system is not known: name it with --fs or --gfs2", Exit.FAILED
        )
    return kind, name


def _code_of(error: SiteError) -> Exit:
    if isinstance(error, UnreachableError):
        return Exit.UNREACHABLE
    return Exit.REFUSED if isinstance(error, RefusedError) else Exit.FAILED


class _Watching:
    """One session of watching."""

    def __init__(self, session: Opened, wanted: Wanted, notifier: Notifier | None) -> None:
        self._opened = session
        self._supervisor = session.supervisor
        self._wanted = wanted
        self._notifier = notifier
        self._teller = Teller(session.fs, each_line=wanted.each_line)
        self._id = wanted.job or (f"{adopting.FILE}{wanted.log}" if wanted.log else "")
        self._failure: EndError | None = None
        self._up = False
        self._said: set[str] = set()

    async def run(self) -> Exit:
        """Tell of each change until there is nothing more to tell."""
        supervisor, store = self._supervisor, self._opened.store
        wake = asyncio.Event()
        store.listen(lambda _state, _event: wake.set())
        began = asyncio.get_running_loop().time()
        first = supervisor.start("first look", self._first_look())
        while True:
            state = self._now()
            job = self._chosen(state)
            if first.done() or f"time {supervisor.entry}" in state.facts:  # in whose zone times are told
                for notice in self._teller.look(state, job):
                    self._tell(notice, state.utc_offset)
                if job and (code := self._end_of(state, job)) is not None:
                    if self._notifier:
                        await self._notifier.finish()
                    return code
            self._check(state, job, first, asyncio.get_running_loop().time() - began)
            wake.clear()
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(TICK):
                    await wake.wait()
            await asyncio.sleep(CALM)

    def _now(self) -> State:
        """What is known, at the present moment: silence is told by the clock."""
        state = self._opened.store.state
        return msgspec.structs.replace(state, at=max(state.at, self._supervisor.site.clock.now()))

    async def _first_look(self) -> None:
        """Look at everything once, and begin to watch; a log that was named is taken in as soon as one can."""
        if self._wanted.log:
            try:
                await self._take_in(self._wanted.log)
            except SiteError as error:
                self._failure = EndError(str(error), _code_of(error))
                return
        await self._opened.watch.begin()

    async def _take_in(self, path: str) -> None:
        """Watch a log that was named: whoever writes it, as far as its host tells."""
        supervisor, host = self._supervisor, self._supervisor.entry
        readable = Command(("head", "-c", "1", "--", path), Effect.READS, deadline=20.0)
        (answer,) = await supervisor.site.query(host, readable)
        if answer.rc:
            why = one_line(answer.stderr.decode("utf-8", "backslashreplace")) or f"exit code {answer.rc}"
            self._failure = EndError(f"{host}: {path} cannot be read: {why}", Exit.FAILED)
            return
        with contextlib.suppress(SiteError):  # without it nobody knows who writes, which is said
            await supervisor.ask(host, scans())
        state = self._opened.store.state
        fact = state.facts.get(f"scans {host}")
        told = fact.parsed.model if fact and fact.parsed else None
        seen = told if isinstance(told, RunningScans) else None
        now = supervisor.site.clock.now()
        event = adopting.named(seen, host, now, path, self._wanted.pid, state.header.speed)
        supervisor.journal.emit(event)
        supervisor.follow(host, event.status.id)

    def _chosen(self, state: State) -> Job | None:
        """The job that was named, else the newest scan: one that runs first, and on the host that was named first."""
        entry, fs = self._supervisor.entry, self._opened.fs
        if self._id:
            return state.job(entry, self._id)
        jobs = [job for job in state.jobs.values() if fs.is_scan(job)]

        def rank(job: Job) -> tuple[bool, bool, float, str]:
            return (not job.status.state.settled, job.host == entry, job.status.began or job.at, job.status.id)

        return max(jobs, key=rank, default=None)

    def _end_of(self, state: State, job: Job) -> Exit | None:
        """How the program ends when a scan has ended; None while it has not, or where the next one is waited for."""
        if not self._wanted.one or not (job.status.state.settled or (job.adopted and job.pid is None)):
            return None
        progress = self._opened.fs.progress(state, job)
        return ended(job, progress, read=not self._supervisor.follows(job.host, job.status.id))

    def _check(self, state: State, job: Job | None, first: asyncio.Task[object], waited: float) -> None:
        """Raise EndError when there is nothing to watch, or no way to."""
        if self._failure:
            raise self._failure
        entry = self._supervisor.entry
        link = state.links.get(entry)
        self._up = self._up or bool(link and link.state == "up")
        if link and link.state == "refused":
            lines = unreached(msgspec.structs.replace(state, links={entry: link}))
            raise EndError("\n".join(lines), Exit.UNKNOWN if self._up else Exit.UNREACHABLE)
        if not self._up and waited > PATIENCE:
            raise EndError("\n".join(unreached(state)), Exit.UNREACHABLE)
        if not self._up and link and link.detail:
            self._say("\n".join((*unreached(state), f"it is tried again, for {PATIENCE:.0f} s in all")))
        if job is None and first.done() and self._up and self._all_told(state):
            what = f"no job {self._id}" if self._id else f"no scan of {self._opened.fs.name} runs or has run as a job"
            where = f"{what} on {entry}" + ("" if self._id else ", nor on the hosts beside it")
            if self._wanted.one:
                raise EndError(where, Exit.FAILED)
            self._say(f"{where}: the next one is waited for, until ctrl-C")

    def _say(self, text: str) -> None:
        """Say on stderr, once, why nothing is told."""
        if text not in self._said:
            self._said.add(text)
            sys.stderr.write(f"{safe(text)}\n")
            sys.stderr.flush()

    def _all_told(self, state: State) -> bool:
        """Whether every host that can be reached has told of its jobs and scans."""
        up = [host for host in self._supervisor.site.hosts if (link := state.links.get(host)) and link.state == "up"]
        return all(host in state.listed and f"scans {host}" in state.facts for host in up)

    def _tell(self, notice: Notice, utc_offset: int) -> None:
        if self._wanted.as_json:
            sys.stdout.buffer.write(as_object(notice, utc_offset) + b"\n")
        else:
            sys.stdout.write(safe(as_text(notice, utc_offset)) + "\n")
        sys.stdout.flush()
        if notice.urgent and self._notifier:
            fs = self._opened.fs.name
            more = {"fs": fs, "host": notice.host, "job": notice.job, "phase": notice.phase}
            self._notifier.tell(notice.urgent, f"{fs}: {notice.phase or notice.event}: {notice.text}", more)


def ended(job: Job, progress: Progress, *, read: bool) -> Exit | None:
    """How the program ends for a job that has ended, `read` when its log was read whole; None while more may come."""
    code = ENDS.get(progress.phase)
    if code is None or (not read and job.adopted and progress.phase not in (Phase.FINISHED, Phase.FAILED)):
        return None
    # nobody knows the exit code of a process that others started: its last lines are believed, with a warning
    return Exit.WARNINGS if (job.adopted or progress.warned) and code is Exit.DONE else code
