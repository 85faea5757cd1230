"""What is said when the screens are left: all that goes on or may, and a way back that leads to the same place."""

from __future__ import annotations

import shlex
from collections.abc import Awaitable, Callable
from pathlib import Path

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from remote.command import Command, Effect
from remote.events import Launching, LinkChanged, Signalling
from remote.jobs import JobSpec, JobState
from remote.recording import Writer
from screens.intents import LaunchJob
from simulator.client import Simulation
from tests.screens.jobsapp import NOW, Live
from tests.waiting import until
from tui import showing
from tui.app import RestripeApp
from tui.commands_screens import connect as connect_command
from tui.connecting import Target
from tui.exits import Exit
from tui.leaving import come_back, goes_on, program, recording_lines, way_back
from tui.settings import Config, HostDefaults, Settings, config_file
from tui.using import way

WORD = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0@"), min_size=1, max_size=12)
PLAIN = st.from_regex(r"[a-z0-9][a-z0-9.]{0,8}", fullmatch=True)
USUAL = st.builds(
    HostDefaults,
    fs=st.none() | PLAIN,
    user=st.none() | PLAIN,
    jump=st.none() | PLAIN,
    through=st.none() | PLAIN,
    sudo=st.none() | st.booleans(),
)
NOT_WRITTEN = (
    "the host could not do what was asked "
    "(the job's files could not be written: no space, or an I/O error; nothing was run)"
)
DEFAULTS = Settings(Config(), Path("config.toml"))


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(
    host=PLAIN,
    user=st.just("") | PLAIN,
    jump=st.just("") | WORD,
    through=st.just("") | WORD,
    sudo=st.booleans(),
    fs=WORD,
    file=st.none() | st.just("my config's; file"),
    usual=USUAL,
    armed=st.booleans(),
)
@example("a", "", "", "", False, "mss1", None, HostDefaults(user="u", jump="j", through="t", sudo=True), True)
def test_the_way_back_leads_to_the_same_place(
    tmp_path: Path,
    host: str,
    user: str,
    jump: str,
    through: str,
    sudo: bool,
    fs: str,
    file: str | None,
    usual: HostDefaults,
    armed: bool,
) -> None:
    set_before = Settings(Config(hosts={host: usual}), tmp_path / "config.toml")
    config = tmp_path / file if file else None
    if config:
        config.touch()
    destination = f"{user}@{host}" if user else host
    target, _fs = way(set_before, destination, fs, config=config, jump=jump, through=through, sudo=sudo)

    name, command, *words = shlex.split(way_back(target, fs, set_before, armed=armed))
    assert (name, command) == ("restripe", "connect")
    said = connect_command.make_context("connect", words).params
    again, same_fs = way(
        set_before,
        said["destination"],
        said["fs"],
        config=said["config"],
        jump=said["jump"],
        through=said["through"],
        sudo=said["sudo"],
    )
    assert again == target
    assert same_fs == fs
    assert said["write"] is armed


def test_paths_of_the_way_back_hold_in_any_directory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    back = way_back(Target("nsd1", config=Path("ssh_config")), "mss1", DEFAULTS, armed=False)
    assert back == f"restripe connect nsd1 --fs mss1 -F {tmp_path / 'ssh_config'}"


def test_a_path_that_is_no_text_ends_nothing() -> None:
    target = Target("nsd1", config=Path("/tmp/\udcff"))
    assert come_back(target, "mss1", DEFAULTS, armed=True) == ["come back with the command line that you came with"]


def test_the_program_is_named_by_its_path_where_no_shell_finds_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    ours = tmp_path / "restripe"
    ours.touch(mode=0o755)
    monkeypatch.setattr("sys.argv", [str(ours), "connect"])
    monkeypatch.setenv("PATH", str(tmp_path / "elsewhere"))
    assert program() == str(ours)
    monkeypatch.setenv("PATH", str(tmp_path))
    assert program() == "restripe"


