"""Facts: what the answers to questions mean, with their age.

A fact keeps its last good model when a later question fails, so its age and the failure can both be shown.
"""

from __future__ import annotations

import asyncio
from collections import OrderedDict
from typing import Any

import msgspec

from remote.command import Command
from remote.events import Reply
from remote.linux.commands import lsblk, lsblk_json
from remote.linux.contents_parsing import parse_signatures
from remote.linux.diskstats import parse_io
from remote.linux.host_time import parse_host_time
from remote.linux.inventory_parsing import parse_devices
from remote.linux.log_tails import parse_logs
from remote.linux.lsblk import json_refused, parse_lsblk
from remote.linux.nightly import parse_nightly
from remote.linux.room import parse_room
from remote.linux.scans_parsing import parse_scans
from remote.linux.work import parse_work
from remote.parsed import Parsed
from remote.text import decode, last_lines
from supervision.reading import Parser, Reading

LARGE = 32 * 1024
"""Bytes from which on an answer is read in slices."""


class Fact(msgspec.Struct, frozen=True):
    """What one question told. `at` is when it was asked for what `parsed` holds (Site's clock).

    `failure` is set while the latest answer was no good; `failed_at` says when that was. `never` says that this release
    has no such question: it is not asked again by itself.
    """

    key: str
    host: str
    command: str
    at: float = 0.0
    took: float = 0.0
    parsed: Parsed[Any] | None = None
    source: Reply | None = None
    failure: str = ""
    failed_at: float = 0.0
    never: bool = False


def reader(reading: Reading, host: str, command: Command) -> tuple[str, Parser] | None:
    """The key under which a command's answer is kept, and what reads it; None when nothing does.

    What hosts tell of themselves is the same whatever their file system is; of all else the kind has the word.
    """
    match command.argv:
        case "lsblk", *_:
            return f"devices {host}", parse_lsblk
        case ("restripe-devices",):
            return f"inventory {host}", parse_devices
        case ("restripe-signatures",):
            return f"contents {host}", parse_signatures
        case "restripe-scans", *_:
            return f"scans {host}", parse_scans
        case "restripe-programs", *_:
            return f"programs {host}", parse_scans
        case ("restripe-nightly",):
            return f"nightly {host}", parse_nightly
        case "restripe-logs", *_:
            return f"logs {host}", parse_logs
        case ("restripe-io",):
            return f"io {host}", parse_io
        case "restripe-work", *_:
            return f"work {host}", parse_work
        case "restripe-room", *_:
            return f"room {host}", parse_room
        case "date", "+%s %z":
            return f"time {host}", parse_host_time
    return reading.reader(host, command)


def better_form(reading: Reading, command: Command) -> Command | None:
    """A form of a question that is easier to read, to be tried first; None where there is none."""
    return lsblk_json() if command == lsblk() else reading.better_form(command)


def form_refused(reading: Reading, command: Command, reply: Reply) -> str:
    """Why a reply is no answer but only a release's word that it lacks this form of a question; empty when it is."""
    return refusal(reading, command, reply.rc, reply.out.data, reply.err.data)


def refusal(reading: Reading, command: Command, rc: int, out: bytes, err: bytes) -> str:
    """The same for an answer that is not recorded yet."""
    if command.argv[:2] == ("lsblk", "-J"):
        return "no JSON in this release; it is asked without" if json_refused(rc, decode(err)) else ""
    return reading.form_refused(command, rc, decode(out), decode(err))


class Ahead:
    """Answers that were read before they were learned, in slices between which others have their turn.

    Ten thousand disks take a tenth of a second to read: too long for one turn of the loop. Bounded; losing an entry
    costs nothing but that turn.
    """

    def __init__(self, reading: Reading, most: int = 64) -> None:
        self._reading = reading
        self._most = most
        self._held: OrderedDict[tuple[str, Reply], Parsed[Any]] = OrderedDict()

    async def read(self, host: str, command: Command, reply: Reply) -> None:
        """Read a large answer now; a small one is not worth it."""
        found = reader(self._reading, host, command)
        if found is None or reply.rc != 0 or len(reply.out.data) < LARGE:
            return
        key = (found[0], reply)
        if key in self._held:
            return
        steps = self._reading.slices(command, decode(reply.out.data), decode(reply.err.data))
        while steps:
            try:
                next(steps)
            except StopIteration as ended:
                self._held[key] = ended.value
                break
            await asyncio.sleep(0)
        while len(self._held) > self._most:
            self._held.popitem(last=False)

    def take(self, key: str, reply: Reply) -> Parsed[Any] | None:
        """What was read ahead, once."""
        return self._held.pop((key, reply), None)


def learn(
    reading: Reading,
    fact: Fact | None,
    host: str,
    command: Command,
    reply: Reply,
    asked_at: float,
    at: float,
    ahead: Ahead | None = None,
) -> Fact | None:
    """The fact after an answer; None when the answer tells nothing of it. `ahead` may have read it already."""
    found = reader(reading, host, command)
    if found is None:
        return None
    key, parse = found
    if form_refused(reading, command, reply):
        return None  # the human form is asked for next
    before = fact or Fact(key, host, command.text)
    overtaken = before.parsed is not None and before.at > asked_at  # a later question was answered sooner
    said = (command, reply.rc, decode(reply.out.data), decode(reply.err.data)) if reply.rc != 0 else None
    if said and not reading.answers(*said):
        if overtaken:
            return None
        lacks = reading.lacks(*said)
        if lacks:
            return msgspec.structs.replace(before, failure=lacks, failed_at=at, never=True)
        text = last_lines(reply.err.data) or last_lines(reply.out.data)
        return msgspec.structs.replace(before, failure=f"exit code {reply.rc}: {text}", failed_at=at)
    # the same bytes mean the same: most answers of a quiet night are what they were
    unchanged = before.source == reply and before.parsed is not None
    parsed = before.parsed if unchanged else ahead.take(key, reply) if ahead else None
    if parsed is None:
        parsed = parse(decode(reply.out.data), decode(reply.err.data))
    if overtaken:
        return None
    return Fact(key, host, command.text, asked_at, at - asked_at, parsed, reply)
