"""Tables as values: what a file system has to say, without a word on how it is drawn.

Every cell has its text and a value to sort by, so `9 TiB` comes before `10 TiB`. How bad a row is stands in it as a
number and is shown as a sign: colour is never the only one.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from enum import IntEnum
from typing import TypeAlias, overload

import msgspec


class Severity(IntEnum):
    """How much a row or a fact wants to be seen."""

    NORMAL = 0
    NOTE = 1
    WARNING = 2
    BAD = 3

    @property
    def sign(self) -> str:
        """The sign that stands for it where there is no colour."""
        return ("", "-", "!", "!!")[self]


SortValue: TypeAlias = float | str | None
"""What a cell is sorted by; None comes last, numbers come before words."""


class Column(msgspec.Struct, frozen=True):
    """A column. `right` aligns it to the right; `wide` shows it only where there is room for more."""

    id: str
    title: str
    right: bool = False
    wide: bool = False


class Cell(msgspec.Struct, frozen=True, gc=False):
    """A cell: what is shown (unsafe text: sanitise it when drawing), and what it is sorted by."""

    text: str
    value: SortValue = None

    @property
    def order(self) -> tuple[int, float, str]:
        """The key to sort by."""
        if isinstance(self.value, str):
            return (1, 0.0, self.value.casefold())
        if self.value is None:
            return (2, 0.0, self.text.casefold()) if not self.text else (1, 0.0, self.text.casefold())
        return (0, float(self.value), "")


Pair: TypeAlias = tuple[str, str]
"""A label and its text."""


class Detail(Sequence[Pair]):
    """Pairs that are made when they are first looked at: of ten thousand rows a person opens one."""

    __slots__ = ("_make", "_pairs")

    def __init__(self, make: Callable[[], tuple[Pair, ...]]) -> None:
        self._make = make
        self._pairs: tuple[Pair, ...] | None = None

    @property
    def pairs(self) -> tuple[Pair, ...]:
        """The pairs."""
        if self._pairs is None:
            self._pairs = self._make()
        return self._pairs

    def __len__(self) -> int:
        return len(self.pairs)

    def __iter__(self) -> Iterator[Pair]:
        return iter(self.pairs)

    @overload
    def __getitem__(self, index: int) -> Pair: ...
    @overload
    def __getitem__(self, index: slice) -> tuple[Pair, ...]: ...
    def __getitem__(self, index: int | slice) -> Pair | tuple[Pair, ...]:
        return self.pairs[index]

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Sequence) and self.pairs == tuple(other)

    def __hash__(self) -> int:
        return hash(self.pairs)


class Row(msgspec.Struct, frozen=True):
    """A row, known by its key over all refreshes. `detail` is shown where one row is looked at closely."""

    key: str
    cells: tuple[Cell, ...]
    severity: Severity = Severity.NORMAL
    detail: Sequence[Pair] = ()


class Table(msgspec.Struct, frozen=True):
    """A table. `at` is when it was asked for what it shows (Site's clock), None while nothing is known yet.

    `failure` says why it is not newer. `absent` is for what there is none of on this file system, in words ("GFS2 has
    no list of servers"): then it was not forgotten to be asked.
    """

    columns: tuple[Column, ...]
    rows: tuple[Row, ...] = ()
    at: float | None = None
    failure: str = ""
    absent: str = ""

    def column(self, column_id: str) -> int:
        """The index of a column; ValueError for one that it does not have."""
        for index, column in enumerate(self.columns):
            if column.id == column_id:
                return index
        raise ValueError(f"no column {column_id!r}")


class Line(msgspec.Struct, frozen=True):
    """A fact on a line: a label, its value, how bad it is, what to do about it, and when it was asked for."""

    label: str
    value: str
    severity: Severity = Severity.NORMAL
    advice: str = ""
    at: float | None = None
