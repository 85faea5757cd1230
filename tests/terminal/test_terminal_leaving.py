"""Every way out of the screens gives the terminal back, closes the recording and touches no job."""

from __future__ import annotations

import os
import re
import select
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from remote.events import Closed
from remote.recording import Recording
from tests.terminal.cluster import ENTRY, FS, Cluster, processes, start_job
from tests.terminal.terminal import Terminal, terminal
from tests.tui.program import COMMAND, environment
from tests.waiting import until_now

SEED = Path(__file__).parents[2] / "recordings" / "seed-3.5.jsonl"
AT_FIRST = {7, 25}
"""The private modes of a terminal that nobody has touched: lines wrap, and the cursor is seen."""
CONTROLS = {1000, 1003, 1006, 1049, 2004}
"""What the screens need: the mouse, an alternate screen, and pastes in brackets."""
SECONDS = 86_400 + os.getpid()
"""How long the job lasts: words that no other process of the machine has."""


@pytest.fixture(scope="module")
def job(cluster: Cluster) -> Iterator[tuple[str, ...]]:
    """A job that runs on the cluster for a day."""
    argv = ("sleep", str(SECONDS))
    start_job(cluster, "for-a-day", *argv)
    yield argv
    assert len(processes(*argv)) == 1  # whatever became of those who watched it


def connect(cluster: Cluster, recording: Path) -> tuple[str, ...]:
    return "connect", ENTRY, "--fs", FS, "-F", str(cluster.config), "--record", str(recording)


def given_back(term: Terminal) -> None:
    """The terminal is as it was before."""
    assert term.modes == AT_FIRST
    assert term.discipline() == (True, True, True)
    assert term.raw.count(b"\x1b[>") == term.raw.count(b"\x1b[<u") > 0  # the protocol of the keyboard
    assert "Cluster" not in term.text
    assert "Traceback" not in term.text


def how_it_closed(path: Path) -> str:
    """What the last event of a recording says."""
    recording = Recording(path)
    events = list(recording)
    assert (recording.torn, recording.skipped) == (False, 0)
    assert isinstance(events[-1], Closed)
    return events[-1].why


@pytest.mark.parametrize("key", ["q", "\x11"], ids=["q", "ctrl+q"])
def test_leaving_gives_the_terminal_back_and_leaves_nothing(tmp_path: Path, key: str) -> None:
    with terminal(tmp_path, "replay", str(SEED)) as term:
        assert term.discipline() == (True, True, True)
        term.wait_for("q quit")
        assert term.modes >= CONTROLS
        assert 25 not in term.modes
        assert term.discipline() == (False, False, False)
        term.send("\x03")  # a habit of the hand ends nothing
        term.wait_for("ctrl+c ends nothing here")
        term.send(key)
        assert term.wait_end() == 0
        given_back(term)
        assert term.text.strip() == ""
    assert list(tmp_path.iterdir()) == []


def test_what_goes_on_is_told_with_a_command_that_leads_back(
    tmp_path: Path, cluster: Cluster, job: tuple[str, ...]
) -> None:
    recording = tmp_path / "first.jsonl"
    with terminal(tmp_path, *connect(cluster, recording), size=(200, 24)) as term:
        term.wait_for("hosts 3/3")
        term.send("6")
        term.wait_for(f"sleep {SECONDS}")
        term.send("q")
        assert term.wait_end() == 0
        given_back(term)
        assert f"still running on {ENTRY}: sleep {SECONDS}" in term.lines
        assert f"recorded in {recording}" in term.lines
        (back,) = re.findall(r"^come back with: restripe (.*)$", term.text, re.MULTILINE)
    assert how_it_closed(recording) == "left"
    with terminal(tmp_path, *back.split()) as term:
        term.wait_for("hosts 3/3")
        assert "READ-ONLY" in term.text
        term.send("6")
        term.wait_for(f"sleep {SECONDS}")
        term.send("q")
        assert term.wait_end() == 0


