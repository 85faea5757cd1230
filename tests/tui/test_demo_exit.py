"""How the demo on the screens ends: as its migration did. The person is played, the cluster and its SSH are there."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.waiting import until
from tui import showing
from tui.app import RestripeApp
from tui.carrying import MIGRATION
from tui.exits import Exit
from tui.running import CrashError
from tui.settings import Config, Settings, config_file


async def ended(monkeypatch: pytest.MonkeyPatch, record: Path, *, auto: bool, wait: bool = False) -> Exit:
    """Leave at once, or `wait` until the migration has ended."""

    async def person(app: RestripeApp, _settings: Settings, _greeting: str = "") -> Exit:
        supervisor = app.session.supervisor
        assert supervisor
        if wait:
            await until(lambda: not supervisor.runs(MIGRATION), 60)
        return Exit.DONE

    monkeypatch.setattr(showing, "_run", person)
    settings = Settings(Config(), config_file(), {})
    return await showing.demo(speed=20_000, record=record, auto=auto, settings=settings)


async def crashed(monkeypatch: pytest.MonkeyPatch, record: Path, *, auto: bool) -> CrashError:
    """Let the screens end by an error of their own."""

    async def broken(app: RestripeApp, _settings: Settings, _greeting: str = "") -> Exit:
        app._exception = LookupError("gone")
        return Exit.FAILED

    monkeypatch.setattr(showing, "_run", broken)
    with pytest.raises(CrashError) as told:
        await showing.demo(speed=20_000, record=record, auto=auto, settings=Settings(Config(), config_file(), {}))
    return told.value


async def test_an_error_of_the_screens_is_failed_and_with_a_migration_begun_unknown(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    looked = await crashed(monkeypatch, tmp_path / "looked.jsonl", auto=False)
    assert (looked.code, str(looked.error)) == (Exit.FAILED, "gone")
    assert (await crashed(monkeypatch, tmp_path / "begun.jsonl", auto=True)).code is Exit.UNKNOWN


async def test_who_only_looked_ends_with_0_and_is_told_of_the_recording(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    record = tmp_path / "looked.jsonl"
    assert await ended(monkeypatch, record, auto=False) is Exit.DONE
    assert capsys.readouterr().out == f"recorded in {record}\nreplay it with: restripe replay {record}\n"


async def test_leaving_in_the_middle_is_unknown(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    assert await ended(monkeypatch, tmp_path / "left.jsonl", auto=True) is Exit.UNKNOWN


async def test_a_migration_to_its_end(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    assert await ended(monkeypatch, tmp_path / "done.jsonl", auto=True, wait=True) is Exit.DONE
