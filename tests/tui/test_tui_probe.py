"""`restripe probe` on a simulated host, over SSH: shown, started once, refused a second time."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from click.testing import CliRunner

from remote.jobs import JobSpec, JobState, JobStatus
from remote.live import LiveSite
from simulator.client import Simulation
from supervision.probejob import Wish, probes
from supervision.probing import read_line
from supervision.replay import Replay
from tests.waiting import until
from tui.cli import cli
from tui.connecting import Target
from tui.exits import Exit
from tui.probe import run


@pytest.fixture
async def cluster() -> AsyncIterator[Simulation]:
    async with Simulation.start(scenario="seed", speed=600) as simulation:
        yield simulation


async def test_a_probe_is_shown_started_once_and_found_in_its_recording(
    cluster: Simulation, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))
    target, wish = Target("pollux2", config=cluster.ssh_config), Wish("/tmp", "pollux2", 1.0, 2.5)
    host = cluster.directory / "hosts" / "pollux2"
    jobs, users = host / "var" / "lib" / "restripe", host / "sysroot" / "tmp"
    assert await run(target, "mss1", wish, armed=False) is Exit.DONE
    shown = capsys.readouterr().out
    assert shown.endswith("/run/probe.sh /tmp 1 30 4 2419200 2.5\nNothing was started: that takes --write.\n")
    assert not list(jobs.glob("*"))
    assert not list(tmp_path.rglob("*.jsonl"))
    users.mkdir()
    assert await run(target, "mss1", wish, armed=True) is Exit.DONE
    (job,), (recording,) = jobs.iterdir(), tmp_path.rglob("*.jsonl")
    assert job.name.startswith("mss1-probe-")
    assert f"job {job.name}: it runs\n" in capsys.readouterr().out
    lines = await until(lambda: [line for line in (job / "log").read_text().split("\n")[:-1] if " ok " in line])
    assert read_line(lines[0])
    assert await run(target, "mss1", wish, armed=True) is Exit.REFUSED
    assert capsys.readouterr().err == f"pollux2: /tmp is probed already, by job {job.name}\n"
    (probe,) = probes(Replay(recording).end)
    assert (probe.host, probe.job.status.state) == ("pollux2", JobState.RUNNING)


@pytest.fixture(params=["at once", "when the job has ended"])
def answered(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """When a launch is answered: on a busy machine its job may have ended by then."""
    launch = LiveSite.launch

    async def later(site: LiveSite, host: str, spec: JobSpec) -> JobStatus:
        status = await launch(site, host, spec)
        while not status.state.settled:
            (status,) = await site.jobs(host)
        return status

    if request.param != "at once":
        monkeypatch.setattr(LiveSite, "launch", later)


@pytest.mark.usefixtures("answered")
async def test_a_probe_that_could_not_begin_is_told_with_its_reason(
    cluster: Simulation, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))
    target, wish = Target("pollux2", config=cluster.ssh_config), Wish("/no/such", "pollux2", 1.0, 2.5)
    assert await run(target, "mss1", wish, armed=True) is Exit.FAILED
    told = "pollux2: /no/such is not probed: it was refused: No such file or directory\n"
    assert capsys.readouterr().err == told


@pytest.mark.usefixtures("answered")
async def test_a_probe_that_ended_without_a_word_is_no_probe_that_began(
    cluster: Simulation, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))
    monkeypatch.setattr("supervision.probejob._script", lambda: "exit 7\n")
    target, wish = Target("pollux2", config=cluster.ssh_config), Wish("/tmp", "pollux2", 1.0, 2.5)
    assert await run(target, "mss1", wish, armed=True) is Exit.FAILED
    told = "pollux2: /tmp is not probed: it told nothing, and it has ended and its exit code is known: 7\n"
    assert capsys.readouterr().err == told


def test_what_cannot_be_meant_connects_to_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path))
    for words, told in (
        (("login1",), "name a directory"),
        (("login1", "tmp"), "not an absolute path: 'tmp'"),
        (("login1", "/tmp", "--interval", "0.1"), "0.1 is not in the range 1<=x<=60"),
    ):
        done = CliRunner().invoke(cli, ["probe", *words])
        assert (done.exit_code, told in done.output) == (2, True), done.output
