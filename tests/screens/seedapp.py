"""The recorded seed in an app with the screens of this folder's tests, at any moment of it."""

from __future__ import annotations

from functools import cache
from pathlib import Path

from textual.binding import Binding
from textual.screen import Screen

from screens.base import SessionApp
from screens.devices import DevicesScreen
from screens.disks import DisksScreen
from supervision.filesystem import FileSystem
from supervision.gpfs import GpfsFileSystem
from supervision.player import Player
from supervision.replay import Replay
from supervision.session import Session

SEED = Path(__file__).parents[2] / "recordings" / "seed-3.5.jsonl"


@cache
def replay() -> Replay:
    """The recorded seed, read once."""
    return Replay(SEED)


def seed_session(fraction: float = 1.0, fs: FileSystem | None = None) -> Session:
    """A replay that stands at a part of the recording."""
    player = Player(replay())
    player.seek(replay().began + fraction * replay().seconds)
    header = replay().header
    return Session(player, fs or GpfsFileSystem(header.file_system, header.entry, header.hosts))


class SeedApp(SessionApp):
    """Shows one screen of a session."""

    ENABLE_COMMAND_PALETTE = False
    BINDINGS = [Binding("q", "quit", "quit", show=False), Binding("escape", "back", "back", show=False)]  # noqa: RUF012

    def __init__(self, screen: type[DisksScreen | DevicesScreen], session: Session | None = None) -> None:
        super().__init__()
        self.session = session or seed_session()
        self._first = screen
        self.went_back = 0
        self.intents: list[object] = []

    def get_default_screen(self) -> Screen[None]:
        return self._first()

    def say(self, text: str, *, wrong: bool = False) -> None:
        self.shown.say(text, wrong=wrong)

    @property
    def shown(self) -> DisksScreen | DevicesScreen:
        """The screen."""
        assert isinstance(self.screen, DisksScreen | DevicesScreen)
        return self.screen

    async def action_back(self) -> None:
        self.went_back += 1

    def on_refresh(self, message: object) -> None:
        self.intents.append(message)
