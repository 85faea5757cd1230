"""SSH servers that keep the protocol and nothing else: closed channels, missing statuses, floods, spiteful words."""

from __future__ import annotations

import logging
from collections.abc import Awaitable, Callable
from pathlib import Path

import asyncssh
import pytest

from remote import live, question
from remote.errors import AnswerLostError, GarbledError, SiteError, StillAskedError, Trouble, UnreachableError
from remote.fleet import LinkState
from tests.hostile import Client, Hostile, Process, asks, describe, named, ssh_host, watched
from tests.openssh import Server
from tests.waiting import until

pytestmark = pytest.mark.openssh

SPITE = "\x1b]0;owned\x07\x1b[2J\u202egnp.exe [red]markup[/red]"


@pytest.fixture
def client(server: Server, tmp_path: Path) -> Client:
    return Client(server, tmp_path)


async def says_nothing(process: Process) -> None:
    process.exit(0)


async def closes_without_a_status(process: Process) -> None:
    await process.stdin.read()
    process.stdout.write(b"noise\n")
    process.close()


async def hangs_up(process: Process) -> None:
    await process.stdin.read()
    connection = process.channel.get_connection()
    connection.abort()


async def hangs_up_with_words(process: Process) -> None:
    await process.stdin.read()
    connection = process.channel.get_connection()
    connection.disconnect(asyncssh.DISC_BY_APPLICATION, SPITE)


async def is_killed(process: Process) -> None:
    await process.stdin.read()
    process.exit_with_signal("SEGV", False, SPITE)


async def is_spiteful(process: Process) -> None:
    process.stderr.write(SPITE.encode() * 1000)
    process.exit(3)


async def half_a_mark(process: Process) -> None:
    script = await process.stdin.read()
    nonce = script.decode().split("\nN=")[1].split("\n")[0]
    process.stdout.write(f"\n{nonce} begin\nhalf\n{nonce} 0".encode())
    process.stderr.write(f"\n{nonce} begin\n\n{nonce} 0".encode())
    process.exit(0)


async def wrong_status(process: Process) -> None:
    script = await process.stdin.read()
    nonce = script.decode().split("\nN=")[1].split("\n")[0]
    for stream in (process.stdout, process.stderr):
        stream.write(f"\n{nonce} begin\n\n{nonce} \x1b[31m-5e9\n".encode())
    process.exit(0)


ANSWERS: dict[Callable[[Process], Awaitable[None]], type[SiteError]] = {
    says_nothing: GarbledError,
    closes_without_a_status: AnswerLostError,
    hangs_up: AnswerLostError,
    hangs_up_with_words: AnswerLostError,
    is_killed: AnswerLostError,
    is_spiteful: GarbledError,
    half_a_mark: GarbledError,
    wrong_status: GarbledError,
}


@pytest.mark.parametrize("serve", ANSWERS, ids=lambda serve: str(serve.__name__))
async def test_answers_that_are_none(client: Client, serve: Callable[[Process], Awaitable[None]]) -> None:
    async with ssh_host(serve) as (port, key):
        describe(client.config, client.known_hosts, "bad", port, key)
        site = client.site("bad")
        async with watched(site, client.healthy):
            for number in range(12):  # more than there are channels
                with pytest.raises(SiteError) as error:
                    await site.query("bad", asks("echo", str(number)))
                assert isinstance(error.value, ANSWERS[serve])
                named(error.value)
                assert "\u202e" not in str(error.value)
                assert len(str(error.value)) < 2500


