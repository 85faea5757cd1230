"""`lsblk` as util-linux 2.23 prints it: -P pairs and the tree, rows in directory order, no JSON.

An NSD of GPFS 3.5 leaves no signature: its device looks empty here. That is true to life and the reason why the
cluster's own listing must be asked too.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from simulator.hardware import Array, Device, Host, Partition
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
_DEFAULT = ["NAME", "MAJ:MIN", "RM", "SIZE", "RO", "TYPE", "MOUNTPOINT"]
_RIGHT = {"MAJ:MIN", "RM", "SIZE", "RO", "ROTA", "RA", "RAND", "PHY-SEC", "LOG-SEC", "MIN-IO", "OPT-IO"}
_FLAGS = "abdfilmnpPrst"
_LONG = dict(
    zip(
        ["--pairs", "--bytes", "--nodeps", "--noheadings", "--list", "--raw", "--paths", "--all", "--ascii", "--fs"],
        ["P", "b", "d", "n", "l", "r", "p", "a", "i", "f"],
        strict=True,
    )
)


@dataclass
class _Row:
    """A line of the listing; `prefix` is the branch of the tree before its name, as `|`, `+` and `L` for now."""

    values: dict[str, str]
    prefix: str = ""


@dataclass
class _Request:
    columns: list[str]
    flags: set[str]
    names: list[str]


def _request(arguments: list[str]) -> _Request:
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
        elif word in _LONG:
            flags.add(_LONG[word])
        elif word.startswith("--"):
            raise CommandError(f"lsblk: unrecognized option '{word}'", *_HINT)
        elif word.startswith("-") and len(word) > 1:
            for index, letter in enumerate(word[1:], 1):
                if letter == "o":
                    value = word[index + 1 :] or (todo.pop(0) if todo else "")
                    columns += value.split(",")
                    break
                if letter not in _FLAGS:
                    raise CommandError(f"lsblk: invalid option -- '{letter}'", *_HINT)
                flags.add(letter)
        else:
            names.append(word)
    if "f" in flags and not columns:
        columns = ["NAME", "FSTYPE", "LABEL", "UUID", "MOUNTPOINT"]
    columns = [column.upper() for column in columns if column] or list(_DEFAULT)
    for column in columns:
        if column not in COLUMNS:
            raise CommandError(f"lsblk: unknown column: {column.lower()}")
    return _Request(columns, flags, names)


_HINT = ("", "Usage:", " lsblk [options] [<device> ...]", "", "For more details see lsblk(8).")


def _human(size: int) -> str:
    for letter, power in (("T", 40), ("G", 30), ("M", 20), ("K", 10)):
        if size >= 1 << power:
            tenths = (size * 10 + (1 << (power - 1))) >> power
            return f"{tenths // 10}.{tenths % 10}{letter}" if tenths % 10 else f"{tenths // 10}{letter}"
    return f"{size}B"


def _common(device: Device, name: str, size: int, kind: str) -> dict[str, str]:
    return {
        "NAME": name,
        "KNAME": name,
        "SIZE": str(size),
        "TYPE": kind,
        "ROTA": str(int(device.rotational)),
        "RO": "0",
        "RM": "0",
        "RA": "128",
        "RAND": str(int(not device.rotational)),
        "OWNER": "root",
        "GROUP": "disk",
        "MODE": "brw-rw----",
        "ALIGNMENT": "0",
        "MIN-IO": "512" if device.rotational else "4096",
        "OPT-IO": "0",
        "PHY-SEC": "512" if device.rotational else "4096",
        "LOG-SEC": "512",
        "SCHED": "cfq",
        "RQ-SIZE": "128",
        "DISC-ALN": "0",
        "DISC-GRAN": "0B",
        "DISC-MAX": "0B",
        "DISC-ZERO": "0",
        "WSAME": "0B",
    }


def _disk(device: Device) -> dict[str, str]:
    return _common(device, device.name, device.size_bytes, "disk") | {
        "MAJ:MIN": f"8:{device.minor}",
        "MODEL": device.model,
        "SERIAL": device.serial,
        "STATE": "running",
        "WWN": device.wwn,
        "HCTL": device.hctl,
        "TRAN": device.transport,
        "VENDOR": device.vendor,
        "REV": "1.0 ",
    }


def _partition(device: Device, part: Partition) -> dict[str, str]:
    return _common(device, f"{device.name}{part.number}", part.size_bytes, "part") | {
        "PKNAME": device.name,
        "MAJ:MIN": f"8:{device.minor + part.number}",
        "FSTYPE": part.fstype,
        "MOUNTPOINT": part.mountpoint,
        "WWN": device.wwn,
    }


def _array(device: Device, part: Partition, array: Array) -> dict[str, str]:
    return _common(device, array.name, array.size_bytes, array.level) | {
        "PKNAME": f"{device.name}{part.number}",
        "MAJ:MIN": f"9:{array.name.removeprefix('md')}",
        "FSTYPE": array.fstype,
        "MOUNTPOINT": array.mountpoint,
    }


def _rows(host: Host, devices: list[Device], deep: bool) -> Iterator[_Row]:
    for device in devices:
        yield _Row(_disk(device))
        for part in device.partitions if deep else ():
            last = part is device.partitions[-1]
            yield _Row(_partition(device, part), "L" if last else "+")
            if part.array in host.arrays:
                yield _Row(_array(device, part, host.arrays[part.array]), " L" if last else "|L")


def _directory_order(host: Host) -> list[Device]:
    # Old lsblk printed the devices as the kernel's directory gave them: in no order.
    return sorted(host.devices.values(), key=lambda device: ord(device.name[-1]) * 5 % 13)


def lsblk(host: Host, arguments: list[str], release: tuple[int, int] = (2, 23)) -> str:
    """The output for one host. Raises CommandError for options that version lacks and for unknown devices."""
    request = _request(arguments)
    devices = _directory_order(host)
    if request.names:
        devices = []
        for name in request.names:
            device = host.find_device(name)
            if device is None or not name.startswith("/dev/"):
                raise CommandError(f"lsblk: {name}: not a block device")
            devices.append(device)
    rows = list(_rows(host, devices, deep="d" not in request.flags))
    for row in rows:
        if "b" not in request.flags:
            row.values["SIZE"] = _human(int(row.values["SIZE"]))
        if "p" in request.flags:
            for column in ("NAME", "KNAME", "PKNAME"):
                if row.values.get(column):
                    row.values[column] = f"/dev/{row.values[column]}"
    if "P" in request.flags:
        return "".join(
            " ".join(f'{column}="{row.values.get(column, "")}"' for column in request.columns) + "\n" for row in rows
        )
    if "r" in request.flags:
        lines = [] if "n" in request.flags else [" ".join(request.columns)]
        lines += [" ".join(row.values.get(column, "") for column in request.columns) for row in rows]
        return "".join(f"{line}\n" for line in lines)
    return _tree(rows, request)


def _tree(rows: list[_Row], request: _Request) -> str:
    ascii_only = "i" in request.flags
    signs = {" ": "  ", "|": "| ", "+": "|-", "L": "`-"} if ascii_only else {" ": "  ", "|": "│ ", "+": "├─", "L": "└─"}
    table = [] if "n" in request.flags else [list(request.columns)]
    for row in rows:
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
