"""Hosts that go and come back, the program killed and started again, and a second terminal that watches the first."""

from __future__ import annotations

import os
import re
import signal
from pathlib import Path

import pytest

from tests.processes import alive
from tests.terminal.cluster import ENTRY, FS, Cluster, processes, simulated, start_job
from tests.terminal.terminal import Terminal, terminal
from tests.tui.test_tui_demo import mentioning, simulator_of
from tests.waiting import until_now

SCANS = "Scanning file system metadata, phase 1"
"""What mmrestripefs says first (mmrestripefs of 3.5, as it was published)."""


def connect(cluster: Cluster, *more: str) -> tuple[str, ...]:
    return "connect", ENTRY, "--fs", FS, "-F", str(cluster.config), *more


def test_a_lost_host_is_named_and_the_others_go_on_until_it_is_back(tmp_path: Path) -> None:
    with terminal(tmp_path, "demo", "--speed", "60", size=(120, 40)) as term:
        term.wait_for("hosts 3/3")
        term.wait_for("88,772,608")
        directory = simulator_of(term.pid)
        cluster = Cluster(Path(directory))
        cluster.ctl("power_off", host="pollux3")
        term.wait_for("hosts 2/3")
        term.wait_for(re.compile(r"Hosts +pollux3 lost, to be tried again: the connection was (lost|refused)"))
        term.wait_for(re.compile(r"! +foo3 .* waiting"))
        term.wait_for(re.compile(r"foo\[1-2\]|foo1 .* up"))
        term.send("R")  # the others answer
        term.wait_for(re.compile(r"GPFS is unknown on foo3"))
        term.send("6")
        term.wait_for("!! not asked: pollux3")
        term.send("1")
        cluster.ctl("power_on", host="pollux3")
        term.wait_for("hosts 3/3")  # by itself
        term.wait_gone("to be tried again")
        term.send("q")
        assert term.wait_end() == 0
    assert until_now(lambda: not mentioning(directory))


def test_the_entry_host_is_waited_for(tmp_path: Path, cluster: Cluster) -> None:
    with terminal(tmp_path, *connect(cluster), size=(120, 40)) as term:
        term.wait_for("hosts 3/3")  # the others are those that the entry has named
        term.wait_for("88,772,608")
        cluster.ctl("power_off", host=ENTRY)
        try:
            term.wait_for("hosts 2/3")
            term.wait_for(f"{ENTRY} lost, to be tried again")
            term.wait_for("88,772,608")  # what was known stays, with its age
        finally:
            cluster.ctl("power_on", host=ENTRY)
        term.wait_for("hosts 3/3")
        term.wait_gone("to be tried again")
        term.send("q")
        assert term.wait_end() == 0


def run_by_hand(term: Terminal, command: str, host: str) -> None:
    """Type a command and all that is asked before it runs."""
    term.send("6")
    term.wait_for("! run")
    term.send("!")
    term.wait_for(f"Run on {host}, no checks apply")
    term.outwait_deafness()
    term.send(f"{command}\r")
    term.wait_for(f"Run by hand on {FS}")
    term.wait_for("▸ Cancel ◂")
    term.outwait_deafness()
    term.send("\t")
    term.wait_for("[ Cancel ]")
    term.send(f"{FS}\r")
    term.wait_for("▸ y: run it ◂")
    term.send("y")


@pytest.mark.parametrize("soon", [True, False], ids=["at the launch", "while it is followed"])
def test_a_killed_program_finds_its_job_again_and_runs_nothing_twice(
    tmp_path: Path, cluster: Cluster, soon: bool
) -> None:
    command = ("sleep", str(200_000 + 2 * os.getpid() + soon))
    with terminal(tmp_path, *connect(cluster, "--write")) as term:
        term.wait_for("hosts 3/3")
        term.wait_for("ARMED")
        run_by_hand(term, " ".join(command), ENTRY)
        until_now(lambda: processes(*command))
        if not soon:
            term.wait_for(re.compile(rf"{ENTRY} +running .*{' '.join(command)}"))
        term.signal(signal.SIGKILL)
        assert term.wait_end() == -signal.SIGKILL
    with terminal(tmp_path, *connect(cluster, "--write")) as term:
        term.wait_for("hosts 3/3")
        term.send("6")
        term.wait_for(re.compile(rf"{ENTRY} +running .*{' '.join(command)}"))
        term.wait_for(lambda shown: shown.text.count(" ".join(command)) == 2)  # its row, and the line about this row
        term.send("q")
        assert term.wait_end() == 0
        assert f"still running on {ENTRY}: {' '.join(command)}" in term.lines
    (pid,) = processes(*command)
    os.kill(pid, signal.SIGTERM)
    until_now(lambda: not alive(pid))


def test_a_restripe_is_attached_to_from_its_first_line_after_a_kill(tmp_path: Path) -> None:
    with simulated(tmp_path, speed=1500) as cluster:  # a rebalance of four hours in ten seconds
        start_job(cluster, "restripe-1", "mmrestripefs", FS, "-b")
        for killed in (True, False):
            with terminal(tmp_path, *connect(cluster), size=(120, 40)) as term:
                term.wait_for("hosts 3/3")
                term.send("6")
                term.wait_for(re.compile(rf"{ENTRY} +(running|finished) .*mmrestripefs {FS} -b"))
                term.send("\r")
                term.wait_for(re.compile(rf"on {ENTRY} +mmrestripefs {FS} -b"))
                term.wait_for("% complete")
                term.send("g")
                term.wait_for(SCANS)
                if killed:
                    assert "running" in term.text  # in the middle of it
                    term.signal(signal.SIGKILL)
                    assert term.wait_end() == -signal.SIGKILL
                else:
                    # it is followed to its end, for which nobody has to wait
                    cluster.ctl("pace", factor=100)
                    term.send("G")
                    term.wait_for("exit 0", seconds=60)
                    term.send("q")
                    assert term.wait_end() == 0
        assert len(cluster.ran("mmrestripefs")) == 1


def test_another_terminal_follows_what_is_being_recorded(tmp_path: Path, cluster: Cluster) -> None:
    recording = tmp_path / "r.jsonl"
    with terminal(tmp_path, *connect(cluster, "--record", str(recording))) as first:
        first.wait_for("hosts 3/3")
        with terminal(tmp_path, "replay", str(recording), "--from", "end", size=(120, 40)) as second:
            second.wait_for("REPLAY")
            second.wait_for("hosts 3/3")
            second.wait_for("88,772,608")
            second.wait_for(re.compile(r"^ live ", re.MULTILINE))
            cluster.ctl("power_off", host="pollux1")
            try:
                second.wait_for("hosts 2/3")
                second.wait_for(f"{ENTRY} lost, to be tried again")
            finally:
                cluster.ctl("power_on", host="pollux1")
            second.wait_for("hosts 3/3")
            first.send("q")
            assert first.wait_end() == 0
            second.wait_for(re.compile(r"^ end ", re.MULTILINE))  # nothing more is to come
            second.send("q")
            assert second.wait_end() == 0
