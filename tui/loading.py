"""Loading in one go: what is imported lives as long as the program, and the collector need not look through it."""

from __future__ import annotations

import gc


def loading() -> None:
    """Collect nothing from here on: while modules load, nearly nothing is thrown away, and each look costs a frame."""
    gc.disable()


def loaded() -> None:
    """Collect again, what is there by now excepted."""
    if not gc.isenabled():
        gc.freeze()
        gc.enable()
