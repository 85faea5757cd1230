"""What a check of a step says. It is recorded, so that a replay shows what was known then."""

from __future__ import annotations

from enum import Enum

import msgspec


class Outcome(Enum):
    """What a check came to."""

    PASS = "pass"  # noqa: S105
    NOTE = "note"
    """Worth reading; needs no answer."""
    WARNING = "warning"
    """A person must acknowledge it, by itself, with their name."""
    BLOCK = "block"
    """Nobody can acknowledge it away; only another look that finds another state takes it back."""
    UNKNOWN = "unknown"
    """What it rests on was not read, not understood, or is too old. It stops a step as a block does."""


class Check(msgspec.Struct, frozen=True):
    """One check. `key` is stable (`quorum`, `disks-ready`): acknowledgements name it, and a step has each key once.

    `read` is the text or the figures that it rests on, `advice` what to do. `at` is the Site's clock when the oldest of
    what it rests on was asked; None where it rests on the plan alone. `source` is the command that told it.
    """

    key: str
    title: str
    outcome: Outcome
    read: str = ""
    advice: str = ""
    at: float | None = None
    source: str = ""

    @property
    def stops(self) -> bool:
        """Whether the step must not run."""
        return self.outcome in (Outcome.BLOCK, Outcome.UNKNOWN)

    @property
    def told(self) -> str:
        """All of it in a line: what it is about, what was read, what to do."""
        return f"{self.title}: {self.read.rstrip('.')}. {self.advice}".strip()
