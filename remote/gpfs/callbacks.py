"""Parser of `mmlscallback`, which has no `-Y`: programs that GPFS runs by itself when something happens.

Its form is that of IBM's manual; no output of a real cluster was found. A name, then `command = ...` and `event = ...`
in lines that are set in.
"""

from __future__ import annotations

import re

from remote.gpfs import unconfirmed
from remote.gpfs.models import Callback, Callbacks
from remote.gpfs.reading import Line, Reading, Steps, finish, is_message
from remote.parsed import Parsed

_FIELD = re.compile(r"\s+([a-z]+)\s*=\s*(.*)\Z")
_NAME = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_.-]*\Z")


def parse_mmlscallback(stdout: str, stderr: str = "") -> Parsed[Callbacks]:
    """Parse `mmlscallback`. None at all is an answer too, on either stream."""
    return finish(mmlscallback_steps(stdout, stderr))


def mmlscallback_steps(stdout: str, stderr: str = "") -> Steps[Callbacks]:
    """The steps of `parse_mmlscallback`."""
    reading = Reading(stdout, stderr)
    found: list[tuple[str, dict[str, str]]] = []
    none: list[Line] = []

    def read(line: Line) -> None:
        field = _FIELD.match(line.text)
        if unconfirmed.no_callbacks(line.text):
            none.append(line)
        elif field and found:
            found[-1][1][field[1]] = field[2].strip()
        elif _NAME.match(line.text) and not is_message(line.text):
            found.append((line.text, {}))
        else:
            reading.note(line)

    yield from reading.both(read)
    for name, fields in found:
        if not fields.get("command"):
            reading.missing(f"callback {name} has no command")
    made = (Callback(name, of.get("command", ""), _events(of.get("event", "")), of) for name, of in found)
    if not found and not none:
        reading.missing("neither a callback nor a word that there is none")
    return reading.result(Callbacks(tuple(made)))


def _events(text: str) -> tuple[str, ...]:
    return tuple(word for word in re.split(r"[,\s]+", text) if word)
