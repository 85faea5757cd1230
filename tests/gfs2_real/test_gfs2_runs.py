"""savemeta supervised while it really runs, over real OpenSSH: what is told of its finish turns out to be true."""

from __future__ import annotations

import pytest

from supervision.filesystem import Phase
from supervision.jobtimes import ended_here
from tests.gfs2_real.conftest import FastHost
from tests.gfs2_real.far import blocks_in
from tests.gfs2_real.session import Watched, launch_savemeta, watched

pytestmark = pytest.mark.openssh


async def test_a_finish_is_told_that_turns_out_to_be_true(fast: FastHost) -> None:
    words = "true.meta.gz"
    async with watched(*fast, words=words) as session:
        await session.watch.begin()
        await launch_savemeta(session, "true", words, 9)
        await session.phase(words, Phase.RUNNING)
        last = await session.phase(words, Phase.FINISHED, Phase.FAILED, Phase.UNKNOWN)
        assert last.phase is Phase.FINISHED, last.why
        _progress_was_seen_live(session)
        _most_of_what_was_told_of_the_finish_is_true(session, words)
        assert last.counter is not None
        assert blocks_in(fast.host.output(words)) == last.counter.done


def _progress_was_seen_live(session: Watched) -> None:
    """Blocks rise over the dinodes of all groups, and the tool's own percentage is beside them."""
    running = [each for each in session.seen if each.phase is Phase.RUNNING]
    done = [each.counter.done or 0 for each in running if each.counter]
    assert len(set(done)) >= 4
    assert done == sorted(done)
    totals = {each.counter.total for each in running if each.counter}
    assert len(totals) == 1
    assert totals.pop() or session.host.filled.files <= 0
    percents = {each.tool_percent for each in running}
    assert len(percents) >= 3


def _most_of_what_was_told_of_the_finish_is_true(session: Watched, words: str) -> None:
    job = session.job(words)
    assert job is not None
    end = ended_here(session.state, job)
    assert end is not None
    told = [each.finish for each in session.seen if each.finish]
    assert len(told) >= 4
    true = [finish for finish in told if finish.low <= end <= finish.high]
    assert len(true) >= 0.8 * len(told), [(one.low - end, one.mid - end, one.high - end) for one in told]
