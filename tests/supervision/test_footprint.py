"""How much metadata there will be: the one file system whose result is known, and what fits, by arithmetic."""

from __future__ import annotations

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from supervision.checking import Outcome
from supervision.footprint import Assumptions, Known, checks, footprint, one_copy_kb, table, usable_kb

SSD_KB = 194_805_760
SEED = Known(
    allocated=88_772_608,
    maximum=146_903_040,
    inode_bytes=512,
    copies=2,
    groups={"1": 2 * SSD_KB, "2": 2 * SSD_KB, "3": 2 * SSD_KB},
)
REAL_KB = 407_779_968
"""What the metadata took on the SSDs of 2013: 1,168,834,560 - 756,817,920 free blocks - 4,236,672 free fragments."""
FILES = 83_930_000


def known(*groups: int, copies: int = 2, allocated: int = 1024, maximum: int = 0) -> Known:
    by_name = {str(number): kb for number, kb in enumerate(groups, 1)}
    return Known(allocated=allocated, maximum=maximum, inode_bytes=512, copies=copies, groups=by_name)


def outcomes(which: Known, **assumed: int | float) -> dict[str, Outcome]:
    found = footprint(which, msgspec.structs.replace(Assumptions(), **assumed))
    return {check.key: check.outcome for check in checks(found)}


def test_the_floor_of_the_seed_is_one_kb_an_inode_and_its_plan_9_percent_above_what_it_took() -> None:
    sizing = footprint(SEED, Assumptions()).sizing
    assert sizing.floor_kb == 88_772_608
    assert sizing.low_kb == 2 * 88_772_608
    assert sizing.plan_kb == 443_863_040
    assert sizing.high_kb == 2 * 88_772_608 * 33 // 2
    assert sizing.usable_kb == 6 * SSD_KB == 1_168_834_560
    assert sizing.low_kb < REAL_KB < sizing.plan_kb
    assert sizing.plan_kb / REAL_KB == pytest.approx(1.0885, abs=0.0001)


def test_the_rule_of_one_kib_a_file_and_copy_would_have_filled_the_seeds_disks_long_before() -> None:
    assert round(2 * FILES / REAL_KB, 2) == 0.41
    assert footprint(SEED, Assumptions()).sizing.plan_kb > REAL_KB


def test_every_term_shows_the_formula_that_gives_it() -> None:
    rows = table(footprint(SEED, Assumptions(mounts=3, log_kb=4096, log_replicas=2, snapshots_kb=1000, growth=0.5)))
    assert rows[0] == (
        "inodes (fact)",
        "2 copies x 88,772,608 allocated inodes x 512 bytes",
        *["88,772,608"] * 3,
    )  # fmt: skip
    assert rows[1][1:] == (
        "2 copies x 88,772,608 allocated inodes x 512 / 2,048 / 16,384 bytes",
        "88,772,608", "355,090,432", "2,840,723,456",
    )  # fmt: skip
    assert rows[2] == ("logs of the nodes (assumed)", "3 nodes that mount it x 4,096 KB x 2 copies", *["24,576"] * 3)
    assert rows[3][0:2] == (
        "growth of the inodes (assumed)",
        "2 copies x 50% of 58,130,432 inodes up to the maximum x 512 + 2,048 bytes",
    )
    assert rows[3][3] == f"{29_065_216 * 5:,}"
    assert rows[4] == ("snapshots (assumed)", "as given, all copies", *["1,000"] * 3)
    plan = 443_863_040 + 24_576 + 29_065_216 * 5 + 1000
    assert rows[5][3] == f"{plan:,}"
    assert rows[6][0] == "of what fits"
    assert (
        rows[6][1]
        == "1,168,834,560 KB = 2 copies x min(1,168,834,560 / 2, 1,168,834,560 - 389,611,520 of the largest group)"
    )
    assert rows[6][3] == f"{100 * plan / 1_168_834_560:.1f}%"


def test_terms_that_are_nothing_are_not_shown() -> None:
    assert [row[0] for row in table(footprint(SEED, Assumptions()))] == [
        "inodes (fact)", "directories, indirect blocks, attributes (assumed)", "together", "of what fits"
    ]  # fmt: skip


def test_counted_directories_and_indirect_blocks_take_the_place_of_what_is_assumed() -> None:
    counted = Assumptions(directories=1000, directory_bytes=65_536, indirect=500, indirect_bytes=32_768)
    each = footprint(known(10**6, 10**6, allocated=10**6), counted).terms[1]
    assert each.plan_kb == 2 * (1000 * 64 + 500 * 32)
    assert (each.low_kb, each.high_kb) == (each.plan_kb, 2 * 10**6 * 16)
    assert each.formula.endswith("500 indirect blocks x 32,768 bytes), as counted")


