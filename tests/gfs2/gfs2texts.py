"""Texts of GFS2's tools, as they printed them: README.md tells where from."""

from __future__ import annotations

from pathlib import Path

TEXTS = Path(__file__).parent / "texts"


def told(name: str) -> str:
    """One of the texts, with its carriage returns."""
    return (TEXTS / f"{name}.txt").read_bytes().decode()
