"""How limits are changed: exact commands out of the present settings, what will be true, and why not.

Pools and classes that are not to change keep what they have: they are named with their present values.
"""

from __future__ import annotations

import math
from itertools import pairwise

from remote.command import Command
from remote.gpfs import schedule as scheduling
from remote.gpfs.models import Qos, QosLimit
from remote.gpfs.qos import as_given, iops_of, limits_text, scope_of
from remote.jobs import Place
from supervision.brake import USUAL, Brake, Hours, Limit, Plan, Power, Rate, Terms, iops_text, limit_text
from supervision.gpfs_brake import brake, too_low
from supervision.gpfs_braked import EASE, PART, RELEASE, SCHEDULE, held, title
from supervision.gpfs_limits import MMCHQOS, MMQOS, Setting, as_commands, tool_of
from supervision.gpfs_progress import scan_job
from supervision.gpfs_qos import EVERYWHERE, LOCAL, MAINTENANCE, MISC, OTHER, divided_over, knows_scopes, pools
from supervision.gpfs_view import View
from supervision.jobwords import words_of

Rows = tuple[QosLimit, ...]


def ease(view: View, iops: float, terms: Terms = USUAL) -> Plan:
    """Limit the scan to `iops` for all helpers together, in each pool; infinite switches QoS on and limits nothing."""
    now = brake(view, terms.floor)
    why = refusal(now, iops, terms.floor)
    if why:
        return Plan(refused=why)
    tool = terms.tool or MMCHQOS
    scope = scope_nodes(view, tool) if iops < math.inf else ()
    rows = new_rows(view, now, iops, scope)
    try:
        commands = as_commands(
            view.name, (setting_of(view, rows, scope),), MAINTENANCE, tool=tool, was_on=now.power is Power.ENABLED
        )
    except ValueError as error:
        return Plan(refused=f"the present settings cannot be given to {tool}: {error}")
    words = f"to {iops_text(iops)} for {len(now.helpers)} helpers" if iops < math.inf else "to measure alone"
    return Plan(
        view.state.header.entry,
        EASE,
        commands,
        (change_title(view, now, EASE, words, rows),) * len(commands),
        says(view, now, rows, scope),
        what=f"ease the scan of {view.name} {words}",
    )


def release(view: View) -> Plan:
    """Return to the settings that were before our first change; a schedule does that itself when it is told to end."""
    ours = held(view)
    if ours is None:
        return Plan(refused="no limit of ours holds: there is nothing to release")
    first, now = ours
    if now.schedule:
        says_so = ("the schedule is told to end, and brings back itself what was before:", now.earlier)
        return Plan(now.host, RELEASE, says=says_so, what=f"end the schedule of limits of {view.name}", stop=now.job_id)
    try:
        before = first.earlier_on, first.earlier
        commands = earlier_commands(view, before, first.set_to, tool_of(first.job))
    except ValueError as error:
        return Plan(refused=f"the earlier settings cannot be set again: {error}")
    words = "to what was before"
    kinds = (*(PART for _ in commands[1:]), RELEASE)
    titles = tuple(title(kind, words, first.earlier, on=first.earlier_on, earlier=first.earlier) for kind in kinds)
    lines = [f"what was before our first change holds again: {now.earlier}"]
    if now.others:
        lines.append(f"{now.others}; that is lost")
    host = view.state.header.entry
    return Plan(host, RELEASE, commands, titles, tuple(lines), what=f"release the brake of {view.name}")


