"""The state from events: ages, failures, what is open, what is bounded; and that no event can break it."""

from __future__ import annotations

from collections.abc import MutableMapping
from typing import cast

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from remote.command import Command, Effect
from remote.events import (
    Answered,
    Asked,
    Closed,
    Decided,
    Event,
    Exact,
    Header,
    JobChanged,
    JobsListed,
    Launching,
    LinkChanged,
    Marked,
    Placed,
    ProcessChanged,
    Reply,
    Signalling,
    StepChanged,
    Unanswered,
)
from remote.gpfs.models import DiskList
from remote.jobs import JobSpec, JobState, JobStatus, Place
from supervision.gpfs_facts import facts_of
from supervision.reducer import reduce
from supervision.state import COMMANDS, Ran, State
from supervision.store import Store
from tests.recording.any_events import EVENTS

HEADER = Header(1, "0", 0.0, 50.0, "mss1", ("h1", "h2"), "h1")
MMLSDISK = Command(("mmlsdisk", "mss1"), Effect.READS)
TABLE = b"""\
disk         driver   sector     failure holds    holds                            storage
name         type       size       group metadata data  status        availability pool
------------ -------- ------ ----------- -------- ----- ------------- ------------ ------------
foo1_nsd1    nsd         512           1 Yes      Yes   ready         AVAILABILITY system
"""
CHANGE = Command(("mmchdisk", "mss1", "change", "-F", "/f"), Effect.CHANGES, interruptible=False)
SPEC = JobSpec("p-5-mmchdisk-1", "p: change the old disks", "ops@desk", CHANGE, (("f", "%nsd: nsd=a\n"),))


def table(availability: str) -> bytes:
    return TABLE.replace(b"AVAILABILITY", f"{availability:<12}".encode())


def state_of(*events: Event) -> State:
    state = State(HEADER, at=HEADER.began)
    for event in events:
        state = reduce(state, event)
    return state


def asked(n: int, at: float, *commands: Command, host: str = "h1") -> Asked:
    return Asked(at, n, host, commands or (MMLSDISK,))


def answered(n: int, at: float, out: bytes, rc: int = 0, err: bytes = b"") -> Answered:
    return Answered(at, n, (Reply(rc, Exact(out), Exact(err)),))


def availability(state: State) -> str:
    disks = facts_of(state).get(DiskList)
    assert disks is not None
    return disks.disks[0].availability


# facts


def test_a_fact_is_as_old_as_its_question() -> None:
    """An answer that took three minutes tells of the time three minutes ago, or later: the older is the safe one."""
    state = state_of(asked(1, 100.0), answered(1, 280.0, table("up")))
    fact = facts_of(state).fact(DiskList)
    assert fact is not None
    assert (fact.at, fact.took, fact.failure) == (100.0, 180.0, "")
    assert fact.command == "mmlsdisk mss1"
    assert availability(state) == "up"


@pytest.mark.parametrize(
    ("failed", "failure"),
    [
        (answered(2, 205.0, b"", 13, b"mmlsdisk: 6027-1996 Command failed.\n"), "exit code 13: mmlsdisk: 6027-1996"),
        (answered(2, 205.0, b"said on stdout\n", 1), "exit code 1: said on stdout"),
        (Unanswered(205.0, 2, "h1: the connection was lost"), "h1: the connection was lost"),
    ],
    ids=["exit code", "exit code, stdout", "no answer"],
)
def test_a_failed_question_keeps_the_last_good_answer_and_its_age(failed: Event, failure: str) -> None:
    state = state_of(asked(1, 100.0), answered(1, 101.0, table("up")), asked(2, 200.0), failed)
    fact = facts_of(state).fact(DiskList)
    assert fact is not None
    assert fact.failure.startswith(failure)
    assert (fact.at, fact.failed_at) == (100.0, 205.0)
    assert availability(state) == "up"
    healed = reduce(reduce(state, asked(3, 300.0)), answered(3, 301.0, table("down")))
    fact = facts_of(healed).fact(DiskList)
    assert fact is not None
    assert (fact.at, fact.failure, fact.failed_at, availability(healed)) == (300.0, "", 0.0, "down")


def test_before_any_answer_there_is_nothing_but_the_failure() -> None:
    state = state_of(asked(1, 100.0), Unanswered(130.0, 1, "no route"))
    fact = facts_of(state).fact(DiskList)
    assert fact is not None
    assert (fact.parsed, fact.failure, fact.failed_at) == (None, "no route", 130.0)
    assert facts_of(state).get(DiskList) is None
    assert facts_of(state_of()).fact(DiskList) is None


