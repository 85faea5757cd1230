"""A stanza file against an earlier pin: what has changed, and what of it matters."""

from __future__ import annotations

from collections.abc import Sequence

from remote.gpfs.stanza import NsdStanza
from supervision.gpfs_stanzacheck import judge_stanzas
from supervision.gpfs_verify import judge_against
from supervision.identity import HostLook
from supervision.pins import Pins
from supervision.verdicts import DRIFT, IDENTITY, Level
from tests.supervision.test_gpfs_proof import BOTH, STANZAS, A, B, disk, look, site, stanza


def against(stanzas: Sequence[NsdStanza], *looks: HostLook) -> list[tuple[Level, str, str]]:
    """What is told besides the file's own verdicts: it was pinned as `STANZAS` on `BOTH`."""
    pins = Pins(1, "mss", 0.0, "somebody", judge_stanzas(STANZAS, site(*BOTH)).pins)
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
