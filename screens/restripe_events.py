"""What happened while a scan ran, and how its forecast moved: a list over the screen, the latest first."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import ClassVar

from rich.text import Text
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical, VerticalScroll
from textual.screen import ModalScreen
from textual.widgets import Static

from remote.text import one_line
from screens.restripe_charts import SIGNS, told_text
from screens.widgets import clipboard
from screens.widgets.chart import sign_of
from screens.widgets.lines import Lines
from screens.widgets.render import fit, labelled
from supervision.charting_forecasts import moves
from supervision.clocktext import DAYS, local_time
from supervision.forecasts import Told
from supervision.happenings import Happening

FORECAST = "forecast"
HEAD = 33
"""Cells before the text of an event: letter, day, time, kind and host."""
Events = Sequence[tuple[float, str, str, str]]
"""Time (Site's clock), kind, host and text."""


def events_of(happened: Sequence[Happening], told: Sequence[Told], now: float, zone: int) -> Events:
    """What happened and how the forecast moved, the latest first."""
    found = [(one.at, one.kind, one.host, one.text) for one in happened]
    found += [(one.at, FORECAST, "", told_text(one, now, zone)) for one in moves(told)]
    return sorted(found, key=lambda event: -event[0])


def event_lines(events: Events, width: int, zone: int) -> list[Text]:
    """Each with the letter that it has on the time axis."""
    lines: list[Text] = []
    for at, kind, host, text in events:
        when = local_time(at, zone)
        letter = " " if kind == FORECAST else sign_of(kind, SIGNS).letter
        head = f"{letter} {DAYS[when.weekday()]} {when:%H:%M:%S} {fit(one_line(kind), 9)} {fit(one_line(host), 8)}"
        lines += labelled(head, text, width, label_width=HEAD, style="" if kind != FORECAST else "dim")
    return lines


class EventsScreen(ModalScreen[None]):
    """The list; it goes on while it is open."""

    DEFAULT_CSS = """
    EventsScreen { align: center middle; }
    EventsScreen > Vertical { width: 100%; max-width: 120; height: auto; max-height: 90%; border: round $accent;
        padding: 0 1; background: $surface; }
    EventsScreen #events-what { height: auto; max-height: 100%; scrollbar-size-vertical: 1; }
    EventsScreen #events-title { text-style: bold; }
    EventsScreen #events-keys { color: $text-muted; }
    """
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape,q,e", "dismiss", "close", show=False),
        Binding("up,k", "read(-1)", "up", show=False),
        Binding("down,j", "read(1)", "down", show=False),
        Binding("pageup", "read(-10)", "read up", show=False),
        Binding("pagedown,space", "read(10)", "read down", show=False),
        Binding("home,g", "read(-100_000)", "latest", show=False),
        Binding("end,G", "read(100_000)", "first", show=False),
        Binding("y", "copy", "copy", show=False),
    ]

    def __init__(self, events: Callable[[], Events], zone: Callable[[], int]) -> None:
        super().__init__()
        self._events, self._zone = events, zone

    def compose(self) -> ComposeResult:
        with Vertical():
            yield Static("What happened, the latest first", id="events-title", markup=False)
            with VerticalScroll(id="events-what", can_focus=False):
                yield Lines(id="events-lines")
            yield Static("up, down, page up, page down: read   y: copy all   esc: close", id="events-keys")

    def on_mount(self) -> None:
        self.set_interval(1.0, self.draw)
        self.draw()

    def on_resize(self) -> None:
        self.draw()

    def draw(self) -> None:
        """Show the events as they are now."""
        width = max(40, min(120, self.size.width) - 5)
        lines = event_lines(self._events(), width, self._zone())
        self.query_one("#events-lines", Lines).show(lines or [Text("nothing has happened yet", "dim")])

    def action_read(self, lines: int) -> None:
        """Scroll."""
        self.query_one("#events-what", VerticalScroll).scroll_relative(y=lines, animate=False)

    async def action_copy(self) -> None:
        """Copy all of them."""
        lines = event_lines(self._events(), 10_000, self._zone())
        told = await clipboard.copy(self.app, "\n".join(line.plain for line in lines))
        self.query_one("#events-keys", Static).update(Text(told))
