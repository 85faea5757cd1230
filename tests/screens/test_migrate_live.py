"""A simulated cluster led on the screen Migrate: by what the screen says itself, back again, and in another session."""

from __future__ import annotations

from pathlib import Path

from screens.dialogs import ConfirmDanger
from simulator.client import Simulation
from supervision.migration import Ending, StepState
from tests.screens.guided import FAST, answer, confirm, idle, live, made, next_line, session_on
from tests.screens.hearing import hearing
from tests.screens.snap import text_of
from tests.waiting import until
from tui.guiding import GUIDE


async def test_whoever_presses_the_keys_that_the_screen_names_completes_the_migration(tmp_path: Path) -> None:
    async with live(tmp_path) as (app, pilot, session):
        leading = session.leading
        assert leading is not None
        guide = leading.guide
        assert guide is not None
        await pilot.press("4")
        await until(lambda: next_line(app).startswith("c checks step 1"))
        asked = []
        for _ in range(60):
            await idle(session)
            if guide.next is None:
                break
            app.screen.show_state()  # type: ignore[attr-defined]
            await pilot.pause()
            key = next_line(app).partition(" ")[0]
            assert key in ("c", "a", "r"), next_line(app)
            await pilot.press(key)
            if key == "a":
                await answer(app, pilot, "y")
            elif key == "r":
                asked.append(await confirm(app, pilot))
        assert guide.next is None
        await until(lambda: next_line(app).startswith("All steps are done. w writes the report"))
        assert "407,779,968 KB" in session.state.steps[8].detail
        jobs = sorted(session.state.jobs.values(), key=lambda job: job.status.began or 0.0)
        ran = [job.spec.command.text for job in jobs if job.spec]
        assert [command.split()[0] for command in ran] == [
            "mmbackupconfig",
            "mmcrnsd",
            "mmadddisk",
            "mmchdisk",
            "mmrestripefs",
        ]
        for told, command in zip(asked, ran[1:], strict=True):  # what a person agreed to is what ran, word for word
            assert f"runs   {command}" in told
            assert "on     pollux1" in told
        report = tmp_path / "told.md"
        await pilot.press("w", *["backspace"] * 60, *str(report), "enter")
        await until(report.with_suffix(".json").exists)
        assert "407,779,968" in report.read_text()


async def test_another_session_finds_what_was_begun_goes_on_with_it_and_takes_it_back(tmp_path: Path) -> None:
    async with Simulation.start(scenario="seed", speed=FAST) as simulation:
        async with session_on(simulation, tmp_path / "first.jsonl") as (app, pilot, session):
            guide = await made(session)
            await pilot.press("4")
            for number in (1, 2, 3):
                await guide.run(number)
            await until(lambda: next_line(app).startswith("c checks step 4"))
            await pilot.press("r")
            dialog = await hearing(app, ConfirmDanger)
            await pilot.press("enter")  # it starts on Cancel
            await until(lambda: app.screen is not dialog)
            await idle(session)
            assert guide.status(4) is StepState.READY
            await pilot.press("r")
            told = await confirm(app, pilot)
            assert "What was on the devices is gone from here on" in told
            assert "%nsd:" in told  # the whole file
            await idle(session)
            assert guide.status(4) is StepState.DONE
            assert session.leading is not None
            assert session.leading.left is Ending.UNKNOWN  # it was left in its middle

        async with session_on(simulation, tmp_path / "second.jsonl") as (app, pilot, session):
            supervisor, leading = session.supervisor, session.leading
            assert supervisor is not None
            assert leading is not None
            await supervisor.start(GUIDE, leading.look_for_plans(supervisor.entry))
            await pilot.press("4")
            await until(lambda: "o goes on with mss1-plan" in next_line(app))
            await pilot.press("o")
            await answer(app, pilot, "y")
            await idle(session)
            await until(lambda: next_line(app).startswith("c checks step 5"))
            await until(lambda: "ok  4 mmcrnsd" in text_of(app))
            assert [leading.left] == [None]  # this session only looked

            await pilot.press("u")
            told = await answer(app, pilot, "y")
            assert "mmdelnsd 'foo1_ssd1;foo1_ssd2;foo2_ssd1;foo2_ssd2;foo3_ssd1;foo3_ssd2'" in told
            assert "mmdelnsd" in await confirm(app, pilot)
            await idle(session)
            assert leading.guide is not None
            assert leading.guide.status(4) is StepState.UNDONE
            assert leading.left is Ending.DONE  # all of it was taken back
            await until(lambda: "Step 4 was taken back" in next_line(app))
            assert {nsd["name"] for nsd in (await simulation.control("facts"))["nsds"] if "ssd" in nsd["name"]} == set()


