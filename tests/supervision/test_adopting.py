"""Scans that somebody else started: which are taken in, what is known of them, and how their end is judged."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec
import pytest

from remote.command import Command
from remote.errors import Trouble, UnreachableError
from remote.events import Adopted, Answered, Asked, Event, Exact, Header, LogRead, ProcessChanged, Reply
from remote.jobs import JobState, JobStatus
from remote.linux.scans import Goes, Output, RunningScan, RunningScans, scans
from remote.question import Answer
from remote.recorder import RecordingSite
from remote.recording import VERSION
from supervision import adopting
from supervision.filesystem import Phase, Progress
from supervision.gpfs import GpfsFileSystem
from supervision.journal import Journal
from supervision.reducer import reduce
from supervision.state import Job, State
from supervision.store import Store
from supervision.supervisor import LATE, LATE_LOOKS, Supervisor
from supervision.watching import Watch
from tests.supervision import gpfs_states as made
from tests.supervision.gpfs_states import DONE, FS, NOW, PHASE_1, USER_FILES, counted
from tests.supervision.scripted_site import ScriptedSite
from tests.waiting import until

LOG = Output(Goes.FILE, "/root/r.log", "tee", 4712, 3, (1, 2))
SCAN = RunningScan(
    4711,
    1,
    140025,
    3600.0,
    0,
    "root",
    "maria",
    ("/bin/ksh", "/usr/lpp/mmfs/bin/mmrestripefs", FS, "-r"),
    "/root",
    (LOG,),
)
ID = "file:/root/r.log"
STATUS = adopting.status_of(SCAN, NOW)


def other(**changes: object) -> RunningScan:
    return msgspec.structs.replace(SCAN, **changes)


def test_a_scan_is_a_job_that_is_named_by_its_log_and_may_not_be_interrupted() -> None:
    assert (
        JobStatus(
            ID,
            JobState.RUNNING,
            began=NOW - 3600,
            title="started outside restripe, pid 4711; its output goes to /root/r.log (by tee)",
            operator="maria (as root)",
            command="mmrestripefs fs1 -r",
            effect=STATUS.effect,
            interruptible=False,
        )
        == STATUS
    )
    assert adopting.is_adopted(ID)
    assert adopting.log_path(ID) == "/root/r.log"


def test_on_a_simulated_clock_a_process_is_as_many_times_older() -> None:
    assert adopting.status_of(SCAN, NOW, 60.0).began == NOW - 60 * 3600
    assert adopting.status_of(other(age=None), NOW).began is None
    assert adopting.status_of(SCAN, None).began is None


@pytest.mark.parametrize(
    ("outputs", "path"),
    [
        ((), ""),
        ((Output(Goes.TERMINAL, "/dev/pts/1"),), ""),
        ((Output(Goes.FILE, "/err", streams=(2,)), Output(Goes.FILE, "/out", streams=(1,))), "/out"),
        ((Output(Goes.FILE, "/out", streams=(1,)), Output(Goes.FILE, "/both", streams=(1, 2))), "/both"),
        ((Output(Goes.FILE, "/err", streams=(2,)), Output(Goes.TERMINAL, "/dev/pts/1", streams=(1,))), "/err"),
        ((Output(Goes.UNLINKED, "/gone", "tee", 7, 3, (1,)),), "/proc/7/fd/3"),
        ((Output(Goes.FILE, "not absolute", streams=(1,)),), ""),
    ],
)
def test_the_file_that_holds_most_of_the_output_is_followed(outputs: tuple[Output, ...], path: str) -> None:
    output = adopting.chosen(other(outputs=outputs))
    assert (output.readable if output else "") == path
    assert adopting.log_path(adopting.status_of(other(outputs=outputs), NOW).id) == path


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"hidden": True, "outputs": ()}, "where its output goes cannot be seen without root (--sudo)"),
        ({"outputs": ()}, "where its output goes is not known"),
        (
            {"outputs": (Output(Goes.TERMINAL, "/dev/pts/1", "sshd", 9),)},
            "its output goes to a terminal only (of sshd), so nothing of it can be read",
        ),
        (
            {"outputs": (Output(Goes.NULL, "/dev/null", "mmrestripefs", 4711),)},
            "its output goes to /dev/null, so nothing of it can be read",
        ),
        (
            {"outputs": (Output(Goes.UNLINKED, "/gone", "mmrestripefs", 4711, 1),)},
            "its output goes to /gone, which has no name any more",
        ),
    ],
)
def test_what_cannot_be_read_is_said(changes: dict[str, object], words: str) -> None:
    assert adopting.where(other(**changes)) == words


def test_our_own_jobs_and_what_is_not_wanted_are_left_out() -> None:
    ours = other(pid=1, job="/var/lib/restripe/a-1")
    anothers = other(pid=2, job="/home/maria/.local/state/restripe/a-1", outputs=())
    told = RunningScans(NOW, (ours, SCAN, anothers, other(pid=3, argv=("mmrestripefs", "fs2", "-r"), outputs=())))
    found = adopting.found(
        told,
        "n1",
        NOW,
        is_ours=lambda directory: directory == "/var/lib/restripe/a-1",
        is_wanted=lambda status: made.file_system().is_scan(Job("n1", status, NOW)),
    )
    assert [event.pid for event in found] == [4711, 2]
    assert found[0] == Adopted(NOW, "n1", STATUS, 4711, 140025)


def test_a_log_that_a_person_names_is_that_of_its_writer_where_one_is_seen() -> None:
    told = RunningScans(NOW, (other(pid=9, outputs=()), SCAN))
    assert adopting.named(told, "n1", NOW, "/root/r.log", None).pid == 4711
    by_pid = adopting.named(told, "n1", NOW, "/screenlog.0", 9)
    assert (by_pid.pid, by_pid.status.id, by_pid.status.command) == (9, "file:/screenlog.0", "mmrestripefs fs1 -r")
    nobody = adopting.named(told, "n1", NOW, "/a", None)
    assert (nobody.pid, nobody.status.note) == (None, "no_pid")
    assert (
        nobody.status.title == "started outside restripe, which process writes it is not known; its output goes to /a"
    )
    assert adopting.named(None, "n1", NOW, "/a", 5).status.title.startswith("started outside restripe, pid 5;")


def run(*events: Event) -> State:
    state = made.state({f"space {FS}": made.space(made.disk_space("a"))})
    for event in (Adopted(NOW, "n1", STATUS, 4711, 140025), *events):
        state = reduce(state, event)
    return state


def lines(*texts: str, at: float = NOW) -> LogRead:
    return LogRead(at, "n1", ID, 0, Exact("".join(f"{text}\n" for text in texts).encode()))


def process(alive: bool | None, at: float = NOW) -> ProcessChanged:
    return ProcessChanged(at, "n1", ID, alive)


def judged(state: State, later: float = 0.0) -> Progress:
    state = msgspec.structs.replace(state, at=state.at + later)
    fs = made.file_system()
    job = fs.scan_job(state)
    assert job is not None
    assert (job.status.id, job.pid, fs.is_scan(job)) == (ID, 4711, True)
    return fs.progress(state, job)


def test_it_is_judged_by_its_log_as_a_job_of_ours() -> None:
    told = judged(run(process(True), lines(PHASE_1, DONE, USER_FILES, counted(500_000))))
    assert told.phase is Phase.RUNNING
    assert told.counter is not None
    assert told.counter.fraction == 0.5
    lost = judged(run(process(True), lines(PHASE_1), process(None)))
    assert lost.phase is Phase.LOST


def test_before_its_output_is_read_it_is_not_called_stalled() -> None:
    assert judged(run()).phase is Phase.STARTING
    late = judged(run(), 3600)
    assert (late.phase, late.why) == (Phase.UNKNOWN, "it runs, but nothing of its output could be read yet")


@pytest.mark.parametrize(
    ("texts", "phase", "why"),
    [
        ((PHASE_1, DONE, USER_FILES, counted(9), DONE), Phase.FINISHED, "ends as that of one that completed"),
        ((PHASE_1, DONE, USER_FILES, counted(9)), Phase.LOST, "ends in the middle of 'Scanning user file metadata'"),
        ((PHASE_1, DONE), Phase.LOST, "ends without telling of a scan to its end"),
        (
            (
                USER_FILES,
                counted(9),
                "mmrestripefs: Command failed.  Examine previous error messages to determine cause.",
            ),
            Phase.FAILED,
            "tells of a failure: ",
        ),
    ],
)
def test_its_end_is_told_by_its_last_lines_and_said_to_be_no_more(
    texts: tuple[str, ...], phase: Phase, why: str
) -> None:
    state = run(process(True), lines(*texts), process(False))
    assert state.jobs["n1", ID].status.state is JobState.ENDED
    told = judged(state, LATE * LATE_LOOKS + 1)
    assert told.phase is phase
    assert why in told.why
    assert "so its exit code cannot be known" in told.why


def test_what_its_writer_keeps_for_a_moment_is_waited_for() -> None:
    state = run(process(True), lines(USER_FILES, counted(9)), process(False))
    assert judged(state, LATE * LATE_LOOKS).phase is Phase.FINISHING


def test_without_any_line_of_it_its_end_is_unknown() -> None:
    assert judged(run(process(False))).phase is Phase.LOST


def test_it_may_not_be_stopped_and_its_end_stays_its_end() -> None:
    state = run(process(False), process(None), process(True))
    job = state.jobs["n1", ID]
    assert job.status.state is JobState.ENDED
    running = run().jobs["n1", ID]
    assert "never touches it" in made.file_system().may_stop(running)


def answer(number: int, text: str, at: float) -> tuple[Event, Event]:
    return Asked(at, number, "n1", (scans(),)), Answered(at + 1, number, (Reply(0, Exact(text.encode())),))


def test_one_whose_output_nobody_can_read_has_ended_when_its_host_shows_it_no_more() -> None:
    status = adopting.status_of(other(outputs=()), NOW)
    assert status.id == "process:4711:140025"
    state = reduce(made.state(), Adopted(NOW, "n1", status, 4711, 140025))
    fs = made.file_system()
    told = fs.progress(state, state.jobs["n1", status.id])
    assert (told.phase, told.why) == (Phase.UNKNOWN, "it runs; where its output goes is not known")
    seen = "restripe-scans 1\nscan 4711 1 140025\nend\n"
    broken = "restripe-scans 1\n"
    for number, (text, word) in enumerate(
        [(seen, "running"), (broken, "running"), ("restripe-scans 1\nscan 4711 1 140026\nend\n", "ended")], 1
    ):
        for event in answer(number, text, NOW + number):
            state = reduce(state, event)
        assert state.jobs["n1", status.id].status.state.value == word
    assert fs.progress(state, state.jobs["n1", status.id]).phase is Phase.LOST


TOLD = f"""\
restripe-scans 1
clock 1000 5000.00 100
scan 4711 1 490000
arg =mmrestripefs
arg ={FS}
arg =-r
uid 0 =root
out 1 file 4712 3 =/root/r.log
name 4712 =tee
scan 4800 1 140000
arg =mmrestripefs
arg ={FS}
job =/jobs/ours
end
"""


async def test_a_watched_host_shows_the_scan_of_somebody_else_and_it_is_followed_from_the_first_byte() -> None:
    site = ScriptedSite("n1", answers={"restripe-scans": TOLD})
    site.logs[ID] = f"{PHASE_1}\n{DONE}\n{USER_FILES}\n{counted(1000)}\n".encode()
    site.held["n1"] = (JobStatus("ours", JobState.FINISHED, rc=0, began=1.0, command=f"mmrestripefs {FS}"),)
    header = Header(VERSION, "0", 0.0, 1000.0, FS, site.hosts, "n1")
    journal = Journal(Store(header))
    fs = GpfsFileSystem(FS, "n1")
    async with Supervisor(RecordingSite(site, journal.emit), journal, fs=FS, entry="n1") as supervisor:
        await Watch(supervisor, fs).begin()
        await until(lambda: journal.store.state.job_log("n1", ID) is not None)
        state = journal.store.state
        assert site.followed == [("n1", ID)]
        assert set(state.jobs) == {("n1", ID), ("n1", "ours")}
        job = fs.scan_job(state)
        assert job is not None
        assert (job.status.id, job.status.began, job.pid, job.start) == (ID, 1000.0 - 100, 4711, 490000)
        (decision,) = state.decisions
        assert decision.what == (
            f"watches mmrestripefs {FS} -r (pid 4711) on n1, which was started outside restripe: "
            "its exit code cannot be known, and it is not touched"
        )
        log = state.job_log("n1", ID)
        assert log
        assert (log.scan.done, log.lines) == (1000, 4)


class NoSudo(ScriptedSite):
    """A host whose sudo allows nothing but what GPFS brings along."""

    async def _query(self, host: str, commands: Sequence[Command]) -> tuple[Answer, ...]:
        if any(command.privileged for command in commands if command.argv[0] == "restripe-scans"):
            raise UnreachableError(host, Trouble.SUDO)
        return await super()._query(host, commands)


async def test_where_sudo_does_not_allow_the_look_it_is_taken_without() -> None:
    site = NoSudo("n1", answers={"restripe-scans": TOLD.replace("out 1 file 4712 3 =/root/r.log", "fds hidden")})
    header = Header(VERSION, "0", 0.0, 1000.0, FS, site.hosts, "n1")
    journal = Journal(Store(header))
    async with Supervisor(RecordingSite(site, journal.emit), journal, fs=FS, entry="n1") as supervisor:
        await Watch(supervisor, GpfsFileSystem(FS, "n1")).look_at_jobs()
        jobs = {job.status.id: job.status.title for job in journal.store.state.jobs.values()}
    assert jobs["process:4711:490000"].endswith("where its output goes cannot be seen without root (--sudo)")
