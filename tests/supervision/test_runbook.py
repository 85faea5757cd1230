"""The runbook of the seed's plan: every step, check, command, file and way back, in the order in which they come."""

from __future__ import annotations

import msgspec
import pytest
from markdown_it import MarkdownIt

from supervision import recipes
from supervision.recipes import UnknownRecipeError
from supervision.runbook import runbook
from tests.supervision.test_gpfs_planning import planned

PLAN = planned().plan
RECIPE = recipes.find("metadata-to-ssd")
BOOK = runbook(PLAN, RECIPE)
PARSED = MarkdownIt("commonmark").enable("table").parse(BOOK)
CODE = [token.content for token in PARSED if token.type == "fence"]
DIRECTORY = f"/var/tmp/{PLAN.id}"


def section(head: str) -> str:
    """What stands below a heading, up to the next one of its rank or above."""
    rest = BOOK.partition(f"\n{head}\n")[2]
    rank = head.partition(" ")[0]
    return rest.partition(f"\n{rank} ")[0]


def test_every_command_stands_in_it_exactly_and_in_order_the_ways_back_last() -> None:
    ssds = "foo1_ssd1;foo1_ssd2;foo2_ssd1;foo2_ssd2;foo3_ssd1;foo3_ssd2"
    assert [content.strip() for content in CODE if content.startswith("mm")] == [
        f"mmbackupconfig mss1 -o {DIRECTORY}/backupconfig",
        f"mmcrnsd -F {DIRECTORY}/ssd.stanza",
        f"mmadddisk mss1 -F {DIRECTORY}/ssd.stanza",
        f"mmchdisk mss1 change -F {DIRECTORY}/dataonly.stanza",
        "mmrestripefs mss1 -r -N foo1,foo2,foo3",
        f"mmchdisk mss1 change -F {DIRECTORY}/back.stanza",
        f"mmdeldisk mss1 '{ssds}' -N foo1,foo2,foo3",
        f"mmdelnsd '{ssds}'",
    ]


def test_every_file_of_a_command_stands_beside_it() -> None:
    assert PLAN.stanzas.new in CODE
    assert PLAN.stanzas.old in CODE
    assert PLAN.stanzas.back in CODE


def test_each_step_says_why_what_is_checked_what_is_true_then_and_how_it_is_undone() -> None:
    for number, step in enumerate(RECIPE.steps(PLAN), 1):
        told = section(f"## Step {number}: {step.spec.title}")
        assert told.count("\n- [ ] ") >= 5, step.spec.name
        for part in (step.spec.why, step.spec.after, step.spec.undo, step.spec.no_return):
            assert part in told
        assert "What tells it, on pollux1: `" in told


def test_the_point_of_no_return_and_what_must_not_be_interrupted_are_said() -> None:
    assert "From this moment metadata may be written to the new disks" in BOOK
    assert BOOK.count("Never interrupt it") == 5  # mmcrnsd, mmadddisk, mmchdisk twice, mmdelnsd: not the long runs


def test_devices_are_told_by_identity_and_their_names_as_what_they_were() -> None:
    (row,) = (line for line in BOOK.splitlines() if line.startswith("| foo3_ssd1 |"))
    assert "wwn:55cd2e404b7d1a4f" in row
    assert row.endswith("| sde on pollux3.example.com |")
    assert f"`restripe verify {DIRECTORY}/ssd.stanza pollux1 --fs mss1`" in BOOK


def test_sizes_and_options_are_those_of_the_plan() -> None:
    assert "| plan | 443,863,040 |" in BOOK
    assert "By plan they will be 38% full." in BOOK


def test_nothing_in_a_plan_can_change_what_the_runbook_shows() -> None:
    odd = msgspec.structs.replace(PLAN, goal="x | y <!-- `z`", by="[me](http://evil)")
    heads = [token.type for token in MarkdownIt("commonmark").enable("table").parse(runbook(odd, RECIPE))]
    assert heads == [token.type for token in PARSED]


def test_a_recipe_that_is_not_known_is_refused_with_those_that_are() -> None:
    with pytest.raises(UnknownRecipeError, match=r"'data-to-tape' is no recipe .*: it knows metadata-to-ssd"):
        recipes.find("data-to-tape")
