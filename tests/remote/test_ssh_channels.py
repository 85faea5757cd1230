"""Channels: never more than the server allows, and none that leaks, whoever loses patience."""

from __future__ import annotations

import asyncio
import time
from typing import Any

import asyncssh
import pytest

from remote.command import Command, Effect
from remote.errors import AnswerLostError, StillAskedError, Trouble, UnreachableError
from remote.fleet import LinkState
from remote.live import LiveSite
from remote.ssh.settings import CHANNELS
from tests.conftest import Sites
from tests.openssh import Farm, Server
from tests.waiting import until

pytestmark = pytest.mark.openssh

TRUE = Command(("true",), Effect.READS)


async def all_channels_are_free(server: Server, site: LiveSite, name: str) -> None:
    """Ask as many questions as there are channels; none is answered before all of them run at once."""
    meet = server.account.directory(name)
    script = f'touch "{meet}/$0"; while [ $(ls "{meet}" | wc -l) -lt {CHANNELS} ]; do sleep 0.02; done'
    together = [Command(("sh", "-c", script, str(number)), Effect.READS, deadline=15.0) for number in range(CHANNELS)]
    answers = await asyncio.gather(*(site.query(server.host, command) for command in together))
    assert [answer.rc for (answer,) in answers] == [0] * CHANNELS


async def test_a_hundred_questions_at_once_use_eight_channels(
    farm: Farm, sites: Sites, monkeypatch: pytest.MonkeyPatch
) -> None:
    open_channels = []
    create = asyncssh.SSHClientConnection.create_process

    async def counting(connection: Any, *args: Any, **options: Any) -> asyncssh.SSHClientProcess[bytes]:
        process: asyncssh.SSHClientProcess[bytes] = await create(connection, *args, **options)
        open_channels.append(len(connection._channels))
        return process

    monkeypatch.setattr(asyncssh.SSHClientConnection, "create_process", counting)
    server = farm.server("hundred")
    site = sites(server)
    commands = [Command(("echo", str(number)), Effect.READS) for number in range(100)]
    answers = await asyncio.gather(*(site.query(server.host, command) for command in commands))
    assert [answer.stdout for (answer,) in answers] == [f"{number}\n".encode() for number in range(100)]
    assert (len(open_channels), max(open_channels)) == (100, CHANNELS)
    assert server.connections() == 1


async def test_the_same_question_is_asked_once_at_a_time(server: Server, sites: Sites) -> None:
    site = sites(server)
    busy = server.account.directory("once-at-a-time") / "busy"
    command = Command(("sh", "-c", f'mkdir "{busy}" && sleep 0.05 && rmdir "{busy}"'), Effect.READS)
    answers = await asyncio.gather(*(site.query(server.host, command) for _ in range(6)))
    assert [answer.rc for (answer,) in answers] == [0] * 6


async def test_ten_timeouts_on_the_host_in_a_row_exhaust_nothing(server: Server, sites: Sites) -> None:
    site = sites(server)
    command = Command(("sleep", "600"), Effect.READS, deadline=0.05)
    for _ in range(10):
        (answer,) = await site.query(server.host, command)
        assert (answer.rc, answer.timed_out) == (124, True)
    await all_channels_are_free(server, site, "after-timeouts")


async def test_ten_answers_given_up_in_a_row_exhaust_nothing(farm: Farm, sites: Sites) -> None:
    server = farm.server("given-up")
    site = sites(server)
    await site.query(server.host, TRUE)
    go = server.account.directory("given-up") / "go"
    script = f'while [ ! -e "{go}" ]; do sleep 0.05; done\n'
    for _ in range(10):
        with pytest.raises(AnswerLostError):
            await site.fleet.run(server.host, script, deadline=0.15, limit=100)
    assert "no more sessions" not in server.log_text()
    go.touch()
    await all_channels_are_free(server, site, "after-given-up")


async def test_cancelled_questions_leak_no_channel_and_are_not_asked_again(server: Server, sites: Sites) -> None:
    site = sites(server)
    command = Command(("sleep", "1.25"), Effect.READS)
    for _ in range(10):
        asked = asyncio.create_task(site.query(server.host, command))
        await until(lambda: server.processes("sleep 1.25"))
        asked.cancel()
        with pytest.raises(asyncio.CancelledError):
            await asked
        with pytest.raises(StillAskedError):
            await site.query(server.host, command)
        assert len(server.processes("timeout -k 5 60 sleep 1.25")) == 1
    await until(lambda: not server.processes("sleep 1.25"))
    await all_channels_are_free(server, site, "after-cancelled")


async def test_a_server_with_fewer_sessions_is_busy_and_not_lost(farm: Farm, sites: Sites) -> None:
    server = farm.server("few", settings="MaxSessions 1")
    site = sites(server)
    go = server.account.directory("few") / "go"
    wait = Command(("sh", "-c", f'while [ ! -e "{go}" ]; do sleep 0.02; done'), Effect.READS)
    asked = asyncio.create_task(site.query(server.host, wait))
    await until(lambda: server.processes("timeout"))
    with pytest.raises(UnreachableError) as error:
        await site.query(server.host, TRUE)
    assert error.value.trouble is Trouble.BUSY
    assert site.fleet.status(server.host).state is LinkState.UP
    go.touch()
    assert (await asked)[0].rc == 0
    assert (await site.query(server.host, TRUE))[0].rc == 0


async def test_questions_waiting_for_a_channel_of_a_lost_connection_are_told_so_at_once(
    farm: Farm, sites: Sites
) -> None:
    server = farm.server("queue")
    site = sites(server)
    await site.query(server.host, TRUE)
    commands = [Command(("sleep", f"3.{number:03}"), Effect.READS) for number in range(30)]
    asked = [asyncio.create_task(site.query(server.host, command)) for command in commands]
    await until(lambda: len(server.processes("timeout")) >= CHANNELS)
    began = time.monotonic()
    server.kill_sessions()
    answers = await asyncio.gather(*asked, return_exceptions=True)
    assert time.monotonic() - began < 3  # before any of the commands could have ended
    lost = [answer for answer in answers if isinstance(answer, AnswerLostError)]
    told = [answer for answer in answers if isinstance(answer, UnreachableError)]
    assert (len(lost), len(told)) == (CHANNELS, 30 - CHANNELS)
    assert {error.trouble for error in told} == {Trouble.LOST}
