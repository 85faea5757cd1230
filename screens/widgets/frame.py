"""The frame that every screen has: status line, screens on 1-7, message line, and a footer of the keys."""

from __future__ import annotations

from collections.abc import Sequence

from rich.text import Text
from textual.binding import Binding
from textual.keys import _character_to_key
from textual.widget import Widget

from remote.text import safe
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
        parts = [
            f" {header.file_system or '-'} @ {header.entry}",
            " ".join(words),
            f"hosts {up}/{len(state.hosts)}",
            session.recording_text,
            time_of_day(session.now, state.utc_offset),
        ]
        self.show("  ".join(part for part in parts if part))


class TabsLine(OneLine):
    """The screens, each on its number."""

    DEFAULT_CSS = "TabsLine { background: $boost; }"

    def show_current(self, current: str, bindings: Sequence[Binding] = ()) -> None:
        """Mark the current screen, in brackets as well as reversed. A person may have set other keys."""
        text = Text(no_wrap=True)
        for usual, name, title in SCREENS:
            key = _key_of(bindings, f"show('{name}')", usual)
            label = f"{key} {title}"
            text.append(f"[{label}]" if name == current else f" {label} ", "reverse" if name == current else "")
        self.show(text)


class MessageLine(OneLine):
    """The last thing there was to say."""

    DEFAULT_CSS = "MessageLine { color: $warning; }"


class KeyFooter(OneLine):
    """The keys that work here, as many as fit; `? help` and `q quit` always do."""

    DEFAULT_CSS = "KeyFooter { background: $panel; }"

    def show_keys(self, bindings: list[Binding], width: int) -> None:
        """Show the bindings that are meant to be shown."""
        last = f" {_key_of(bindings, 'help', '?')} help  {_key_of(bindings, 'quit_session', 'q')} quit "
        line = ""
        told: set[str] = set()  # an action may have two keys
        for binding in bindings:
            if not binding.show or not binding.description or binding.description in told:
                continue
            told.add(binding.description)
            part = f" {binding.key_display or key_text(binding.key)} {binding.description} "
            if len(line) + len(part) + len(last) <= width:
                line += part
        self.show(fit(line, max(0, width - len(last))) + last)


_CHARACTERS = {_character_to_key(character): character for character in map(chr, range(33, 127))} | {"escape": "esc"}


def key_text(key: str) -> str:
    """A key as a person writes it: `?` for `question_mark`."""
    return _CHARACTERS.get(key, key)


def _key_of(bindings: Sequence[Binding], action: str, usual: str) -> str:
    found = next((binding for binding in bindings if binding.action == action), None)
    return (found.key_display or key_text(found.key)) if found else usual