def schedule(view: View, iops: float, hours: Hours, job_id: str, terms: Terms = USUAL) -> Plan:
    """Limit the scan in some hours and let it free in the others, by a job on the host where it runs."""
    now, job = brake(view, terms.floor), scan_job(view)
    why = refusal(now, iops, terms.floor)
    if why or job is None or iops == math.inf:
        return Plan(refused=why or "a schedule needs a limit")
    place = view.state.places.get(job.host) or Place("/JOBS", "")
    scan = f"pid:{job.pid}:{job.start}" if job.pid and job.start else f"{place.base}/{job.status.id}"
    if job.adopted and not job.pid:
        return Plan(refused="the process of the scan is not known, so nobody could tell when it has ended")
    if terms.tool == MMQOS:
        return Plan(refused="a schedule is kept by mmchqos alone")
    scope = scope_nodes(view)
    tight, free = new_rows(view, now, iops, scope), new_rows(view, now, math.inf, scope)
    before = earlier(view)
    try:
        command = scheduling.schedule(
            place.file(job_id, scheduling.SCRIPT),
            view.name,
            scan,
            days=hours.days,
            begin=hours.begin,
            end=hours.end,
            tight=command_for(view, tight, scope),
            free=command_for(view, free, scope),
            earlier=earlier_commands(view, before, tight),
        )
    except ValueError as error:
        return Plan(refused=f"there can be no such schedule: {error}")
    words = f"{iops_text(iops)} for {len(now.helpers)} helpers {hours.text}"
    lines = (
        f"A job on {job.host} keeps it, by the time of that host, and ends with the scan.",
        f"When nobody has watched for {scheduling.LEASE // 60} minutes it is tight, whatever the hour.",
        *says(view, now, tight, scope),
    )
    title_of_it = change_title(view, now, SCHEDULE, words, tight)
    files = ((scheduling.SCRIPT, scheduling.script()),)
    what = f"schedule the limits of {view.name}: {words}"
    return Plan(job.host, SCHEDULE, (command,), (title_of_it,), lines, files, what, job_id=job_id)


def refusal(now: Brake, iops: float, floor: float) -> str:
    """Why a limit cannot be set; empty when it can."""
    if now.power in (Power.ABSENT, Power.UNKNOWN):
        return f"QoS is {now.power.value}: {now.why}"
    return now.why or too_low(iops, floor)


def scope_nodes(view: View, tool: str = MMCHQOS) -> tuple[str, ...]:
    """The helpers as -N has them, where a limit can be for them alone and anything is won by that; else nothing."""
    job = scan_job(view)
    named = [after for before, after in pairwise(words_of(job)) if before == "-N"] if job else []
    if not named or not knows_scopes(view):
        return ()
    mine, everyone = divided_over(view, named[-1]), divided_over(view, LOCAL[0])
    words = tuple(named[-1].split(","))
    if tool == MMQOS and len(words) > 1:
        return ()
    return words if mine and everyone and mine < everyone else ()


def new_rows(view: View, now: Brake, iops: float, scope: tuple[str, ...]) -> Rows:
    """The limit of maintenance in each pool that leaves the helpers `iops`; what was tighter before us stays so.

    A limit for some nodes has them in its scope, joined by `+`.
    """
    helpers, nodes = len(now.helpers), nodes_of(view, now, scope)
    whole = iops if scope or iops == math.inf else math.ceil(iops * nodes / helpers)
    was = {row.pool: iops_of(row.limit) for row in earlier(view)[1] if _is(row, MAINTENANCE)}
    name = f"{MAINTENANCE}/{'+'.join(scope)}" if scope else MAINTENANCE
    # what was there before is worth less to the helpers where they share it with all nodes
    part = helpers / (nodes_of(view, now, ()) or helpers) if scope else 1.0
    kept = {pool: (limit or math.inf) * part for pool, limit in was.items()}
    return tuple(QosLimit(pool, name, _printed(min(whole, kept.get(pool, math.inf)))) for pool in pools(view))


def nodes_of(view: View, now: Brake, scope: tuple[str, ...]) -> int:
    """The nodes over which a new limit is divided."""
    everyone = divided_over(view, LOCAL[0] if knows_scopes(view) else EVERYWHERE[0])
    return len(now.helpers) if scope else everyone or len(now.helpers)


def earlier(view: View) -> tuple[bool, Rows]:
    """Whether QoS was on before our first change, and the limits of then; of now where we have changed nothing."""
    ours, qos = held(view), view.facts.get(Qos)
    if ours:
        return ours[0].earlier_on, ours[0].earlier
    return bool(qos and qos.enabled), qos.limits if qos else ()


