"""`restripe verify`: a stanza file proven against the servers that it names, for people and for cron. It only asks."""

from __future__ import annotations

import getpass
import os
import socket
import sys
import textwrap
import time
from pathlib import Path
from typing import Any

import msgspec

from remote.errors import SiteError
from remote.text import one_line, safe
from supervision.filesystems import Sites
from supervision.gpfs_stanzacheck import Proven
from supervision.gpfs_verify import UnreadError, Verified, verify
from supervision.pins import LARGEST, VERSION, PinError, Pins, read_pins, write_pins
from supervision.verdicts import Level, gathered, whose
from tui.connecting import Target, look
from tui.exits import Exit
from tui.tables import size_text, table

_SIGNS = {Level.OK: "ok", Level.NOTE: "-", Level.WARNING: "!", Level.BLOCK: "!!"}


async def run(
    stanza: str, target: Target, fs: str, *, pin: Path | None, against: Path | None, as_json: bool, sites: Sites
) -> Exit:
    """Look at every server that the stanzas name, and print what is proven."""
    try:
        text = _read_stanza(stanza)
        pinned = read_pins(_bytes(against)) if against else None
        _must_be_new(pin)
    except UsageError as error:
        return _say(f"{error}", Exit.USAGE)
    except PinError as error:
        return _say(f"{against}: {error}", Exit.USAGE)
    try:
        async with look(target, fs) as supervisor:
            verified = await verify(supervisor, text, pinned, sites=sites)
    except (SiteError, UnreadError) as error:
        return _say(str(error), Exit.UNKNOWN)  # not even the nodes are known: nothing is proven
    except ValueError as error:  # a name that no command may be built of
        return _say(str(error), Exit.USAGE)
    ends = ending(verified)
    written = ""
    if pin:
        try:
            written = _write(pin, verified, ends)
        except OSError as error:
            return _say(f"{pin}: {error.strerror or error}", Exit.FAILED)
    if as_json:
        sys.stdout.write(msgspec.json.encode(_data(verified, ends, fs, target.host)).decode() + "\n")
    else:
        about = f"{verified.cluster}{f', file system {fs}' if fs else ''}"
        when = time.strftime("%Y-%m-%d %H:%M:%S %Z")
        head = _wrapped(f"{about}: looked at {when}, by way of {target.host}", "  ")
        sys.stdout.write("".join(safe(line) + "\n" for line in (*head, "", *lines(verified, ends))))
    if written:
        sys.stderr.write(f"{safe(written)}\n")
    return ends


def ending(verified: Verified) -> Exit:
    """How it ends: what blocks weighs more than what could not be read, and that more than a warning."""
    if verified.level is Level.BLOCK:
        return Exit.UNKNOWN if verified.only_unread else Exit.REFUSED
    return Exit.WARNINGS if verified.level is Level.WARNING else Exit.DONE


def lines(verified: Verified, ends: Exit) -> list[str]:
    """The table, then every verdict that is not plain proof, the worst first, then the result."""
    rows = [_row(one, verified) for one in verified.judged.proven]
    told = table(("", "NSD", "server", "device", "size", "model", "identity"), rows, right=(4,)) if rows else []
    for verdict, same in gathered(verified.judged.verdicts):
        if verdict.level is Level.OK:
            continue
        word = verdict.level.word.upper() if verdict.level > Level.NOTE else "note"
        whom = whose(same)
        told += ["", *_wrapped(f"{word} {verdict.kind}: {f'{whom}: ' if whom else ''}{verdict.text}", "  ")]
        told += _wrapped(verdict.advice, "     ", "  -> ") if verdict.advice else []
    for line in verified.by_hand:
        told += ["", f"{line.label}: {line.value}"]  # whole, however long: a person copies it
        told += _wrapped(line.advice, "     ", "  -> ") if line.advice else []
    return [*told, "", _result(verified, ends)]


def _wrapped(text: str, indent: str, first: str = "") -> list[str]:
    """A text in lines that a terminal of 80 columns shows whole; nothing that a person may copy is broken."""
    made = textwrap.wrap(
        one_line(text),
        80,
        initial_indent=first,
        subsequent_indent=indent,
        break_long_words=False,
        break_on_hyphens=False,
    )
    return made or [first]