@pytest.mark.parametrize(
    "numbers",
    [(signal.SIGTERM,), (signal.SIGHUP,), (signal.SIGINT,), (signal.SIGHUP, signal.SIGTERM, signal.SIGCONT)],
    ids=["TERM", "HUP", "INT", "all at once, as a session manager does it"],
)
def test_a_signal_ends_it_in_order(
    tmp_path: Path, cluster: Cluster, job: tuple[str, ...], numbers: tuple[signal.Signals, ...]
) -> None:
    recording = tmp_path / "r.jsonl"
    with terminal(tmp_path, *connect(cluster, recording)) as term:
        term.wait_for("hosts 3/3")
        term.send("6")
        term.wait_for(f"sleep {SECONDS}")
        for number in numbers:
            term.signal(number)
        assert term.wait_end() == 130
        given_back(term)
        assert f"still running on {ENTRY}: sleep {SECONDS}" in term.lines
    assert how_it_closed(recording) == "interrupted"
    assert len(processes(*job)) == 1


def test_a_sigcont_that_ends_no_stop_changes_nothing(tmp_path: Path) -> None:
    with terminal(tmp_path, "replay", str(SEED)) as term:
        term.wait_for("q quit")
        term.signal(signal.SIGCONT)
        term.send("6")
        term.wait_for("[6 Jobs]")
        term.send("q")
        assert term.wait_end() == 0
        given_back(term)
        assert term.raw.count(b"\x1b[?1049h") == 1


def test_a_terminal_that_goes_without_a_word_is_the_end_too(tmp_path: Path) -> None:
    """It belongs to no session, so nobody sends SIGHUP; and a replay that is paused writes nothing."""
    master, slave = os.openpty()
    env = environment(tmp_path, TERM="xterm-256color", COLUMNS="80", LINES="24")
    command = [*COMMAND, "replay", str(SEED), "--from", "+10"]
    with subprocess.Popen(command, env=env, start_new_session=True, stdin=slave, stdout=slave, stderr=slave) as program:
        os.close(slave)
        seen = b""
        while b"paused" not in seen:
            seen += os.read(master, 65536)
        while select.select([master], [], [], 1.5)[0]:  # until nothing is written any more
            os.read(master, 65536)
        os.close(master)
        assert program.wait(timeout=45) == 130


def test_a_window_that_is_closed_ends_it_in_order(tmp_path: Path, cluster: Cluster, job: tuple[str, ...]) -> None:
    recording = tmp_path / "r.jsonl"
    with terminal(tmp_path, *connect(cluster, recording)) as term:
        term.wait_for("hosts 3/3")
        term.send("6")
        term.wait_for(f"sleep {SECONDS}")
        term.hang_up()
        assert term.wait_end() == 130
    assert how_it_closed(recording) == "interrupted"
    assert len(processes(*job)) == 1
    assert not list(tmp_path.rglob("crash.txt"))


def test_a_terminal_that_takes_no_bytes_delays_nothing_and_is_drawn_when_it_does(tmp_path: Path) -> None:
    recording = tmp_path / "r.jsonl"
    with terminal(tmp_path, "demo", "--auto", "--speed", "20000", "--record", str(recording)) as term:
        term.wait_for("hosts 3/3")
        term.pause()
        # the migration goes on to its proof, with hundreds of changes to the screen that nobody takes
        until_now(lambda: b'"407,779,968 KB used on the new disks' in recording.read_bytes(), 60)
        term.go_on()
        term.wait_for("407,779,968 KB")
        term.pause()
        term.hang_up()
        assert term.wait_end() == 130


def test_an_error_of_its_own_is_one_line_and_a_file(tmp_path: Path, cluster: Cluster, job: tuple[str, ...]) -> None:
    recording = tmp_path / "r.jsonl"
    broken = (
        "from screens.jobs import JobsScreen\n"
        "def show_state(self):\n    secret = 'hunter' + '2'\n    raise ValueError('broken on purpose')\n"
        "JobsScreen.show_state = show_state\n"
        "from tui.cli import main\nmain()\n"
    )
    with terminal(tmp_path, *connect(cluster, recording), command=(sys.executable, "-c", broken)) as term:
        term.wait_for("hosts 3/3")
        term.send("6")
        assert term.wait_end() == 1
        given_back(term)
        assert "restripe has an error of its own: ValueError: broken on purpose" in term.text
        assert b"hunter2" not in term.raw
    (kept,) = tmp_path.rglob("crash.txt")
    assert "broken on purpose" in kept.read_text()
    assert not Recording(recording).torn
    assert len(processes(*job)) == 1
