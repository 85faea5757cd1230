"""savemeta supervised while it really runs, over real OpenSSH: its progress, its forecasts, standstills and ends."""

from __future__ import annotations

import pytest

from remote.gfs2 import commands
from remote.jobs import JobSpec
from supervision.filesystem import Phase
from supervision.jobtimes import ended_here
from tests.gfs2_real.conftest import FastHost
from tests.gfs2_real.session import OPERATOR, Watched, watched

pytestmark = pytest.mark.openssh


async def begun(session: Watched, name: str, level: int = 9) -> str:
    """A savemeta that is followed; the words that are in its command line."""
    host = session.host
    await session.watch.begin()
    command = commands.savemeta(str(host.device), str(host.output(f"{name}.meta.gz")), level)
    await session.supervisor.site.launch(host.name, JobSpec(name, f"savemeta of {host.device}", OPERATOR, command))
    session.supervisor.follow(host.name, name)
    return f"{name}.meta.gz"


async def test_a_finish_is_told_that_turns_out_to_be_true(fast: FastHost) -> None:
    async with watched(fast.host, fast.time, words="true.meta.gz") as session:
        words = await begun(session, "true")
        await session.phase(words, Phase.RUNNING)
        last = await session.phase(words, Phase.FINISHED, Phase.FAILED, Phase.UNKNOWN)
        assert last.phase is Phase.FINISHED, last
        job = session.job(words)
        assert job is not None
        end = ended_here(session.state, job)
        for p in session.seen:
            print(
                p.phase,
                p.counter,
                p.tool_percent,
                p.finish and (p.finish.low - end, p.finish.mid - end, p.finish.high - end),
                p.why,
                p.no_finish if hasattr(p, "no_finish") else "",
            )


async def test_a_tool_that_is_stopped_is_seen_to_stand_still_and_to_go_on(fast: FastHost) -> None:
    async with watched(fast.host, fast.time, words="still.meta.gz") as session:
        words = await begun(session, "still")
        await session.phase(words, Phase.RUNNING)
        pid = fast.host.tool(words)
        fast.host.stop(pid)
        still = await session.phase(words, Phase.STALLED)
        print(still)
        fast.host.go_on(pid)
        await session.phase(words, Phase.RUNNING)
        await session.supervisor.site.stop(fast.host.name, "still")
        failed = await session.phase(words, Phase.FAILED)
        assert "ended by TERM" in failed.why
        print(failed)
