"""Easing a scan and releasing it again: what is offered, what is asked, and what a person has to type."""

from __future__ import annotations

from collections.abc import Callable
from typing import ClassVar

from textual.binding import Binding, BindingType

from screens.base import SessionScreen
from screens.dialogs import AskText, ConfirmDanger
from screens.intents import EaseScan, ReleaseBrake
from supervision.brake import Brake, Hours, Plan, brake_lines, iops_text, read_request
from supervision.braking import new_job_id

Answered = Callable[[bool | None], None]


class BrakingScreen(SessionScreen):
    """A screen that shows a scan, with the keys of its brake. Without being armed there are none."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("b", "ease", "ease", id="restripe.ease"),
        Binding("B", "release", "release", id="restripe.release"),
    ]

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        if action in ("ease", "release"):
            return self.session.armed and self.session.fs.brake(self.session.state) is not None
        return super().check_action(action, parameters)

    def action_ease(self) -> None:
        """Ask for how much the scan may do, and confirm it."""
        session = self.session
        brake = session.fs.brake(session.state, session.terms)
        if brake is None or brake.why:
            self.say(f"it cannot be eased: {brake.why if brake else 'there are no limits here'}", wrong=True)
            return
        if why := self.refusal(session.header.entry):
            self.say(why, wrong=True)
            return

        def wrong(typed: str) -> str:
            try:
                iops, hours = read_request(typed)
            except ValueError as error:
                return str(error)
            return self._planned(iops, hours, "x").refused

        def asked(typed: str | None) -> None:
            if typed is not None:
                self._confirm_ease(*read_request(typed))

        usual = next((f"{step.iops:.0f}" for step in brake.steps if not step.refused and step.iops < 1e12), "")
        title = f"Ease the {session.fs.words.scan} of {session.fs.name}"
        self.app.push_screen(AskText(title, offered(brake), value=usual, wrong=wrong), asked)

    def _planned(self, iops: float, hours: Hours | None, job_id: str) -> Plan:
        session = self.session
        if hours is None:
            return session.fs.ease(session.state, iops, session.terms)
        return session.fs.schedule(session.state, iops, hours, job_id, session.terms)

    def _confirm_ease(self, iops: float, hours: Hours | None) -> None:
        session = self.session
        job_id = new_job_id(session.fs, session.state, session.now, "schedule") if hours else ""
        plan = self._planned(iops, hours, job_id)

        def answered(go: bool | None) -> None:
            if go and not self._refused(plan):
                self.post_message(EaseScan(iops, plan.text, hours=hours, job_id=job_id))
                self.say(f"on {plan.host}: {plan.what}")

        self._confirm(plan, "ease it", answered)

    def action_release(self) -> None:
        """Bring back what was before our first change."""
        plan = self.session.fs.release(self.session.state)

        def answered(go: bool | None) -> None:
            if go and not self._refused(plan):
                self.post_message(ReleaseBrake(plan.text))
                self.say(f"on {plan.host}: {plan.what}")

        self._confirm(plan, "release it", answered)

    def _confirm(self, plan: Plan, do: str, answered: Answered) -> None:
        if self._refused(plan):
            return
        title = f"{plan.what[:1].upper()}{plan.what[1:]}"
        name = self.session.fs.name
        self.app.push_screen(ConfirmDanger(title, plan.says, plan.text, (plan.host,), name, do=do), answered)

    def _refused(self, plan: Plan) -> bool:
        """Say why it cannot be done, where that is so."""
        why = plan.refused or self.refusal(plan.host)
        if why:
            self.say(why, wrong=True)
        return bool(why)


def offered(brake: Brake) -> tuple[str, ...]:
    """What a person reads before it is chosen: how it stands, and the steps."""
    lines = [f"{line.label:<6} {line.value}".rstrip() for line in brake_lines(brake)]
    lines += ["", f"Type how many IOPS all {len(brake.helpers)} helpers together may do in each pool:"]
    for step in brake.steps:
        name = "measure" if step.iops == float("inf") else iops_text(step.iops)
        lines.append(f"   {name:<12} {step.refused or step.text}".rstrip())
    lines += ["", "With hours, a job on the host keeps it:  300 mon-fri 07:00-19:00"]
    return tuple(lines)
