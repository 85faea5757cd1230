"""Why a host cannot be reached from the admin node, in its ssh's own words; and nothing is ever accepted by us."""

from __future__ import annotations

import asyncio
import contextlib
import socket
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from remote import relay
from remote.command import Command, Effect
from remote.errors import Trouble, UnreachableError
from remote.fleet import LinkState
from tests.openssh import Farm
from tests.remote.admin_node import AdminNode, new_key
from tests.waiting import until

pytestmark = pytest.mark.openssh

TRUE = Command(("true",), Effect.READS)


class Cluster:
    """An admin node and one healthy host."""

    def __init__(self, farm: Farm) -> None:
        self.farm = farm
        self.admin = AdminNode(farm, "admin-t", "mksh")
        self.healthy = self.admin.target("healthy", address="127.0.0.41")

    async def trouble(self, host: str) -> UnreachableError:
        """Why a host cannot be asked; the healthy one beside it answers."""
        before = self.admin.known_hosts.read_bytes()
        site = self.admin.site(host, self.healthy.host)
        try:
            with pytest.raises(UnreachableError) as error:
                await site.query(host, TRUE)
            assert (await site.query(self.healthy.host, TRUE))[0].rc == 0
            status = site.fleet.status(host)
            assert status.trouble is error.value.trouble
            assert status.state in (LinkState.WAITING, LinkState.REFUSED)
        finally:
            await site.close()
        text = str(error.value)
        of_keys = error.value.trouble in (Trouble.UNKNOWN_KEY, Trouble.CHANGED_KEY)
        advice = "admin-t" if of_keys else f"On admin-t, try: ssh {host} true"
        for word in (f"{host}: ", "by way of admin-t: ", "(command: true)", advice):
            assert word in text, text
        assert "\ufffd" not in text
        assert self.admin.known_hosts.read_bytes() == before
        return error.value


@pytest.fixture(scope="module")
def cluster(farm: Farm) -> Cluster:
    return Cluster(farm)


@pytest.fixture
def silent() -> Iterator[int]:
    """The port of a host that accepts connections and says nothing."""
    with socket.create_server(("127.0.0.1", 0), backlog=64) as listener:
        yield listener.getsockname()[1]


def described(cluster: Cluster, name: str, port: int, more: str = "") -> None:
    """A host of which the admin node knows how to get there."""
    cluster.admin.describe(name, f"  HostName 127.0.0.1\n  Port {port}\n{more}")


@pytest.mark.parametrize("policy", ["ask", "no", "accept-new"])
async def test_an_unknown_key_is_not_accepted_whatever_the_admin_nodes_configuration_says(
    cluster: Cluster, policy: str
) -> None:
    name = f"unknown-{policy}"
    server = cluster.admin.target(name, known=False, more=f"  StrictHostKeyChecking {policy}\n")
    assert (await cluster.trouble(name)).trouble is Trouble.UNKNOWN_KEY
    assert "session opened" not in server.log_text()


@pytest.mark.parametrize("policy", ["ask", "no"])
async def test_a_changed_key_is_refused(cluster: Cluster, policy: str, tmp_path: Path) -> None:
    name = f"changed-{policy}"
    server = cluster.admin.target(name, known=False, more=f"  StrictHostKeyChecking {policy}\n")
    cluster.admin.know(server, new_key(tmp_path))
    assert (await cluster.trouble(name)).trouble is Trouble.CHANGED_KEY


async def test_looking_writes_nothing_even_where_the_host_offers_more_keys(cluster: Cluster, tmp_path: Path) -> None:
    """UpdateHostKeys would add them to known_hosts, and is on by default."""
    more_key = tmp_path / "more_key"
    command = ["ssh-keygen", "-q", "-t", "ecdsa", "-N", "", "-C", "", "-f", str(more_key)]
    subprocess.run(command, check=True)
    cluster.admin.target("more-keys", settings=f"HostKey {more_key}", more="  UpdateHostKeys yes\n")
    before = cluster.admin.known_hosts.read_bytes()
    site = cluster.admin.site("more-keys")
    try:
        assert (await site.query("more-keys", TRUE))[0].rc == 0
    finally:
        await site.close()
    assert cluster.admin.known_hosts.read_bytes() == before


async def test_a_key_that_is_not_accepted(cluster: Cluster) -> None:
    server = cluster.farm.server("no-key", settings=f"AuthorizedKeysFile {cluster.farm.directory}/nobody")
    described(cluster, "no-key", server.port, f"  User {server.account.name}\n")
    cluster.admin.know(server)
    error = await cluster.trouble("no-key")
    assert error.trouble is Trouble.AUTHENTICATION
    site = cluster.admin.site("no-key")
    try:
        for _ in range(2):
            with pytest.raises(UnreachableError):
                await site.query("no-key", TRUE)
        refused = server.log_text().count("Connection closed by authenticating user")
        assert site.fleet.status("no-key").state is LinkState.REFUSED
        with pytest.raises(UnreachableError):
            await site.query("no-key", TRUE)
        assert server.log_text().count("Connection closed by authenticating user") == refused
        site.fleet.retry("no-key")
        assert site.fleet.status("no-key").state is LinkState.IDLE
    finally:
        await site.close()


