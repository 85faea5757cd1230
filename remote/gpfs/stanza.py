"""Stanza files: what `mmcrnsd`, `mmadddisk` and `mmchdisk` are told with `-F`.

Reading takes every layout that GPFS takes and tells what it would not; writing knows one layout and refuses
any value that could end a clause or begin another. `mmcrnsd` rewrites its file, so keep a copy and compare
no checksums.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

import msgspec

from remote.gpfs.models import Usage
from remote.gpfs.reading import Line, Reading
from remote.parsed import Parsed, Problem

_MOST_SERVERS = 8

_START = re.compile(r"%([A-Za-z]+):\Z")
_SPELLINGS = {
    name.lower(): name
    for name in (
        "device", "nsd", "servers", "usage", "failureGroup", "pool", "thinDiskType",
        "blockSize", "layoutMap", "allowWriteAffinity", "writeAffinityDepth", "blockGroupFactor",
    )
}  # fmt: skip
_USAGES = {usage.value.lower(): usage for usage in Usage}

_DEVICE = re.compile(r"[A-Za-z0-9_/][A-Za-z0-9_./:@+-]*\Z")
_NSD = re.compile(r"[A-Za-z0-9_]+\Z")
_SERVER = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_.:-]*\Z")
_GROUP = re.compile(r"(?:-1|[0-9]{1,9}|[0-9]{1,9},[0-9]{1,9},[0-9]{1,9})\Z")
_POOL = re.compile(r"[A-Za-z0-9_]{1,255}\Z")


class Stanza(msgspec.Struct, frozen=True):
    """One stanza as written. Attributes keep their order; those that are known have IBM's spelling.

    `line` is that of its `%keyword:`, counted from 1; 0 for one that comes from no file.
    """

    keyword: str
    attributes: tuple[tuple[str, str], ...]
    line: int = 0

    def get(self, name: str) -> str:
        """The first value of an attribute, "" if it is not there."""
        return next((value for key, value in self.attributes if key == name), "")


class NsdStanza(msgspec.Struct, frozen=True):
    """An `%nsd:` stanza. `device` is a name on the first server, "" where a command does not need it."""

    device: str
    nsd: str
    servers: tuple[str, ...]
    usage: Usage
    failure_group: str
    pool: str


def parse_stanzas(text: str) -> Parsed[tuple[Stanza, ...]]:
    """Read the stanzas of a file.

    A stanza begins with `%keyword:` at the start of a line and ends at the next one, at a blank line or at
    a line without `=`. Comments begin with `#` and end nothing. A keyword in the middle of a line is read
    as if it began one, and told as a problem: GPFS might not agree.
    """
    reading = Reading(text, "")
    found: list[tuple[str, int, dict[str, str]]] = []
    inside = False
    for line in reading.stdout:
        content, comment, _ = line.text.partition("#")
        words = content.split()
        if not words:
            inside = inside and bool(comment)
        elif words[0].startswith("%") or (inside and "=" in content):
            inside = _read_clauses(line, words, found, reading)
        else:
            inside = False
            _tell_stray(line, content, reading)
    if not found:
        reading.missing("no stanza")
    stanzas = tuple(Stanza(keyword, tuple(attributes.items()), number) for keyword, number, attributes in found)
    return reading.result(stanzas)


def _tell_stray(line: Line, content: str, reading: Reading) -> None:
    if "=" in content:
        reading.problem(line, "an attribute outside any stanza")
    else:
        reading.note(line)


def _read_clauses(line: Line, words: list[str], found: list[tuple[str, int, dict[str, str]]], reading: Reading) -> bool:
    """Read one line of a stanza; False if it does not begin one although it should."""
    for index, word in enumerate(words):
        if word.startswith("%"):
            start = _START.match(word)
            if start is None:
                reading.problem(line, "a stanza begins with %keyword: and a blank")
                return False
            if index:
                reading.problem(line, "a stanza begins in the middle of a line")
            found.append((start[1].lower(), line.number, {}))
            continue
        name, equals, value = word.partition("=")
        if not equals or not name:
            reading.problem(line, f"not attribute=value: {word}")
            continue
        name = _SPELLINGS.get(name.lower(), name)
        attributes = found[-1][2]
        if name in attributes:
            reading.problem(line, f"{name} is given twice")
        else:
            attributes[name] = value
    return True


def nsd_stanzas(stanzas: Iterable[Stanza]) -> Parsed[tuple[NsdStanza, ...]]:
    """The `%nsd:` stanzas with the defaults of `mmcrnsd` filled in; other stanzas are passed over.

    The default pool is `system`, the default usage dataAndMetadata there and dataOnly elsewhere, and
    failure group -1 has nothing in common with any other disk. A stanza that cannot be meant is a problem
    and left out.
    """
    found: list[NsdStanza] = []
    problems: list[Problem] = []
    for stanza in stanzas:
        if stanza.keyword != "nsd":
            continue
        try:
            found.append(_nsd_stanza(stanza))
        except ValueError as error:
            problems.append(Problem(stanza.line, stanza.get("nsd"), str(error)))
    return Parsed(tuple(found), problems=tuple(problems))


def _nsd_stanza(stanza: Stanza) -> NsdStanza:
    pool = stanza.get("pool") or "system"
    default = Usage.DATA_AND_METADATA if pool == "system" else Usage.DATA_ONLY
    told = stanza.get("usage")
    usage = _USAGES.get(told.lower()) if told else default
    if usage is None:
        raise ValueError(f"usage {told} is not supported")
    made = NsdStanza(
        device=stanza.get("device"),
        nsd=stanza.get("nsd"),
        servers=tuple(server for server in stanza.get("servers").split(",") if server),
        usage=usage,
        failure_group=stanza.get("failureGroup") or "-1",
        pool=pool,
    )
    check_nsd_stanza(made)
    return made


def check_nsd_stanza(stanza: NsdStanza) -> None:
    """Raise ValueError, which says why, for a stanza that must not be written.

    Only plain characters are allowed: a blank, a newline, `#` or `=` would turn one value into something
    else, and mm* commands are shell scripts. A new name, one with a device, must not begin with `gpfs`,
    which belongs to names that GPFS makes up (6027-1945). Metadata lies in pool `system` alone (6027-2636).
    """
    if stanza.device and not _DEVICE.match(stanza.device):
        raise ValueError(f"not a device: {stanza.device!r}")
    if not _NSD.match(stanza.nsd):
        raise ValueError(f"not an NSD name (letters, digits and _): {stanza.nsd!r}")
    if stanza.device and stanza.nsd.lower().startswith("gpfs"):
        raise ValueError(f"NSD names that begin with gpfs are reserved: {stanza.nsd}")
    for server in stanza.servers:
        if not _SERVER.match(server):
            raise ValueError(f"not a node name: {server!r}")
    if len(stanza.servers) > _MOST_SERVERS:
        raise ValueError(f"{stanza.nsd} has more than {_MOST_SERVERS} servers")
    if not _GROUP.match(stanza.failure_group):
        raise ValueError(f"not a failure group: {stanza.failure_group!r}")
    if stanza.usage is Usage.LOCAL_CACHE and (stanza.failure_group, stanza.pool) != ("-1", "system"):
        raise ValueError(f"a localCache disk has no failure group and no pool: {stanza.nsd}")
    if not _POOL.match(stanza.pool):
        raise ValueError(f"not a storage pool: {stanza.pool!r}")
    if stanza.pool != "system" and stanza.usage is not Usage.DATA_ONLY:
        raise ValueError(f"pool {stanza.pool} takes dataOnly disks, not {stanza.usage.value}")


def write_nsd_stanzas(stanzas: Sequence[NsdStanza], *, comment: str = "") -> str:
    """Write a stanza file: the comment, then one line for each disk. An empty `device` is left out.

    Raises ValueError for a value that must not be written (see `check_nsd_stanza`), for an NSD or a device
    of one server that comes twice, and for a comment with control characters.
    """
    _refuse_doubles(stanzas)
    lines = []
    for text in comment.split("\n") if comment else []:
        if not text.isprintable():
            raise ValueError(f"a comment must be printable: {text!r}")
        lines.append(f"# {text}".rstrip())
    for stanza in stanzas:
        check_nsd_stanza(stanza)
        lines.append(_line(stanza))
    return "".join(line + "\n" for line in lines)


def _line(stanza: NsdStanza) -> str:
    clauses = ["%nsd:"]
    if stanza.device:
        clauses.append(f"device={stanza.device}")
    clauses.append(f"nsd={stanza.nsd}")
    if stanza.servers:
        clauses.append(f"servers={','.join(stanza.servers)}")
    clauses.append(f"usage={stanza.usage.value}")
    if stanza.usage is not Usage.LOCAL_CACHE:  # it belongs to no file system, so to no group and no pool
        clauses += [f"failureGroup={stanza.failure_group}", f"pool={stanza.pool}"]
    return " ".join(clauses)


def _refuse_doubles(stanzas: Sequence[NsdStanza]) -> None:
    names: set[str] = set()
    devices: set[tuple[str, str]] = set()
    for stanza in stanzas:
        if stanza.nsd in names:
            raise ValueError(f"NSD {stanza.nsd} comes twice")
        names.add(stanza.nsd)
        if stanza.device:
            place = (stanza.servers[0] if stanza.servers else "", stanza.device.removeprefix("/dev/"))
            if place in devices:
                raise ValueError(f"device {stanza.device} of {place[0] or 'this node'} comes twice")
            devices.add(place)
