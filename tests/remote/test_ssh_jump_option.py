"""The jump host of the command line (-J), and what goes wrong between a jump host and the hosts behind it."""

from __future__ import annotations

import asyncio
import socket
from collections.abc import AsyncIterator, Callable
from pathlib import Path

import pytest

from remote.clock import WallClock
from remote.errors import Trouble, UnreachableError
from remote.fleet import Fleet, LinkState
from remote.hostkeys import HostKeyQuestion, Trust
from remote.live import LiveOptions, LiveSite
from remote.ssh.settings import SshSettings
from tests.hostile import asks, named
from tests.openssh import Farm
from tests.remote.admin_node import AdminNode, new_key
from tests.remote.test_secrets_keys import make_key
from tests.remote.test_secrets_passwords import Person
from tests.waiting import until

pytestmark = pytest.mark.openssh

Make = Callable[..., LiveSite]


class Net:
    """A jump host, and two hosts whose configuration does not mention it."""

    def __init__(self, farm: Farm) -> None:
        self.farm = farm
        self.jump = farm.server("hop", address="127.0.0.61")
        self.targets = [farm.server(f"far-{n}", address=f"127.0.0.{61 + n}") for n in (1, 2)]
        self.hosts = [target.host for target in self.targets]
        self.where = f"{self.jump.address}:{self.jump.port}"


@pytest.fixture(scope="module")
def net(farm: Farm) -> Net:
    return Net(farm)


@pytest.fixture
async def make(net: Net) -> AsyncIterator[Make]:
    """Make Sites that are closed at the end."""
    made: list[LiveSite] = []

    def site(jump: str, *hosts: str, config: Path | None = None, through: str = "") -> LiveSite:
        ssh = SshSettings(config_files=(config or net.farm.config,), jump=jump, through=through, connect_seconds=8)
        made.append(LiveSite(hosts or net.hosts, WallClock(), options=LiveOptions(ssh=ssh)))
        return made[-1]

    yield site
    for one in made:
        await one.close()


async def test_all_hosts_go_through_one_connection(net: Net, make: Make) -> None:
    before = [server.connections() for server in (net.jump, *net.targets)]
    site = make("hop")
    answers = await asyncio.gather(*(site.query(host, asks("echo", host)) for host in net.hosts))
    assert [answer.stdout for (answer,) in answers] == [f"{host}\n".encode() for host in net.hosts]
    after = [server.connections() for server in (net.jump, *net.targets)]
    assert [now - then for now, then in zip(after, before, strict=True)] == [1, 1, 1]
    net.jump.kill_sessions()
    for host in net.hosts:
        await until(lambda host=host: site.fleet.status(host).state is not LinkState.UP)  # type: ignore[misc]
    for host in net.hosts:
        await until(lambda host=host: site.fleet.status(host).state is LinkState.UP)  # type: ignore[misc]
        assert (await site.query(host, asks("true")))[0].rc == 0
    assert net.jump.connections() - after[0] == 1


async def test_user_and_port_of_the_jump_host(net: Net, make: Make, tmp_path: Path) -> None:
    """They are given by hand, and the configuration for that address tells the rest."""
    config = tmp_path / "config"
    config.write_text(
        f"Host {net.jump.address}\n  IdentityFile {net.farm.key}\n  UserKnownHostsFile {net.farm.known_hosts}\n"
        + net.farm.config.read_text()
    )
    user = net.jump.account.name
    assert (await make(f"{user}@{net.where}", config=config).query("far-1", asks("true")))[0].rc == 0
    with pytest.raises(UnreachableError) as error:
        await make(f"nobody-at-all@{net.where}", config=config).query("far-1", asks("true"))
    assert error.value.trouble is Trouble.AUTHENTICATION
    named(error.value, f"far-1: the host does not accept our key: by way of {net.where}", "nobody-at-all")


