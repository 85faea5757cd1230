"""A plan: what a migration is to do, with which devices, and what it was made from. A file that people read and review.

It holds no secret, and devices by identity: what a device is called is looked up again just before it is named. The
recipe that it names turns it into commands.
"""

from __future__ import annotations

import hashlib
import re
import tomllib
from datetime import UTC, datetime
from typing import Any

import msgspec

from supervision.footprint import Assumptions, Sizing
from supervision.identity import Identity
from supervision.pins import Pin, PinnedAt
from supervision.plan_toml import placed, toml_text

VERSION = 1
FILE = "plan.toml"
LARGEST = 1 << 20
"""Characters from which on a text is no plan: as many as a job's directory takes of one file."""

_LAST = 2.0**36
_ID = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,79}\Z")


class PlanError(ValueError):
    """A text that is no plan, or one that cannot be carried out; it says where and why."""


class PlannedDevice(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A device that was chosen: the NSD that it becomes, what it is known by, and where it was seen.

    `servers` are in the order of the stanza, `at` has the names of the device there, the first server's first.
    """

    nsd: str
    identity: str
    size_bytes: int
    model: str = ""
    serial: str = ""
    servers: tuple[str, ...]
    failure_group: str
    pool: str
    at: tuple[PinnedAt, ...]

    @property
    def pin(self) -> Pin:
        """It as a pin."""
        return Pin(self.nsd, self.identity, self.size_bytes, self.model, self.serial, self.at)


class OldDisk(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A disk of the file system that is changed, as it was when the plan was made; `usage` is IBM's word."""

    nsd: str
    servers: tuple[str, ...]
    usage: str
    failure_group: str
    pool: str


class Options(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What was chosen. `metadata_only` leaves data out of the restripe."""

    metadata_only: bool = False
    assumptions: Assumptions = Assumptions()


class Told(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """An answer that the plan was made from: the command, the host, when it was asked, the checksum of its stdout."""

    command: str
    host: str
    at: float
    sha256: str


class Stanzas(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The stanza files as text: of the new disks, of the old ones as they are to be, and as they were."""

    new: str
    old: str
    back: str = ""


class Plan(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What is to be done. Times are seconds since 1970; `id` is the beginning of the ids of all its jobs.

    `host` is where every command runs, as it is reached; `nodes` are those of the restripe (`-N`).
    """

    version: int = VERSION
    id: str
    recipe: str
    kind: str
    goal: str
    cluster: str
    file_system: str
    host: str
    made: float
    by: str
    nodes: tuple[str, ...]
    options: Options = Options()
    sizing: Sizing
    stanzas: Stanzas
    devices: tuple[PlannedDevice, ...]
    old_disks: tuple[OldDisk, ...]
    facts: tuple[Told, ...] = ()

    @property
    def pins(self) -> tuple[Pin, ...]:
        """The devices as pins."""
        return tuple(device.pin for device in self.devices)


def digest(plan: Plan) -> str:
    """SHA-256 of a plan's meaning: comments and layout of its file change nothing."""
    return hashlib.sha256(msgspec.json.encode(plan, order="deterministic")).hexdigest()


def encode(plan: Plan) -> str:
    """The text of a plan's file; the same plan always has the same. Raises PlanError for one that cannot be read."""
    check(plan)
    made = {"made": datetime.fromtimestamp(plan.made, UTC).isoformat(" ", "seconds")}
    text = toml_text(msgspec.to_builtins(plan), about=_ABOUT, before=_COMMENTS, beside=made)
    if len(text) > LARGEST:
        disks = len(plan.devices) + len(plan.old_disks)
        raise PlanError(f"{disks:,} disks make {len(text):,} characters, and a job's file has at most {LARGEST:,}")
    return text


def decode(text: str) -> Plan:
    """The plan in a text. Raises PlanError, which tells the line or field and what is wrong with it."""
    if len(text) > LARGEST:
        raise PlanError("it is larger than any plan")
    try:
        told = tomllib.loads(text)
    except (tomllib.TOMLDecodeError, RecursionError) as error:
        raise PlanError(f"it is no TOML: {error}") from None
    if "version" not in told:
        raise PlanError("it is no plan: it has no version")
    if told["version"] != VERSION:
        raise PlanError(f"it is of version {told['version']}; this program knows version {VERSION}")
    try:
        plan = msgspec.convert(told, Plan)
    except (msgspec.ValidationError, RecursionError) as error:
        raise PlanError(placed(str(error), text)) from None
    check(plan)
    return plan


def check(plan: Plan) -> None:
    """Raise PlanError for a plan that contradicts itself, whatever its recipe."""
    if not _ID.match(plan.id):
        raise PlanError(f"id: {plan.id!r} cannot begin the name of a job: letters, digits, '.', '_' and '-', up to 80")
    for name in ("recipe", "kind", "cluster", "file_system", "host"):
        if not getattr(plan, name):
            raise PlanError(f"{name}: it is empty")
    if not all(0 <= at < _LAST for at in (plan.made, *(told.at for told in plan.facts))):
        raise PlanError("made: it is no time in seconds since 1970, or one of the facts' is none")
    _check_lines(plan)
    if not plan.devices:
        raise PlanError("devices: it names none")
    _check_devices(plan.devices)
    doubles = {disk.nsd for disk in plan.old_disks} & {device.nsd for device in plan.devices}
    if doubles:
        raise PlanError(f"old_disks: {min(doubles)} is one of the new devices, too")


def _check_devices(devices: tuple[PlannedDevice, ...]) -> None:
    names: set[str] = set()
    known: set[Identity] = set()
    for index, device in enumerate(devices):
        where = f"devices[{index}] ({device.nsd or 'without a name'})"
        if not device.nsd or not device.identity or device.size_bytes <= 0 or not device.at:
            raise PlanError(f"{where}: it needs nsd, identity, size_bytes and at")
        if device.nsd in names:
            raise PlanError(f"{where}: the name comes twice")
        if device.pin.key in known:
            raise PlanError(f"{where}: the identity comes twice: {device.identity}")
        names.add(device.nsd)
        known.add(device.pin.key)


def _check_lines(plan: Plan) -> None:
    """Text that is shown in a line must be one: nothing in it may steer a terminal."""
    for where, text in _texts(msgspec.to_builtins(plan), ""):
        allowed = "\n" if where.startswith("stanzas.") else ""
        if not all(letter.isprintable() or letter in allowed for letter in text):
            raise PlanError(f"{where}: it has characters that cannot be shown: {text[:60]!a}")


def _texts(value: Any, where: str) -> list[tuple[str, str]]:
    if isinstance(value, str):
        return [(where, value)]
    if isinstance(value, dict):
        return [found for name, each in value.items() for found in _texts(each, f"{where}.{name}".lstrip("."))]
    if isinstance(value, list | tuple):
        return [found for index, each in enumerate(value) for found in _texts(each, f"{where}[{index}]")]
    return []


_ABOUT = (
    "A plan of restripe. Read it, change it, keep it; `restripe plan --show plan.toml` prints it as a runbook.",
    "Devices are what their identity says; names are as they were seen, and looked up again before they are used.",
)
_COMMENTS = {
    "nodes": "the nodes that do the work of the restripe (-N)",
    "options": "what was chosen; assumptions are what no command tells, and can be changed (docs/sizing.md)",
    "sizing": "KB of all copies of the metadata together, and what the new disks can take of it",
    "stanzas": "the files of the commands; device names in them are replaced by those of the minute of the command",
    "devices": "the devices that were chosen, one each",
    "old_disks": "the disks that become dataOnly, as they were",
    "facts": "the answers that this plan was made from",
}
