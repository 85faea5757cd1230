"""What a guide asks: the facts of a step, the cluster's tables, the jobs; and what the recipe concludes from them."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping

import msgspec

from remote.checked import Check
from remote.command import Command
from remote.errors import SiteError
from supervision.guide_jobs import PlanJobs
from supervision.guide_truth import how_to_find_out
from supervision.migration import Ending, StopError
from supervision.plan import Plan
from supervision.recipe import GuidedStep, Happened, Questions, Recipe
from supervision.state import State
from supervision.supervisor import Supervisor


class Asking:
    """Asks for one plan. `host` is where commands run; `moved` once that is not what the plan says."""

    def __init__(
        self, supervisor: Supervisor, plan: Plan, recipe: Recipe, steps: Mapping[int, GuidedStep], jobs: PlanJobs
    ) -> None:
        self.plan = plan
        self.host = plan.host
        self.moved = False
        self._supervisor = supervisor
        self._recipe = recipe
        self._steps = steps
        self._jobs = jobs
        supervisor.site.add_hosts((plan.host,))

    @property
    def state(self) -> State:
        """All that is known now."""
        return self._supervisor.store.state

    @property
    def here(self) -> Plan:
        """The plan with the host where commands run now: that is the one to be asked, and to be judged."""
        return msgspec.structs.replace(self.plan, host=self.host)

    @property
    def _now(self) -> float:
        return self._supervisor.site.clock.now()

    async def look_for_jobs(self) -> None:
        """Ask all hosts for the plan's jobs. Raises SiteError when the one where commands run cannot be asked."""
        hosts = tuple(dict.fromkeys((self.host, *self._supervisor.site.hosts)))
        await self._jobs.look(hosts)
        if self.host in self._jobs.unreached:
            raise self._jobs.unreached[self.host]

    async def ask_tables(self) -> float:
        """Ask for the cluster's own tables; since when they are as they are. Raises SiteError."""
        since = self._now
        await self._supervisor.ask(self.host, *self._recipe.tables(self.plan))
        self._supervisor.site.add_hosts(self._recipe.hosts(self.state, self.here))
        return since

    def tables_tell(self, number: int, since: float) -> Happened:
        """What the tables tell of a step."""
        return self._steps[number].happened(self.state, self.plan, since)

    async def checks(self, number: int) -> tuple[Check, ...]:
        """Ask what a step's checks rest on, and judge. Raises SiteError."""
        since = await self._ask(self._steps[number].questions(self.state, self.here))
        return self._steps[number].checks(self.state, self.here, since)

    def of_host(self, number: int) -> tuple[Command, ...]:
        """What the host of the jobs is asked for a step's checks."""
        return self._steps[number].questions(self.state, self.here).host

    async def promised(self, number: int) -> tuple[Check, ...]:
        """Ask what a step's promise rests on, and judge. Raises SiteError."""
        since = await self._ask(self._steps[number].proof(self.state, self.here))
        return self._steps[number].promised(self.state, self.here, since)

    async def _ask(self, questions: Questions) -> float:
        """Ask; a server that cannot be asked leaves its facts old, and what is old passes nothing."""
        since = self._now
        if questions.host:
            await self._supervisor.ask(self.host, *questions.host)
        hosts = self._recipe.hosts(self.state, self.here) if questions.servers or questions.boots else ()
        self._supervisor.site.add_hosts(hosts)
        if questions.servers:
            await self._supervisor.ask_each(hosts, *questions.servers)
        if questions.boots:  # after the names: they are worth nothing if a host has booted since
            site = self._supervisor.site
            told = await asyncio.gather(*(site.place(host) for host in hosts), return_exceptions=True)
            for answer in told:
                if isinstance(answer, BaseException):
                    raise answer
        return since

    async def leave(self, new: str) -> None:
        """Make sure that nothing of the plan runs on the present host, or will. Raises StopError and SiteError.

        A host that cannot be reached is left only when the cluster says that it is down, and when the tables show of
        each job that may run there whether it happened.
        """
        old = self.host
        self._supervisor.site.add_hosts((new,))
        await self._jobs.look(tuple(dict.fromkeys((old, new, *self._supervisor.site.hosts))))
        if new in self._jobs.unreached:
            raise self._jobs.unreached[new]
        mine = [each for each in self._jobs.attempts if each.host == old and self._jobs.latest(each.number) is each]
        going = [each for each in mine if each.goes_on]
        if old not in self._jobs.unreached:
            for attempt in going:
                name = self._steps[attempt.number].spec.name
                raise StopError(Ending.REFUSED, f"{name} runs on {old} (job {attempt.status.id}): wait for its end")
        else:
            await self._is_down(old, new)
            since = await self.ask_tables()
            for attempt in going:
                if self.tables_tell(attempt.number, since) in (Happened.UNKNOWN, Happened.PARTLY):
                    self.host = old
                    raise StopError(Ending.UNKNOWN, f"{old} is down, and {how_to_find_out(attempt)}")
            self._jobs.give_up(old)
        self.host, self.moved = new, True

    async def _is_down(self, old: str, new: str) -> None:
        self.host = new
        try:
            since = self._now
            await self._supervisor.ask(new, *self._recipe.tables(self.plan), *self._recipe.down_questions(self.plan))
            down = self._recipe.is_down(self.state, self.plan, old, since)
        except SiteError:
            self.host = old
            raise
        if down.stops:
            self.host = old
            raise StopError(Ending.REFUSED, down.told)
