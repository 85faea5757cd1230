"""Parser of `mmauth show`: the clusters that may mount file systems of this one. Its form is that of IBM's manual."""

from __future__ import annotations

import re

from remote.gpfs.models import Guest, Guests
from remote.gpfs.reading import Line, Reading, Steps, finish
from remote.parsed import Parsed

_LABEL = re.compile(r"(Cluster name|Cipher list|SHA digest|File system access):\s+(\S.*)\Z")
_MINE = "(this cluster)"
_ACCESS = re.compile(r"(\S+)\s+\(([^()]*)\)")


def parse_mmauth(stdout: str, stderr: str = "") -> Parsed[Guests]:
    """Parse `mmauth show`."""
    return finish(mmauth_steps(stdout, stderr))


def mmauth_steps(stdout: str, stderr: str = "") -> Steps[Guests]:
    """The steps of `parse_mmauth`."""
    reading = Reading(stdout, stderr)
    found: list[tuple[str, list[str]]] = []
    here: list[str] = []
    last = ""

    def read(line: Line) -> None:
        nonlocal last
        label = _LABEL.match(line.text.strip())
        if label is None:
            # more file systems stand below the first, without a label
            if last == "File system access" and found and _ACCESS.match(line.text.strip()):
                found[-1][1].extend(name for name, _ in _ACCESS.findall(line.text))
            else:
                reading.note(line)
            return
        last, value = label[1], label[2].strip()
        if last == "Cluster name" and value.endswith(_MINE):
            here.append(value.removesuffix(_MINE).strip())
            last = ""
        elif last == "Cluster name":
            found.append((value, []))
        elif last == "File system access" and found:
            found[-1][1].extend(name for name, _ in _ACCESS.findall(value))

    yield from reading.each(read)
    reading.rest()
    if not here and not found:
        reading.missing("no cluster")
    return reading.result(Guests(tuple(Guest(name, tuple(systems)) for name, systems in found)))
