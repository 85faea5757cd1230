"""The operations that write into the logs of hosts, by hand."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any

from simulator import telling
from simulator.given import Given
from simulator.hostlogs import EVENTS, FILES
from simulator.machines import Machine
from simulator.world import World

MAX_LINES = 20_000
MAX_TEXT = 2000


class LogOperations:
    """`table` has them by name; see `simulator.control` for what each of them takes and answers."""

    def __init__(self, world: World) -> None:
        self._world = world
        self.table: dict[str, Callable[[Given], Awaitable[dict[str, Any]]]] = {"log": self._log, "rotate": self._rotate}

    async def _log(self, given: Given) -> dict[str, Any]:
        machine = given.machine()
        write = self._writer(machine, given)
        count, seconds = int(given.number("count", 1, high=MAX_LINES)), given.number("seconds", 0)
        given.end()
        if machine.host.name in self._world.powered_off:
            raise ValueError(f"{machine.host.name} is off")
        if seconds:
            self._world.start(self._burst(write, count, seconds))
        else:
            for _ in range(count):
                write(self._world.clock.now())
        return {"host": machine.host.name, "lines": count, "seconds": seconds}

    def _writer(self, machine: Machine, given: Given) -> Callable[[float], None]:
        """What writes one line with a time: of a kind, or any text."""
        world, host = self._world, machine.host
        if not given.has("text"):
            kind = given.text("kind")
            names: dict[str, object] = {
                name: given.word(name) for name in ("disk", "device", "thread", "reason") if given.has(name)
            }
            names |= {name: given.number(name) for name in ("seconds_waited", "sector") if given.has(name)}
            node = world.cluster.find_host(given.text("node")) if given.has("node") else None
            if "seconds_waited" in names:
                names["seconds"] = names.pop("seconds_waited")
            if kind not in EVENTS:
                raise ValueError(f"kind is one of {', '.join(EVENTS)}")
            return lambda when: world.logs.event(host.name, kind, telling.fields(world, host, node=node, **names), when)
        file, text = given.one_of("file", *FILES), given.text("text")
        severity, program = given.text("severity", ""), given.text("program", "kernel")
        if not text.isprintable() or len(text) > MAX_TEXT:
            raise ValueError(f"text is one line of at most {MAX_TEXT} characters")
        return lambda when: world.logs.write(host.name, file, text, severity=severity, program=program, when=when)

    async def _burst(self, write: Callable[[float], None], count: int, seconds: float) -> None:
        begin = self._world.clock.now()
        for index in range(count):
            due = begin + seconds * index / count
            await self._world.clock.sleep_until(due)
            # The time it was due: this process may be late.
            write(due)

    async def _rotate(self, given: Given) -> dict[str, Any]:
        machine, file = given.machine(), given.one_of("file", *FILES)
        given.end()
        self._world.logs.file(machine.host.name, file).rotate()
        return {"host": machine.host.name, "file": file}
