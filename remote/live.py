"""The live Site: questions and jobs over SSH."""

from __future__ import annotations

import asyncio
import contextlib
import secrets
from collections.abc import AsyncGenerator, Sequence

import msgspec

from remote import jobs as protocol
from remote.clock import Clock
from remote.command import Command, Effect
from remote.errors import AnswerLostError, GarbledError, JobError, StillAskedError, Trouble, UnreachableError
from remote.fleet import Fleet, LinkStatus
from remote.jobs import Header, JobSpec, JobState, JobStatus, Place
from remote.question import KILL_AFTER, Answer, question_script, take_apart
from remote.site import Chunk, FileLog, Followed, HostLink, JobLog, ProcessSeen, Rewound, Site, StateSeen
from remote.ssh.settings import SshSettings
from remote.sudo import sudo_refusal
from remote.text import last_lines

ANSWER_LIMIT = 32 << 20
"""The most that one batch of questions may answer, in bytes."""
LOOK_LIMIT = 2 << 20
"""The most that one look at a log brings at first, and the largest piece of it that is told at once, in bytes."""
LOOK_MOST = 16 << 20
"""What a look grows to while there is much to catch up with, in bytes: each look costs a round trip and a shell."""
QUICK_SECONDS = 1.0
"""What one look should take at most: when it is cut, all of it is brought again."""
OVERLAP = 32
"""Bytes of the log that are asked for again, to notice that it is not the log it was."""
NETWORK_SECONDS = 15.0
"""What the way there and back may take beyond what is asked for."""
JOB_SECONDS = 30.0
QUOTED = 1000
"""The most that an error quotes of an answer that is none, in characters: one line of it may be megabytes."""
NO_ANSWER = "Log in by hand: a start-up file of the login shell may end it, or the account may not be let in"
TOO_LARGE = "Ask for less at once"
LAUNCH_PATIENCE = 90.0
"""How long a launch whose answer was lost is looked for before its state is called unknown."""


class LiveOptions(msgspec.Struct, frozen=True):
    """How the live Site behaves: `poll_seconds` on the Site's clock between two looks at a log; `sudo` puts
    `sudo -n` before each command that needs root, and before nothing else; `job_base` overrides where hosts keep
    their jobs. `systemd_run` starts each job as a unit of its own where the host has a systemd; without it
    that is done only where logind would end the job with the login.
    """

    poll_seconds: float = 2.0
    sudo: bool = False
    job_base: str = ""
    systemd_run: bool = False
    ssh: SshSettings = SshSettings()


