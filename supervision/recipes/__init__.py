"""Guided migrations, one small module each."""

from __future__ import annotations

import importlib
from collections.abc import Mapping
from typing import cast

from supervision.recipe import Recipe

RECIPES: Mapping[str, str] = {"metadata-to-ssd": "supervision.recipes.metadata_to_ssd"}
"""The module of each recipe, whose RECIPE it is; loaded when it is needed."""


class UnknownRecipeError(ValueError):
    """A recipe that this program does not know; the text says which it does."""


def find(name: str) -> Recipe:
    """A recipe by its name. Raises UnknownRecipeError."""
    if name not in RECIPES:
        raise UnknownRecipeError(f"{name!r} is no recipe of this program: it knows {', '.join(sorted(RECIPES))}")
    return cast("Recipe", importlib.import_module(RECIPES[name]).RECIPE)
