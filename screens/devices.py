"""The devices of all hosts: by role, by host, and by name, which shows what a name means on each host."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Sequence
from typing import ClassVar

from textual.binding import Binding, BindingType

from screens.widgets.grid_screen import GridScreen
from supervision.state import State
from supervision.tables import Cell, Column, Row, Severity, Table

VIEWS = ("role", "host", "name")
ABSENT = "-"


class DevicesScreen(GridScreen):
    """Which device is which, on every host."""

    NAME = "devices"
    HELP_TEXT = (
        "The block devices of all hosts. t switches: by role (devices for the same use beside each other), by host, "
        "by name. A device's name is a name of this boot on this host: by name shows what it means on each."
    )
    BINDINGS: ClassVar[list[BindingType]] = [Binding("t", "turn", "by role/host/name", id="devices.turn")]

    view = VIEWS[0]
    _made_of: tuple[Table, str] | None = None
    _made: Table = Table(())

    def table(self, state: State) -> Table:
        """The devices, turned as a person wants to look at them."""
        told = self.session.fs.devices(state)
        if self._made_of is None or self._made_of[0] is not told or self._made_of[1] != self.view:
            self._made_of, self._made = (told, self.view), turned(told, self.view)
        return self._made

    @property
    def heading(self) -> str:
        """Which way it is turned, and the key that turns it."""
        return f"Devices by {self.view} (t turns)" if self._turns else "Devices"

    @property
    def _turns(self) -> bool:
        """Whether the file system tells enough of its devices to look at them another way."""
        return self._made_of is None or {column.id for column in self._made_of[0].columns} >= NEEDED

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """What cannot be turned has no key for it."""
        if action == "turn":
            return self._turns
        return super().check_action(action, parameters)

    def action_turn(self) -> None:
        """Look at them another way."""
        self.view = VIEWS[(VIEWS.index(self.view) + 1) % len(VIEWS)]
        self.show_state()
        self.say(
            {
                "role": "by role: what serves the same use, beside each other",
                "host": "by host: every device on a line of its own",
                "name": "by name: what a name means on each host; !! where it is not the same",
            }[self.view]
        )


NEEDED = {"role", "host", "name", "use", "size", "kind"}
"""The columns without which there is nothing to turn."""


def turned(table: Table, view: str) -> Table:
    """The table by role, by host or by name; as it is where it has no such columns."""
    ids = {column.id: index for index, column in enumerate(table.columns)}
    if not ids.keys() >= NEEDED:
        return table
    if view == "host":
        return _by_host(table, ids)
    return _by_role(table, ids) if view == "role" else _by_name(table, ids)


def _by_host(table: Table, ids: dict[str, int]) -> Table:
    """The host and the name first, hosts together."""
    first = [ids["host"], ids["name"]]
    order = first + [index for index in range(len(table.columns)) if index not in first]
    rows = [Row(row.key, tuple(row.cells[i] for i in order), row.severity, row.detail) for row in table.rows]
    rows.sort(key=lambda row: row.cells[0].order)
    return Table(tuple(table.columns[i] for i in order), tuple(rows), table.at, table.failure)


def _by_role(table: Table, ids: dict[str, int]) -> Table:
    """A line a role, with the name and the use that it has on each host; `≠` where the name is another one."""
    groups: dict[tuple[str, str], list[Row]] = defaultdict(list)
    for row in table.rows:
        groups[_text(row, ids, "role"), _text(row, ids, "size")].append(row)
    hosts = _hosts(table, ids)
    rows = []
    for (role, size), members in groups.items():
        usual = Counter(_text(row, ids, "name") for row in members).most_common(1)[0][0]

        def cell(row: Row, usual: str = usual) -> str:
            name = _text(row, ids, "name")
            odd = "≠" if name != usual and _text(row, ids, "drift") else ""
            return f"{name}{odd} {_short(_text(row, ids, 'use'))}"

        head = (members[0].cells[ids["role"]], members[0].cells[ids["size"]])
        severity = max(row.severity for row in members)
        cells = (*head, *_by_hosts(members, hosts, ids, cell))
        rows.append(Row(f"{role} {size}", cells, severity, _details(members, ids)))
    columns = (Column("role", "role"), Column("size", "size", right=True), *_host_columns(hosts))
    return Table(columns, tuple(rows), table.at, table.failure)


def _by_name(table: Table, ids: dict[str, int]) -> Table:
    """A line a name, with what it means on each host: the trap of going by names."""
    groups: dict[str, list[Row]] = defaultdict(list)
    for row in table.rows:
        groups[_text(row, ids, "name")].append(row)
    hosts = _hosts(table, ids)
    rows = []
    for name in sorted(groups, key=lambda name: (len(name), name)):
        members = groups[name]
        roles = {_text(row, ids, "role").partition(" #")[0] for row in members}
        sizes = {_text(row, ids, "size") for row in members}
        with_size = len(roles) == 1 and len(sizes) > 1

        def cell(row: Row, with_size: bool = with_size) -> str:
            size = f" {_text(row, ids, 'size')}" if with_size else ""
            return f"{_text(row, ids, 'kind')}{size} {_short(_text(row, ids, 'use'))}"

        severity = Severity.BAD if len(roles) > 1 else Severity.WARNING if with_size else Severity.NORMAL
        meaning = Cell("DIFFERS" if severity else "same")
        cells = (Cell(name, f"{len(name):04} {name}"), meaning, *_by_hosts(members, hosts, ids, cell))
        rows.append(Row(f"name {name}", cells, severity, _details(members, ids)))
    columns = (Column("name", "name"), Column("means", "means"), *_host_columns(hosts))
    return Table(columns, tuple(rows), table.at, table.failure)


def _short(use: str) -> str:
    """A use in fewer words: three hosts beside each other must fit 80 cells."""
    return use.replace("mounted on ", "mounted ", 1)


def _text(row: Row, ids: dict[str, int], column: str) -> str:
    return row.cells[ids[column]].text if column in ids else ""


def _hosts(table: Table, ids: dict[str, int]) -> list[str]:
    return sorted({row.cells[ids["host"]].text for row in table.rows}, key=lambda host: (len(host), host))


def _host_columns(hosts: Sequence[str]) -> list[Column]:
    return [Column(f"on {host}", host) for host in hosts]


def _by_hosts(
    members: Sequence[Row], hosts: Sequence[str], ids: dict[str, int], cell: Callable[[Row], str]
) -> list[Cell]:
    """One cell a host; several devices of a host in one."""
    found: dict[str, list[str]] = defaultdict(list)
    for row in members:
        found[row.cells[ids["host"]].text].append(cell(row))
    texts = [" + ".join(found.get(host, [])) or ABSENT for host in hosts]
    return [Cell(text, None if text == ABSENT else text) for text in texts]


def _details(members: Sequence[Row], ids: dict[str, int]) -> tuple[tuple[str, str], ...]:
    """The details of all devices of a line, one after the other, each under its host and name."""
    pairs: list[tuple[str, str]] = []
    for row in members:
        host, name = row.cells[ids["host"]].text, row.cells[ids["name"]].text
        pairs.append((f"{host} {name}", "─" * 8))
        pairs += [pair for pair in row.detail if pair[0] not in ("host", "name")]
    return tuple(pairs)
