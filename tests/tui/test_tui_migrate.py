"""`restripe migrate` on a simulated cluster: only looking, detached, found again by its id, and taken back."""

from __future__ import annotations

from pathlib import Path

import pytest
from click.testing import CliRunner

from simulator.client import Simulation
from supervision.gpfs_planning import Wish
from tests.supervision.cluster import changed, until_so
from tests.supervision.seed import CHANGING
from tui.cli import cli
from tui.connecting import Target
from tui.exits import Exit
from tui.migrate import Wanted, Way, go_on
from tui.planning import read, run
from tui.settings import load


async def test_a_plan_is_walked_by_words_alone_and_gone_on_with_from_its_host(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path))
    file = tmp_path / "plan.toml"

    async with Simulation.start(speed=20_000) as sim:
        flags = Way(config=sim.ssh_config, jump=None, through=None, sudo=None)

        async def migrate(plan: str, wanted: Wanted, host: str | None = None) -> tuple[Exit, str]:
            code = await go_on(load(), plan, host, wanted, flags, record=None)
            told = capsys.readouterr()
            return code, told.out + told.err

        made = await run(Target("pollux1", config=sim.ssh_config), sim.fs, Wish(), file, sites={})
        assert made is Exit.DONE
        plan = read(file)

        code, told = await migrate(str(file), Wanted())
        assert (code, await changed(sim)) == (Exit.REFUSED, [])
        assert "step 4 (mmcrnsd) was not confirmed: nothing of it was run" in told
        assert "Confirmed by: --yes-to mmcrnsd" in told
        assert not list((sim.directory / "hosts" / "pollux1" / "var" / "lib" / "restripe").glob("*"))

        code, told = await migrate(str(file), Wanted(CHANGING, detach=True))
        assert code is Exit.DONE, told
        assert "   7 mmrestripefs  running " in told

        async def begun() -> bool:  # its runner lives, and the command begins a moment later
            return await changed(sim) == list(CHANGING)

        await until_so(begun)

        # a machine that has nothing of it: the plan is in the directories of its jobs
        code, told = await migrate(plan.id, Wanted(), "pollux1")
        assert (code, await changed(sim)) == (Exit.DONE, list(CHANGING)), told
        assert "Done, and every result was read back." in told
        code, told = await migrate("no-such-plan", Wanted(), "pollux1")
        assert (code, f"it has jobs of {plan.id}" in told) == (Exit.USAGE, True)

        # not confirmed, the way back is not taken
        code, told = await migrate(str(file), Wanted(("mmdelnsd",), undo="mmchdisk", way_out=True))
        assert (code, await changed(sim)) == (Exit.REFUSED, list(CHANGING)), told
        code, told = await migrate(str(file), Wanted(("mmchdisk-back",), undo="mmchdisk", way_out=True))
        assert (code, await changed(sim)) == (Exit.DONE, [*CHANGING, "mmchdisk"]), told
        code, told = await migrate(str(file), Wanted(("mmrestripe",)))
        assert (code, "no step that runs a command is called so" in told) == (Exit.USAGE, True)


def test_what_cannot_be_meant_connects_to_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path))
    (tmp_path / "broken.toml").write_text("version = 1\n")
    for words, told in (
        (("no-such-file",), "is no file: name the HOST"),
        ((str(tmp_path / "broken.toml"),), "missing required field"),
        (("a.toml", "--way-out"), "--way-out goes with --undo STEP"),
    ):
        done = CliRunner().invoke(cli, ["migrate", *words])
        assert (done.exit_code, told in done.output) == (2, True), done.output
