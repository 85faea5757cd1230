"""Parsers of `mmlsnsd`: the list (plain, `-a`, `-F`, `-L`) and the devices (`-m`, `-M`, `-X`), human and `-Y`.

"No disks were found", which comes on stderr with exit status 0, is an answer without rows.
"""

from __future__ import annotations

import re

from remote.gpfs.machine import Table, is_machine, read_machine
from remote.gpfs.models import Nsd, NsdDevice, NsdDevices, NsdList
from remote.gpfs.reading import Line, Reading, Steps, finish, is_message, is_rule
from remote.parsed import Parsed

_VOLUME_ID = re.compile(r"[0-9A-Fa-f]{16}\Z")
_FREE = "(free disk)"
_ATTACHED = "(directly attached)"
_NONE = "No disks were found"
_DEVICE_COLUMNS = ("diskName", "volumeId", "localDiskName", "deviceType", "serverList", "remarks")
_LIST_COLUMNS = ("diskName", "fileSystem", "serverList", "volumeId", "thinDisk")
_DEVICE_HEADER = re.compile(r"^mmlsnsd:nsd:HEADER:.*:localDiskName(?::|\s|$)", re.MULTILINE)


def parse_mmlsnsd(stdout: str, stderr: str = "") -> Parsed[NsdList | NsdDevices]:
    """Parse `mmlsnsd` with any option: `NsdDevices` where the header has a column of devices, else `NsdList`."""
    return finish(mmlsnsd_steps(stdout, stderr))


def mmlsnsd_steps(stdout: str, stderr: str = "") -> Steps[NsdList | NsdDevices]:
    """The steps of `parse_mmlsnsd`."""
    if _tells_devices(stdout):
        devices = yield from mmlsnsd_x_steps(stdout, stderr)
        return Parsed(devices.model, devices.notes, devices.problems)
    nsds = yield from mmlsnsd_list_steps(stdout, stderr)
    return Parsed(nsds.model, nsds.notes, nsds.problems)


def _tells_devices(stdout: str) -> bool:
    """Whether the header, which is within the first lines, has a column of devices."""
    head = stdout[:4000]
    if is_machine(head, "mmlsnsd"):
        return _DEVICE_HEADER.search(head.replace("\r", "\n")) is not None
    return any(
        "disk name" in line.lower() and "device" in line.lower() for line in head.replace("\r", "\n").split("\n")
    )


def parse_mmlsnsd_x(stdout: str, stderr: str = "") -> Parsed[NsdDevices]:
    """Parse `mmlsnsd -X`, `-m` or `-M`: one row for each disk and server."""
    return finish(mmlsnsd_x_steps(stdout, stderr))


def mmlsnsd_x_steps(stdout: str, stderr: str = "") -> Steps[NsdDevices]:
    """The steps of `parse_mmlsnsd_x`."""
    reading = Reading(stdout, stderr)
    found = _Devices(reading)
    machine = is_machine(stdout, "mmlsnsd")
    if machine:
        yield from read_machine(reading, "mmlsnsd", {"nsd": Table(_DEVICE_COLUMNS, found.record)})
    else:
        yield from reading.rows(found.row, found.line)
    reading.rest()
    if not found.rows and not machine and not reading.says(_NONE):
        reading.missing("no NSDs")
    return reading.result(NsdDevices(tuple(found.rows)))


class _Devices:
    """The rows read so far."""

    def __init__(self, reading: Reading) -> None:
        self.rows: list[NsdDevice] = []
        self._reading = reading
        self._in_table = False
        self._with_devtype = True

    def row(self, text: str) -> bool:
        """Read a row of the human form; False for any other line."""
        words = text.split()
        if not self._with_devtype and len(words) > 2:
            words.insert(3, "")  # `mmlsnsd -m` is the same table without this column
        if len(words) < 5 or not _VOLUME_ID.match(words[1]):
            return False
        remarks = " ".join(words[5:]) if len(words) > 5 else ""
        self.rows.append(NsdDevice(words[0], words[1], words[2], words[3], words[4], remarks))
        return True

    def line(self, line: Line) -> None:
        """Read a line of the human form that is no row."""
        if not line.text:
            return
        lower = line.text.lower()
        if "disk name" in lower and "volume id" in lower:
            self._with_devtype = "devtype" in lower
        elif is_rule(line.text):
            self._in_table = True
        elif self._in_table:
            self._reading.broken(line, "an NSD needs a name, a volume id of 16 hexadecimal digits, a device and a node")
        else:
            self._reading.note(line)

    def record(self, *values: str) -> str | None:
        """Read a row of `-Y`. Its file system is empty, whether the disk is free or not."""
        if not values[0] or not values[4]:
            return "an NSD needs a name and a node"
        if not _VOLUME_ID.match(values[1]):
            return "the volume id has not 16 hexadecimal digits"
        self.rows.append(NsdDevice(*values))
        return None


def parse_mmlsnsd_list(stdout: str, stderr: str = "") -> Parsed[NsdList]:
    """Parse `mmlsnsd` without a column of devices: one row for each disk."""
    return finish(mmlsnsd_list_steps(stdout, stderr))


def mmlsnsd_list_steps(stdout: str, stderr: str = "") -> Steps[NsdList]:
    """The steps of `parse_mmlsnsd_list`."""
    reading = Reading(stdout, stderr)
    found = _List(reading)
    machine = is_machine(stdout, "mmlsnsd")
    if machine:
        yield from read_machine(reading, "mmlsnsd", {"nsd": Table(_LIST_COLUMNS, found.record)})
    else:
        yield from reading.each(found.line)
    reading.rest()
    if not found.nsds and not machine and not reading.says(_NONE):
        reading.missing("no NSDs")
    return reading.result(NsdList(tuple(found.nsds)))


class _List:
    """The NSDs read so far."""

    def __init__(self, reading: Reading) -> None:
        self.nsds: list[Nsd] = []
        self._reading = reading
        self._in_table = False
        self._with_id = False

    def line(self, line: Line) -> None:
        """Read a line of the human form."""
        text = line.text.strip()
        lower = text.lower()
        if not text:
            return
        if "file system" in lower and "disk name" in lower:
            self._with_id = "volume id" in lower
            self._in_table = True
        elif is_rule(text):
            return
        elif not self._in_table or is_message(text):
            self._reading.note(line)
        else:
            why = self._row(text)
            if why is not None:
                self._reading.problem(line, why)

    def _row(self, text: str) -> str | None:
        if text.startswith(_FREE):
            fs, words = "", text[len(_FREE) :].split()
        else:
            fs, *words = text.split()
        if not words:
            return "an NSD needs a file system, a name and its servers"
        volume_id = words.pop(1) if self._with_id and len(words) > 1 else ""
        if self._with_id and not _VOLUME_ID.match(volume_id):
            return "the volume id has not 16 hexadecimal digits"
        servers = " ".join(words[1:])
        if not servers or (" " in servers and servers != _ATTACHED):
            return "the servers of an NSD are one word"
        self.nsds.append(Nsd(words[0], fs, _servers(servers), volume_id))
        return None

    def record(self, nsd: str, fs: str, servers: str, volume_id: str, thin: str) -> str | None:
        """Read a row of `-Y`."""
        if not nsd:
            return "an NSD needs a name"
        if volume_id and not _VOLUME_ID.match(volume_id):
            return "the volume id has not 16 hexadecimal digits"
        self.nsds.append(Nsd(nsd, "" if fs == _FREE else fs, _servers(servers), volume_id, thin))
        return None


def _servers(text: str) -> tuple[str, ...]:
    return () if text == _ATTACHED else tuple(name for name in text.split(",") if name)
