"""`lsblk` as util-linux 2.23, 2.32 and 2.37 print it: -P pairs, raw rows, the tree and, from 2.32 on, JSON.

An NSD of GPFS 3.5 leaves no signature: its device looks empty here. That is true to life and the reason why the
cluster's own listing must be asked too.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from simulator.blockrows import Row, rows
from simulator.hardware import Device, Host
from simulator.usage import CommandError

COLUMNS = (
    "NAME",
    "KNAME",
    "PKNAME",
    "MAJ:MIN",
    "FSTYPE",
    "MOUNTPOINT",
    "LABEL",
    "UUID",
    "PARTLABEL",
    "PARTUUID",
    "RA",
    "RO",
    "RM",
    "ROTA",
    "RAND",
    "MODEL",
    "SERIAL",
    "SIZE",
    "STATE",
    "OWNER",
    "GROUP",
    "MODE",
    "ALIGNMENT",
    "MIN-IO",
    "OPT-IO",
    "PHY-SEC",
    "LOG-SEC",
    "SCHED",
    "RQ-SIZE",
    "TYPE",
    "DISC-ALN",
    "DISC-GRAN",
    "DISC-MAX",
    "DISC-ZERO",
    "WSAME",
    "WWN",
    "HCTL",
    "TRAN",
    "REV",
    "VENDOR",
)
SINCE_2_32 = ("PARTTYPE", "HOTPLUG", "SUBSYSTEMS", "ZONED")
SINCE_2_37 = ("PATH", "PTTYPE", "PTUUID", "PARTTYPENAME")
_DEFAULT = ["NAME", "MAJ:MIN", "RM", "SIZE", "RO", "TYPE", "MOUNTPOINT"]
_RIGHT = {"MAJ:MIN", "RM", "SIZE", "RO", "ROTA", "RA", "RAND", "PHY-SEC", "LOG-SEC", "MIN-IO", "OPT-IO"}
_FLAGS = "abdfilmnpPrst"
_LONG = {
    "--pairs": "P",
    "--bytes": "b",
    "--nodeps": "d",
    "--noheadings": "n",
    "--list": "l",
    "--raw": "r",
    "--paths": "p",
    "--all": "a",
    "--ascii": "i",
    "--fs": "f",
    "--json": "J",
}


@dataclass
class _Request:
    columns: list[str]
    flags: set[str]
    names: list[str]


def _request(arguments: list[str], release: tuple[int, int]) -> _Request:
    letters = _FLAGS + "J" * (release >= (2, 27))
    columns: list[str] = []
    flags: set[str] = set()
    names: list[str] = []
    todo = list(arguments)
    while todo:
        word = todo.pop(0)
        if word.startswith("--output="):
            columns += word.partition("=")[2].split(",")
        elif word == "--output":
            columns += (todo.pop(0) if todo else "").split(",")
        elif word in _LONG and _LONG[word] in letters:
            flags.add(_LONG[word])
        elif word.startswith("--"):
            raise CommandError(f"lsblk: unrecognized option '{word}'", *_HINT)
        elif word.startswith("-") and len(word) > 1:
            for index, letter in enumerate(word[1:], 1):
                if letter == "o":
                    value = word[index + 1 :] or (todo.pop(0) if todo else "")
                    columns += value.split(",")
                    break
                if letter not in letters:
                    raise CommandError(f"lsblk: invalid option -- '{letter}'", *_HINT)
                flags.add(letter)
        else:
            names.append(word)
    if "f" in flags and not columns:
        columns = ["NAME", "FSTYPE", "LABEL", "UUID", "MOUNTPOINT"]
    columns = [column.upper() for column in columns if column] or list(_DEFAULT)
    known = COLUMNS + SINCE_2_32 * (release >= (2, 32)) + SINCE_2_37 * (release >= (2, 37))
    for column in columns:
        if column not in known:
            raise CommandError(f"lsblk: unknown column: {column.lower()}")
    return _Request(columns, flags, names)


_HINT = ("", "Usage:", " lsblk [options] [<device> ...]", "", "For more details see lsblk(8).")


def _human(size: int) -> str:
    for letter, power in (("T", 40), ("G", 30), ("M", 20), ("K", 10)):
        if size >= 1 << power:
            tenths = (size * 10 + (1 << (power - 1))) >> power
            return f"{tenths // 10}.{tenths % 10}{letter}" if tenths % 10 else f"{tenths // 10}{letter}"
    return f"{size}B"


def _ordered(host: Host, release: tuple[int, int]) -> list[Device]:
    if release >= (2, 32):
        return sorted(host.devices.values(), key=lambda device: (len(device.name), device.name))
    # Old lsblk printed the devices as the kernel's directory gave them: in no order.
    return sorted(host.devices.values(), key=lambda device: ord(device.name[-1]) * 5 % 13)


def lsblk(host: Host, arguments: list[str], release: tuple[int, int] = (2, 23)) -> str:
    """The output for one host. Raises CommandError for options that version lacks and for unknown devices."""
    request = _request(arguments, release)
    devices = _ordered(host, release)
    if request.names:
        devices = []
        for name in request.names:
            device = host.find_device(name)
            if device is None or not name.startswith("/dev/"):
                raise CommandError(f"lsblk: {name}: not a block device")
            devices.append(device)
    listed = list(rows(host, devices, deep="d" not in request.flags, short_wwn=release < (2, 29)))
    for row in listed:
        if "b" not in request.flags:
            row.values["SIZE"] = _human(int(row.values["SIZE"]))
        if "p" in request.flags:
            for column in ("NAME", "KNAME", "PKNAME"):
                if row.values.get(column):
                    row.values[column] = f"/dev/{row.values[column]}"
    if "J" in request.flags:
        return json.dumps({"blockdevices": _nested(listed, request.columns, typed=release >= (2, 33))}, indent=3) + "\n"
    if "P" in request.flags:
        # Only 2.37 made shell names of the keys.
        keys = {column: column.translate(_SHELL) if release == (2, 37) else column for column in request.columns}
        return "".join(
            " ".join(f'{keys[column]}="{row.values.get(column, "")}"' for column in request.columns) + "\n"
            for row in listed
        )
    if "r" in request.flags:
        lines = [] if "n" in request.flags else [" ".join(request.columns)]
        lines += [" ".join(row.values.get(column, "") for column in request.columns) for row in listed]
        return "".join(f"{line}\n" for line in lines)
    return _tree(listed, request)


_SHELL = str.maketrans("-:%", "___")
_TRUTHS = ("RO", "RM", "ROTA", "RAND", "HOTPLUG", "DISC-ZERO")


def _nested(listed: Sequence[Row], columns: Sequence[str], *, typed: bool) -> list[dict[str, Any]]:
    """The tree as JSON has it; `typed`: truths and numbers are no strings (since 2.33)."""
    top: list[dict[str, Any]] = []
    above: list[dict[str, Any]] = []
    for row in listed:
        entry: dict[str, Any] = {}
        for column in columns:
            text = row.values.get(column, "")
            value: str | int | bool | None = text or None
            if typed and text and column in _TRUTHS:
                value = text == "1"
            elif typed and text.isdecimal() and column in _RIGHT | {"SIZE"}:
                value = int(text)
            entry[column.lower()] = value
        depth = len(row.prefix)
        del above[depth:]
        (above[-1].setdefault("children", []) if above else top).append(entry)
        above.append(entry)
    return top


def _tree(listed: Sequence[Row], request: _Request) -> str:
    ascii_only = "i" in request.flags
    signs = {" ": "  ", "|": "| ", "+": "|-", "L": "`-"} if ascii_only else {" ": "  ", "|": "│ ", "+": "├─", "L": "└─"}
    table = [] if "n" in request.flags else [list(request.columns)]
    for row in listed:
        cells = [row.values.get(column, "") for column in request.columns]
        if "l" not in request.flags and request.columns[0] == "NAME":
            cells[0] = "".join(signs[sign] for sign in row.prefix) + cells[0]
        table.append(cells)
    widths = [max((len(cells[index]) for cells in table), default=0) for index in range(len(request.columns))]
    lines = []
    for cells in table:
        padded = [
            f"{cell:>{width}}" if column in _RIGHT else f"{cell:<{width}}"
            for column, cell, width in zip(request.columns, cells, widths, strict=True)
        ]
        lines.append(" ".join(padded).rstrip())
    return "".join(f"{line}\n" for line in lines)