async def test_a_name_that_is_unknown(cluster: Cluster) -> None:
    assert (await cluster.trouble("no-such-host.invalid")).trouble is Trouble.NAME


async def test_a_closed_port_is_refused_and_not_knocked_at_all_the_time(cluster: Cluster) -> None:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        port = listener.getsockname()[1]
    described(cluster, "closed", port)
    assert (await cluster.trouble("closed")).trouble is Trouble.REFUSED
    site = cluster.admin.site("closed")
    try:
        await site.query("admin-t", TRUE)
        sessions = cluster.admin.server.log_text().count("Starting session")
        for _ in range(20):
            with pytest.raises(UnreachableError):
                await site.query("closed", TRUE)
        assert cluster.admin.server.log_text().count("Starting session") - sessions < 4
    finally:
        await site.close()


async def test_a_silent_host_is_a_timeout(cluster: Cluster, silent: int, monkeypatch: pytest.MonkeyPatch) -> None:
    described(cluster, "silent", silent)
    options = tuple(word.replace("ConnectTimeout=15", "ConnectTimeout=1") for word in relay._OPTIONS)
    monkeypatch.setattr(relay, "_OPTIONS", options)
    assert (await cluster.trouble("silent")).trouble is Trouble.TIMEOUT


async def test_many_silent_hosts_leave_channels_to_the_healthy(cluster: Cluster, silent: int) -> None:
    hosts = [f"silent-{number}" for number in range(10)]
    for host in hosts:
        described(cluster, host, silent)
    site = cluster.admin.site(*hosts, cluster.healthy.host)
    asked = [asyncio.create_task(site.query(host, Command(("echo", n), Effect.READS))) for host in hosts for n in "ab"]
    try:
        await until(lambda: len(cluster.admin.inner("silent-")) >= 4)
        for number in range(5):
            command = Command(("echo", str(number)), Effect.READS)
            await asyncio.wait_for(site.query("admin-t", command), 10)
        assert len(cluster.admin.inner("silent-")) == 4
    finally:
        for task in asked:
            task.cancel()
        await asyncio.gather(*asked, return_exceptions=True)
        await site.close()


async def test_garbage_instead_of_an_ssh_server(cluster: Cluster) -> None:
    async def talk(_: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writer.write(b"\x1b[31mHTTP/1.1 400 Bad Request\r\n" * 50)
        writer.close()

    server = await asyncio.start_server(talk, "127.0.0.1", 0)
    async with server:
        described(cluster, "garbage", server.sockets[0].getsockname()[1])
        error = await cluster.trouble("garbage")
    assert error.trouble in (Trouble.LOST, Trouble.PROTOCOL)
    assert "\x1b" not in str(error)


async def test_what_is_no_host_never_reaches_a_shell(cluster: Cluster) -> None:
    site = cluster.admin.site("-oProxyCommand=id")
    try:
        with pytest.raises(UnreachableError) as error:
            await site.query("-oProxyCommand=id", TRUE)
    finally:
        await site.close()
    assert error.value.trouble is Trouble.CONFIGURATION


async def test_an_admin_node_without_ssh(farm: Farm) -> None:
    admin = AdminNode(farm, "admin-bare", "mksh", env={"PATH": "/there-is-no-such-directory"})
    site = admin.site("any")
    try:
        with pytest.raises(UnreachableError) as error:
            await site.query("any", TRUE)
    finally:
        await site.close()
    assert error.value.trouble is Trouble.CONFIGURATION
    assert "not found" in str(error.value)


async def test_the_admin_nodes_own_options_do_not_hold_for_us(cluster: Cluster) -> None:
    """A master that stays behind would keep the channel open, and QUIET would hide why a host cannot be reached."""
    sockets = cluster.admin.server.account.directory("sockets")
    cluster.admin.target(
        "shared-master",
        more=f"  ControlMaster auto\n  ControlPersist 600\n  ControlPath {sockets}/%h-%p\n  LogLevel QUIET\n"
        "  RemoteCommand exit 3\n  RequestTTY force\n  ForwardX11 yes\n  LocalForward 127.0.0.1:1 127.0.0.1:2\n"
        "  PermitLocalCommand yes\n  LocalCommand exit 4\n",
    )
    site = cluster.admin.site("shared-master")
    try:
        (answer,) = await asyncio.wait_for(site.query("shared-master", Command(("echo", "x"), Effect.READS)), 15)
        assert (answer.rc, answer.stdout) == (0, b"x\n")
    finally:
        await site.close()
    assert not list(sockets.iterdir())


async def test_an_admin_node_that_cannot_be_reached_is_named(farm: Farm) -> None:
    admin = AdminNode(farm, "admin-down", "mksh")
    admin.target("behind-it")
    admin.server.stop()
    site = admin.site("behind-it")
    try:
        with pytest.raises(UnreachableError) as error:
            await site.query("behind-it", TRUE)
    finally:
        with contextlib.suppress(UnreachableError):
            await site.close()
    assert (error.value.host, error.value.trouble) == ("behind-it", Trouble.REFUSED)
    assert "by way of admin-down" in str(error.value)
    assert error.value.advice
