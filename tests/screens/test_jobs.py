"""The jobs: what is shown of each, attaching to one, and what it takes to run or stop one."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from remote.command import Command, Effect
from remote.events import Answered, Asked, Exact, JobsListed, Launching, LinkChanged, LogRead, Reply, Signalling
from remote.gpfs.commands import mmdiag_waiters
from remote.jobs import JobSpec, JobState, JobStatus
from remote.linux.host_time import host_time
from screens.dialogs import AskText, ConfirmDanger
from screens.intents import LaunchJob, StopJob
from screens.jobs import JobsScreen, read_command
from screens.widgets.frame import KeyFooter
from supervision.clocktext import duration_text, moment_text
from supervision.gpfs import GpfsFileSystem
from supervision.joblist import jobs_table
from supervision.session import Session
from supervision.state import Job, State
from tests.screens.hearing import hearing
from tests.screens.jobsapp import NOW, ListApp, Live
from tests.screens.seedapp import seed_session
from tests.screens.snap import assert_snapshot, text_of
from tests.waiting import until

FS = GpfsFileSystem("mss1", "pollux1")


def cells(state: State, now: float) -> dict[str, list[str]]:
    return {row.key: [cell.text for cell in row.cells] for row in jobs_table(FS, state, now).rows}


@pytest.mark.parametrize("size", [(80, 24), (120, 40), (200, 60)])
async def test_snapshots_of_the_recorded_night(size: tuple[int, int]) -> None:
    app = ListApp(JobsScreen, seed_session(0.5))
    name = f"{size[0]}x{size[1]}"
    async with app.run_test(size=size) as pilot:
        await until(lambda: "mmrestripefs" in text_of(app))
        await pilot.pause()
        assert_snapshot(app, "snapshots_jobs", f"jobs-{name}")
        await pilot.press("enter")
        await until(lambda: "% complete" in text_of(app) and "follows" in text_of(app))
        await pilot.pause()
        assert_snapshot(app, "snapshots_jobs", f"jobs-log-{name}")


def restripe_of(session: Session) -> Job:
    """The recorded restripe."""
    return next(job for job in session.state.jobs.values() if "mmrestripefs" in job.status.command)


def test_running_jobs_come_first_then_the_newest_with_time_and_exit_code() -> None:
    session = seed_session(0.5)
    rows = list(cells(session.state, session.now).values())
    assert [row[1] for row in rows] == ["running", "finished", "finished", "finished"]
    began = restripe_of(session).status.began
    assert began
    assert rows[0][2:4] == ["", duration_text(session.now - began)]
    begun = [job.status.began or 0.0 for job in session.state.jobs.values() if job.status.rc == 0]
    assert [row[7] for row in rows[1:]] == [
        moment_text(at, session.now, session.header.utc_offset) for at in sorted(begun, reverse=True)
    ]
    done = seed_session(1.0)
    status = restripe_of(done).status
    assert status.began
    assert status.ended
    row = cells(done.state, done.now)[f"pollux1 {status.id}"]
    assert row[1:4] == ["finished", "0", duration_text(status.ended - status.began)]


@pytest.mark.parametrize(
    ("state", "more", "word", "severity"),
    [
        (JobState.RUNNING, {"began": NOW - 60}, "running", 0),
        (JobState.FINISHED, {"rc": 3, "began": NOW - 60, "ended": NOW}, "finished", 3),
        (JobState.LOST, {}, "lost", 3),
        (JobState.ORPHAN, {}, "orphan", 2),
        (JobState.REBOOTED, {}, "rebooted", 3),
        (JobState.UNKNOWN, {}, "unknown", 2),
        (JobState.UNKNOWN, {"note": "it is being launched"}, "launching", 2),
        (JobState.SEALED, {}, "sealed", 0),
    ],
)
def test_each_state_has_its_word_and_its_sign(state: JobState, more: dict[str, Any], word: str, severity: int) -> None:
    live = Live(armed=False)
    live.job("j", state, **more)
    row = jobs_table(FS, live.store.state, NOW).rows[0]
    assert (row.cells[1].text, int(row.severity)) == (word, severity)


def waiters(live: Live, host: str, at: float, *threads: str) -> None:
    """A host tells which threads of GPFS wait there."""
    lines = "".join(f"Waiting 0.04 sec since 10:24:00, monitored, thread 7 {name}: for I/O\n" for name in threads)
    n = live.store.state.revision
    live.tell(Asked(at, n, host, (mmdiag_waiters(),)))
    live.tell(Answered(at, n, (Reply(0, Exact(f"\n=== mmdiag: waiters ===\n{lines}".encode()), Exact(b"")),)))


def test_a_stopped_restripe_is_stopping_until_no_work_of_it_is_seen() -> None:
    """Its threads work in the daemons, whatever has become of the command."""
    live = Live(armed=True)

    def told() -> list[str]:
        return cells(live.store.state, NOW)["pollux1 j"][1:3]

    live.job("j", JobState.RUNNING, began=NOW)
    live.tell(Signalling(NOW, "pollux1", "j", "TERM"))
    assert told() == ["stopping", ""]
    live.job("j", JobState.UNKNOWN)
    assert told() == ["stopping", ""]
    live.job("j", JobState.FINISHED, rc=143, began=NOW, ended=NOW + 5)
    assert told() == ["stopping", "143"]
    for host in ("pollux1", "pollux2", "pollux3"):
        waiters(live, host, NOW + 30)  # too early to mean that it has ended
    assert told() == ["stopping", "143"]
    waiters(live, "pollux1", NOW + 100, "NSDThread")
    waiters(live, "pollux2", NOW + 100, "NSDThread", "PitWorkerThread")
    waiters(live, "pollux3", NOW + 100)
    assert told() == ["stopping", "143"]
    after = FS.aftermath(live.store.state, live.store.state.jobs["pollux1", "j"])
    assert after
    assert "GPFS works on" in after.text
    assert "pollux2" in after.text
    assert "pollux1" not in after.text
    waiters(live, "pollux2", NOW + 160)
    # that it is listed again and again does not begin the wait anew, nor does a clock there that is ahead
    live.job("j", JobState.FINISHED, at=NOW + 170, rc=143, began=NOW, ended=NOW + 9000)
    assert told() == ["stopped", "143"]


def test_a_host_that_cannot_tell_leaves_a_stopped_restripe_stopped_and_is_named() -> None:
    live = Live(armed=True)
    live.job("j", JobState.RUNNING, began=NOW)
    live.tell(Signalling(NOW, "pollux1", "j", "TERM"))
    live.job("j", JobState.FINISHED, rc=143, began=NOW, ended=NOW + 5)
    live.tell(LinkChanged(NOW + 6, "pollux3", "waiting", "lost"))
    for host in ("pollux1", "pollux2"):
        waiters(live, host, NOW + 100)
    assert cells(live.store.state, NOW)["pollux1 j"][1] == "stopped"
    after = FS.aftermath(live.store.state, live.store.state.jobs["pollux1", "j"])
    assert after
    assert after.text.endswith("seen on pollux[1-2]; pollux3 cannot be asked")


def test_a_job_that_does_not_scan_has_no_aftermath() -> None:
    live = Live(armed=True)
    live.job("j", JobState.RUNNING, command="sleep 600", began=NOW)
    live.tell(Signalling(NOW, "pollux1", "j", "TERM"))
    live.job("j", JobState.FINISHED, command="sleep 600", rc=143)
    assert cells(live.store.state, NOW)["pollux1 j"][1] == "stopped"


@pytest.mark.parametrize("ahead", [-7200.0, 7200.0, 0.0])
def test_how_long_a_job_runs_is_reckoned_by_the_clock_of_its_host(ahead: float) -> None:
    live = Live(armed=False)
    told = f"{NOW + ahead:.0f} +0200\n".encode()
    live.tell(Asked(NOW, 1, "pollux1", (host_time(),)))
    live.tell(Answered(NOW, 1, (Reply(0, Exact(told), Exact(b"")),)))
    live.job("j", JobState.RUNNING, began=NOW + ahead - 600)
    assert cells(live.store.state, NOW)["pollux1 j"][3] == "10 min"
    assert live.store.state.utc_offset == 7200  # the entry host's own, not that of the machine here


async def test_attaching_shows_the_whole_log_and_then_what_comes() -> None:
    live = Live(armed=False)
    live.job("j", JobState.RUNNING, began=NOW)
    live.tell(LogRead(NOW, "pollux1", "job:j", 0, Exact(b"first\n")))
    app = ListApp(JobsScreen, live.session)
    async with app.run_test(size=(80, 24)) as pilot:
        await pilot.press("enter")
        await until(lambda: "first" in text_of(app))
        assert app.wanted == ["FollowJob"]
        live.tell(LogRead(NOW + 1, "pollux1", "job:j", 6, Exact(b"second\n")))
        app.shown.refresh_all()
        await until(lambda: "▸second" in text_of(app))
        assert "running" in text_of(app)
        await pilot.press("slash", *"fir", "enter")
        await until(lambda: "▸first" in text_of(app))
        await pilot.press("escape")
        await until(lambda: "/fir" not in text_of(app))
        assert app.shown.opened
        await pilot.press("escape")
        await until(lambda: not app.shown.opened and "Command" in text_of(app))
        await pilot.press("escape")
        await until(lambda: app.went_back == 1)


async def test_a_replay_shows_the_log_as_it_was_then() -> None:
    session = seed_session(0.1)
    app = ListApp(JobsScreen, session)
    async with app.run_test(size=(120, 40)) as pilot:
        await pilot.press("enter")
        await until(lambda: "% complete" in text_of(app) and "follows" in text_of(app))
        assert app.wanted == []
        before = app.shown.log_view.text.rows
        assert session.player
        session.player.seek(session.player.replay.began + session.player.replay.seconds)
        app.shown.refresh_all()
        await until(lambda: app.shown.log_view.text.rows > before + 50)
        session.player.seek(session.player.replay.began)
        app.shown.refresh_all()
        await until(lambda: "no job is known of" in text_of(app))


@pytest.mark.parametrize("armed", [False, True])
async def test_keys_that_change_something_exist_only_when_armed(armed: bool) -> None:
    live = Live(armed=armed)
    live.job("j", JobState.RUNNING)
    app = ListApp(JobsScreen, live.session)
    async with app.run_test(size=(80, 24)) as pilot:
        footer = str(app.shown.query_one(KeyFooter).render())
        assert ("! run" in footer, "X stop" in footer) == (armed, armed)
        named = [active.binding.action for active in app.shown.active_bindings.values() if active.enabled]
        assert ("run" in named) == armed
        await pilot.press("exclamation_mark")
        await pilot.pause()
        assert isinstance(app.screen, AskText) == armed


async def test_only_what_may_be_stopped_has_a_key_for_that_in_the_footer() -> None:
    live = Live(armed=True)
    app = ListApp(JobsScreen, live.session)

    def offered() -> bool:
        return "X stop" in str(app.shown.query_one(KeyFooter).render())

    async with app.run_test(size=(80, 24)) as pilot:
        assert not offered(), "there is no job"
        live.job("restripe", JobState.RUNNING, began=NOW + 2)
        live.job("nsds", JobState.RUNNING, began=NOW + 1, command="mmcrnsd -F x", interruptible=False)
        live.job("old", JobState.FINISHED, rc=0)
        app.shown.refresh_all()
        await until(offered)
        await pilot.press("down")
        await until(lambda: not offered())
        await pilot.press("X")
        await until(lambda: "it changes the configuration" in app.message)
        await pilot.press("up")
        await until(offered)
        await pilot.press("down", "down")
        await until(lambda: not offered())


async def answered(app: ListApp, *keys: str) -> None:
    """Let the time pass in which a dialog is deaf, then answer."""
    await hearing(app, AskText if isinstance(app.screen, AskText) else ConfirmDanger)
    await app._pilot.press(*keys)  # type: ignore[attr-defined]


async def test_a_command_is_run_after_its_refusals_and_its_confirmation() -> None:
    app = ListApp(JobsScreen, Live(armed=True).session)
    async with app.run_test(size=(80, 24)) as pilot:
        app._pilot = pilot  # type: ignore[attr-defined]
        await pilot.press("exclamation_mark")
        await until(lambda: isinstance(app.screen, AskText))
        await until(lambda: "no checks apply" in text_of(app))
        await answered(app, *"mmcrnsd -F x", "enter")
        await until(lambda: "guide" in text_of(app).lower())
        await answered(app, "ctrl+u", *"mmlsfs mss1 | tail", "enter")
        await until(lambda: "no shell reads this" in text_of(app))
        await answered(app, "ctrl+u", *"pollux9: mmlsfs mss1", "enter")
        await until(lambda: "pollux9 is no host of this session" in text_of(app))
        await answered(app, "ctrl+u", *"pollux2: mmlsfs 'mss1'", "enter")
        await until(lambda: isinstance(app.screen, ConfirmDanger))
        await until(lambda: "on     pollux2" in text_of(app))
        await answered(app, "tab", *"mss1", "enter", "y")
        await until(lambda: app.wanted == ["LaunchJob"])
        intent = app.intents[0]
        assert isinstance(intent, LaunchJob)
        assert (intent.host, intent.argv) == ("pollux2", ("mmlsfs", "mss1"))


async def test_the_cursor_goes_to_what_was_launched_once_it_is_there() -> None:
    live = Live(armed=True)
    live.job("old", JobState.RUNNING, command="mmlsfs mss1", began=NOW)
    app = ListApp(JobsScreen, live.session)

    def cursor() -> str:
        row = app.shown.grid.row
        return row.key if row else ""

    def launched(job_id: str, host: str, *argv: str) -> None:
        spec = JobSpec(job_id, "by hand", "a@b", Command(argv, Effect.CHANGES))
        live.tell(Launching(NOW + 10, host, spec))
        live.tell(
            JobsListed(NOW + 11, host, (JobStatus(job_id, JobState.RUNNING, command=" ".join(argv), began=NOW + 11),))
        )
        app.shown.refresh_all()

    async with app.run_test(size=(80, 24)) as pilot:
        app._pilot = pilot  # type: ignore[attr-defined]
        await until(lambda: cursor() == "pollux1 old")
        launched("somebody", "pollux1", "mmlsfs", "mss1")
        assert cursor() == "pollux1 old", "nothing was launched here"
        await pilot.press("exclamation_mark")
        await until(lambda: isinstance(app.screen, AskText))
        await answered(app, *"mmlsfs mss1", "enter")
        await until(lambda: isinstance(app.screen, ConfirmDanger))
        await answered(app, "tab", *"mss1", "enter", "y")
        await until(lambda: app.wanted == ["LaunchJob"])
        launched("other", "pollux2", "mmlsfs", "mss1")
        assert cursor() == "pollux1 old", "it was launched elsewhere"
        launched("mine", "pollux1", "mmlsfs", "mss1")
        assert cursor() == "pollux1 mine"
        await pilot.press("G")
        moved = cursor()
        app.shown.refresh_all()
        assert cursor() == moved != "pollux1 mine"


async def test_a_job_is_stopped_only_on_a_fresh_answer() -> None:
    live = Live(armed=True)
    live.job("j", JobState.RUNNING, began=NOW)
    live.now = NOW + 100
    app = ListApp(JobsScreen, live.session)
    async with app.run_test(size=(80, 24)) as pilot:
        app._pilot = pilot  # type: ignore[attr-defined]
        await pilot.press("X")
        await until(lambda: isinstance(app.screen, ConfirmDanger))
        await until(lambda: "What was moved stays moved" in text_of(app))
        assert app.wanted == ["RefreshJobs"]
        await answered(app, "tab", *"mss1", "enter", "y")
        await until(lambda: "has not told of this job since" in app.message)
        await pilot.press("X")
        await until(lambda: isinstance(app.screen, ConfirmDanger))
        told = live.store.state.jobs["pollux1", "j"].status
        live.tell(JobsListed(NOW + 101, "pollux1", (told,)))
        await answered(app, "tab", *"mss1", "enter", "y")
        await until(lambda: app.wanted[-1] == "StopJob")
        assert isinstance(app.intents[-1], StopJob)
        assert (app.intents[-1].host, app.intents[-1].job_id) == ("pollux1", "j")


@pytest.mark.parametrize(
    ("state", "more", "link", "says"),
    [
        (JobState.RUNNING, {"interruptible": False}, "up", "Wait for its end"),
        (JobState.UNKNOWN, {}, "up", "not known"),
        (JobState.FINISHED, {"rc": 0}, "up", "nothing to stop"),
        (JobState.RUNNING, {}, "waiting", "is not connected"),
    ],
)
async def test_stopping_is_refused_with_its_reason(state: JobState, more: dict[str, Any], link: str, says: str) -> None:
    live = Live(armed=True)
    live.job("j", state, **more)
    live.tell(LinkChanged(NOW, "pollux1", link))
    app = ListApp(JobsScreen, live.session)
    async with app.run_test(size=(80, 24)) as pilot:
        await pilot.press("X")
        await until(lambda: says in app.message)
        assert app.screen is app.shown


def test_what_a_person_types_is_one_command_without_a_shell() -> None:
    hosts = ("pollux1", "pollux2")
    assert read_command("ls -l '/mss1/a b'", "pollux1", hosts) == ("pollux1", ("ls", "-l", "/mss1/a b"))
    assert read_command(" pollux2: ls #x", "pollux1", hosts) == ("pollux2", ("ls", "#x"))
    assert read_command("grep 'a|b' f", "pollux1", hosts)[1] == ("grep", "a|b", "f")
    for typed in ("", "  ", "ls | wc", "ls; ls", "ls > x", "ls &", "'ls", "/bin/ls", "a\0b", "(ls)"):
        with pytest.raises(ValueError, match=r"."):
            read_command(typed, "pollux1", hosts)


@settings(max_examples=8, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.text(max_size=40), st.text(max_size=40), st.text(max_size=40))
async def test_no_text_of_a_host_harms_the_list(title: str, command: str, operator: str) -> None:
    live = Live(armed=True)
    texts: dict[str, Any] = {"title": title, "command": command, "operator": operator, "note": title}
    live.job("j", JobState.RUNNING, **texts)
    app = ListApp(JobsScreen, live.session)
    async with app.run_test(size=(80, 24)) as pilot:
        await pilot.press("enter")
        await until(lambda: app.shown.opened)
        await pilot.press("escape", "X")
        await pilot.pause()
        assert app.is_running
        assert not any(ord(letter) < 32 for letter in text_of(app).replace("\n", ""))


async def test_without_a_recording_nothing_is_changed() -> None:
    live = Live(armed=True)
    live.job("j", JobState.RUNNING)
    live.session.writer = SimpleNamespace(failure="No space left on device", size=0)  # type: ignore[assignment]
    app = ListApp(JobsScreen, live.session)
    async with app.run_test(size=(80, 24)) as pilot:
        await pilot.press("X")
        await until(lambda: "refused: the recording cannot be written" in app.message)
