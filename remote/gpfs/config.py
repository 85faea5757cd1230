"""Parser of `mmlsconfig`, human and `-Y`."""

from __future__ import annotations

import re

from remote.gpfs import unconfirmed
from remote.gpfs.machine import Table, is_machine, read_machine
from remote.gpfs.models import ClusterConfig, ConfigEntry
from remote.gpfs.reading import Line, Reading, Steps, finish, is_rule
from remote.parsed import Parsed

_HEADING = re.compile(r"Configuration data for cluster (\S+?):\Z")
_FILE_SYSTEMS = re.compile(r"File systems in cluster (\S+?):\Z")
_SECTION = re.compile(r"\[([^\[\]]+)\]\Z")
_ENTRY = re.compile(r"([A-Za-z][A-Za-z0-9_!-]*)\s+(\S.*)\Z")
_SINGLE = re.compile(r"([A-Za-z][A-Za-z0-9_!-]*) (\S+(?:\s+\[[^\[\]]+\])?)\Z")
_COMMON = "common"


def parse_mmlsconfig(stdout: str, stderr: str = "") -> Parsed[ClusterConfig]:
    """Parse `mmlsconfig`, the whole of it or single parameters (`mmlsconfig pagepool`)."""
    return finish(mmlsconfig_steps(stdout, stderr))


def mmlsconfig_steps(stdout: str, stderr: str = "") -> Steps[ClusterConfig]:
    """The steps of `parse_mmlsconfig`."""
    reading = Reading(stdout, stderr)
    found = _Found(reading)
    if is_machine(stdout, "mmlsconfig"):
        yield from read_machine(
            reading, "mmlsconfig", {"": Table(("configParameter", "value", "nodeList"), found.record)}
        )
    else:
        yield from reading.each(found.line)
    reading.rest()
    if not found.entries:
        reading.missing("no parameter")
    cluster = (
        found.cluster or next((entry.value for entry in found.entries if entry.parameter == "clusterName"), "") or ""
    )
    return reading.result(ClusterConfig(cluster, tuple(found.entries), tuple(found.file_systems)))


class _Found:
    """What has been read so far."""

    def __init__(self, reading: Reading) -> None:
        self.cluster = ""
        self.entries: list[ConfigEntry] = []
        self.file_systems: list[str] = []
        self._reading = reading
        self._nodes: tuple[str, ...] = ()
        self._place = ""

    def line(self, line: Line) -> None:
        """Read a line of the human form."""
        text = line.text.strip()
        if not text or is_rule(text):
            return
        if match := _HEADING.match(text):
            self.cluster, self._place = match[1], "entries"
        elif match := _FILE_SYSTEMS.match(text):
            self._place = "file systems"
        elif self._place == "file systems":
            self._file_system(line, text)
        elif self._place == "entries" and (match := _SECTION.match(text)):
            self._nodes = _nodes(match[1])
        elif self._place == "entries" and (match := _ENTRY.match(text)):
            self._add(match[1], match[2], self._nodes)
        elif not self._place and (match := _SINGLE.match(text)):
            value, nodes = unconfirmed.parameter_nodes(match[2])
            self._add(match[1], value, _nodes(nodes))
        else:
            self._reading.note(line)

    def _file_system(self, line: Line, text: str) -> None:
        if text.startswith("/"):
            self.file_systems.append(text)
        elif text != "(none)":
            self._reading.note(line)

    def _add(self, parameter: str, value: str, nodes: tuple[str, ...]) -> None:
        self.entries.append(ConfigEntry(parameter, None if unconfirmed.undefined(value) else value, nodes))

    def record(self, parameter: str, value: str, nodes: str) -> str | None:
        """Read a row of `-Y`."""
        if not parameter:
            return "a value without a parameter"
        self._add(parameter, value, _nodes(nodes))
        return None


def _nodes(text: str) -> tuple[str, ...]:
    """The names of a section; none for the section that holds for all nodes."""
    names = tuple(name.strip() for name in text.split(",") if name.strip())
    return () if names == (_COMMON,) else names
