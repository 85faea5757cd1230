"""The answers of our fixed scripts, line by line: what they have in common. Pure and total."""

from __future__ import annotations

from collections.abc import Callable

from remote.parsed import Note, Problem
from remote.text import safe


def read_answer(stdout: str, stderr: str, head: str, take: Callable[[str], str]) -> tuple[list[Note], list[Problem]]:
    """Give each line behind `head` to `take`, which returns why it cannot take it in, or "".

    What a login shell prints before the head is noted, and so are lines of stderr, counted on after those of stdout.
    """
    notes: list[Note] = []
    problems: list[Problem] = []
    lines = safe(stdout).split("\n")
    began = False
    for number, line in enumerate(lines, 1):
        if not began:
            began = line == head
            if not began and line.strip():
                notes.append(Note(number, line))
        elif line.strip() and (why := take(line)):
            problems.append(Problem(number, line, why))
    for number, line in enumerate(safe(stderr).split("\n"), 1 + len(lines)):
        if line.strip():
            notes.append(Note(number, line.strip()))
    return notes, problems
