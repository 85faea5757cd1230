"""The table of ten thousand disks against that of a hundred: shown, sorted, walked in, and told of a change.

The real screen over the real file system's tables, 120x40. A hundred disks are more than it shows, so equally much is
drawn of both, and what differs is the table alone.
"""

from __future__ import annotations

import asyncio
import gc
import time
from collections.abc import Awaitable, Callable
from typing import TypeAlias

import msgspec

from benchmarks.figures import Figure, medians
from remote.events import Header
from remote.gpfs.models import Disk, DiskList, DiskSpace, FsSpace, NsdDevice, NsdDevices, SpaceTotal
from remote.parsed import Parsed
from screens.base import SessionApp
from screens.disks import DisksScreen
from supervision.facts import Fact
from supervision.gpfs import GpfsFileSystem
from supervision.session import Session
from supervision.state import State
from supervision.store import Store
from tui.loading import loaded, loading

MANY, FEW = 10_000, 100
ROUNDS = 15
AIM = 1.5
SIZE = (120, 40)
FS = "fs1"
HOSTS = tuple(f"nsd{number:02}" for number in range(1, 17))
NOW = 1_000_000.0
TERABYTE = 1 << 30
"""In KB."""


def state_of(count: int) -> State:
    """A state in which everything is known of so many disks."""
    disks = DiskList(tuple(_disk(number) for number in range(count)))
    spaces = tuple(_space(number) for number in range(count))
    whole = SpaceTotal(sum(disk.size_kb for disk in spaces), sum(disk.free_blocks_kb for disk in spaces), 0)
    space = FsSpace("KB", spaces, (("system", whole),), None, None, whole, None)
    devices = NsdDevices(tuple(row for number in range(count) for row in _devices(number)))
    header = Header(1, "0", 0.0, 0.0, FS, HOSTS, HOSTS[0])
    facts = {f"disks {FS}": disks, f"space {FS}": space, "nsd devices": devices}
    return State(
        header,
        at=NOW,
        facts={key: Fact(key, HOSTS[0], f"ask {key}", NOW, 1.0, Parsed(model)) for key, model in facts.items()},
    )


def _disk(number: int, availability: str = "up") -> Disk:
    return Disk(_nsd(number), "nsd", 512, str(number % 8 + 1), False, True, "ready", availability, "system")


def _space(number: int) -> DiskSpace:
    free = 8 * TERABYTE + number * 7919 % TERABYTE
    return DiskSpace(_nsd(number), "system", 30 * TERABYTE, str(number % 8 + 1), False, True, free, 26, 0, 0)


def _devices(number: int) -> list[NsdDevice]:
    servers = HOSTS[number % 8 * 2 : number % 8 * 2 + 2]
    return [
        NsdDevice(_nsd(number), f"0A0000{number:010X}", f"/dev/dm-{number}", "dmm", f"{server}.x", "server node")
        for server in servers
    ]


def _nsd(number: int) -> str:
    return f"nsd_{number:05}"


def asked_again(state: State) -> State:
    """The state after another answer, in which the disk in the middle is down, or up again."""
    fact = state.facts[f"disks {FS}"]
    assert fact.parsed
    before = fact.parsed.model.disks
    middle = len(before) // 2
    words = ["up"] * len(before)
    words[middle] = "up" if before[middle].availability == "down" else "down"
    disks = DiskList(tuple(_disk(number, word) for number, word in enumerate(words)))
    at = state.at + 1
    facts = {**state.facts, fact.key: msgspec.structs.replace(fact, parsed=Parsed(disks), at=at)}
    return msgspec.structs.replace(state, facts=facts, revision=state.revision + 1, at=at)


