"""A recording as a far side: it says what was said, in its order, and nothing that was not."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable
from contextlib import aclosing

import msgspec
import pytest

from remote.answering import AnsweringSite
from remote.command import Command, Effect
from remote.errors import NotRecordedError, RefusedError
from remote.events import (
    Answered,
    Asked,
    Event,
    Exact,
    JobChanged,
    JobsListed,
    Launching,
    LogRead,
    LogRewound,
    Placed,
    ProcessChanged,
    Reply,
    Signalling,
)
from remote.jobs import JobSpec, JobState, JobStatus, Place
from remote.site import Chunk, FileLog, Followed, JobLog, ProcessSeen, Rewound, StateSeen
from tests.recording.counting_site import CHANGING, SPEC
from tests.recording.test_recording_round_trip import HEADER, MMDF, MMLSDISK

T0 = HEADER.began
RUNNING, FINISHED = JobStatus(SPEC.id, JobState.RUNNING), JobStatus(SPEC.id, JobState.FINISHED, 0)


def site(*events: Event, armed: bool = True) -> AnsweringSite:
    return AnsweringSite(HEADER, events, armed=armed)


def asked(n: int, host: str, at: float, ends: float, *told: tuple[Command, bytes]) -> list[Event]:
    """A batch of questions and its answers, in seconds since the beginning."""
    return [
        Asked(T0 + at, n, host, tuple(command for command, _ in told)),
        Answered(T0 + ends, n, tuple(Reply(0, Exact(out)) for _, out in told)),
    ]


async def said(from_site: AnsweringSite, host: str, command: Command) -> bytes:
    (answer,) = await from_site.query(host, command)
    return answer.stdout


async def followed(from_site: AnsweringSite, source: JobLog | FileLog, offset: int = 0) -> list[Followed]:
    async with aclosing(from_site.follow("pollux1", source, offset)) as events:
        return [event async for event in events]


async def test_answers_come_in_their_order_and_the_last_one_stays() -> None:
    recorded = site(
        *asked(1, "pollux1", 1, 2, (MMLSDISK, b"one"), (MMDF, b"space")),
        *asked(2, "pollux1", 3, 4, (MMLSDISK, b"two")),
        *asked(3, "pollux2", 5, 6, (MMLSDISK, b"other host")),
    )
    assert recorded.clock.now() == T0
    answers = await recorded.query("pollux1", MMLSDISK, MMDF)
    assert [(answer.command, answer.rc, answer.stdout) for answer in answers] == [
        (MMLSDISK, 0, b"one"),
        (MMDF, 0, b"space"),
    ]
    assert recorded.clock.now() == T0 + 2  # time is where the last answer was
    assert await said(recorded, "pollux1", MMLSDISK) == b"two"
    assert await said(recorded, "pollux1", MMLSDISK) == b"two"
    assert recorded.clock.now() == T0 + 4
    assert await said(recorded, "pollux2", MMLSDISK) == b"other host"


async def test_exit_code_and_both_streams_are_the_recorded_ones() -> None:
    recorded = site(
        Asked(T0, 1, "pollux1", (MMLSDISK,)), Answered(T0, 1, (Reply(13, Exact(b"\xff\0"), Exact(b"mmlsdisk: no\n")),))
    )
    (answer,) = await recorded.query("pollux1", MMLSDISK)
    assert (answer.rc, answer.stdout, answer.stderr) == (13, b"\xff\0", b"mmlsdisk: no\n")


async def test_what_was_answered_before_the_clock_is_not_told_any_more() -> None:
    """After hours in one step, the next look shows the end of the hours and not their beginning."""
    recorded = site(
        *asked(1, "pollux1", 1, 2, (MMLSDISK, b"at first")),
        *asked(2, "pollux1", 100, 101, (MMLSDISK, b"meanwhile")),
        *asked(3, "pollux1", 200, 201, (MMLSDISK, b"meanwhile")),
        LogRead(T0 + 300, "pollux1", f"job:{SPEC.id}", 0, Exact(b"x")),
        JobChanged(T0 + 300, "pollux1", FINISHED),
        *asked(4, "pollux1", 301, 302, (MMLSDISK, b"at last")),
    )
    assert await said(recorded, "pollux1", MMLSDISK) == b"at first"
    await followed(recorded, JobLog(SPEC.id))
    assert await said(recorded, "pollux1", MMLSDISK) == b"at last"


async def test_questions_asked_together_each_get_the_answer_of_that_time() -> None:
    """Three hosts answer within a second of each other, in an order that no caller knows."""
    lsblk = Command(("lsblk", "-P"), Effect.READS)
    events: list[Event] = []
    for round_number, at in ((0, 1.0), (1, 10.0)):
        for index, host in enumerate(("pollux1", "pollux2", "pollux3")):
            said_then = f"{host} {round_number}".encode()
            events += asked(10 * round_number + index + 1, host, at, at + 3 - index, (lsblk, said_then))
    recorded = site(*sorted(events, key=lambda event: event.t))
    for round_number in range(2):
        hosts = ("pollux1", "pollux2", "pollux3")
        seen = await asyncio.gather(*(said(recorded, host, lsblk) for host in hosts))
        assert seen == [f"{host} {round_number}".encode() for host in hosts]


@pytest.mark.parametrize(
    ("host", "command"),
    [
        ("pollux1", MMDF),
        ("pollux2", MMLSDISK),
        ("pollux1", Command(("mmlsdisk", "mss1", "-L"), Effect.READS)),
    ],
)
async def test_a_question_that_was_not_asked_is_not_answered(host: str, command: Command) -> None:
    recorded = site(*asked(1, "pollux1", 1, 2, (MMLSDISK, b"one")))
    with pytest.raises(NotRecordedError) as missing:
        await recorded.query(host, command)
    assert missing.value.command == command.text


async def test_an_unanswered_question_holds_no_answer() -> None:
    with pytest.raises(NotRecordedError):
        await site(Asked(T0, 1, "pollux1", (MMLSDISK,))).query("pollux1", MMLSDISK)


async def test_an_answer_that_does_not_fit_its_question_is_none() -> None:
    torn = site(Asked(T0, 1, "pollux1", (MMLSDISK, MMDF)), Answered(T0, 1, (Reply(0),)))
    with pytest.raises(NotRecordedError):
        await torn.query("pollux1", MMLSDISK)


LAUNCH: tuple[Event, ...] = (
    Launching(T0 + 10, "pollux1", SPEC, "boot-1"),
    JobChanged(T0 + 11, "pollux1", RUNNING),
    LogRead(T0 + 12, "pollux1", f"job:{SPEC.id}", 0, Exact(b"Process\xffing")),
    JobChanged(T0 + 12, "pollux1", RUNNING),
    LogRead(T0 + 13, "pollux1", f"job:{SPEC.id}", 11, Exact(b" disk \x00sdg\n")),
    JobChanged(T0 + 14, "pollux1", FINISHED),
)


async def test_a_launch_is_what_it_was() -> None:
    recorded = site(*LAUNCH)
    assert await recorded.launch("pollux1", SPEC) == RUNNING
    assert recorded.clock.now() == T0 + 11


@pytest.mark.parametrize(
    "spec",
    [
        msgspec.structs.replace(SPEC, id="p-1-a-2"),
        msgspec.structs.replace(SPEC, command=Command((*CHANGING.argv, "-F", "x"), Effect.CHANGES)),
        msgspec.structs.replace(SPEC, files=(("a.stanza", "%nsd: nsd=y\n"),)),
        msgspec.structs.replace(SPEC, files=()),
        msgspec.structs.replace(SPEC, operator="somebody else"),
    ],
    ids=["id", "command", "file", "no file", "operator"],
)
async def test_a_launch_that_differs_in_anything_is_not_recorded(spec: JobSpec) -> None:
    recorded = site(*LAUNCH)
    with pytest.raises(NotRecordedError, match="holds no such job"):
        await recorded.launch("pollux1", spec)
    with pytest.raises(NotRecordedError):
        await recorded.launch("pollux2", SPEC)


async def test_a_recording_can_be_unarmed() -> None:
    with pytest.raises(RefusedError):
        await site(*LAUNCH, armed=False).launch("pollux1", SPEC)


def log_of(events: Iterable[Followed]) -> bytes:
    return b"".join(event.data for event in events if isinstance(event, Chunk))


async def test_a_log_is_followed_byte_by_byte() -> None:
    recorded = site(*LAUNCH)
    await recorded.launch("pollux1", SPEC)
    assert await followed(recorded, JobLog(SPEC.id)) == [
        StateSeen(RUNNING),
        Chunk(0, b"Process\xffing"),
        StateSeen(RUNNING),
        Chunk(11, b" disk \x00sdg\n"),
        StateSeen(FINISHED),
    ]
    assert recorded.clock.now() == T0 + 14


@pytest.mark.parametrize("offset", range(22))
async def test_a_log_is_followed_from_any_byte(offset: int) -> None:
    whole = b"Process\xffing disk \x00sdg\n"
    assert len(whole) == 22
    seen = await followed(site(*LAUNCH), JobLog(SPEC.id), offset)
    assert log_of(seen) == whole[offset:]
    chunks = [event for event in seen if isinstance(event, Chunk)]
    assert chunks[0].offset == offset
    assert seen[-1] == StateSeen(FINISHED)


async def test_a_log_is_whole_even_when_other_tasks_have_moved_the_clock() -> None:
    recorded = site(*LAUNCH)
    await recorded.launch("pollux1", SPEC)
    await recorded.clock.sleep(900)
    assert log_of(await followed(recorded, JobLog(SPEC.id))) == b"Process\xffing disk \x00sdg\n"


async def test_a_job_that_had_ended_when_its_launch_was_answered_still_has_its_log() -> None:
    recorded = site(
        Launching(T0 + 10, "pollux1", SPEC),
        JobChanged(T0 + 11, "pollux1", FINISHED),
        LogRead(T0 + 12, "pollux1", f"job:{SPEC.id}", 0, Exact(b"all of it\n")),
        JobChanged(T0 + 12, "pollux1", FINISHED),
    )
    assert await recorded.launch("pollux1", SPEC) == FINISHED
    assert log_of(await followed(recorded, JobLog(SPEC.id))) == b"all of it\n"


async def test_a_log_that_is_not_there_or_stops_short_is_not_made_up() -> None:
    with pytest.raises(NotRecordedError, match="does not hold job:other-1"):
        await followed(site(*LAUNCH), JobLog("other-1"))
    with pytest.raises(NotRecordedError, match="ends before"):
        await followed(site(*LAUNCH[:-1]), JobLog(SPEC.id))


FILE: tuple[Event, ...] = (
    LogRead(T0 + 1, "pollux1", "file:/var/log/x", 0, Exact(b"old line\n")),
    LogRewound(T0 + 2, "pollux1", "file:/var/log/x", "rotated"),
    LogRead(T0 + 2, "pollux1", "file:/var/log/x", 0, Exact(b"new\n")),
    ProcessChanged(T0 + 3, "pollux1", "file:/var/log/x", False),
)


@pytest.mark.parametrize("offset", [0, 4])
async def test_files_rewinds_and_processes_are_followed_too(offset: int) -> None:
    seen = await followed(site(*FILE), FileLog("/var/log/x", 4711), offset)
    # after a rewind the offset means nothing any more
    assert seen == [Chunk(offset, b"old line\n"[offset:]), Rewound("rotated"), Chunk(0, b"new\n"), ProcessSeen(False)]


async def test_a_file_that_nobody_is_known_to_write_has_no_end() -> None:
    with pytest.raises(NotRecordedError, match="ends before"):
        await followed(site(*FILE), FileLog("/var/log/x"))


async def test_places_lists_and_signals_are_the_recorded_ones() -> None:
    place = Place("/var/lib/restripe", "boot-1")
    recorded = site(
        Placed(T0 + 1, "pollux1", place),
        JobsListed(T0 + 2, "pollux1", (msgspec.structs.replace(RUNNING, command="mmrestripefs mss1 -r"),)),
        Signalling(T0 + 3, "pollux1", SPEC.id, "TERM"),
        JobChanged(T0 + 4, "pollux1", JobStatus(SPEC.id, JobState.FINISHED, 143)),
    )
    assert await recorded.place("pollux1") == place
    assert [job.id for job in await recorded.jobs("pollux1")] == [SPEC.id]
    with pytest.raises(NotRecordedError):
        await recorded.stop("pollux1", SPEC.id, kill=True)
    with pytest.raises(NotRecordedError):
        await recorded.seal("pollux1", SPEC.id)
    assert (await recorded.stop("pollux1", SPEC.id)).rc == 143
    for nothing in (recorded.place("pollux2"), recorded.jobs("pollux2")):
        with pytest.raises(NotRecordedError):
            await nothing
