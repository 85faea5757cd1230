"""A stanza file against an earlier pin: what has changed, and what of it matters."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import msgspec

from remote.gpfs.stanza import NsdStanza
from supervision.gpfs_stanzacheck import judge_stanzas
from supervision.gpfs_verify import judge_against
from supervision.identity import HostLook
from supervision.pins import Pins
from supervision.verdicts import DRIFT, IDENTITY, Level
from tests.supervision.test_gpfs_proof import BOTH, STANZAS, A, B, disk, look, site, stanza


def against(
    stanzas: Sequence[NsdStanza], *looks: HostLook, called: Mapping[str, str] = {}
) -> list[tuple[Level, str, str]]:
    """What is told besides the file's own verdicts: it was pinned as `STANZAS` on `BOTH`, whose hosts were `called`."""
    pinned = judge_stanzas(STANZAS, site(*BOTH)).pins
    devices = tuple(
        msgspec.structs.replace(
            pin, at=tuple(msgspec.structs.replace(at, host=called.get(at.host, at.host)) for at in pin.at)
        )
        for pin in pinned
    )
    pins = Pins(1, "mss", 0.0, "somebody", devices)
    now = site(*looks)
    return [(v.level, v.kind, v.text) for v in judge_against(judge_stanzas(stanzas, now).proven, pins, now)]


def test_the_same_file_on_the_same_devices_says_nothing() -> None:
    assert against(STANZAS, *BOTH) == []


def test_a_file_that_follows_a_device_to_its_new_name_gets_notes_of_the_name_and_of_the_reboot() -> None:
    rebooted = look("pollux2", disk("sdk", B, "pollux2"), disk("sdx", A, "pollux2"), boot="boot-2")
    told = against((STANZAS[0], stanza("sdk", "foo2_ssd1", "foo2", group="2")), BOTH[0], rebooted)
    assert {(level, kind) for level, kind, _ in told} == {(Level.NOTE, DRIFT)}
    texts = [text for _, _, text in told]
    assert "foo2_ssd1 was sdh when it was pinned and is sdk now; it is the same device" in texts
    assert texts.count("the host was rebooted since it was pinned: names may mean other devices") == 2


def test_hosts_that_were_reached_by_other_names_are_the_same_nodes() -> None:
    rebooted = look("pollux2", disk("sdh", B, "pollux2"), disk("sdx", A, "pollux2"), boot="boot-2")
    told = against(STANZAS, BOTH[0], rebooted, called={"pollux1": "10.1.1.1", "pollux2": "foo2.example.com"})
    assert told == [(Level.NOTE, DRIFT, "the host was rebooted since it was pinned: names may mean other devices")] * 2


def test_servers_in_another_order_are_no_change_of_names() -> None:
    turned = (stanza("sdx", "foo1_ssd1", "foo2", "foo1"), STANZAS[1])
    assert against(turned, *BOTH) == []
    moved = look("pollux2", disk("sdh", B, "pollux2"), disk("sdy", A, "pollux2"))
    told = against((stanza("sdy", "foo1_ssd1", "foo2", "foo1"), STANZAS[1]), BOTH[0], moved)
    assert told == [(Level.NOTE, DRIFT, "foo1_ssd1 was sdx when it was pinned and is sdy now; it is the same device")]


def test_a_name_that_means_another_device_by_now_is_blocked() -> None:
    swapped = look("pollux2", disk("sdx", B, "pollux2"), disk("sdh", A, "pollux2"))
    blocks = [text for level, _, text in against(STANZAS, BOTH[0], swapped) if level is Level.BLOCK]
    assert blocks == [f"sdh on pollux2 is {A}, and foo2_ssd1 was pinned as {B} (sdh then, sdx now)"]


def test_a_stanza_that_was_not_pinned_is_blocked_and_a_pin_without_a_stanza_is_a_note() -> None:
    told = against((STANZAS[0], stanza("sdh", "foo2_ssd9", "foo2", group="2")), *BOTH)
    assert told == [
        (Level.BLOCK, IDENTITY, "foo2_ssd9 is not in the pin"),
        (Level.NOTE, IDENTITY, "foo2_ssd1 was pinned and is not in the file"),
    ]
