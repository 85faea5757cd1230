"""The numbered screens, each loaded when it is first shown: the first frame waits for its own alone."""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from typing import Any

from textual.screen import Screen

from screens.widgets.frame import SCREENS


def _screen(name: str) -> Screen[Any]:
    found: Screen[Any] = getattr(import_module(f"screens.{name}"), f"{name.capitalize()}Screen")()
    return found


def _mode(name: str) -> Callable[[], Screen[Any]]:
    return lambda: _screen(name)


MODES: dict[str, str | Callable[[], Screen[Any]]] = {name: _mode(name) for _key, name, _title in SCREENS}
"""What makes each screen, by its mode."""


def load_all() -> None:
    """Load everything that has bindings: own keys are told by the names of those."""
    for name in ("app", "help"):
        import_module(f"tui.{name}")
    for _key, name, _title in SCREENS:
        import_module(f"screens.{name}")
