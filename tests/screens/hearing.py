"""Dialogs that hear at once: a person takes longer to read one than it is deaf, a test does not."""

from __future__ import annotations

import math
from typing import Any, TypeVar

from textual.app import App

from screens.dialogs import Dialog
from tests.waiting import until

D = TypeVar("D", bound=Dialog[Any])


async def hearing(app: App[Any], kind: type[D]) -> D:
    """Wait for a dialog that is shown whole, let it hear, and return it.

    One that is on the stack of screens may not be mounted yet: its deafness would begin after it had been ended.
    """

    def shown() -> D | None:
        dialog = app.screen
        return dialog if isinstance(dialog, kind) and dialog._deaf_until < math.inf and dialog.focused else None

    dialog = await until(shown)
    assert dialog is not None
    dialog._deaf_until = 0.0
    return dialog
