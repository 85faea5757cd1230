"""Colours: three themes, the bands of the status line in each, and what a terminal with few colours gets."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import Any

from textual.app import App
from textual.theme import BUILTIN_THEMES, Theme

from tui.settings import Settings

BANDS = {
    # the colours of 16-colour terminals: they stay as far apart there as they are here
    "band-armed": "#aa0000",
    "band-simulated": "#aa00aa",
    "band-replay": "#0000aa",
    "band-text": "#ffffff",
    "note": "#a0a0a0",
}
_ANSI_BANDS = {
    "band-armed": "ansi_red",
    "band-simulated": "ansi_magenta",
    "band-replay": "ansi_blue",
    "band-text": "ansi_bright_white",
    "note": "ansi_default",
}
CSS = """
StatusLine.-simulated { background: $band-simulated; color: $band-text; }
StatusLine.-armed { background: $band-armed; color: $band-text; text-style: bold; }
StatusLine.-armed.-simulated { background: $band-simulated; color: $band-text; text-style: bold; }
StatusLine.-replay { background: $band-replay; color: $band-text; text-style: none; }
MessageLine { color: $text-warning; }
GridCanvas > .grid--note, LogText > .log--time { color: $note; }
StatusLine:nocolor { text-style: reverse; }
StatusLine.-armed:nocolor { text-style: reverse bold; }
"""
"""A real cluster that may be changed is red, and nothing else is: neither a simulated one nor a recording.

What stands aside has a colour said outright: the library reckons `auto` ones for lines drawn by hand against black.
"""


def _theme(name: str, base: str, variables: Mapping[str, str], **changes: Any) -> Theme:
    theme = BUILTIN_THEMES[base]
    values = {field: getattr(theme, field) for field in theme.__dataclass_fields__}
    return Theme(**values | changes | {"name": name, "variables": {**theme.variables, **variables}})


THEMES = (
    _theme("dark", "textual-dark", BANDS),
    _theme("light", "textual-light", {**BANDS, "note": "#505050"}),
    # no colour of its own but the bands: it is as light or dark as the terminal
    _theme("ansi", "ansi-dark", _ANSI_BANDS),
)

CHOICES = (("dark", "dark"), ("light", "light"), ("terminal", "ansi"))
"""What a person calls each theme, and its name in the configuration file."""


def no_color() -> bool:
    """Whether the person asked for no colour at all: https://no-color.org, and an empty value counts for textual."""
    return "NO_COLOR" in os.environ


def begin(app: App[Any]) -> None:
    """Give an application the themes. Without colour it uses the terminal's own, so that none are sent at all."""
    for theme in THEMES:
        app.register_theme(theme)
    app.theme = "ansi" if no_color() else "dark"


def theme_for(app: App[Any], settings: Settings) -> str:
    """The theme to show; where nobody chose, few colours are best the terminal's own."""
    if no_color():
        return "ansi"
    if not settings.chosen("theme") and app.console.color_system in ("standard", None):
        return "ansi"
    return settings.config.theme
