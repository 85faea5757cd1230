"""What is called done, from the texts of real runs: every false success among them is found by something else."""

from __future__ import annotations

from typing import Any

import pytest

from remote.gfs2.models import ResourceGroups
from remote.linux.blkid import Probed
from remote.linux.room import Rooms
from supervision.gfs2 import READING
from supervision.gfs2_verify import Seen, Verified, verified
from supervision.logs import Log, append
from tests.gfs2.gfs2texts import told
from tests.supervision.gfs2_facts import DEVICE, FSCK, HOST, NOW, OUT, RESTORE, SAVE, facts, header, room

DINODES = 88_900
"""Of the file system whose savemeta told of 91,251 blocks."""
TARGET = RESTORE.device


def log(name: str) -> Log:
    """A whole log of a job."""
    text = told(name)
    data = (text if text.endswith("\n") else f"{text}\n").encode()
    return append(Log(HOST, "job:a"), data, NOW, end=len(data), reading=READING)


def saved(name: str, *, dinodes: int | None = DINODES, whole: bool | None = True, **file: Any) -> Verified:
    """What is said of a savemeta with exit code 0; `file` is what is at its path."""
    fields = {"size": 1_500_000, "header": header(), **file}
    known = facts({f"rgs {DEVICE}": groups(dinodes), f"room {HOST}": Rooms((room(OUT, "file", **fields),))})
    return verified(Seen(SAVE, 0, log(name), whole, None, dinodes), known, NOW)


def groups(dinodes: int | None) -> ResourceGroups | None:
    return None if dinodes is None else ResourceGroups((), 1, dinodes, 7, dinodes)


def restored(
    name: str, *, of: int | None = 4827, dinodes: int = 4000, kind: str = "gfs2", whole: bool | None = True
) -> Verified:
    """What is said of a restoremeta with exit code 0; `of` is what its savemeta counted."""
    known = facts({f"blkid {TARGET}": (Probed(TARGET, kind),), f"rgs {TARGET}": groups(dinodes)})
    return verified(Seen(RESTORE, 0, log(name), whole, of), known, NOW)


def test_a_good_savemeta_is_proven_by_its_count_and_its_file() -> None:
    found = saved("savemeta_350")
    assert (found.wrong, found.unknown) == ((), ())
    assert found.proof.startswith("91,251 blocks saved, 88,900 dinodes told at least; gzip -t found the file whole")


def test_what_was_no_gfs2_is_found_by_the_one_block() -> None:
    (why,) = saved("savemeta_350_no_gfs2", dinodes=None, size=47).wrong
    assert "no GFS2" in why


def test_fewer_blocks_than_dinodes_are_no_copy() -> None:
    (why,) = saved("savemeta_350", dinodes=91_252).wrong
    assert "91,251 blocks were saved of a file system with 91,252 dinodes" in why


def test_files_may_be_removed_while_a_file_system_in_use_is_saved() -> None:
    fewer = facts(
        {f"rgs {DEVICE}": groups(90_000), f"room {HOST}": Rooms((room(OUT, "file", size=9**9, header=header()),))}
    )
    assert verified(Seen(SAVE, 0, log("savemeta_350"), True, None, 95_000), fewer, NOW).wrong == ()


@pytest.mark.parametrize(
    ("file", "why"),
    [
        ({"size": 0, "header": b""}, "a file of 0 bytes cannot hold 91,251 blocks"),
        ({"size": 91_251 * 10 // 1032 - 1}, "cannot hold"),
        ({"header": b"\x1f" * 128}, "does not begin as saved metadata do"),
    ],
)
def test_a_file_that_cannot_hold_what_was_saved_is_wrong(file: dict[str, Any], why: str) -> None:
    assert why in "".join(saved("savemeta_350", **file).wrong)


def test_an_uncompressed_file_must_have_room_for_every_block_s_address() -> None:
    assert "cannot hold" in "".join(saved("savemeta_350", whole=None, size=912_509).wrong)
    assert saved("savemeta_350", whole=None, size=912_510).wrong == ()


def test_what_cannot_be_compared_is_unknown_and_not_done() -> None:
    assert "how many dinodes there are is not known" in "".join(saved("savemeta_350", dinodes=None).unknown)
    gone = verified(Seen(SAVE, 0, log("savemeta_350"), True, None, 5), facts({f"room {HOST}": None}), NOW)
    assert gone.unknown == (f"what is at {OUT} is not known",)


def test_what_was_asked_before_the_end_does_not_count() -> None:
    known = facts({f"room {HOST}": Rooms((room(OUT, "file", size=9**9, header=header()),))})
    assert verified(Seen(SAVE, 0, log("savemeta_350"), True, None, DINODES), known, NOW + 1).unknown


def test_a_good_restoremeta_is_proven_by_its_count_and_its_target() -> None:
    found = restored("restoremeta_350")
    assert (found.wrong, found.unknown) == ((), ())
    assert found.proof == "4,827 blocks restored of 4,827; the target is a GFS2 with 4,000 dinodes"


def test_a_file_that_was_cut_off_is_found_by_the_count() -> None:
    why = restored("restoremeta_350_truncated").wrong[0]
    assert why.startswith("1,672 blocks were restored of 4,827")
    (why,) = restored("restoremeta_350_truncated", of=None).wrong  # nobody knows how many there were
    assert "the target tells of 4,000 dinodes" in why


def test_a_target_that_was_too_small_is_found_by_its_size() -> None:
    (why,) = restored("restoremeta_350_smaller_target").wrong
    assert "the target had 8,192 blocks, the file system has 65,534" in why


def test_a_target_that_holds_no_gfs2_is_wrong() -> None:
    assert restored("restoremeta_350", kind="xfs").wrong == ("blkid -p does not say gfs2 of the target",)


def test_of_an_uncompressed_file_only_the_count_tells_that_it_was_whole() -> None:
    assert "nothing tells whether it was whole" in "".join(restored("restoremeta_350", of=None, whole=None).unknown)
    assert restored("restoremeta_350", whole=None).unknown == ()


@pytest.mark.parametrize(("name", "over"), [("fsck_350", True), ("fsck_350_preen", True), ("fsck_350_no_gfs2", False)])
def test_a_check_is_over_when_its_log_says_so(name: str, over: bool) -> None:
    found = verified(Seen(FSCK, 0, log(name)), facts(), NOW)
    assert (found.wrong == ()) is over


def test_a_check_after_which_there_is_no_gfs2_has_not_done_well() -> None:
    assert verified(Seen(FSCK, 1, log("fsck_350")), facts({f"blkid {DEVICE}": ()}), NOW).wrong
    assert verified(Seen(FSCK, 1, log("fsck_350")), facts({f"blkid {DEVICE}": None}), NOW).unknown
