"""Connections: why a host cannot be asked, how a lost one comes back, and that nothing is left behind."""

from __future__ import annotations

import asyncio
import errno
import socket
import time
from pathlib import Path

import pytest

from remote.command import Command, Effect
from remote.errors import AnswerLostError, Trouble, UnreachableError
from remote.fleet import Fleet, LinkState
from remote.site import HostLink
from remote.ssh.settings import KEEPALIVE_COUNT, SshSettings
from remote.ssh.troubles import explain
from tests.conftest import Sites
from tests.openssh import Farm, Server
from tests.waiting import until

pytestmark = pytest.mark.openssh

TRUE = Command(("true",), Effect.READS)


def sleeping(seconds: float, deadline: float = 60.0) -> Command:
    """A question that takes its time."""
    return Command(("sleep", f"{seconds:g}"), Effect.READS, deadline=deadline)


async def why(config: str, tmp_path: Path, host: str = "host", seconds: float = 5.0) -> UnreachableError:
    """Why a host cannot be asked, with that configuration; it is known within `seconds`."""
    path = tmp_path / "config"
    path.write_text(config)
    began = time.monotonic()
    async with Fleet(SshSettings(config_files=(path,), connect_seconds=0.6)) as fleet:
        with pytest.raises(UnreachableError) as error:
            await fleet.run(host, "true", deadline=30.0, limit=100, what="true")
    assert time.monotonic() - began < seconds
    return error.value


