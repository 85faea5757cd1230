"""The keys, for people: the help page and the palette, both made from the bindings that are in force."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import Any, ClassVar

import msgspec
from textual import events
from textual.app import App, ComposeResult
from textual.binding import ActiveBinding, Binding, BindingType
from textual.command import CommandList, CommandPalette, DiscoveryHit, Hit, Hits, Provider
from textual.containers import VerticalScroll
from textual.content import Content
from textual.screen import ModalScreen, Screen
from textual.widgets import Static

from screens.base import SessionScreen
from screens.widgets.frame import SCREENS, key_text
from tui import theme

HERE, EVERYWHERE, REPLAY, GO = "On this screen", "Everywhere", "Replay", "Screens"
_NOT_OURS = ("focus_", "copy_text", "scroll_", "page_", "help_quit", "minimize", "maximize")
"""What every such program has, beginning like this."""


LOWEST = 8
"""Lines of the lowest terminal that has a palette: in a lower one nothing of its list is seen, and enter chooses."""


class Action(msgspec.Struct, frozen=True):
    """Something that can be done now, the keys for it, and how."""

    group: str
    description: str
    keys: tuple[str, ...]
    active: ActiveBinding


def actions(screen: Screen[Any]) -> list[Action]:
    """All that works on a screen now, with what has its focus; what is not bound, or not now, is absent."""
    found: dict[tuple[str, str, str], Action] = {}
    for active in screen.active_bindings.values():
        binding = active.binding
        if not active.enabled or not binding.description or binding.system or not _ours(binding.action):
            continue
        group = _group(active)
        doing = "quit_session" if binding.action == "quit" else binding.action  # ctrl+q is the same way out as q
        same = (group, binding.description.lower(), doing)
        before = found[same].keys if same in found else ()
        key = binding.key_display or key_text(binding.key)
        if key not in before:
            found[same] = Action(
                group, same[1] if doing != binding.action else binding.description, (*before, key), active
            )
    order = (HERE, EVERYWHERE, REPLAY, GO)
    return sorted(found.values(), key=lambda action: order.index(action.group))


def _group(active: ActiveBinding) -> str:
    if not isinstance(active.node, App):
        return HERE
    if active.binding.action.startswith("show("):
        return GO
    return REPLAY if (active.binding.id or "").startswith("replay.") else EVERYWHERE


def _ours(action: str) -> bool:
    return not action.rpartition(".")[2].partition("(")[0].startswith(_NOT_OURS)


def help_text(screen: Screen[Any]) -> str:
    """The help page of a screen."""
    lines = [f"{screen.NAME.capitalize()}", "", screen.HELP_TEXT] if isinstance(screen, SessionScreen) else []
    group = ""
    for action in actions(screen):
        if action.group != group:
            group = action.group
            lines += ["", group]
        lines.append(f"  {', '.join(action.keys):<18} {action.description}")
    return "\n".join(lines).strip("\n")


class HelpScreen(ModalScreen[None]):
    """The keys that work on the screen below, made from its bindings."""

    DEFAULT_CSS = """
    HelpScreen { align: center middle; }
    HelpScreen > VerticalScroll { width: 76; max-width: 100%; height: auto; max-height: 90%; border: round $accent;
        padding: 0 1; background: $surface; scrollbar-size-vertical: 1;
        border-title-color: $foreground; border-subtitle-color: $foreground; }
    """
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape,q,question_mark", "dismiss", "back"),
        Binding("j", "read(1)", "down", show=False),
        Binding("k", "read(-1)", "up", show=False),
    ]

    def __init__(self, text: str) -> None:
        super().__init__()
        self._text = text

    def compose(self) -> ComposeResult:
        with VerticalScroll() as box:
            box.border_title = "keys"
            box.border_subtitle = "up, down, page up, page down; esc back"
            yield Static(self._text, markup=False)

    def action_read(self, lines: int) -> None:
        """Scroll."""
        self.query_one(VerticalScroll).scroll_relative(y=lines, animate=False)


class Palette(CommandPalette):
    """The library's palette, for terminals of any size."""

    def on_resize(self, event: events.Resize) -> None:
        """Close where nothing of its list is seen any more."""
        if event.size.height < LOWEST and self.is_current:
            self._action_escape()

    def _action_command_list(self, action: str) -> None:
        """Leave the list alone while it has no room: the library looks a line up that it never laid out."""
        if self.query_one(CommandList).scrollable_content_region:
            super()._action_command_list(action)


class Actions(Provider):
    """Everything that can be done on the screen beneath the palette, each with its key; and the colours."""

    def _choices(self) -> Iterator[tuple[str, Content, partial[Any]]]:
        titles = {name: title for _key, name, title in SCREENS}
        for action in actions(self.screen):
            binding = action.active.binding
            text = f"go to {titles.get(action.description.lower(), action.description)}"
            name = text if action.group == GO else action.description
            run = partial(self.app.run_action, binding.action, action.active.node)
            # as content, never as markup: a key may be a bracket
            yield name, Content(f"   {', '.join(action.keys)}").stylize("dim"), run
        for what, words in (("bell", "when a scan ends or stalls"), ("title", "how it stands, on the window")):
            run = partial(self.app.run_action, f"attention('{what}')")
            yield f"{what} on or off: {words}", Content(""), run
        if theme.no_color():
            return  # nothing that there is has a colour
        for words, name in theme.CHOICES:
            now = "   now" if self.app.theme == name else ""
            yield f"theme: {words}", Content(now).stylize("dim"), partial(self.app.run_action, f"theme('{name}')")

    async def discover(self) -> Hits:
        """All of them, before anything was typed."""
        for name, keys, run in self._choices():
            yield DiscoveryHit(Content(name) + keys, run, text=name)

    async def search(self, query: str) -> Hits:
        """Those that a query may mean."""
        matcher = self.matcher(query)
        for name, keys, run in self._choices():
            if (score := matcher.match(name)) > 0:
                yield Hit(score, matcher.highlight(name) + keys, run, text=name)