def setting_of(view: View, rows: Rows, scope: tuple[str, ...] = ()) -> Setting:
    """New limits, beside the others of their pools as they are."""
    qos = view.facts.get(Qos)
    users = {row.pool: row.limit for row in (qos.limits if qos else ()) if _is(row, OTHER) and not scope}
    wanted = {
        row.pool: {
            **({OTHER: as_given(users[row.pool])} if row.pool in users else {}),
            scope_of(row.name)[0]: as_given(row.limit),
        }
        for row in rows
    }
    return Setting(wanted, scope)


def command_for(view: View, rows: Rows, scope: tuple[str, ...]) -> Command:
    """The one mmchqos that sets limits. Raises ValueError."""
    (command,) = as_commands(view.name, (setting_of(view, rows, scope),), MAINTENANCE, tool=MMCHQOS)
    return command


def earlier_commands(view: View, before: tuple[bool, Rows], set_to: Rows, tool: str = MMCHQOS) -> tuple[Command, ...]:
    """What brings back the settings from before our first change, which set `set_to`. Raises ValueError."""
    on, was = before
    wanted: dict[str, dict[str, str]] = {}
    scoped = {row.pool: scope_of(row.name)[1] for row in set_to if scope_of(row.name)[1]}
    for row in was:
        if _is(row, MAINTENANCE) or _is(row, OTHER):
            wanted.setdefault(row.pool, {})[scope_of(row.name)[0]] = as_given(row.limit)
    for row in set_to:
        if row.pool not in scoped:
            wanted.setdefault(row.pool, {}).setdefault(MAINTENANCE, "unlimited")
    settings = [Setting(wanted)] if wanted else []
    if scoped:
        nodes = tuple(next(iter(scoped.values())).split("+"))
        settings.append(Setting({pool: {MAINTENANCE: "unlimited"} for pool in scoped}, nodes))
    return as_commands(view.name, settings, MAINTENANCE, tool=tool, off=not on)


def change_title(view: View, now: Brake, kind: str, words: str, rows: Rows) -> str:
    """The title of the job: what was before, and the rates of now, for whoever looks at it later."""
    on, was = earlier(view)
    return title(kind, words, rows, on=on, earlier=was, before=scan_rates(now))


def scan_rates(now: Brake) -> tuple[Rate, ...]:
    """The rates with which later ones are compared."""
    return tuple(rate for rate in now.rates if rate.of in (MAINTENANCE, MISC))


def says(view: View, now: Brake, rows: Rows, scope: tuple[str, ...]) -> tuple[str, ...]:
    """What will be true, line by line."""
    nodes = nodes_of(view, now, scope)
    lines = []
    for row in rows:
        limit = Limit(row.pool, iops_of(row.limit) or 0.0, nodes, len(now.helpers), scoped=bool(scope))
        was = next((iops_text(each.iops) for each in now.limits if each.pool == row.pool), "no limit")
        lines.append(f"maintenance  {limit_text(limit)} (now: {was})")
    if not scope and nodes > len(now.helpers):
        left = nodes - len(now.helpers)
        lines.append(
            f"It is divided over the {nodes} nodes that mount {view.name}; what {left} of them have of it is lost"
            + ("." if knows_scopes(view) else ": this release has no limits for some nodes alone.")
        )
    if now.power is Power.OFF:
        lines.append("QoS is off: this switches it on, and it is switched off again at the end.")
    on, before = earlier(view)
    lines.append(f"Other limits stay. At the end it is again: {limits_text(before) if on else 'QoS off'}")
    lines.append("It is read back, and within three minutes it is seen whether rates really fell.")
    return tuple(lines)


def _is(row: QosLimit, name: str) -> bool:
    """Whether a limit is the one of a class that is set without naming nodes."""
    base, scope = scope_of(row.name)
    return base == name and scope in (*LOCAL, *EVERYWHERE)


def _printed(iops: float) -> str:
    return "inf" if iops == math.inf else f"{iops:.0f}Iops"
