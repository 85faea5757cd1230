"""Regular expressions that a person typed, each matched within a time: a slip of the finger may not stop the program.

`re` cannot be interrupted, and lets nobody else run meanwhile: `(a+)+$` on one long line holds it for ever. So these
are matched by `regex`, which gives up in time. What is one and how it is wrong is still said by `re`.
"""

from __future__ import annotations

import re
import time
import warnings
from typing import AnyStr

import regex

TEXT_SECONDS = 0.05
"""For one text: a hundred times what a sound expression needs for a long line."""
TOO_LONG = "this pattern takes too long; simpler, please"

_TOKEN = re.compile(r"\\.|\[\^?\]?(?:\\.|[^\]\\])*\]|\(\?(?:[:=!]|<[=!])?|\{\d+(?:,\d*)?\}|\{,\d*\}|.", re.DOTALL)
_SIMPLE_SET = re.compile(r"\[\^?\]?(?:\\[dws]|\\[^a-zA-Z0-9]|[^\\])*\]")
_IN_LINE = {r"\s": r"[^\S\n]", r"\D": r"[^\d\n]", r"\W": r"[^\w\n]"}
_GROUPS = frozenset(("(?:", "(?=", "(?!", "(?<=", "(?<!"))


class TooSlowError(Exception):
    """An expression took too long, and was given up."""

    def __init__(self) -> None:
        super().__init__(TOO_LONG)


class Patience:
    """Seconds of this thread's own work for many texts together; what others do meanwhile is no fault of a pattern."""

    def __init__(self, seconds: float) -> None:
        self._ends = time.thread_time() + seconds

    def left(self, most: float = TEXT_SECONDS) -> float:
        """Seconds for the next text, at most `most`. Raises TooSlowError when there are none."""
        left = self._ends - time.thread_time()
        if left <= 0:
            raise TooSlowError
        return min(left, most)


def read(source: str) -> str:
    """An expression as `regex` reads it. Raises re.error, OverflowError or RecursionError for what is none."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # `[[` is only doubtful, and a warning has no place on a screen
        re.compile(source)
    # a brace that counts nothing is a brace to `re`, and to `regex` the beginning of what is only like a text
    return "".join(r"\{" if part == "{" else part for part in _TOKEN.findall(source))


def compiled(source: AnyStr, flags: int = 0) -> regex.Pattern[AnyStr]:
    """An expression that was read, with flags of `regex`. Raises re.error and RecursionError."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            return regex.compile(source, flags)
        except regex.error as error:
            raise re.error(str(error)) from None


def found_in(pattern: regex.Pattern[AnyStr], text: AnyStr, seconds: float = TEXT_SECONDS) -> bool:
    """Whether an expression matches somewhere in a text. Raises TooSlowError."""
    try:
        return pattern.search(text, timeout=seconds) is not None
    except TimeoutError:
        raise TooSlowError from None


def within_lines(source: str) -> str | None:
    """An expression that was read, so that in a text of many lines it matches within a line alone (MULTILINE).

    A thousand lines looked through at once cost less than ten by themselves. None where it is not certain to be the
    same.
    """
    out = []
    for part in _TOKEN.findall(source):
        if part.startswith("\\"):
            if part[1:].isalnum() and part[1:] not in "dwsDWSb":
                return None
            out.append(_IN_LINE.get(part, part))
        elif part.startswith("(?") and part not in _GROUPS:
            return None
        elif part.startswith("[") and len(part) > 1:
            if not _SIMPLE_SET.fullmatch(part) or not part.isprintable():
                return None
            if part.startswith("[^"):
                out.append(rf"[^\n\]{part[3:]}" if part[2] == "]" else rf"[^\n{part[2:]}")
            elif r"\s" in part:
                return None
            else:
                out.append(part)
        else:
            out.append(part)
    return "".join(out)
