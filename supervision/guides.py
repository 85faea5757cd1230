"""Guided migrations that a person chooses and words by themselves, one line for each."""

from __future__ import annotations

from typing import Protocol

from supervision.migration import Ending, Migration


class Guides(Protocol):
    """What a session can perform with its checks, by what a person types."""

    @property
    def title(self) -> str:
        """What there is, in some words: `savemeta, restoremeta or fsck`."""

    @property
    def lines(self) -> tuple[str, ...]:
        """What may be typed, for whoever is to choose."""

    @property
    def example(self) -> str:
        """What stands in the field at first: the harmless one, as it would usually be typed."""

    @property
    def ending(self) -> Ending | None:
        """How the last one ended that was begun; UNKNOWN while it runs, None where none was."""

    def wrong(self, typed: str) -> str:
        """What is wrong with a text; empty when it can be opened. Nothing is asked."""

    def open(self, typed: str) -> Migration:
        """The migration that a text means, as yet without a look: `prepare` asks. ValueError as `wrong` tells it."""