class LiveSite(Site):
    """A real or simulated cluster, over SSH. Close it when done; no job ends by that."""

    def __init__(
        self, hosts: Sequence[str], clock: Clock, *, armed: bool = False, options: LiveOptions | None = None
    ) -> None:
        super().__init__(clock, hosts, armed=armed)
        self._options = options or LiveOptions()
        self.fleet = Fleet(self._options.ssh, on_change=self._link_changed)
        self._asking: dict[tuple[str, tuple[str, ...]], asyncio.Lock] = {}
        self._lost: dict[tuple[str, tuple[str, ...]], tuple[str, ...]] = {}

    def retry(self, host: str) -> None:
        self.fleet.retry(host)

    async def close(self) -> None:
        await self.fleet.close()

    def _link_changed(self, status: LinkStatus) -> None:
        link = HostLink(status.host, status.state.value.split()[0], status.trouble, status.detail)
        self.links[link.host] = link
        if self.on_link:
            self.on_link(link)

    # questions

    async def _query(self, host: str, commands: Sequence[Command]) -> tuple[Answer, ...]:
        keys = sorted({(host, command.argv) for command in commands})
        async with contextlib.AsyncExitStack() as stack:
            for key in keys:  # sorted, so that two batches never wait for each other
                await stack.enter_async_context(self._asking.setdefault(key, asyncio.Lock()))
            return await self._ask(host, commands)

    async def _ask(self, host: str, commands: Sequence[Command]) -> tuple[Answer, ...]:
        """Ask now; nobody else is asking any of these of this host."""
        keys = [(host, command.argv) for command in commands]
        nonce = _nonce()
        text = "; ".join(command.text for command in commands)
        script = question_script(
            nonce, commands, sudo=self._options.sudo, earlier=[self._lost.get(key, ()) for key in keys]
        )
        deadline = NETWORK_SECONDS + sum(command.deadline + KILL_AFTER for command in commands)
        try:
            output = await self.fleet.run(host, script, deadline=deadline, limit=ANSWER_LIMIT, tag=nonce, what=text)
        except (AnswerLostError, asyncio.CancelledError):
            for key in keys:  # the last few: whichever of them still lives keeps the question from being asked
                self._lost[key] = _few((*self._lost.get(key, ()), nonce))
            raise
        answers = take_apart(nonce, commands, output.stdout, output.stderr)
        if answers is None:
            if output.cut:
                raise GarbledError(host, "the answer is larger than can be kept", command=text, advice=TOO_LARGE)
            raise GarbledError(host, _what_came(output.stdout, output.stderr), command=text, advice=NO_ANSWER)
        for key, answer in zip(keys, answers, strict=True):
            if answer.still:
                raise StillAskedError(
                    host,
                    "the same question was asked before and still runs there",
                    command=answer.command.text,
                    advice="It will be asked again when it has ended",
                )
            self._lost.pop(key, None)
        refused = [sudo_refusal(answer) for answer in answers if self._options.sudo and answer.command.privileged]
        if len(refused) == len(answers) and all(refused):  # what else a batch has learned is worth keeping
            raise UnreachableError(host, Trouble.SUDO, refused[0], command=text)
        return answers

    # jobs

    async def _place(self, host: str) -> Place:
        nonce = _nonce()
        header = await self._job(host, nonce, protocol.place_script(nonce, self._options.job_base), "place")
        place = protocol.read_place(header)
        if place is None:
            raise _job_error(host, header.status(""), "place")
        return place

    async def _launch(self, host: str, spec: JobSpec) -> JobStatus:
        place = await self._place(host)
        ends = asyncio.get_running_loop().time() + LAUNCH_PATIENCE
        delay = 0.2
        lost, note = False, ""
        while True:
            nonce = _nonce()
            script = protocol.launch_script(
                nonce,
                self._options.job_base,
                spec,
                sudo=self._options.sudo,
                boot_id=place.boot_id,
                unit=self._options.systemd_run,
            )
            # Launching the same id again is safe: whatever is under way there, one of them wins the link. Only a
            # reboot in between could have eaten an unsynced link, so that is left to a person.
            try:
                status = (await self._job(host, nonce, script, spec.command.text)).status(spec.id)
                if status.note == "other_boot":
                    return _described(JobStatus(spec.id, JobState.UNKNOWN, note=status.note), spec)
                if status.state is JobState.ERROR and lost:  # an earlier try may still be under way there
                    return _described(JobStatus(spec.id, JobState.UNKNOWN, note=status.note), spec)
                if status.state is JobState.ERROR:
                    raise _job_error(host, status, spec.command.text)
                if status.state is not JobState.ABSENT:
                    return _described(status, spec)
                note = status.note
            except (UnreachableError, AnswerLostError, GarbledError):
                lost, note = True, "the host does not answer"
            if lost and spec.command.effect is Effect.DESTROYS:
                # what it names was looked up just before and may be something else by now: never send it again
                return await self._settle(host, spec, ends)
            if asyncio.get_running_loop().time() > ends:
                return _described(JobStatus(spec.id, JobState.UNKNOWN, note=note), spec)
            await asyncio.sleep(delay)
            delay = min(delay * 2, 5.0)

    async def _settle(self, host: str, spec: JobSpec, ends: float) -> JobStatus:
        """After a lost answer: make sure that the job has started, or never will."""
        delay = 0.2
        while True:
            try:
                return _described(await self._seal(host, spec.id), spec)
            except (UnreachableError, AnswerLostError, GarbledError, JobError):
                if asyncio.get_running_loop().time() > ends:
                    return _described(JobStatus(spec.id, JobState.UNKNOWN, note="the host does not answer"), spec)
                await asyncio.sleep(delay)
                delay = min(delay * 2, 5.0)

    async def _stop(self, host: str, job_id: str, *, kill: bool) -> JobStatus:
        nonce = _nonce()
        script = protocol.stop_script(nonce, self._options.job_base, job_id, kill=kill)
        return (await self._job(host, nonce, script, f"stop {job_id}")).status(job_id)

    async def _seal(self, host: str, job_id: str) -> JobStatus:
        nonce = _nonce()
        script = protocol.seal_script(nonce, self._options.job_base, job_id)
        status = (await self._job(host, nonce, script, f"seal {job_id}")).status(job_id)
        if status.state is JobState.ERROR:
            raise _job_error(host, status, f"seal {job_id}")
        return status

    async def _renew(self, host: str, job_id: str) -> JobStatus:
        nonce = _nonce()
        script = protocol.renew_script(nonce, self._options.job_base, job_id)
        return (await self._job(host, nonce, script, f"renew {job_id}")).status(job_id)

    async def _jobs(self, host: str) -> tuple[JobStatus, ...]:
        nonce = _nonce()
        script = protocol.list_script(nonce, self._options.job_base)
        output = await self.fleet.run(
            host, script, deadline=JOB_SECONDS + NETWORK_SECONDS, limit=ANSWER_LIMIT, what="list jobs"
        )
        headers = protocol.read_headers(nonce, output.stdout)
        if headers and headers[-1].state == "error":
            raise _job_error(host, headers[-1].status(""), "list jobs")
        found = protocol.read_list(headers)
        if found is None:
            raise GarbledError(host, _what_came(output.stdout, output.stderr), command="list jobs", advice=NO_ANSWER)
        return found

    async def _job(self, host: str, nonce: str, script: str, what: str, limit: int = LOOK_LIMIT) -> Header:
        output = await self.fleet.run(
            host, script, deadline=JOB_SECONDS + NETWORK_SECONDS, limit=limit + 65536, what=what
        )
        headers = protocol.read_headers(nonce, output.stdout)
        if not headers:
            raise GarbledError(host, _what_came(output.stdout, output.stderr), command=what, advice=NO_ANSWER)
        return headers[0]

    # following

    def _follow(self, host: str, source: JobLog | FileLog, offset: int) -> AsyncGenerator[Followed, None]:
        return _Follower(self, host, source, offset).run()

    async def look(
        self, host: str, source: JobLog | FileLog, offset: int, start: str, limit: int = LOOK_LIMIT
    ) -> Header:
        """One look at a log from `offset`; `start` is the process start seen at the first look, or `-`."""
        nonce, base = _nonce(), self._options.job_base
        if isinstance(source, JobLog):
            script = protocol.poll_script(nonce, base, source.id, offset, limit)
        else:
            script = protocol.file_script(nonce, base, source.path, offset, limit, source.pid, start)
        return await self._job(host, nonce, script, f"read {source.name}", limit)

    @property
    def poll_seconds(self) -> float:
        """Seconds on the Site's clock between two looks at a log."""
        return self._options.poll_seconds


