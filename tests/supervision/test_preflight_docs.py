"""The table of checks in the documentation has all of them, and no other."""

from __future__ import annotations

import re
from pathlib import Path

from supervision import gpfs_preflight as preflight
from supervision import gpfs_preflight_after as after

TABLE = (Path(__file__).parents[2] / "docs" / "safety.md").read_text(encoding="utf-8").partition("\n## Checks\n")[2]


def test_every_check_is_in_the_table() -> None:
    rules = [rule for mine in (*preflight.RULES.values(), *after.AFTER.values()) for rule in mine]
    keys = {rule.key for rule in rules}
    told = set(re.findall(r"`([a-z-]+)`", TABLE))
    assert {key for key in keys - told if not key.startswith("size-")} == set()
    first = {
        key for row in re.findall(r"^\| ([^|]+) \|", TABLE, re.MULTILINE) for key in re.findall(r"`([a-z-]+)`", row)
    }
    assert first - keys == {"devices", "size-fits", "size-"}