@pytest.mark.parametrize("known", ["nothing", "another key"])
async def test_the_key_of_the_jump_host_is_verified(net: Net, make: Make, tmp_path: Path, known: str) -> None:
    known_hosts = tmp_path / "known_hosts"
    known_hosts.write_text(f"{net.jump.known_as} {new_key(tmp_path)}\n" if known == "another key" else "")
    config = tmp_path / "config"
    net.jump.write_config(config, known_hosts)
    for target in net.targets:
        target.write_config(config, net.farm.known_hosts)
    before = net.targets[0].connections()
    with pytest.raises(UnreachableError) as error:
        await make("hop", config=config).query("far-1", asks("true"))
    assert error.value.trouble is (Trouble.CHANGED_KEY if known == "another key" else Trouble.UNKNOWN_KEY)
    named(error.value, "far-1: ", "by way of hop")
    assert net.targets[0].connections() == before


async def test_the_key_of_a_host_behind_is_verified_by_us(net: Net, tmp_path: Path) -> None:
    asked: list[HostKeyQuestion] = []

    async def person(question: HostKeyQuestion) -> Trust:
        asked.append(question)
        return Trust.SAVE

    config, known_hosts = tmp_path / "config", tmp_path / "known_hosts"
    net.jump.write_config(config, net.farm.known_hosts)
    for target in net.targets:
        target.write_config(config, known_hosts)
    settings = SshSettings(config_files=(config,), jump="hop", ask_host_key=person)
    async with Fleet(settings) as fleet:
        for host in net.hosts:
            await fleet.run(host, "true\n", deadline=20.0, limit=100)
    assert [question.host for question in asked] == net.hosts
    assert {line.split()[0] for line in known_hosts.read_text().splitlines()} == {t.known_as for t in net.targets}


async def test_what_the_jump_host_says_of_a_host_is_told(net: Net, make: Make, tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        port = listener.getsockname()[1]
    config = tmp_path / "config"
    config.write_text(
        net.farm.config.read_text()
        + f"Host closed\n  HostName 127.0.0.1\n  Port {port}\nHost nowhere\n  HostName no-such-host.invalid\n"
    )
    site = make("hop", "closed", "nowhere", "far-1", config=config)
    expected = {"closed": {Trouble.REFUSED}, "nowhere": {Trouble.NAME, Trouble.TIMEOUT}}
    for host, troubles in expected.items():
        with pytest.raises(UnreachableError) as error:
            await site.query(host, asks("true"))
        assert error.value.trouble in troubles, error.value
        named(error.value, "jump host")
    assert (await site.query("far-1", asks("true")))[0].rc == 0


async def test_a_jump_host_that_forwards_nothing_is_told(net: Net, make: Make, farm: Farm) -> None:
    farm.server("no-forwarding", settings="AllowTcpForwarding no", address="127.0.0.65")
    with pytest.raises(UnreachableError) as error:
        await make("no-forwarding").query("far-1", asks("true"))
    assert error.value.trouble is Trouble.PROTOCOL
    named(error.value, "jump host", "AllowTcpForwarding")


async def test_a_locked_key_for_jump_host_and_host_is_asked_for_once(net: Net, farm: Farm, tmp_path: Path) -> None:
    tmp_path.chmod(0o755)
    key = make_key(tmp_path / "locked", "right")
    accepted = farm.directory / "locked-jump.pub"
    accepted.write_bytes(Path(f"{key}.pub").read_bytes())
    config = tmp_path / "config"
    for name, address in (("locked-hop", "127.0.0.66"), ("locked-far", "127.0.0.67")):
        server = farm.server(name, settings=f"AuthorizedKeysFile {accepted}", address=address)
        server.write_config(config, farm.known_hosts, f"  IdentityAgent none\n  IdentityFile {key}\n")
    person = Person("wrong", "right")
    settings = SshSettings(config_files=(config,), jump="locked-hop", ask_secret=person)
    async with Fleet(settings) as fleet:
        output = await fleet.run("locked-far", "echo in\n", deadline=20.0, limit=100)
    assert output.stdout == b"in\n"
    assert [question.again for question in person.asked] == [False, True]


async def test_the_admin_node_may_stand_behind_a_jump_host(net: Net, make: Make, farm: Farm) -> None:
    admin = AdminNode(farm, "admin-behind", "mksh")
    admin.target("relayed-behind")
    before = net.jump.connections()
    site = make("hop", "admin-behind", "relayed-behind", through="admin-behind")
    assert (await site.query("relayed-behind", asks("echo", "far")))[0].stdout == b"far\n"
    assert net.jump.connections() - before == 1
