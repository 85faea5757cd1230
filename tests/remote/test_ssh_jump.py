"""Hosts behind a jump host: one connection to it for all of them."""

from __future__ import annotations

import asyncio
import socket
import time
from pathlib import Path

import pytest

from remote.clock import WallClock
from remote.command import Command, Effect
from remote.errors import Trouble, UnreachableError
from remote.fleet import Fleet, LinkState
from remote.hostkeys import HostKeyQuestion, Trust
from remote.live import LiveOptions, LiveSite
from remote.ssh.settings import SshSettings
from tests.openssh import Farm, Server
from tests.waiting import until

pytestmark = pytest.mark.openssh

TRUE = Command(("true",), Effect.READS)


class Behind:
    """Two hosts behind a jump host, each on an address of its own."""

    def __init__(self, farm: Farm) -> None:
        self.jump = farm.server("jump", address="127.0.0.2")
        through = "  ProxyJump jump\n"
        self.targets = [farm.server(f"behind-{n}", address=f"127.0.0.{n}", more=through) for n in (3, 4)]
        self.hosts = [target.host for target in self.targets]


@pytest.fixture(scope="module")
def behind(farm: Farm) -> Behind:
    return Behind(farm)


def site_of(farm: Farm, hosts: list[str]) -> LiveSite:
    """A Site of several hosts."""
    ssh = SshSettings(config_files=(farm.config,))
    return LiveSite(hosts, WallClock(), options=LiveOptions(ssh=ssh))


async def ask_all(site: LiveSite) -> list[int]:
    """Ask all hosts at once."""
    answers = await asyncio.gather(*(site.query(host, TRUE) for host in site.hosts))
    return [answer.rc for (answer,) in answers]


async def test_one_connection_to_the_jump_host_serves_all_behind_it(farm: Farm, behind: Behind) -> None:
    before = [server.connections() for server in (behind.jump, *behind.targets)]
    site = site_of(farm, behind.hosts)
    assert await ask_all(site) == [0, 0]
    assert await ask_all(site) == [0, 0]
    after = [server.connections() for server in (behind.jump, *behind.targets)]
    assert [now - then for now, then in zip(after, before, strict=True)] == [1, 1, 1]
    await site.close()
    for server in (behind.jump, *behind.targets):
        await until(lambda server=server: not server.sessions())  # type: ignore[misc]


async def test_all_come_back_through_one_new_connection(farm: Farm, behind: Behind) -> None:
    site = site_of(farm, behind.hosts)
    assert await ask_all(site) == [0, 0]
    before = behind.jump.connections()
    behind.jump.kill_sessions()
    for host in behind.hosts:
        await until(lambda host=host: site.fleet.status(host).state is not LinkState.UP)  # type: ignore[misc]
    for host in behind.hosts:
        await until(lambda host=host: site.fleet.status(host).state is LinkState.UP)  # type: ignore[misc]
    assert await ask_all(site) == [0, 0]
    assert behind.jump.connections() - before == 1
    await site.close()


async def test_a_chain_of_jump_hosts(farm: Farm, behind: Behind) -> None:
    second = behind.targets[0]
    target = farm.server("chained", address="127.0.0.5", more="  ProxyJump jump,behind-3\n")
    before = [server.connections() for server in (behind.jump, second)]
    site = site_of(farm, [target.host])
    assert await ask_all(site) == [0]
    assert [server.connections() for server in (behind.jump, second)] == [number + 1 for number in before]
    # the last connection really came from there
    assert "Connection from 127.0.0." in target.log_text()
    assert await ask_all(site) == [0]
    await site.close()


async def test_a_jump_host_that_is_down_is_named(farm: Farm) -> None:
    jump = farm.server("jump-down", address="127.0.0.6")
    target = farm.server("behind-down", address="127.0.0.7", more="  ProxyJump jump-down\n")
    jump.stop()
    site = site_of(farm, [target.host])
    with pytest.raises(UnreachableError) as error:
        await ask_all(site)
    assert (error.value.host, error.value.trouble) == (target.host, Trouble.REFUSED)
    assert "by way of jump-down" in str(error.value)
    jump.start()
    site.fleet.retry(target.host)
    await until(lambda: site.fleet.status(target.host).state is LinkState.UP)
    await site.close()


async def test_the_keys_of_jump_host_and_host_are_asked_for_each(farm: Farm) -> None:
    servers = [
        farm.server("jump-new", address="127.0.0.8", known=False),
        farm.server("behind-new", address="127.0.0.9", more="  ProxyJump jump-new\n", known=False),
    ]
    asked: list[HostKeyQuestion] = []

    async def person(question: HostKeyQuestion) -> Trust:
        asked.append(question)
        return Trust.ONCE

    async with Fleet(SshSettings(config_files=(farm.config,), ask_host_key=person)) as fleet:
        await fleet.run("behind-new", "true\n", deadline=20.0, limit=100)
    assert [question.host for question in asked] == ["jump-new", "behind-new"]
    assert [question.public_key.split()[:2] for question in asked] == [s.public_key.split() for s in servers]


async def test_a_jump_host_behind_itself_is_a_wrong_configuration(farm: Farm, behind: Behind, tmp_path: Path) -> None:
    """`Host *` with ProxyJump holds for the jump host as well, unless that is excepted."""
    target: Server = behind.targets[0]
    config = target.write_config(tmp_path / "config", farm.known_hosts, "  ProxyJump jump\n")
    behind.jump.write_config(config, farm.known_hosts)
    with config.open("a") as file:
        file.write("Host *\n  ProxyJump jump\n")
    began = time.monotonic()
    async with Fleet(SshSettings(config_files=(config,))) as fleet:
        with pytest.raises(UnreachableError) as error:
            await fleet.run(target.host, "true\n", deadline=8.0, limit=100)
    assert error.value.trouble is Trouble.CONFIGURATION
    assert time.monotonic() - began < 5


async def test_closing_while_the_jump_host_is_asked_leaves_nothing(farm: Farm, behind: Behind) -> None:
    before = asyncio.all_tasks()
    site = site_of(farm, behind.hosts)
    asked = asyncio.create_task(ask_all(site))
    await until(lambda: site.fleet.status(behind.hosts[0]).state is LinkState.CONNECTING)
    await site.close()
    with pytest.raises(UnreachableError):
        await asked
    await until(lambda: asyncio.all_tasks() - before == set())
    await until(lambda: not behind.jump.sessions())


async def test_a_silent_jump_host_is_tried_once_for_all_behind_it(tmp_path: Path) -> None:
    hosts = [f"host-{number}" for number in range(6)]
    config = tmp_path / "config"
    with socket.create_server(("127.0.0.1", 0)) as silent:
        config.write_text(
            f"Host silent\n  HostName 127.0.0.1\n  Port {silent.getsockname()[1]}\nHost host-*\n  ProxyJump silent\n"
        )
        began = time.monotonic()
        async with Fleet(SshSettings(config_files=(config,), connect_seconds=0.7)) as fleet:
            asked = (fleet.run(host, "true\n", deadline=30.0, limit=100) for host in hosts)
            errors = await asyncio.gather(*asked, return_exceptions=True)
        assert time.monotonic() - began < 6 * 0.7  # what one try for each of them would take
    assert [error.trouble for error in errors if isinstance(error, UnreachableError)] == [Trouble.TIMEOUT] * 6
    assert [error.host for error in errors if isinstance(error, UnreachableError)] == hosts
    assert all("by way of silent" in str(error) for error in errors)
