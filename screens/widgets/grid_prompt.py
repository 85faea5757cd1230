"""A line to type into, under what it is about. It closes when what was typed is taken, and not before."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import ClassVar

from rich.text import Text
from textual import on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal
from textual.widget import Widget
from textual.widgets import Input

from screens.widgets.frame import OneLine


class _Words(OneLine):
    """A text that takes the cells that it needs, and one line whatever it says."""

    def on_mount(self) -> None:
        self.show(self._text)

    def show(self, text: Text | str) -> None:
        super().show(text)
        self.styles.width = self._text.cell_len


class Prompt(Horizontal):
    """`entered` is told what was typed and returns what is wrong with it; nothing closes the prompt.

    `typed` is told of every change and returns what is wrong so far. `left` is called when a person gives up.
    """

    DEFAULT_CSS = """
    Prompt { height: 1; background: $boost; }
    Prompt Input { width: 1fr; min-width: 24; height: 1; border: none; padding: 0; background: $boost; }
    Prompt Input:focus { border: none; }
    Prompt #label { text-style: bold; }
    Prompt #wrong { max-width: 65%; text-style: bold; color: $text-error; }
    """
    BINDINGS: ClassVar[list[BindingType]] = [Binding("escape", "leave", "leave", show=True, id="prompt.leave")]

    def __init__(
        self,
        label: str,
        value: str,
        entered: Callable[[str], Awaitable[str]],
        *,
        back_to: Widget,
        hint: str = "",
        typed: Callable[[str], str] | None = None,
        left: Callable[[], None] | None = None,
    ) -> None:
        super().__init__()
        self._label = label
        self._value = value
        self._entered = entered
        self._back_to = back_to
        self._hint = hint
        self._typed = typed
        self._left = left

    def compose(self) -> ComposeResult:
        yield _Words(f"{self._label} > ", id="label")
        field = Input(self._value, placeholder=self._hint, select_on_focus=False)
        field.cursor_blink = False
        yield field
        yield _Words(id="wrong")

    def on_mount(self) -> None:
        field = self.query_one(Input)
        field.cursor_position = len(self._value)
        field.focus()

    @on(Input.Changed)
    def tell_typed(self, event: Input.Changed) -> None:
        """Pass on what stands there so far."""
        event.stop()
        self._say_wrong(self._typed(event.value) if self._typed else "")

    @on(Input.Submitted)
    async def enter(self, event: Input.Submitted) -> None:
        """Hand in what was typed; go only if it is taken."""
        event.stop()
        wrong = await self._entered(event.value)
        if wrong:
            self._say_wrong(wrong)
        else:
            self._close()

    def action_leave(self) -> None:
        """Give up."""
        if self._left:
            self._left()
        self._close()

    def _say_wrong(self, wrong: str) -> None:
        self.query_one("#wrong", _Words).show(f"  {wrong}" if wrong else "")

    def _close(self) -> None:
        self._back_to.focus()
        self.remove()
