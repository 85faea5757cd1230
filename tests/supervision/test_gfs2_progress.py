"""How it stands with the works on a GFS2 device: each phase, what it rests on, and ends that are none."""

from __future__ import annotations

import msgspec
import pytest

from remote.jobs import JobState
from remote.linux.work import Worker
from supervision.eta_runs import FinishedRun
from supervision.filesystem import Counter, Phase, Progress
from supervision.logs import Log
from supervision.state import Job
from supervision.tables import Severity
from tests.gfs2.gfs2texts import told as text_of
from tests.supervision import gfs2_states as made
from tests.supervision.gfs2_states import DEVICE, LEAST, NOW, OUT, SAVED, SAVEMETA, job, log, worker

BEGIN = "There are 524287 blocks of 4096 bytes in the filesystem.\nFilesystem size: 2.00GB\n"
FSCK = f"fsck.gfs2 -n {DEVICE}"
REPAIR = f"fsck.gfs2 -y {DEVICE}"
RESTORE = f"gfs2_edit restoremeta {OUT} {DEVICE}"
PLAIN = SAVEMETA.replace("-z1", "-z0")


def told(a_job: Job, *logs: Log, looks: tuple[tuple[float, Worker | None], ...] = (), known: bool = True) -> Progress:
    facts = made.device_facts() if known else {}
    state = made.state(facts, jobs=(a_job,), logs=logs, looks=looks)
    return made.file_system().progress(state, a_job)


def counting(until: float = NOW, *, percent: int = 40) -> Log:
    """A log of a hundred seconds, a thousand blocks in each, the last line at `until`."""
    lines = [(until - 100, BEGIN), (until - 100, "\r0 blocks saved (1% complete)")]
    lines += [(until - 100 + at, f"\r{at * 500} blocks saved ({percent}% complete)") for at in range(1, 101)]
    return log(*lines, (until, "\r"), known=made.device_facts())


def ended(text: str, command: str = SAVEMETA, rc: int = 0) -> Progress:
    a_log = log((NOW - 50, text), known=made.device_facts())
    return told(job(JobState.FINISHED, command, rc=rc, size=a_log.size, ended=NOW), a_log)


def test_nothing_counted_yet_is_starting() -> None:
    assert told(job(began=NOW - 3)).phase is Phase.STARTING
    header = told(job(began=NOW - 3), log((NOW - 1, BEGIN)))
    assert (header.phase, header.counter) == (Phase.STARTING, Counter("blocks", None, LEAST, at_least=True))


def test_lines_that_come_are_work_in_blocks_with_a_finish() -> None:
    found = told(job(), counting())
    assert (found.phase, found.why) == (Phase.RUNNING, "")
    assert found.counter == Counter("blocks", 50_000, LEAST, at_least=True)
    assert found.tool_percent == 40.0
    assert found.rate == pytest.approx(50_000 / 99)  # a line counts when the next one has begun
    assert found.finish is not None
    assert found.finish.low < NOW + (LEAST - 50_000) / 500 < found.finish.high
    assert found.finish.basis == "by blocks; mean 505 blocks/s"


def test_the_address_at_its_end_is_no_share_of_the_work() -> None:
    found = told(job(), counting(percent=100))
    assert found.phase is Phase.FINISHING
    assert found.counter is not None
    assert found.counter.fraction == pytest.approx(50_000 / LEAST)


def test_a_total_that_is_not_known_makes_no_finish() -> None:
    found = told(job(), counting(), known=False)
    assert (found.phase, found.finish) == (Phase.RUNNING, None)
    assert found.no_finish == "what its counters run up to is not known yet"


STILL = tuple((NOW - 100 + 10 * at, worker()) for at in range(11))
READS = tuple((NOW - 100 + 10 * at, worker(chars=1000 + at)) for at in range(11))
GROWS = tuple((NOW - 100 + 10 * at, worker(size=1024 * at)) for at in range(11))
COMPUTES = tuple((NOW - 200 + 10 * at, worker(cpu=1.0 + at)) for at in range(21))


