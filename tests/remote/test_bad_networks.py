"""Hosts that accept a connection and then say nothing, garbage, or half of what they should."""

from __future__ import annotations

import asyncio
import os
import socket
from pathlib import Path

import pytest

from remote import live
from remote.errors import AnswerLostError, StillAskedError, Trouble, UnreachableError
from remote.fleet import LinkState
from remote.ssh.connector import HANDSHAKES
from tests.hostile import Client, RawHost, Talk, asks, describe, named, reset, watched
from tests.openssh import Farm, Server
from tests.waiting import until

pytestmark = pytest.mark.openssh


async def silent(reader: asyncio.StreamReader, _: asyncio.StreamWriter) -> None:
    await reader.read(-1)


async def silent_after_its_banner(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    writer.write(b"SSH-2.0-OpenSSH_9.2\r\n")
    await reader.read(-1)


async def silent_in_its_banner(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    writer.write(b"SSH-2.0-Open")
    await reader.read(-1)


async def silent_in_the_key_exchange(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    writer.write(b"SSH-2.0-OpenSSH_9.2\r\n\x00\x00\x05\xdc\x06\x14")  # the head of a packet that never comes
    await reader.read(-1)


async def http(_: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    writer.write(b"HTTP/1.1 400 Bad \x1b[31mRequest\r\nServer: nginx\r\n\r\n")
    writer.close()


async def garbage_without_end(_: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    while True:
        writer.write(os.urandom(65536))
        await writer.drain()


async def lines_without_end(_: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    while True:
        writer.write(b"\x1b]0;not yet\x07\r\n" * 4096)
        await writer.drain()


async def garbage_after_its_banner(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    writer.write(b"SSH-2.0-OpenSSH_9.2\r\n" + bytes(range(256)) * 400)
    await reader.read(-1)


async def resets(_: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    reset(writer)


async def resets_after_its_banner(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    writer.write(b"SSH-2.0-OpenSSH_9.2\r\n")
    await reader.read(1)
    reset(writer)


async def old_protocol(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    writer.write(b"SSH-1.5-OpenSSH_2.1\r\n")
    await reader.read(-1)


HOSTS: dict[Talk, set[Trouble]] = {
    silent: {Trouble.TIMEOUT},
    silent_after_its_banner: {Trouble.TIMEOUT},
    silent_in_its_banner: {Trouble.TIMEOUT},
    silent_in_the_key_exchange: {Trouble.TIMEOUT},
    http: {Trouble.LOST, Trouble.PROTOCOL},
    garbage_without_end: {Trouble.PROTOCOL, Trouble.LOST},
    lines_without_end: {Trouble.PROTOCOL, Trouble.LOST},
    garbage_after_its_banner: {Trouble.PROTOCOL, Trouble.LOST},
    resets: {Trouble.LOST},
    resets_after_its_banner: {Trouble.LOST},
    old_protocol: {Trouble.PROTOCOL, Trouble.LOST},
}


@pytest.fixture
def client(server: Server, tmp_path: Path) -> Client:
    return Client(server, tmp_path)


@pytest.mark.parametrize("talk", HOSTS, ids=lambda talk: str(talk.__name__))
async def test_a_host_that_is_none_is_named_and_harms_nobody(client: Client, talk: Talk) -> None:
    async with RawHost(talk) as host:
        describe(client.config, client.known_hosts, "bad", host.port)
        site = client.site("bad")
        async with watched(site, client.healthy):
            with pytest.raises(UnreachableError) as error:
                await site.query("bad", asks("mmlscluster"))
            assert error.value.trouble in HOSTS[talk]
            named(error.value, "bad: ", "mmlscluster")
            with pytest.raises(UnreachableError):  # told at once; the keeper tries again in its own time
                await asyncio.wait_for(site.query("bad", asks("mmlscluster")), 0.7)
            assert site.fleet.status("bad").state in (LinkState.WAITING, LinkState.CONNECTING)


async def test_more_silent_hosts_than_handshakes_hold_up_nobody_for_long(client: Client) -> None:
    async with RawHost(silent) as host:
        hosts = [f"silent-{number}" for number in range(3 * HANDSHAKES)]
        for name in hosts:
            describe(client.config, client.known_hosts, name, host.port)
        site = client.site(*hosts)
        async with watched(site, client.healthy):
            errors = await asyncio.gather(*(site.query(name, asks("true")) for name in hosts), return_exceptions=True)
            troubles = [error.trouble for error in errors if isinstance(error, UnreachableError)]
            assert troubles == [Trouble.TIMEOUT] * len(hosts)


async def test_a_server_that_drops_connections_gets_fewer_and_answers_in_the_end(client: Client, farm: Farm) -> None:
    """MaxStartups: beyond it sshd hangs up before its banner."""
    server = farm.server("startups", settings="LoginGraceTime 600")
    server.write_config(client.config, farm.known_hosts)
    server.stop()
    sshd_config = server.directory / "sshd_config"  # of several lines the last one counts
    sshd_config.write_text(sshd_config.read_text().replace("MaxStartups 60", "MaxStartups 2"))
    server.start()
    held = [socket.create_connection((server.address, server.port)) for _ in range(2)]
    for one in held:
        assert (await asyncio.to_thread(one.recv, 4)) == b"SSH-"
    site = client.site("startups")
    async with watched(site, client.healthy):
        with pytest.raises(UnreachableError) as error:
            await site.query("startups", asks("true"))
        assert error.value.trouble is Trouble.LOST
        named(error.value, "MaxStartups")
        for one in held:
            one.close()
        await until(lambda: site.fleet.status("startups").state is LinkState.UP)
        assert (await site.query("startups", asks("true")))[0].rc == 0


async def test_a_connection_reset_in_mid_answer_is_an_answer_lost(client: Client) -> None:
    directory = client.server.account.directory("reset")
    go, counter = directory / "go", directory / "counter"
    script = f'echo ran >>"{counter}"; seq 1 1000; while [ ! -e "{go}" ]; do sleep 0.02; done; echo end'
    async with client.wire(client.server) as wire:
        site = client.site("wired")
        async with watched(site, client.healthy):
            asked = asyncio.create_task(site.query("wired", asks("sh", "-c", script)))
            await until(counter.exists)
            wire.reset()
            with pytest.raises(AnswerLostError) as error:
                await asked
            named(error.value, "may still be running")
            with pytest.raises(StillAskedError) as still:
                await site.query("wired", asks("sh", "-c", script))
            named(still.value)
            go.touch()
            await until(lambda: not client.server.processes(str(go)))
            (answer,) = await site.query("wired", asks("sh", "-c", script))
            assert answer.stdout.endswith(b"1000\nend\n")
    assert counter.read_text() == "ran\nran\n"


async def test_a_network_that_swallows_everything_is_noticed(client: Client) -> None:
    async with client.wire(client.server) as wire:
        site = client.site("wired", keepalive=0.2)
        async with watched(site, client.healthy):
            asked = asyncio.create_task(site.query("wired", asks("sleep", "3.07")))
            await until(lambda: client.server.processes("sleep 3.07"))
            wire.flows.clear()
            with pytest.raises(AnswerLostError) as error:
                await asked
            named(error.value)
            assert site.fleet.status("wired").state is not LinkState.UP
            wire.flows.set()
            await until(lambda: site.fleet.status("wired").state is LinkState.UP)
            assert (await site.query("wired", asks("true")))[0].rc == 0


async def test_a_frozen_server_harms_no_other_host(client: Client, farm: Farm, monkeypatch: pytest.MonkeyPatch) -> None:
    server = farm.server("frozen-bad")
    server.write_config(client.config, farm.known_hosts)
    site = client.site("frozen-bad")
    async with watched(site, client.healthy) as watch:
        await site.query("frozen-bad", asks("true"))
        server.freeze()
        try:
            monkeypatch.setattr(live, "NETWORK_SECONDS", -4.0)
            asked = [site.query("frozen-bad", asks("echo", str(n), deadline=0.5)) for n in range(30)]
            before = watch.answered
            errors = await asyncio.gather(*asked, return_exceptions=True)
            monkeypatch.setattr(live, "NETWORK_SECONDS", 15.0)
            assert {type(error) for error in errors} == {AnswerLostError}
            for error in errors:
                assert isinstance(error, AnswerLostError)
                named(error, "no answer within 1.5 s")
            assert watch.answered > before
        finally:
            server.thaw()
        await until(lambda: not server.processes("timeout"))
        assert (await site.query("frozen-bad", asks("echo", "1")))[0].stdout == b"1\n"
