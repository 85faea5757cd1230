"""Everything that the checks of a step ask of a simulated cluster, and what they say."""

from __future__ import annotations

import asyncio

from supervision import gpfs_preflight as preflight
from supervision.checking import Check
from supervision.gpfs_planning import Wish, make
from supervision.gpfs_view import View
from supervision.plan import Plan
from tests.supervision.cluster import OPERATOR, Session


def view_of(live: Session, plan: Plan) -> View:
    """What is known."""
    return View(live.store.state, plan.file_system, tuple(live.supervisor.site.hosts))


async def planned(live: Session, wish: Wish | None = None) -> Plan:
    """A plan of answers of now."""
    return (await make(live.supervisor, wish or Wish(), by=OPERATOR)).plan


async def ask(live: Session, plan: Plan, step: str) -> float:
    """Ask all that the checks of a step rest on; since when it is."""
    supervisor, view, since = live.supervisor, view_of(live, plan), live.supervisor.site.clock.now()
    hosts = preflight.hosts(view, plan)
    await asyncio.gather(
        supervisor.ask(plan.host, *preflight.questions(step, plan, view)),
        *(supervisor.ask(host, *asked) for host in hosts if (asked := preflight.server_questions(step))),
        *(supervisor.site.place(host) for host in hosts if preflight.needs_boots(step)),
    )
    return since


async def look(live: Session, plan: Plan, step: str) -> dict[str, Check]:
    """What the checks of a step say now, by their keys."""
    since = await ask(live, plan, step)
    found = preflight.checks(step, view_of(live, plan), plan, since)
    assert len({check.key for check in found}) == len(found)
    return {check.key: check for check in found}
