"""A few lines of text."""

from __future__ import annotations

from rich.text import Text
from textual.widgets import Static


class Lines(Static):
    """Lines of text, drawn again only when they are others."""

    def __init__(self, *, id: str) -> None:  # noqa: A002
        super().__init__("", id=id, markup=False)
        self._lines: list[Text] = []

    def show(self, lines: list[Text]) -> None:
        """Show these lines."""
        if lines != self._lines:
            self._lines = lines
            self.update(Text("\n").join(lines))
