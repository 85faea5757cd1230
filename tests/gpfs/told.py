"""Texts of tests and what is often done to them."""

from __future__ import annotations

import re
from pathlib import Path

TEXTS = Path(__file__).parent / "texts"
TAIL = "Command failed. Examine previous error messages to determine cause."
COMMANDS = {"restripe": "mmrestripefs"}


def told(name: str) -> str:
    """One of our texts."""
    return (TEXTS / f"{name}.txt").read_text(encoding="utf-8")


def collapsed(text: str) -> str:
    """As a web page shows it: one blank for any number, none at the ends."""
    return "\n".join(re.sub(r"[ \t]+", " ", line).strip() for line in text.split("\n"))


def in_dos_lines(text: str) -> str:
    """As it comes through a PTY."""
    return text.replace("\n", "\r\n")


def commands_and_texts() -> list[tuple[str, str]]:
    """Every text of ours with the command that prints it."""
    names = [path.stem for path in sorted(TEXTS.glob("*.txt"))]
    return [(COMMANDS.get(name.partition("_")[0], name.partition("_")[0]), name) for name in names]
