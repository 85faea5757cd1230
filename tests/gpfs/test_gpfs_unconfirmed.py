"""What no real output has confirmed stands in one module, and every word of it in the list for people with clusters."""

from __future__ import annotations

import ast
import inspect
import re
from pathlib import Path

import pytest

from remote.gpfs import unconfirmed

ROOT = Path(__file__).parents[2]
LIST = (ROOT / "docs" / "to-confirm.md").read_text(encoding="utf-8").partition("\n## Pacemaker")[0]
FUNCTIONS = [
    name
    for name, value in inspect.getmembers(unconfirmed, inspect.isfunction)
    if value.__module__ == unconfirmed.__name__ and not name.startswith("_")
]


def test_the_list_and_the_module_are_the_same() -> None:
    listed = re.findall(r"^\| `([a-z_]+)` \|", LIST, re.MULTILINE)
    assert sorted(listed) == FUNCTIONS
    assert all(line.count("|") == 5 for line in LIST.splitlines() if line.startswith("| `"))


@pytest.mark.parametrize("name", FUNCTIONS)
def test_every_belief_is_used_and_explained(name: str) -> None:
    assert getattr(unconfirmed, name).__doc__
    sources = [path.read_text(encoding="utf-8") for path in (ROOT / "remote" / "gpfs").rglob("*.py")]
    assert any(f"unconfirmed.{name}(" in source for source in sources)


def test_the_module_leans_on_nothing() -> None:
    tree = ast.parse(inspect.getsource(unconfirmed))
    imported = {node.names[0].name for node in ast.walk(tree) if isinstance(node, ast.Import)}
    modules = {node.module for node in ast.walk(tree) if isinstance(node, ast.ImportFrom)}
    assert (imported, modules) == ({"re"}, {"__future__"})
