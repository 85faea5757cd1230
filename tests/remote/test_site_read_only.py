"""Read-only: an unarmed Site refuses before anything is sent, and what it may do leaves not a byte on the host."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from remote.command import Command, Effect
from remote.errors import RefusedError
from remote.fleet import LinkState
from remote.jobs import JobSpec, JobState
from remote.site import Chunk, FileLog, JobLog, StateSeen
from tests.conftest import Sites
from tests.openssh import Farm, Server
from tests.remote.local_host import shell_job
from tests.remote.staged_launch import read_to_end

pytestmark = pytest.mark.openssh


@pytest.fixture(scope="module")
def watched(farm: Farm) -> Server:
    """A server whose user has a home, a job base and a temporary directory that nobody else writes to."""
    shell = "bash" if os.geteuid() == 0 else "sh"  # bash reads a file of its user's even for a single command
    account = farm.account(shell)
    directory = account.directory("read-only")
    env = {}
    for name, variable in (("home", "HOME"), ("tmp", "TMPDIR"), ("jobs", "RESTRIPE_JOBS")):
        path = directory / name
        path.mkdir(mode=0o700)
        account.give(path)
        env[variable] = str(path)
    return farm.server("watched", shell=shell, env=env)


def snapshot(directory: Path) -> dict[str, tuple[int, int, int, int]]:
    """Every path below a directory, with its kind, size and the times of its content and its description."""
    seen = {}
    for root, directories, files in os.walk(directory):
        for path in (root, *(os.path.join(root, name) for name in (*directories, *files))):
            found = os.lstat(path)
            seen[path] = (found.st_mode, found.st_size, found.st_mtime_ns, found.st_ctime_ns)
    return seen


async def test_an_unarmed_site_refuses_before_anything_is_sent(server: Server, sites: Sites) -> None:
    site = sites(server)
    host = server.host
    for effect in (Effect.CHANGES, Effect.DESTROYS):
        with pytest.raises(RefusedError) as error:
            await site.query(host, Command(("true",), Effect.READS), Command(("mmdeldisk", "fs"), effect))
        assert error.value.command == "mmdeldisk fs"
    for refused in (
        site.launch(host, shell_job("refused", "true")),
        site.launch(host, JobSpec("reading", "", "", Command(("true",), Effect.READS))),
        site.stop(host, "refused"),
        site.stop(host, "refused", kill=True),
        site.seal(host, "refused"),
    ):
        with pytest.raises(RefusedError) as error:
            await refused
        assert "--write" in str(error.value)
    # not even a connection was opened for any of them
    assert site.fleet.status(host).state is LinkState.IDLE


async def test_an_armed_site_asks_no_changing_questions_either(server: Server, sites: Sites) -> None:
    site = sites(server, armed=True)
    with pytest.raises(RefusedError):
        await site.query(server.host, Command(("mmchdisk", "fs", "suspend"), Effect.CHANGES))
    assert site.fleet.status(server.host).state is LinkState.IDLE


async def test_what_must_not_be_interrupted_is_not_stopped(server: Server, sites: Sites) -> None:
    site = sites(server, armed=True)
    go = server.account.directory("uninterruptible") / "go"
    script = f'while [ ! -e "{go}" ]; do sleep 0.02; done; exit 5'
    command = Command(("sh", "-c", script), Effect.DESTROYS, interruptible=False)
    await site.launch(server.host, JobSpec("no-stop", "delete disks", "tests", command))
    for kill in (False, True):
        with pytest.raises(RefusedError) as error:
            await site.stop(server.host, "no-stop", kill=kill)
        assert error.value.command == command.text
    go.touch()
    assert (await read_to_end(site, server.host, "no-stop"))[1].rc == 5


@pytest.mark.parametrize("with_base", [True, False], ids=["base", "no-base"])
async def test_a_round_of_everything_allowed_writes_nothing(watched: Server, sites: Sites, with_base: bool) -> None:
    directory = watched.account.home / "read-only"
    host = watched.host
    log = directory / "home" / "mmrestripefs.log"
    log.write_text("10 %\n")
    base = directory / "jobs" if with_base else directory / "no-such-base"
    if with_base:
        armed = sites(watched, armed=True, base=base)
        await armed.launch(host, shell_job("before", "echo out; exit 3"))
        await read_to_end(armed, host, "before")
        await armed.close()
    before = snapshot(watched.account.home)

    site = sites(watched, base=base)
    answers = await site.query(
        host,
        Command(("sh", "-c", "echo $HOME $TMPDIR"), Effect.READS),
        Command(("sleep", "600"), Effect.READS, deadline=0.1),
        Command(("no-such-command",), Effect.READS),
        Command(("head", "-c", "3000000", "/dev/zero"), Effect.READS),
    )
    assert answers[0].stdout.decode().split() == [str(directory / "home"), str(directory / "tmp")]
    assert [answer.rc for answer in answers] == [0, 124, 127, 0]
    assert (await site.place(host)).base == str(base)
    jobs = await site.jobs(host)
    assert [(job.id, job.rc) for job in jobs] == ([("before", 3)] if with_base else [])
    if with_base:
        assert (await read_to_end(site, host, "before"))[0] == b"out\n"
    async for event in site.follow(host, FileLog(str(log))):
        assert isinstance(event, Chunk)
        assert event.data == b"10 %\n"
        break
    async for event in site.follow(host, FileLog(str(directory / "no-such-file"))):
        assert not isinstance(event, Chunk)
        break
    async for event in site.follow(host, JobLog("no-such-job")):
        assert isinstance(event, StateSeen)
        assert event.status.state is JobState.ABSENT
        break
    await site.close()

    assert snapshot(watched.account.home) == before


async def test_the_snapshot_sees_what_a_launch_writes(watched: Server, sites: Sites) -> None:
    before = snapshot(watched.account.home)
    await sites(watched, armed=True).seal(watched.host, "seen")
    assert snapshot(watched.account.home) != before
