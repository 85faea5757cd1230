"""Commands as values: what can be one, and what cannot."""

from __future__ import annotations

import shlex

import pytest
from hypothesis import given
from hypothesis import strategies as st

from remote.command import Command, Effect, quote


@pytest.mark.parametrize("argv", [(), ("",), ("/bin/ls",), ("-ls",), ("a b",), ("ls;",), ("../ls",)])
def test_the_first_word_is_a_bare_name(argv: tuple[str, ...]) -> None:
    with pytest.raises(ValueError, match="bare command name"):
        Command(argv, Effect.READS)


@pytest.mark.parametrize(("word", "why"), [("a\0b", "NUL"), ("\ud800", "surrogate"), ("x\udfff", "surrogate")])
def test_what_no_argument_can_hold_is_refused_before_it_is_sent(word: str, why: str) -> None:
    with pytest.raises(ValueError, match=why):
        quote(("echo", word))
    with pytest.raises(ValueError, match=why):
        Command(("echo", word), Effect.READS)


@given(st.lists(st.text(st.characters(blacklist_characters="\0", blacklist_categories=["Cs"]))))
def test_what_is_quoted_is_read_back(words: list[str]) -> None:
    assert shlex.split(quote(words)) == words
