"""Screens as text: what a terminal would show, compared with a file. `RESTRIPE_UPDATE_SNAPSHOTS=1` writes the files."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

from textual.app import App

HERE = Path(__file__).parent


def text_of(app: App[Any], only: str = "") -> str:
    """What the current screen shows, a line a line, without styles and without blanks at the ends.

    `only` selects a widget that is as wide as the screen, and leaves out the lines above and beneath it.
    """
    lines = app.screen._compositor.render_strips()
    if only:
        region = app.screen.query_one(only).region
        lines = lines[region.y : region.bottom]
    return "\n".join(strip.text.rstrip() for strip in lines).rstrip() + "\n"


def assert_snapshot(app: App[Any], folder: str, name: str, *, only: str = "") -> None:
    """Compare the current screen, or only one widget of it, with `tests/screens/FOLDER/NAME.txt`."""
    path = HERE / folder / f"{name}.txt"
    shown = text_of(app, only)
    if os.environ.get("RESTRIPE_UPDATE_SNAPSHOTS"):
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(shown, encoding="utf-8")
    assert path.exists(), f"{path} is not there; RESTRIPE_UPDATE_SNAPSHOTS=1 writes it"
    assert shown == path.read_text(encoding="utf-8")
