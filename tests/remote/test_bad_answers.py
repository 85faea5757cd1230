"""Hosts that answer badly: odd bytes, floods, login shells that talk, sleep or end, sudo that does not run anything."""

from __future__ import annotations

import asyncio
import os
import signal
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from remote import live, question
from remote.command import Command, Effect
from remote.errors import AnswerLostError, GarbledError, JobError, SiteError, StillAskedError, Trouble, UnreachableError
from remote.fleet import LinkState
from remote.jobs import JobSpec, JobState
from tests.hostile import Client, asks, named, watched
from tests.openssh import Server
from tests.processes import send
from tests.remote.staged_launch import read_to_end
from tests.waiting import until

pytestmark = pytest.mark.openssh


def job(name: str, script: str) -> JobSpec:
    """A job that runs a line of shell."""
    return JobSpec(name, "a test", "tests", Command(("sh", "-c", script), Effect.CHANGES))


@pytest.fixture
def client(server: Server, tmp_path: Path) -> Client:
    return Client(server, tmp_path)


@pytest.fixture(scope="session")
def _bad() -> dict[str, Server]:
    return {}


@pytest.fixture
def bad(client: Client, _bad: dict[str, Server]) -> Server:
    """A server beside the healthy one."""
    if "bad" not in _bad:
        _bad["bad"] = client.server_of("bad-answers")
    else:
        _bad["bad"].write_config(client.config, client.server.farm.known_hosts)
    return _bad["bad"]


LINE = 3_000_000
FLOODS = {
    "a bad byte": ("printf 'a\\377\\300\\n\\0b'; printf '\\377' >&2", 6, 1),
    "a line of 3 MB": (f"head -c {LINE} /dev/zero | tr '\\0' x", LINE, 0),
    "a line of 3 MB on both": (f"head -c {LINE} /dev/zero | tee /dev/stderr", LINE, LINE),
    "100 MB on stderr": ("head -c 100000000 /dev/zero >&2; echo whole", 6, None),
    "a million short lines": ("seq 1 1000000", 6_888_896, 0),
}


@pytest.mark.parametrize("flood", FLOODS)
async def test_odd_and_large_answers(client: Client, bad: Server, flood: str) -> None:
    script, out, err = FLOODS[flood]
    site = client.site(bad.host)
    async with watched(site, client.healthy):
        answer, after = await site.query(bad.host, asks("sh", "-c", script), asks("echo", "after"))
        assert (answer.rc, len(answer.stdout), after.stdout) == (0, out, b"after\n")
        assert len(answer.stderr) == err if err is not None else len(answer.stderr) < 9 << 20
        assert site.fleet.status(bad.host).state is LinkState.UP


async def test_a_log_of_odd_bytes_and_a_line_of_three_megabytes(client: Client, bad: Server) -> None:
    site = client.site(bad.host, armed=True)
    async with watched(site, client.healthy):
        script = f"printf '\\377\\033[2J'; head -c {LINE} /dev/zero; printf '\\r\\377'; exit 4"
        await site.launch(bad.host, job("odd-log", script))
        log, status = await read_to_end(site, bad.host, "odd-log")
    assert (log, status.rc) == (b"\xff\x1b[2J" + bytes(LINE) + b"\r\xff", 4)