async def test_the_way_out_stops_the_restripe_and_what_is_left_can_be_taken_back(tmp_path: Path) -> None:
    ssds = "'foo1_ssd1;foo1_ssd2;foo2_ssd1;foo2_ssd2;foo3_ssd1;foo3_ssd2'"
    async with (
        Simulation.start(scenario="seed", speed=FAST) as simulation,
        session_on(simulation, tmp_path / "r.jsonl") as (app, pilot, session),
    ):
        await simulation.control("pace", factor=0.001)  # so slow that it is there for as long as one looks
        guide = await made(session)
        await pilot.press("4")
        for number in (1, 2, 3):
            await guide.run(number)
        for number in (4, 5, 6, 7):
            await until(lambda number=number: next_line(app).startswith(f"c checks step {number}"))  # type: ignore[misc]
            await pilot.press("r")
            await confirm(app, pilot)
            if number < 7:
                await idle(session)
        await until(lambda: guide.status(7) is StepState.RUNNING)
        await until(lambda: next_line(app).startswith("Wait"))
        await pilot.press("E")
        told = await confirm(app, pilot)
        assert "Step 7 runs: it is told to stop, and its end is waited for." in told
        assert "runs   mmchdisk mss1 change -F" in told
        await until(lambda: guide.status(6) is StepState.UNDONE, seconds=60)
        await idle(session)
        assert guide.status(7) is StepState.UNDONE
        disks = (await simulation.control("facts"))["disks"]
        assert {disk["usage"] for disk in disks if "ssd" not in disk["name"]} == {"dataAndMetadata"}

        await pilot.press("u")
        told = await answer(app, pilot, "y")
        assert told.index(f"mmdeldisk mss1 {ssds}") < told.index(f"mmdelnsd {ssds}")
        assert f"mmdeldisk mss1 {ssds}" in await confirm(app, pilot)
        assert f"mmdelnsd {ssds}" in await confirm(app, pilot)
        await idle(session)
        assert [guide.status(number) for number in (4, 5, 6)] == [StepState.UNDONE] * 3
        jobs = sorted(session.state.jobs.values(), key=lambda job: job.status.began or 0.0)
        ran = [job.spec.command.argv[0] for job in jobs if job.spec]
        assert ran == [
            *("mmbackupconfig", "mmcrnsd", "mmadddisk", "mmchdisk", "mmrestripefs"),
            *("mmchdisk", "mmdeldisk", "mmdelnsd"),
        ]
        assert {nsd["name"] for nsd in (await simulation.control("facts"))["nsds"] if "ssd" in nsd["name"]} == set()


async def test_a_read_only_session_has_no_key_that_runs_anything(tmp_path: Path) -> None:
    async with live(tmp_path, armed=False) as (app, pilot, session):
        await pilot.press("4")
        await until(lambda: "Read-only" in next_line(app))
        for key in "raunEX":
            await pilot.press(key)
            assert len(app.screen_stack) == 1
        assert session.supervisor is not None
        assert not session.supervisor.runs(GUIDE)
        assert not [ran for ran in session.state.commands if ran.job]


async def test_who_leaves_before_a_confirmed_command_was_sent_is_told_that_it_will_not_run(tmp_path: Path) -> None:
    async with live(tmp_path, plan=False) as (app, pilot, session):
        leading, supervisor = session.leading, session.supervisor
        assert leading is not None
        assert supervisor is not None
        assert app.why_stay() == ()
        leading.acting = True
        task = supervisor.start(GUIDE, until(lambda: False, seconds=600))
        await pilot.press("q")
        await until(lambda: "it will NOT run" in text_of(app))
        assert app.return_value is None
        task.cancel()
