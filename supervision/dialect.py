"""Which form of an answer each host gives: the better one where it can, the plain one else; found out once."""

from __future__ import annotations

from collections.abc import Sequence

from remote.command import Command
from remote.question import Answer
from supervision.facts import better_form, refusal
from supervision.reading import Reading


class Dialects:
    """What was found out about the hosts of one session."""

    def __init__(self, reading: Reading) -> None:
        self._reading = reading
        self._refused: set[tuple[str, str]] = set()

    def preferred(self, host: str, commands: Sequence[Command]) -> tuple[Command, ...]:
        """The commands in the form in which to ask them."""
        return tuple(self._form(host, command) for command in commands)

    def to_ask_again(
        self, host: str, commands: Sequence[Command], asked: Sequence[Command], answers: Sequence[Answer]
    ) -> tuple[Command, ...]:
        """The commands whose preferred form was refused, as they were given; it is not tried there again."""
        again = []
        for command, form, answer in zip(commands, asked, answers, strict=True):
            if form is command:
                continue
            if refusal(self._reading, form, answer.rc, answer.stdout, answer.stderr):
                self._refused.add((host, command.argv[0]))
                again.append(command)
        return tuple(again)

    def _form(self, host: str, command: Command) -> Command:
        if (host, command.argv[0]) in self._refused:
            return command
        return better_form(self._reading, command) or command
