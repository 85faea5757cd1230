"""The window: as large as a person makes it, and the shell's again while the program is stopped."""

from __future__ import annotations

import os
import re
import shlex
import signal
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from tests.processes import descendants, stat_fields
from tests.terminal.terminal import Terminal, terminal
from tests.terminal.test_terminal_leaving import AT_FIRST, CONTROLS, SEED
from tests.tui.program import COMMAND


def framed(columns: int, lines: int) -> Callable[[Terminal], bool]:
    """Whether the whole frame stands on a display of that size."""

    def look(term: Terminal) -> bool:
        shown = term.lines
        status, tabs, timeline, footer = shown[0], shown[1], shown[2], shown[-1]
        return bool(
            status.startswith(" mss1"[: columns - 1])
            # what is cut first is the name: never that nothing can be changed here, nor the clock
            and (columns < 40 or re.search(r"REPLAY READ-ONLY  .*\d\d:\d\d:\d\d", status))
            and tabs.startswith("[1 Cluster] 2 Disks  3 Devices"[:columns])
            # both are as wide as the window
            and len(timeline) == columns - 1
            and timeline.startswith(" paused")
            and len(footer) == columns - 1
            and footer.endswith("? help  q quit")
            and "…" not in footer  # a key stands there whole or not at all
            and len(shown) == lines
            and not any("q quit" in line for line in shown[:-1])
        )

    look.__name__ = f"a frame of {columns} x {lines}"
    return look


def test_the_frame_fits_every_size(tmp_path: Path) -> None:
    with terminal(tmp_path, "replay", str(SEED)) as term:
        term.wait_for(framed(80, 24))
        for columns, lines in ((120, 40), (200, 60), (40, 10), (12, 3), (80, 24)):
            term.resize(columns, lines)
            if columns >= 40:
                term.wait_for(framed(columns, lines))
                # what must be seen is seen in every window, and more of it in a larger one
                term.wait_for("nothing has been looked")
        term.send("?")
        term.wait_for("esc back")
        term.resize(200, 60)
        term.wait_for(lambda t: "esc back" in t.text and "q quit" in t.lines[-1])
        term.send("\x1b")
        term.wait_gone("esc back")
        term.wait_for(framed(200, 60))
        term.send("q")
        assert term.wait_end() == 0


@contextmanager
def shell(home: Path) -> Iterator[Terminal]:
    """An interactive shell with job control, as a person has it."""
    start = home / "rc"
    start.write_text("PS1='SHELL> '\nHISTFILE=\n", encoding="utf-8")
    with terminal(home, command=("bash", "--noprofile", "--rcfile", str(start), "-i")) as term:
        term.wait_for("SHELL>")
        yield term


def test_a_terminal_whose_settings_were_changed_is_taken_back(tmp_path: Path) -> None:
    """As when the signal to go on was missed, or another program that was called has left them so."""
    with terminal(tmp_path, "replay", str(SEED)) as term:
        term.wait_for(framed(80, 24))
        term.edit_lines()
        term.wait_for(lambda shown: shown.discipline() == (False, False, False))
        term.wait_for(framed(80, 24))
        term.send("6")
        term.wait_for("[6 Jobs]")
        term.send("q")
        assert term.wait_end() == 0


def ours(term: Terminal) -> int:
    """The program below the shell."""
    (pid,) = descendants(term.pid)
    return pid


@pytest.mark.parametrize("by", ["key", "TSTP", "STOP"])
def test_a_shell_has_the_terminal_while_it_is_stopped_and_gives_it_back(tmp_path: Path, by: str) -> None:
    command = shlex.join([*COMMAND, "replay", str(SEED)])
    with shell(tmp_path) as term:
        term.send(f"{command}\r")
        term.wait_for(framed(80, 24))
        pid = ours(term)
        if by == "key":
            term.send("\x1a")
        else:
            os.kill(pid, signal.Signals[f"SIG{by}"])
        term.wait_for(lambda _: stat_fields(pid)[0] == "T")
        if by != "STOP":  # which nobody hears, so that the shell's words stand on our screen
            term.wait_for(re.compile(r"Stopped .*\n(.*\n)*SHELL>$", re.MULTILINE))
            assert "restripe is stopped and watches nothing until fg; jobs on hosts go on." in term.lines
            assert term.modes - {2004} == AT_FIRST  # the shell itself has pastes in brackets
            assert "[1 Cluster]" not in term.text
        term.send("echo $((6 * 7))\r")
        term.wait_for(re.compile(r"^42", re.MULTILINE))
        size = (80, 24) if by == "TSTP" else (120, 40)  # as large as it was, or not
        term.resize(*size)
        term.send("fg\r")
        term.wait_for(framed(*size))
        term.wait_for("nothing has been looked")
        assert term.modes >= CONTROLS
        assert 25 not in term.modes
        assert term.discipline() == (False, False, False)
        term.send("6")
        term.wait_for("[6 Jobs]")
        term.send("q")
        term.wait_for(re.compile(r"SHELL>$"))
        term.send("echo ended: $?\r")
        term.wait_for("ended: 0")
        assert term.modes - {2004} == AT_FIRST


def test_without_a_shell_it_goes_on(tmp_path: Path) -> None:
    with terminal(tmp_path, "replay", str(SEED)) as term:
        term.wait_for(framed(80, 24))
        term.send("\x1a")
        term.wait_for("no shell waits for this program")
        term.signal(signal.SIGTSTP)
        term.send("6")
        term.wait_for("[6 Jobs]")
        term.send("q")
        assert term.wait_end() == 0
