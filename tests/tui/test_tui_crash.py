"""An error of the program's own while the screens are there: told in a line, kept in a file, and never a success."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.tui.onterminal import OnTerminal

SHIPPED = Path(__file__).parents[2] / "recordings" / "seed-3.5.jsonl"


def faulty(where: str, how: str) -> str:
    """The program with a fault in one of its methods, whose variables hold what nobody may see."""
    owner, _, method = where.partition(".")
    return f"""
from screens.cluster import ClusterScreen
from screens.widgets.timeline import Timeline
from supervision.player import Player
from tui.app import RestripeApp
from tui.cli import main
{how}def broken(self, *_):
    secret = "hunter" + str(2)
    raise LookupError("row [/red] is \\x1b[31m gone")
{owner}.{method} = broken
main()
"""


@pytest.mark.parametrize(
    ("where", "how"),
    [
        ("ClusterScreen.show_state", ""),
        ("Timeline.look", ""),
        ("Player.run", "async "),
        ("RestripeApp.action_help", ""),
    ],
    ids=["screen", "timer", "worker", "key"],
)
def test_an_error_in_the_screens_is_a_line_a_file_and_status_1(tmp_path: Path, where: str, how: str) -> None:
    state = tmp_path / "state"
    terminal = OnTerminal(tmp_path, "replay", str(SHIPPED), code=faulty(where, how), XDG_STATE_HOME=str(state))
    if where.endswith("help"):
        terminal.until(lambda text: "READ-ONLY" in text)
        terminal.press("?")
    assert terminal.ended() == 1
    first, second = terminal.afterwards.splitlines()
    assert first.startswith("restripe has an error of its own: LookupError: row [/red] is \ufffd[31m gone (in broken, ")
    kept = state / "restripe" / "crash.txt"
    assert second == f"Details are in {kept}; jobs on hosts are not touched by this."
    assert "Traceback" not in terminal.text
    assert "hunter2" not in terminal.text
    assert "hunter2" not in kept.read_text()
    assert "Traceback" in kept.read_text()
    assert kept.stat().st_mode & 0o777 == 0o600
