"""What the tests of grids share: tables, and an app with nothing but a grid."""

from __future__ import annotations

from collections.abc import Sequence

from textual.app import App, ComposeResult
from textual.containers import Vertical

from screens.widgets.grid import Grid
from supervision.tables import Cell, Column, Row, Severity, Table

COLUMNS = (
    Column("nsd", "NSD"),
    Column("status", "Status"),
    Column("free", "Free", right=True),
    Column("pool", "Pool", wide=True),
)
STATES = (
    (Severity.NORMAL, "ready"),
    (Severity.NOTE, "emptied"),
    (Severity.WARNING, "suspended"),
    (Severity.BAD, "down"),
)


def disk(number: int, status: str = "", free: float | None = -1.0, severity: Severity | None = None) -> Row:
    """A row; without more said, every fourth is down, every third unknown in its free space."""
    usual_severity, usual_status = STATES[number % 4]
    free = (None if number % 3 == 2 else float(number * 7919 % 1000)) if free == -1.0 else free
    cells = (
        Cell(f"nsd{number}", f"nsd{number:08}"),
        Cell(status or usual_status, status or usual_status),
        Cell("" if free is None else f"{free:g} GiB", free),
        Cell("system", "system"),
    )
    return Row(f"nsd{number}", cells, usual_severity if severity is None else severity, (("serial", f"S{number:05}"),))


def disks(count: int) -> Table:
    """A table of so many disks, asked for at 1."""
    return Table(COLUMNS, tuple(disk(number) for number in range(count)), at=1.0)


class GridApp(App[None]):
    """An app with a grid and nothing else."""

    ENABLE_COMMAND_PALETTE = False

    def __init__(self, table: Table) -> None:
        super().__init__()
        self.table = table
        self.time = 0.0
        self.opened: list[str] = []

    def compose(self) -> ComposeResult:
        with Vertical():
            yield Grid(name="disks", now=lambda: self.time)

    def on_mount(self) -> None:
        self.grid.set_table(self.table)

    @property
    def grid(self) -> Grid:
        """The grid."""
        return self.query_one(Grid)

    def on_grid_opened(self, event: Grid.Opened) -> None:
        self.opened.append(event.key)

    @property
    def keys(self) -> list[str]:
        """The keys of the rows as they are shown."""
        view = self.grid.view
        return [view.table.rows[number].key for number in view.shown]


def lines(grid: Grid) -> list[str]:
    """The lines of a grid as they are drawn, without styles."""
    return [grid.render_line(y).text.rstrip() for y in range(grid.size.height)]


def gutters(grid: Grid) -> Sequence[str]:
    """The first cells of each row in sight."""
    return [line[:6] for line in lines(grid)[1:]]
