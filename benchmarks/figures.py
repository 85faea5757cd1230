"""What a benchmark finds out, and the table of it."""

from __future__ import annotations

import os
import platform
import statistics
from collections.abc import Awaitable, Callable, Sequence
from datetime import UTC, datetime
from importlib.metadata import version

import msgspec


class Figure(msgspec.Struct, frozen=True):
    """One line of the table. `value` is a ratio to the peer, or milliseconds; None when it could not be measured.

    Without an `aim` the line is there for comparison.
    """

    what: str
    peer: str
    value: float | None
    aim: float | None
    more_is_better: bool = False
    unit: str = ""
    note: str = ""

    @property
    def met(self) -> bool | None:
        """Whether the aim was reached."""
        if self.value is None or self.aim is None:
            return None
        return self.value >= self.aim if self.more_is_better else self.value <= self.aim

    @property
    def cells(self) -> list[str]:
        """The line as words."""
        sign = "at least" if self.more_is_better else "at most"
        met = {True: "yes", False: "**no**", None: "-"}[self.met]
        value = "not measured" if self.value is None else f"{self.value:.2f}{self.unit}"
        aim = "-" if self.aim is None else f"{sign} {self.aim:g}{self.unit}"
        return [self.what, self.peer, value, aim, met, self.note]


HEAD = ["what", "against", "median", "aim", "met", "note"]


async def medians(rounds: int, **works: Callable[[], Awaitable[float]]) -> dict[str, float]:
    """Medians of what the works return, in turn, so that a drifting machine hits all of them alike."""
    taken: dict[str, list[float]] = {name: [] for name in works}
    for _ in range(rounds):
        for name, work in works.items():
            taken[name].append(await work())
    return {name: statistics.median(values) for name, values in taken.items()}


def page(figures: Sequence[Figure]) -> str:
    """The whole of docs/benchmarks.md."""
    rows = ["| " + " | ".join(cells) + " |" for cells in (HEAD, ["---"] * len(HEAD), *(f.cells for f in figures))]
    machine = f"{os.cpu_count()} cores with a load of {os.getloadavg()[1]:.0f} (five minutes)"
    versions = f"Python {platform.python_version()}, asyncssh {version('asyncssh')}"
    lines = [
        "# Benchmarks",
        "",
        "Written by `make bench`; do not edit. Each figure is a ratio of medians over interleaved rounds, ours to a",
        "named peer on the same machine at the same time, because seconds of somebody else's machine say nothing.",
        "Clients and servers share its cores, and it may have been busy: a line is a measurement, not a promise.",
        "",
        f"{datetime.now(UTC):%Y-%m-%d}, {machine}, {versions}.",
        "",
        *rows,
    ]
    return "\n".join(lines) + "\n"
