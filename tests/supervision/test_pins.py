"""Pin files: what is written is read again, and whatever else a file holds is refused in words."""

from __future__ import annotations

import contextlib
import json
from collections.abc import Callable
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from supervision.identity import Identity
from supervision.pins import LARGEST, Pin, PinError, PinnedAt, Pins, read_pins, write_pins

SIZE = 781422768 * 512
PINS = Pins(
    1,
    "mss.example.com",
    1370557274.0,
    "root@admin1",
    (
        Pin(
            "foo1_ssd1",
            "wwn:55cd2e404b7d1a31",
            SIZE,
            "INTEL SSDSC2BA40",
            "BTTV1",
            (
                PinnedAt("pollux1", "pollux1.example.com", "sdg", "boot-1"),
                PinnedAt("pollux2", "pollux2.example.com", "sde", "boot-2"),
            ),
        ),
        Pin("foo3_ssd1", "HGST+HUSMM+0QX", SIZE, "", "", (PinnedAt("pollux3", "pollux3.example.com", "sde"),)),
    ),
)


def test_what_is_written_is_read_again() -> None:
    assert read_pins(write_pins(PINS)) == PINS


def test_a_pin_file_is_text_that_people_can_read() -> None:
    lines = write_pins(PINS).decode().splitlines()
    assert lines[:2] == ["{", '  "restripe_pins": 1,']
    assert '      "identity": "wwn:55cd2e404b7d1a31",' in lines
    assert write_pins(PINS).endswith(b"}\n")


def test_a_pin_is_known_by_identity_and_size_and_named_on_its_first_host() -> None:
    pin = PINS.devices[0]
    assert pin.key == Identity("wwn:55cd2e404b7d1a31", SIZE)
    assert (pin.first.host, pin.first.name) == ("pollux1", "sdg")


text = st.text(max_size=12)
places = st.builds(PinnedAt, text, text, text, text)
pins = st.lists(
    st.builds(Pin, text, text.filter(bool), st.integers(1, 2**62), text, text, st.lists(places, min_size=1).map(tuple)),
    min_size=1,
    max_size=4,
    unique_by=(lambda pin: pin.label, lambda pin: pin.key),
)


@given(devices=pins, of=text, by=text, made=st.floats(0, 1e12))
def test_any_pins_survive_their_file(devices: list[Pin], of: str, by: str, made: float) -> None:
    whole = Pins(1, of, made, by, tuple(devices))
    assert read_pins(write_pins(whole)) == whole


@given(data=st.binary(max_size=300))
def test_garbage_is_refused_and_nothing_else_happens(data: bytes) -> None:
    with pytest.raises(PinError, match="pin"):
        read_pins(data)


@given(at=st.integers(0, 10_000), put=st.binary(max_size=3), length=st.integers(0, 40))
def test_a_damaged_file_is_read_as_sound_pins_or_refused(at: int, put: bytes, length: int) -> None:
    data = write_pins(PINS)
    at %= len(data)
    found: tuple[Pin, ...] = ()
    with contextlib.suppress(PinError):
        found = read_pins(data[:at] + put + data[at + length :]).devices
        assert found
    assert all(pin.identity and pin.size_bytes > 0 and pin.at for pin in found)


@pytest.mark.parametrize("at", range(0, len(write_pins(PINS)) - 2, 37))
def test_half_a_file_is_refused(at: int) -> None:
    with pytest.raises(PinError, match="it is no pin file"):
        read_pins(write_pins(PINS)[:at])


@pytest.mark.parametrize(
    ("data", "why"),
    [
        (b"", "it is no pin file"),
        (b"null", "it is no pin file"),
        (b"[]", "it is no pin file"),
        (b"{}", "restripe_pins"),
        (b"%nsd: device=sdg nsd=foo1_ssd1\n", "it is no pin file"),
        (b'{"restripe_pins": 1, "of": "\xff"}', "it is no pin file"),
        (b"[" * 100_000, "it is no pin file"),
        (b" " * LARGEST + b"{}", "larger than any pin file"),
    ],
)
def test_what_is_no_pin_file_is_called_that(data: bytes, why: str) -> None:
    with pytest.raises(PinError, match=why):
        read_pins(data)


def changed(change: Callable[[Any], object]) -> bytes:
    """The file with a change made to it."""
    told = json.loads(write_pins(PINS))
    change(told)
    return json.dumps(told).encode()


@pytest.mark.parametrize(
    ("change", "why"),
    [
        (lambda told: told.update(restripe_pins=2), "it is of version 2; this program knows version 1"),
        (lambda told: told.update(restripe_pins=0), "it is of version 0"),
        (lambda told: told.update(restripe_pins="1"), "it is no pin file"),
        (lambda told: told.update(devices=[]), "it pins no device"),
        (lambda told: told.pop("devices"), "it is no pin file"),
        (lambda told: told["devices"][1].update(label="foo1_ssd1"), "a name is pinned twice"),
        (
            lambda told: told["devices"][1].update(identity="wwn:55cd2e404b7d1a31"),
            "an identity is pinned twice",
        ),
        (lambda told: told["devices"][0].update(identity=""), "foo1_ssd1 has no identity, size or host"),
        (lambda told: told["devices"][0].update(size_bytes=0), "foo1_ssd1 has no identity, size or host"),
        (lambda told: told["devices"][0].update(size_bytes=-512), "foo1_ssd1 has no identity, size or host"),
        (lambda told: told["devices"][0].update(size_bytes=1.5), "it is no pin file"),
        (lambda told: told["devices"][1].update(at=[]), "foo3_ssd1 has no identity, size or host"),
        (lambda told: told["devices"][1]["at"][0].pop("name"), "it is no pin file"),
        (lambda told: told["devices"].append("foo9"), "it is no pin file"),
    ],
)
def test_a_file_that_pins_nothing_sound_is_refused_with_the_reason(change: Callable[[Any], object], why: str) -> None:
    with pytest.raises(PinError, match=why):
        read_pins(changed(change))


def test_one_identity_with_two_sizes_is_two_devices() -> None:
    data = changed(
        lambda told: told["devices"][1].update(
            identity="wwn:55cd2e404b7d1a31", size_bytes=told["devices"][0]["size_bytes"] + 512
        )
    )
    assert len(read_pins(data).devices) == 2


def test_what_a_later_version_adds_to_this_one_is_passed_over() -> None:
    assert read_pins(changed(lambda told: told.update(remark="mine"))) == PINS


def test_a_place_without_a_boot_may_be_written_by_hand() -> None:
    data = changed(lambda told: told["devices"][0]["at"][0].pop("boot_id"))
    assert read_pins(data).devices[0].first == msgspec.structs.replace(PINS.devices[0].first, boot_id="")