def test_the_same_bytes_again_are_a_younger_fact() -> None:
    state = state_of(asked(1, 100.0), answered(1, 101.0, table("up")))
    first = facts_of(state).fact(DiskList)
    state = reduce(reduce(state, asked(2, 200.0)), answered(2, 201.0, table("up")))
    second = facts_of(state).fact(DiskList)
    assert first is not None
    assert second is not None
    assert (second.at, second.parsed) == (200.0, first.parsed)


def test_each_answer_of_a_batch_belongs_to_its_question() -> None:
    other = Command(("mmlsdisk", "other"), Effect.READS)
    replies = (Reply(0, Exact(table("down"))), Reply(0, Exact(table("up"))))
    state = state_of(asked(1, 100.0, other, MMLSDISK), Answered(101.0, 1, replies))
    assert availability(state) == "up"
    assert [ran.command for ran in state.commands] == ["mmlsdisk other", "mmlsdisk mss1"]


# questions and commands


def test_a_question_is_pending_until_it_is_answered_or_given_up() -> None:
    state = state_of(asked(1, 100.0), asked(2, 101.0, host="h2"))
    assert {n: question.host for n, question in state.pending.items()} == {1: "h1", 2: "h2"}
    state = reduce(state, answered(2, 102.0, b""))
    assert set(state.pending) == {1}
    assert not reduce(state, Unanswered(103.0, 1, "gone")).pending


def test_an_answer_to_nothing_is_left_out() -> None:
    state = state_of(answered(7, 102.0, table("up")), Unanswered(103.0, 8, "gone"))
    assert (state.facts, state.commands, state.revision) == ({}, (), 2)


def test_the_command_log_has_host_time_and_exit_code() -> None:
    state = state_of(asked(1, 100.0), answered(1, 101.5, b"", 13), asked(2, 110.0), Unanswered(112.0, 2, "lost"))
    assert state.commands == (
        Ran("h1", "mmlsdisk mss1", 100.0, 1.5, 13),
        Ran("h1", "mmlsdisk mss1", 110.0, 2.0, None, "lost"),
    )


def test_the_command_log_is_bounded_and_keeps_the_latest() -> None:
    state = State(HEADER, commands=tuple(Ran("h1", f"old {number}", 0.0) for number in range(COMMANDS)))
    state = reduce(reduce(state, asked(1, 100.0)), answered(1, 101.0, b""))
    assert len(state.commands) == COMMANDS
    assert (state.commands[0].command, state.commands[-1].command) == ("old 1", "mmlsdisk mss1")


@pytest.mark.parametrize("kind", [Decided, Marked])
def test_decisions_and_marks_are_bounded_too(kind: type[Decided] | type[Marked]) -> None:
    store = Store(HEADER)
    for number in range(1005):
        store.apply(Decided(1.0, "ops", str(number)) if kind is Decided else Marked(1.0, str(number)))
    kept = store.state.decisions if kind is Decided else store.state.marks
    assert len(kept) == 1000
    last = kept[-1]
    assert (last.what if isinstance(last, Decided) else last.label) == "1004"


# jobs


def job_told(at: float, state: JobState, rc: int | None = None) -> JobChanged:
    return JobChanged(at, "h1", JobStatus(SPEC.id, state, rc))


def test_a_launched_job_is_known_with_its_spec_before_its_host_says_a_word() -> None:
    state = state_of(Launching(100.0, "h1", SPEC, "boot"))
    job = state.job("h1", SPEC.id)
    assert job is not None
    assert job.spec == SPEC
    assert (job.status.state, job.status.rc) == (JobState.UNKNOWN, None)
    assert (job.status.command, job.status.interruptible) == ("mmchdisk mss1 change -F /f", False)
    assert state.commands == (Ran("h1", "mmchdisk mss1 change -F /f", 100.0, job=SPEC.id),)


def test_what_a_job_is_stays_known_when_only_its_state_is_told() -> None:
    state = state_of(Launching(100.0, "h1", SPEC), job_told(101.0, JobState.RUNNING), job_told(110.0, JobState.LOST))
    job = state.job("h1", SPEC.id)
    assert job is not None
    assert (job.status.state, job.at, job.spec) == (JobState.LOST, 110.0, SPEC)
    assert (job.status.title, job.status.operator) == (SPEC.title, SPEC.operator)
    assert (job.status.effect, job.status.interruptible) == (Effect.CHANGES, False)


def test_a_list_of_jobs_tells_what_a_job_is_anew() -> None:
    told = JobStatus(SPEC.id, JobState.RUNNING, title="t", operator="other", command="mmdf x", effect=Effect.READS)
    state = state_of(Launching(100.0, "h1", SPEC), JobsListed(105.0, "h1", (told, JobStatus("b-1", JobState.LOST))))
    job = state.job("h1", SPEC.id)
    assert job is not None
    assert job.status == told
    assert state.job("h1", "b-1") is not None
    assert state.job("h2", SPEC.id) is None


