"""What README and docs point at exists."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from click.testing import CliRunner

from supervision import verdicts
from supervision.filesystem import FileSystem
from supervision.footprint import Assumptions, Known, footprint
from supervision.pins import read_pins
from supervision.reading import Reading
from supervision.verdicts import Level
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


@pytest.mark.parametrize("protocol", [FileSystem, Reading])
def test_the_page_on_adding_a_file_system_names_every_function_to_write(protocol: type) -> None:
    page = (ROOT / "docs" / "adding-a-file-system.md").read_text()
    wanted = {name for name in vars(protocol) if not name.startswith("_")}
    assert len(wanted) >= 10
    missing = {name for name in wanted if not re.search(rf"`{name}(?:\(|`)", page)}
    assert missing == set()


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


def test_every_kind_of_verdict_has_a_row_that_says_what_to_do() -> None:
    section = (ROOT / "docs" / "devices.md").read_text().partition("\n## Verdicts\n")[2].partition("\n## ")[0]
    rows = [[cell.strip() for cell in line.strip("|").split(" | ")] for line in section.splitlines() if "| " in line]
    kinds = {value for name, value in vars(verdicts).items() if name.isupper() and isinstance(value, str)}
    assert len(kinds) == 10
    assert {row[0] for row in rows[2:]} == kinds
    assert {row[1] for row in rows[2:]} == {level.word for level in Level}
    assert all(len(row) == 4 and all(row) for row in rows)


def test_the_pin_file_that_is_shown_is_one() -> None:
    shown = (ROOT / "docs" / "devices.md").read_text().partition("```json\n")[2].partition("```")[0]
    assert [pin.label for pin in read_pins(shown.encode()).devices] == ["foo3_ssd1"]


def test_the_sizes_that_are_shown_are_those_that_are_computed() -> None:
    shown = (ROOT / "docs" / "sizing.md").read_text()
    groups = {"1": 389_611_520, "2": 389_611_520, "3": 389_611_520}
    seed = Known(allocated=88_772_608, maximum=146_903_040, inode_bytes=512, copies=2, groups=groups)
    sizing = footprint(seed, Assumptions()).sizing
    real = 1_168_834_560 - 756_817_920 - 4_236_672
    for kb in (sizing.floor_kb, sizing.low_kb, real, sizing.plan_kb, sizing.high_kb, sizing.usable_kb):
        (row,) = (line for line in shown.splitlines() if f"{kb:,}** |" in line or f" {kb:,} |" in line)
        assert f"{kb / real:.0%}".replace("%", " %") in row
