"""What is different now from an earlier look at the devices: choose the look, read the difference."""

from __future__ import annotations

from collections.abc import Callable
from typing import ClassVar

from rich.text import Text
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical, VerticalScroll
from textual.screen import ModalScreen
from textual.widgets import Static

from remote.text import one_line
from screens.widgets.lines import Lines
from screens.widgets.render import fact_lines, fit, plain
from supervision.clocktext import age_text, local_time
from supervision.sightings import changes, moments
from supervision.state import State

SHOWN = 6
"""Looks that are in sight at once."""


class SinceScreen(ModalScreen[None]):
    """A list of earlier looks; beneath it what has changed since the chosen one."""

    DEFAULT_CSS = """
    SinceScreen { align: center middle; }
    SinceScreen > Vertical { width: 100%; max-width: 110; height: 100%; border: round $accent; background: $surface;
        padding: 0 1; }
    SinceScreen #title { text-style: bold; height: 1; }
    SinceScreen #looks { height: auto; margin: 0 0 1 0; }
    SinceScreen #what { height: 1fr; scrollbar-size-vertical: 1; }
    SinceScreen #keys { height: 1; text-style: dim; }
    """
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape,q,c", "dismiss", "close", show=False),
        Binding("up,k", "go(-1)", "later", show=False),
        Binding("down,j", "go(1)", "earlier", show=False),
        Binding("home,g", "go(-1_000)", "last", show=False),
        Binding("end,G", "go(1_000)", "first", show=False),
        Binding("pageup", "read(-1)", "read up", show=False),
        Binding("pagedown,space", "read(1)", "read down", show=False),
    ]

    def __init__(self, state: Callable[[], State], now: Callable[[], float]) -> None:
        super().__init__()
        self._state, self._now = state, now
        self._chosen: float | None = None
        """The time of the chosen look; None for the first one."""

    def compose(self) -> ComposeResult:
        with Vertical():
            yield Static(Text("Devices: what is different from an earlier look"), id="title", markup=False)
            yield Lines(id="looks")
            with VerticalScroll(id="what", can_focus=False):
                yield Lines(id="lines")
            yield Static(
                Text("up, down: another look   page up, page down: read   esc: close"), id="keys", markup=False
            )

    def on_mount(self) -> None:
        self.set_interval(1.0, self.draw)
        self.draw()

    def on_resize(self) -> None:
        self.draw()

    def action_go(self, step: int) -> None:
        """Choose another look."""
        times = moments(self._state().sightings)
        if times:
            at = max(0, min(self._place(times) + step, len(times) - 1))
            self._chosen = times[at]
            self.draw()

    def action_read(self, pages: int) -> None:
        """Scroll the difference."""
        what = self.query_one("#what", VerticalScroll)
        what.scroll_relative(y=pages * max(1, what.size.height - 1), animate=False)

    def _place(self, times: tuple[float, ...]) -> int:
        if self._chosen is None:
            return len(times) - 1
        return next((place for place, at in enumerate(times) if at <= (self._chosen or 0.0)), len(times) - 1)

    def draw(self) -> None:
        """Show the looks and the difference as they are now."""
        state, now = self._state(), self._now()
        width = max(20, min(110, self.size.width) - 5)
        times = moments(state.sightings)
        if not times:
            self.query_one("#looks", Lines).show([plain("no host has told of its devices yet")])
            return
        place = self._place(times)
        first = max(0, min(place - SHOWN // 2, len(times) - SHOWN))
        head = f"{len(times)} looks told something else than those before; this recording has them all"
        looks = [plain(head, "dim")]
        for index in range(first, min(len(times), first + SHOWN)):
            when = local_time(times[index], state.utc_offset).strftime("%Y-%m-%d %H:%M:%S")
            hosts = [
                host for host, history in state.sightings.items() if any(each.at == times[index] for each in history)
            ]
            which = ", ".join(hosts[:4]) + (f" and {len(hosts) - 4} more" if len(hosts) > 4 else "")
            sign = ">" if index == place else " "
            line = f"{sign} {when}  {age_text(times[index], now) + ' ago':<12}{one_line(which)}"
            looks.append(Text(fit(line, width).rstrip(), no_wrap=True))
        self.query_one("#looks", Lines).show(looks)
        found = changes(state.sightings, times[place])
        lines = (
            fact_lines(found, width, now) if found else [plain("nothing is different: every device has the same name")]
        )
        self.query_one("#lines", Lines).show(lines)
