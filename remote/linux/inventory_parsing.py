"""Parser of what `devices.sh` prints: lines `FIELD VALUE` for each device, then links, mounts and the rest."""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import partial

from remote.linux.inventory import BlockNode, Inventory, Mount, Part, kernel_name
from remote.linux.script_answers import read_answer
from remote.parsed import Parsed, Problem
from remote.text import decode, safe

HEAD = "restripe-devices 1"
_WHOLE = re.compile(r"[0-9]{1,18}\Z")
_NUMBER = re.compile(r"[0-9]{1,9}:[0-9]{1,9}\Z")
_MOUNT = re.compile(r"\S+ \S+ (\S+) \S+ (\S+) \S+ (?:\S+ )*?- (\S+) (\S+)(?: .*)?\Z")
_OCTAL = re.compile(r"(?:\\[0-7]{3})+")
_UDEV = re.compile(r"(\S+) ([A-Z_]+)=(.*)\Z")
_PAGE = re.compile(r"==> \S*/block/([^/\s]+)/device/vpd_pg80 <==\Z")
_SUM = re.compile(r"([0-9]+)\s+([0-9]+)\Z")
_DEVICE_FIELDS = frozenset(
    (
        "number", "sectors", "rotational", "logical", "physical", "write_cache", "vendor", "model", "firmware",
        "serial", "wwid", "hctl", "enclosure", "slot", "dm_name", "dm_uuid", "md_level", "holder", "slave", "part",
    )
)  # fmt: skip
_SERIALS = ("SCSI_IDENT_SERIAL", "ID_SCSI_SERIAL", "ID_SERIAL_SHORT")
_NAA = re.compile(r"0x([2356][0-9a-f]{15}(?:[0-9a-f]{16})?)\Z")


class _Reading:
    """What was read so far."""

    def __init__(self) -> None:
        self.boot_id = ""
        self.records: dict[str, dict[str, list[str]]] = {}
        self.record: dict[str, list[str]] | None = None
        self.links: dict[str, list[str]] = {}
        self.pages: dict[str, str] = {}
        self.page = ""
        self.udev: dict[str, dict[str, str]] = {}
        self.mounts: list[Mount] = []
        self.swaps: list[str] = []
        self.nsddevices: str | None = None
        self.told_nsddevices = False
        self.ended = False


def parse_devices(stdout: str, stderr: str = "") -> Parsed[Inventory]:
    """Parse the answer of `restripe-devices`. Lines of stderr are notes and counted on after those of stdout."""
    reading = _Reading()
    notes, problems = read_answer(stdout, stderr, HEAD, partial(_take, reading))
    if not reading.ended or not reading.told_nsddevices:
        problems.insert(0, Problem(0, "", "the answer is not whole"))
    nodes = tuple(_node(reading, kname, record) for kname, record in reading.records.items())
    model = Inventory(reading.boot_id, nodes, tuple(reading.mounts), tuple(reading.swaps), reading.nsddevices)
    return Parsed(model, tuple(notes), tuple(problems))


def _take(reading: _Reading, line: str) -> str:
    """Take in a line; returns why it cannot be, or ""."""
    word, _, value = line.partition(" ")
    why = ""
    if word == "device":
        if not value or value in reading.records:
            return "a device needs a name of its own"
        reading.record = reading.records.setdefault(value, {})
    elif word in _DEVICE_FIELDS:
        if reading.record is None:
            return "it belongs to no device"
        why = _bad_field(word, value.strip())
        if not why:
            reading.record.setdefault(word, []).append(value.strip())
    else:
        reading.record = None
        why = _take_other(reading, word, value)
    return why


def _bad_field(word: str, value: str) -> str:
    if word == "number" and not _NUMBER.match(value):
        return "not a major:minor"
    if word in ("sectors", "logical", "physical") and not _WHOLE.match(value):
        return "not a whole number"
    if word == "rotational" and value not in ("0", "1"):
        return "neither 0 nor 1"
    return ""


