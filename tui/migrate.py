"""`restripe migrate`: a guided migration in lines, confirmed step by step beforehand; it goes on where it stands."""

from __future__ import annotations

import asyncio
import sys
from pathlib import Path
from typing import TypedDict

import msgspec

from remote.checked import Outcome
from remote.errors import SiteError
from remote.events import Event, StepChanged
from remote.recording import RecordingError
from remote.text import one_line, safe
from supervision import recipes
from supervision.guide import Guide
from supervision.guide_found import plans_on
from supervision.migration import Ending, StepState, StopError, ending_of, operator_name
from supervision.plan import Plan
from supervision.state import State
from supervision.walking import Given, walk
from tui.connecting import Target, look
from tui.endings import ENDINGS
from tui.exits import Exit
from tui.leaving import recording_lines
from tui.opening import Opened, opened
from tui.plain import Plain
from tui.planning import commands_of, read
from tui.settings import Settings
from tui.using import way


class Wanted(msgspec.Struct, frozen=True):
    """What was said beforehand. `steps` are confirmed, `keys` are the warnings that are taken note of.

    `undo` takes back everything up to and with a step of that name, `way_out` only the first of that; `move` goes on
    with the entry host as the host of the commands; `detach` leaves once a job of hours runs.
    """

    steps: tuple[str, ...] = ()
    keys: tuple[str, ...] = ()
    undo: str = ""
    way_out: bool = False
    move: bool = False
    detach: bool = False

    @property
    def armed(self) -> bool:
        """Whether anything was confirmed: nothing else needs a session that can change anything."""
        return bool(self.steps)


class NamesError(ValueError):
    """A name that no step has; the text says which there are."""


class FindingError(Exception):
    """The plan that was named was not found; the text says where it was looked for."""


class Way(TypedDict):
    """How a host is reached, as flags say it; None where none does."""

    config: Path | None
    jump: str | None
    through: str | None
    sudo: bool | None


async def go_on(
    settings: Settings, named: str, destination: str | None, wanted: Wanted, flags: Way, *, record: Path | None
) -> Exit:
    """Find the plan that is named and go on with it."""
    path, plan = Path(named), None
    try:
        if await asyncio.to_thread(path.is_file):
            plan = await asyncio.to_thread(read, path)
        elif destination is None:
            return complain(f"{named} is no file: name the HOST on which a plan of that id was begun", Exit.USAGE)
        destination = destination or (plan.host if plan else "")
        target, _ = way(settings, destination, None, **flags)
        locked = settings.read_only(destination) if wanted.armed else ""
        if locked:
            return complain(locked, Exit.REFUSED)
        plan = plan or await find_plan(target, named)
        commands_of(plan)
    except ValueError as error:  # no plan, or one that no command can be made of
        return complain(f"{named}: {error}", Exit.USAGE)
    except FindingError as error:
        return complain(str(error), Exit.USAGE)
    except SiteError as error:
        return complain(str(error), ENDINGS[ending_of(error)])
    return await run(target, plan, wanted, record=record, settings=settings)


async def find_plan(target: Target, plan_id: str) -> Plan:
    """A plan that was begun, from the directories of its jobs. Raises FindingError and SiteError."""
    async with look(target, "") as supervisor:
        found = await plans_on(supervisor, target.host)
    for each in found:
        if each.plan.id == plan_id:
            return each.plan
    known = f"it has jobs of {', '.join(each.plan.id for each in found)}" if found else "it has jobs of no plan"
    raise FindingError(f"{plan_id} is no file here, and no plan that was begun on {target.host}: {known}")


def check_names(guide: Guide, wanted: Wanted) -> None:
    """Raise NamesError for what cannot be meant."""
    acting = [step.spec.name for step in guide.steps.values() if step.spec.acts]
    strange = [name for name in wanted.steps if name not in acting]
    if strange:
        raise NamesError(f"--yes-to {strange[0]}: no step that runs a command is called so: {', '.join(acting)}")
    back = [guide.steps[number].spec.name for number in guide.forward if guide.undo_of(number)]
    if wanted.undo and wanted.undo not in back:
        raise NamesError(f"--undo {wanted.undo}: what can be taken back: {', '.join(back)}")


async def run(target: Target, plan: Plan, wanted: Wanted, *, record: Path | None, settings: Settings) -> Exit:
    """Go on with a plan's migration until it is done, stops, or meets a step that was not confirmed."""
    ourselves = asyncio.current_task()
    plain = Plain(sys.stdout, gone=ourselves.cancel if ourselves else None)
    try:
        async with opened(target, plan.file_system, record, settings, armed=wanted.armed) as live:
            approver = Given(wanted.steps, wanted.keys)
            guide = Guide(live.supervisor, plan, recipes.find(plan.recipe), operator_name(), approver)
            check_names(guide, wanted)
            plain.say(f"{plan.id}: {plan.goal}")
            plain.say(f"Recording to {live.writer.path}")
            live.store.listen(plain.on_event)
            stop = await _done(live, guide, wanted, target)
            live.how = stop.ending.value if stop else "left"
            told = summary(guide, live.store.state, stop)
    except NamesError as error:
        return complain(str(error), Exit.USAGE)
    except RecordingError as error:
        return complain(f"Nothing was done: {error}", Exit.FAILED)
    finally:
        plain.close()
    sys.stdout.write("".join(f"{safe(line)}\n" for line in (*told, *recording_lines(live.writer))))
    if stop is not None:
        return ENDINGS[stop.ending]
    return Exit.WARNINGS if guide.warnings or live.writer.failure else Exit.DONE


