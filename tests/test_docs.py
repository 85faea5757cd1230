"""What README and docs point at exists."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from click.testing import CliRunner

from tui.cli import cli

ROOT = Path(__file__).parent.parent
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_every_link_leads_to_a_file(page: Path) -> None:
    for target in re.findall(r"\]\(([^)#:]+)\)", page.read_text()):
        assert (page.parent / target).exists(), target


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_every_file_that_is_named_exists(page: Path) -> None:
    named = re.findall(
        r"`((?:tui|remote|supervision|simulator|tests|recordings|docs|benchmarks)/[\w./-]+)`", page.read_text()
    )
    for name in named:
        assert (ROOT / name).exists(), name


def test_readme_lists_every_command_and_every_exit_status() -> None:
    readme = (ROOT / "README.md").read_text()
    for name in cli.commands:
        assert f"`restripe {name}" in readme, name
    told = CliRunner().invoke(cli, ["--help"]).output
    statuses = re.findall(r"^\s+(\d+)  (\w+)", told, re.MULTILINE)
    assert len(statuses) == 8
    line = next(line for line in readme.splitlines() if line.startswith("Exit statuses:"))
    for number, word in statuses:
        assert re.search(rf"\b{number} {word}", readme), (number, word, line)
