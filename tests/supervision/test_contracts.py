"""The import contracts name modules one by one; here they are held to name all of them."""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Any

HOUSE = Path(__file__).parents[2]
FIRST, SECOND = "no screen knows which file system it shows", "the core of supervision knows no file system"


def contract(name: str) -> Any:
    settings = tomllib.loads((HOUSE / "pyproject.toml").read_text(encoding="utf-8"))
    return next(each for each in settings["tool"]["importlinter"]["contracts"] if each["name"].startswith(name))


def test_every_module_of_one_file_system_is_forbidden_to_screens_and_core() -> None:
    gpfs = {f"supervision.{path.stem}" for path in (HOUSE / "supervision").glob("gpfs*.py")}
    gfs2 = {f"supervision.{path.stem}" for path in (HOUSE / "supervision").glob("gfs2*.py")}
    assert len(gpfs) > 10
    assert gfs2
    for name in (FIRST, SECOND):
        assert gpfs | gfs2 | {"remote.gpfs", "remote.gfs2", "supervision.recipes"} <= set(
            contract(name)["forbidden_modules"]
        )
    assert contract(FIRST)["forbidden_modules"] == contract(SECOND)["forbidden_modules"]


def test_every_module_of_supervision_is_either_core_or_one_file_systems() -> None:
    rooms = {f"supervision.{path.stem}" for path in (HOUSE / "supervision").glob("*.py")} - {"supervision.__init__"}
    core, others = contract(SECOND)["source_modules"], contract(SECOND)["forbidden_modules"]
    assert rooms <= {*core, *others}
    assert not set(core) & set(others)
