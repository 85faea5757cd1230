"""Starting a probe of what users feel: where, what it does there, and what a person has to type."""

from __future__ import annotations

from typing import ClassVar

from textual.binding import Binding, BindingType

from screens.base import SessionScreen
from screens.dialogs import AskText, ConfirmDanger
from screens.intents import StartProbe
from supervision.clocktext import duration_text
from supervision.impact import BUDGET
from supervision.impacttext import factor_text
from supervision.probejob import DEADLINE, FILE, LIFETIME, MOST, hurt, refusal


class ProbingScreen(SessionScreen):
    """A screen that shows what a scan does to users. Without being armed it starts nothing."""

    BINDINGS: ClassVar[list[BindingType]] = [Binding("p", "probe", "probe", id="restripe.probe")]

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        if action == "probe":
            return self.session.armed
        return super().check_action(action, parameters)

    def action_probe(self) -> None:
        """Ask where to probe, and confirm it."""
        session = self.session
        wish, known = session.probe, hurt(session.state)
        if known and not known.probe.job.status.state.settled:
            self.say(
                f"a probe runs on {known.probe.host} already, in {known.directory}; X on Jobs stops it", wrong=True
            )
            return
        lines = (
            "A node that mounts the file system, best a client, and a directory of users there that may be written to:",
            "   HOST:/DIRECTORY",
        )
        value = f"{wish.host or session.header.entry}:{wish.directory}"

        def wrong(typed: str) -> str:
            host, directory = read_place(typed)
            return "write HOST:/DIRECTORY" if not host else refusal(directory, wish.mean, wish.budget)

        def asked(typed: str | None) -> None:
            if typed is not None:
                self._confirm_probe(*read_place(typed))

        self.app.push_screen(AskText("Probe what users' operations take", lines, value=value, wrong=wrong), asked)

    def _confirm_probe(self, host: str, directory: str) -> None:
        wish = self.session.probe
        budget = BUDGET if wish.budget is None else wish.budget
        what = (
            f"About every {duration_text(wish.mean)} it creates, looks at and removes one empty file, in a directory "
            f"of its own under {directory}; at most {MOST} at once, each awaited for {duration_text(DEADLINE)}."
        )
        says = (
            what,
            f"It is a job on {host} that goes on for {duration_text(LIFETIME)}, or until X on Jobs stops it.",
            f"Users may wait {factor_text(budget)} as long as before the scan; beyond that it is said.",
        )

        def answered(go: bool | None) -> None:
            if go:
                self.post_message(StartProbe(host, directory, wish.mean, wish.budget))
                self.say(f"starting a probe on {host}")

        title, name = "Start a probe of users' latency", self.session.fs.name
        self.app.push_screen(
            ConfirmDanger(title, says, f"sh {FILE} {directory} …", (host,), name, do="start it"), answered
        )


def read_place(typed: str) -> tuple[str, str]:
    """Host and directory of `HOST:/DIRECTORY`; no host where it is not written so."""
    host, colon, directory = typed.strip().partition(":/")
    return (host.strip(), f"/{directory.strip()}") if colon else ("", "")
