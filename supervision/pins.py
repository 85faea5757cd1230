"""Pins: which devices were chosen, by identity, kept in a file that people can read.

A pin outlives names and boots. It holds what each device was called where, and in which boot, only so that a change
can be told; what a device is called is always looked up again.
"""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from supervision.identity import Identity

VERSION = 1
LARGEST = 4 << 20
"""Bytes from which on a file is no pin file: one device takes some hundred."""


class PinError(ValueError):
    """A file that holds no pins; the text says why."""


class PinnedAt(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A device as one host saw it: the host as it is reached, its node, the name there, and the boot of that name."""

    host: str
    node: str
    name: str
    boot_id: str = ""


class Pin(msgspec.Struct, frozen=True):
    """A device that was chosen for something: `label` is what it is to be called (an NSD name).

    `at` has the hosts that see it, the one that a command is to name it on first.
    """

    label: str
    identity: str
    size_bytes: int
    model: str
    serial: str
    at: tuple[PinnedAt, ...]

    @property
    def key(self) -> Identity:
        """Its identity and size."""
        return Identity(self.identity, self.size_bytes)

    @property
    def first(self) -> PinnedAt:
        """Where a command is to name it."""
        return self.at[0]


class Pins(msgspec.Struct, frozen=True):
    """The pins of one plan. `made` is seconds since 1970, `by` who made them, `of` the cluster or file system."""

    restripe_pins: int
    of: str
    made: float
    by: str
    devices: tuple[Pin, ...]


def write_pins(pins: Pins) -> bytes:
    """The text of a pin file."""
    return msgspec.json.format(msgspec.json.encode(pins), indent=2) + b"\n"


def read_pins(data: bytes) -> Pins:
    """The pins of a file. Raises PinError, which says what is wrong with it."""
    if len(data) > LARGEST:
        raise PinError("it is larger than any pin file")
    try:
        pins = msgspec.json.decode(data, type=Pins)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        raise PinError(f"it is no pin file: {error}") from None
    if pins.restripe_pins != VERSION:
        raise PinError(f"it is of version {pins.restripe_pins}; this program knows version {VERSION}")
    _check(pins.devices)
    return pins


def _check(devices: Sequence[Pin]) -> None:
    labels = [pin.label for pin in devices]
    if not devices:
        raise PinError("it pins no device")
    if len(set(labels)) < len(labels):
        raise PinError("a name is pinned twice")
    for pin in devices:
        if not pin.identity or pin.size_bytes <= 0 or not pin.at:
            raise PinError(f"{pin.label} has no identity, size or host")
    if len({pin.key for pin in devices}) < len(devices):
        raise PinError("an identity is pinned twice")
