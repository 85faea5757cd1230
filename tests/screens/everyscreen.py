"""What each screen of a session shows, for sessions of kinds other than the first."""

from __future__ import annotations

import re
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from textual.pilot import Pilot

from supervision.session import Session
from tests.screens.snap import text_of
from tests.waiting import until
from tui.app import RestripeApp
from tui.help import HelpScreen

ALIEN = re.compile(
    r"gpfs|\bnsds?\b|\bmm[a-z]+|\binodes?|pool|stanza|failure group|dataonly|metadataonly|-Y\b", re.IGNORECASE
)
"""Words of GPFS that no other kind has."""
SCREENS = ("cluster", "disks", "devices", "migrate", "restripe", "jobs", "commands")


@asynccontextmanager
async def shown(session: Session, size: tuple[int, int]) -> AsyncIterator[tuple[RestripeApp, Pilot[int]]]:
    app = RestripeApp(session)
    async with app.run_test(size=size) as pilot:
        await until(lambda: "[1 Cluster]" in text_of(app))
        yield app, pilot


async def every_screen(app: RestripeApp, pilot: Pilot[int]) -> dict[str, str]:
    """What each screen shows, with its help, and all that can be scrolled to."""
    told = {}
    for number, name in enumerate(SCREENS, 1):
        await pilot.press(str(number))
        await until(lambda name=name: f" {name.capitalize()}]" in text_of(app))  # type: ignore[misc]
        text = text_of(app)
        for _ in range(3):
            await pilot.press("pagedown")
            text += text_of(app)
        await pilot.press("home", "question_mark")
        await until(lambda: isinstance(app.screen, HelpScreen))
        told[name] = text
        told[f"help of {name}"] = text_of(app)
        await pilot.press("escape")
        await until(lambda: not isinstance(app.screen, HelpScreen))
    return told
