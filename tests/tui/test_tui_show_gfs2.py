"""`restripe show` of a GFS2: its tables as text and as JSON, and what it has not is refused in words."""

from __future__ import annotations

from typing import Any, cast

import pytest
from click.testing import CliRunner

from remote.command import Command
from remote.gfs2 import commands as gfs2
from supervision.state import State
from supervision.supervisor import Supervisor
from tests.supervision import gfs2_states as made
from tests.supervision.gfs2_states import DEVICE, HOST
from tui import show_kind
from tui.cli import cli
from tui.show_view import NothingError, View


class Asked:
    """A supervisor that knows a state already, and keeps what it was asked."""

    def __init__(self, state: State) -> None:
        self.entry = HOST
        self.store = type("Held", (), {"state": state})()
        self.asked: list[Command] = []

    async def ask(self, host: str, *commands: Command) -> None:
        assert host == HOST
        self.asked += commands


async def shown(kind: str, known: dict[str, Any]) -> tuple[View, Asked]:
    view, supervisor = View(), Asked(made.state(known))
    await show_kind.show(kind, cast("Supervisor", supervisor), view)
    return view, supervisor


async def test_a_cluster_is_its_facts_its_nodes_and_its_groups() -> None:
    view, supervisor = await shown("cluster", made.device_facts())
    assert gfs2.rgs(DEVICE) in supervisor.asked
    text = "\n".join(view.lines)
    assert "Dinodes         88,900" in text
    assert "Resource groups\nused" in text
    assert "Nodes" not in text  # nobody has told of any, which is no table without rows
    assert view.data["facts"]["Dinodes"] == "88,900"
    assert view.data["space"][0]["groups"] == 1
    assert view.warnings == []


async def test_numbers_in_json_have_their_unit() -> None:
    view, _ = await shown("disks", made.device_facts())
    (disk,) = view.data["disks"]
    blocks = 2056 + 5 * 65_272 + 3 * 65_268
    assert (disk["device"], disk["size_kb"], disk["dinodes"]) == (DEVICE, blocks * 4, 88_900)


async def test_a_foreign_device_is_a_warning() -> None:
    view, _ = await shown("disks", {f"blkid {DEVICE}": ()})
    assert view.warnings[0].startswith(f"Device: blkid -p finds nothing on {DEVICE}")
    assert len(view.warnings) == 1


async def test_nothing_told_is_a_failure() -> None:
    with pytest.raises(NothingError, match=f"nothing was told of {DEVICE}"):
        await shown("df", {})


@pytest.mark.parametrize(
    ("words", "why"),
    [
        (["show", "nsds", "h", "--gfs2", DEVICE], "GFS2 has neither NSDs"),
        (["show", "disks", "h", "--gfs2", "data"], "no slash"),
        (["show", "disks", "h", "--gfs2", DEVICE, "--fs", "x"], "--fs or --gfs2, not both"),
        (["watch", "h", "--fs", "x", "--gfs2", DEVICE], "--fs or --gfs2, not both"),
        (["connect", "h", "--gfs2", "./data"], "not an absolute path"),
    ],
)
def test_what_cannot_be_meant_is_refused_before_anything_is_asked(words: list[str], why: str) -> None:
    result = CliRunner().invoke(cli, words)
    assert result.exit_code == 2
    assert why in " ".join(result.output.split())
