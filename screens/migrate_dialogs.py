"""What a guided migration asks a person: to take note of a warning, to let a command run, to take steps back."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence

from textual import on
from textual.app import ComposeResult
from textual.containers import Horizontal

from remote.checked import Check
from screens.dialogs import Choice, ConfirmDanger, Dialog
from supervision.recipe import Act, GuidedStep


class AskYes(Dialog[bool]):
    """Whether to go on; it starts on no, and only `y` is yes."""

    def __init__(self, title: str, lines: Sequence[str], *, do: str, now: Callable[[], float] = time.monotonic) -> None:
        """`do` names the answer."""
        super().__init__(title, lines, now=now)
        self._do = do

    def compose_answers(self) -> ComposeResult:
        with Horizontal(id="answers"):
            yield Choice("Cancel", id="cancel")
            yield Choice(self._do, key="y", id="do")

    def on_mount(self) -> None:
        super().on_mount()
        self.query_one("#cancel").focus()

    def key_y(self) -> None:
        """Its key works wherever the focus is."""
        self.dismiss(True)

    @on(Choice.Chosen)
    def chosen(self, event: Choice.Chosen) -> None:
        """Yes or no."""
        self.dismiss(event.choice.id == "do")

    def action_leave(self) -> None:
        self.dismiss(False)


def acknowledging(number: int, name: str, check: Check, count: int) -> AskYes:
    """The question about one warning; `count` are those that are left, this one among them."""
    more = f" (1 of {count})" if count > 1 else ""
    told = [check.read or "nothing more was read", *(["", f"what to do: {check.advice}"] if check.advice else [])]
    source = [f"told by: {check.source}"] if check.source else []
    return AskYes(
        f"Step {number} {name}: a warning{more}: {check.title}",
        [*told, "", *source, "That you took note of it is recorded with your name and the time."],
        do="I have read it",
    )


def running(number: int, step: GuidedStep, act: Act, host: str, fs: str, *, back: bool) -> ConfirmDanger:
    """The question whether this very command is to run now."""
    spec = step.spec
    happens = [spec.no_return] if spec.no_return else [spec.after]
    lines = [f"then   {spec.after}"]
    lines += [f"takes  {spec.takes}"] if spec.takes else []
    lines += [f"undo   {spec.undo}"] if spec.undo else []
    if not act.command.interruptible:
        lines.append("Nobody interrupts it once it runs: stopped half-way it can leave the configuration inconsistent.")
    files = [line for name, content in act.files for line in ("", f"{name}:", *content.splitlines())]
    title = f"{'Take back' if back else f'Run step {number}'} on {fs}: {spec.title}?"
    where = (f"{host}, as a detached job: it needs neither this terminal nor this machine",)
    return ConfirmDanger(
        title,
        happens,
        act.command.text,
        where,
        fs,
        do="run it",
        more=(*lines, *files),
    )


def taking_back(steps: Sequence[tuple[GuidedStep, str]]) -> AskYes:
    """What would be taken back, in order; `steps` with the command of each as far as it is known."""
    lines = []
    for place, (step, command) in enumerate(steps, 1):
        lines += [f"{place}. {step.spec.title}", f"   runs   {command}"]
        lines += [f"   takes  {step.spec.takes}"] if step.spec.takes else []
    told = "Each is checked first, and asked for by itself with its exact command; the next begins when it is proven."
    return AskYes("Take back, in this order?", [*lines, "", told], do="begin")
