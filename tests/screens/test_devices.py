"""The devices on the screen: roles, the trap of going by names, marks that follow identities, and what they become."""

from __future__ import annotations

import pytest

from tests.screens.deviceapp import DeviceApp, ready
from tests.screens.snap import assert_snapshot
from tests.supervision import devicefacts as servers

SNAPSHOTS = "snapshots_devices"
SIZES = [(80, 24), (120, 40)]


@pytest.mark.parametrize("size", SIZES)
async def test_how_each_view_looks(size: tuple[int, int]) -> None:
    app = DeviceApp(servers.state(servers.facts()))
    async with app.run_test(size=size) as pilot:
        for view in ("role", "name", "disk", "host"):
            screen = await ready(pilot, view)
            screen.say("")
            await pilot.pause()
            assert_snapshot(app, SNAPSHOTS, f"{view}-{size[0]}x{size[1]}", only="#body")
            await pilot.press("t")
        await ready(pilot, "role")
