"""What `restripe show` gathers before it prints."""

from __future__ import annotations

from typing import Any

import msgspec


class View(msgspec.Struct):
    """What is shown: lines for people, `data` for `--json`, and what went wrong on the way."""

    lines: list[str] = msgspec.field(default_factory=list)
    data: dict[str, Any] = msgspec.field(default_factory=dict)
    warnings: list[str] = msgspec.field(default_factory=list)


class NothingError(Exception):
    """A question was answered by a failure; the text holds the command, its exit code and its last lines."""
