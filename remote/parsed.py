"""What every parser returns: the model, what was not understood, and what was broken."""

from __future__ import annotations

from typing import Generic, TypeVar

import msgspec

T = TypeVar("T")


class Note(msgspec.Struct, frozen=True):
    """A line that was not understood but does no harm; kept so that nothing is lost. `line` counts from 1."""

    line: int
    text: str


class Problem(msgspec.Struct, frozen=True):
    """A line that should have been understood and was not, and why. `line` counts from 1; 0 is the whole text."""

    line: int
    text: str
    why: str


class Parsed(msgspec.Struct, Generic[T], frozen=True):
    """A parser's result. Parsers are total: they return this for any text and never raise."""

    model: T
    notes: tuple[Note, ...] = ()
    problems: tuple[Problem, ...] = ()

    @property
    def ok(self) -> bool:
        """Whether everything that was expected was there and whole."""
        return not self.problems
