"""The screen of the devices over a state that a test sets, in an app with nothing else."""

from __future__ import annotations

from textual.pilot import Pilot

from screens.devices import DevicesScreen
from supervision.filesystem import FileSystem
from supervision.session import Session
from supervision.state import State
from supervision.store import Store
from tests.screens.seedapp import SeedApp
from tests.supervision import devicefacts as servers
from tests.waiting import until


class DeviceApp(SeedApp):
    """The state can be replaced by another one."""

    def __init__(self, state: State, fs: FileSystem | None = None) -> None:
        self.store = Store(state.header)
        self.store.state = state
        super().__init__(DevicesScreen, Session(self.store, fs or servers.file_system()))

    def become(self, state: State) -> None:
        """Know something else from now on."""
        self.store.state = state
        self.devices.show_state()

    @property
    def devices(self) -> DevicesScreen:
        """The screen, beneath whatever lies on it."""
        found = next(screen for screen in self.screen_stack if isinstance(screen, DevicesScreen))
        assert isinstance(found, DevicesScreen)
        return found


async def ready(pilot: Pilot[int], view: str = "role") -> DevicesScreen:
    """The screen once it shows devices that way."""
    app = pilot.app
    assert isinstance(app, DeviceApp)
    screen = app.devices
    await until(lambda: screen.view == view and bool(screen.grid.view.shown) and screen.grid.has_focus)
    await pilot.pause()
    return screen


async def go_to(pilot: Pilot[int], role: str, host: str = "") -> DevicesScreen:
    """Stand on a row by its first cell, and on the column of a host if one is named."""
    assert isinstance(pilot.app, DeviceApp)
    screen = pilot.app.devices
    grid = screen.grid
    key = next(row.key for row in grid.view.table.rows if row.cells[0].text == role)
    assert grid.go_to(key)
    while host and grid.chosen_column != f"on {host}":
        before = grid.chosen
        grid.action_choose(1)
        assert grid.chosen != before, f"no column of {host}"
    await pilot.pause()
    return screen