def _row(one: Proven, verified: Verified) -> tuple[object, ...]:
    seen = one.seen
    level = max((v.level for v in verified.judged.verdicts if v.about == one.stanza.nsd), default=Level.OK)
    size = size_text(seen.identity.size_bytes // 1024) if seen else None
    server = one.stanza.servers[0] if one.stanza.servers else None
    device = one.stanza.device or (seen.name if seen else None)
    identity = (seen.identity.text or "none") if seen else None
    return (_SIGNS[level], one.stanza.nsd, server, device, size, seen.model if seen else None, identity)


def _result(verified: Verified, ends: Exit) -> str:
    many = len(verified.judged.proven)
    proven = sum(
        1
        for one in verified.judged.proven
        if all(v.level < Level.BLOCK for v in verified.judged.verdicts if v.about == one.stanza.nsd)
    )
    whole = f"{proven} of {many} devices"
    rest = "the others" if proven < many else "the rest"
    return {
        Exit.DONE: f"PROVEN: {many} of {many} devices are what the file means; nothing speaks against them",
        Exit.WARNINGS: f"PROVEN, with warnings: {whole} are what the file means; read them above",
        Exit.UNKNOWN: f"UNKNOWN: {whole} are proven, {rest} could not be read. Unknown is not ok",
        Exit.REFUSED: f"BLOCKED: do not run mmcrnsd with this file ({whole} are proven)",
    }[ends]


def _data(verified: Verified, ends: Exit, fs: str, host: str) -> dict[str, Any]:
    return {
        "host": host,
        "cluster": verified.cluster,
        "file_system": fs,
        "looked_at": time.time(),
        "exit": int(ends),
        "level": verified.level.word,
        "stanzas": [
            {
                "nsd": one.stanza.nsd,
                "device": one.stanza.device,
                "servers": one.stanza.servers,
                "made": one.made,
                "means": {
                    "host": one.seen.host,
                    "name": one.seen.name,
                    "identity": one.seen.identity.text,
                    "size_bytes": one.seen.identity.size_bytes,
                    "model": one.seen.model,
                    "serial": one.seen.serial,
                    "names": one.seen.names,
                }
                if one.seen
                else None,
            }
            for one in verified.judged.proven
        ],
        "verdicts": [
            {**msgspec.structs.asdict(verdict), "level": verdict.level.word} for verdict in verified.judged.verdicts
        ],
    }


def _write(path: Path, verified: Verified, ends: Exit) -> str:
    """Write the pin, unless something blocks: then there is nothing to go by. Returns what was done."""
    if ends not in (Exit.DONE, Exit.WARNINGS):
        return f"{path} was not written: a pin is of proven devices only"
    by = f"{getpass.getuser()}@{socket.gethostname()}"
    pins = Pins(VERSION, verified.cluster, time.time(), by, verified.judged.pins)
    with path.open("xb") as file:
        file.write(write_pins(pins))
        file.flush()
        os.fsync(file.fileno())
    return f"{len(pins.devices)} devices pinned in {path}"


class UsageError(Exception):
    """A file that cannot be read; the text says which and why."""


def _must_be_new(pin: Path | None) -> None:
    if pin and pin.exists():
        raise UsageError(f"{pin} is there already: a pin is compared (--against), never overwritten")


def _read_stanza(name: str) -> str:
    data = sys.stdin.buffer.read(LARGEST + 1) if name == "-" else _bytes(Path(name))
    if len(data) > LARGEST:
        raise UsageError(f"{name} is larger than any stanza file")
    try:
        text = data.decode()
    except UnicodeDecodeError as error:
        raise UsageError(f"{name} is no text: byte {error.start} is not UTF-8") from None
    if "%" not in text:
        raise UsageError(f"{name} holds no stanza (%nsd: ...)")
    return text


def _bytes(path: Path) -> bytes:
    try:
        with path.open("rb") as file:
            return file.read(LARGEST + 1)
    except OSError as error:
        raise UsageError(f"{path}: {error.strerror or error}") from None


def _say(text: str, ends: Exit) -> Exit:
    sys.stderr.write(f"restripe verify: {one_line(text)}\n")
    return ends
