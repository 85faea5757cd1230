"""Questions to a person. All start on the harmless answer; text from the far side is shown safe and without markup.

Keys are ignored for half a second after a dialog has opened: a key that repeats, or one typed ahead, answers nothing.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Sequence
from typing import ClassVar, Generic, TypeVar

from rich.text import Text
from textual import events, on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal, Vertical, VerticalScroll
from textual.message import Message
from textual.screen import ModalScreen
from textual.widget import Widget
from textual.widgets import Input, Static

from remote.text import one_line, safe

QUIET_SECONDS = 0.5
AROUND = 11
"""Lines that a dialog needs around its text: the border, the title, and the answers, which must stay in sight."""
T = TypeVar("T")


class Choice(Widget, can_focus=True):
    """An answer. Its focus is a sign as well as a style; enter or its own key chooses it, or a click."""

    DEFAULT_CSS = """
    Choice { width: auto; height: 1; margin: 0 2 0 0; }
    Choice:focus { text-style: bold reverse; }
    Choice:disabled { color: $text-muted; text-style: none; }
    """
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("enter", "choose", "choose", show=False),
        Binding("left", "app.focus_previous", "before", show=False),
        Binding("right", "app.focus_next", "next", show=False),
    ]

    class Chosen(Message):
        """This answer was given."""

        def __init__(self, choice: Choice) -> None:
            super().__init__()
            self.choice = choice

        @property
        def control(self) -> Choice:
            """The answer."""
            return self.choice

    def __init__(self, label: str, *, key: str = "", id: str | None = None, disabled: bool = False) -> None:  # noqa: A002
        super().__init__(id=id, disabled=disabled)
        self._label = f"{key}: {label}" if key else label
        self._own_key = key

    def render(self) -> Text:
        signs = "()" if self.disabled else "▸◂" if self.has_focus else "[]"
        return Text(f"{signs[0]} {self._label} {signs[1]}", no_wrap=True)

    def get_content_width(self, *_sizes: object) -> int:
        """As wide with the focus as without."""
        return len(self._label) + 4

    def on_focus(self) -> None:
        self.refresh()

    def on_blur(self) -> None:
        self.refresh()

    def on_key(self, event: events.Key) -> None:
        """A key of its own takes the place of enter."""
        if self._own_key and event.character == self._own_key:
            event.stop()
            self.post_message(self.Chosen(self))

    def action_choose(self) -> None:
        """Give this answer."""
        if not self._own_key:
            self.post_message(self.Chosen(self))

    def on_click(self) -> None:
        if not self.disabled:
            self.post_message(self.Chosen(self))


class Dialog(ModalScreen[T], Generic[T]):
    """A box with a title, text that scrolls where it must, and answers that always stay in sight."""

    DEFAULT_CSS = """
    Dialog { align: center middle; }
    Dialog > Vertical { width: 78; max-width: 100%; height: auto; max-height: 100%; border: round $accent;
        background: $surface; padding: 0 1; }
    Dialog.-danger > Vertical { border: heavy $error; }
    Dialog #text { height: auto; scrollbar-size-vertical: 1; }
    Dialog #title { text-style: bold; height: auto; }
    Dialog #answers { height: 1; margin: 1 0 0 0; }
    Dialog Input { border: none; height: 1; padding: 0; background: $boost; }
    Dialog Input:focus { border: none; }
    Dialog #wrong { color: $text-error; text-style: bold; height: auto; }
    """
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape", "leave", "cancel", show=False),
        Binding("pageup,up", "read(-1)", "read up", show=False),
        Binding("pagedown,down", "read(1)", "read down", show=False),
    ]
    TITLE_SIGN: ClassVar[str] = ""

    def __init__(self, title: str, lines: Sequence[str], *, now: Callable[[], float] = time.monotonic) -> None:
        """`lines` are paragraphs; `now` (s, monotonic) is when keys begin to count from."""
        super().__init__()
        self._heading = f"{self.TITLE_SIGN}{one_line(title)}"
        self._lines = [safe(line).replace("\t", " ") for line in lines]
        self._now = now
        self._deaf_until = math.inf  # until it is shown

    def compose(self) -> ComposeResult:
        with Vertical():
            yield Static(Text(self._heading), id="title", markup=False)
            with VerticalScroll(id="text", can_focus=False):
                yield Static(Text("\n".join(self._lines)), markup=False)
            yield from self.compose_answers()

    def compose_answers(self) -> ComposeResult:
        """What a person answers with."""
        raise NotImplementedError

    def on_mount(self) -> None:
        self._deaf_until = self._now() + QUIET_SECONDS

    def on_resize(self) -> None:
        self.query_one("#text").styles.max_height = max(2, self.size.height - AROUND)
        self.call_after_refresh(self._tell_of_more)

    def _tell_of_more(self) -> None:
        """Name the keys that lead to what does not fit: a file of the command may be there."""
        more = self.query_one("#text").max_scroll_y > 0
        self.query_one(Vertical).border_subtitle = "there is more: pagedown, pageup" if more else ""

    def on_key(self, event: events.Key) -> None:
        """Nothing counts at first, whichever key it is."""
        if self._now() < self._deaf_until:
            event.stop()
            event.prevent_default()

    def action_read(self, step: int) -> None:
        """Scroll the text."""
        self.query_one("#text").scroll_relative(y=step * 3, animate=False)

    def action_leave(self) -> None:
        """Give the harmless answer."""
        self.dismiss(None)


class ConfirmDanger(Dialog[bool]):
    """Whether to do something that cannot be taken back: only the name, typed, and then `y` does it."""

    def __init__(
        self,
        title: str,
        happens: Sequence[str],
        command: str,
        hosts: Sequence[str],
        name: str,
        *,
        do: str = "do it",
        more: Sequence[str] = (),
        now: Callable[[], float] = time.monotonic,
    ) -> None:
        """`happens` says what it does; `command` is exactly what runs; `name` is to be typed; `do` names the answer.

        `more` stands last: the files of the command.
        """
        lines = [*happens, "", f"runs   {command}", f"on     {', '.join(hosts)}", *more]
        super().__init__(title, lines, now=now)
        self.add_class("-danger")
        self._wanted = name
        self._do = do

    TITLE_SIGN = "!! "

    def compose_answers(self) -> ComposeResult:
        yield Static(
            Text(f"\nTo go on: tab, type  {one_line(self._wanted)}  and enter; then  y  does it."), markup=False
        )
        yield Input(id="name")
        with Horizontal(id="answers"):
            yield Choice("Cancel", id="cancel")
            yield Choice(self._do, key="y", id="do", disabled=True)

    def on_mount(self) -> None:
        super().on_mount()
        self.query_one("#name", Input).cursor_blink = False
        self.query_one("#cancel").focus()

    @on(Input.Changed)
    def typed(self, event: Input.Changed) -> None:
        """The answer is there once the name is."""
        self.query_one("#do").disabled = event.value != self._wanted

    @on(Input.Submitted)
    def entered(self, event: Input.Submitted) -> None:
        """Enter does nothing but lead on."""
        if event.value == self._wanted:
            self.query_one("#do").focus()

    @on(Choice.Chosen)
    def chosen(self, event: Choice.Chosen) -> None:
        """The last word; the name is looked at once more."""
        done = event.choice.id == "do" and self.query_one("#name", Input).value == self._wanted
        self.dismiss(done)

    def action_leave(self) -> None:
        self.dismiss(False)


class AskText(Dialog[str | None]):
    """A line of text, or None. `wrong` says what is wrong with it, or nothing."""

    def __init__(
        self,
        title: str,
        lines: Sequence[str] = (),
        *,
        value: str = "",
        wrong: Callable[[str], str] = lambda _typed: "",
        now: Callable[[], float] = time.monotonic,
    ) -> None:
        super().__init__(title, lines, now=now)
        self._value = value
        self._find_wrong = wrong

    def compose_answers(self) -> ComposeResult:
        yield Input(self._value, id="answer", select_on_focus=False)
        yield Static("", id="wrong", markup=False)
        yield Static(Text("enter goes on, esc cancels", style="dim"), markup=False)

    def on_mount(self) -> None:
        super().on_mount()
        field = self.query_one(Input)
        field.cursor_blink = False
        field.focus()

    @on(Input.Changed)
    def typed(self) -> None:
        """What was wrong is being mended."""
        self.query_one("#wrong", Static).update(Text())

    @on(Input.Submitted)
    def entered(self, event: Input.Submitted) -> None:
        """Take it, or say what is wrong."""
        wrong = self._find_wrong(event.value) if event.value.strip() else "nothing was typed"
        if wrong:
            self.query_one("#wrong", Static).update(Text(safe(wrong)))
        else:
            self.dismiss(event.value)


class Notice(Dialog[None]):
    """Something to know. There is nothing to accept: every answer only closes it."""

    def __init__(
        self, title: str, lines: Sequence[str], *, danger: bool = False, now: Callable[[], float] = time.monotonic
    ) -> None:
        super().__init__(title, lines, now=now)
        self.set_class(danger, "-danger")

    def compose_answers(self) -> ComposeResult:
        with Horizontal(id="answers"):
            yield Choice("Close", id="close")

    def on_mount(self) -> None:
        super().on_mount()
        self.query_one("#close").focus()

    @on(Choice.Chosen)
    def chosen(self) -> None:
        """It was read."""
        self.dismiss(None)


def changed_key(host: str, shown: str) -> Notice:
    """What a host key means that is not the one that is known; `shown` is its kind and fingerprint."""
    lines = (
        f"The key that {host} shows is NOT the one that known_hosts has for it:",
        f"    {shown}",
        "",
        "Either the host was installed anew, or somebody stands between. Nothing was sent to it.",
        "There is no way to accept the key here, and the host is not asked again by itself.",
        "",
        f"Ask whoever runs {host} for its fingerprints (there: ssh-keygen -lf on each /etc/ssh/ssh_host_*_key.pub).",
        f"Only if this is one of them: remove the old line (ssh-keygen -R {host}) and connect once with ssh.",
        "Then r, here, tries it again.",
    )
    return Notice(f"The host key of {host} has CHANGED", lines, danger=True)


class HostKeyDialog(Dialog[str | None]):
    """Whether to trust a host that was never seen: `once`, `save`, or None. For a changed key use a `Notice`."""

    def __init__(
        self,
        host: str,
        fingerprint: str,
        *,
        kind: str = "",
        where: str = "",
        now: Callable[[], float] = time.monotonic,
    ) -> None:
        """`kind` is the key's (ssh-ed25519 …), `where` the file in which it would be saved."""
        lines = [
            f"{host} was never connected to from here, so nothing proves that it is {host}.",
            "",
            f"key    {kind} {fingerprint}".rstrip(),
            "",
            "Compare it with what an administrator of the host tells, or with what the host itself says:",
            "   ssh-keygen -lf /etc/ssh/ssh_host_ed25519_key.pub",
        ]
        if where:
            lines += ["", f"“trust and save” adds it to {where}"]
        super().__init__(f"Unknown host key of {host}", lines, now=now)
        self.add_class("-danger")

    def compose_answers(self) -> ComposeResult:
        with Horizontal(id="answers"):
            yield Choice("No", id="no")
            yield Choice("trust once", key="o", id="once")
            yield Choice("trust and save", key="s", id="save")
        yield Static(Text("tab goes to an answer; its own letter gives it", style="dim"), markup=False)

    def on_mount(self) -> None:
        super().on_mount()
        self.query_one("#no").focus()

    @on(Choice.Chosen)
    def chosen(self, event: Choice.Chosen) -> None:
        """No, or which kind of yes."""
        self.dismiss(None if event.choice.id == "no" else event.choice.id)


class SecretDialog(Dialog[str | None]):
    """A password or passphrase, or None. It is in nothing of this dialog once that has closed."""

    def __init__(self, title: str, lines: Sequence[str] = (), *, now: Callable[[], float] = time.monotonic) -> None:
        super().__init__(title, lines, now=now)

    def compose_answers(self) -> ComposeResult:
        yield Input(password=True, id="secret")
        yield Static(Text("enter goes on, esc cancels; nothing of it is kept or recorded", style="dim"), markup=False)

    def on_mount(self) -> None:
        super().on_mount()
        field = self.query_one(Input)
        field.cursor_blink = False
        field.focus()

    @on(Input.Submitted)
    def entered(self, event: Input.Submitted) -> None:
        """Hand it over and forget it."""
        secret = event.value
        self._forget()
        self.dismiss(secret)

    @on(Input.Changed)
    def typed(self, event: Input.Changed) -> None:
        """No message with it goes any further."""
        event.stop()

    def action_leave(self) -> None:
        self._forget()
        self.dismiss(None)

    def on_unmount(self) -> None:
        self._forget()

    def _forget(self) -> None:
        for field in self.query(Input):
            with field.prevent(Input.Changed):
                field.value = ""
