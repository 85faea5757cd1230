"""A guided migration on the screens: its intents carried out, and its questions put to the person."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from remote.checked import Check
from screens.base import SessionApp
from screens.intents import (
    AcknowledgeCheck,
    CheckStep,
    MakePlan,
    OpenPlan,
    RunStep,
    StopStep,
    UndoSteps,
    WriteReport,
)
from supervision import recipes
from supervision.guide_view import recorded_plan, steps_of
from supervision.leading import Leading
from supervision.migration import StepState
from supervision.plan import Plan
from supervision.recipe import Act, GuidedStep
from supervision.state import State

if TYPE_CHECKING:
    from screens.dialogs import Dialog

GUIDE = "migration step"
"""The name of the background work of a guided migration."""


class AtScreen:
    """The person before the screens, whom a guide asks. `app` is there a moment later than the session is."""

    def __init__(self) -> None:
        self.app: Guiding | None = None
        self._silent = False
        self.agreed: Act | None = None
        """What was agreed to already, word for word, before its checks were made."""

    @contextmanager
    def silent(self) -> Iterator[None]:
        """Ask nothing meanwhile: the answer is no."""
        self._silent = True
        try:
            yield
        finally:
            self._silent = False

    async def acknowledge(self, step: GuidedStep, check: Check) -> bool:
        """Put one warning to the person."""
        leading = self._leading()
        if self._silent or self.app is None or leading is None or leading.guide is None:
            return False
        from screens.migrate_dialogs import acknowledging

        number = leading.number_of(step)
        count = len(leading.guide.to_acknowledge(number))
        return bool(await self.app.ask_person(acknowledging(number, step.spec.name, check, count)))

    async def confirm(self, step: GuidedStep, checks: tuple[Check, ...], act: Act) -> bool:
        """Put the very command to the person, unless it was agreed to just now."""
        leading = self._leading()
        if self._silent or self.app is None or leading is None or leading.guide is None:
            return False
        if self.agreed == act:
            return True
        from screens.migrate_dialogs import running

        number, guide = leading.number_of(step), leading.guide
        back = number not in guide.forward
        dialog = running(number, step, act, guide.host, self.app.session.fs.name, back=back)
        return bool(await self.app.ask_person(dialog))

    def _leading(self) -> Leading | None:
        return self.app.session.leading if self.app else None


class Guiding(SessionApp):
    """Carries out what a person wants of the guided migration."""

    _at_work: asyncio.Task[object] | None = None

    async def ask_person(self, dialog: Dialog[Any]) -> Any:
        """Show a dialog and wait; whoever asks need not belong to the application."""
        answer: asyncio.Future[Any] = asyncio.get_running_loop().create_future()

        def answered(given: Any) -> None:
            if not answer.done():
                answer.set_result(given)

        self.call_later(self.push_screen, dialog, answered)
        return await answer

    def on_check_step(self, intent: CheckStep) -> None:
        """Check a step."""
        self._lead(lambda leading: leading.check(intent.number))

    def on_run_step(self, intent: RunStep) -> None:
        """Run a step."""
        self._lead(lambda leading: leading.run(intent.number), armed=True)

    def on_acknowledge_check(self, intent: AcknowledgeCheck) -> None:
        """Take note of a warning."""
        guide = self.session.leading.guide if self.session.leading else None
        if guide and self.session.armed:
            try:
                guide.acknowledge(intent.number, intent.key)
            except ValueError as error:  # it was checked again meanwhile
                self.say(str(error), wrong=True)

    def on_undo_steps(self, intent: UndoSteps) -> None:
        """Take steps back; the first alone is the way out, before which a command that runs is stopped."""
        if intent.first_alone:
            self._way_out(intent.number)
        else:
            self._lead(lambda leading: leading.undo(intent.number), armed=True)

    def _way_out(self, number: int) -> None:
        session = self.session
        supervisor, leading = session.supervisor, session.leading
        if supervisor is None or leading is None or not session.armed:
            return
        agreed = leading.act(leading.way_out) if leading.way_out else None
        running = leading.running
        if running is None:
            self._lead(lambda led: self._out(led, number, agreed), armed=True)
            return

        follower = self._at_work

        async def stop_first() -> None:
            await leading.stop(running)
            if follower:  # it learns of the end of the command
                await asyncio.wait((follower,))
            await self._led(self._out(leading, number, agreed), leading)

        supervisor.start("way out", stop_first())

    async def _out(self, leading: Leading, number: int, agreed: Act | None) -> None:
        person = leading.person
        if isinstance(person, AtScreen):
            person.agreed = agreed
        try:
            await leading.undo(number, first_alone=True)
        finally:
            if isinstance(person, AtScreen):
                person.agreed = None

    def on_stop_step(self, intent: StopStep) -> None:
        """Tell a command to end."""
        supervisor, leading = self.session.supervisor, self.session.leading
        if supervisor and leading and self.session.armed:
            supervisor.start("stop", self._led(leading.stop(intent.number), leading))

    def on_make_plan(self, _intent: MakePlan) -> None:
        """Make a plan, and show it."""
        choosing = self.session.choosing

        async def make(leading: Leading) -> None:
            await leading.make(choosing)
            if leading.guide:
                self.call_later(self._show_plan, leading)

        self._lead(make, armed=True)

    def _show_plan(self, leading: Leading) -> None:
        from screens.dialogs import Notice

        guide = leading.guide
        if guide is None:
            return
        lines = [f"{guide.plan.goal}.", "", f"plan   {guide.plan.id}", f"file   {leading.kept or 'NOT WRITTEN'}"]
        lines += [f"{device.nsd}   {device.model} {device.serial}, {device.identity}" for device in guide.plan.devices]
        lines += [line for warning in leading.warnings for line in ("", f"WARNING: {warning}")]
        lines += ["", "p shows all of it as a runbook: each check, each command, each way back. Nothing has changed."]
        self.push_screen(Notice("A plan was made", lines))

    def on_open_plan(self, intent: OpenPlan) -> None:
        """Go on with a plan that was found."""
        leading = self.session.leading
        found = next((each for each in leading.found if each.plan.id == intent.plan), None) if leading else None
        if found:
            self._lead(lambda led: self._open(led, found.plan))

    def on_write_report(self, intent: WriteReport) -> None:
        """Write the report of the session so far."""
        supervisor, writer = self.session.supervisor, self.session.writer
        if supervisor is None or writer is None:
            return
        recording = writer.path

        path = Path(intent.name).expanduser()

        async def write() -> None:
            from tui.reporting import write_both

            self.say(await asyncio.to_thread(write_both, recording, path))

        supervisor.start("report", write())

    def _lead(self, work: Callable[[Leading], Coroutine[Any, Any, None]], *, armed: bool = False) -> None:
        session = self.session
        supervisor, leading = session.supervisor, session.leading
        if supervisor is None or leading is None or (armed and not session.armed):
            return
        if supervisor.runs(GUIDE):
            self.say(f"not now: {leading.doing or 'something is under way'}", wrong=True)
            return
        self._at_work = supervisor.start(GUIDE, self._led(work(leading), leading))

    async def _led(self, work: Coroutine[Any, Any, None], leading: Leading) -> None:
        await work
        if leading.why:
            self.say(leading.why, wrong=True)

    def why_stay(self) -> tuple[str, ...]:
        """What is said to whoever leaves now, the question first; nothing where leaving ends nothing.

        A command that runs on a real host goes on, and the next session finds it.
        """
        supervisor, leading = self.session.supervisor, self.session.leading
        if supervisor is None or leading is None or not supervisor.runs(GUIDE) or not leading.acting:
            return ()
        number, simulated = leading.running, self.session.header.simulated
        if number is None:
            return ("Leave before the step has begun?", "Its command was not sent yet: it will NOT run.")
        if self.session.state.steps[number].state == StepState.LAUNCHING.value:
            return (
                f"Leave while step {number} is being launched?",
                "Its host has not answered yet. Whether the command was started, the next session finds out.",
            )
        if simulated:
            return (
                f"Leave while step {number} runs?",
                "The simulated cluster ends with this program, and its jobs with it. A real host would go on.",
            )
        return ()

    def begin_guide(self, plan: Plan | None, kept: str = "") -> None:
        """Go on with a plan, or look for those that were begun on the host that one enters by."""
        supervisor = self.session.supervisor
        if supervisor is None:
            return
        if plan is not None:
            self._lead(lambda leading: self._open(leading, plan, kept))
        else:
            self._lead(lambda leading: leading.look_for_plans(supervisor.entry))

    async def _open(self, leading: Leading, plan: Plan, kept: str = "") -> None:
        """Find where a plan stands; a command that runs, as another session has left it, is followed. Starts none."""
        await leading.open(plan, kept)
        running = leading.running
        if running is not None and leading.guide and running in leading.guide.forward and self.session.armed:
            await leading.run(running)


def recorded_steps(state: State) -> Mapping[int, GuidedStep]:
    """The steps of the plan that a recording holds, once a job of it was launched."""
    return steps_of(recorded_plan(state), recipes.find)