async def test_channels_that_are_never_answered_are_given_up(client: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    async def waits(process: Process) -> None:
        await process.stdin.read()
        await process.wait_closed()

    async with ssh_host(waits) as (port, key):
        describe(client.config, client.known_hosts, "bad", port, key)
        site = client.site("bad")
        async with watched(site, client.healthy):
            await until(lambda: site.fleet.link("bad").status.state is LinkState.UP)
            monkeypatch.setattr(live, "NETWORK_SECONDS", 0.15 - question.KILL_AFTER)
            for number in range(12):
                with pytest.raises(AnswerLostError) as error:
                    await site.query("bad", asks("echo", str(number), deadline=0))
                named(error.value, "no answer within")


class RefusesChannels(Hostile):
    """Lets everybody in, and nobody do anything."""

    def session_requested(self) -> bool:
        """No."""
        return False


async def test_a_server_that_refuses_every_channel_is_busy(client: Client) -> None:
    async with ssh_host(server=RefusesChannels) as (port, key):
        describe(client.config, client.known_hosts, "bad", port, key)
        site = client.site("bad")
        async with watched(site, client.healthy):
            with pytest.raises(UnreachableError) as error:
                await site.query("bad", asks("true"))
            assert error.value.trouble is Trouble.BUSY
            named(error.value, "MaxSessions")


class NoCommands(asyncssh.SSHServerSession[bytes]):
    """A session in which nothing runs."""

    def exec_requested(self, command: str) -> bool:
        """No."""
        return False


class RefusesCommands(Hostile):
    """A server that opens sessions but runs nothing in them, as one for SFTP or a jump host may."""

    def session_requested(self) -> NoCommands:
        """Yes."""
        return NoCommands()


async def test_a_server_that_runs_no_command(client: Client) -> None:
    async with ssh_host(None, RefusesCommands) as (port, key):
        describe(client.config, client.known_hosts, "bad", port, key)
        site = client.site("bad")
        async with watched(site, client.healthy):
            for _ in range(10):
                with pytest.raises(UnreachableError) as error:
                    await site.query("bad", asks("true"))
                assert error.value.trouble is Trouble.PROTOCOL
                named(error.value, "runs no commands")


async def test_a_flood_beyond_every_limit_ends_with_the_deadline(
    client: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def floods(process: Process) -> None:
        while True:
            process.stdout.write(b"x" * 65536)
            process.stderr.write(b"y" * 65536)
            await process.stdout.drain()
            await process.stderr.drain()

    monkeypatch.setattr(live, "ANSWER_LIMIT", 1 << 20)
    async with ssh_host(floods) as (port, key):
        describe(client.config, client.known_hosts, "bad", port, key)
        site = client.site("bad")
        async with watched(site, client.healthy):
            await until(lambda: site.fleet.link("bad").status.state is LinkState.UP)
            monkeypatch.setattr(live, "NETWORK_SECONDS", 1.0 - question.KILL_AFTER)
            with pytest.raises(AnswerLostError) as error:
                await site.query("bad", asks("true", deadline=0))
            named(error.value)


async def test_a_server_that_never_reads_what_it_is_sent(client: Client) -> None:
    async def ignores(process: Process) -> None:
        process.channel.pause_reading()
        await process.wait_closed()

    async with ssh_host(ignores) as (port, key):
        describe(client.config, client.known_hosts, "bad", port, key)
        site = client.site("bad")
        async with watched(site, client.healthy):
            with pytest.raises(AnswerLostError) as error:
                await site.fleet.run("bad", "#" * 8_000_000, deadline=2.0, limit=100, what="a long script")
            named(error.value)


async def test_a_lost_question_is_not_asked_twice_of_a_host_that_says_it_still_runs(client: Client) -> None:
    scripts: list[str] = []

    async def serve(process: Process) -> None:
        scripts.append((await process.stdin.read()).decode())
        if len(scripts) == 1:
            process.channel.get_connection().abort()
            return
        nonce = scripts[-1].split("\nN=")[1].split("\n")[0]
        for stream in (process.stdout, process.stderr):
            stream.write(f"\n{nonce} begin\n\n{nonce} still\n".encode())
        process.exit(0)

    async with ssh_host(serve) as (port, key):
        describe(client.config, client.known_hosts, "bad", port, key)
        site = client.site("bad")
        async with watched(site, client.healthy):
            with pytest.raises(AnswerLostError):
                await site.query("bad", asks("mmdf", "fs1"))
            with pytest.raises(StillAskedError) as error:
                await site.query("bad", asks("mmdf", "fs1"))
            named(error.value, "mmdf fs1")
    first = scripts[0].split("\nN=")[1].split("\n")[0]
    assert first in scripts[1]  # the host is told which question must have ended


class Talks(Hostile):
    """Sends a banner before anybody may log in."""

    def connection_made(self, conn: asyncssh.SSHServerConnection) -> None:
        """Remember the connection."""
        self._conn = conn

    def begin_auth(self, username: str) -> bool:
        """A lot of words, then let everybody in."""
        self._conn.send_auth_banner(SPITE * 2000)
        return False


async def test_a_banner_is_no_answer_and_reaches_no_log(client: Client, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.DEBUG)
    async with ssh_host(says_nothing, Talks) as (port, key):
        describe(client.config, client.known_hosts, "bad", port, key)
        site = client.site("bad")
        async with watched(site, client.healthy):
            with pytest.raises(GarbledError) as error:
                await site.query("bad", asks("true"))
            assert "owned" not in str(error.value)
