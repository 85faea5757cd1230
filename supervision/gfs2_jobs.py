"""Guided work on a GFS2: savemeta, restoremeta, fsck. Look, run it as a detached job, and see what it has really done.

Each is a `supervision.migration.Migration`. What is checked before is in `supervision.gfs2_checks`, what is compared
afterwards in `supervision.gfs2_verify`.
"""

from __future__ import annotations

import asyncio
import importlib.resources
from collections.abc import Awaitable, Callable
from functools import cache

from remote.command import Command
from remote.errors import RefusedError, SiteError
from remote.gfs2 import commands as gfs2
from remote.linux.room import room
from supervision import gfs2_ends
from supervision.filesystem import Phase
from supervision.gfs2_checking import Check, Verdict, Wanted, same_host
from supervision.gfs2_checks import checks_for, node_questions, questions
from supervision.gfs2_jobtexts import advice_for, lines_of, one_text
from supervision.gfs2_progress import as_asked
from supervision.gfs2_verify import NOT_GZIP, Seen, verified
from supervision.gfs2_view import View
from supervision.gfs2_work import FSCK, GUARD, RESTOREMETA, SAVEMETA, work_of
from supervision.jobwords import words_of
from supervision.logs import Log
from supervision.migration import Ending, Run, Step, StopError
from supervision.state import Job, State
from supervision.supervisor import Supervisor

ANY = tuple(range(256))
"""Exit codes that do not end a step by themselves: what they mean is judged with the log."""
_YOUNG = 300.0
"""Seconds: a list of resource groups that is younger is not asked again, since it reads a block of each."""
LOOK, WHOLE, VERIFY = "look", "whole", "verify"


