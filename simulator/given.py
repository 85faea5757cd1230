"""The arguments of one request to the control interface."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

from simulator.machines import Machine

MAX_SECONDS = 1e9


class Given:
    """The arguments of one request; what is wrong or too much is a ValueError in words for a person."""

    def __init__(self, arguments: Mapping[str, Any], machines: Mapping[str, Machine]) -> None:
        self._left = dict(arguments)
        self._machines = machines

    def text(self, name: str, default: str | None = None) -> str:
        """A text; needed where there is no default."""
        value = self._left.pop(name, default)
        if not isinstance(value, str):
            raise ValueError(f"{name} must be a text" if value is not None else f"{name} is missing")  # noqa: TRY004
        return value

    def has(self, name: str) -> bool:
        """Whether an argument was given and not yet asked for."""
        return name in self._left

    def word(self, name: str) -> str:
        """A text that may look like a number; needed."""
        value = self._left.get(name)
        if isinstance(value, int) and not isinstance(value, bool):
            self._left[name] = str(value)
        return self.text(name)

    def one_of(self, name: str, *choices: str) -> str:
        """One of a few words; the first is the default."""
        value = self.text(name, choices[0])
        if value not in choices:
            raise ValueError(f"{name} is one of {', '.join(choices)}")
        return value

    def number(self, name: str, default: float | None = None, *, low: float = 0, high: float = MAX_SECONDS) -> float:
        """A number between bounds."""
        value = self._left.pop(name, default)
        if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value):
            raise ValueError(f"{name} must be a number" if value is not None else f"{name} is missing")
        if not low <= value <= high:
            raise ValueError(f"{name} must be between {low:g} and {high:g}")
        return value

    def flag(self, name: str, *, default: bool) -> bool:
        """True or false."""
        value = self._left.pop(name, default)
        if not isinstance(value, bool):
            raise ValueError(f"{name} must be true or false")  # noqa: TRY004
        return value

    def machine(self) -> Machine:
        """The host that `host` names."""
        name = self.text("host")
        if name not in self._machines:
            raise ValueError(f"no host {name!r}: {', '.join(list(self._machines)[:20])}")
        return self._machines[name]

    def machines(self) -> list[Machine]:
        """The host that `host` names, or all."""
        return [self.machine()] if "host" in self._left else list(self._machines.values())

    def rest(self) -> dict[str, Any]:
        """All that was not asked for."""
        rest, self._left = self._left, {}
        return rest

    def end(self) -> None:
        """Refuse what is left over."""
        if self._left:
            raise ValueError(f"no argument {', '.join(map(repr, self._left))}")
