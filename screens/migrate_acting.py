"""What a person can do on the screen Migrate: each key says what is wanted, and the application carries it out."""

from __future__ import annotations

from typing import ClassVar

from textual.binding import Binding, BindingType

from screens.dialogs import AskText, ConfirmDanger
from screens.intents import (
    AcknowledgeCheck,
    CheckStep,
    MakePlan,
    OpenGuide,
    OpenPlan,
    RunStep,
    StartMigration,
    StopStep,
    UndoSteps,
)
from screens.migrate_dialogs import AskYes, acknowledging, taking_back
from screens.migrate_reading import Reading
from supervision.leading import Leading


class Acting(Reading):
    """The keys for the step under the cursor."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("c", "check", "check", id="migrate.check"),
        Binding("a", "acknowledge", "acknowledge", id="migrate.acknowledge"),
        Binding("r", "start", "run", id="migrate.run"),
        Binding("u", "undo", "undo", id="migrate.undo"),
        Binding("E", "way_out", "way out", id="migrate.way_out"),
        Binding("X", "stop_step", "stop", id="migrate.stop"),
        Binding("n", "make", "new plan", id="migrate.plan"),
        Binding("o", "open", "open", id="migrate.open"),
    ]

    def nothing_text(self) -> str:
        """What there is to say where no migration is led and no step was told of."""
        session = self.session
        if session.migration and session.armed:
            return f"ready: {session.migration.title}. r runs it, after you have typed the file system's name"
        if session.guides:
            how = "r begins one" if session.armed else "with --write one can be begun"
            return f"{how}: {session.guides.title}; it is looked first what speaks against it"
        return "no migration belongs to this session"

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """No key without what it is for."""
        leading, armed = self.leading, self.session.armed
        guide = leading.guide if leading else None
        step = self.chosen(self.steps()) if self.is_mounted else None
        match action:
            case "start":
                return armed and (guide is not None or (leading is None and self._whole))
            case "make":
                return armed and leading is not None and guide is None and leading.maker is not None
            case "open":
                return leading is not None and guide is None and bool(leading.found)
            case "files":
                return step is not None and bool(step.files)
            case "plan":
                return guide is not None or self.recorded() is not None
            case "report":
                return bool(self.session.state.steps) and self.session.writer is not None
            case "acknowledge":
                return armed and guide is not None and step is not None and bool(step.to_acknowledge)
            case "undo":
                return armed and leading is not None and leading.latest is not None
            case "way_out":
                return armed and leading is not None and leading.way_out is not None
            case "stop_step":
                return armed and leading is not None and leading.running is not None
            case "check":
                return guide is not None
        return super().check_action(action, parameters)

    # the steps

    def action_check(self) -> None:
        """Ask anew what speaks for and against the step under the cursor."""
        self.post_message(CheckStep(self.cursor))

    def action_acknowledge(self) -> None:
        """Put the first warning of the step to the person."""
        step = self.chosen(self.steps())
        if step is None or not step.to_acknowledge:
            self.say("there is no warning to acknowledge here")
            return
        check = step.to_acknowledge[0]

        def answered(read: bool | None) -> None:
            if read:
                self.post_message(AcknowledgeCheck(step.number, check.key))

        self.app.push_screen(acknowledging(step.number, step.name, check, len(step.to_acknowledge)), answered)

    def action_start(self) -> None:
        """Run the step, or the session's migration as a whole."""
        if self.leading is None:
            self._start_whole()
        elif self.leading.guide is not None and self.cursor not in self.leading.guide.forward:
            self.action_undo()
        else:
            self.post_message(RunStep(self.cursor))

    @property
    def _whole(self) -> bool:
        """Whether there is something that runs as a whole, after one confirmation."""
        return (self.session.migration or self.session.guides) is not None

    def _start_whole(self) -> None:
        """Ask whether to run it; where there may be several, ask first which it is."""
        session, migration, guides = self.session, self.session.migration, self.session.guides
        if migration is None and guides is not None:
            ask = AskText("What is to be done?", guides.lines, value=guides.example, wrong=guides.wrong)
            self.app.push_screen(ask, self._chosen)
        if migration is None:
            return
        dialog = ConfirmDanger(
            f"Run on {session.fs.name}: {migration.title}?",
            migration.lines,
            "\n       ".join(migration.commands()),
            migration.hosts,
            session.fs.name,
            do="run it",
        )
        self.app.push_screen(dialog, self._confirmed)

    def _confirmed(self, sure: bool | None) -> None:
        if sure:
            self.post_message(StartMigration())
        elif self.session.guides:
            self.session.migration = None  # another one may be typed

    def _chosen(self, typed: str | None) -> None:
        if typed:
            self.say("looking at what speaks against it; nothing is changed")
            self.post_message(OpenGuide(typed))

    def action_undo(self) -> None:
        """Show what would be taken back, and begin with it when that is wanted."""
        leading = self.leading
        latest = leading.latest if leading else None
        if leading is None or leading.guide is None or latest is None:
            self.say("nothing was run that could be taken back")
            return
        if leading.running is not None:
            self.say(f"step {leading.running} runs: nothing is taken back before it has ended", wrong=True)
            return
        guide = leading.guide
        steps = [(guide.steps[number], self._command_of(number)) for number in guide.undo_of(latest)]

        def answered(sure: bool | None) -> None:
            if sure:
                self.post_message(UndoSteps(latest))

        self.app.push_screen(taking_back(steps), answered)

    def _command_of(self, number: int) -> str:
        leading = self.leading
        try:
            act = leading.act(number) if leading else None
        except ValueError as error:
            return f"not known yet: {error}"
        return act.command.text if act else "nothing: it is so already"

    def action_way_out(self) -> None:
        """The first step of the way back, alone: where a command still runs, that is stopped first."""
        leading = self.leading
        if leading is None or leading.guide is None or leading.latest is None or leading.way_out is None:
            return
        step, latest = leading.guide.steps[leading.way_out], leading.latest
        before = [f"Step {leading.running} runs: it is told to stop, and its end is waited for."]
        lines = [step.spec.why, *(before if leading.running else ()), f"then   {step.spec.after}"]
        command, name = self._command_of(leading.way_out), self.session.fs.name
        dialog = ConfirmDanger(f"The way out: {step.spec.title}?", lines, command, (leading.guide.host,), name)

        def answered(sure: bool | None) -> None:
            if sure:
                self.post_message(UndoSteps(latest, first_alone=True))

        self.app.push_screen(dialog, answered)

    def action_stop_step(self) -> None:
        """Stop the command that runs, where that may be done."""
        leading = self.leading
        if leading is None or leading.guide is None or leading.running is None:
            return
        number, guide = leading.running, leading.guide
        attempt = guide.jobs.latest(number)
        job = self.session.state.job(attempt.host, attempt.status.id) if attempt else None
        why = self.session.fs.may_stop(job) if job else "its job is not known yet"
        if why or job is None:
            self.say(f"it is not stopped: {why}", wrong=True)
            return
        leaves = self.session.fs.stop_leaves(job)
        lines = [line for line in ("Its command is told to end (TERM); what it did stays done.", leaves) if line]
        command, name = f"TERM to {job.status.command}", self.session.fs.name
        dialog = ConfirmDanger(f"Stop step {number}?", lines, command, (job.host,), name, do="stop it")

        def answered(sure: bool | None) -> None:
            if sure:
                self.post_message(StopStep(number))

        self.app.push_screen(dialog, answered)

    # the plan

    def action_make(self) -> None:
        """Make a plan of the marked devices, or of those that are found."""
        self.post_message(MakePlan())

    def _ask_which(self, leading: Leading) -> None:
        known = {found.plan.id: found for found in leading.found}
        lines = [f"{name}: {found.plan.goal}, on {found.host}" for name, found in known.items()]

        def answered(typed: str | None) -> None:
            if typed:
                self.post_message(OpenPlan(typed.strip()))

        def wrong(typed: str) -> str:
            return "" if typed.strip() in known else "none of these was begun"

        self.app.push_screen(
            AskText("Go on with which migration?", lines, value=next(iter(known)), wrong=wrong), answered
        )

    def action_open(self) -> None:
        """Go on with the plan that was found first, or ask with which."""
        leading = self.leading
        if leading is None or not leading.found:
            return
        if leading.found[1:]:
            self._ask_which(leading)
            return
        found = leading.found[0]
        lines = [f"{found.plan.goal}.", "", f"Its newest job is on {found.host}. Only looked at for now: nothing runs."]

        def answered(sure: bool | None) -> None:
            if sure:
                self.post_message(OpenPlan(found.plan.id))

        self.app.push_screen(AskYes(f"Go on with {found.plan.id}?", lines, do="open it"), answered)
