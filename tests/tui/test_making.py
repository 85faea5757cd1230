"""What marked devices mean for a plan."""

from __future__ import annotations

import pytest

from supervision.filesystem import Choosing
from supervision.gpfs_selection import PATTERN
from supervision.migration import StopError
from tui.making import wish_of


def test_a_device_that_is_marked_on_several_hosts_is_one_by_its_identity() -> None:
    marked = ("n1 wwn:55cd", "n2 wwn:55cd", "n2 wwn:55ce")
    wish = wish_of(Choosing(marked, "{server}_md{n}", {"n1": "4"}))
    assert wish.devices == ("wwn:55cd", "wwn:55ce")
    assert (wish.pattern, dict(wish.groups)) == ("{server}_md{n}", {"n1": "4"})


def test_nothing_marked_leaves_the_choice_to_what_is_found() -> None:
    assert wish_of(Choosing()).devices == ()
    assert wish_of(Choosing()).pattern == PATTERN


def test_a_device_that_only_its_name_tells_is_refused() -> None:
    with pytest.raises(StopError, match="no identity proves n1 =sdb"):
        wish_of(Choosing(("n1 wwn:55cd", "n1 =sdb")))
