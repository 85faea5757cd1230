"""Signs of life for a job that wants them, and the schedule of limits as the job that it is."""

from __future__ import annotations

from remote.gpfs import commands as gpfs
from remote.gpfs.schedule import SCRIPT, schedule, script
from remote.jobs import JobSpec, JobState
from remote.site import JobLog
from tests.remote.local_host import HOST, LocalHost, in_shells
from tests.waiting import until

TIGHT = gpfs.mmchqos_enable("fs1", {"system": {"maintenance": "300IOPS"}})
FREE = gpfs.mmchqos_enable("fs1", {"system": {"maintenance": "unlimited"}})


@in_shells("bash-posix", "dash")
async def test_a_running_job_is_told_that_it_is_watched_and_an_ended_one_is_left_alone(host: LocalHost) -> None:
    await host.launch("watched", "trap 'exit 3' TERM; echo ready; while :; do sleep 600 & wait; done")
    await host.says("watched", b"ready\n")
    status = await host.site.renew(HOST, "watched")
    assert (status.state, status.note) == (JobState.RUNNING, "")
    (told,) = (host.base / "watched" / "renewed").read_text().split()
    began = (await host.state("watched")).began
    assert began is not None
    assert int(told) >= began
    await host.site.stop(HOST, "watched")
    await until(lambda: list((host.base / "watched").glob("rc.*")))
    (host.base / "watched" / "renewed").unlink()
    assert (await host.site.renew(HOST, "watched")).state is JobState.FINISHED
    assert not (host.base / "watched" / "renewed").exists()
    assert (await host.site.renew(HOST, "never")).state is JobState.ABSENT
    assert not (host.base / "never").exists()


async def test_a_schedule_that_is_told_to_end_restores_and_is_not_cut_in_the_middle_of_it(host: LocalHost) -> None:
    ran, go = host.directory / "ran", host.directory / "go"
    # the second mmchqos takes until the signal has been sent, and would show if that had reached it
    host.tool("mmchqos", f'echo "$*" >>"{ran}"; while [ ! -e "{go}" ]; do sleep 0.02; done; echo "done $3" >>"{ran}"')
    scan = host.base / "scan"
    scan.mkdir(parents=True)
    host.base.chmod(0o700)
    command = schedule(
        str(host.base / "kept" / "run" / SCRIPT), "fs1", str(scan), days="1234567", begin=0, end=24 * 60 - 1,
        tight=TIGHT, free=TIGHT, earlier=(FREE,),
    )  # fmt: skip
    await host.site.launch(HOST, JobSpec("kept", "t", "tests", command, ((SCRIPT, script()),)))
    await until(ran.exists)
    await host.site.stop(HOST, "kept")
    go.touch()
    async for _event in host.site.follow(HOST, JobLog("kept")):
        pass
    status, log = await host.look("kept")
    assert (status.state, status.rc) == (JobState.FINISHED, 0)
    tight, free = "pool=system,maintenance=300IOPS", "pool=system,maintenance=unlimited"
    assert ran.read_text().splitlines() == [
        f"fs1 --enable {tight}",
        f"done {tight}",
        f"fs1 --enable {free}",
        f"done {free}",
    ]
    assert log.endswith(f"restored (told to end): mmchqos fs1 --enable {free}\n".encode())
