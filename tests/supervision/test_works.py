"""What is kept of the processes of a host: when each counter last moved, what is gone, and nothing without bounds."""

from __future__ import annotations

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from supervision.works import GONE, RECENT, Moved, Works
from tests.supervision.working_states import HOST, OUT, T0, Session, process


def works(session: Session) -> Works:
    """What is known of the host."""
    return session.state.works[HOST]


def test_each_counter_has_the_last_look_before_it_moved_and_the_first_after() -> None:
    session = Session()
    session.look(0, process(cpu=100, io=(10, 0, 5, 0), size=0))
    session.look(10, process(cpu=150, io=(10, 0, 5, 0), size=0))
    session.look(20, process(cpu=150, io=(20, 0, 5, 0), size=0))
    session.look(30, process(cpu=150, io=(20, 0, 5, 0), size=7))
    (seen,) = works(session).seen
    assert (works(session).at, seen.first, seen.last) == (T0 + 30, T0, T0 + 30)
    assert dict(seen.moved) == {
        "cpu": Moved(1.5, T0 + 10, T0),
        "chars_read": Moved(20, T0 + 20, T0 + 10),
        "chars_written": Moved(0, T0),
        "read": Moved(5, T0),
        "written": Moved(0, T0),
        f"size {OUT}": Moved(7, T0 + 30, T0 + 20),
    }


def test_a_process_that_is_told_no_more_is_gone_and_one_of_the_same_pid_is_another() -> None:
    session = Session()
    session.look(0, process(cpu=5))
    session.look(10)
    session.look(20, process(cpu=5, start=2000))
    gone, new = works(session).seen
    assert (gone.worker.start, gone.gone, gone.last) == (1000, T0 + 10, T0)
    assert (new.worker.start, new.gone, new.first) == (2000, None, T0 + 20)
    assert new.moved["cpu"].before is None


def test_what_ran_before_a_boot_is_gone() -> None:
    session = Session()
    session.look(0, process())
    session.look(10, process(), boot="two")
    gone, new = works(session).seen
    assert (gone.gone, new.gone) == (T0 + 10, None)
    assert works(session).boot_id == "two"


def test_a_file_that_is_opened_later_counts_and_a_counter_that_was_hidden_does_not() -> None:
    session = Session()
    session.look(0, process(io=None))
    session.look(10, process(size=0))
    (seen,) = works(session).seen
    assert seen.moved[f"size {OUT}"] == Moved(0, T0 + 10, T0)
    assert seen.moved["read"] == Moved(0, T0 + 10)
    session.look(20, process())
    assert f"size {OUT}" not in works(session).seen[0].moved


def test_a_stop_is_known_since_the_first_look_that_found_it() -> None:
    session = Session()
    session.look(0, process())
    session.look(10, process(state="T"))
    session.look(20, process(state="T"))
    assert works(session).seen[0].stopped == T0 + 10
    session.look(30, process(state="S"))
    assert works(session).seen[0].stopped is None


def test_answers_that_are_not_whole_and_silence_change_nothing() -> None:
    session = Session()
    session.look(0, process())
    before = works(session)
    session.answer(10, "restripe-work 1\nboot one\n")
    session.answer(20, "", rc=127)
    session.silence(30)
    assert works(session) is before


def test_what_may_be_among_those_left_out_is_not_gone() -> None:
    session = Session()
    session.look(0, process())
    session.look(10, process(pid=1), more=3)
    assert {seen.worker.pid: (seen.gone, seen.last) for seen in works(session).seen} == {
        1: (None, T0 + 10),
        4711: (None, T0),
    }


def test_what_is_kept_is_bounded() -> None:
    session = Session()
    for number in range(40):
        session.look(number, process(pid=number + 1), process(pid=999, cpu=number))
    seen = works(session).seen
    assert len([each for each in seen if each.gone is not None]) == GONE
    assert [len(each.recent) for each in seen if each.worker.pid == 999] == [RECENT]


@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(st.lists(st.tuples(st.integers(1, 3), st.sampled_from("RTZ"), st.integers(0, 3)), max_size=12))
def test_no_sequence_of_looks_makes_it_raise_and_time_only_goes_on(looks: list[tuple[int, str, int]]) -> None:
    session = Session()
    for number, (pid, state, cpu) in enumerate(looks):
        session.look(number, process(pid=pid, state=state, cpu=cpu))
        for seen in works(session).seen:
            assert seen.first <= seen.last <= works(session).at
            assert all(moved.before is None or moved.before < moved.at for moved in seen.moved.values())
