"""`restripe parse`: any saved output of a command, as JSON.

The output may be all that a command printed, with stderr mixed in, or a piece of a terminal session that begins with
the prompt and the command. Prompt lines become notes, and so does what other commands printed in between.
"""

from __future__ import annotations

import re
import shlex
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import click
import msgspec

from remote.gfs2 import parsers as gfs2
from remote.gfs2.use_parsing import parse_use
from remote.gpfs import parsers
from remote.linux.blkid import parse_blkid
from remote.linux.contents_parsing import parse_signatures
from remote.linux.diskstats import parse_io
from remote.linux.host_time import parse_host_time
from remote.linux.inventory_parsing import parse_devices
from remote.linux.log_tails import parse_logs
from remote.linux.lsblk import parse_lsblk
from remote.linux.nightly import parse_nightly
from remote.linux.room import parse_room
from remote.linux.scans_parsing import parse_scans
from remote.linux.work import parse_work
from remote.parsed import Note, Parsed
from remote.text import decode, one_line
from tui.exits import Exit

_OTHERS: dict[str, Callable[[str], Parsed[Any]]] = {
    "blkid": parse_blkid,
    "date": parse_host_time,
    "lsblk": parse_lsblk,
    "restripe-devices": parse_devices,
    "restripe-gfs2-use": parse_use,
    "restripe-io": parse_io,
    "restripe-logs": parse_logs,
    "restripe-nightly": parse_nightly,
    "restripe-room": parse_room,
    "restripe-scans": parse_scans,
    "restripe-signatures": parse_signatures,
    "restripe-work": parse_work,
    "stanza": parsers.parse_stanzas,
}
_WHOLE = tuple(name for name in _OTHERS if name == "stanza" or name.startswith("restripe-"))
"""What is saved as a file of its own, and may hold what looks like a prompt."""
_LONGEST_PROMPT = 1000
_WHO = r"(?:\[[^\[\]]*\]|[\w.@:~/-]*)"
_PROMPT = re.compile(
    rf"\s*{_WHO}\s?[#$]\s+(?:sudo\s+(?:-n\s+)?)?(?:(?:[\w./-]*/)?time\s+)?(?:[\w./-]*/)?"
    rf"(?P<command>mm[a-z]+|lsblk|date|blkid|{'|'.join(map(re.escape, gfs2.PROGRAMS))})(?P<rest>\s.*)?\Z"
)
_BARE_PROMPT = re.compile(r"(?:\[[^\[\]]*\]|\S+@\S+)\s?[#$]\Z")


def known() -> list[str]:
    """The commands whose outputs are understood."""
    return sorted([*parsers.STEPS, *gfs2.PARSERS, *_OTHERS])


def run(command: str, file: str) -> Exit:
    """Parse what is saved in a file (`-`: stdin). FAILED tells of problems, USAGE of nothing to read."""
    argv = _argv(command)
    if argv[0] not in known():
        click.echo(f"{one_line(ascii(command))} is not understood. Known: {', '.join(known())}", err=True)
        return Exit.USAGE
    try:
        data = sys.stdin.buffer.read() if file == "-" else Path(file).read_bytes()
    except (OSError, ValueError) as error:
        click.echo(f"cannot read {one_line(ascii(file))}: {getattr(error, 'strerror', None) or error}", err=True)
        return Exit.USAGE
    parsed = understood(argv, decode(data).removeprefix("\ufeff"))
    answer = {"command": argv[0], "model": parsed.model, "notes": parsed.notes, "problems": parsed.problems}
    click.echo(msgspec.json.format(msgspec.json.encode(answer), indent=2))
    return Exit.DONE if parsed.ok else Exit.FAILED


def understood(argv: tuple[str, ...], text: str) -> Parsed[Any]:
    """What a saved text tells. Its own prompt line says the options when `argv` does not."""
    name = argv[0]
    prompts: list[Note] = []
    if name not in _WHOLE:
        text, prompts, options = _without_prompts(text, name)
        argv = argv if len(argv) > 1 else (name, *options)
    parsed = parsers.parse(argv, text) if name in parsers.STEPS else _parser(name)(text)
    notes = sorted([*prompts, *parsed.notes], key=lambda note: note.line)
    return Parsed(parsed.model, tuple(notes), parsed.problems)


def _parser(name: str) -> Callable[[str], Parsed[Any]]:
    found = gfs2.PARSERS.get(name)
    return _OTHERS[name] if found is None else lambda text: found(text, "")


def _without_prompts(text: str, name: str) -> tuple[str, list[Note], tuple[str, ...]]:
    """The text with prompt lines and the outputs of other commands made empty, these as notes, and the options."""
    if "#" not in text and "$" not in text:
        return text, [], ()
    lines = text.replace("\r\n", "\n").replace("\r", "\n").split("\n")
    notes: list[Note] = []
    options: tuple[str, ...] = ()
    of_another = False
    for index, line in enumerate(lines):
        prompt = _PROMPT.match(line) if len(line) < _LONGEST_PROMPT else None
        if prompt is not None:
            words = (prompt["rest"] or "").split()
            of_another = name not in (prompt["command"], gfs2.named((prompt["command"], *words)))
            options = options if of_another else tuple(words)
        elif not of_another and not (len(line) < _LONGEST_PROMPT and _BARE_PROMPT.match(line.strip())):
            continue
        if line.strip():
            notes.append(Note(index + 1, line.strip()))
        lines[index] = ""
    return "\n".join(lines), notes, options


def _argv(command: str) -> tuple[str, ...]:
    """The command as a person may give it: a bare name, a path, or a whole command line."""
    try:
        words = shlex.split(command)
    except ValueError:
        words = []
    argv = (words[0].rpartition("/")[2], *words[1:]) if words else ("",)
    name = gfs2.named(argv)
    return (name, *argv[1:]) if name else argv
