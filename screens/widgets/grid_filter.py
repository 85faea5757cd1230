"""What a person types to see fewer rows: a regular expression, turned round by a leading `!`."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

import msgspec
import regex

from supervision.patterns import Patience, TooSlowError, compiled, found_in, read

SECONDS = 0.5
"""For all rows of a table together."""


class FilterError(ValueError):
    """What was typed is no regular expression, or none that can be used; the text says why."""


class Filter(msgspec.Struct, frozen=True):
    """A filter as it was typed, and what it means. An empty one keeps every row."""

    typed: str = ""
    expression: regex.Pattern[str] | None = None
    inverse: bool = False

    def kept(self, rows: Iterable[int], texts: Sequence[str]) -> list[int]:
        """The rows that are shown, by the text of each. Raises FilterError when finding out takes too long."""
        if self.expression is None:
            return list(rows)
        expression, inverse, patience = self.expression, self.inverse, Patience(SECONDS)
        try:
            return [row for row in rows if found_in(expression, texts[row], patience.left()) != inverse]
        except TooSlowError as error:
            raise FilterError(str(error)) from None


def read_filter(typed: str) -> Filter:
    """Read what was typed. Capital letters in it tell capitals apart. Raises FilterError."""
    inverse = typed.startswith("!")
    pattern = typed[1:] if inverse else typed
    if not pattern.strip():
        return Filter()
    any_case = not any(letter.isupper() for letter in pattern)
    try:
        expression = compiled(read(pattern), regex.IGNORECASE if any_case else 0)
    except (re.error, OverflowError, RecursionError) as error:
        raise FilterError(f"bad regex: {error}") from None
    return Filter(typed, expression, inverse)