async def test_a_closed_port_is_refused(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        port = listener.getsockname()[1]
    error = await why(f"Host host\n HostName 127.0.0.1\n Port {port}\n", tmp_path)
    assert error.trouble is Trouble.REFUSED


async def test_an_unknown_name_is_told(tmp_path: Path) -> None:
    error = await why("Host host\n HostName no-such-host.invalid\n", tmp_path, seconds=25.0)
    assert error.trouble in (Trouble.NAME, Trouble.TIMEOUT)  # a slow resolver may take longer than we wait


async def test_a_silent_host_is_a_timeout(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as silent:
        port = silent.getsockname()[1]
        error = await why(f"Host host\n HostName 127.0.0.1\n Port {port}\n", tmp_path)
    assert error.trouble is Trouble.TIMEOUT


async def test_something_that_is_no_ssh_server_is_told(tmp_path: Path) -> None:
    server = await asyncio.start_server(_talk, "127.0.0.1", 0)
    port = server.sockets[0].getsockname()[1]
    async with server:
        error = await why(f"Host host\n HostName 127.0.0.1\n Port {port}\n", tmp_path)
    assert error.trouble in (Trouble.PROTOCOL, Trouble.LOST)


async def _talk(_: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    writer.write(b"\x1b[31mSSH-9.9-what\r\n" * 40)
    writer.close()


async def test_a_key_that_is_not_accepted_is_told(server: Server, tmp_path: Path) -> None:
    text = server.write_config(tmp_path / "good", server.farm.known_hosts).read_text()
    config = text.replace(f"IdentityFile {server.farm.key}", f"IdentityFile {server.host_key}")
    error = await why(f"{config}  IdentityAgent none\n", tmp_path, server.host)
    assert (error.trouble, error.detail != "", error.advice != "") == (Trouble.AUTHENTICATION, True, True)


@pytest.mark.parametrize("config", ["Host host\n Port nonsense\n", "Host host\n Match\n", "Host host\n HostName %x\n"])
async def test_a_configuration_that_cannot_be_used_is_told(config: str, tmp_path: Path) -> None:
    assert (await why(config, tmp_path)).trouble is Trouble.CONFIGURATION


async def test_a_configuration_file_that_is_named_must_be_there(tmp_path: Path) -> None:
    async with Fleet(SshSettings(config_files=(tmp_path / "missing",))) as fleet:
        with pytest.raises(UnreachableError) as error:
            await fleet.run("host", "true", deadline=10.0, limit=100)
    assert error.value.trouble is Trouble.CONFIGURATION
    assert "missing" in str(error.value)


@pytest.mark.parametrize(
    ("error", "trouble"),
    [
        (OSError(errno.EHOSTUNREACH, "No route to host"), Trouble.TIMEOUT),
        (OSError(errno.ENETUNREACH, "Network is unreachable"), Trouble.TIMEOUT),
        (OSError("Multiple exceptions: [Errno 111] Connect call failed ('::1', 22), [Errno 111] …"), Trouble.REFUSED),
        (OSError("Multiple exceptions: [Errno 101] Network unreachable, [Errno 113] …"), Trouble.TIMEOUT),
        (ConnectionResetError(errno.ECONNRESET, "Connection reset by peer"), Trouble.LOST),
        (socket.gaierror(-2, "Name or service not known"), Trouble.NAME),
    ],
)
def test_what_the_system_says_is_told_in_our_words(error: OSError, trouble: Trouble) -> None:
    assert explain("host", error).trouble is trouble


async def test_a_refused_host_is_tried_again_when_asked(server: Server, sites: Sites, tmp_path: Path) -> None:
    known_hosts = tmp_path / "known_hosts"
    config = server.write_config(tmp_path / "config", known_hosts)
    site = sites(server, ssh=SshSettings(config_files=(config,)))
    for _ in range(2):  # told at once, without another connection
        with pytest.raises(UnreachableError):
            await site.query(server.host, TRUE)
    known_hosts.write_text(f"{server.known_as} {server.public_key}\n")
    site.fleet.retry(server.host)
    await until(lambda: site.fleet.status(server.host).state is LinkState.UP)
    assert (await site.query(server.host, TRUE))[0].rc == 0


async def test_a_lost_connection_comes_back_by_itself(server: Server, sites: Sites) -> None:
    site = sites(server)
    links: list[HostLink] = []
    site.on_link = links.append
    await site.query(server.host, TRUE)
    server.kill_sessions()
    await until(lambda: len(links) >= 3)
    await until(lambda: site.fleet.status(server.host).state is LinkState.UP)
    assert [(link.state, link.trouble) for link in links] == [
        ("connecting", None),
        ("up", None),
        ("waiting", Trouble.LOST),
        ("connecting", None),
        ("up", None),
    ]
    assert {link.host for link in links} == {server.host}
    assert (await site.query(server.host, TRUE))[0].rc == 0


async def test_a_question_just_after_a_loss_waits_for_the_new_connection(server: Server, sites: Sites) -> None:
    site = sites(server)
    await site.query(server.host, TRUE)
    server.kill_sessions()
    await until(lambda: site.fleet.status(server.host).state is not LinkState.UP)
    assert (await site.query(server.host, TRUE))[0].rc == 0


async def test_a_host_that_is_down_is_tried_until_it_is_up(farm: Farm, sites: Sites) -> None:
    server = farm.server("down")
    server.stop()
    site = sites(server)
    with pytest.raises(UnreachableError) as error:
        await site.query(server.host, TRUE)
    assert error.value.trouble is Trouble.REFUSED
    server.start()
    await until(lambda: site.fleet.status(server.host).state is LinkState.UP)


async def test_a_frozen_server_is_noticed(farm: Farm, sites: Sites) -> None:
    server = farm.server("frozen")
    interval = 0.2
    site = sites(server, ssh=SshSettings(config_files=(farm.config,), keepalive_seconds=interval))
    await site.query(server.host, TRUE)
    asked = asyncio.create_task(site.query(server.host, sleeping(1)))
    await until(lambda: server.processes("sleep 1"))
    began = time.monotonic()
    server.freeze()
    try:
        with pytest.raises(AnswerLostError):
            await asked
        assert time.monotonic() - began < interval * (KEEPALIVE_COUNT + 1) + 2
        assert site.fleet.status(server.host).state is not LinkState.UP
    finally:
        server.thaw()
    await until(lambda: site.fleet.status(server.host).state is LinkState.UP)
    assert (await site.query(server.host, TRUE))[0].rc == 0


async def test_closing_leaves_no_task_no_connection_and_nobody_waiting(farm: Farm, sites: Sites) -> None:
    server = farm.server("closing")
    before = asyncio.all_tasks()
    site = sites(server)
    await site.query(server.host, TRUE)
    asked = [asyncio.create_task(site.query(server.host, sleeping(2 + number / 100))) for number in range(12)]
    await until(lambda: len(server.processes("sleep 2.")) >= 8)
    await site.close()
    answers = await asyncio.gather(*asked, return_exceptions=True)
    assert {type(answer) for answer in answers} <= {AnswerLostError, UnreachableError}
    await until(lambda: asyncio.all_tasks() - before == set())
    await until(lambda: not server.sessions())
    with pytest.raises(UnreachableError) as error:
        await site.query(server.host, TRUE)
    assert error.value.trouble is Trouble.CLOSED
    await site.close()  # once more does no harm


async def test_closing_while_connecting_leaves_nothing(tmp_path: Path) -> None:
    before = asyncio.all_tasks()
    with socket.create_server(("127.0.0.1", 0)) as silent:
        port = silent.getsockname()[1]
        (tmp_path / "config").write_text(f"Host host\n HostName 127.0.0.1\n Port {port}\n")
        fleet = Fleet(SshSettings(config_files=(tmp_path / "config",)))
        asked = asyncio.create_task(fleet.run("host", "true", deadline=30.0, limit=10))
        await until(lambda: fleet.status("host").state is LinkState.CONNECTING)
        await fleet.close()
        with pytest.raises(UnreachableError):
            await asked
    await until(lambda: asyncio.all_tasks() - before == set())
