"""Guided work on a real GFS2 over OpenSSH: what ends with success is verified, and what only says so is not."""

from __future__ import annotations

import copy
from collections.abc import Iterator

import pytest

from remote.errors import RefusedError
from remote.jobs import JobState
from supervision.filesystem import Phase
from supervision.filesystems import guides
from supervision.gfs2_jobs import Gfs2Job
from supervision.guides import Guides
from supervision.migration import Ending, StopError
from tests.gfs2_real.far import Gfs2Host, blocks_in, make_image
from tests.gfs2_real.session import OPERATOR, Time, Watched, watched
from tests.openssh import Farm
from tests.waiting import until

FILES = 3000
FAST = Time(20.0)
"""So that the end of a job is seen soon after it."""
FULL = """#!/bin/sh
# a disk that takes no more after 64 KiB: the tool is told so by every write, as by one that is full
trap '' XFSZ
case $1 in savemeta) ulimit -f 128 ;; esac
exec /usr/sbin/gfs2_edit "$@"
"""


@pytest.fixture(scope="module")
def small(farm: Farm) -> Gfs2Host:
    """A host with a small file system, which is saved in a second."""
    directory = farm.directory / "guided-image"
    directory.mkdir()
    directory.chmod(0o755)
    return Gfs2Host(farm, "guided", *make_image(directory, FILES), date=FAST.date)


@pytest.fixture
def full(small: Gfs2Host) -> Iterator[Gfs2Host]:
    """The same host while its disk is full for whatever gfs2_edit saves."""
    tool = small.server.account.script("bin/gfs2_edit", FULL)
    yield small
    tool.unlink()


def opened(session: Watched) -> Guides:
    found = guides(session.supervisor, OPERATOR)
    assert found is not None
    return found


async def performed(session: Watched, typed: str) -> str:
    """How guided work ended, and why."""
    job = opened(session).open(typed)
    await job.prepare()
    try:
        await job.run()
    except StopError as stop:
        return f"{stop.ending.value}: {stop}"
    assert isinstance(job, Gfs2Job)
    assert job.steps.ending is Ending.DONE
    return f"done: {session.state.steps[len(session.state.steps)].detail}"


async def test_a_savemeta_is_done_when_its_file_is_whole_and_its_blocks_are_as_many_as_there_are_dinodes(
    small: Gfs2Host,
) -> None:
    async with watched(small, FAST) as session:
        output = small.output("good.gz")
        ended = await performed(session, f"savemeta {output}")
        assert ended.startswith("done: ")
        assert f"{blocks_in(output):,} blocks saved" in ended
        assert [step.state for step in session.state.steps.values()] == ["done"] * 4
        again = opened(session).open(f"savemeta {output}")
        with pytest.raises(RefusedError, match="would overwrite it"):
            await again.prepare()


async def test_a_full_disk_is_a_failure_although_savemeta_ends_with_0(full: Gfs2Host) -> None:
    async with watched(full, FAST) as session:
        output = full.output("full.gz")
        ended = await performed(session, f"savemeta {output}")
        assert ended.startswith("failed: ")
        assert "unexpected end of file" in ended
        assert "remove the file" in ended
        job = session.job("savemeta")
        assert job is not None
        assert job.status.rc == 0  # which is what the tool says of it
        assert session.state.steps[2].state == "done"
        assert session.state.steps[3].state == "failed"


async def test_a_full_disk_that_savemeta_learns_of_is_a_failure_with_its_words(full: Gfs2Host) -> None:
    async with watched(full, FAST) as session:
        ended = await performed(session, f"savemeta {full.output('full.meta')} -z0")
        assert ended.startswith("failed: ")
        assert "exit code 255: " in ended
        assert "write error: " in ended
        progress = session.progress("savemeta")
        assert progress is not None
        assert progress.phase is Phase.FAILED
        assert progress.why.startswith("exit code 255: ")
        assert "write error: " in progress.why


async def test_a_file_that_is_cut_off_never_reaches_the_target(small: Gfs2Host) -> None:
    async with watched(small, FAST) as session:
        await performed(session, f"savemeta {small.output('whole.gz')}")
    whole = small.output("whole.gz").read_bytes()
    small.output("cut.gz").write_bytes(whole[: len(whole) // 2])
    target = blank(small, "target", size=small.device.stat().st_size)
    async with watched(target, FAST) as session:
        ended = await performed(session, f"restoremeta {small.output('cut.gz')}")
        assert ended.startswith("failed: ")
        assert "was left alone" in ended
        assert session.job("restoremeta") is None
        ended = await performed(session, f"restoremeta {small.output('whole.gz')}")
        assert ended.startswith("done: ")
        assert f"{blocks_in(small.output('whole.gz')):,} blocks restored" in ended
        again = opened(session).open(f"restoremeta {small.output('whole.gz')}")
        with pytest.raises(RefusedError, match="type the UUID of what may be lost"):
            await again.prepare()
        ended = await performed(session, "fsck -n")  # it has no directory for the files
        assert ended.startswith("done: ")
        assert "exit code 4" in ended
        ended = await performed(session, "fsck -y")
        assert ended.startswith("done: ")
        assert "exit code 1" in ended
        assert session.state.steps[2].command.endswith(f"-- fsck.gfs2 -y {target.device}")
        ended = await performed(session, "fsck -p")  # it is marked clean now, and only that is said
        assert "exit code 0" in ended


async def test_what_is_no_gfs2_is_not_begun(small: Gfs2Host) -> None:
    async with watched(blank(small, "blank", size=1 << 20), FAST) as session:
        for typed in (f"savemeta {small.output('nothing.gz')}", "fsck -n", "fsck -y"):
            with pytest.raises(RefusedError, match="not gfs2"):
                await opened(session).open(typed).prepare()
        with pytest.raises(StopError) as stopped:  # nor where nobody has looked before
            await opened(session).open("fsck -y").run()
        assert stopped.value.ending is Ending.REFUSED
        assert not session.state.jobs


async def test_a_work_that_was_stopped_says_by_which_signal_and_what_it_leaves(small: Gfs2Host) -> None:
    tool = small.server.account.script("bin/fsck.gfs2", "#!/bin/sh\necho Initializing fsck\nexec sleep 1000\n")
    async with watched(small, FAST) as session:
        job = opened(session).open("fsck -y")
        running = session.supervisor.start("migration", job.run())
        await until(lambda: "Initializing" in log_text(session))
        launched = session.job("fsck")
        assert launched is not None
        assert session.fs.may_stop(launched) == ""
        await session.supervisor.site.stop(small.name, launched.status.id)
        with pytest.raises(StopError, match=r"143 \(ended by TERM\), as it was asked to\. .*nothing may mount"):
            await running
        ended = session.state.jobs[small.name, launched.status.id]
        assert (ended.status.state, ended.status.rc) == (JobState.FINISHED, 143)
        assert not small.server.processes(f"{launched.status.id}/run")
    tool.unlink()


def log_text(session: Watched) -> str:
    """What the newest fsck has printed."""
    job = session.job("fsck")
    log = session.state.job_log(job.host, job.status.id) if job else None
    return "\n".join(log.tail) if log else ""


def blank(host: Gfs2Host, name: str, *, size: int) -> Gfs2Host:
    """The same host with an empty file for its device."""
    other = copy.copy(host)
    other.device = host.output(name)
    with other.device.open("wb") as file:
        file.truncate(size)
    host.server.account.give(other.device)
    return other
