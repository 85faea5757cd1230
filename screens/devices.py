"""Which device is which: by role, by name, by disk and by host; marks, and what the marked ones would become."""

from __future__ import annotations

import time
from collections.abc import Iterable, Sequence
from typing import ClassVar

import msgspec
from textual.binding import ActiveBinding, Binding, BindingType

from screens.devices_judging import JudgingScreen
from screens.devices_preview import PreviewScreen
from screens.devices_since import SinceScreen
from screens.intents import Refresh
from screens.widgets.device_matrix import FREE, HOST, OPEN, VIEWS, Matrix, can_turn, sign_of, turned
from screens.widgets.grid import Grid
from supervision.filesystem import Choosing
from supervision.state import State
from supervision.tables import Pair, Row, Table

BUDGET = 0.02
"""Seconds of one turn that may be spent on making the table; what is not done then waits for the next turn."""
LATER = frozenset(
    (
        "grid.problems",
        "screen.refresh",
        "grid.export",
        "grid.filter",
        "grid.sort",
        "grid.wide",
        "grid.copy",
        "grid.open",
    )
)
"""Keys that give way in the footer."""


class DeviceGrid(Grid):
    """A grid whose marks are devices, of which a row has several; the screen keeps them."""

    @property
    def summary(self) -> list[str]:
        """As of every grid, but what is marked stands on a line of its own."""
        return [words for words in super().summary if not words.endswith(" marked")]

    def action_mark(self) -> None:
        """Mark what is under the cursor, and go on to the next row."""
        if isinstance(self.screen, DevicesScreen):
            self.screen.mark_here()
            self.action_move(1)

    def action_mark_all(self) -> None:
        """Mark all free devices that are shown, or none of them."""
        if isinstance(self.screen, DevicesScreen):
            self.screen.mark_shown()