@pytest.mark.parametrize(
    ("silent", "looks", "phase", "why"),
    [
        (5, STILL, Phase.RUNNING, ""),
        (25, READS, Phase.QUIET, "no line for 25 s, where 1 s is usual; yet it reads"),
        (90, GROWS, Phase.QUIET, "its files grow"),
        (90, STILL, Phase.STALLED, "no line for 2 min, where 1 s is usual; nothing has moved since"),
        (25, (), Phase.QUIET, "what its process does is not known: n1 has not told of its processes yet"),
        (150, (), Phase.STALLED, "what its process does is not known"),
        (150, COMPUTES, Phase.STALLED, "it computes, and neither reads, writes nor prints anything"),
        (25, COMPUTES, Phase.QUIET, "yet it computes"),
    ],
)
def test_a_silence_is_judged_by_all_that_its_process_does(
    silent: int, looks: tuple[tuple[float, Worker], ...], phase: Phase, why: str
) -> None:
    found = told(job(began=NOW - 300), counting(NOW - silent), looks=looks)
    assert found.phase is phase
    assert why in found.why


def test_a_stopped_process_is_a_stall_at_once_and_its_next_line_the_end_of_it() -> None:
    looks = ((NOW - 12, worker()), (NOW - 2, worker(state="T")))
    stopped = told(job(), counting(NOW - 4), looks=looks)
    assert stopped.phase is Phase.STALLED
    assert "kill -CONT 77 lets it go on" in stopped.why
    assert (stopped.finish, stopped.no_finish) == (None, "it stands still")
    assert told(job(), counting(NOW - 1), looks=looks).phase is Phase.RUNNING
    # a line that it had printed before may be read after the first look that finds it stopped: the next one decides
    again = ((NOW - 22, worker()), (NOW - 12, worker(state="T")), (NOW - 2, worker(state="T")))
    assert told(job(), counting(NOW - 11), looks=again).phase is Phase.STALLED


def test_a_process_that_is_gone_before_its_job_has_told_is_finishing() -> None:
    found = told(job(), counting(NOW - 12), looks=((NOW - 12, worker()), (NOW - 2, None)))
    assert found.phase is Phase.FINISHING
    assert "its process was gone" in found.why


def test_the_figures_of_its_process_are_told_in_a_line_and_all_of_them_in_doubt() -> None:
    looks = ((NOW - 12, worker()), (NOW - 2, worker(chars=2 << 20, written=512 << 10, size=256 << 10)))
    runs = told(job(), counting(), looks=looks)
    assert [(line.label, line.value) for line in runs.evidence] == [
        ("process", "60.5 MiB of memory at its peak; 2 MiB read, 512 KiB written; its file has 256 KiB")
    ]
    stalls = told(job(), counting(NOW - 90), looks=STILL)
    assert [line.label for line in stalls.evidence] == ["process", "memory", "I/O", "CPU", "output"]


@pytest.mark.parametrize("release", ["317", "330", "350"])
def test_a_savemeta_that_saved_all_is_finished_and_said_to_be_unverified(release: str) -> None:
    found = ended(text_of(f"savemeta_{release}"))
    assert found.phase is Phase.FINISHED
    assert "gzip -t" in found.why
    assert found.counter == Counter("blocks", SAVED, LEAST, at_least=True)
    assert found.finish is None


@pytest.mark.parametrize(
    ("rc", "began", "phase", "why"),
    [
        (0, NOW + 1, Phase.FINISHED, "exit code 0; gzip -t read its file to the end, and no fewer blocks were saved"),
        (1, NOW + 1, Phase.FAILED, f"exit code 0, yet gzip -t does not find {OUT} whole"),
        (0, NOW - 1, Phase.FINISHED, "still to be looked at: gzip -t"),
        (None, NOW + 1, Phase.FINISHED, "still to be looked at: gzip -t"),
    ],
    ids=["whole", "broken", "before it was written", "not ended"],
)
def test_a_file_that_gzip_has_read_to_its_end_is_held_to_it(
    rc: int | None, began: float, phase: Phase, why: str
) -> None:
    a_log = log((NOW - 50, text_of("savemeta_350")), known=made.device_facts())
    done = job(JobState.FINISHED, rc=0, size=a_log.size, ended=NOW)
    state = JobState.RUNNING if rc is None else JobState.FINISHED
    test = job(state, f"gzip -t {OUT}", rc=rc, began=began)
    test = msgspec.structs.replace(test, status=msgspec.structs.replace(test.status, id="j2"))
    found = made.file_system().progress(made.state(made.device_facts(), jobs=(done, test), logs=(a_log,)), done)
    assert found.phase is phase
    assert why in found.why
    assert found.warned is ("to be looked at" in why)


@pytest.mark.parametrize(
    ("text", "command", "why"),
    [
        ("savemeta_350_no_gfs2", SAVEMETA, "exit code 0, yet 1 block was saved"),
        (
            "savemeta_350_uncompressed_disk_full",
            PLAIN,
            "exit code 0, yet its log does not tell that it came to",
        ),
    ],
)
def test_an_exit_code_of_0_is_no_success_where_the_text_speaks_against_it(text: str, command: str, why: str) -> None:
    found = ended(text_of(text), command)
    assert found.phase is Phase.FAILED
    assert found.why.startswith(why)