class TableApp(SessionApp):
    """The screen of the disks and nothing else, over a state that is set."""

    def __init__(self, count: int) -> None:
        super().__init__()
        self.animation_level = "none"
        state = state_of(count)
        self._store = Store(state.header)
        self._store.state = state
        self.session = self._new_session()

    def _new_session(self) -> Session:
        return Session(self._store, GpfsFileSystem(FS, HOSTS[0], HOSTS))

    def say(self, text: str) -> None:
        """Nothing is said here."""

    @property
    def shown(self) -> DisksScreen:
        """The screen."""
        assert isinstance(self.screen, DisksScreen)
        return self.screen

    async def drawn(self, work: Callable[[], object]) -> float:
        """Seconds from something to its drawing."""
        done = asyncio.Event()
        began = time.perf_counter()
        work()
        self.screen.call_after_refresh(done.set)
        await done.wait()
        return time.perf_counter() - began

    async def opened(self, *, anew: bool) -> float:
        """Seconds from opening the screen to its rows; `anew`: the first time, when the table is made of answers."""
        if anew:
            self.session = self._new_session()
        began = time.perf_counter()
        await self.push_screen(DisksScreen())
        await self.drawn(lambda: None)
        seconds = time.perf_counter() - began
        assert self.shown.grid.view.shown
        await self.pop_screen()
        return seconds

    async def stay(self) -> float:
        """Open the screen and leave it open."""
        await self.push_screen(DisksScreen())
        return await self.drawn(lambda: None)

    async def sorted_thrice(self) -> float:
        """Seconds from the key that sorts to the drawing: upwards, downwards and as it came."""
        grid = self.shown.grid
        return sum([await self.drawn(grid.action_sort) for _ in range(3)])

    async def moved(self) -> float:
        """Seconds from the key that moves the cursor to the drawing, of twenty steps: one waits for the next frame."""
        grid = self.shown.grid
        step = 1 if grid.view.cursor == 0 else -1
        return sum([await self.drawn(lambda: grid.action_move(step)) for _ in range(20)])

    async def told(self) -> float:
        """Seconds from an answer in which one disk is another to the drawing, four times."""
        seconds = 0.0
        for _ in range(4):
            self._store.state = asked_again(self._store.state)
            seconds += await self.drawn(self.shown.refresh_all)
        return seconds


Work: TypeAlias = Callable[[TableApp], Awaitable[float]]


class Runner:
    """An application in a task of its own: the library knows by the task which of two it is that runs."""

    def __init__(self, count: int) -> None:
        self._app = TableApp(count)
        self._asked: asyncio.Queue[tuple[Work, asyncio.Future[float]]] = asyncio.Queue()

    async def __call__(self, work: Work) -> float:
        """What a piece of work returned in there."""
        done: asyncio.Future[float] = asyncio.get_running_loop().create_future()
        await self._asked.put((work, done))
        return await done

    async def run(self) -> None:
        """Work until it is cancelled."""
        async with self._app.run_test(size=SIZE):
            while True:
                work, done = await self._asked.get()
                try:
                    done.set_result(await work(self._app))
                except Exception as error:  # noqa: BLE001  whoever asked is told
                    done.set_exception(error)


AWAY: dict[str, Work] = {
    "shown": lambda app: app.opened(anew=False),
    "made of the answers and shown": lambda app: app.opened(anew=True),
}
ON_SCREEN: dict[str, Work] = {
    "the cursor moved by a row": TableApp.moved,
    "sorted": TableApp.sorted_thrice,
    "asked again, one disk is another": TableApp.told,
}


async def figures() -> list[Figure]:
    """Many disks as often as few."""
    few, many = Runner(FEW), Runner(MANY)
    threshold = gc.get_threshold()
    loading()
    loaded()  # as the program does when its first frame is drawn
    running = [asyncio.create_task(runner.run()) for runner in (few, many)]
    try:
        made = [await _figure(name, few, many, work) for name, work in AWAY.items()]
        for runner in (few, many):
            await runner(TableApp.stay)
        return [*made, *[await _figure(name, few, many, work) for name, work in ON_SCREEN.items()]]
    finally:
        for task in running:
            task.cancel()
        await asyncio.gather(*running, return_exceptions=True)
        gc.unfreeze()
        gc.set_threshold(*threshold)


async def _figure(name: str, few: Runner, many: Runner, work: Work) -> Figure:
    await medians(1, few=lambda: few(work), many=lambda: many(work))
    taken = await medians(ROUNDS, few=lambda: few(work), many=lambda: many(work))
    note = f"{ROUNDS} rounds"
    return Figure(f"table of {MANY:,} disks: {name}", f"{FEW} disks", taken["many"] / taken["few"], AIM, note=note)
