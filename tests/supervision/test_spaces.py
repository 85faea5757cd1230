"""The history of what is on the disks: what it keeps, and that it stays small."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from remote.events import Answered, Asked, Exact, Reply
from remote.gpfs import commands_reading as gpfs
from supervision.reducer import reduce
from supervision.spaces import MOST_LOOKS, DiskUse, Look, noted, since
from supervision.state import State
from tests.gpfs.told import told
from tests.supervision.gpfs_states import FS, state


def uses(*kb: int) -> list[DiskUse]:
    return [DiskUse(f"d{number}", used, 1000, "1", "system", metadata=True) for number, used in enumerate(kb, 1)]


def history(looks: Sequence[tuple[float, tuple[int, ...]]]) -> tuple[Look, ...]:
    kept: tuple[Look, ...] = ()
    for at, kb in looks:
        kept = noted(kept, at, uses(*kb))
    return kept


def test_of_looks_that_tell_the_same_the_first_and_the_last_are_kept() -> None:
    kept = history([(0.0, (10, 20)), (60.0, (10, 20)), (120.0, (10, 20)), (180.0, (11, 20)), (240.0, (11, 20))])
    assert [(look.at, look.used_kb) for look in kept] == [
        (0.0, (10, 20)), (120.0, (10, 20)), (180.0, (11, 20)), (240.0, (11, 20)),
    ]  # fmt: skip
    assert all(look.places is kept[0].places for look in kept)  # held once


def test_an_answer_that_came_late_and_one_without_disks_are_left_out() -> None:
    kept = history([(60.0, (10,)), (0.0, (5,))])
    assert [look.at for look in kept] == [60.0]
    assert noted(kept, 120.0, []) is kept


def test_a_history_keeps_its_first_and_last_looks_and_is_bounded() -> None:
    kept = history([(60.0 * number, (number,)) for number in range(3 * MOST_LOOKS)])
    assert MOST_LOOKS / 2 <= len(kept) <= MOST_LOOKS
    assert (kept[0].at, kept[-1].at) == (0.0, 60.0 * (3 * MOST_LOOKS - 1))


def test_of_many_disks_fewer_looks_are_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("supervision.spaces.MOST_FIGURES", 40)
    kept = history([(60.0 * number, (number,) * 10) for number in range(7)])
    assert [look.used_kb[0] for look in kept] == [0, 4, 6]


def test_the_looks_of_a_run_begin_with_the_last_one_before_it() -> None:
    kept = history([(0.0, (1, 1)), (50.0, (2, 2)), (150.0, (3, 3)), (200.0, (4, 4, 4))])
    assert since(kept, ("d2", "d1"), 100.0) == [(50.0, (2, 2)), (150.0, (3, 3)), (200.0, (4, 4))]
    assert since(kept, ("d1",), -1.0)[0] == (0.0, (1,))
    assert since(kept, ("d3",), 100.0) == [(200.0, (4,))]
    assert since(kept, (), 100.0) == since(kept, ("none",), 100.0) == []


def test_looks_that_tell_of_the_same_disks_in_another_order_are_read_by_name() -> None:
    kept = history([(0.0, (1, 2)), (60.0, (3, 4))])
    kept = noted(kept, 120.0, uses(5, 6)[::-1])
    kept = noted(kept, 180.0, uses(7))
    kept = noted(kept, 240.0, uses(8, 9))
    assert since(kept, ("d2", "d1"), 0.0) == [(0.0, (2, 1)), (60.0, (4, 3)), (120.0, (6, 5)), (240.0, (9, 8))]


def answered(before: State, at: float, words: tuple[str, ...], text: str, rc: int = 0) -> State:
    command = gpfs.mmdf(FS)
    command = type(command)(words, command.effect)
    asked = reduce(before, Asked(at, int(at), "n1", (command,)))
    return reduce(asked, Answered(at + 5, int(at), (Reply(rc, Exact(text.encode()), Exact()),)))


def test_the_state_keeps_what_mmdf_told_and_when_it_was_asked() -> None:
    text = told("mmdf_metadata")
    now = answered(state(at=0.0), 100.0, ("mmdf", FS, "-m"), text)
    now = answered(now, 1000.0, ("mmdf", FS), told("mmdf_after"))
    now = answered(now, 2000.0, ("mmdf", FS), "", rc=1)
    now = answered(now, 3000.0, ("mmdf", "other"), text)
    assert [(look.at, len(look.places)) for look in now.spaces] == [(100.0, 6), (1000.0, len(now.spaces[1].places))]
    assert since(now.spaces, ("foo1_ssd2",), 0.0) == [
        (100.0, (194_805_760 - 190_849_024 - 5440,)),
        (1000.0, (194_805_760 - 126_115_840 - 709_440,)),
    ]
    place = next(place for place in now.spaces[0].places if place.name == "foo2_ssd1")
    assert (place.group, place.metadata, place.data, place.size_kb) == ("2", True, False, 194_805_760)


@pytest.mark.parametrize("name", ["mmdf_before_1t", "mmdf_changed_1t"])
def test_figures_that_mmdf_has_rounded_are_not_kept(name: str) -> None:
    assert answered(state(at=0.0), 100.0, ("mmdf", FS), told(name)).spaces == ()