def test_too_few_blocks_for_the_file_system_are_a_failure() -> None:
    text = f"{BEGIN}\r88000 blocks saved (100% complete)\n\nMetadata saved to file {OUT} (gzipped, level 1).\n"
    found = ended(text)
    assert (found.phase, found.why) == (
        Phase.FAILED,
        "exit code 0, yet 88,000 blocks were saved of a file system with 88,900 dinodes: it is not whole",
    )


def test_the_guard_s_sums_behind_the_last_line_do_not_hide_the_end() -> None:
    sums = "".join(f"guarded: 1 x kind {at}x\n" for at in range(300))
    found = ended(f"{text_of('savemeta_350')}guarded: 9999 lines more, 99999 bytes, in all:\n{sums}")
    assert found.phase is Phase.FINISHED


def test_a_log_that_is_not_read_to_its_end_decides_nothing() -> None:
    """What tells of all jobs may be quicker than what reads the log: that is no end that nobody knows."""
    unread = job(JobState.FINISHED, rc=0, size=500, ended=NOW)
    assert told(unread).phase is Phase.FINISHING
    assert told(msgspec.structs.replace(unread, settled_at=NOW - 25)).phase is Phase.UNKNOWN


@pytest.mark.parametrize(
    ("rc", "command", "text", "why"),
    [
        (139, FSCK, "fsck_350_no_gfs2", "exit code 139 (SEGV: the tool crashed)"),
        (143, SAVEMETA, "savemeta_350", "exit code 143 (ended by TERM)"),
        (1, SAVEMETA, "savemeta_350_relative_path", "exit code 1: Failed to open '(null)': Bad address"),
        (8, FSCK, "fsck_350_preen", "exit code 8 (an operational error)"),
        (4, REPAIR, "fsck_350", "exit code 4: errors were left as they are"),
    ],
)
def test_a_failure_is_told_by_its_signal_or_by_what_the_tool_means(rc: int, command: str, text: str, why: str) -> None:
    found = ended(text_of(text), command, rc)
    assert found.phase is Phase.FAILED
    assert why in found.why


def test_the_words_of_a_failure_stand_first_and_no_counter_stands_beside_them() -> None:
    text = (
        f"{BEGIN}\r8 blocks saved (1% complete)\r9 blocks saved (2% complete)\nwrite error: No space left on device\n"
    )
    found = ended(text, PLAIN, 255)
    assert (found.phase, found.why) == (Phase.FAILED, "exit code 255: write error: No space left on device")


def test_one_that_was_told_to_stop_is_stopped_and_says_what_it_leaves_behind() -> None:
    killed = job(JobState.FINISHED, rc=143, ended=NOW)
    state = made.state(made.device_facts(), jobs=(killed,))
    by_itself = made.file_system().progress(state, killed)
    assert by_itself.phase is Phase.FAILED
    asked = msgspec.structs.replace(state, stops={(killed.host, killed.status.id): NOW - 5})
    found = made.file_system().progress(asked, killed)
    assert found.phase is Phase.STOPPED
    assert found.why.startswith("exit code 143 (ended by TERM), as it was asked to. The file that it writes is left")


def test_what_stands_still_is_not_called_running_where_it_is_told_what_runs() -> None:
    stopped = job()
    looks = ((NOW - 12, worker()), (NOW - 2, worker(state="T")))
    state = made.state(made.device_facts(), jobs=(stopped,), logs=(counting(NOW - 4),), looks=looks)
    (line,) = made.file_system().running(state)
    assert line.label == "stalled"
    assert line.severity is Severity.WARNING


@pytest.mark.parametrize(
    ("rc", "command", "why"),
    [
        (0, FSCK, "exit code 0: no errors were found"),
        (4, FSCK, "exit code 4: errors were left as they are"),
        (1, REPAIR, "exit code 1: errors were corrected"),
    ],
)
def test_a_check_that_did_what_it_was_to_do_is_finished(rc: int, command: str, why: str) -> None:
    found = ended(text_of("fsck_350"), command, rc)
    assert (found.phase, found.why, found.warned) == (Phase.FINISHED, why, rc != 0)


