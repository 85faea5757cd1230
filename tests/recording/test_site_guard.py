"""Read-only until armed: what changes the far side is refused before anything that could reach it."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from contextlib import aclosing

import pytest

from remote.errors import RefusedError
from remote.events import Event
from remote.jobs import JobState, JobStatus
from remote.recorder import RecordingSite
from remote.site import JobLog, Site
from tests.recording.counting_site import CHANGING, DESTROYING, READING, SPEC, CountingSite

CHANGES: dict[str, Callable[[Site], Awaitable[object]]] = {
    "launch": lambda site: site.launch("pollux1", SPEC),
    "stop": lambda site: site.stop("pollux1", SPEC.id),
    "kill": lambda site: site.stop("pollux1", SPEC.id, kill=True),
    "renew": lambda site: site.renew("pollux1", SPEC.id),
    "seal": lambda site: site.seal("pollux1", SPEC.id),
}


def plain(inner: CountingSite) -> tuple[Site, list[Event]]:
    return inner, []


def recording(inner: CountingSite) -> tuple[Site, list[Event]]:
    events: list[Event] = []
    return RecordingSite(inner, events.append), events


WRAPPED = pytest.mark.parametrize("wrap", [plain, recording])
Wrap = Callable[[CountingSite], tuple[Site, list[Event]]]


@WRAPPED
@pytest.mark.parametrize("change", CHANGES.values(), ids=CHANGES.keys())
async def test_an_unarmed_site_changes_nothing(wrap: Wrap, change: Callable[[Site], Awaitable[object]]) -> None:
    inner = CountingSite(armed=False)
    site, events = wrap(inner)
    with pytest.raises(RefusedError, match="this session is read-only") as refused:
        await change(site)
    assert "--write" in str(refused.value)
    assert inner.reached == []
    assert events == []  # nor does a recording tell of an intent that there never was


@WRAPPED
@pytest.mark.parametrize("armed", [False, True])
@pytest.mark.parametrize("command", [CHANGING, DESTROYING], ids=["changes", "destroys"])
@pytest.mark.parametrize("place", [0, 1])
async def test_no_question_is_anything_but_reading(wrap: Wrap, armed: bool, command: object, place: int) -> None:
    inner = CountingSite(armed=armed)
    site, events = wrap(inner)
    batch = [READING, READING]
    batch[place] = CHANGING if command is CHANGING else DESTROYING
    with pytest.raises(RefusedError, match="so it is no question"):
        await site.query("pollux1", *batch)
    assert inner.reached == []
    assert events == []


@WRAPPED
async def test_an_unarmed_site_reads_everything(wrap: Wrap) -> None:
    inner = CountingSite(armed=False)
    site, _ = wrap(inner)
    (answer,) = await site.query("pollux1", READING)
    assert (answer.rc, answer.stdout) == (0, b"out\n")
    await site.place("pollux1")
    await site.jobs("pollux1")
    async with aclosing(site.follow("pollux1", JobLog(SPEC.id))) as seen:
        assert len([event async for event in seen]) == 2
    assert inner.reached == ["query", "place", "jobs", "follow"]
    assert await site.query("pollux1") == ()
    assert inner.reached[-1] == "follow"  # no commands, no question


@WRAPPED
@pytest.mark.parametrize("kill", [False, True])
async def test_a_command_that_must_not_be_interrupted_is_not_stopped(wrap: Wrap, kill: bool) -> None:
    inner = CountingSite(
        armed=True,
        jobs=[
            JobStatus("p-1-b-1", JobState.RUNNING, command="mmrestripefs mss1 -r", interruptible=True),
            JobStatus(SPEC.id, JobState.RUNNING, command="mmcrnsd -F f", interruptible=False),
        ],
    )
    site, events = wrap(inner)
    with pytest.raises(RefusedError, match="inconsistent") as refused:
        await site.stop("pollux1", SPEC.id, kill=kill)
    assert "mmcrnsd -F f" in str(refused.value)
    assert set(inner.reached) == {"jobs"}
    assert not [event for event in events if type(event).__name__ == "Signalling"]
    await site.stop("pollux1", "p-1-b-1", kill=kill)
    assert inner.reached[-1] == ("kill" if kill else "stop")


async def test_a_recorded_site_is_as_armed_as_what_it_records() -> None:
    for armed in (False, True):
        assert RecordingSite(CountingSite(armed=armed), lambda _: None).armed is armed


async def test_closing_closes_the_inner_one() -> None:
    inner = CountingSite(armed=False)
    await RecordingSite(inner, lambda _: None).close()
    assert inner.closed
