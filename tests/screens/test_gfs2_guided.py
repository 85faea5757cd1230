"""Guided work on a GFS2 from the screen Migrate: typed, looked at, confirmed; and refused with what to do."""

from __future__ import annotations

import math

from textual.pilot import Pilot
from textual.widgets import Input

from screens.dialogs import AskText, ConfirmDanger, Notice
from supervision import filesystems
from supervision.session import Session
from tests.screens.hearing import hearing
from tests.screens.snap import text_of
from tests.supervision.gfs2_scripted import DEVICE, HEADER, HOST, MOUNTED, OUT, host, supervised
from tests.waiting import until
from tui.app import RestripeApp


async def typed(app: RestripeApp, pilot: Pilot[int], text: str) -> None:
    """Answer what is asked for."""
    dialog = await hearing(app, AskText)
    dialog.query_one(Input).value = text
    await pilot.press("enter")


async def test_work_is_typed_looked_at_and_confirmed_by_the_device_s_name() -> None:
    site = host()
    site.answers |= {"restripe-gfs2-use": MOUNTED}
    supervisor = supervised(site)
    async with supervisor:
        guides = filesystems.guides(supervisor, "ops@desk")
        session = Session(supervisor.store, filesystems.file_system(HEADER), supervisor=supervisor, guides=guides)
        app = RestripeApp(session, first="migrate")
        async with app.run_test(size=(80, 24)) as pilot:
            await until(lambda: "r begins one: savemeta, restoremeta or fsck" in text_of(app))
            await pilot.press("r")
            await typed(app, pilot, "fsck")
            await until(lambda: "fsck takes one of -n" in text_of(app))
            await typed(app, pilot, "fsck -y")  # it is mounted: that cannot be confirmed
            await until(lambda: isinstance(app.screen, Notice))
            told = " ".join(text_of(app).replace("┃", "").split())
            assert f"Not begun: fsck of {DEVICE}" in told
            assert "unmount it there" in told
            assert session.migration is None
            await hearing(app, Notice)
            await pilot.press("enter")

            await pilot.press("r")
            await typed(app, pilot, f"savemeta {OUT}")
            dialog = await hearing(app, ConfirmDanger)
            shown = " ".join(text_of(app).replace("┃", "").split())
            assert "WARNING mounted: n1 has it mounted" in shown  # the first thing that is read
            assert "inconsistent copy" in shown
            await pilot.press("enter")  # it starts on Cancel, and then another one may be typed
            await until(lambda: app.screen is not dialog)
            assert session.migration is None

            await pilot.press("r")
            await typed(app, pilot, f"savemeta {OUT}")
            dialog = await hearing(app, ConfirmDanger)
            dialog._deaf_until = -math.inf
            dialog.query_one(Input).value = DEVICE
            await pilot.press("tab", "enter", "y")
            await until(lambda: bool(site.launched))
            (spec,) = site.launched
            assert spec.command.argv[2:] == (f"--new={OUT}", "--", *f"gfs2_edit savemeta -z1 {DEVICE} {OUT}".split())
            assert [name for name, _text in spec.files] == ["guarded.sh"]
            await until(lambda: "2 savemeta" in text_of(app))
            await pilot.press("r")  # one at a time
            await hearing(app, AskText)
            await pilot.press("enter")
            await until(lambda: "another one is under way" in text_of(app))
    assert site.asked[HOST, f"blkid -p {DEVICE}"] == 4


async def test_a_session_that_may_not_write_says_what_it_could_do_and_has_no_key_for_it() -> None:
    site = host()
    site.armed = False
    supervisor = supervised(site)
    async with supervisor:
        guides = filesystems.guides(supervisor, "ops@desk")
        session = Session(supervisor.store, filesystems.file_system(HEADER), supervisor=supervisor, guides=guides)
        app = RestripeApp(session, first="migrate")
        async with app.run_test(size=(80, 24)) as pilot:
            await until(lambda: "with --write one can be begun" in text_of(app))
            await pilot.press("r")
            assert "What is to be done?" not in text_of(app)
