"""What a person types to see fewer rows: a regular expression, turned round by a leading `!`."""

from __future__ import annotations

import re
import warnings

import msgspec


class FilterError(ValueError):
    """What was typed is no regular expression; the text says why."""


class Filter(msgspec.Struct, frozen=True):
    """A filter as it was typed, and what it means. An empty one keeps every row."""

    typed: str = ""
    expression: re.Pattern[str] | None = None
    inverse: bool = False

    def keeps(self, text: str) -> bool:
        """Whether a row with this text is shown."""
        return self.expression is None or bool(self.expression.search(text)) != self.inverse


def read_filter(typed: str) -> Filter:
    """Read what was typed. Capital letters in it tell capitals apart. Raises FilterError."""
    inverse = typed.startswith("!")
    pattern = typed[1:] if inverse else typed
    if not pattern.strip():
        return Filter()
    flags = re.NOFLAG if any(letter.isupper() for letter in pattern) else re.IGNORECASE
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # `[[` is only doubtful, and a warning has no place on a screen
            expression = re.compile(pattern, flags)
    except (re.error, OverflowError, RecursionError) as error:
        raise FilterError(str(error)) from None
    return Filter(typed, expression, inverse)
