"""Whether a job works: anything that moves counts, a stop is a stop, and a host that does not tell is unknown."""

from __future__ import annotations

import pytest

from remote.events import Adopted
from remote.jobs import JobState, JobStatus
from supervision.working import Going, Judgement, evidence, judged, of_job, output_size, peak_kb
from tests.supervision.working_states import HOST, OUT, T0, Session, process

WITHIN = 60.0


def judge(session: Session, printed: float | None = None) -> Judgement:
    """How it goes with the job."""
    return judged(session.state, session.job, within=WITHIN, printed=printed)


@pytest.mark.parametrize(
    ("after", "moves"),
    [
        ({"cpu": 1}, ("cpu",)),
        ({"io": (9, 0, 0, 0)}, ("chars_read",)),
        ({"io": (0, 9, 0, 9)}, ("written", "chars_written")),
        ({"size": 4096}, ("output",)),
        ({"cpu": 1, "io": (9, 0, 9, 0), "size": 1}, ("read", "chars_read", "cpu", "output")),
    ],
)
def test_whatever_moves_shows_that_it_works(after: dict[str, object], moves: tuple[str, ...]) -> None:
    session = Session()
    session.look(0, process(size=0))
    session.look(100, process(**{"size": 0, **after}))  # type: ignore[arg-type]
    found = judge(session)
    assert (found.going, found.moves, found.since) == (Going.MOVES, moves, T0 + 100)


def test_a_line_of_the_log_shows_it_too() -> None:
    session = Session()
    session.look(0, process())
    session.look(100, process())
    assert judge(session, printed=T0 + 90) == Judgement(Going.MOVES, "its log grows", T0 + 90, ("log",))
    assert judge(session, printed=T0 + 30).going is Going.STILL


def test_nothing_that_moves_is_a_stall_since_the_last_movement() -> None:
    session = Session()
    session.look(0, process(cpu=1))
    session.look(10, process(cpu=2))
    session.look(40, process(cpu=2, state="D"))
    assert judge(session).going is Going.MOVES  # for 30 s only
    session.look(75, process(cpu=2, state="D"))
    found = judge(session)
    assert (found.going, found.since, found.moves) == (Going.STILL, T0 + 10, ())
    session.look(80, process(cpu=3))
    assert judge(session).going is Going.MOVES


def test_what_was_watched_for_a_moment_only_is_unknown() -> None:
    session = Session()
    session.look(0, process())
    assert judge(session).going is Going.UNKNOWN
    session.look(59, process())
    assert (judge(session).going, judge(session).why) == (Going.UNKNOWN, "it is watched for 59 s only")
    session.look(60, process())
    assert (judge(session).going, judge(session).since) == (Going.STILL, T0)


def test_a_stopped_process_is_told_at_once_and_so_is_its_going_on() -> None:
    session = Session()
    session.look(0, process(cpu=1))
    session.look(10, process(cpu=2, state="T"))
    found = judge(session)
    assert (found.going, found.since) == (Going.STOPPED, T0 + 10)
    assert "kill -CONT 4711" in found.why
    session.look(20, process(cpu=3, state="R"))
    assert judge(session).going is Going.MOVES


def test_of_several_processes_all_must_be_stopped() -> None:
    session = Session()
    session.look(0, process(cpu=1), process(pid=4712, state="T"))
    session.look(100, process(cpu=2), process(pid=4712, state="T"))
    assert judge(session).going is Going.MOVES
    session.look(110, process(cpu=2, state="T"), process(pid=4712, state="T"))
    assert (judge(session).going, judge(session).since) == (Going.STOPPED, T0 + 110)


def test_a_process_that_was_there_is_gone() -> None:
    session = Session()
    session.look(0, process())
    session.look(10)
    assert (judge(session).going, judge(session).since) == (Going.GONE, T0 + 10)
    zombie = Session()
    zombie.look(0, process(state="Z"))
    assert judge(zombie).going is Going.GONE


