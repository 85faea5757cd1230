"""A live session learns from finished runs, tells that in its recording, and keeps those that end."""

from __future__ import annotations

import asyncio

from remote.events import Answered, Asked, Exact, Header, JobChanged, LogRead, Reply
from remote.gpfs.commands import mmdf, mmlscluster
from remote.jobs import JobState, JobStatus
from remote.recorder import RecordingSite
from remote.recording import VERSION
from supervision.eta_rates import Calibration
from supervision.eta_runs import FinishedRun, calibrated
from supervision.gpfs import GpfsFileSystem
from supervision.journal import Journal
from supervision.learning import Learning
from supervision.store import Store
from supervision.supervisor import Supervisor
from tests.supervision.gpfs_states import DONE, FS, USER_FILES, counted
from tests.supervision.scripted_site import ScriptedSite

KIND, SITE = "mmrestripefs -r", "c.example.com"
LATE = (0.5, 1.5)
RUNS = (
    *(FinishedRun(KIND, SITE, 1000.0 * number, 500.0, LATE) for number in range(1, 11)),
    FinishedRun(KIND, "another.example.com", 99_000.0, 500.0, (-3.0,)),
)
CLUSTER = f"""
GPFS cluster information
========================
  GPFS cluster name:         {SITE}
  GPFS cluster id:           13882357191189485225
  GPFS UID domain:           {SITE}
  Remote shell command:      /usr/bin/ssh
  Remote file copy command:  /usr/bin/scp

 Node  Daemon node name  IP address  Admin node name  Designation
-------------------------------------------------------------------
   1   n1.example.com    10.0.0.1    n1.example.com   quorum-manager
"""
COMMAND = f"mmrestripefs {FS} -r"


async def test_what_runs_of_this_site_taught_is_told_once_and_a_run_that_ends_is_kept_once() -> None:
    site = ScriptedSite("n1")
    journal = Journal(Store(Header(VERSION, "0", 0.0, 1000.0, FS, ("n1",), "n1")))
    kept: list[FinishedRun] = []

    async def keep(run: FinishedRun) -> None:
        kept.append(run)

    async with Supervisor(RecordingSite(site, journal.emit), journal, fs=FS, entry="n1") as supervisor:
        Learning(supervisor, GpfsFileSystem(FS, "n1"), RUNS, keep)
        for number in (1, 2):
            journal.emit(Asked(1000.0, number, "n1", (mmlscluster(),)))
            journal.emit(Answered(1001.0, number, (Reply(0, Exact(CLUSTER.encode())),)))
            await asyncio.sleep(0)  # lets no time pass: what was called soon has its turn
        journal.emit(Asked(1001.0, 3, "n1", (mmdf(FS),)))
        journal.emit(Answered(1001.5, 3, (Reply(1, Exact(b""), Exact(b"busy")),)))  # so the percentage has to do
        expected = calibrated([LATE] * 10)
        assert dict(journal.store.state.calibrations) == {KIND: expected}
        assert expected.above > 1.0  # they ended late
        assert expected.runs == 10
        lines = [
            USER_FILES,
            *(counted(10_000 * number, float(number)) for number in range(1, 100)),
            " 100.00 % complete on x",
            DONE,
        ]
        running = JobStatus("j1", JobState.RUNNING, began=1000.0, command=COMMAND)
        journal.emit(JobChanged(1002.0, "n1", running))
        offset = 0
        for number, line in enumerate(lines):
            data = f"{line}\n".encode()
            journal.emit(LogRead(1100.0 + 100 * number, "n1", "job:j1", offset, Exact(data)))
            offset += len(data)
        ended = JobStatus("j1", JobState.FINISHED, 0, 1000.0, 11_200.0, offset, command=COMMAND)
        for at in (11_201.0, 11_202.0):
            journal.emit(JobChanged(at, "n1", ended))
        await asyncio.sleep(0)  # lets no time pass: the task that keeps it has its turn
        assert [(run.kind, run.site, run.seconds) for run in kept] == [(KIND, SITE, 10_200.0)]
        log = journal.store.state.job_log("n1", "j1")
        assert log is not None
        assert log.forecasts.estimator is not None
        assert log.forecasts.estimator.calibration == expected != Calibration()