def _take_other(reading: _Reading, word: str, value: str) -> str:
    match word:
        case "boot":
            reading.boot_id = value.strip()
        case "link":
            kname, _, link = value.partition(" ")
            reading.links.setdefault(kname, []).append(link)
        case "vpd80":
            page = _PAGE.match(value.strip())
            if page or value.strip().startswith("==> "):
                reading.page = page[1] if page else ""
            elif reading.page and value.strip():
                reading.pages.setdefault(reading.page, value.strip())
        case "udev":
            found = _UDEV.match(value)
            if found is None:
                return "not a property of udev"
            reading.udev.setdefault(found[1], {}).setdefault(found[2], found[3].strip())
        case "mount":
            mount = _MOUNT.match(value)
            if mount is None:
                return "not a line of mountinfo"
            reading.mounts.append(Mount(mount[1], _plain(mount[2]), mount[3], _plain(mount[4])))
        case "swap":
            reading.swaps.extend(_plain(name) for name in value.split()[:1])
        case "nsddevices":
            return _take_nsddevices(reading, value.strip())
        case "end" if not value:
            reading.ended = True
        case _:
            return "not a word that is known"
    return ""


def _take_nsddevices(reading: _Reading, value: str) -> str:
    total = _SUM.match(value)
    if value not in ("absent", "unreadable") and total is None:
        return "not a sum of cksum"
    reading.told_nsddevices = True
    reading.nsddevices = f"{total[1]} {total[2]}" if total else "" if value == "absent" else None
    return ""


def _plain(text: str) -> str:
    r"""Undo the kernel's `\040`; what would steer a terminal becomes harmless."""

    def undo(match: re.Match[str]) -> str:
        return decode(bytes(int(octal, 8) & 0xFF for octal in match[0].split("\\")[1:]))

    return safe(_OCTAL.sub(undo, text))


def _node(reading: _Reading, kname: str, record: Mapping[str, list[str]]) -> BlockNode:
    def first(field: str) -> str:
        return record.get(field, [""])[0]

    def whole(field: str) -> int | None:
        return int(first(field)) if first(field) else None

    sectors = whole("sectors")
    udev = reading.udev.get(first("number"), {})
    parts = tuple(
        Part(kernel_name(words[0]), words[-1]) for words in (part.split() for part in record.get("part", ())) if words
    )
    return BlockNode(
        kname=kernel_name(kname),
        number=first("number"),
        # sysfs counts in 512 bytes whatever the device's own sectors are
        size_bytes=sectors * 512 if sectors is not None else None,
        rotational={"0": False, "1": True}.get(first("rotational")),
        logical_sector=whole("logical"),
        physical_sector=whole("physical"),
        write_cache=first("write_cache"),
        vendor=first("vendor"),
        model=first("model"),
        firmware=first("firmware"),
        serial=first("serial") or reading.pages.get(kname, "") or _first_of(udev, _SERIALS),
        wwid=first("wwid") or _wwid(udev),
        hctl=first("hctl"),
        enclosure=first("enclosure"),
        slot=first("slot"),
        dm_name=first("dm_name"),
        dm_uuid=first("dm_uuid"),
        md_level=first("md_level"),
        holders=tuple(dict.fromkeys(map(kernel_name, record.get("holder", ())))),
        slaves=tuple(dict.fromkeys(map(kernel_name, record.get("slave", ())))),
        parts=parts,
        links=tuple(dict.fromkeys(reading.links.get(kname, ()))),
    )


def _first_of(properties: Mapping[str, str], names: tuple[str, ...]) -> str:
    return next((properties[name] for name in names if properties.get(name)), "")


def _wwid(udev: Mapping[str, str]) -> str:
    """The kernel's own name for a device from what udev calls it, where the kernel is too old to tell."""
    wwn = _first_of(udev, ("ID_WWN_WITH_EXTENSION", "ID_WWN"))
    naa = _NAA.match(wwn.lower())
    return f"naa.{naa[1]}" if naa else wwn