def test_a_host_that_does_not_tell_is_unknown_and_no_stall() -> None:
    session = Session()
    assert judge(session) == Judgement(Going.UNKNOWN, f"{HOST} has not told of its processes yet")
    session.look(0, process())
    session.look(100, process())
    assert judge(session).going is Going.STILL
    session.silence(120)
    assert judge(session).why == f"{HOST} does not tell of its processes: no answer in 20 s"
    session.look(130, process())
    assert judge(session).going is Going.STILL
    session.link(131, "waiting")
    assert judge(session) == Judgement(Going.UNKNOWN, f"{HOST} cannot be reached")
    session.link(140, "up")
    assert judge(session).going is Going.STILL
    session.link(191, "up")
    assert (judge(session).going, judge(session).why) == (Going.UNKNOWN, f"{HOST} told of its processes 1 min ago")
    session.answer(200, "restripe-work 1\n")
    assert judge(session).going is Going.UNKNOWN


def test_a_job_whose_process_was_never_seen_is_unknown() -> None:
    session = Session()
    session.look(0, process(job="/var/lib/restripe/other", words=("gfs2_edit", "savemeta", "/dev/other", "/x")))
    assert judge(session) == Judgement(Going.UNKNOWN, f"no process of it was found on {HOST}")


def test_without_root_a_stall_says_what_cannot_be_seen() -> None:
    session = Session()
    session.look(0, process(io=None))
    session.look(100, process(io=None))
    found = judge(session)
    assert found.going is Going.STILL
    assert found.why.endswith("(what it reads and writes can be seen by root only)")


def test_a_job_is_known_by_its_directory_and_else_by_its_words_if_no_other_has_them() -> None:
    session = Session()
    session.look(0, process(pid=1), process(pid=2, job="/elsewhere/home-1"), process(pid=3, job=""))
    assert [seen.worker.pid for seen in of_job(session.state, session.job)] == [1]
    session.look(10, process(pid=3, job=""), process(pid=4, job="", words=("gfs2_edit", "-p", "sb", "/dev/vg/home")))
    session.look(20, process(pid=3, job=""), process(pid=4, job="", words=("gfs2_edit", "-p", "sb", "/dev/vg/home")))
    only = Session()
    only.look(0, process(pid=3, job=""))
    assert [seen.worker.pid for seen in of_job(only.state, only.job)] == [3]
    only.look(10, process(pid=3, job=""), process(pid=5, job=""))
    assert of_job(only.state, only.job) == ()


def test_a_job_that_others_started_is_known_by_pid_and_start() -> None:
    session = Session()
    status = JobStatus("file:/root/log", JobState.RUNNING)
    session.store.apply(Adopted(T0, HOST, status, pid=7, start=1000))
    session.look(0, process(pid=7, job=""), process(pid=8, job=""))
    job = session.state.job(HOST, "file:/root/log")
    assert job is not None
    assert [seen.worker.pid for seen in of_job(session.state, job)] == [7]


def test_the_evidence_has_memory_io_computing_and_the_output() -> None:
    session = Session()
    session.look(0, process(size=0))
    session.look(100, process(cpu=55000, io=(200_000_000, 50_000_000, 100_000_000, 0), size=2048))
    lines = {line.label: line.value for line in evidence(session.state, session.job, OUT)}
    assert lines["process"] == "gfs2_edit, pid 4711: runs"
    assert lines["memory"] == "12.3 MiB at its peak, now 11.7 MiB"
    assert (
        lines["I/O"]
        == "191 MiB read (95.4 MiB by disks), 47.7 MiB written (0 KiB by disks); 2.0 and 0.5 MB/s over 2 min"
    )
    # the host has been up for 1100 s, and the process began after 10 of them
    assert lines["CPU"] == "9 min, 50 % of a CPU"
    assert lines["output"].startswith("2 KiB, grew at ")
    assert (peak_kb(session.state, session.job), output_size(session.state, session.job, OUT)) == (12588, 2048)
    session.look(110)
    assert output_size(session.state, session.job, OUT) == 2048
    assert evidence(session.state, session.job)[0].value.startswith("gfs2_edit, pid 4711: gone at ")


def test_nothing_is_told_of_what_was_not_seen() -> None:
    session = Session()
    assert evidence(session.state, session.job, OUT) == ()
    assert (peak_kb(session.state, session.job), output_size(session.state, session.job, OUT)) == (None, None)
