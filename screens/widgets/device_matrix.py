"""The devices of all hosts turned: a column a host, a row a role, a name or a disk; or as they are, host by host.

A cell is the device's name there and its verdict in a word, with a sign before it: + free, = a disk of the file
system, ! in use, ? not known, * marked. Nothing here is told by colour alone.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Mapping, Sequence

import msgspec

from supervision.tables import Cell, Column, Pair, Row, Severity, Table

ABSENT = "-"
MARKED, FREE, OPEN = "*", "+", "?"
ODD = "≠"
HOST = "on "
"""What the ids of host columns begin with."""
NEEDED = {"role", "host", "name", "drift", "verdict", "size", "kind"}
"""The columns without which there is nothing to turn."""
VIEWS = ("role", "name", "disk", "host")


class Matrix(msgspec.Struct, frozen=True):
    """A turned table. `members` are the devices behind each of its rows, by the row's key."""

    table: Table
    members: Mapping[str, tuple[Row, ...]]
    host_at: int = -1
    """The column of `members` that has the host; -1 where there is none."""

    def on(self, key: str, column: str) -> tuple[Row, ...]:
        """The devices of a cell, by the row's key and the column's id: those of the whole row beside the hosts."""
        members = self.members.get(key, ())
        if not column.startswith(HOST) or self.host_at < 0:
            return members
        host = column.removeprefix(HOST)
        return tuple(row for row in members if row.cells[self.host_at].text == host)


def can_turn(table: Table) -> bool:
    """Whether a table tells enough of its devices to be looked at another way."""
    return {column.id for column in table.columns} >= NEEDED


def sign_of(row: Row, table: Table) -> str:
    """The sign of a device's verdict."""
    return row.cells[table.column("verdict")].text.partition(" ")[0]


def turned(table: Table, view: str, marks: Collection[str] = (), disk: str = "disk") -> Matrix:
    """The table by one of VIEWS; as it is where it has no such columns. `disk` is what a disk is called."""
    if not can_turn(table):
        return Matrix(table, {row.key: (row,) for row in table.rows})
    turning = _Turning(table, marks)
    if view == "host":
        return turning.by_host()
    if view == "name":
        return turning.by_name()
    return turning.by_disk(disk) if view == "disk" else turning.by_role()


