"""A host key that has changed: explained once, and nothing that accepts it."""

from __future__ import annotations

from remote.events import LinkChanged
from screens.cluster import ClusterScreen
from screens.dialogs import Notice
from tests.screens.hearing import hearing
from tests.screens.jobsapp import NOW, Live
from tests.screens.snap import text_of
from tests.waiting import until
from tui.app import RestripeApp

SHOWN = "ssh-ed25519 SHA256:0fEvil"


async def test_a_changed_key_is_explained_once_and_cannot_be_accepted() -> None:
    live = Live(armed=True)
    app = RestripeApp(live.session)
    async with app.run_test(size=(80, 24)) as pilot:
        await until(lambda: isinstance(app.screen, ClusterScreen))
        live.tell(LinkChanged(NOW, "pollux2", "refused", "the host key has CHANGED", SHOWN))
        await until(lambda: isinstance(app.screen, Notice) and SHOWN in text_of(app))
        text = text_of(app)
        assert "pollux2" in text
        assert "no way to accept" in text
        await hearing(app, Notice)
        await pilot.press("y", "o", "s")
        assert isinstance(app.screen, Notice)
        await pilot.press("enter")
        await until(lambda: isinstance(app.screen, ClusterScreen))
        live.tell(LinkChanged(NOW + 1, "pollux2", "refused", "the host key has CHANGED", SHOWN))
        live.tell(LinkChanged(NOW + 1, "pollux3", "refused", "the host key has CHANGED", "ssh-rsa SHA256:3"))
        await until(
            lambda: isinstance(app.screen, Notice) and "pollux3" in text_of(app)
        )  # the other, not the same again