def test_every_job_that_runs_or_may_is_listed_and_no_other() -> None:
    far = Live(armed=True)
    far.job("a", JobState.RUNNING)
    far.job("b", JobState.ORPHAN, command="mmdeldisk mss1 x")
    far.job("c", JobState.FINISHED, rc=0)
    far.job("d", JobState.RUNNING, command="touch /x")
    far.tell(Signalling(NOW, "pollux1", "d", "TERM"))
    far.job("e", JobState.UNKNOWN, host="pollux2", at=NOW - 720, command="sleep 9\x1b[2J")
    far.tell(LinkChanged(NOW, "pollux2", "waiting"))
    far.tell(Launching(NOW, "pollux3", JobSpec("f", "", "a@b", Command(("touch", "/y z"), Effect.CHANGES))))
    far.job("g", JobState.ERROR, host="pollux3", command="true", note="no_space_or_io")
    far.job("h", JobState.LOST, host="pollux3")
    assert goes_on(far.session.fs, far.session.state, NOW) == [
        "still running on pollux1: mmrestripefs mss1 -r",
        "still running, and its exit code will never be known, on pollux1: mmdeldisk mss1 x",
        "told to stop, and its end was not seen, on pollux1: touch /x",
        "not known whether it runs on pollux2: sleep 9\ufffd[2J (last heard of 12 min ago)",
        "not known whether it was started on pollux3: touch '/y z'",
        f"not known how it stands on pollux3: true ({NOT_WRITTEN})",
    ]


def test_a_recording_that_is_not_whole_is_said_to_be_so(tmp_path: Path) -> None:
    path = tmp_path / "my session.jsonl"
    writer = Writer(path, Live(armed=False).session.header)
    writer.close()
    assert recording_lines(writer) == [f"recorded in {path}", f"replay it with: restripe replay '{path}'"]
    writer._fail("No space left on device")
    assert recording_lines(writer)[0] == "recording not whole: No space left on device"


Person = Callable[[RestripeApp], Awaitable[None]]


async def left(monkeypatch: pytest.MonkeyPatch, target: Target, record: Path, person: Person) -> Exit:
    """How `connect` ends after a person has done something and left."""

    async def run(app: RestripeApp, _settings: Settings, _greeting: str = "") -> Exit:
        app._first_frame()  # as if it had been drawn: what waits for it begins
        await person(app)
        return Exit.DONE

    monkeypatch.setattr(showing, "_run", run)
    where = Settings(Config(), config_file())
    return await showing.connect(target, "mss1", armed=True, record=record, settings=where)


async def connected(app: RestripeApp) -> None:
    """Wait until the host has answered."""
    await until(lambda: any(ran.rc is not None for ran in app.session.state.commands), 60)


async def test_connect_ends_with_0_once_a_host_was_there_and_with_6_where_the_recording_is_not_whole(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    async def full(app: RestripeApp) -> None:
        await connected(app)
        assert app.session.writer
        app.session.writer._fail("No space left on device")

    async with Simulation.start(scenario="seed", speed=20_000) as simulation:
        target = Target("pollux1", user="root", config=simulation.ssh_config)
        assert await left(monkeypatch, target, tmp_path / "a.jsonl", connected) is Exit.DONE
        back, recorded, replay = capsys.readouterr().out.splitlines()
        assert back == f"come back with: restripe connect root@pollux1 --fs mss1 -F {simulation.ssh_config} --write"
        assert recorded == f"recorded in {tmp_path / 'a.jsonl'}"
        assert replay == f"replay it with: restripe replay {tmp_path / 'a.jsonl'}"
        assert await left(monkeypatch, target, tmp_path / "b.jsonl", full) is Exit.WARNINGS
        assert "recording not whole: No space left on device" in capsys.readouterr().out.splitlines()


async def test_leaving_before_a_host_has_answered_to_a_launch_is_unknown_and_says_of_what(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    async with Simulation.start(scenario="seed", speed=20) as simulation:

        async def launching(app: RestripeApp) -> None:
            await connected(app)
            app.on_launch_job(LaunchJob("pollux1", ("touch", "/tmp/x y")))
            assert app.session.supervisor
            await app.session.supervisor.store.until(lambda state: bool(state.jobs))  # and not until the host answers

        target = Target("pollux1", config=simulation.ssh_config)
        assert await left(monkeypatch, target, tmp_path / "a.jsonl", launching) is Exit.UNKNOWN
        said = capsys.readouterr().out.splitlines()
    assert said[0] == "not known whether it was started on pollux1: touch '/tmp/x y'"
    assert said[1].startswith("come back with: restripe connect pollux1 ")


async def test_connect_ends_with_3_where_no_host_was_ever_reached(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    async def refused(app: RestripeApp) -> None:
        await until(lambda: (link := app.session.state.links.get("nowhere")) and link.state == "waiting")

    ssh_config = tmp_path / "ssh_config"
    ssh_config.write_text("Host nowhere\n  HostName 127.0.0.1\n  Port 1\n", encoding="utf-8")
    target = Target("nowhere", config=ssh_config)
    assert await left(monkeypatch, target, tmp_path / "a.jsonl", refused) is Exit.UNREACHABLE
    (why,) = [line for line in capsys.readouterr().out.splitlines() if line.startswith("could not connect")]
    assert why.startswith("could not connect to nowhere: ")
    assert "refused" in why
