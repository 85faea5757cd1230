"""What can happen to a device of one host, for the control interface: another identity, content, firmware or size."""

from __future__ import annotations

import re
import uuid
from collections.abc import Callable
from dataclasses import replace
from typing import Any

from simulator.cluster import Cluster
from simulator.given import Given
from simulator.hardware import GPFS_PARTITION, Device, Host
from simulator.ondisk import FORMATS

_WWN = re.compile(r"(0x[0-9a-f]{1,32})?")
_VOLUME_ID = re.compile(r"([0-9A-F]{16})?")
_CACHES = ("", "write back", "write through")
_SECTORS = (512, 4096)
_ON_MEDIUM = ("nsd_id", "fstype")
_STATES = ("running", "offline", "blocked", "transport-offline")


def find(host: Host, name: str) -> Device:
    """A device by its kernel's name, path or alias, whether the host sees it or not. Raises ValueError."""
    short = name.removeprefix("/dev/").removeprefix("mapper/")
    for device in (*host.devices.values(), *host.unseen.values()):
        if short in (device.name, device.alias):
            return device
    raise ValueError(f"no device {name!r} on {host.name}: {', '.join(list(host.devices)[:20])}")


def set_device(cluster: Cluster, host: Host, name: str, given: Given) -> dict[str, Any]:
    """Change what the request names; see `simulator.control`. Raises ValueError, and may then have changed a part."""
    device = find(host, name)
    if given.flag("swap", default=False):
        device = _swap(host, device)
        cluster.forget_sights()
    if given.has("seen"):
        _see(host, device, seen=given.flag("seen", default=True))
        cluster.forget_sights()
    if given.has("like"):
        device.told_wwn, device.told_serial = find(host, given.text("like")).identity
    for key in [key for key in _SETTERS if given.has(key)]:
        text = given.word(key)
        for sight, each in _media(cluster, host, device) if key in _ON_MEDIUM else [(host, device)]:
            _SETTERS[key](each, text)
            sight.drop_arrays()
    if given.has("size_bytes"):
        device.size_bytes = int(given.number("size_bytes", low=1 << 20, high=1e18)) // 4096 * 4096
    device.hangs = given.flag("hangs", default=device.hangs)
    device.read_only = given.flag("read_only", default=device.read_only)
    given.end()
    host.drop_arrays()
    wwn, serial = device.identity
    return {
        "host": host.name,
        "device": device.name,
        "seen": device.name in host.devices,
        "wwn": wwn,
        "serial": serial,
        "nsd_id": device.volume_id,
        "hangs": device.hangs,
    }


def _media(cluster: Cluster, host: Host, device: Device) -> list[tuple[Host, Device]]:
    """A device as every host sees it: what lies on it is the same for all."""
    others = [(sight, each) for sight, each in cluster.sights(device.wwn) if each is not device]
    return [(host, device), *others]


def _swap(host: Host, old: Device) -> Device:
    """Put another device of the same model in its place, empty, which nobody knows yet."""
    digits = uuid.uuid5(uuid.NAMESPACE_OID, old.wwn).hex
    wwn = old.wwn[:10] + digits[: len(old.wwn) - 10]
    serial = (
        wwn.removeprefix("0x") if old.serial == old.wwn.removeprefix("0x") else old.serial[:-6] + digits[:6].upper()
    )
    blank: dict[str, Any] = {"partitions": [], "volume_id": "", "fstype": "", "mountpoint": "", "hangs": False}
    new = replace(old, wwn=wwn, serial=serial, told_wwn=None, told_serial=None, **blank)
    # Whoever waits for the old one would wait for ever.
    old.hangs = False
    place = host.devices if old.name in host.devices else host.unseen
    place[old.name] = new
    return new


def _see(host: Host, device: Device, *, seen: bool) -> None:
    before, after = (host.unseen, host.devices) if seen else (host.devices, host.unseen)
    if before.get(device.name) is device:
        after[device.name] = before.pop(device.name)


def _checked(text: str, name: str, pattern: re.Pattern[str], form: str) -> str:
    if not pattern.fullmatch(text):
        raise ValueError(f"{name} is {form} or empty")
    return text


def _chosen(text: str, name: str, choices: tuple[str, ...]) -> str:
    if text not in choices:
        raise ValueError(f"{name} is one of {', '.join(map(repr, choices))}")
    return text


def _wwn(device: Device, text: str) -> None:
    device.told_wwn = _checked(text, "wwn", _WWN, "0x and up to 32 lower-case hex digits")


def _nsd_id(device: Device, text: str) -> None:
    """An id in sector 2, without a partition table: of 3.5 or before, whatever this cluster's release."""
    device.volume_id = _checked(text, "nsd_id", _VOLUME_ID, "16 upper-case hex digits")
    device.partitions[:] = [part for part in device.partitions if part.parttype != GPFS_PARTITION]


def _fstype(device: Device, text: str) -> None:
    kinds = text.split(",") if text else []
    for kind in kinds:
        _chosen(kind, "fstype", tuple(FORMATS))
    device.fstype = text


def _cache(device: Device, text: str) -> None:
    device.write_cache = _chosen(text, "write_cache", _CACHES)


def _sector(text: str, name: str) -> int:
    return int(_chosen(text, name, tuple(map(str, _SECTORS))))


def _logical(device: Device, text: str) -> None:
    device.logical_sector = _sector(text, "logical_sector")
    device.physical_sector = max(device.logical_sector, device.physical_sector)


def _physical(device: Device, text: str) -> None:
    device.physical_sector = max(device.logical_sector, _sector(text, "physical_sector"))


def _state(device: Device, text: str) -> None:
    device.state = _chosen(text, "state", _STATES)


def _plain(name: str) -> Callable[[Device, str], None]:
    def put(device: Device, text: str) -> None:
        setattr(device, name, text)

    return put


_SETTERS: dict[str, Callable[[Device, str], None]] = {
    "wwn": _wwn,
    "nsd_id": _nsd_id,
    "fstype": _fstype,
    "write_cache": _cache,
    "logical_sector": _logical,
    "physical_sector": _physical,
    "state": _state,
    "serial": _plain("told_serial"),
    **{name: _plain(name) for name in ("mountpoint", "firmware", "vendor", "model", "enclosure", "slot")},
}
