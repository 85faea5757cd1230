"""Facts: what the answers to questions mean, with their age. One registry says which parser reads which command.

A fact keeps its last good model when a later question fails, so its age and the failure can both be shown.
"""

from __future__ import annotations

import asyncio
from collections import OrderedDict
from collections.abc import Callable, Mapping
from typing import Any, TypeVar

import msgspec

from remote.command import Command
from remote.events import Reply
from remote.gpfs import parsers
from remote.gpfs.dialects import machine_refused
from remote.gpfs.models import (
    Cluster,
    DiskList,
    FileSystem,
    FsSpace,
    Managers,
    Mounts,
    NodeStates,
    NsdDevices,
    NsdList,
    Waiters,
)
from remote.linux.host_time import HostTime, parse_host_time
from remote.linux.lsblk import parse_lsblk_pairs
from remote.linux.models import BlockDevices
from remote.parsed import Parsed
from remote.text import decode, last_lines

LARGE = 32 * 1024
"""Bytes from which on an answer is read in slices."""
IN_SLICES = frozenset(("mmlscluster", "mmgetstate", "mmlsdisk", "mmdf", "mmlsnsd"))
"""Commands whose answers grow with the cluster."""

Parser = Callable[[str, str], Parsed[Any]]
T = TypeVar("T")


class Fact(msgspec.Struct, frozen=True):
    """What one question told. `at` is when it was asked for what `parsed` holds (Site's clock).

    `failure` is set while the latest answer was no good; `failed_at` says when that was.
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


def reader(host: str, command: Command) -> tuple[str, Parser] | None:
    """The key under which a command's answer is kept, and what reads it; None when nothing does.

    Both forms of a command, with `-Y` and without, tell the same fact.
    """
    name, *rest = command.argv
    match name, [word for word in rest if word != "-Y"]:
        case "mmlscluster", []:
            return "cluster", parsers.parse_mmlscluster
        case "mmlsfs", [fs]:
            return f"filesystem {fs}", lambda out, err: parsers.parse_mmlsfs(out, err, name=fs)
        case "mmlsdisk", [fs]:
            return f"disks {fs}", parsers.parse_mmlsdisk
        case "mmlsdisk", [fs, "-L"]:
            return f"disk details {fs}", parsers.parse_mmlsdisk
        case "mmdf", [fs]:
            return f"space {fs}", parsers.parse_mmdf
        case "mmdf", [fs, "-m"]:
            return f"metadata space {fs}", parsers.parse_mmdf
        case "mmlsnsd", ["-X"]:
            return "nsd devices", parsers.parse_mmlsnsd_x
        case "mmlsnsd", ["-a"] | ["-a", "-L"] | ["-L"] | []:
            return "nsds", parsers.parse_mmlsnsd_list
        case "mmgetstate", ["-a"]:
            return "node states", parsers.parse_mmgetstate
        case "mmgetstate", []:
            return f"node state {host}", parsers.parse_mmgetstate  # of its own daemon: asks no other node
        case "mmdiag", ["--waiters"]:
            return f"waiters {host}", parsers.parse_mmdiag_waiters
        case "mmlsmgr", []:
            return "managers", parsers.parse_mmlsmgr
        case "mmlsmount", [fs] | [fs, "-L"]:
            return f"mounts {fs}", parsers.parse_mmlsmount
        case "lsblk", _:
            return f"devices {host}", parse_lsblk_pairs
        case "date", ["+%s %z"]:
            return f"time {host}", parse_host_time
    return None


def form_refused(command: Command, reply: Reply) -> bool:
    """Whether this is only a release's word that it has no `-Y` for a command."""
    return "-Y" in command.argv and machine_refused(reply.rc, decode(reply.out.data), decode(reply.err.data))


class Ahead:
    """Answers that were read before they were learned, in slices between which others have their turn.

    Ten thousand disks take a tenth of a second to read: too long for one turn of the loop. Bounded; losing an entry
    costs nothing but that turn.
    """

    def __init__(self, most: int = 64) -> None:
        self._most = most
        self._held: OrderedDict[tuple[str, Reply], Parsed[Any]] = OrderedDict()

    async def read(self, host: str, command: Command, reply: Reply) -> None:
        """Read a large answer now; a small one is not worth it."""
        found = reader(host, command)
        if found is None or reply.rc != 0 or len(reply.out.data) < LARGE or command.argv[0] not in IN_SLICES:
            return
        key = (found[0], reply)
        if key in self._held:
            return
        steps = parsers.steps(command.argv, decode(reply.out.data), decode(reply.err.data))
        while True:
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
    fact: Fact | None,
    host: str,
    command: Command,
    reply: Reply,
    asked_at: float,
    at: float,
    ahead: Ahead | None = None,
) -> Fact | None:
    """The fact after an answer; None when the answer tells nothing of it. `ahead` may have read it already."""
    found = reader(host, command)
    if found is None:
        return None
    key, parse = found
    if form_refused(command, reply):
        return None  # the human form is asked for next
    before = fact or Fact(key, host, command.text)
    if reply.rc != 0:
        text = last_lines(reply.err.data) or last_lines(reply.out.data)
        return msgspec.structs.replace(before, failure=f"exit code {reply.rc}: {text}", failed_at=at)
    # the same bytes mean the same: most answers of a quiet night are what they were
    unchanged = before.source == reply and before.parsed is not None
    parsed = before.parsed if unchanged else ahead.take(key, reply) if ahead else None
    if parsed is None:
        parsed = parse(decode(reply.out.data), decode(reply.err.data))
    return Fact(key, host, command.text, asked_at, at - asked_at, parsed, reply)


class GpfsFacts:
    """The facts of one GPFS file system, by the kind of model that they hold."""

    def __init__(self, facts: Mapping[str, Fact], fs: str) -> None:
        self._facts = facts
        self._keys: dict[type, str] = {
            Cluster: "cluster",
            FileSystem: f"filesystem {fs}",
            DiskList: f"disks {fs}",
            FsSpace: f"space {fs}",
            NsdDevices: "nsd devices",
            NsdList: "nsds",
            NodeStates: "node states",
            Managers: "managers",
            Mounts: f"mounts {fs}",
        }

    def fact(self, kind: type, host: str = "") -> Fact | None:
        """The fact as it was told, with its age and problems; `host` for what belongs to one host."""
        if kind is BlockDevices:
            return self._facts.get(f"devices {host}")
        if kind is HostTime:
            return self._facts.get(f"time {host}")
        if kind is Waiters:
            return self._facts.get(f"waiters {host}")
        if kind is NodeStates and host:
            return self._facts.get(f"node state {host}")
        return self._facts.get(self._keys[kind])

    def get(self, kind: type[T], host: str = "") -> T | None:
        """The last good model of that kind; None until there was one."""
        fact = self.fact(kind, host)
        model = fact.parsed.model if fact and fact.parsed else None
        return model if isinstance(model, kind) else None
