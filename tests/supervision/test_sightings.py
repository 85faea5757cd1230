"""The history of names: kept where a look told something else, the same live and in a replay, and never without end."""

from __future__ import annotations

from collections.abc import Sequence

from remote.command import Command, Effect
from remote.events import Answered, Asked, Exact, Header, Reply
from remote.linux.inventory import BlockNode, Inventory
from remote.parsed import Parsed
from supervision.facts import Fact
from supervision.sightings import MOST, Sighting, changes, moments, names_of, noted
from supervision.store import Store
from supervision.tables import Severity
from tests.supervision.gpfs_states import block, blocks

LSBLK = Command(("lsblk", "-P"), Effect.READS)


def row(name: str, serial: str, more: str = "") -> str:
    return f'NAME="{name}" KNAME="{name}" TYPE="disk" SIZE="1073741824" ROTA="0" RO="0" SERIAL="{serial}" {more}'


def after(*answers: Sequence[str], host: str = "n1") -> tuple[Sighting, ...]:
    """The history after answers of lsblk, one every hundred seconds, through the reducer."""
    store = Store(Header(1, "0", 0.0, 0.0, "fs1", ("n1",), "n1"))
    for number, lines in enumerate(answers, 1):
        store.apply(Asked(100.0 * number, number, host, (LSBLK,)))
        store.apply(Answered(100.0 * number + 1, number, (Reply(0, Exact("\n".join(lines).encode())),)))
    return store.state.sightings.get(host, ())


BEFORE = (row("sda", "A"), row("sdb", "B"))
SWAPPED = (row("sda", "B"), row("sdb", "A"))


def test_only_what_is_different_is_kept() -> None:
    assert [sighting.at for sighting in after(BEFORE, BEFORE, SWAPPED, SWAPPED)] == [100.0, 300.0]


def test_the_order_of_an_answer_is_no_difference() -> None:
    assert len(after(BEFORE, tuple(reversed(BEFORE)))) == 1


def test_a_history_has_an_end() -> None:
    many = [BEFORE if number % 2 else SWAPPED for number in range(3 * MOST)]
    history = after(*many)
    assert len(history) == MOST
    assert history[-1].at == 100.0 * 3 * MOST


def test_swapped_names_are_told_with_what_they_mean_now() -> None:
    found = changes({"n1": after(BEFORE, SWAPPED)}, 100.0)
    assert [line.value for line in found] == [
        "renamed: sda is now sdb (A)",
        "renamed: sdb is now sda (B)",
    ]
    assert {line.severity for line in found} == {Severity.BAD}
    assert changes({"n1": after(BEFORE, SWAPPED)}, 200.0) == ()


def test_gone_new_and_used_otherwise() -> None:
    later = (row("sda", "A", 'FSTYPE="xfs"'), row("sdc", "C"))
    told = [line.value for line in changes({"n1": after(BEFORE, later)}, 100.0)]
    assert told == ["use of sda changed: none known → xfs", "gone: sdb (B)", "new: sdc (C)"]


def test_a_host_that_was_looked_at_later_is_compared_with_its_first_look() -> None:
    assert changes({"n1": after(BEFORE)}, 1.0) == ()
    assert len(changes({"n1": after(BEFORE, SWAPPED)}, 1.0)) == 2


def test_moments_are_those_of_all_hosts_the_newest_first() -> None:
    assert moments({"n1": after(BEFORE, SWAPPED), "n2": after(BEFORE)}) == (200.0, 100.0)


def facts(boot: str, wwid: str, wwn: str, name: str = "sda") -> dict[str, Fact]:
    disk = blocks(block(name, wwn=wwn))
    told = {"devices n1": disk, "inventory n1": Inventory(boot, (BlockNode(name, wwid=wwid),))}
    return {key: Fact(key, "n1", "", 1.0, 0.0, Parsed(model)) for key, model in told.items()}


LONG = "600508b1001c4d1a0000000000000001"


def test_a_reboot_is_told_even_where_all_names_stay() -> None:
    first = noted((), "n1", facts("b1" * 8, f"naa.{LONG}", f"0x{LONG}"), 1.0)
    second = noted(first, "n1", facts("b2" * 8, f"naa.{LONG}", f"0x{LONG}"), 2.0)
    assert [sighting.boot_id[:2] for sighting in second] == ["b1", "b2"]
    told = [line.value for line in changes({"n1": second}, 1.0)]
    assert told == ["rebooted: boot id b1b1b1b1 is now b2b2b2b2; every name may mean another device"]


def test_a_wwn_that_was_cut_and_is_whole_now_is_the_same_device() -> None:
    cut = {"devices n1": facts("", "", "0x600508b1001c4d1a")["devices n1"]}
    first = noted((), "n1", cut, 1.0)
    second = noted(first, "n1", facts("b1", f"naa.{LONG}", "0x600508b1001c4d1a", "sdb"), 2.0)
    assert [line.value.partition(" (")[0] for line in changes({"n1": second}, 1.0)] == ["renamed: sda is now sdb"]
    assert [name for name, _, _ in names_of(second, second[-1].devices[0].identity)] == ["sdb", "sda"]


def test_names_seen_of_a_device_that_was_away() -> None:
    history = after(BEFORE, (row("sdb", "B"),), (row("sdc", "A"), row("sdb", "B")))
    identity = history[0].devices[0].identity
    assert [(name, at) for name, at, _ in names_of(history, identity)] == [("sdc", 300.0), ("", 200.0), ("sda", 100.0)]


def test_a_use_is_the_same_whatever_its_device_is_called() -> None:
    def mounted(name: str) -> tuple[str, str]:
        part = f'NAME="{name}1" KNAME="{name}1" PKNAME="{name}" TYPE="part" SIZE="1" RO="0" MOUNTPOINT="/"'
        return row(name, "A"), part

    told = [line.value for line in changes({"n1": after(mounted("sda"), mounted("sdb"))}, 100.0)]
    assert told == ["renamed: sda is now sdb (A, mounted on /)"]
