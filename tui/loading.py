"""Loading in one go: what is imported lives as long as the program, and the collector need not look through it."""

from __future__ import annotations

import gc

NEW = 20_000
"""Objects more than there were when a look for garbage is taken."""


def loading() -> None:
    """Collect nothing from here on: while modules load, nearly nothing is thrown away, and each look costs a frame."""
    gc.disable()


def loaded() -> None:
    """Collect again, what is there by now excepted, and less often: a table of ten thousand rows is no garbage."""
    if not gc.isenabled():
        gc.freeze()
        gc.set_threshold(NEW)
        gc.enable()
