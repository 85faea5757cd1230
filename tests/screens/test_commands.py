"""The commands: whatever was run, exactly, with what it said and why it may have said nothing."""

from __future__ import annotations

import pytest

from remote.command import Command, Effect
from remote.events import Answered, Asked, Exact, JobChanged, Launching, LogRead, Reply, Signalling, Unanswered
from remote.jobs import JobSpec, JobState, JobStatus
from screens.commands import CommandsScreen, commands_table, exit_text, output_text, reply_of
from screens.widgets import clipboard
from supervision.replies import KEPT
from supervision.state import Ran
from supervision.tables import Severity
from tests.screens.jobsapp import NOW, ListApp, Live
from tests.screens.seedapp import seed_session
from tests.screens.snap import assert_snapshot, text_of
from tests.waiting import until

MMLSFS = Command(("mmlsfs", "mss1", "-Y"), Effect.READS)


@pytest.mark.parametrize("size", [(80, 24), (120, 40)])
async def test_snapshots_of_the_recorded_night(size: tuple[int, int]) -> None:
    app = ListApp(CommandsScreen, seed_session(0.5))
    name = f"{size[0]}x{size[1]}"
    async with app.run_test(size=size) as pilot:
        await until(lambda: "follows" in text_of(app))
        await pilot.pause()
        assert_snapshot(app, "snapshots_jobs", f"commands-{name}")
        await pilot.press("slash", *"mmlsdisk", "enter", "enter")
        await until(lambda: "nsd" in text_of(app) and "lines" in text_of(app))
        await pilot.pause()
        assert_snapshot(app, "snapshots_jobs", f"commands-output-{name}")


@pytest.mark.parametrize(
    ("ran", "text"),
    [
        (Ran("a", "x", 0.0, 1.0, 0), "0"),
        (Ran("a", "x", 0.0, 1.0, 12), "12"),
        (Ran("a", "x", 0.0), "runs"),
        (Ran("a", "x", 0.0, 1.0, None, "no answer"), "none"),
        (Ran("a", "TERM j", 0.0, 0.0, job="j"), "sent"),
    ],
)
def test_an_exit_code_or_in_a_word_why_there_is_none(ran: Ran, text: str) -> None:
    assert exit_text(ran) == text


async def test_a_form_that_a_release_does_not_have_is_a_note_and_no_failure() -> None:
    live = Live(armed=False)
    usage = Exact(b"mmlsfs: Incorrect option: -Y.\nUsage:\n  mmlsfs {Device | all}\n")
    unknown = Exact(b"mmlsdisk: File system nofs is not known.\n")
    for number, (argv, reply) in enumerate(
        (
            (("mmlsfs", "mss1", "-Y"), Reply(1, Exact(b""), usage)),
            (("mmlsfs", "mss1"), Reply(0, Exact(b"flag"))),
            (("mmlsdisk", "nofs"), Reply(1, Exact(b""), unknown)),
        )
    ):
        live.tell(Asked(NOW + number, number, "pollux1", (Command(argv, Effect.READS),)))
        live.tell(Answered(NOW + number, number, (reply,)))
    table, _ = commands_table(live.store.state.commands, 0)
    assert [row.severity for row in table.rows] == [Severity.NOTE, Severity.NORMAL, Severity.WARNING]
    app = ListApp(CommandsScreen, live.session)
    async with app.run_test(size=(80, 24)):
        await until(lambda: "Commands 1 failed" in text_of(app))


def test_every_command_has_a_row_of_its_own_however_alike() -> None:
    same = (Ran("a", "x", 1.0, 1.0, 0), Ran("a", "x", 1.0, 1.0, 0), Ran("b", "x", 1.0), Ran("a", "x", 2.0))
    table, by_key = commands_table(same, 0)
    assert len({row.key for row in table.rows}) == len(by_key) == 4
    more, _ = commands_table((*same, Ran("c", "y", 3.0)), 0)
    assert [row.key for row in more.rows][:4] == [row.key for row in table.rows]


async def test_the_newest_command_stays_in_sight_until_one_moves_away() -> None:
    live = Live(armed=False)

    def ask(number: int) -> None:
        live.tell(Asked(NOW + number, number, "pollux1", (Command((f"command{number}",), Effect.READS),)))

    for number in range(1, 60):
        ask(number)
    app = ListApp(CommandsScreen, live.session)
    async with app.run_test(size=(80, 24)) as pilot:
        await until(lambda: "command59" in text_of(app) and "follows" in text_of(app))
        ask(60)
        app.shown.refresh_all()
        await until(lambda: "command60" in text_of(app))
        await pilot.press("up")
        ask(61)
        app.shown.refresh_all()
        await until(lambda: "G follows" in text_of(app))
        await pilot.press("pageup")
        await pilot.pause()
        assert "command61" not in text_of(app)
        await pilot.press("G")
        await until(lambda: "command61" in text_of(app))