class Gfs2Job:
    """One guided work. `begun` is whether it was ever run; `steps.ending` tells how it ended."""

    def __init__(
        self, supervisor: Supervisor, wanted: Wanted, *, plan: str, operator: str, mode: gfs2.Fsck = gfs2.Fsck.LOOK
    ) -> None:
        self.wanted = wanted
        self.begun = False
        self.checks: tuple[Check, ...] = ()
        self._supervisor = supervisor
        self._mode = mode
        self._agreed: frozenset[str] | None = None
        self._tool = _tool(wanted, mode)
        self._whole: bool | None = None
        self.steps = Run(supervisor, self._planned(), plan=plan, operator=operator)

    def _planned(self) -> tuple[Step, ...]:
        work = self.wanted.work
        tested = Step(WHOLE, f"read {self.wanted.file} to its end with gzip -t: a truncated one is not told of")
        run = Step(work, f"{work} of {self.wanted.device}")
        verify = Step(VERIFY, "compare what it has done with what it was to do; its exit code is no proof")
        look = Step(LOOK, f"look at {self.wanted.device}, and at every host that may have it mounted")
        if work == SAVEMETA and self.wanted.level != 0:
            return look, run, tested, verify
        return (look, tested, run, verify) if work == RESTOREMETA else (look, run, verify)

    @property
    def title(self) -> str:
        """What it does, in some words."""
        return f"{self.wanted.work} of {self.wanted.device}"

    @property
    def lines(self) -> tuple[str, ...]:
        """What happens, and what the checks have found, for whoever is to agree to it."""
        return lines_of(self.wanted, self._mode, self.checks, self._now)

    @property
    def hosts(self) -> tuple[str, ...]:
        """The host of the commands alone: the others are only asked."""
        return (self.wanted.host,)

    async def prepare(self) -> None:
        """Look at everything that speaks against it. Raises SiteError, RefusedError where something does."""
        await self._supervisor.site.place(self.wanted.host)
        self.checks = await self._look_now()
        if stopping := [check for check in self.checks if check.verdict.stops]:
            raise RefusedError(self.wanted.host, "; ".join(one_text(check) for check in stopping))
        self._agreed = frozenset(check.name for check in self.checks if check.verdict is Verdict.WARNING)

    def commands(self) -> tuple[str, ...]:
        """What is run: the tool inside of the script that counts what it complains of, and the test of the file."""
        path = self.steps.planned_path(self.wanted.work, GUARD)
        ran = self._guarded(path).text
        if self.wanted.work == SAVEMETA and self.wanted.level != 0:
            return ran, gfs2.gzip_test(self.wanted.file).text
        return (gfs2.gzip_test(self.wanted.file).text, ran) if self.wanted.work == RESTOREMETA else (ran,)

    async def run(self) -> None:
        """Perform it. Raises StopError when it had to stop; the steps have told why."""
        self.begun = True
        self.steps.announce()
        actions: dict[str, Callable[[], Awaitable[str]]] = {LOOK: self._look, WHOLE: self._test, VERIFY: self._verify}
        for step in self.steps.steps:
            await self.steps.step(actions.get(step.name, self._run_tool))
        self.steps.complete()

    # what is looked at before

    async def _look_now(self) -> tuple[Check, ...]:
        """Ask the host and every node of its cluster, and judge. A node that cannot be asked is unknown then."""
        supervisor, wanted, now = self._supervisor, self.wanted, self._now
        groups = supervisor.store.state.facts.get(f"rgs {wanted.device}")
        fresh = groups is not None and not groups.failure and now - groups.at < _YOUNG
        asked = [each for each in questions(wanted) if not (fresh and each.argv[0] == gfs2.RGS)]
        await supervisor.ask(wanted.host, *asked)
        nodes = node_questions(wanted, supervisor.store.state.facts)
        hosts = {name: self._host_of(name) for name in nodes}
        supervisor.site.add_hosts(tuple(hosts.values()))
        await asyncio.gather(*(self._ask(hosts[name], nodes[name]) for name in nodes))
        return checks_for(wanted, supervisor.store.state.facts, supervisor.site.hosts, self._now)

    async def _ask(self, host: str, *commands: Command) -> None:
        try:
            await self._supervisor.ask(host, *commands)
        except SiteError:
            return  # it is in the state, and so what it was asked is not known

    def _host_of(self, node: str) -> str:
        """The host of the session that a node is, by its name; its own where it is none yet."""
        return next((host for host in self._supervisor.site.hosts if same_host(host, node)), node)

    async def _look(self) -> str:
        self.steps.asked(*questions(self.wanted))
        self.checks = await self._look_now()
        stopping = [check for check in self.checks if check.verdict.stops]
        if stopping:
            raise StopError(Ending.REFUSED, "; ".join(one_text(check) for check in stopping))
        warnings = [check for check in self.checks if check.verdict is Verdict.WARNING]
        fresh = [check for check in warnings if self._agreed is not None and check.name not in self._agreed]
        if fresh:
            told = "; ".join(one_text(check) for check in fresh)
            raise StopError(Ending.REFUSED, f"this was not so when it was confirmed: {told}. Begin again")
        for check in warnings:
            self.steps.warn(f"{check.name}: {check.text}; it was begun all the same")
        warned = f"; with {'a warning' if len(warnings) == 1 else f'{len(warnings)} warnings'}" if warnings else ""
        return f"{len(self.checks) - len(warnings)} checks passed{warned}"

    # what is run

    async def _run_tool(self) -> str:
        command = self._guarded(await self.steps.place_of(GUARD))
        await self.steps.job(command, ((GUARD, _script()),), well=ANY)
        job = self._job(self.wanted.work)
        rc = _rc(job)
        if asked := as_asked(self._view, job, rc):
            raise StopError(Ending.FAILED, f"{self.wanted.host}: {self._tool.text}: {asked[1]}")
        phase, told = gfs2_ends.ended(self._view, job, work_of(words_of(job)), rc, self._log(job))
        if phase is not Phase.FINISHED:
            ending = Ending.FAILED if phase is Phase.FAILED else Ending.UNKNOWN
            raise StopError(
                ending, f"{self.wanted.host}: {self._tool.text}: {told}. {advice_for(self.wanted, self._mode)}"
            )
        return told or f"{self._tool.argv[0]} ended with exit code {rc}"

    async def _test(self) -> str:
        """`gzip -t` as a job of its own: it reads the whole file."""
        wanted, command = self.wanted, gfs2.gzip_test(self.wanted.file)
        text = await self.steps.job(command, well=ANY)
        rc = _rc(self._job(WHOLE))
        if rc == 0:
            self._whole = True
            return f"{wanted.file} is whole"
        if wanted.work == RESTOREMETA and NOT_GZIP in text:
            return f"{wanted.file} is not compressed: nothing tells whether it is whole"
        told = f"{wanted.host}: {command.text} ended with exit code {rc}: {text or 'it printed nothing'}"
        if rc > 128:
            raise StopError(Ending.UNKNOWN, f"{told}. Whether {wanted.file} is whole is not known: run it by hand")
        if wanted.work == SAVEMETA:
            raise StopError(
                Ending.FAILED,
                f"{told}. savemeta ended with exit code 0, yet its file is cut off or damaged: its disk was full, most "
                f"likely. {advice_for(wanted, self._mode)}",
            )
        raise StopError(
            Ending.FAILED,
            f"{told}. restoremeta would call it a success; {wanted.device} was left alone. Take a file that is whole",
        )

    # what came of it

    async def _verify(self) -> str:
        wanted, before, since = self.wanted, self._view.groups, self._now
        asked = [gfs2.blkid(wanted.device)]
        if wanted.work != FSCK:
            asked += [gfs2.rgs(wanted.device), room(wanted.file)]
        self.steps.asked(*asked)
        await self._supervisor.ask(wanted.host, *asked)
        job = self._job(wanted.work)
        seen = Seen(wanted, _rc(job), self._log(job), self._whole, self._saved(), before.dinodes if before else None)
        found = verified(seen, self._state.facts, since)
        if not (found.wrong or found.unknown):
            return found.proof
        ending = Ending.FAILED if found.wrong else Ending.UNKNOWN
        what = "it ended well, and yet" if found.wrong else "whether it has done all is not known:"
        told = "; ".join(found.wrong or found.unknown)
        raise StopError(ending, f"{wanted.host}: {self.title}: {what} {told}. {advice_for(wanted, self._mode)}")

    def _saved(self) -> int | None:
        """The blocks that a savemeta counted which wrote the very file that is restored; None where none is known."""
        for job in self._state.jobs.values():
            work = work_of(words_of(job))
            if work and work.kind == SAVEMETA and (job.host, work.file) == (self.wanted.host, self.wanted.file):
                log = self._log(job)
                return log.scan.done if log and job.status.rc == 0 else None
        return None

    # where it stands

    def _guarded(self, path: str) -> Command:
        new = (f"--new={self.wanted.file}",) if self.wanted.work == SAVEMETA else ()
        return Command(("sh", path, *new, "--", *self._tool.argv), self._tool.effect, privileged=True)

    def _job(self, step: str) -> Job:
        """The job of a step that has ended."""
        job = self._state.job(self.wanted.host, self.steps.job_id(step))
        if job is None:
            raise StopError(Ending.UNKNOWN, f"{self.wanted.host}: nothing is known of the job of the step {step}")
        return job

    def _log(self, job: Job) -> Log | None:
        return self._state.job_log(job.host, job.status.id)

    @property
    def _state(self) -> State:
        return self._supervisor.store.state

    @property
    def _view(self) -> View:
        return View(self._state, self.wanted.device, self.wanted.host)

    @property
    def _now(self) -> float:
        return self._supervisor.site.clock.now()


def _rc(job: Job) -> int:
    """The exit code of a job that has ended; a step of one whose code is not known never gets here."""
    return job.status.rc if job.status.rc is not None else 255


def _tool(wanted: Wanted, mode: gfs2.Fsck) -> Command:
    """The command that does the work. Raises ValueError for what cannot be given to it."""
    if wanted.work == SAVEMETA:
        return gfs2.savemeta(wanted.device, wanted.file, gfs2.BEST_LEVEL if wanted.level is None else wanted.level)
    if wanted.work == RESTOREMETA:
        return gfs2.restoremeta(wanted.file, wanted.device)
    return gfs2.fsck(wanted.device, mode)


@cache
def _script() -> str:
    return (importlib.resources.files("remote") / "gfs2" / GUARD).read_text(encoding="utf-8")
