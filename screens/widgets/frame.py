"""The frame that every screen has: status line, screens on 1-7, message line, and a footer of the keys."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from rich.cells import cell_len
from rich.text import Text
from textual import events
from textual.binding import ActiveBinding, Binding
from textual.dom import DOMNode
from textual.keys import _character_to_key
from textual.timer import Timer
from textual.widget import Widget

from remote.text import one_line, safe
from screens.widgets.render import fit
from supervision.clocktext import time_of_day
from supervision.session import Session

SCREENS = (
    ("1", "cluster", "Cluster"),
    ("2", "disks", "Disks"),
    ("3", "devices", "Devices"),
    ("4", "migrate", "Migrate"),
    ("5", "restripe", "Restripe"),
    ("6", "jobs", "Jobs"),
    ("7", "commands", "Commands"),
)


class OneLine(Widget):
    """A line of text that is drawn as it is told."""

    DEFAULT_CSS = "OneLine { height: 1; width: 1fr; }"

    def __init__(self, text: str = "", *, id: str | None = None, classes: str | None = None) -> None:  # noqa: A002
        super().__init__(id=id, classes=classes)
        self._text = Text(text, no_wrap=True)

    def show(self, text: Text | str) -> None:
        """Show another text; draws nothing when it is the same."""
        new = text if isinstance(text, Text) else Text(safe(text).replace("\n", " "), no_wrap=True)
        if new != self._text:
            self._text = new
            self.refresh()

    @property
    def text(self) -> str:
        """What it shows, without styles."""
        return self._text.plain

    def render(self) -> Text:
        return self._text


class StatusLine(OneLine):
    """What the session is about, and whether anything may be changed: as words and as colour."""

    DEFAULT_CSS = """
    StatusLine { background: $panel; }
    StatusLine.-armed { background: $error; color: $text; text-style: bold; }
    StatusLine.-replay { background: $secondary; color: $text; }
    """

    def show_session(self, session: Session) -> None:
        """Show how it stands with a session."""
        header, state = session.header, session.state
        words = []
        if session.player:
            words.append("REPLAY")
        elif header.simulated:
            words.append("SIMULATED")
        words.append("ARMED" if session.armed else "READ-ONLY")
        self.set_class(session.armed, "-armed")
        self.set_class(session.player is not None, "-replay")
        self.set_class(header.simulated, "-simulated")
        up = sum(link.state == "up" for link in state.links.values())
        text = status_text(
            one_line(f"{header.file_system or '-'} @ {header.entry}"),
            " ".join(words),
            f"hosts {up}/{len(state.hosts)}",
            session.recording_text,
            time_of_day(session.now, state.utc_offset),
            self.app.size.width,
        )
        self.show(text)


def status_text(name: str, words: str, hosts: str, recording: str, clock: str, width: int) -> str:
    """The status line in so many cells: whatever else is cut, its words and its clock stay.

    First goes why nothing is recorded, which Cluster tells as well; then the end of the name, the size of the
    recording, the count of hosts, and the name itself.
    """
    short = recording.partition(":")[0]
    warning = short if ":" in recording else ""
    whole = cell_len(name)
    for middle, least in (
        ((hosts, recording), whole),
        ((hosts, short), 12),
        ((hosts, warning), 12),
        ((warning,), 4),
    ):
        rest = "  ".join(part for part in (words, *middle, clock) if part)
        room = width - cell_len(rest) - 3
        if room >= min(least, whole):
            return f" {fit(name, min(room, whole))}  {rest}"
    return f" {words}  {clock}"


class ActionLine(OneLine):
    """A line of words of which each does something when it is clicked: the same as its key, whichever that is."""

    def __init__(self) -> None:
        super().__init__()
        self._spots: list[tuple[int, int, str, DOMNode]] = []

    def put(self, line: Text, label: str, style: str, action: str, node: DOMNode) -> None:
        """Append a label to a line that is being made; a click on it runs the action of the node."""
        start = line.cell_len
        line.append(label, style)
        self._spots.append((start, line.cell_len, action, node))

    async def on_click(self, event: events.Click) -> None:
        """Do what the word under the mouse says."""
        for start, end, action, node in self._spots:
            if start <= event.x < end:
                await self.app.run_action(action, node)
                return


class TabsLine(ActionLine):
    """The screens, each on its number."""

    DEFAULT_CSS = "TabsLine { background: $boost; }"

    def show_current(self, current: str, bindings: Sequence[Binding] = ()) -> None:
        """Mark the current screen, in brackets as well as reversed. A person may have set other keys."""
        text = Text(no_wrap=True)
        self._spots.clear()
        for usual, name, title in SCREENS:
            action = f"show('{name}')"
            label = f"{_key_of(bindings, action, usual)} {title}"
            here = name == current
            self.put(text, f"[{label}]" if here else f" {label} ", "reverse" if here else "", action, self.app)
        self.show(text)


class MessageLine(OneLine):
    """The last thing there was to say, until it is old: what is so no more must not stand there."""

    DEFAULT_CSS = "MessageLine { color: $warning; }"
    KEPT: ClassVar[float] = 10.0
    """Seconds after which a message goes."""
    KEPT_WRONG: ClassVar[float] = 30.0
    """The same for a refusal or an error, after which a person has to do something else."""
    _goes: Timer | None = None

    @property
    def text(self) -> str:
        """What stands there."""
        return self._text.plain

    def tell(self, text: str, *, wrong: bool = False) -> None:
        """Show a message for a while."""
        self.show(text)
        self._goes = self.set_timer(self.KEPT_WRONG if wrong else self.KEPT, lambda: self.show(""))

    def show(self, text: Text | str) -> None:
        """Show a text that stays until there is another."""
        if self._goes:
            self._goes.stop()
        super().show(text)


class KeyFooter(ActionLine):
    """The keys that work here, as many as fit; `? help` and `q quit` always do."""

    DEFAULT_CSS = "KeyFooter { background: $panel; }"

    def show_keys(self, keys: Sequence[ActiveBinding], width: int) -> None:
        """Show the bindings that are meant to be shown."""
        bindings = [active.binding for active in keys]
        last = (
            (f" {_key_of(bindings, 'help', '?')} help ", "help"),
            (f" {_key_of(bindings, 'quit_session', 'q')} quit ", "quit_session"),
        )
        room = max(0, width - sum(cell_len(label) for label, _action in last))
        line = Text(no_wrap=True)
        self._spots.clear()
        told: set[str] = set()  # an action may have two keys
        for active in keys:
            binding = active.binding
            if not binding.show or not binding.description or binding.description in told:
                continue
            told.add(binding.description)
            part = f" {binding.key_display or key_text(binding.key)} {binding.description} "
            if line.cell_len + cell_len(part) <= room:
                self.put(line, part, "", binding.action, active.node)
        line.append(" " * (room - line.cell_len))
        for label, action in last:
            self.put(line, label, "", action, self.app)
        self.show(line)


_CHARACTERS = {_character_to_key(character): character for character in map(chr, range(33, 127))} | {"escape": "esc"}


def key_text(key: str) -> str:
    """A key as a person writes it: `?` for `question_mark`."""
    return _CHARACTERS.get(key, key)


def _key_of(bindings: Sequence[Binding], action: str, usual: str) -> str:
    found = next((binding for binding in bindings if binding.action == action), None)
    return (found.key_display or key_text(found.key)) if found else usual
