"""Every switch of what nobody knows, over SSH: the whole procedure ends alike whatever they are set to."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from remote.gpfs import parsers
from simulator.client import Simulation
from simulator.policies import CHOICES
from tests.simulator.far_side import FarSide, until
from tests.simulator.seed_listings import AFTER, squeezed
from tests.simulator.test_sim_migration import METADATA, RESTRIPE, prepare

TOGETHER = [{name: values[turn] for name, values in CHOICES.items() if len(values) > turn} for turn in range(1, 4)]
"""Every value that is no default, once: the first of each switch, the second, the third."""
STREAMS = [("stderr", "stdout"), ("stdout", "stderr"), ("stderr", "stderr")]
"""Where progress and attention are printed, apart and together."""
PIECES = {"progress_stream": "Scan completed successfully.", "attention_stream": "no longer properly replicated"}


@pytest.mark.parametrize(
    ("policies", "progress", "attention"),
    [(policies, *streams) for policies, streams in zip(TOGETHER, STREAMS, strict=True)],
    ids=str,
)
async def test_the_procedure_ends_alike_under_every_policy(
    far: FarSide, policies: dict[str, str], progress: str, attention: str
) -> None:
    policies = policies | {"progress_stream": progress, "attention_stream": attention}
    for name, value in policies.items():
        await far.sim.control("set_policy", **{name: value})
    await prepare(far)
    _, listing, complaint = await far.run("mmlsdisk mss1")
    spoken = {"stdout": listing, "stderr": complaint}
    assert PIECES["attention_stream"] in spoken[attention]
    assert parsers.parse(("mmlsdisk",), listing, complaint).problems == ()
    code, out, err = await far.run(RESTRIPE)
    assert code == 0
    spoken = {"stdout": out, "stderr": err}
    assert spoken.pop(progress).count(PIECES["progress_stream"]) == 5
    assert list(spoken.values()) == [""]
    assert parsers.parse(("mmrestripefs",), out, err).problems == ()
    _, table, _ = await far.run("mmdf mss1")
    assert squeezed("\n".join(table.splitlines()[4:])) == AFTER
    assert (await far.facts())["properly_replicated"] is True


async def test_stderr_comes_at_once_and_apart(far: FarSide) -> None:
    await far.sim.control("set_policy", progress_stream="stderr")
    await prepare(far)
    connection = await far.connection()
    async with connection.create_process(RESTRIPE, encoding=None) as process:
        line = await process.stderr.readline()
        assert line == b"Scanning file system metadata, phase 1 ... \n"
        assert (await far.facts())["restripe"] is not None
        await process.wait()
    assert await process.stdout.read() == b""


@pytest.mark.parametrize(
    ("policy", "prefix", "early"),
    [
        ("line", "", True),
        ("block", "", False),
        ("block", "stdbuf -oL ", True),
        ("block_always", "stdbuf -oL ", False),
    ],
)
async def test_buffering(policy: str, prefix: str, early: bool) -> None:
    async with Simulation.start(speed=5000) as sim:
        far = FarSide(sim)
        await sim.control("set_policy", buffering=policy)
        await prepare(far)
        await far.run(f"setsid sh -c 'echo $$ > pid; exec {prefix}{RESTRIPE}' > log 2>&1 < /dev/null &")

        async def begun() -> bool:
            return bool((await far.facts())["metadata_left_on_rotating_kb"] < METADATA)

        await until(begun)
        assert bool((await far.run("cat log"))[1]) is early
        # What was held back dies with the command.
        await far.run("kill -KILL $(cat pid)")

        async def over() -> bool:
            return (await far.facts())["restripe"] is None

        await until(over)
        assert bool((await far.run("cat log"))[1]) is early
        await far.close()


async def _second(far: FarSide, policy: str) -> tuple[int, str, str]:
    """A change beside a restripe."""
    await far.sim.control("set_policy", conflict=policy)
    await prepare(far)
    first = asyncio.ensure_future(far.run(RESTRIPE))

    async def running() -> bool:
        return bool((await far.facts())["busy_with"] == "mmrestripefs")

    await until(running)
    answer = await far.run("mmchdisk mss1 change -F change.txt")
    assert (await first)[0] == 0
    return answer


CONFLICTS: list[tuple[str, int, str, Any]] = [
    ("wait", 0, "Unable to start mmchdisk on 'mss1' because conflicting program mmrestripefs is running.", ""),
    ("wait_silently", 0, "Verifying file system configuration information ...", ""),
    ("terminate", 1, "", "Terminating mmchdisk on mss1 because a conflicting program mmrestripefs is running."),
    ("terminate_inode_space", 1, "", "Terminating because a conflicting program on the same inode space 0 is running."),
]


@pytest.mark.parametrize(("policy", "rc", "out", "err"), CONFLICTS)
async def test_conflicts(far: FarSide, policy: str, rc: int, out: str, err: str) -> None:
    answer = await _second(far, policy)
    assert answer[0] == rc
    assert answer[1].startswith(out)
    assert answer[2].startswith(err)
