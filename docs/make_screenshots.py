"""Draws the pictures of README and docs from the shipped recordings: `make screenshots`."""

from __future__ import annotations

import asyncio
import re
from importlib.resources import files
from pathlib import Path

from screens.base import SessionScreen
from supervision.filesystems import file_system
from supervision.player import Player
from supervision.replay import Replay
from supervision.session import Session
from tui.app import RestripeApp
from tui.replay import moment

IMAGES = Path(__file__).parent / "img"
SEED, NIGHT = "seed-3.5.jsonl", "night-5.2.jsonl"
SIZE, TALL = (100, 28), (100, 40)
PICTURES = (
    ("restripe", NIGHT, "5", "23:21", TALL, ()),
    ("devices", SEED, "3", "18:00", SIZE, ()),
    ("disks", SEED, "2", "18:00", SIZE, ()),
    ("migrate", SEED, "4", "18:00", SIZE, ()),
    ("jobs", SEED, "6", "18:00", SIZE, ("enter",)),
)


async def draw(name: str, of: str, key: str, at: str, size: tuple[int, int], then: tuple[str, ...]) -> None:
    """One screen at one moment, as SVG."""
    replay = Replay(Path(str(files("recordings"))) / of)
    player = Player(replay)
    player.seek(moment(replay, at))
    app = RestripeApp(Session(player, file_system(replay.header)))
    async with app.run_test(size=size) as pilot:
        await pilot.press(key, *then)
        for _ in range(10):
            await pilot.pause()
        if isinstance(app.screen, SessionScreen):
            app.screen.refresh_all()
            await pilot.pause()
        IMAGES.mkdir(exist_ok=True)
        picture = app.export_screenshot(title=f"restripe: {name}")
        # no fonts from elsewhere: whoever looks at it uses their own
        picture = re.sub(r"@font-face \{.*?\}\s*", "", picture, flags=re.DOTALL)
        (IMAGES / f"{name}.svg").write_text(picture, encoding="utf-8")


async def main() -> None:
    """All of them."""
    for picture in PICTURES:
        await draw(*picture)


if __name__ == "__main__":
    asyncio.run(main())
