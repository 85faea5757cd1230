"""Parser of `lsblk -P -b`, rows of KEY="value" pairs."""

from __future__ import annotations

import re

import msgspec

from remote.linux.models import BlockDevice, BlockDevices
from remote.parsed import Note, Parsed, Problem
from remote.text import decode, safe

# A value holds no quote: lsblk writes quotes, backslashes, `$`, backticks and all that is not printable as \xNN.
_PAIR = re.compile(r'\s*([A-Za-z][A-Za-z0-9_:%-]*)="([^"]*)"')
_ESCAPES = re.compile(r"(?:\\x[0-9A-Fa-f]{2})+")
_KEY_SIGNS = str.maketrans("-:%", "___")  # LOG-SEC, MAJ:MIN and FSUSE% are LOG_SEC, MAJ_MIN and FSUSE_ in 2.37
_WHOLE = re.compile(r"[0-9]{1,18}\Z")
_SAME_DEVICE = ("size_bytes", "wwn", "serial", "type")


def parse_lsblk_pairs(stdout: str, stderr: str = "") -> Parsed[BlockDevices]:
    """Parse `lsblk -P -b`. Rows of one KNAME become one device: a multipath map is printed under each path.

    Lines of stderr are notes and counted on after those of stdout.
    """
    notes: list[Note] = []
    problems: list[Problem] = []
    devices: dict[str, BlockDevice] = {}
    lines = _lines(stdout)
    for number, line in enumerate(lines, 1):
        pairs = _pairs(line)
        if pairs is None:
            problems.append(Problem(number, line, 'not a row of KEY="value" pairs'))
        elif not pairs:
            if line:
                notes.append(Note(number, line))
        else:
            why = _add(pairs, devices)
            if why:
                problems.append(Problem(number, line, why))
    for number, line in enumerate(_lines(stderr), 1 + len(lines)):
        if line:
            notes.append(Note(number, line))
    if not devices:
        problems.insert(0, Problem(0, "", "no block devices"))
    return Parsed(BlockDevices(tuple(devices.values())), tuple(notes), tuple(problems))


def _lines(text: str) -> list[str]:
    lines = [line.strip() for line in text.replace("\r\n", "\n").replace("\r", "\n").split("\n")]
    if not lines[-1]:
        lines.pop()
    return lines


def _pairs(line: str) -> dict[str, str] | None:
    """The pairs of a row; {} for a line that is none, None for a row that is broken."""
    pairs: dict[str, str] = {}
    at = 0
    while match := _PAIR.match(line, at):
        pairs[match[1].upper().translate(_KEY_SIGNS)] = _value(match[2])
        at = match.end()
    whole_row = at == len(line)
    return pairs if whole_row or "=" not in line else None


def _value(text: str) -> str:
    """Undo the escapes and take off the padding; what would steer a terminal becomes harmless."""

    def undo(match: re.Match[str]) -> str:
        return decode(bytes.fromhex(match[0].replace("\\x", "")))

    return safe(_ESCAPES.sub(undo, text)).strip()


def _add(pairs: dict[str, str], devices: dict[str, BlockDevice]) -> str:
    """Add a row to the devices; returns why it cannot be, or ""."""
    kname = pairs.get("KNAME", "")
    size = _whole(pairs.get("SIZE", ""))
    if not kname or not pairs.get("NAME"):
        return "a row needs NAME and KNAME"
    if size is None:
        return "SIZE is not a number of bytes"
    device = _device(pairs, kname, size)
    known = devices.get(kname)
    if known is None:
        devices[kname] = device
        return ""
    if any(getattr(known, field) != getattr(device, field) for field in _SAME_DEVICE):
        return f"{kname} was told before, with another size or identity"
    parents = tuple(dict.fromkeys((*known.parents, *device.parents)))
    devices[kname] = msgspec.structs.replace(known, parents=parents)
    return ""


def _device(pairs: dict[str, str], kname: str, size: int) -> BlockDevice:
    parent = pairs.get("PKNAME", "")
    return BlockDevice(
        name=pairs["NAME"],
        kname=kname,
        parents=(parent,) if parent else (),
        type=pairs.get("TYPE", ""),
        size_bytes=size,
        rotational={"0": False, "1": True}.get(pairs.get("ROTA", "")),
        read_only=pairs.get("RO") != "0",
        transport=pairs.get("TRAN", ""),
        vendor=pairs.get("VENDOR", ""),
        model=pairs.get("MODEL", ""),
        serial=pairs.get("SERIAL", ""),
        wwn=pairs.get("WWN", ""),
        hctl=pairs.get("HCTL", ""),
        fstype=pairs.get("FSTYPE", ""),
        mountpoint=pairs.get("MOUNTPOINT", ""),
        label=pairs.get("LABEL", ""),
        partlabel=pairs.get("PARTLABEL", ""),
        logical_sector=_whole(pairs.get("LOG_SEC", "")),
        physical_sector=_whole(pairs.get("PHY_SEC", "")),
        state=pairs.get("STATE", ""),
    )


def _whole(text: str) -> int | None:
    return int(text) if _WHOLE.match(text) else None