@pytest.mark.parametrize(
    ("groups", "copies", "usable"),
    [
        ((100, 100, 100), 1, 300),
        ((100, 100, 100), 2, 300),  # min(300 / 2, 300 - 100) of each copy
        ((100, 100), 2, 200),
        ((300, 100, 100), 2, 400),  # 200 of each: what is not in the largest group
        ((300, 100), 2, 200),
        ((100,), 2, 0),
        ((100, 100, 100), 3, 300),
        ((400, 100, 100), 3, 300),
        ((400, 300, 100, 100), 3, 600),  # 200 of each: two copies in the large groups, the third in the small ones
        ((100, 100), 3, 0),
        ((), 1, 0),
        ((0, 0), 2, 0),
    ],
)
def test_what_fits_is_what_can_lie_in_as_many_groups_as_there_are_copies(
    groups: tuple[int, ...], copies: int, usable: int
) -> None:
    assert usable_kb(groups, copies) == usable


@given(st.lists(st.integers(0, 10), min_size=3, max_size=5), st.integers(1, 3))
def test_no_more_fits_than_could_be_placed_one_by_one(groups: list[int], copies: int) -> None:
    """Each piece put into the groups with the most room left: no other way places more pieces."""
    room, placed = list(groups), 0
    while True:
        room.sort(reverse=True)
        if not all(room[:copies]):
            break
        room[:copies] = [left - 1 for left in room[:copies]]
        placed += 1
    assert one_copy_kb(groups, copies) == placed


def test_the_seed_fits_with_room_to_spare_after_a_loss_and_when_its_inodes_have_grown() -> None:
    found = {check.key: check for check in checks(footprint(SEED, Assumptions()), 17.0, "mmdf mss1")}
    assert {key: check.outcome for key, check in found.items()} == {
        "size-fits": Outcome.PASS,
        "size-after-loss": Outcome.PASS,
        "size-grown": Outcome.PASS,
        "size-worst": Outcome.NOTE,
    }
    assert found["size-fits"].read.startswith(
        "443,863,040 KB by plan (the inodes alone 88,772,608 KB) of 1,168,834,560 KB = "
    )
    assert found["size-fits"].read.endswith(": 38.0%")
    assert found["size-grown"].read == "734,515,200 KB by plan once all 146,903,040 inodes are allocated: 62.8%"
    assert (found["size-fits"].at, found["size-fits"].source) == (17.0, "mmdf mss1")


@pytest.mark.parametrize(
    ("group_kb", "outcome"),
    [(2560, Outcome.WARNING), (2559, Outcome.BLOCK), (3657, Outcome.WARNING), (3658, Outcome.PASS)],
)
def test_a_plan_that_does_not_fit_is_refused_and_one_above_70_percent_is_warned_about(
    group_kb: int, outcome: Outcome
) -> None:
    """1,024 inodes of 512 + 2,048 bytes in two copies are 5,120 KB; 70 % of twice 3,658 KB is 5,121.2."""
    assert outcomes(known(group_kb, group_kb))["size-fits"] is outcome


def test_fewer_failure_groups_than_copies_hold_nothing() -> None:
    (check,) = (check for check in checks(footprint(known(10**9), Assumptions())) if check.key == "size-fits")
    assert check.outcome is Outcome.BLOCK
    assert "nothing: 2 copies need as many failure groups, and there are 1: does not fit" in check.read


def test_a_group_too_many_must_leave_room_for_every_copy_when_it_is_lost() -> None:
    assert "size-after-loss" not in outcomes(known(9000, 9000))
    assert outcomes(known(9000, 2600, 2600))["size-after-loss"] is Outcome.PASS
    assert outcomes(known(9000, 2500, 2500))["size-after-loss"] is Outcome.WARNING


def test_inodes_that_may_still_be_allocated_are_told_but_stop_nothing() -> None:
    assert outcomes(known(5000, 5000, maximum=2048))["size-grown"] is Outcome.NOTE
    assert outcomes(known(9000, 9000, maximum=2048))["size-grown"] is Outcome.PASS
    assert outcomes(known(5000, 5000, maximum=2048), growth=1.0)["size-fits"] is Outcome.BLOCK


def test_what_is_not_known_is_no_size() -> None:
    with pytest.raises(ValueError, match="are not known"):
        footprint(known(1, 1, allocated=0), Assumptions())