class _Turning:
    """One table with the places of its columns."""

    def __init__(self, table: Table, marks: Collection[str]) -> None:
        self.table = table
        self.marks = frozenset(marks)
        self.at = {column.id: index for index, column in enumerate(table.columns)}
        # as they come: near each other in sight, whatever else is there
        hosts = {self.text(row, "host") for row in table.rows}
        self.hosts = sorted(hosts, key=lambda host: (len(host), host))
        self.seen_on: dict[str, set[str]] = defaultdict(set)
        """The hosts that see a disk, by its identity."""
        for row in table.rows:
            if self.text(row, "identity") not in ("", "none"):
                self.seen_on[self.text(row, "identity")].add(self.text(row, "host"))

    def text(self, row: Row, column: str) -> str:
        """A cell's text."""
        return row.cells[self.at[column]].text if column in self.at else ""

    def by_host(self) -> Matrix:
        """The host and the name first, hosts together."""
        first = [self.at["host"], self.at["name"]]
        order = first + [index for index in range(len(self.table.columns)) if index not in first]
        rows = [Row(row.key, tuple(row.cells[i] for i in order), row.severity, row.detail) for row in self.table.rows]
        rows.sort(key=lambda row: row.cells[0].order)
        columns = tuple(self.table.columns[i] for i in order)
        return self._matrix(columns, rows, {row.key: (row,) for row in self.table.rows})

    def by_role(self) -> Matrix:
        """A row a role; the odd name of a role has ≠ behind it."""
        groups: dict[object, list[Row]] = defaultdict(list)
        for row in self.table.rows:
            groups[row.cells[self.at["role"]].value or self.text(row, "role")].append(row)
        columns = (
            Column("role", "role"),
            Column("drift", "drift"),
            *self._host_columns(),
            Column("model", "model", wide=True),
        )
        rows, members = [], {}
        for order, found in groups.items():
            head = (found[0].cells[self.at["role"]], Cell(self._drift(found)))
            cells = (*head, *self._cells(found, self._named(found)), Cell(self.text(found[0], "model")))
            key = f"role {order}"
            rows.append(Row(key, cells, max(row.severity for row in found), self._details(found)))
            members[key] = tuple(found)
        return self._matrix(columns, rows, members)

    def by_disk(self, disk: str) -> Matrix:
        """A row a disk of the file system: its name on each host, and which of its servers that is."""
        groups: dict[str, list[Row]] = defaultdict(list)
        for row in self.table.rows:
            if name := self.text(row, "disk"):
                groups[name].append(row)
        columns = (Column("disk", disk), Column("drift", "drift"), *self._host_columns())
        rows, members = [], {}
        for name in sorted(groups, key=lambda name: (len(name), name)):
            found = groups[name]

            def cell(row: Row) -> str:
                told = self.text(row, "verdict").partition(" ")
                lost = told[2] if told[0] == "!" else ""
                sign = self._sign(row, told[0])
                return f"{sign}{self.text(row, 'name')} {lost or self.text(row, 'server')}".rstrip()

            cells = (Cell(name, f"{len(name):04} {name}"), Cell(self._drift(found)), *self._cells(found, cell))
            key = f"disk {name}"
            rows.append(Row(key, cells, max(row.severity for row in found), self._details(found)))
            members[key] = tuple(found)
        absent = "" if rows else f"no device is known to be {'an' if disk[:1] in 'AEIOUN' else 'a'} {disk}"
        return self._matrix(columns, rows, members, absent=absent)

    def by_name(self) -> Matrix:
        """A row a name, with what it means on each host: the trap of going by names."""
        groups: dict[str, list[Row]] = defaultdict(list)
        for row in self.table.rows:
            if (name := self.text(row, "name")) != ABSENT:
                groups[name].append(row)
        columns = (Column("name", "name"), Column("means", "means"), *self._host_columns())
        rows, members = [], {}
        for name in sorted(groups, key=lambda name: (len(name), name)):
            found = groups[name]
            differs = self._differs(found)
            sizes = differs is Severity.WARNING and len({self.text(row, "size") for row in found}) > 1

            def cell(row: Row, *, with_size: bool = sizes) -> str:
                sign, _, word = self.text(row, "verdict").partition(" ")
                size = f" {self.text(row, 'size')}" if with_size else ""
                what = "BOOT DISK" if word == "boot disk" else f"{self.text(row, 'kind')}{size} {word}"
                return f"{self._sign(row, sign)}{what}"

            cells = (
                Cell(name, f"{len(name):04} {name}"),
                Cell("DIFFERS" if differs else "same"),
                *self._cells(found, cell),
            )
            key = f"name {name}"
            rows.append(Row(key, cells, differs, self._details(found)))
            members[key] = tuple(found)
        return self._matrix(columns, rows, members)

    def _differs(self, found: Sequence[Row]) -> Severity:
        """How badly a name misleads: another kind of device or use is worse than another size or model."""
        kinds = {(self.text(row, "role").partition(" ")[0], self.text(row, "kind")) for row in found}
        alike = {(self.text(row, "size"), self.text(row, "model")) for row in found}
        other = len(alike) > 1 or self._other_disk(found)
        return Severity.BAD if len(kinds) > 1 else Severity.WARNING if other else Severity.NORMAL

    def _other_disk(self, found: Sequence[Row]) -> bool:
        """Whether a name means one disk on a host and another one on a host that sees the first one, too."""
        means = {(self.text(row, "host"), self.text(row, "identity")) for row in found}
        hosts = {host for host, _ in means}
        return any((host, disk) not in means for _, disk in means for host in self.seen_on.get(disk, set()) & hosts)

    def _named(self, found: Sequence[Row]) -> Callable[[Row], str]:
        """What a cell of a role says: the name there, and the verdict."""
        usual = Counter(self.text(row, "name") for row in found).most_common(1)[0][0]

        def cell(row: Row) -> str:
            sign, _, word = self.text(row, "verdict").partition(" ")
            odd = self.text(row, "drift") and self.text(row, "name") != usual
            return f"{self._sign(row, sign)}{self.text(row, 'name')}{ODD if odd else ' '}{word}"

        return cell

    def _sign(self, row: Row, sign: str) -> str:
        return MARKED if row.key in self.marks else sign

    def _drift(self, found: Sequence[Row]) -> str:
        return next((text for row in found if (text := self.text(row, "drift"))), "")

    def _cells(self, found: Sequence[Row], cell: Callable[[Row], str]) -> list[Cell]:
        """One cell a host; several devices of a host in one."""
        texts: dict[str, list[str]] = defaultdict(list)
        for row in found:
            texts[self.text(row, "host")].append(cell(row))
        return [Cell(" + ".join(texts[host])) if host in texts else Cell(ABSENT) for host in self.hosts]

    def _host_columns(self) -> list[Column]:
        return [Column(f"{HOST}{host}", host) for host in self.hosts]

    def _details(self, found: Sequence[Row]) -> tuple[Pair, ...]:
        """A line for each device: everything of all of them is too much at once."""
        return tuple(
            (
                self.text(row, "host"),
                "  ".join(
                    text for text in (self.text(row, id_) for id_ in ("name", "verdict", "serial", "identity")) if text
                ),
            )
            for row in found
        )

    def _matrix(
        self,
        columns: Sequence[Column],
        rows: Sequence[Row],
        members: Mapping[str, tuple[Row, ...]],
        *,
        absent: str = "",
    ) -> Matrix:
        table = Table(tuple(columns), tuple(rows), self.table.at, self.table.failure, absent or self.table.absent)
        return Matrix(table, members, self.at["host"])
