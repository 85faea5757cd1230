"""What util-linux knows of what lies on a device, asked in three ways and in no other.

`blkid -p -o export -c /dev/null DEVICE`, `wipefs -n -p DEVICE` and `partx -s -g -o TYPE DEVICE` only read. A device
that hangs holds them up until it no longer does.
"""

from __future__ import annotations

import re

from simulator import ondisk
from simulator.blocknodes import Node, find, known
from simulator.hardware import Host
from simulator.ondisk import FORMATS, Known
from simulator.usage import Arguments, CommandError, UsageError, parse
from simulator.world import Call, World

_NOTHING = 2
_USAGE = 4
_AMBIVALENT = 8
_UNSAFE = re.compile(r"[ \\\"'$`<>]")


def _asked(call: Call, flags: str, valued: str, fixed: dict[str, str], rc: int) -> str:
    """The one device of a command line that must have exactly these options."""
    try:
        given: Arguments = parse(call.argv[1:], flags, valued)
    except UsageError:
        given = Arguments()
    if given.options != fixed or len(given.words) != 1:
        words = " ".join(f"{name} {value}".strip() for name, value in fixed.items())
        raise CommandError(f"{call.name}: simulated only as: {call.name} {words} DEVICE", rc=rc)
    return given.words[0]


async def _read(world: World, call: Call, name: str) -> Node | None:
    node = find(call.host, name)
    if node is not None:
        await world.readable(node.device)
        # It may have become another one meanwhile.
        node = find(call.host, name)
    return node


def _partition(node: Node) -> list[tuple[str, str]]:
    device, part = node.device, node.part
    if part is None:
        return []
    label = ondisk.part_label(part)
    return [
        ("PART_ENTRY_SCHEME", ondisk.table_of(device)),
        *([("PART_ENTRY_NAME", label)] if label else []),
        ("PART_ENTRY_UUID", ondisk.part_uuid(device, part)),
        ("PART_ENTRY_TYPE", ondisk.part_type(device, part)),
        ("PART_ENTRY_NUMBER", str(part.number)),
        ("PART_ENTRY_OFFSET", str(ondisk.part_start(device, part))),
        ("PART_ENTRY_SIZE", str(part.size_bytes // ondisk.SECTOR)),
        ("PART_ENTRY_DISK", device.dev),
    ]


def _content(each: Known) -> list[tuple[str, str]]:
    form = FORMATS[each.type]
    pairs = [
        ("UUID", each.uuid),
        ("UUID_SUB", each.part),
        ("LABEL", each.label),
        ("VERSION", form.version),
        ("TYPE", each.type),
        ("USAGE", form.usage),
    ]
    return [(key, value) for key, value in pairs if value]


def _table(node: Node, release: tuple[int, int]) -> list[tuple[str, str]]:
    if node.part is not None or node.array is not None or not (table := ondisk.table_of(node.device)):
        return []
    own = [("PTUUID", ondisk.table_uuid(node.device))] if release >= (2, 24) else []
    return [*own, ("PTTYPE", table)]


async def blkid(world: World, call: Call) -> None:
    """The only file system, member or partition table on a device; 2 for none, 8 for several of them."""
    name = _asked(call, "-p", "-o -c", {"-p": "", "-o": "export", "-c": "/dev/null"}, _USAGE)
    node = await _read(world, call, name)
    if node is None:
        raise CommandError(rc=_NOTHING)
    found = known(call.host, node)
    if len(found) > 1:
        more = "(probably more filesystems on the device, use wipefs(8) to see more details)"
        raise CommandError(f"blkid: {name}: ambivalent result {more}", rc=_AMBIVALENT)
    pairs = [pair for each in found for pair in _content(each)]
    pairs += [*_table(node, world.dialect.lsblk), *_partition(node)]
    if not pairs:
        raise CommandError(rc=_NOTHING)
    lines = [("DEVNAME", name), *((key, _UNSAFE.sub(r"\\\g<0>", value)) for key, value in pairs)]
    await call.emit("".join(f"{key}={value}\n" for key, value in lines))


def _signatures(host: Host, node: Node) -> list[str]:
    rows: list[str] = []
    for each in known(host, node):
        form = FORMATS[each.type]
        for offset in (form.offset, *form.others):
            rows.append(f"0x{offset:x},{each.uuid},{each.label},{each.type}")
    table = ondisk.table_of(node.device) if node.part is None and node.array is None else ""
    if table == "gpt":
        kinds = ("gpt", "gpt", "PMBR")
        places = zip(ondisk.offsets(node.device), kinds, strict=True)
        rows += [f"0x{offset:x},,,{kind}" for offset, kind in places]
    elif table:
        rows.append(f"0x1fe,,,{table}")
    return rows


async def wipefs(world: World, call: Call) -> None:
    """All signatures on a device, one a line; nothing for none. Releases before 2.31 have a heading."""
    name = _asked(call, "-n -p", "", {"-n": "", "-p": ""}, 1)
    node = await _read(world, call, name)
    if node is None:
        raise CommandError(f"wipefs: error: {name}: probing initialization failed: No such file or directory")
    rows = _signatures(call.host, node)
    if rows and world.dialect.lsblk < (2, 31):
        rows.insert(0, "# offset,uuid,label,type")
    await call.emit("".join(f"{row}\n" for row in rows))


async def partx(world: World, call: Call) -> None:
    """The types of the entries of a device's partition table, one a line."""
    name = _asked(call, "-s -g", "-o", {"-s": "", "-g": "", "-o": "TYPE"}, 1)
    node = await _read(world, call, name)
    if node is None:
        raise CommandError(f"partx: stat of {name} failed: No such file or directory")
    if node.part is not None or node.array is not None or not node.device.partitions:
        raise CommandError(f"partx: {name}: failed to read partition table")
    await call.emit("".join(f"{ondisk.part_type(node.device, part)}\n" for part in node.device.partitions))
