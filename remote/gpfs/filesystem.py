"""Parser of `mmlsfs`, human and `-Y`: of one file system or of all."""

from __future__ import annotations

import re

from remote.gpfs.machine import Table, is_machine, read_machine
from remote.gpfs.models import FileSystem, FileSystems, FsAttribute
from remote.gpfs.reading import Line, Reading, Steps, finish, is_message, is_rule
from remote.parsed import Note, Parsed, Problem

_HEADING = re.compile(r"File system attributes for (?:/dev/)?(\S+?):\Z")
_FLAG_ROW = re.compile(r"\s*(-[A-Za-z0-9]|--[A-Za-z0-9][A-Za-z0-9-]*)(?:\s+(\S.*))?\Z")
_MORE_OF_FLAG = re.compile(r"(?:\s{10,}|\s*(?=[0-9]))(\S.*)\Z")
# Two kinds of value hold a blank: a time (`--create-time`) and a version with its release (`-V`).
_VALUE_WITH_BLANKS = re.compile(
    r"([A-Z][a-z]{2} [A-Z][a-z]{2} {1,2}[0-9]{1,2} [0-9:]{8} (?:[A-Z]{2,5} )?[0-9]{4}|[0-9.]+ \([^()]*\))(?:\s|\Z)"
)
_WIDE_GAP = re.compile(r"\s{2,}")
_VALUE_COLUMN = slice(20, 45)

_FLAGS = {
    "minFragmentSize": "-f", "inodeSize": "-i", "indirectBlockSize": "-I", "defaultMetadataReplicas": "-m",
    "maxMetadataReplicas": "-M", "defaultDataReplicas": "-r", "maxDataReplicas": "-R", "blockAllocationType": "-j",
    "fileLockingSemantics": "-D", "ACLSemantics": "-k", "numNodes": "-n", "blockSize": "-B",
    "quotasAccountingEnabled": "-Q", "quotasEnforced": "-Q", "defaultQuotasEnabled": "-Q",
    "perfilesetQuotas": "--perfileset-quota", "filesetdfEnabled": "--filesetdf", "filesystemVersion": "-V",
    "create-time": "--create-time", "DMAPIEnabled": "-z", "logfileSize": "-L", "exactMtime": "-E",
    "suppressAtime": "-S", "strictReplication": "-K", "fastEAenabled": "--fastea", "encryption": "--encryption",
    "maxNumberOfInodes": "--inode-limit", "logReplicas": "--log-replicas", "is4KAligned": "--is4KAligned",
    "rapidRepairEnabled": "--rapid-repair", "write-cache-threshold": "--write-cache-threshold",
    "subblocksPerFullBlock": "--subblocks-per-full-block", "storagePools": "-P",
    "file-audit-log": "--file-audit-log", "maintenance-mode": "--maintenance-mode", "disks": "-d",
    "automaticMountOption": "-A", "additionalMountOptions": "-o", "defaultMountPoint": "-T",
}  # fmt: skip
"""The flag of the human form for each field of `-Y`."""
_SEVERAL = ("-Q", "-V")  # flags with rows that mean different fields
_FIELDS = {flag: field for field, flag in _FLAGS.items() if flag not in _SEVERAL}


def parse_mmlsfs(stdout: str, stderr: str = "", *, name: str = "") -> Parsed[FileSystem]:
    """Parse `mmlsfs` of one file system. `name` is the one that was asked for, which the human form does not repeat.

    Of several file systems the one with that name is taken, or the first when none was named; see `parse_mmlsfs_all`.
    """
    parsed = parse_mmlsfs_all(stdout, stderr)
    told = parsed.model.file_systems
    if not told:
        return Parsed(FileSystem(name, ()), parsed.notes, parsed.problems)
    fs = (parsed.model.get(name) if name else None) or told[0]
    if name and fs.name and fs.name != name:
        other = Problem(0, "", f"the file system is {fs.name}, not {name}")
        return Parsed(FileSystem(name, ()), parsed.notes, (other, *parsed.problems))
    left = tuple(Note(1, f"also tells of {other.name}") for other in told if other is not fs and not name)
    return Parsed(FileSystem(name or fs.name, fs.attributes), (*left, *parsed.notes), parsed.problems)


def parse_mmlsfs_all(stdout: str, stderr: str = "") -> Parsed[FileSystems]:
    """Parse `mmlsfs` of any number of file systems."""
    return finish(mmlsfs_steps(stdout, stderr))


def mmlsfs_steps(stdout: str, stderr: str = "") -> Steps[FileSystems]:
    """The steps of `parse_mmlsfs_all`."""
    reading = Reading(stdout, stderr)
    found = _Found(reading)
    if is_machine(stdout, "mmlsfs"):
        tables = {"": Table(("deviceName", "fieldName", "data", "remarks"), found.record)}
        yield from read_machine(reading, "mmlsfs", tables)
    else:
        yield from reading.each(found.line)
    reading.rest()
    if not any(found.rows.values()) and not reading.says("No file systems were found"):
        reading.missing("no attributes")
    return reading.result(
        FileSystems(tuple(FileSystem(name, tuple(rows)) for name, rows in found.rows.items() if rows))
    )


class _Found:
    """The attributes read so far, by file system."""

    def __init__(self, reading: Reading) -> None:
        self.rows: dict[str, list[FsAttribute]] = {}
        self._reading = reading
        self._name = ""

    def line(self, line: Line) -> None:
        """Read a line of the human form."""
        if not line.text or is_rule(line.text) or line.text.split()[:2] == ["flag", "value"]:
            return
        if match := _HEADING.match(line.text.strip()):
            self._name = match[1]
            return
        rows = self.rows.setdefault(self._name, [])
        row = None if is_message(line.text) else _attribute(line.text, rows)
        if row is not None:
            rows.append(row)
        elif line.text.lstrip().startswith("-"):
            self._reading.problem(line, "a flag without a value")
        else:
            self._reading.note(line)

    def record(self, device: str, field: str, data: str, remarks: str) -> str | None:
        """Read a row of `-Y`."""
        if not device or not field:
            return "an attribute needs a file system and a name"
        self.rows.setdefault(device, []).append(FsAttribute(_FLAGS.get(field, ""), data, remarks, field))
        return None


def _attribute(text: str, before: list[FsAttribute]) -> FsAttribute | None:
    """One row; a row without a flag is one more value of the flag before it."""
    if match := _FLAG_ROW.match(text):
        flag, rest = match[1], match[2] or ""
    elif before and (match := _MORE_OF_FLAG.match(text)):
        flag, rest = before[-1].flag, match[1]
    else:
        return None
    field = _FIELDS.get(flag, "")
    if not text[_VALUE_COLUMN].strip() and text[_VALUE_COLUMN.stop :].strip():
        return FsAttribute(flag, "", rest, field)  # in columns, and that of the value is empty
    if not rest:
        return None
    if match := _VALUE_WITH_BLANKS.match(rest):
        value, description = match[1], rest[match.end() :]
    else:
        value, description = _split_once(rest)
    return FsAttribute(flag, value, description.strip(), field)


def _split_once(rest: str) -> tuple[str, str]:
    """Split value from description: at two or more blanks, or at the first where a page made one of them."""
    gap = _WIDE_GAP.search(rest)
    if gap is not None:
        return rest[: gap.start()], rest[gap.end() :]
    value, _, description = rest.partition(" ")
    return value, description
