"""A log of a million lines on the screen: how soon its first lines are there, when all are known, what it costs.

Pieces arrive as they do from a host, 256 KB at a time, and the view is told of them ten times a second. The peers are
the same view over a hundred lines, and `wc -l`.
"""

from __future__ import annotations

import asyncio
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from textual.app import App, ComposeResult

from benchmarks.figures import Figure, medians
from screens.widgets.logview import LogView
from supervision.logcopy import LogCopy
from supervision.logsearch import Pattern, find

LINES = 1_000_000
FEW = 100
PIECE = 1 << 18
ROUNDS = 9
SHOWN_EVERY = 0.1
SIZE = (80, 24)


def write_log(path: Path, lines: int) -> None:
    """A log as mmrestripefs writes it, about 85 bytes a line."""
    with path.open("w", encoding="ascii") as file:
        for number in range(lines):
            file.write(
                f"  {number * 100 / lines:5.2f} % complete on Thu Jun  6 19:35:45 2013"
                f"  ( {number * 88:9d} inodes  {number * 286:9d} MB)\n"
            )


class LogApp(App[None]):
    """A view and nothing else."""

    def compose(self) -> ComposeResult:
        yield LogView()

    @property
    def view(self) -> LogView:
        """The view."""
        return self.query_one(LogView)

    async def show(self, copy: LogCopy, key: str) -> None:
        """Show a copy, and wait until it is drawn."""
        drawn = asyncio.Event()
        self.view.show(copy, key=key)
        self.call_after_refresh(drawn.set)
        await drawn.wait()


async def first_screen(app: LogApp, path: Path) -> float:
    """Seconds from the first piece of a log to its lines on the screen."""
    with path.open("rb") as file:
        began = time.perf_counter()
        copy = LogCopy()
        copy.write(0, file.read(PIECE))
        await app.show(copy, f"first {began}")
        return time.perf_counter() - began


async def opened_whole(app: LogApp, copy: LogCopy) -> float:
    """Seconds from opening a log that is all here to its last lines on the screen."""
    began = time.perf_counter()
    await app.show(copy, f"whole {began}")
    return time.perf_counter() - began


async def fed(app: LogApp, path: Path) -> tuple[float, LogCopy]:
    """Seconds until every line is known, live on the screen meanwhile; and the copy."""
    copy = LogCopy()
    began = shown = time.perf_counter()
    key = f"fed {began}"
    with path.open("rb") as file:
        while piece := file.read(PIECE):
            copy.write(copy.size, piece)
            if time.perf_counter() - shown > SHOWN_EVERY:
                shown = time.perf_counter()
                app.view.show(copy, key=key)
            await asyncio.sleep(0)
    assert copy.lines() == LINES
    return time.perf_counter() - began, copy


async def counted(path: Path) -> float:
    """Seconds of `wc -l`."""
    began = time.perf_counter()
    await asyncio.to_thread(subprocess.run, ["wc", "-l", str(path)], check=True, stdout=subprocess.DEVNULL)
    return time.perf_counter() - began


@contextmanager
def held_up() -> Iterator[list[float]]:
    """The times in ms by which a 5 ms timer came late, sorted at the end."""
    late: list[float] = []

    async def beat() -> None:
        while True:
            began = time.perf_counter()
            await asyncio.sleep(0.005)
            late.append((time.perf_counter() - began) * 1000 - 5)

    beating = asyncio.create_task(beat())
    try:
        yield late
    finally:
        beating.cancel()
        late.sort()


def peak_of(path: Path) -> int:
    """Bytes that a process of its own took at most to show a log and search it."""
    done = subprocess.run([sys.executable, "-m", "benchmarks.logs", str(path)], check=True, capture_output=True)
    return int(done.stdout.split()[-1])


async def take(path: Path) -> None:
    """Show a log, search it, and print the memory that took; for `peak_of`."""
    app = LogApp()
    async with app.run_test(size=SIZE):
        copy = LogCopy()
        with path.open("rb") as file:
            while piece := file.read(PIECE):
                copy.write(copy.size, piece)
        await app.show(copy, "whole")
        await find(copy, Pattern("nothing has this"), 0)
    print(_peak())


def _peak() -> int:
    """Bytes that this process took at most. Not ru_maxrss: a child begins that with what its parent takes."""
    status = Path("/proc/self/status").read_text(encoding="ascii")
    return next(int(line.split()[1]) * 1024 for line in status.splitlines() if line.startswith("VmHWM:"))


async def figures() -> list[Figure]:
    """What `make bench` tells of logs."""
    with tempfile.TemporaryDirectory(prefix="restripe-bench-") as folder:
        many, few = Path(folder) / "many.log", Path(folder) / "few.log"
        write_log(many, LINES)
        write_log(few, FEW)
        app = LogApp()
        async with app.run_test(size=SIZE):
            _, whole = await fed(app, many)
            short = LogCopy()
            short.write(0, few.read_bytes())

            async def all_lines() -> float:
                return (await fed(app, many))[0]

            screen = await medians(ROUNDS, few=lambda: first_screen(app, few), many=lambda: first_screen(app, many))
            end = await medians(ROUNDS, few=lambda: opened_whole(app, short), many=lambda: opened_whole(app, whole))
            index = await medians(ROUNDS, wc=lambda: counted(many), ours=all_lines)
            await app.show(whole, "searched")
            with held_up() as late:
                await fed(app, many)
                for text in ("nothing has this", "no.hing [h]as"):
                    await find(whole, Pattern(text), 0)
            worst = late[int(len(late) * 0.99)]
        megabytes = many.stat().st_size / 1e6
        whole_peak, more = peak_of(many), peak_of(many) - peak_of(few)
        memory = whole_peak / many.stat().st_size
    million = f"{LINES:,} lines ({megabytes:.0f} MB)"
    return [
        Figure(f"log of {million}: first screen", f"{FEW} lines", screen["many"] / screen["few"], 1.5),
        Figure(f"log of {million}: its end, when all is here", f"{FEW} lines", end["many"] / end["few"], 1.5),
        Figure(
            f"log of {million}: every line known", "`wc -l`", index["ours"] / index["wc"], 20, note="live on screen"
        ),
        Figure(
            f"log of {million}: memory of the whole process, shown and searched",
            "the file",
            memory,
            3,
            # the lines lie in a temporary file; where that is kept in memory, it is as large as the log itself
            note=f"{max(0, more) / 1e6:.1f} MB more than with {FEW} lines, and a temporary file of the log's size",
        ),
        Figure(
            f"log of {million}: loop held up while it arrives and is searched",
            "a 5 ms timer, p99",
            worst,
            50,
            unit=" ms",
            note=f"longest {late[-1]:.0f} ms",
        ),
    ]


def main() -> None:
    """Print the figures; with a FILE, what showing that took."""
    if len(sys.argv) > 1:
        asyncio.run(take(Path(sys.argv[1])))
        return
    for figure in asyncio.run(figures()):
        print("; ".join(word for word in figure.cells if word))


if __name__ == "__main__":
    main()
