"""Who answers a guide on the screens: a person, once for each command, and nobody while it only looks."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any, cast

from remote.checked import Check, Outcome
from remote.command import Command, Effect
from supervision.recipe import Act, GuidedStep, StepSpec
from tui.guiding import AtScreen, Guiding

STEP = cast("GuidedStep", SimpleNamespace(spec=StepSpec("mmchdisk-back", "change back", "Why. So.", "As before.")))
ACT = Act(
    Command(("mmchdisk", "fs1", "change", "-F", "/j/back.stanza"), Effect.CHANGES), (("back.stanza", "%nsd: nsd=a\n"),)
)
OTHER = Act(ACT.command, (("back.stanza", "%nsd: nsd=b\n"),))
WARNING = Check("users", "Nobody else is at work", Outcome.WARNING, "a policy run")


class App:
    """An application whose person answers yes, and which keeps what was asked."""

    def __init__(self) -> None:
        guide = SimpleNamespace(forward=(1,), host="n1", to_acknowledge=lambda _number: (WARNING,))
        leading = SimpleNamespace(guide=guide, number_of=lambda _step: 9)
        self.session = SimpleNamespace(leading=leading, fs=SimpleNamespace(name="fs1"))
        self.asked: list[str] = []

    async def ask_person(self, dialog: Any) -> bool:
        self.asked.append("\n".join((dialog._heading, *dialog._lines)))
        return True


def person() -> tuple[AtScreen, App]:
    who, app = AtScreen(), App()
    who.app = cast("Guiding", app)
    return who, app


async def test_a_command_and_a_warning_are_put_to_the_person_each_by_itself() -> None:
    who, app = person()
    assert await who.acknowledge(STEP, WARNING)
    assert await who.confirm(STEP, (), ACT)
    warning, command = app.asked
    assert "Nobody else is at work" in warning
    assert "a policy run" in warning
    for part in (
        "Take back on fs1: change back?",
        "runs   mmchdisk fs1 change -F /j/back.stanza",
        "%nsd: nsd=a",
        "on     n1",
    ):
        assert part in command


async def test_what_was_agreed_to_word_for_word_is_not_asked_again_and_anything_else_is() -> None:
    who, app = person()
    who.agreed = ACT
    assert await who.confirm(STEP, (), ACT)
    assert app.asked == []
    assert await who.confirm(STEP, (), OTHER)
    assert len(app.asked) == 1


async def test_while_a_step_is_only_checked_the_answer_is_no_and_nobody_is_asked() -> None:
    who, app = person()
    with who.silent():
        assert not await who.confirm(STEP, (), ACT)
        assert not await who.acknowledge(STEP, WARNING)
    assert app.asked == []
    assert not await AtScreen().confirm(STEP, (), ACT)  # no screen is there yet
