"""The peer of the first paint: a footer and a table of twelve rows, and nothing else."""

from __future__ import annotations

from typing import ClassVar

from textual.app import App, ComposeResult
from textual.binding import BindingType
from textual.widgets import DataTable, Footer

ROWS = 12
LAST = f"row {ROWS}"


class SmallApp(App[None]):
    """As small as an application with something in it can be."""

    BINDINGS: ClassVar[list[BindingType]] = [("q", "quit", "quit")]

    def compose(self) -> ComposeResult:
        yield DataTable[str]()
        yield Footer()

    def on_mount(self) -> None:
        """Fill the table."""
        table = self.query_one(DataTable)
        table.add_columns("name", "size", "free")
        for number in range(1, ROWS + 1):
            table.add_row(f"row {number}", f"{number * 3} TiB", f"{number} TiB")


if __name__ == "__main__":
    SmallApp().run()