async def test_an_endless_answer_ends_with_its_deadline(
    client: Client, bad: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(live, "ANSWER_LIMIT", 1 << 20)
    site = client.site(bad.host)
    async with watched(site, client.healthy):
        with pytest.raises(GarbledError) as error:
            await site.query(bad.host, asks("yes", deadline=1))
        named(error.value, "larger than can be kept")
        await until(lambda: not bad.processes("yes"))


async def test_ten_questions_that_time_out_in_a_row(
    client: Client, bad: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The host does not keep the deadline, and nobody waits longer than that."""
    directory = bad.account.directory("ten")
    go, ran = directory / "go", directory / "ran"
    site = client.site(bad.host)
    commands = [
        asks("sh", "-c", f'echo {n} >>"{ran}"; while [ ! -e "{go}" ]; do sleep 0.05; done', deadline=0)
        for n in range(10)
    ]
    async with watched(site, client.healthy):
        await site.query(bad.host, asks("true"))
        monkeypatch.setattr(live, "NETWORK_SECONDS", 0.3 - question.KILL_AFTER)
        for command in commands:
            with pytest.raises(AnswerLostError) as error:
                await site.query(bad.host, command)
            named(error.value, "no answer within 0.3 s", "not asked again until it has ended")
        assert site.fleet.status(bad.host).state is LinkState.UP
        before = ran.read_text()
        go.touch()
        await until(lambda: not bad.processes("ten/"))
        monkeypatch.setattr(live, "NETWORK_SECONDS", 15.0)
        assert ran.read_text() == before
        assert len(before.split()) == len(set(before.split())) >= 7  # eight channels, one may still open
        answers = await asyncio.gather(*(site.query(bad.host, command) for command in commands))
        assert [answer.rc for (answer,) in answers] == [0] * 10
    assert "no more sessions" not in bad.log_text()


async def test_a_server_with_fewer_sessions_than_we_want(client: Client) -> None:
    server = client.server_of("sessions", settings="MaxSessions 3")
    directory = server.account.directory("sessions")
    go, ran = directory / "go", directory / "ran"
    site = client.site(server.host)
    async with watched(site, client.healthy):
        script = f'while [ ! -e "{go}" ]; do sleep 0.05; done'
        asked = [
            asyncio.create_task(site.query(server.host, asks("sh", "-c", f'echo {n} >>"{ran}"; {script}')))
            for n in range(6)
        ]
        await until(lambda: sum(task.done() for task in asked) == 3)
        errors = [task.exception() for task in asked if task.done()]
        for error in errors:
            assert isinstance(error, UnreachableError)
            assert error.trouble is Trouble.BUSY
            named(error, "MaxSessions")
        go.touch()
        await asyncio.gather(*asked, return_exceptions=True)
        # short questions only wait for each other
        answers = await asyncio.gather(*(site.query(server.host, asks("echo", str(n))) for n in range(12)))
        assert [answer.stdout for (answer,) in answers] == [f"{n}\n".encode() for n in range(12)]
        assert site.fleet.status(server.host).state is LinkState.UP
    assert len(ran.read_text().split()) == 3


async def test_a_shell_killed_on_the_host_leaves_the_question_under_way(client: Client, bad: Server) -> None:
    directory = bad.account.directory("shell-killed")
    go, ran = directory / "go", directory / "ran"
    command = asks("sh", "-c", f'exec >&- 2>&-; echo ran >>"{ran}"; while [ ! -e "{go}" ]; do sleep 0.02; done')
    site = client.site(bad.host)
    async with watched(site, client.healthy):
        asked = asyncio.create_task(site.query(bad.host, command))
        await until(ran.exists)
        send([pid for pid in bad.processes("/bin/sh -s") if pid in bad.processes("sh -s")], signal.SIGKILL)
        send(bad.processes("timeout"), signal.SIGKILL)  # it would hold the channel open
        with pytest.raises(AnswerLostError) as error:
            await asked
        named(error.value, "signal KILL")
        with pytest.raises(StillAskedError):
            await site.query(bad.host, command)
        go.touch()
        await until(lambda: not bad.processes("shell-killed"))
        assert (await site.query(bad.host, command))[0].rc == 0
    assert ran.read_text() == "ran\nran\n"


def with_bashrc(client: Client, name: str, text: str) -> Server:
    """A server whose user's bash reads that at each login."""
    account = client.server.farm.account("bash")
    home = account.directory(f"home-{name}")
    (home / ".bashrc").write_text(text.replace("HOME", str(home)))
    return client.server_of(name, shell="bash", env={"HOME": str(home)})


async def test_a_bashrc_that_talks(client: Client) -> None:
    noise = "printf 'J1 \\377\\n'; head -c 3000000 /dev/zero; seq 1 100000 >&2; printf 'no end'\n"
    server = with_bashrc(client, "rc-talks", noise)
    site = client.site(server.host, armed=True)
    async with watched(site, client.healthy):
        (answer,) = await site.query(server.host, asks("sh", "-c", "echo out; echo err >&2; exit 3"))
        assert (answer.rc, answer.stdout, answer.stderr) == (3, b"out\n", b"err\n")


@pytest.mark.parametrize("ends", ["exit 0", "exit 7", "echo 'This account is closed.'; exit 1", "exec cat >/dev/null"])
async def test_a_bashrc_that_ends_the_shell(client: Client, ends: str) -> None:
    server = with_bashrc(client, f"rc-ends-{ends.split()[1].strip(chr(39))}-{len(ends)}", f"{ends}\n")
    site = client.site(server.host)
    async with watched(site, client.healthy):
        with pytest.raises(GarbledError) as error:
            await site.query(server.host, asks("mmlscluster"))
        named(error.value, "start-up file")
        assert ("account is closed" in str(error.value)) == ("closed" in ends)
        with pytest.raises(SiteError) as other:
            await site.jobs(server.host)
        named(other.value)


async def test_a_bashrc_that_sleeps_runs_nothing_that_was_given_up(
    client: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its script waits in the pipe. When the shell gets round to it, nobody wants its answer any more."""
    server = with_bashrc(client, "rc-sleeps", "while [ ! -e 'HOME/go' ]; do sleep 0.02; done\n")
    home = server.account.home / "home-rc-sleeps"
    directory = server.account.directory("rc-sleeps")
    first, second = (asks("sh", "-c", f'echo ran >>"{directory}/{name}"', deadline=1) for name in ("1", "2"))
    site = client.site(server.host)
    async with watched(site, client.healthy):
        monkeypatch.setattr(live, "NETWORK_SECONDS", 0.5 - question.KILL_AFTER)
        with pytest.raises(AnswerLostError) as error:
            await site.query(server.host, first)
        named(error.value)
        asked = asyncio.create_task(site.query(server.host, second))
        # its shell is there, so the server has read before that the first channel is closed
        await until(lambda: len(server.processes("RESTRIPE_Q=")) == 2)
        with pytest.raises(AnswerLostError):
            await asked
        monkeypatch.setattr(live, "NETWORK_SECONDS", 15.0)
        (home / "go").touch()
        await until(lambda: not server.processes("sh"))
        assert not (directory / "1").exists()
        assert (await site.query(server.host, first))[0].rc == 0
    assert (directory / "1").read_text() == "ran\n"


SUDO = {
    "refused": ("echo 'Sorry, user u is not allowed to execute /bin/x as root on h.' >&2; exit 1", "not allowed"),
    "unknown": ("echo 'u is not in the sudoers file.  This incident will be reported.' >&2; exit 1", "not in the"),
    "password": ("echo 'sudo: a password is required' >&2; exit 1", "a password is required"),
    "requiretty": ("echo 'sudo: sorry, you must have a tty to run sudo' >&2; exit 1", "must have a tty"),
    "broken": ("echo 'sudo: no valid sudoers sources found, quitting' >&2; exit 1", "no valid sudoers"),
}


def with_sudo(client: Client, name: str, text: str) -> Server:
    """A server that finds that sudo first."""
    account = client.server.account
    tools = account.directory(f"tools-{name}")
    account.script(f"tools-{name}/sudo", f"#!/bin/sh\n{text}\n")
    return client.server_of(name, env={"PATH": f"{tools}:/usr/bin:/bin"})


@pytest.mark.parametrize("case", SUDO)
async def test_a_sudo_that_does_not_run_the_command_is_named(client: Client, case: str) -> None:
    text, said = SUDO[case]
    server = with_sudo(client, f"sudo-{case}", f'echo "we trust you: $*" >&2\n{text}')
    site = client.site(server.host, sudo=True)
    async with watched(site, client.healthy):
        with pytest.raises(UnreachableError) as error:
            await site.query(server.host, asks("mmlscluster", privileged=True))
        assert error.value.trouble is Trouble.SUDO
        named(error.value, said, "mmlscluster", "sudoers")
        # what needs no sudo is answered, and what came beside a refusal is kept
        refused, plain = await site.query(server.host, asks("id", privileged=True), asks("echo", "plain"))
        assert (refused.rc, plain.stdout) == (1, b"plain\n")
        assert said.encode() in refused.stderr
        assert site.fleet.status(server.host).state is LinkState.UP


async def test_a_sudo_that_is_not_there_is_named(client: Client) -> None:
    server = client.server_of("sudo-none", env={"PATH": "/nonexistent"})
    tools = server.account.directory("tools-none")
    for tool in ("timeout", "grep", "id"):
        (tools / tool).symlink_to(f"/usr/bin/{tool}")
    server.stop()
    server.set_environment({"PATH": str(tools)})
    server.start()
    site = client.site(server.host, sudo=True)
    # the directories that are searched after PATH hold no sudo either
    async with watched(site, client.healthy):
        with pytest.raises(UnreachableError) as error:
            await site.query(server.host, asks("id", privileged=True))
        assert error.value.trouble is Trouble.SUDO
        named(error.value, "sudo")


async def test_a_sudo_that_hangs_ends_with_the_deadline(client: Client) -> None:
    server = with_sudo(client, "sudo-hangs", "exec sleep 600")
    site = client.site(server.host, sudo=True)
    async with watched(site, client.healthy):
        (answer,) = await site.query(server.host, asks("id", privileged=True, deadline=0.5))
        assert answer.timed_out
        await until(lambda: not server.processes("sleep 600"))


async def test_a_command_that_fails_under_sudo_is_not_called_refused(client: Client) -> None:
    server = with_sudo(client, "sudo-warns", 'echo "sudo: unable to resolve host h" >&2; shift; exec "$@"')
    site = client.site(server.host, sudo=True)
    async with watched(site, client.healthy):
        for script in ("exit 1", "echo 'mmlsfs: unknown' >&2; exit 1"):
            (answer,) = await site.query(server.host, asks("sh", "-c", script, privileged=True))
            assert answer.rc == 1


@pytest.fixture
def full(server: Server) -> Iterator[Path]:
    """A job base without one free block."""
    if os.geteuid() != 0:
        pytest.skip("only root can mount a small file system to fill")
    base = server.account.directory("full")
    options = f"size=64k,mode=700,uid={server.account.uid}"
    done = subprocess.run(["mount", "-t", "tmpfs", "-o", options, "none", base], capture_output=True, check=False)
    if done.returncode != 0:
        pytest.skip(f"a tmpfs cannot be mounted here: {done.stderr.decode()}")
    with (base / "filler").open("wb", buffering=0) as file:
        try:
            while file.write(bytes(4096)):
                pass
        except OSError:
            pass
    yield base
    subprocess.run(["umount", "-l", base], check=True)
    base.rmdir()


async def test_no_room_for_a_job_is_named_and_nothing_runs(client: Client, full: Path) -> None:
    site = client.site(armed=True, base=full)
    host = client.healthy
    ran = client.server.account.home / "ran-on-full"
    async with watched(site, host):
        spec = job("no-room", f'touch "{ran}"')
        with pytest.raises(JobError) as error:
            await site.launch(host, spec)
        named(error.value, "no space", spec.command.text, "Nothing was run")
        with pytest.raises(JobError) as sealing:
            await site.seal(host, "no-room")
        named(sealing.value, "no space")
        (full / "filler").unlink()
        status = await site.launch(host, spec)
        assert (await read_to_end(site, host, "no-room"))[1].rc == 0, status
    assert ran.exists()


@pytest.mark.parametrize("seconds", [3600, -3600])
async def test_a_host_whose_clock_is_an_hour_off(client: Client, seconds: int) -> None:
    account = client.server.account
    tools = account.directory(f"clock{seconds}")
    account.script(f"clock{seconds}/date", f"#!/bin/sh\necho $(($(/bin/date +%s) + {seconds}))\n")
    server = client.server_of(f"clock{seconds}", env={"PATH": f"{tools}:/usr/bin:/bin"})
    site = client.site(server.host, armed=True)
    async with watched(site, client.healthy):
        name = f"clock-{abs(seconds)}-{seconds > 0}"
        status = await site.launch(server.host, job(name, "echo out; exit 3"))
        assert status.state in (JobState.RUNNING, JobState.FINISHED)
        log, status = await read_to_end(site, server.host, name)
        assert (log, status.state, status.rc) == (b"out\n", JobState.FINISHED, 3)
        assert status.began is not None
        assert abs(status.began - site.clock.now() - seconds) < 300
        assert (await site.launch(server.host, job(name, "echo out; exit 3"))).rc == 3


@pytest.mark.parametrize("shell", ["tcsh", "ksh93"])
async def test_jobs_under_other_login_shells(client: Client, shell: str) -> None:
    server = client.server_of(f"login-{shell}", shell=shell)
    site = client.site(server.host, armed=True)
    async with watched(site, client.healthy):
        await site.launch(server.host, job(f"login-{shell}", 'echo "it\'s !! $0"; sleep 600'))
        await site.stop(server.host, f"login-{shell}", kill=True)
        log, status = await read_to_end(site, server.host, f"login-{shell}")
        assert (log.splitlines()[0], status.state, status.rc) == (b"it's !! sh", JobState.FINISHED, 137)
