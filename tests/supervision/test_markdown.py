"""Markdown that shows what it was given, whatever that is."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from supervision.markdown import code, inline, table, text


def plain(markdown: str) -> str:
    """What a reader sees of a line: only text and code, else nothing is left of it."""
    tokens = MarkdownIt("commonmark").parseInline(markdown)[0].children or []
    assert {token.type for token in tokens} <= {"text", "code_inline", "text_special", "softbreak"}, tokens
    return "".join(token.content for token in tokens)


@given(st.text(st.characters(codec="ascii", categories=("L", "N", "P", "S", "Z")), max_size=40))
def test_a_text_is_read_as_it_was_written(told: str) -> None:
    assert plain(text(told)) == " ".join(told.split())


def test_names_stay_readable_and_cells_end_only_where_they_should() -> None:
    assert text("foo1_ssd1, pollux[1-3] of mm*") == "foo1_ssd1, pollux[1-3] of mm\\*"
    assert plain(text("&lt; [x](y) ~~z~~")) == "&lt; [x](y) ~~z~~"
    assert table(("a|b", "n"), [("x|y", 1)], right=(1,)) == ["| a\\|b | n |", "| --- | ---: |", "| x\\|y | 1 |"]


def test_code_cannot_be_left_and_steers_no_terminal() -> None:
    assert code("a\n```\nb\n") == ["````", "a", "```", "b", "````"]
    assert code("\x1b[2J") == ["```", "\ufffd[2J", "```"]
    assert plain(inline("a ` b")) == "a ` b"