def test_a_check_has_passes_and_findings_and_no_finish() -> None:
    text = text_of("fsck_350_percentages")
    middle = text[: text.index("pass1b completed")]
    found = told(job(command=FSCK), log((NOW - 2, middle), (NOW - 1, "Bad block 7 (0x7)\nBad block 8 (0x8)\nOdd 9\n")))
    assert found.phase is Phase.RUNNING
    assert found.phases[:2] == (("reconcile_bitmaps", "done"), ("pass1", "done"))
    assert found.phases[2][0] == "pass1b"
    assert found.phases[2][1].startswith("running")
    assert (found.counter, found.finish) == (None, None)
    assert found.no_finish == "a check counts nothing that its passes have in common"
    assert [line.value for line in found.evidence] == ["3 lines of 2 kinds", "2 x Bad block N", "1 x Odd N"]


def test_a_restore_counts_without_a_total() -> None:
    found = ended(text_of("restoremeta_350"), RESTORE)
    assert found.phase is Phase.FINISHED
    assert found.counter is not None
    assert (found.counter.done, found.counter.total) == (4827, None)


def test_a_restore_of_a_file_whose_savemeta_is_known_has_a_total_and_a_finish() -> None:
    saved = log((NOW - 500, text_of("savemeta_350")))
    wrote = job(JobState.FINISHED, rc=0, size=saved.size, began=NOW - 500, ended=NOW - 450)
    lines = [(NOW - 100, "This is gfs2 metadata.\n"), (NOW - 100, "\r0 blocks saved (0% complete)")]
    lines += [(NOW - 100 + at, f"\r{at * 500} blocks saved ({at // 2}% complete)") for at in range(1, 101)]
    goes_on = msgspec.structs.replace(log(*lines, (NOW, "\r")), source="job:j2")
    runs = job(command=RESTORE)
    runs = msgspec.structs.replace(runs, status=msgspec.structs.replace(runs.status, id="j2"))
    found = made.file_system().progress(made.state({}, jobs=(wrote, runs), logs=(saved, goes_on)), runs)
    assert found.counter == Counter("blocks", 50_000, SAVED)
    assert found.finish is not None
    assert found.finish.low < NOW + (SAVED - 50_000) / 505 < found.finish.high


def test_a_restore_to_a_smaller_target_is_a_failure() -> None:
    found = ended(text_of("restoremeta_350_smaller_target"), RESTORE)
    assert found.phase is Phase.FAILED
    assert "the file system has" in found.why


@pytest.mark.parametrize(
    ("state", "phase"),
    [
        (JobState.UNKNOWN, Phase.LOST),
        (JobState.LOST, Phase.LOST),
        (JobState.REBOOTED, Phase.LOST),
        (JobState.ABSENT, Phase.UNKNOWN),
        (JobState.ORPHAN, Phase.RUNNING),
    ],
)
def test_what_is_not_known_of_a_job_is_not_known_of_its_work(state: JobState, phase: Phase) -> None:
    assert told(job(state), counting()).phase is phase


def test_the_newest_that_may_run_is_shown_and_what_is_of_another_device_is_not() -> None:
    fs = made.file_system()
    old = job(JobState.FINISHED, rc=0, began=NOW - 5, ended=NOW)
    other = job(command=SAVEMETA.replace(DEVICE, "/dev/vg0/other"))
    assert fs.scan_job(made.state({}, jobs=(old,))) == old
    assert fs.scan_job(made.state({}, jobs=(other,))) is None
    assert fs.is_scan(old)
    assert not fs.is_scan(other)


def test_a_finished_run_teaches_and_a_doubtful_one_does_not() -> None:
    fs = made.file_system()
    lines = [(NOW - 200, BEGIN), (NOW - 200, "\r0 blocks saved (1% complete)")]
    lines += [(NOW - 200 + at, f"\r{at * 450} blocks saved (40% complete)") for at in range(1, 199)]
    end = f"\r{{}} blocks saved (100% complete)\n\nMetadata saved to file {OUT} (gzipped, level 1).\n"
    for saved, wanted in ((SAVED, True), (1000, False)):
        a_log = log(*lines, (NOW - 1, end.format(saved)), known=made.device_facts())
        done = job(JobState.FINISHED, rc=0, size=a_log.size, began=NOW - 200, ended=NOW)
        run = fs.finished_run(made.state(made.device_facts(), jobs=(done,), logs=(a_log,)), done)
        assert isinstance(run, FinishedRun) is wanted
        if run:
            assert (run.kind, run.site, run.seconds) == ("savemeta -z1", "5232f0dd-b8b5-4586-a2db-ed12da34ed08", 200.0)
