"""Which form of an answer each host gives: `-Y` where it can, the human form where it cannot, found out once.

`mmlsdisk` is asked for its human form always: the sentences on replication that end it are not known to be printed
with `-Y`, and decisions rest on them.
"""

from __future__ import annotations

from collections.abc import Sequence

from remote.command import Command
from remote.gpfs.dialects import machine_form, machine_refused
from remote.question import Answer
from remote.text import decode

_HUMAN_ALWAYS = frozenset(("mmlsdisk",))


class Dialects:
    """What was found out about the hosts of one session."""

    def __init__(self) -> None:
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
            if form is not command and machine_refused(answer.rc, decode(answer.stdout), decode(answer.stderr)):
                self._refused.add((host, command.argv[0]))
                again.append(command)
        return tuple(again)

    def _form(self, host: str, command: Command) -> Command:
        name = command.argv[0]
        if name in _HUMAN_ALWAYS or (host, name) in self._refused:
            return command
        return machine_form(command) or command
