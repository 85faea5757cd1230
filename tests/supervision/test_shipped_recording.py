"""The whole recipe over the recorded seed session: nothing runs, every word is checked, and it takes no time."""

from __future__ import annotations

from pathlib import Path

import msgspec

from remote.events import Launching, Marked, StepChanged
from remote.gpfs.models import FsSpace
from remote.jobs import JobState
from remote.recording import Recording, Writer
from supervision.filesystems import file_system
from supervision.gpfs_facts import facts_of
from supervision.migration import Ending
from supervision.replay import Replay
from supervision.store import Store
from tests.supervision.seed import CHANGING, SHIPPED, log_bytes, of_kind, recorded, run_recipe

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


async def test_the_migration_of_the_seed_is_performed_from_its_recording() -> None:
    assert USED_KB == 407779968
    outcome = await run_recipe()
    assert (outcome.ending, outcome.why) == (Ending.DONE, "")
    assert outcome.recipe.summary.metadata_used_kb == USED_KB
    assert outcome.recipe.summary.ssd_free_percent == dict.fromkeys(SSDS, 65)
    assert outcome.launched == list(CHANGING)
    assert set(outcome.steps.values()) == {"done"}
    assert list(outcome.steps) == ["look", "devices", *CHANGING, "proof"]
    assert [result.rc for result in outcome.recipe.steps.results] == [0] * 7


async def test_the_commands_are_those_of_the_seed() -> None:
    outcome = await run_recipe()
    launched = {event.spec.command.argv[0]: event.spec for event in of_kind(outcome.events, Launching)}
    assert launched["mmrestripefs"].command.text == "mmrestripefs mss1 -r -N foo1,foo2,foo3"
    ((name, stanzas),) = launched["mmcrnsd"].files
    assert "".join(line + "\n" for line in stanzas.splitlines() if line.startswith("%")) == STANZAS
    assert launched["mmcrnsd"].command.argv[1:] == ("-F", f"{_run_directory(launched['mmcrnsd'].command.argv)}/{name}")
    ((_, added),) = launched["mmadddisk"].files
    assert [line.split()[1] for line in added.splitlines() if line.startswith("%")] == [f"nsd={nsd}" for nsd in SSDS]
    ((_, changed),) = launched["mmchdisk"].files
    lines = [line for line in changed.splitlines() if line.startswith("%")]
    assert sorted(line.split()[1] for line in lines) == sorted(
        f"nsd=foo{host}_nsd{number}" for host in (1, 2, 3) for number in (1, 2, 3, 4)
    )
    assert all("usage=dataOnly" in line and "device=" not in line for line in lines)


def _run_directory(argv: tuple[str, ...]) -> str:
    directory = argv[-1].rpartition("/")[0]
    assert directory.endswith("/run")
    assert directory.startswith("/")
    return directory


async def test_every_log_is_followed_to_its_last_byte() -> None:
    outcome = await run_recipe()
    logs = log_bytes(recorded()[1])
    assert len(logs) == 4
    assert log_bytes(outcome.events) == logs
    assert logs[next(source for source in logs if "mmrestripefs" in source)].endswith(b"Scan completed successfully.\n")


async def test_a_rehearsal_can_itself_be_recorded_and_rehearsed(tmp_path: Path) -> None:
    path = tmp_path / "again.jsonl"
    writer = Writer(path, recorded()[0])
    first = await run_recipe(writer=writer)
    writer.close()
    assert writer.failure == ""
    assert list(Recording(path)) == first.events
    second = await run_recipe(Recording(path))
    assert second.ending is Ending.DONE
    assert second.recipe.summary == first.recipe.summary


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
