"""Text on as many lines as it needs: nothing is lost, and nothing is wider than there is room."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len

from remote.text import one_line
from screens.restripe_lines import phases_text
from screens.restripe_parts import fill_lines
from screens.widgets.render import paragraph
from supervision.filesystem import Fill


@given(st.text(max_size=200), st.integers(2, 60))
def test_a_paragraph_keeps_every_word_and_its_width(text: str, width: int) -> None:
    lines = paragraph(text, width)
    assert all(cell_len(line) <= width for line in lines)
    assert "".join("".join(lines).split()) == "".join(one_line(text).split())


def test_words_are_broken_only_where_they_must() -> None:
    assert paragraph("mmlsfs mss1 on pollux1", 12) == ["mmlsfs mss1", "on pollux1"]
    assert paragraph("a 0123456789 b", 4) == ["a", "0123", "4567", "89 b"]
    assert paragraph("", 10) == [""]


def test_phases_that_are_done_give_way_to_the_one_that_runs() -> None:
    phases = [*((f"metadata {number}", "done") for number in range(1, 5)), ("user files", "running")]
    whole = "metadata 1 done   metadata 2 done   metadata 3 done   metadata 4 done   user files running"
    assert phases_text(phases, len(whole)) == whole
    short = phases_text(phases, len(whole) - 1)
    assert short == "4 phases done (metadata 1 to metadata 4)   user files running"
    assert phases_text([("scan", "running")], 5) == "scan running"


def test_the_fullest_disks_come_first_and_stand_side_by_side() -> None:
    fills = [Fill("a", 10, 100), Fill("b", 90, 100), Fill("c", 50, 100), Fill("d", 1, 0)]
    lines = [line.plain for line in fill_lines(fills, 80)]
    order = [name for line in lines for name in line.replace("filling", "").split() if name in "abcd"]
    assert order == ["b", "c", "a", "d"]  # what is not known is told last
    assert len(lines) == 2
    assert all("%" in line for line in lines)
    assert "? %" in lines[1]
    assert len(fill_lines(fills, 43)) == 4
