"""Where jobs may be kept, what a full disk does, and what is said of directories that are damaged."""

from __future__ import annotations

import asyncio
import os
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from remote.command import Command, Effect
from remote.errors import JobError, RefusedError
from remote.jobs import JobSpec, JobState
from tests.remote.local_host import HOST, LocalHost, in_shells, shell_job
from tests.remote.staged_launch import read_to_end
from tests.waiting import until

SHARED = {
    "gpfs": "47504653",
    "lustre": "bd00bd0",
    "gfs2": "1161970",
    "nfs": "6969",
    "cifs": "ff534d42",
    "smb2": "fe534d42",
}


@pytest.fixture
def small(host: LocalHost) -> Iterator[Path]:
    """A file system of 2 MB as the job base."""
    if os.geteuid() != 0:
        pytest.skip("only root can mount a small file system to fill")
    host.base.mkdir(mode=0o700)
    command = ["mount", "-t", "tmpfs", "-o", "size=2m,mode=700", "none", str(host.base)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        pytest.skip(f"a tmpfs cannot be mounted here: {done.stderr}")
    yield host.base
    subprocess.run(["umount", "-l", str(host.base)], check=True)


def fill(directory: Path) -> None:
    """Leave not one block free, down to the last byte of the last one."""
    with (directory / "filler").open("wb", buffering=0) as file:
        for size in (1 << 16, 1 << 12, 1):
            try:
                while True:
                    file.write(b"\0" * size)
            except OSError:
                continue


async def refused(host: LocalHost) -> str:
    """Why a launch and a seal are refused; nothing was run."""
    with pytest.raises(JobError) as seal:
        await host.site.seal(HOST, "refused")
    with pytest.raises(JobError) as launch:
        await host.launch("refused", f"touch {host.directory}/ran")
    assert not (host.directory / "ran").exists()
    assert launch.value.note == seal.value.note
    return launch.value.note


@pytest.mark.parametrize(
    ("host", "mode"),
    [("bash-posix", 0o770), ("dash", 0o720), ("busybox", 0o702), ("ksh93", 0o1777)],
    indirect=["host"],
    ids=str,
)
async def test_a_base_that_others_may_write_is_refused(host: LocalHost, mode: int) -> None:
    host.base.mkdir()
    host.base.chmod(mode)
    assert await refused(host) == "base_writable"


@in_shells("bash-posix", "mksh")
async def test_a_base_below_one_that_others_may_write_is_refused(host: LocalHost) -> None:
    above = host.directory / "above"
    above.mkdir()
    host.env["RESTRIPE_JOBS"] = str(above / "more" / "jobs")
    above.chmod(0o777)
    assert await refused(host) == "base_writable"
    above.chmod(0o1777)  # as /tmp is: nobody can take another's directory away
    assert (await host.launch("fine", "exit 0")).state in (JobState.RUNNING, JobState.FINISHED)


async def test_a_link_to_a_base_is_judged_by_what_it_leads_to(dash: LocalHost) -> None:
    real = dash.directory / "real"
    real.mkdir()
    real.chmod(0o770)
    dash.base.symlink_to(real)
    assert await refused(dash) == "base_writable"
    real.chmod(0o700)
    assert (await dash.launch("fine", "exit 0")).state in (JobState.RUNNING, JobState.FINISHED)


@in_shells("bash-posix", "bash")
async def test_a_relative_base_is_refused(host: LocalHost) -> None:
    host.env["RESTRIPE_JOBS"] = "jobs"
    assert await refused(host) == "base_relative"
    with pytest.raises(JobError) as error:
        await host.site.place(HOST)
    assert error.value.note == "base_relative"


@in_shells("bash-posix", "ksh93")
async def test_a_base_of_another_user_is_refused(host: LocalHost) -> None:
    if os.geteuid() != 0:
        pytest.skip("only root can give a directory to another user")
    host.base.mkdir(mode=0o700)
    os.chown(host.base, 65534, -1)
    assert await refused(host) == "base_owner"


@in_shells("bash-posix", "busybox")
async def test_a_shared_file_system_is_refused(host: LocalHost) -> None:
    for magic in SHARED.values():
        host.tool("stat", f"echo {magic}")
        assert await refused(host) == "base_shared_fs", magic
    host.tool("stat", "exit 1")
    assert await refused(host) == "base_unknown_fs"
    host.tool("stat", "echo ef53")
    assert (await host.launch("fine", "exit 0")).state in (JobState.RUNNING, JobState.FINISHED)


async def test_the_base_is_the_clients_word_then_the_hosts_then_the_users(dash: LocalHost) -> None:
    own = str(dash.directory / "own")
    assert (await dash.site_with_base(own).place(HOST)).base == own
    assert (await dash.site.place(HOST)).base == str(dash.base)
    del dash.env["RESTRIPE_JOBS"]
    usual = "/var/lib/restripe" if os.geteuid() == 0 else f"{dash.directory}/.local/state/restripe"
    assert (await dash.site.place(HOST)).base == usual


async def test_on_a_full_disk_nothing_is_launched(host: LocalHost, small: Path) -> None:
    await host.launch("before", "exit 4")
    await read_to_end(host.site, HOST, "before")
    fill(small)
    with pytest.raises(JobError) as launch:
        await host.launch("full", f"touch {host.directory}/ran")
    assert launch.value.note in ("no_space_or_io", "mkdir")
    with pytest.raises(JobError):
        await host.site.seal(HOST, "full")
    assert not (host.directory / "ran").exists()
    assert (await host.state("before")).rc == 4
    # and when there is space again, the very same launch goes through
    (small / "filler").unlink()
    await host.launch("full", f"touch {host.directory}/ran")
    await until((host.directory / "ran").exists)


@in_shells("bash-posix", "dash", "ksh93")
async def test_an_attached_file_that_does_not_fit_refuses_the_launch(host: LocalHost, small: Path) -> None:
    files = [(f"part{index}", "x" * 90_000) for index in range(25)]
    with pytest.raises(JobError) as error:
        await host.launch("large", f"touch {host.directory}/ran", *files)
    assert error.value.note == "no_space_or_io"
    assert not (host.directory / "ran").exists()
    assert not list((small / "large").iterdir())


async def test_the_exit_code_is_kept_when_the_log_fills_the_disk(host: LocalHost, small: Path) -> None:
    await host.launch("noisy", "cat /dev/zero; exit 41")
    log, status = await read_to_end(host.site, HOST, "noisy")
    assert (status.state, status.rc, status.size, status.free_kb) == (JobState.FINISHED, 41, len(log), 0)
    assert len(log) > 1 << 20


@in_shells("bash-posix", "mksh")
async def test_a_job_directory_that_cannot_be_finished_runs_nothing(host: LocalHost) -> None:
    """The link is won and then the directory is in the way of itself: the code and the log say what happened."""
    (host.base / "odd").mkdir(parents=True, mode=0o700)
    (host.base / "odd" / "run").touch()
    await host.launch("odd", f"touch {host.directory}/ran")
    log, status = await read_to_end(host.site, HOST, "odd")
    assert (status.state, status.rc) == (JobState.FINISHED, 126)
    assert b"nothing was run" in log
    assert not (host.directory / "ran").exists()


@in_shells("bash-posix", "ksh93")
async def test_every_job_is_listed_with_what_it_is(host: LocalHost) -> None:
    title, operator = "Löschen von 'nsd1'\n\t\"x\" \\", "Ålice"
    command = Command(("sh", "-c", "exit 2\n"), Effect.DESTROYS, interruptible=False)
    await host.site.launch(HOST, JobSpec("full.1", title, operator, command))
    await read_to_end(host.site, HOST, "full.1")
    await host.site.seal(HOST, "sealed-2")
    (host.base / "not a job").mkdir()
    (host.base / "file").touch()
    listed = {job.id: job for job in await host.site.jobs(HOST)}
    assert set(listed) == {"full.1", "sealed-2"}
    job = listed["full.1"]
    assert (job.state, job.rc, job.title, job.operator) == (JobState.FINISHED, 2, title, operator)
    assert (job.command, job.effect, job.interruptible) == (command.text, Effect.DESTROYS, False)
    assert listed["sealed-2"].state is JobState.SEALED


@in_shells("bash-posix", "busybox")
async def test_a_long_command_is_listed_whole_and_not_interrupted(host: LocalHost) -> None:
    """mmdeldisk with hundreds of disks: stopping it half-way must stay refused."""
    disks = ";".join(f"nsd_{number:05}" for number in range(6000))
    command = Command(("sh", "-c", "sleep 600", disks), Effect.DESTROYS, interruptible=False)
    await host.site.launch(HOST, JobSpec("long", "t", "o", command))
    (job,) = await host.site.jobs(HOST)
    assert (job.command, job.interruptible) == (command.text, False)
    with pytest.raises(RefusedError):
        await host.site.stop(HOST, "long")


async def test_damaged_jobs_are_listed_too(host: LocalHost) -> None:
    whole = shell_job("whole", "exit 0")
    await host.site.launch(HOST, whole)
    await read_to_end(host.site, HOST, "whole")
    damage = {
        "empty": {},
        "no-claim": {"started": ""},
        "odd-claim": {"started": "run 1 2 3 4 5 6 7\n"},
        "binary-claim": {"started": "\x01\x02 \x03"},
        "odd-rc": {"started": "run 1 1 x 5\n", "rc.x y.z": ""},
        "half-rc": {"started": "run 1 1 x 5\n", "rc.": ""},
        "odd-about": {"started": "sealed 0 0 x 7\n", "about": "{"},
        "only-rc": {"rc.3.1700000000": ""},
    }
    for name, files in damage.items():
        (host.base / name / "run").mkdir(parents=True)
        for file, text in files.items():
            (host.base / name / ("run/about" if file == "about" else file)).write_text(text)
    listed = {job.id: job for job in await host.site.jobs(HOST)}
    assert set(listed) == {"whole", *damage}
    assert {name: listed[name].state for name in damage} == {
        "empty": JobState.ABSENT,
        "no-claim": JobState.LOST,
        "odd-claim": JobState.LOST,
        "binary-claim": JobState.LOST,
        "odd-rc": JobState.REBOOTED,
        "half-rc": JobState.REBOOTED,
        "odd-about": JobState.SEALED,
        "only-rc": JobState.FINISHED,
    }
    assert listed["only-rc"].rc == 3
    with pytest.raises(RefusedError):  # nobody can tell that this may be interrupted
        await host.site.stop(HOST, "odd-about")

    async def settled(name: str) -> None:
        assert (await host.state(name)).state is listed[name].state
        if name != "empty":  # whatever is damaged, nothing is run a second time
            assert (await host.launch(name, f"touch {host.directory}/ran")).state is listed[name].state

    await asyncio.gather(*map(settled, damage))
    assert not (host.directory / "ran").exists()
