"""The shipped recording of the seed: what it says is read, at its end and at any moment, as when it was made."""

from __future__ import annotations

import msgspec

from remote.events import Marked, StepChanged
from remote.gpfs.models import FsSpace
from remote.jobs import JobState
from supervision.filesystems import file_system
from supervision.gpfs_facts import facts_of
from supervision.replay import Replay
from supervision.store import Store
from tests.supervision.seed import CHANGING, SHIPPED, recorded

# From the published listing `mmdf mss1` after the restripe: (metadata) 1168834560, 756817920 and 4236672 KB.
USED_KB = 1168834560 - 756817920 - 4236672
SSDS = ["foo1_ssd1", "foo1_ssd2", "foo2_ssd1", "foo2_ssd2", "foo3_ssd1", "foo3_ssd2"]
STANZAS = """\
%nsd: device=sdg nsd=foo1_ssd1 servers=foo1 usage=metadataOnly failureGroup=1 pool=system
%nsd: device=sdh nsd=foo1_ssd2 servers=foo1 usage=metadataOnly failureGroup=1 pool=system
%nsd: device=sdg nsd=foo2_ssd1 servers=foo2 usage=metadataOnly failureGroup=2 pool=system
%nsd: device=sdh nsd=foo2_ssd2 servers=foo2 usage=metadataOnly failureGroup=2 pool=system
%nsd: device=sde nsd=foo3_ssd1 servers=foo3 usage=metadataOnly failureGroup=3 pool=system
%nsd: device=sdf nsd=foo3_ssd2 servers=foo3 usage=metadataOnly failureGroup=3 pool=system
"""
"""The published stanza file. On foo3 sdg and sdh are what it boots from."""


def test_the_reducer_ends_where_the_session_ended() -> None:
    header, events = recorded()
    replay = Replay(SHIPPED)
    store = Store(header)
    for event in events:
        store.apply(event)
    assert replay.end == store.state
    state = replay.end
    assert (state.closed, state.revision, state.pending) == (True, len(events), {})
    assert {job.status.state for job in state.jobs.values()} == {JobState.FINISHED}
    assert {job.status.rc for job in state.jobs.values()} == {0}
    assert [step.state for step in state.steps.values()] == ["done"] * 7
    space = facts_of(state).get(FsSpace)
    assert space is not None
    assert space.metadata is not None
    assert space.metadata.used_kb == USED_KB
    log = next(log for (_, source), log in state.logs.items() if "mmrestripefs" in source)
    assert (log.scan.percent, log.scan.done, log.scan.mb) == (100.0, 87601428, 286622429)
    # the published last line with counters, of the published number of allocated inodes
    work = file_system(header).counter(state, log.scan)
    assert (work.done, work.total, log.scan.percent) == (87601428, 88772608, 100.0)
    assert work.fraction == 87601428 / 88772608


def test_any_moment_of_a_replay_is_what_the_reducer_says() -> None:
    header, events = recorded()
    replay = Replay(SHIPPED)
    store = Store(header)
    for count in range(len(events) + 1):
        if count % 97 == 0 or count == len(events):
            assert replay.state_after(count) == store.state, count
        if count < len(events):
            store.apply(events[count])
    mark = next(mark for mark in replay.marks if mark.label == "step 6: mmrestripefs")
    then = replay.at(mark.t)
    assert [then.steps[number].state for number in range(1, 8)][:5] == ["done"] * 5
    assert then.at <= mark.t
    assert replay.at(header.began - 1).revision == 0
    assert replay.at(events[-1].t) == replay.end


async def test_a_replay_from_the_middle_plays_the_rest_and_only_that() -> None:
    replay = Replay(SHIPPED)
    start = replay.marks[3].t
    played = [event async for _, event in replay.play(start=start)]
    assert played == [event for event in replay.events if event.t > start]
    last = [state async for state, _ in replay.play(start=start)][-1]
    assert last == replay.end
    assert [event async for _, event in replay.play()] == list(replay.events)


def test_marks_are_where_the_steps_begin() -> None:
    replay = Replay(SHIPPED)
    assert [mark.label for mark in replay.marks] == [
        f"step {number}: {name}" for number, name in enumerate(["look", "devices", *CHANGING, "proof"], 1)
    ]
    for mark in replay.marks:
        index = replay.events.index(mark)
        step = replay.events[index + 1]
        assert isinstance(step, StepChanged)
        assert step.state == "checking"
        assert isinstance(replay.events[index], Marked)
    assert msgspec.structs.asdict(replay.header)["simulated"] is True