def test_a_job_s_end_is_its_command_s_exit_code() -> None:
    state = state_of(Launching(100.0, "h1", SPEC), job_told(101.0, JobState.RUNNING))
    assert state.commands[0].took is None
    state = reduce(state, job_told(160.0, JobState.FINISHED, 3))
    assert state.commands == (Ran("h1", CHANGE.text, 100.0, 60.0, 3, "", SPEC.id),)
    # told again, by a list: it does not end a second time
    assert reduce(state, job_told(900.0, JobState.FINISHED, 3)).commands == state.commands


@pytest.mark.parametrize("lost", [JobState.LOST, JobState.REBOOTED, JobState.SEALED])
def test_a_job_that_ended_without_an_exit_code_is_not_running(lost: JobState) -> None:
    state = state_of(Launching(100.0, "h1", SPEC), job_told(160.0, lost))
    (ran,) = state.commands
    assert (ran.rc, ran.took) == (None, 60.0)
    assert ran.failure == JobStatus(SPEC.id, lost).meaning


def test_a_signal_does_not_get_the_exit_code_of_the_job_it_was_for() -> None:
    state = state_of(
        Launching(100.0, "h1", SPEC), Signalling(110.0, "h1", SPEC.id, "TERM"), job_told(111.0, JobState.FINISHED, 143)
    )
    assert [(ran.command, ran.rc) for ran in state.commands] == [(CHANGE.text, 143), (f"TERM {SPEC.id}", None)]


# the rest


def test_links_places_processes_steps_and_the_end() -> None:
    state = state_of(
        LinkChanged(51.0, "h1", "connecting"),
        LinkChanged(52.0, "h1", "up"),
        Placed(53.0, "h1", Place("/var/lib/restripe", "boot")),
        ProcessChanged(54.0, "h1", "file:/x", None),
        Closed(60.0, "done"),
    )
    assert state.links["h1"].state == "up"
    assert state.places["h1"].boot_id == "boot"
    assert state.alive["h1", "file:/x"] is None
    assert state.closed
    assert state.at == 60.0


def test_a_step_has_begun_when_it_is_checked_and_not_when_it_is_announced() -> None:
    def step(at: float, name: str) -> StepChanged:
        return StepChanged(at, 1, "look", name)

    state = state_of(step(51.0, "waiting"))
    assert state.step_times[1] == (51.0, 51.0)
    state = reduce(state, step(70.0, "checking"))
    assert state.step_times[1] == (70.0, 70.0)
    state = reduce(reduce(state, step(75.0, "running")), step(80.0, "done"))
    assert (state.step_times[1], state.steps[1].state) == ((70.0, 80.0), "done")


def test_each_event_is_one_revision_and_time_never_goes_back() -> None:
    state = state_of(Marked(100.0, "a"), Marked(90.0, "b"), Marked(110.0, "c"))
    assert (state.revision, state.at) == (3, 110.0)
    assert state_of(Marked(100.0, "a"), Marked(90.0, "b")).at == 100.0


def test_a_state_is_never_changed_in_place() -> None:
    store = Store(HEADER)
    before = store.state
    store.apply(Placed(53.0, "h1", Place("/var", "boot")))
    store.apply(asked(1, 100.0))
    assert before == State(HEADER, at=HEADER.began)
    assert store.state is not before
    with pytest.raises(AttributeError):
        store.state.revision = 7  # type: ignore[misc]
    for mapping in (store.state.places, store.state.pending, store.state.facts, store.state.links):
        with pytest.raises(TypeError):
            cast("MutableMapping[object, object]", mapping)["h1"] = None


@settings(max_examples=300, deadline=None)
@given(st.lists(EVENTS, max_size=25))
def test_no_events_break_the_state_and_the_same_ones_give_the_same(events: list[Event]) -> None:
    state = State(HEADER, at=HEADER.began)
    for number, event in enumerate(events, 1):
        before, copy = state, msgspec.structs.replace(state)
        state = reduce(state, event)
        assert state.revision == number
        assert before == copy
    assert state_of(*events) == state
    assert len(state.pending) <= len([event for event in events if isinstance(event, Asked)])


async def test_listeners_are_told_in_order_and_until_they_stop() -> None:
    store = Store(HEADER)
    told: list[tuple[int, Event]] = []
    stop = store.listen(lambda state, event: told.append((state.revision, event)))
    first, second = Marked(51.0, "a"), Marked(52.0, "b")
    store.apply(first)
    store.apply(second)
    stop()
    store.apply(Marked(53.0, "c"))
    assert told == [(1, first), (2, second)]
    state = await store.until(lambda state: state.revision == 3)
    assert state is store.state