class DevicesScreen(JudgingScreen):
    """Which device is which, on every host."""

    NAME = "devices"
    HELP_TEXT = (
        "The block devices of all hosts. t turns: a line a role (equal devices beside each other), a name (what it "
        "means on each host), a disk of the file system, a device. Before a name: + free, = a disk of the file system, "
        "! in use, ? not known, * marked; ≠ where a role has another name. Free is only what was read and is empty. "
        "left and right go to a host, enter shows the device there. space marks, a all free ones like it, u none; v "
        "shows what the marked ones would become. c tells what is different from an earlier look."
    )
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("t", "turn", "turn", id="devices.turn"),
        Binding("a", "mark_alike", "mark alike", id="devices.alike"),
        Binding("v", "preview", "preview", id="devices.preview"),
        Binding("c", "since", "changed since", id="devices.since"),
        Binding("u", "unmark", "unmark all", show=False, id="devices.unmark"),
    ]

    view = VIEWS[0]

    def __init__(self) -> None:
        super().__init__()
        self._told = Table(())
        self._matrix = Matrix(Table(()), {})
        self._made_of: tuple[object, ...] = ()
        self._waits = False
        self._stood: tuple[str, tuple[Row, ...], str] = ("", (), "")
        """Where the cursor was put for want of its devices, which those are, and the column that was chosen."""

    # the table

    def new_grid(self) -> Grid:
        return DeviceGrid(name=self.NAME)

    def table(self, state: State) -> Table:
        """The devices, turned as a person wants to look at them."""
        if self._worked(state):
            told, before = self.session.fs.devices(state), self._told
            if told.rows is not before.rows or msgspec.structs.replace(told, rows=()) != msgspec.structs.replace(
                before, rows=()
            ):
                self._told = told
        made_of = (self._told, self.view, self.choosing.marks)
        if len(self._made_of) != len(made_of) or any(a is not b for a, b in zip(self._made_of, made_of, strict=True)):
            marks = self.choosing.marks
            self._matrix = turned(self._told, self.view, marks, self.session.fs.words.disk)
            self._made_of = made_of
        return self._matrix.table

    def _worked(self, state: State) -> bool:
        """Do a part of the work on a table; whether it is done. The rest is done in the turns that follow."""
        ends = time.perf_counter() + BUDGET
        for _ in self.session.fs.device_steps(state):
            if time.perf_counter() > ends:
                if not self._waits:
                    self._waits = True
                    self.set_timer(0.005, self._go_on)
                return False
        return True

    def _go_on(self) -> None:
        self._waits = False
        if self.is_current:
            self.show_state()

    def show_state(self) -> None:
        changes, gone = dict(self.grid.view.changes), self.grid.view.gone
        view, rows, turned_to = self.grid.view, self._told.rows, self._made_of[1:2]
        super().show_state()
        if self._told.rows is rows and turned_to == (self.view,):
            view.changes, view.gone = changes, gone  # a mark that came or went is no change of a device
        view.marks = {row.key for row in view.table.rows if self._marked_of(self._matrix.members.get(row.key, ()))}
        self.judge()
        self.show_marked()

    @property
    def heading(self) -> str:
        """Which way it is turned, and the key that turns it."""
        word = self.session.fs.words.disk if self.view == "disk" else self.view
        return f"Devices by {word} (t turns)" if self._turns else "Devices"

    def remarks(self, state: State) -> list[str]:
        """Which columns are out of sight."""
        return [self.grid.beside_sight]

    @property
    def _turns(self) -> bool:
        """Whether the file system tells enough of its devices to look at them another way."""
        return not self._told.columns or can_turn(self._told)

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """What cannot be turned or marked has no key for it."""
        if action in ("turn", "mark_alike", "since"):
            return self._turns
        if action in ("preview", "unmark"):
            return bool(self.choosing.marks)
        return super().check_action(action, parameters)

    def in_footer(self, keys: list[ActiveBinding]) -> list[ActiveBinding]:
        """The keys of this screen first."""
        return sorted(keys, key=lambda key: key.binding.id in LATER)

    def action_turn(self) -> None:
        """Look at them another way."""
        row, here, column = self.grid.row, self._here(), self.grid.chosen_column
        if row and self._stood[0] == row.key:  # it was not to be seen that way; now it may be again
            _, here, column = self._stood
        self.view = VIEWS[(VIEWS.index(self.view) + 1) % len(VIEWS)]
        self.show_state()
        self._stand_on(here, column)
        disk = self.session.fs.words.disk
        self.say(
            {
                "role": "by role: the same use beside each other; ≠ where the name is another one",
                "name": "by name: what a name means on each host; !! where it is not the same",
                "disk": f"by {disk}: what each {disk} is called on each host, and which of its servers that is",
                "host": "by host: every device on a line of its own",
            }[self.view]
        )

    def _stand_on(self, devices: tuple[Row, ...], column: str) -> None:
        """Keep the cursor on the same device, and on the same host where there are columns of hosts."""
        keys = {row.key for row in devices[:1]}
        rows = (key for key, members in self._matrix.members.items() if any(row.key in keys for row in members))
        found = any(self.grid.go_to(key) for key in rows)
        self.grid.choose_column(column)
        row = self.grid.row
        self._stood = (row.key, devices, column) if row and not found else ("", (), "")

    def detail_pairs(self, row: Row) -> Sequence[Pair]:
        """The device of the chosen cell; all of the row's in short where no host is chosen."""
        here = self._here()
        if len(here) == 1:
            return here[0].detail
        if self.grid.chosen_column.startswith(HOST):
            return [("", "nothing is there"), *row.detail] if not here else row.detail
        return [*row.detail, ("", "left and right choose a host: then its device is shown closely")]

    # marks

    def _here(self) -> tuple[Row, ...]:
        """The devices under the cursor: of one host, or of the whole row."""
        row = self.grid.row
        return self._matrix.on(row.key, self.grid.chosen_column) if row else ()

    def _marked_of(self, rows: Iterable[Row]) -> list[Row]:
        marks = set(self.choosing.marks)
        return [row for row in rows if row.key in marks] if marks else []

    def mark_here(self) -> None:
        """Mark the device of the cell whatever it is, or those of the row that are free; marked ones are unmarked."""
        here = self._here()
        if not self._turns or not here:
            self.say("there is no device to mark here")
            return
        alone = len(here) == 1
        wanted = here if alone else self._takeable(here)
        if not wanted:
            self.say("nothing in this row is free; left and right go to one host, where space marks it all the same")
        elif len(self._marked_of(wanted)) == len(wanted):
            self._set_marks([key for key in self.choosing.marks if key not in {row.key for row in wanted}])
            self.say(f"unmarked {self._names(wanted)}")
        else:
            self._add(wanted)

    def _takeable(self, rows: Sequence[Row]) -> list[Row]:
        """Those that are free; where none is, those of which it is not known."""
        free = [row for row in rows if sign_of(row, self._told) == FREE]
        return free or [row for row in rows if sign_of(row, self._told) == OPEN]

    def _add(self, rows: Sequence[Row]) -> None:
        self._set_marks([*self.choosing.marks, *(row.key for row in rows)])
        unsure = sum(sign_of(row, self._told) != FREE for row in rows)
        more = f"; {unsure} of them not known to be free" if unsure else ""
        self.say(f"marked {self._names(rows)}{more}", wrong=bool(unsure))

    def _names(self, rows: Sequence[Row]) -> str:
        host, name = self._told.column("host"), self._told.column("name")
        told = [f"{row.cells[host].text} {row.cells[name].text}" for row in sorted(rows, key=self._place)]
        return ", ".join(told) if len(told) <= 3 else f"{len(told):,}: {', '.join(told[:2])} … {told[-1]}"

    def _place(self, row: Row) -> tuple[object, ...]:
        """Host by host, by their places: so what is made of them is counted, in whatever order they were marked."""
        host, role = row.cells[self._told.column("host")].text, row.cells[self._told.column("role")]
        return (len(host), host, role.order)

    def _set_marks(self, keys: Sequence[str]) -> None:
        rows = {row.key: row for row in self._told.rows}
        marked = sorted((rows[key] for key in set(keys) if key in rows), key=self._place)
        gone = (key for key in dict.fromkeys(keys) if key not in rows)
        self.mark((*(row.key for row in marked), *gone))
        self.show_state()
        self.refresh_bindings()
        self.show_keys()

    def action_mark_alike(self) -> None:
        """Mark all free devices like the one under the cursor."""
        here = self._here()
        first = next(iter([*self._takeable(here), *here]), None)
        if first and self._turns and sign_of(first, self._told) != FREE:
            name, host = (first.cells[self._told.column(column)].text for column in ("name", "host"))
            self.say(f"nothing like {name} on {host} is known to be free; space marks it all the same")
            return
        keys = self.session.fs.alike(self.session.state, first.key) if first else ()
        rows = {row.key: row for row in self._told.rows}
        found = [rows[key] for key in keys if key in rows]
        if found:
            self._add(found)
        else:
            self.say("there is no free device like this one")

    def mark_shown(self) -> None:
        """Mark every free device that is shown, or unmark all where they are marked."""
        rows = [self.grid.view.table.rows[number] for number in self.grid.view.shown]
        shown = [member for row in rows for member in self._matrix.members.get(row.key, ())]
        free = [row for row in shown if self._turns and sign_of(row, self._told) == FREE]
        if not free:
            self.say("no device that is shown is free")
        elif len(self._marked_of(free)) == len(free):
            self.action_unmark()
        else:
            self._add(free)

    def action_unmark(self) -> None:
        """Take all marks away."""
        count = len(self.choosing.marks)
        self._set_marks(())
        self.say(f"unmarked all {count:,}")

    # the rest

    def action_preview(self) -> None:
        """Show what the marked devices would become, and all that speaks for and against."""
        if self.session.fs.preview(self.session.state, Choosing()) is None:
            self.say("nothing is made of devices on this file system")
            return
        self.app.push_screen(PreviewScreen(self))

    def action_refresh(self) -> None:
        """Look at the devices of all hosts again."""
        self.post_message(Refresh(devices=True))

    def action_since(self) -> None:
        """Show what is different from an earlier look."""
        self.app.push_screen(SinceScreen(lambda: self.session.state, lambda: self.session.now))
