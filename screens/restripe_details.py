"""More of what a scan does and meets: users step by step, complaints by kind with their lines, disks and their
failure groups, and limits.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import ClassVar

from rich.cells import cell_len
from rich.text import Text
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical, VerticalScroll
from textual.screen import ModalScreen
from textual.widgets import Static

from screens.restripe_lines import LABEL, evidence_lines
from screens.restripe_parts import brake_blocks, canary_block, fill_lines, group_lines, users_block
from screens.restripe_seen import Seen
from screens.widgets import clipboard
from screens.widgets.lines import Lines
from screens.widgets.render import labelled, plain
from supervision.canary_rates import Canary, OfKind, newest
from supervision.clocktext import time_of_day
from supervision.impacttext import detail_lines
from supervision.probejob import Hurt
from supervision.state import State

LAST = 3
"""Lines of the logs that are shown of a kind."""


def users_lines(hurt: Hurt | None, now: float, zone: int, width: int) -> list[Text]:
    """What users' operations take, step by step."""
    lines = users_block(hurt, now, zone, width, key="").lines[:1]
    if hurt is None:
        return lines
    lines.append(
        plain(
            f"probed in {hurt.directory} by job {hurt.probe.job.status.id} on {hurt.probe.host}",
            "dim",
            indent=LABEL + 1,
        )
    )
    for text in detail_lines(hurt.impact):  # its columns stay
        lines += [Text(text, no_wrap=True)] if cell_len(text) <= width else labelled("", text, width, label_width=0)
    return lines


def canary_lines(state: State, canary: Canary, width: int) -> list[Text]:
    """What logs complain of, kind by kind, with the last lines of each."""
    lines = canary_block(canary, width).lines
    if any(line.plain.endswith("…") for line in lines):
        lines = labelled("canary", canary.text, width, label_width=LABEL, style=str(lines[0].style))
    for kind in canary.kinds:
        lines += labelled("", kind_text(kind), width, label_width=LABEL)
        for heard in newest(state, kind.kind, most=LAST):
            told = f"{time_of_day(heard.at, state.utc_offset)} {heard.host}: {heard.text}"
            lines += labelled("", told, width, label_width=LABEL, style="dim")
    for name, why in canary.unread:
        lines += labelled("", f"not read: {name}: {why}", width, label_width=LABEL)
    return lines


def kind_text(kind: OfKind) -> str:
    """One kind with its rates and nodes."""
    before = "" if kind.before is None else f", before {kind.before.errors:.2g} and {kind.before.warnings:.2g}"
    nodes = f"; {', '.join(kind.nodes)}" if kind.nodes else ""
    return f"{kind.name}: {kind.now.errors:.2g} errors and {kind.now.warnings:.2g} warnings/min{before}{nodes}"


def all_lines(found: Seen, width: int) -> list[Text]:
    """All sections, with an empty line between two."""
    sections: Sequence[list[Text]] = (
        evidence_lines(found.progress, width),
        users_lines(found.hurt, found.now, found.zone, width),
        canary_lines(found.state, found.canary, width),
        [*fill_lines(found.fills, width), *group_lines(found.fills, width)],
        [line for block in brake_blocks(found.brake, width) for line in block.lines],
    )
    lines: list[Text] = []
    for section in sections:
        lines += [plain(""), *section] if lines and section else section
    return lines


class DetailsScreen(ModalScreen[None]):
    """Lines that are drawn anew while it is open."""

    DEFAULT_CSS = """
    DetailsScreen { align: center middle; }
    DetailsScreen > Vertical { width: 100%; max-width: 130; height: auto; max-height: 90%; border: round $accent;
        padding: 0 1; background: $surface; }
    DetailsScreen #details-what { height: auto; max-height: 100%; scrollbar-size-vertical: 1; }
    DetailsScreen #details-title { text-style: bold; }
    DetailsScreen #details-keys { color: $text-muted; }
    """
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape,q,d,e", "dismiss", "close", show=False),
        Binding("up,k", "read(-1)", "up", show=False),
        Binding("down,j", "read(1)", "down", show=False),
        Binding("pageup", "read(-10)", "read up", show=False),
        Binding("pagedown,space", "read(10)", "read down", show=False),
        Binding("home,g", "read(-100_000)", "first", show=False),
        Binding("end,G", "read(100_000)", "last", show=False),
        Binding("y", "copy", "copy", show=False),
    ]

    def __init__(self, title: str, lines: Callable[[int], list[Text]]) -> None:
        """`lines` are those in so many cells."""
        super().__init__()
        self._title, self._told = title, lines

    def compose(self) -> ComposeResult:
        with Vertical():
            yield Static(self._title, id="details-title", markup=False)
            with VerticalScroll(id="details-what", can_focus=False):
                yield Lines(id="details-lines")
            yield Static("up, down, page up, page down: read   y: copy all   esc: close", id="details-keys")

    def on_mount(self) -> None:
        self.set_interval(1.0, self.draw)
        self.draw()

    def on_resize(self) -> None:
        self.draw()

    def draw(self) -> None:
        """Show it as it is now."""
        lines = self._told(max(40, min(130, self.size.width) - 5))
        self.query_one("#details-lines", Lines).show(lines or [plain("nothing yet", "dim")])

    def action_read(self, lines: int) -> None:
        """Scroll."""
        self.query_one("#details-what", VerticalScroll).scroll_relative(y=lines, animate=False)

    async def action_copy(self) -> None:
        """Copy all of it."""
        told = await clipboard.copy(self.app, "\n".join(line.plain for line in self._told(10_000)))
        self.query_one("#details-keys", Static).update(Text(told))
