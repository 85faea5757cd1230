"""Parser of what `use.sh` prints: lines `WORD VALUE`, and behind `| ` what the tools of a cluster print. Total."""

from __future__ import annotations

import re
from functools import partial
from typing import Any

from remote.gfs2.cluster import nodes_of_cmap, nodes_of_crm_node, resources
from remote.gfs2.use import InKernel, ManagerAnswer, Mounted, Use
from remote.linux.script_answers import read_answer
from remote.parsed import Parsed, Problem
from remote.text import decode

HEAD = "restripe-gfs2-use 1"
_NUMBER = re.compile(r"[0-9]{1,10}:[0-9]{1,10}\Z")
_MOUNT = re.compile(r"([0-9]{1,10}:[0-9]{1,10}) (gfs2|gfs2meta)\Z")
_TOOL = re.compile(r"([a-z_-]{1,40}) ([0-9]{1,5})\Z")
_HEX = re.compile(r"x((?:[0-9a-f]{2})*)\Z")
_OCTAL = re.compile(r"\\([0-7]{3})")
_UUID = re.compile(r"[0-9A-Fa-f-]{1,40}\Z")
_NODES = {"crm_node": nodes_of_crm_node, "corosync-cmapctl": nodes_of_cmap}
_LINES = 5
"""Lines of a tool that failed that are told."""


class _Said:
    """What a tool printed."""

    def __init__(self, name: str, rc: int) -> None:
        self.name = name
        self.rc = rc
        self.lines: list[str] = []

    @property
    def failure(self) -> str:
        """What it said, in few lines."""
        last = " / ".join(line.strip() for line in self.lines[-_LINES:] if line.strip())
        return f"{self.name}: exit code {self.rc}: {last or 'it printed nothing'}"


class _Reading:
    """What was read so far."""

    def __init__(self) -> None:
        self.found: dict[str, Any] = {}
        self.mounts: list[dict[str, str]] = []
        self.kernel: list[dict[str, Any]] = []
        self.nodes: list[_Said] = []
        self.resources: list[_Said] = []
        self.known: dict[str, str] = {}
        self.last: _Said | None = None
        self.mounts_told = False
        self.ended = False

    def model(self) -> Use:
        """What was read."""
        return Use(
            **self.found,
            mounts=tuple(Mounted(**{"device": "", "directory": "", **fields}) for fields in self.mounts),
            in_kernel=tuple(InKernel(**fields) for fields in self.kernel),
            **self._nodes(),
            **self._resources(),
        )

    def _nodes(self) -> dict[str, Any]:
        for said in self.nodes:
            nodes = _NODES[said.name](said.lines) if said.rc == 0 and said.name in _NODES else ()
            if nodes:
                return {"asked_nodes": ManagerAnswer.TOLD, "nodes": nodes, "nodes_by": said.name}
        if not self.nodes:
            return {}
        return {"asked_nodes": ManagerAnswer.FAILED, "nodes_text": self.nodes[0].failure}

    def _resources(self) -> dict[str, Any]:
        if not self.resources:
            return {}
        said = self.resources[0]
        found = resources("\n".join(said.lines), self.known) if said.rc == 0 else None
        if found is None:
            return {"asked_resources": ManagerAnswer.FAILED, "resources_text": said.failure}
        return {"asked_resources": ManagerAnswer.TOLD, "resources": found}


def parse_use(stdout: str, stderr: str = "") -> Parsed[Use]:
    """Parse the answer of `restripe-gfs2-use`. Lines of stderr are notes and counted on after those of stdout."""
    reading = _Reading()
    notes, problems = read_answer(stdout, stderr, HEAD, partial(_take, reading))
    if not reading.mounts_told:
        problems.insert(0, Problem(0, "", "the mounts are not told"))
    if not reading.ended:
        problems.insert(0, Problem(0, "", "the answer is not whole"))
    return Parsed(reading.model(), tuple(notes), tuple(problems))


def _take(reading: _Reading, line: str) -> str:
    """Take in a line; returns why it cannot be, or ""."""
    word, _, value = line.partition(" ")
    if word == "|":
        if reading.last is None:
            return "no tool said it"
        reading.last.lines.append(value)
        return ""
    reading.last = None
    match word:
        case "name" | "device" | "of" | "at" | "table":
            text = _value(value)
            return _take_text(reading, word, text) if text else "not a value"
        case "number" if value == "-" or (value.isascii() and _NUMBER.match(value)):
            reading.found["exists"] = True
            if value != "-":
                reading.found["numbers"] = (*reading.found.get("numbers", ()), value)
        case "kernel" if value in ("yes", "no"):
            reading.found["has_gfs2"] = value == "yes"
        case "mount" if match := _MOUNT.match(value) if value.isascii() else None:
            reading.mounts.append({"number": match[1], "kind": match[2]})
        case "mounts":
            reading.mounts_told = value == "told"
        case "id" | "uuid" | "withdraw":
            return _take_attribute(reading, word, value)
        case "nodes" | "resources" if match := _TOOL.match(value) if value.isascii() else None:
            reading.last = _Said(match[1], int(match[2]))
            (reading.nodes if word == "nodes" else reading.resources).append(reading.last)
        case "known":
            number, _, path = value.partition(" ")
            known = _value(path)
            if not known or not number.isascii() or not _NUMBER.match(number):
                return "not a number with a device"
            reading.known[known] = number
        case "end" if not value:
            reading.ended = True
        case _:
            return "not a word that is known"
    return ""


def _take_text(reading: _Reading, word: str, text: str) -> str:
    if word in ("name", "device"):
        reading.found[word] = text
    elif word == "table":
        reading.kernel.append({"table": text})
    elif not reading.mounts:
        return "it belongs to no mount"
    else:
        reading.mounts[-1]["device" if word == "of" else "directory"] = _OCTAL.sub(_byte, text)
    return ""


def _take_attribute(reading: _Reading, word: str, value: str) -> str:
    """Take what the kernel tells of a GFS2 that it has."""
    if not reading.kernel:
        return "it belongs to no table"
    fields = reading.kernel[-1]
    if word == "id" and value.isascii() and _NUMBER.match(value):
        fields["number"] = value
    elif word == "uuid" and value.isascii() and _UUID.match(value):
        fields["uuid"] = value.lower()
    elif word == "withdraw" and value in ("0", "1"):
        fields["withdrawn"] = value == "1"
    else:
        return f"not what follows `{word}`"
    return ""


def _byte(match: re.Match[str]) -> str:
    return chr(int(match[1], 8))


def _value(word: str) -> str | None:
    """A value as it was."""
    if word.startswith("="):
        return word[1:]
    found = _HEX.match(word)
    return decode(bytes.fromhex(found[1])) if found else None
