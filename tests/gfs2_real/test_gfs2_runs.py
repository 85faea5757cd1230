"""A guided savemeta that really runs, over real OpenSSH: its finish is told truly, and what it did is proven."""

from __future__ import annotations

import pytest

from supervision.filesystem import Phase
from supervision.gfs2_checking import Wanted
from supervision.jobtimes import ended_here
from supervision.migration import Ending, perform
from tests.gfs2_real.conftest import FastHost
from tests.gfs2_real.far import blocks_in
from tests.gfs2_real.session import Watched, guided, states, watched

pytestmark = pytest.mark.openssh


async def test_a_savemeta_is_seen_live_with_its_finish_and_is_done_only_when_that_is_proven(fast: FastHost) -> None:
    host, words = fast.host, "gfs2_edit savemeta"
    output = host.output("guided.meta.gz")
    async with watched(*fast, words=words) as session:
        await session.watch.begin()
        job = guided(session, "guided", Wanted("savemeta", host.name, str(host.device), str(output), 9))
        await job.prepare()
        await perform(job)
        assert job.steps.ending is Ending.DONE, job.steps.why
        assert states(session) == dict.fromkeys(("look", "savemeta", "whole", "verify"), "done")
        last = session.progress(words)
        assert last is not None
        assert last.phase is Phase.FINISHED, last.why
        assert last.counter is not None
        assert blocks_in(output) == last.counter.done
        proof = session.state.steps[4].detail
        assert f"{last.counter.done:,} blocks saved" in proof
        assert f"gzip -t found the file whole, {output.stat().st_size:,} bytes" in proof
        _progress_was_seen_live(session)
        _most_of_what_was_told_of_the_finish_is_true(session, words)


def _progress_was_seen_live(session: Watched) -> None:
    """Blocks rise over the dinodes of all groups, and the tool's own percentage is beside them."""
    running = [each for each in session.seen if each.phase is Phase.RUNNING]
    done = [each.counter.done or 0 for each in running if each.counter]
    assert len(set(done)) >= 3
    assert done == sorted(done)
    (total,) = {each.counter.total for each in running if each.counter}
    assert total is not None
    assert session.host.filled.files < total < done[-1]  # a lower bound: journals and indirect blocks come on top
    assert len({each.tool_percent for each in running}) >= 3


def _most_of_what_was_told_of_the_finish_is_true(session: Watched, words: str) -> None:
    job = session.job(words)
    assert job is not None
    end = ended_here(session.state, job)
    assert end is not None
    told = [each.finish for each in session.seen if each.finish]
    assert len(told) >= 4
    true = [finish for finish in told if finish.low <= end <= finish.high]
    assert len(true) >= 0.8 * len(told), [(one.low - end, one.mid - end, one.high - end) for one in told]
