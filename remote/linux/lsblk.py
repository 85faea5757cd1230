"""Parser of `lsblk -b` in both forms that are asked for: JSON (`-J`), and rows of KEY="value" pairs (`-P`)."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any

import msgspec

from remote.linux.inventory import kernel_name
from remote.linux.models import BlockDevice, BlockDevices
from remote.parsed import Note, Parsed, Problem
from remote.text import decode, safe

# A value holds no quote: lsblk writes quotes, backslashes, `$`, backticks and all that is not printable as \xNN.
_PAIR = re.compile(r'\s*([A-Za-z][A-Za-z0-9_:%-]*)="([^"]*)"')
_ESCAPES = re.compile(r"(?:\\x[0-9A-Fa-f]{2})+")
_KEY_SIGNS = str.maketrans("-:%", "___")  # LOG-SEC, MAJ:MIN and FSUSE% are LOG_SEC, MAJ_MIN and FSUSE_ in 2.37
_WHOLE = re.compile(r"[0-9]{1,18}\Z")
_LONGEST = 10**18
_REFUSED = re.compile(r"(?:invalid|unrecognized) option|unknown column", re.IGNORECASE)
_SAME_DEVICE = ("size_bytes", "wwn", "serial", "type")


def parse_lsblk(stdout: str, stderr: str = "") -> Parsed[BlockDevices]:
    """Parse `lsblk -b` with `-J` or `-P`, of any release. A device that is told several times becomes one."""
    return parse_lsblk_json(stdout, stderr) if stdout.lstrip().startswith("{") else parse_lsblk_pairs(stdout, stderr)


def json_refused(rc: int, stderr: str) -> bool:
    """Whether an answer only means that this release (2.23 of RHEL 7) has no JSON, or lacks one of the columns."""
    return rc != 0 and _REFUSED.search(stderr) is not None


def parse_lsblk_json(stdout: str, stderr: str = "") -> Parsed[BlockDevices]:
    """Parse `lsblk -J -b`: strings for everything up to 2.32, truths and numbers since.

    A problem stands at line 0: what is wrong with a device has no line of its own.
    """
    notes = [Note(number, line) for number, line in enumerate(_lines(stderr), 1 + stdout.count("\n")) if line]
    problems: list[Problem] = []
    devices: dict[str, BlockDevice] = {}
    try:
        told = json.loads(stdout)
    except (ValueError, RecursionError) as error:
        return Parsed(BlockDevices(()), tuple(notes), (Problem(0, "", f"not whole JSON: {safe(str(error))[:200]}"),))
    for entry, parent in _entries(told.get("blockdevices") if isinstance(told, dict) else None):
        pairs = _of_json(entry, parent) if isinstance(entry, dict) else {}
        why = _add(pairs, devices) or _lost_children(entry)
        if why:
            problems.append(Problem(0, safe(repr(entry))[:200], why))
    if not devices:
        problems.insert(0, Problem(0, "", "no block devices"))
    return Parsed(BlockDevices(tuple(devices.values())), tuple(notes), tuple(problems))


def _entries(top: Any) -> Iterator[tuple[Any, str]]:
    """Every entry of the tree in its order, with the kname of what it lies on."""
    waiting = [(entry, "") for entry in reversed(top)] if isinstance(top, list) else []
    while waiting:
        entry, parent = waiting.pop()
        yield entry, parent
        below = entry.get("children") if isinstance(entry, dict) else None
        if isinstance(below, list):
            kname = _text(entry.get("kname"))
            waiting.extend((child, kname) for child in reversed(below))


def _lost_children(entry: dict[str, Any]) -> str:
    """Why not all that lies on a device was read, or "": a partition that nobody hears of makes a disk look free."""
    if not isinstance(entry.get("children"), list | None):
        return "children are no list"
    for key, value in entry.items():
        if key != "children" and isinstance(value, list) and any(isinstance(each, dict) for each in value):
            return f"there are devices in {safe(key)[:20]}"
    return ""


def _of_json(entry: dict[str, Any], parent: str) -> dict[str, str]:
    pairs = {key.upper().translate(_KEY_SIGNS): _text(value) for key, value in entry.items() if key != "children"}
    pairs["MOUNTPOINT"] = pairs.get("MOUNTPOINT") or pairs.get("MOUNTPOINTS", "")
    pairs["PKNAME"] = pairs.get("PKNAME") or parent
    return pairs


def _text(value: Any) -> str:
    """A value as `-P` prints it; of a list (mountpoints) the first that is anything."""
    if isinstance(value, list):
        return next((_text(each) for each in value if isinstance(each, str) and each), "")
    if isinstance(value, bool):
        return "1" if value else "0"
    if isinstance(value, int):
        return str(value) if abs(value) < _LONGEST else ""
    return _shown(value) if isinstance(value, str) else ""


def _shown(text: str) -> str:
    """A value without its padding, on one line: a line break in a model or a label must not make a line of its own."""
    return safe(text).strip().replace("\n", "\ufffd")


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

    return _shown(_ESCAPES.sub(undo, text))


def _add(pairs: dict[str, str], devices: dict[str, BlockDevice]) -> str:
    """Add a row to the devices; returns why it cannot be, or ""."""
    kname = kernel_name(pairs.get("KNAME", ""))  # old releases tell it as sysfs does
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
    parent = kernel_name(pairs.get("PKNAME", ""))
    return BlockDevice(
        name=kname if kernel_name(pairs["NAME"]) == kname else pairs["NAME"],
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
        parttype=pairs.get("PARTTYPE", "").lower(),
    )


def _whole(text: str) -> int | None:
    return int(text) if _WHOLE.match(text) else None
