"""Commands run inside the test's own process, without shims or SSH, at a speed that makes them instant."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from simulator import scenarios
from simulator.clock import Clock
from simulator.commands import execute
from simulator.world import Call, World
from tests.simulator.seed_listings import DATA_ONLY_STANZAS, SSD_STANZAS

ONE = "%nsd: device=sdg nsd=foo1_ssd1 servers=foo1 usage=metadataOnly failureGroup=1 pool=system\n"
PROPAGATING = (
    "{}: Propagating the cluster configuration data to all\n  affected nodes.  This is an asynchronous process.\n"
)
TAIL = "{}: Command failed.  Examine previous error messages to determine cause.\n"
ATTENTION = "Attention: Due to an earlier configuration change the file system\nis no longer properly replicated.\n"


@dataclass
class Answer:
    """What a command said."""

    rc: int
    out: str
    err: str


class Inside:
    """A world and a working directory."""

    def __init__(self, directory: Path, speed: float = 1e6, scenario: str = "seed", **size: int) -> None:
        chosen = scenarios.choose(scenario, size.get("hosts"), size.get("disks"))
        self.world = World(chosen.cluster, Clock(chosen.epoch, speed), chosen.policies)
        self.directory = directory
        self.fs = self.world.cluster.fs
        self.entry = chosen.entry

    def call(self, *argv: str, host: str) -> tuple[Call, list[str]]:
        """A call that collects its stdout in the list."""
        out: list[str] = []

        async def emit(text: str) -> None:
            out.append(text)

        return Call(self.world.cluster.hosts[host], list(argv), str(self.directory), 1, emit), out

    async def run(self, *argv: str, host: str = "") -> Answer:
        """Run one command to its end, on the entry host where none is named."""
        call, out = self.call(*argv, host=host or self.entry)
        rc = await execute(self.world, call)
        return Answer(rc, "".join(out), "".join(call.err))

    def write(self, text: str, name: str = "stanzas") -> str:
        """A file in the working directory; returns its name as the commands take it."""
        (self.directory / name).write_text(text)
        return name

    async def good(self, *argv: str, host: str = "") -> str:
        """Run one command that must succeed without complaint; its stdout."""
        answer = await self.run(*argv, host=host)
        assert (answer.rc, answer.err) == (0, "")
        return answer.out

    async def add(self, stanzas: str = SSD_STANZAS) -> None:
        """mmcrnsd and mmadddisk."""
        file = self.write(stanzas, "new")
        for argv in (("mmcrnsd", "-F", file), ("mmadddisk", "mss1", "-F", file)):
            answer = await self.run(*argv)
            assert (answer.rc, answer.err) == (0, "")

    async def migrate(self, stanzas: str = SSD_STANZAS) -> None:
        """All steps before the restripe."""
        await self.add(stanzas)
        answer = await self.run("mmchdisk", "mss1", "change", "-F", self.write(DATA_ONLY_STANZAS, "change"))
        assert (answer.rc, answer.err) == (0, "")


def refused(answer: Answer, command: str, *lines: str) -> None:
    """The command failed with exactly these lines, the tail, and nothing on stdout."""
    assert answer.err == "".join(f"{line}\n" for line in lines) + TAIL.format(command)
    assert (answer.rc, answer.out) == (1, "")
