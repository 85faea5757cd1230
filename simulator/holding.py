"""Commands that stand still before or after their work until they are let go: what happens meanwhile can be chosen."""

from __future__ import annotations

import asyncio

BEGIN = "begin"
END = "end"


class Holds:
    """Which commands are to stand, and which do. A command that is killed while it stands does not go on."""

    def __init__(self) -> None:
        self._places: dict[str, str] = {}
        self._let_go = asyncio.Event()
        self.standing: list[str] = []
        """The names of the commands that stand now."""

    def hold(self, command: str, place: str) -> None:
        """Let every command of a name stand at BEGIN, before anything of it has happened, or at END, after all has."""
        self._places[command] = place

    def release(self) -> None:
        """Let all go on, and nothing stand any more."""
        self._places.clear()
        self._let_go.set()
        self._let_go = asyncio.Event()

    async def pass_by(self, command: str, place: str) -> None:
        """Stand here, where that was chosen."""
        if self._places.get(command) != place:
            return
        self.standing.append(command)
        try:
            await self._let_go.wait()
        finally:
            self.standing.remove(command)
