"""`restripe demo`: one command from the first look to the proof, and nothing left behind however it ends."""

from __future__ import annotations

import json
import os
import signal
import stat
import subprocess
from pathlib import Path

import pytest

from remote.events import Closed, StepChanged
from remote.recording import Recording
from supervision.replay import Replay
from tests.supervision.seed import CHANGING
from tests.supervision.test_shipped_recording import SSDS, USED_KB
from tests.tui.program import COMMAND, environment, no_traceback, restripe
from tests.waiting import until_now

STEPS = ["look", "devices", "size", *CHANGING, "proof"]
KEYS = {
    "result",
    "why",
    "steps",
    "metadata_used_kb",
    "metadata_left_on_rotating_kb",
    "ssd_free_percent",
    "simulated_seconds",
    "real_seconds",
    "recording",
    "recording_failure",
    "warnings",
}


def test_the_demo_s_report_is_one_json_object_and_all_else_is_stderr(tmp_path: Path) -> None:
    state = tmp_path / "state"
    done = restripe(tmp_path, "demo", "--json", "--speed", "4000", XDG_STATE_HOME=str(state))
    assert done.returncode == 0, done.stderr
    (line,) = done.stdout.splitlines()
    report = json.loads(line)
    assert set(report) == KEYS
    assert (report["result"], report["why"], report["recording_failure"]) == ("done", "", "")
    assert report["metadata_used_kb"] == USED_KB == 407779968
    assert report["metadata_left_on_rotating_kb"] == 0
    assert report["ssd_free_percent"] == dict.fromkeys(SSDS, 65)
    assert [step["name"] for step in report["steps"]] == STEPS
    for step in report["steps"]:
        assert set(step) == {"name", "command", "host", "rc", "seconds"}
        assert (step["rc"], step["host"]) == (0, "pollux1")
    commands = {step["name"]: step["command"] for step in report["steps"]}
    assert commands["mmrestripefs"] == "mmrestripefs mss1 -r -N foo1,foo2,foo3"
    # the restripe of the seed lasted from 15:46:19 to 19:41:03
    restripe_seconds = next(step["seconds"] for step in report["steps"] if step["name"] == "mmrestripefs")
    assert restripe_seconds >= 3 * 3600 + 54 * 60 + 44
    assert report["simulated_seconds"] >= sum(step["seconds"] for step in report["steps"]) - 1
    assert 0 < report["real_seconds"] < 60

    path = Path(report["recording"])
    assert path.parent == state / "restripe" / "recordings"
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert stat.S_IMODE(path.parent.stat().st_mode) == 0o700
    recording = Recording(path)
    events = list(recording)
    assert (recording.torn, recording.skipped) == (False, 0)
    assert isinstance(events[-1], Closed)
    assert "step 8     proof DONE" in done.stderr
    assert str(path) in done.stderr
    assert no_traceback(done.stderr)

    # the session, told again: the same steps and the same figure
    again = restripe(tmp_path, "replay", str(path), "--plain")
    assert again.returncode == 0
    for number, name in enumerate(STEPS, 1):
        assert f"step {number}     {name}: " in again.stdout
    assert "407,779,968 KB used on the new disks" in again.stdout
    lived = [text for text in done.stderr.splitlines() if " decided " in text or " DONE: " in text]
    assert lived
    assert [text for text in again.stdout.splitlines() if " decided " in text or " DONE: " in text] == lived


def test_an_existing_file_is_not_recorded_over(tmp_path: Path) -> None:
    path = tmp_path / "r.jsonl"
    path.write_text("precious")
    done = restripe(tmp_path, "demo", "--json", "--speed", "4000", "--record", str(path))
    report = json.loads(done.stdout)  # one object whatever happened: scripts read it
    assert (done.returncode, report["result"], report["steps"]) == (1, "failed", [])
    assert "File exists" in report["why"]
    assert "Nothing was done" in done.stderr
    assert "File exists" in done.stderr
    assert no_traceback(done.stderr)
    assert path.read_text() == "precious"


def test_a_place_that_cannot_be_recorded_to_is_said(tmp_path: Path) -> None:
    (tmp_path / "state").write_text("a file")
    done = restripe(tmp_path, "demo", "--speed", "4000", XDG_STATE_HOME=str(tmp_path / "state"))
    assert done.returncode == 1
    assert "the recording cannot be created" in done.stdout
    assert no_traceback(done.stdout + done.stderr)


def mentioning(directory: str) -> list[int]:
    """The processes whose words or environment name a directory."""
    found = []
    for entry in Path("/proc").iterdir():
        if not entry.name.isdigit() or int(entry.name) == os.getpid():
            continue
        try:
            if directory.encode() in (entry / "cmdline").read_bytes() + (entry / "environ").read_bytes():
                found.append(int(entry.name))
        except OSError:
            continue
    return found


def simulator_of(program: int) -> str:
    """The directory of the simulator that a program has started; empty until it has."""
    children = Path(f"/proc/{program}/task/{program}/children").read_text().split()
    for child in children:
        words = Path(f"/proc/{child}/cmdline").read_text().split("\0")
        if "simulator" in words:
            return words[words.index("--dir") + 1]
    return ""


@pytest.mark.parametrize(
    ("until", "number"),
    [
        ("  connected", signal.SIGINT),
        ("  connected", signal.SIGTERM),
        ("  connected", signal.SIGHUP),
        ("# mmrestripefs", signal.SIGINT),
    ],
    ids=["early-SIGINT", "early-SIGTERM", "early-SIGHUP", "in the restripe-SIGINT"],
)
def test_an_interrupt_leaves_no_process_and_a_readable_recording(
    tmp_path: Path, number: signal.Signals, until: str
) -> None:
    path = tmp_path / "r.jsonl"
    with subprocess.Popen(
        [*COMMAND, "demo", "--speed", "3000", "--record", str(path)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env=environment(tmp_path),
    ) as program:
        assert program.stdout is not None
        for line in program.stdout:
            if until in line:
                break
        directory = simulator_of(program.pid)
        assert directory
        assert mentioning(directory)
        program.send_signal(number)
        out, complaints = program.communicate(timeout=40)
    assert program.returncode == 130
    assert complaints.startswith("Interrupted.")
    assert len(complaints.splitlines()) == 1
    assert no_traceback(out + complaints)
    assert until_now(lambda: not mentioning(directory))
    assert not Path(directory).exists()
    recording = Recording(path)
    events = list(recording)
    assert (recording.torn, recording.skipped) == (False, 0)
    begun = [event.name for event in events if isinstance(event, StepChanged)][:8]
    assert begun == ([] if until == "  connected" else STEPS)  # the steps are told of once there is a plan
    assert not Replay(path).end.closed


def test_a_reader_who_leaves_ends_the_demo_without_a_traceback(tmp_path: Path) -> None:
    """`restripe demo | head -1`"""
    reading, writing = os.pipe()
    with subprocess.Popen(
        [*COMMAND, "demo", "--speed", "4000", "--record", str(tmp_path / "r.jsonl")],
        stdout=writing,
        stderr=subprocess.PIPE,
        env=environment(tmp_path),
    ) as program:
        os.close(writing)
        assert os.read(reading, 9) == b"Simulated"
        directory = simulator_of(program.pid)
        os.close(reading)
        _, complaints = program.communicate(timeout=60)
    assert complaints == b""
    assert program.returncode == 1
    assert directory
    assert until_now(lambda: not mentioning(directory))