class _Follower:
    """Follows one log over however many connections it takes."""

    def __init__(self, site: LiveSite, host: str, source: JobLog | FileLog, offset: int) -> None:
        self._site = site
        self._host = host
        self._source = source
        self._offset = offset
        self._tail = b""
        self._limit = LOOK_LIMIT
        self._inode = "-"
        known = source.start if isinstance(source, FileLog) else None
        self._start = "-" if known is None else str(known)
        self._seen: object = None

    async def run(self) -> AsyncGenerator[Followed, None]:
        delay = 0.5
        while True:
            try:
                header = await self._look()
            except (UnreachableError, AnswerLostError, GarbledError) as error:
                self._limit = LOOK_LIMIT
                for event in self._unknown(str(error)):
                    yield event
                await asyncio.sleep(delay)
                delay = min(delay * 2, 10.0)
                continue
            delay = 0.5
            why = self._changed(header)
            if why:
                self._offset, self._tail, self._inode = 0, b"", "-"
                yield Rewound(why)
                continue
            data = header.rest[len(self._tail) :]
            for at in range(0, len(data), LOOK_LIMIT):
                piece = data[at : at + LOOK_LIMIT]
                yield Chunk(self._offset, piece)
                self._offset += len(piece)
                self._tail = (self._tail + piece)[-OVERLAP:]
            if header.inode != "-":
                self._inode = header.inode
            if self._offset < header.size and data:
                continue  # there is more already; a state is told only when the log up to it has been told
            for event in self._state(header):
                yield event
            if self._ended(header):
                return
            await self._site.clock.sleep(self._site.poll_seconds)

    async def _look(self) -> Header:
        """One look from where the log was read to; when it was full and quick, the next may bring twice as much."""
        loop = asyncio.get_running_loop()
        began = loop.time()
        header = await self._site.look(
            self._host, self._source, self._offset - len(self._tail), self._start, self._limit
        )
        if len(header.rest) < self._limit:
            self._limit = LOOK_LIMIT
        elif loop.time() - began < QUICK_SECONDS:
            self._limit = min(self._limit * 2, LOOK_MOST)
        else:
            self._limit = max(self._limit // 2, LOOK_LIMIT)
        return header

    def _changed(self, header: Header) -> str:
        """Why the log is not the one that was read so far, or nothing."""
        if self._inode not in ("-", header.inode):
            return "rotated"
        if header.size < self._offset and header.inode != "-":
            return "truncated"
        if not header.rest.startswith(self._tail):
            return "rewritten"
        return ""

    def _state(self, header: Header) -> list[Followed]:
        event: Followed
        if isinstance(self._source, JobLog):
            status = header.status(self._source.id)
            event = StateSeen(status)
            key: object = (status.state, status.rc, status.note)
        else:
            if header.state == "alive":
                self._start = header.rc
            event = ProcessSeen(header.state == "alive" if self._source.pid else None)
            key = header.state
        if key == self._seen:
            return []
        self._seen = key
        return [event]

    def _unknown(self, note: str) -> list[Followed]:
        if self._seen == "unknown":
            return []
        self._seen = "unknown"
        if isinstance(self._source, JobLog):
            return [StateSeen(JobStatus(self._source.id, JobState.UNKNOWN, note=note))]
        return [ProcessSeen(None)]

    def _ended(self, header: Header) -> bool:
        if isinstance(self._source, JobLog):
            state = header.status(self._source.id).state
            return state.settled or state is JobState.ERROR
        return self._source.pid is not None and header.state == "gone"


def _nonce() -> str:
    return secrets.token_hex(8)


def _described(status: JobStatus, spec: JobSpec) -> JobStatus:
    command = spec.command
    return msgspec.structs.replace(
        status,
        title=spec.title,
        operator=spec.operator,
        command=command.text,
        effect=command.effect,
        interruptible=command.interruptible,
    )


def _job_error(host: str, status: JobStatus, command: str) -> JobError:
    what = protocol.NOTES.get(status.note, status.note) or "the answer was not understood"
    return JobError(host, status.note, what, advice="Nothing was run", command=command)


def _what_came(stdout: bytes, stderr: bytes) -> str:
    """Why an answer is none, with the last lines of what came instead."""
    text = (last_lines(stderr) or last_lines(stdout))[-QUOTED:]
    return f"no answer came back, but: {text}" if text else "nothing came back"


def _few(nonces: tuple[str, ...]) -> tuple[str, ...]:
    """The first, which may live longest, and the last few."""
    return nonces if len(nonces) <= 8 else (nonces[0], *nonces[-7:])