async def _done(live: Opened, guide: Guide, wanted: Wanted, target: Target) -> StopError | None:
    """Do what is wanted; why it stopped, None where it did not."""
    hours = asyncio.Event()
    live.store.listen(lambda state, event: hours.set() if _takes_hours(state, event) else None)
    work = asyncio.create_task(_work(guide, wanted, target), name="migrate")
    left = asyncio.create_task(hours.wait() if wanted.detach else asyncio.Event().wait(), name="detach")
    try:
        await asyncio.wait((work, left), return_when=asyncio.FIRST_COMPLETED)
        if not work.done():
            return None
        work.result()
    except StopError as stop:
        return stop
    except SiteError as error:
        return StopError(ending_of(error), str(error))
    finally:
        for task in (work, left):
            task.cancel()
        await asyncio.gather(work, left, return_exceptions=True)
    return None


async def _work(guide: Guide, wanted: Wanted, target: Target) -> None:
    if wanted.move:
        await guide.move(target.host)
    if wanted.undo:
        await guide.find()
        number = next(each for each in guide.forward if guide.steps[each].spec.name == wanted.undo)
        confirmed = guide.steps[guide.undo_of(number)[0]].spec.name in wanted.steps
        if not await guide.undo(number, first_alone=wanted.way_out, stop_first=confirmed):
            names = ", ".join(guide.steps[each].spec.name for each in guide.undo_of(number))
            raise StopError(Ending.REFUSED, f"it was not confirmed: what takes {wanted.undo} back is {names}")
        return
    await walk(guide, wanted.steps)


def _takes_hours(state: State, event: Event) -> bool:
    """Whether a job runs now that moves data: it may be left to itself. One that changes the configuration is short."""
    if not isinstance(event, StepChanged) or event.state != StepState.RUNNING.value:
        return False
    jobs = (job.status for job in state.jobs.values() if job.host == event.host)
    return any(status.command == event.command and status.interruptible for status in jobs)


def summary(guide: Guide, state: State, stop: StopError | None) -> list[str]:
    """How it stands with each step, what there is to take note of, and what would come next."""
    lines = [""]
    for number in (*guide.forward, *(each for each in guide.back if each in state.steps)):
        step, standing = guide.steps[number].spec, guide.status(number).value
        lines.append(f"  {number:>2} {step.name:<14}{standing:<10} {step.title}")
    following = guide.next
    if stop is not None:
        lines += ["", f"Stopped ({stop.ending.value}): {one_line(_why(guide, following, str(stop)))}"]
    if following is None:
        return [*lines, "", "Done, and every result was read back.", *(f"WARNING: {each}" for each in guide.warnings)]
    for check in guide.checks(following):
        if check.outcome not in (Outcome.PASS, Outcome.NOTE):
            lines.append(f"  {one_line(f'{check.outcome.value}: {check.key}: {check.told}')}")
    keys = [f"--acknowledge {check.key}" for check in guide.to_acknowledge(following)]
    if guide.steps[following].spec.acts and guide.status(following) is not StepState.RUNNING:
        lines += _next(guide, following, keys)
    elif keys:
        lines += ["", f"Acknowledged by: {' '.join(keys)}"]
    return lines


def _why(guide: Guide, following: int | None, why: str) -> str:
    """Why it stopped; of checks that are told one by one beneath, only how many."""
    stopping = [check for check in guide.checks(following) if check.stops] if following is not None else []
    if following is None or not stopping or not all(check.told in why for check in stopping):
        return why
    many = f"{len(stopping)} checks stop" if stopping[1:] else "one check stops"
    return f"{many} step {following} ({guide.steps[following].spec.name}); it was not begun"


def _next(guide: Guide, number: int, keys: list[str]) -> list[str]:
    """The command that would be confirmed."""
    name = guide.steps[number].spec.name
    try:
        act = guide.planned(number)
    except ValueError as error:
        return [f"  {name} cannot be built: {one_line(str(error))}"]
    text = act.command.text if act else "nothing is left to run"
    return ["", f"Next on {guide.host}: {text}", f"Confirmed by: {' '.join(('--yes-to', name, *keys))}"]


def complain(text: str, ends: Exit) -> Exit:
    """Say why on stderr."""
    sys.stderr.write(f"restripe migrate: {one_line(text)}\n")
    return ends