async def test_what_a_question_was_answered_stands_behind_enter() -> None:
    live = Live(armed=False)
    live.tell(Asked(NOW, 1, "pollux1", (MMLSFS,)))
    app = ListApp(CommandsScreen, live.session)
    async with app.run_test(size=(80, 24)) as pilot:
        await pilot.press("enter")
        await until(lambda: "has not answered yet" in text_of(app))
        live.tell(Answered(NOW + 2, 1, (Reply(0, Exact(b"mmlsfs::HEADER\n"), Exact(b"a warning \x1b[1m\n")),)))
        app.shown.refresh_all()
        await until(lambda: "mmlsfs::HEADER" in text_of(app) and "a warning \ufffd[1m" in text_of(app))
        assert "-- standard error --" in text_of(app)
        await pilot.press("escape")
        await until(lambda: not app.shown.opened)


@pytest.mark.parametrize(
    ("event", "says"),
    [
        (Unanswered(NOW + 1, 1, "it cannot be reached"), "it was not answered: it cannot be reached"),
        (Answered(NOW + 1, 1, (Reply(0),)), "it said nothing"),
        (Answered(NOW + 1, 1, (Reply(0, Exact(b"x" * KEPT)),)), "it is not kept"),
    ],
)
async def test_where_there_is_nothing_to_show_it_says_why(event: Answered | Unanswered, says: str) -> None:
    live = Live(armed=False)
    live.tell(Asked(NOW, 1, "pollux1", (Command(("date",), Effect.READS),)))
    live.tell(event)
    app = ListApp(CommandsScreen, live.session)
    async with app.run_test(size=(80, 24)) as pilot:
        await pilot.press("enter")
        await until(lambda: says in text_of(app))


async def test_a_job_shows_its_log_live_and_a_signal_too() -> None:
    live = Live(armed=True)
    command = Command(("mmrestripefs", "mss1", "-r"), Effect.CHANGES)
    live.tell(Launching(NOW, "pollux1", JobSpec("j", "t", "a@b", command)))
    live.tell(LogRead(NOW + 1, "pollux1", "job:j", 0, Exact(b"Scanning\n")))
    live.tell(Signalling(NOW + 2, "pollux1", "j", "TERM"))
    app = ListApp(CommandsScreen, live.session)
    async with app.run_test(size=(80, 24)) as pilot:
        await until(lambda: "TERM j" in text_of(app))
        await pilot.press("enter")
        await until(lambda: "Scanning" in text_of(app))
        assert app.wanted == ["FollowJob"]
        live.tell(JobChanged(NOW + 3, "pollux1", JobStatus("j", JobState.FINISHED, 143)))
        await pilot.press("escape", "up", "enter")
        await until(lambda: "exit 143" in text_of(app))


async def test_the_command_itself_is_what_y_copies(monkeypatch: pytest.MonkeyPatch) -> None:
    copied: list[str] = []

    async def take(_app: object, text: str, *, what: str = "") -> str:
        copied.append(text)
        return what

    monkeypatch.setattr(clipboard, "copy", take)
    live = Live(armed=False)
    long = Command(("mmlsdisk", *("x y" for _ in range(60))), Effect.READS)
    live.tell(Asked(NOW, 1, "pollux1", (long,)))
    app = ListApp(CommandsScreen, live.session)
    async with app.run_test(size=(80, 24)) as pilot:
        await pilot.press("y")
        await until(lambda: copied)
    assert copied == [long.text]


def test_in_a_replay_the_recording_answers_for_every_command() -> None:
    session = seed_session(1.0)
    ran = [found for found in session.state.commands if not found.job]
    assert ran
    for found in ran:
        reply = reply_of(session, found)
        assert reply is not None
        assert reply.rc == found.rc
        assert output_text(reply)


async def test_nothing_here_can_change_anything() -> None:
    app = ListApp(CommandsScreen, Live(armed=True).session)
    async with app.run_test(size=(80, 24)):
        actions = {active.binding.action for active in app.shown.active_bindings.values()}
    assert not {"run", "stop"} & actions
