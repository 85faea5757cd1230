"""Charts that a person zooms and moves in. Who shows them tells what is drawn; where one looks is kept here."""

from __future__ import annotations

from collections.abc import Callable
from typing import ClassVar

import msgspec
from rich.text import Text
from textual import events
from textual.binding import Binding, BindingType
from textual.message import Message
from textual.widgets import Static

from screens.widgets.chart import LABEL, VALUE, columns_of
from supervision.charting import Axis
from supervision.charting_lens import Lens, Run, axis_of, panned, pointed, zoomed


class Look(msgspec.Struct, frozen=True):
    """What is to be drawn: on which axis, through which lens, with the cursor in which column, in how many cells."""

    axis: Axis
    lens: Lens
    cursor: int | None
    width: int
    height: int


Draw = Callable[[Look], list[Text]]


class Charts(Static, can_focus=True):
    """A drawing over time. With the focus, arrows move the cursor."""

    DEFAULT_CSS = """
    Charts { height: auto; padding: 0 1; }
    Charts:focus { background-tint: $foreground 3%; }
    """
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("left,h", "point(-1)", "point", key_display="← →", id="charts.left"),
        Binding("right,l", "point(1)", "point later", show=False, id="charts.right"),
        Binding("pageup", "point(-10)", "much earlier", show=False, id="charts.page_left"),
        Binding("pagedown", "point(10)", "much later", show=False, id="charts.page_right"),
        Binding("home,g", "point(-1_000_000)", "to the beginning", show=False, id="charts.first"),
        Binding("end,G", "release", "to the end", show=False, id="charts.last"),
        Binding("escape", "release", "no cursor", show=False, id="charts.release"),
    ]

    class Moved(Message):
        """Another part is looked at."""

    def __init__(self, *, id: str | None = None) -> None:  # noqa: A002
        super().__init__("", id=id, markup=False)
        self.lens = Lens()
        self._run = Run(0.0, 0.0)
        self._axis = Axis(0.0, 1.0, 1)
        self._seen: tuple[Look | None, tuple[object, ...]] = (None, ())
        self._draw: Draw | None = None
        self.lines: list[Text] = []
        """What is drawn."""

    def show(self, run: Run, zone: int, width: int, height: int, draw: Draw, sources: tuple[object, ...] = ()) -> None:
        """Draw a run in so many cells; not again while the look and all its `sources` are the same."""
        self._run, self._draw = run, draw
        self._axis = axis_of(run, self.lens, columns_of(width), zone)
        cursor = None if self.lens.cursor is None else self._axis.column(self.lens.cursor)
        look = Look(self._axis, self.lens, cursor, width, height)
        same = self._seen and self._seen[0] == look and len(self._seen[1]) == len(sources) > 0
        if same and all(map(_alike, self._seen[1], sources)):
            return
        self._seen = (look, sources)
        lines = draw(look)
        if lines != self.lines:
            self.lines = lines
            self.update(Text("\n").join(lines))

    def begin_anew(self) -> None:
        """Look at the whole of another run."""
        self.lens = Lens()

    def zoom(self, by: int) -> None:
        """Nearer (-1) or further away (1)."""
        self._look(zoomed(self._run, self.lens, by))

    def pan(self, halves: int) -> None:
        """Move by halves of what is seen."""
        self._look(panned(self._run, self.lens, halves))

    def action_point(self, columns: int) -> None:
        """Move the cursor."""
        self._look(pointed(self._run, self.lens, self._axis, columns))

    def action_release(self) -> None:
        """Look at the end again, without a cursor."""
        self._look(Lens(self.lens.span))

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Without a cursor, escape is for what lies beneath."""
        if action == "release":
            return self.lens.cursor is not None or self.lens.until is not None
        return super().check_action(action, parameters)

    def on_click(self, event: events.Click) -> None:
        """Point to what is under the mouse."""
        column = event.x - self.styles.padding.left - (LABEL + 1 + VALUE + 1)
        if self._draw is not None and 0 <= column < self._axis.columns:
            at = self._axis.edge(column) + self._axis.width / 2
            if self._run.began <= at <= self._run.end:
                self._look(Lens(self.lens.span, self.lens.until, at))

    def _look(self, lens: Lens) -> None:
        if lens != self.lens:
            self.lens = lens
            self.post_message(self.Moved())


def _alike(one: object, other: object) -> bool:
    return one is other or (isinstance(one, float) and one == other)
