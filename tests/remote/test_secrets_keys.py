"""Locked keys on real OpenSSH: the passphrase is asked only where the key is wanted, once, and again when wrong."""

from __future__ import annotations

import asyncio
import os
import re
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from remote.errors import Trouble, UnreachableError
from remote.fleet import Fleet, LinkState
from remote.secret import SecretKind, SecretQuestion
from remote.ssh.settings import SshSettings
from tests.openssh import Farm, Server
from tests.remote.test_secrets_passwords import Person
from tests.waiting import until

pytestmark = pytest.mark.openssh

RIGHT = "corréct horse"


def make_key(path: Path, passphrase: str, *options: str) -> Path:
    """A key of its own."""
    # one round of the passphrase's hash: a busy machine needs long for the usual sixteen
    command = ["ssh-keygen", "-q", "-a", "1", "-N", passphrase, "-C", "test", "-f", str(path)]
    command += options or ("-t", "ed25519")
    subprocess.run(command, check=True)
    return path


class Locked:
    """Servers that take only a locked key, and a client that has it."""

    def __init__(self, farm: Farm, directory: Path) -> None:
        self.farm = farm
        self.directory = directory
        self.config = directory / "config"
        self.key = directory / "locked"
        self.passphrase = RIGHT
        self.hosts: list[str] = []
        self.servers: list[Server] = []

    def start(self, count: int, *options: str, more: str = "  IdentityAgent none\n") -> None:
        """Make the key, and servers that take it."""
        make_key(self.key, self.passphrase, *options)
        accepted = self.farm.directory / f"{self.directory.name}.pub"
        accepted.write_bytes(Path(f"{self.key}.pub").read_bytes())
        for number in range(count):
            name = f"{self.directory.name}-{number}"
            server = self.farm.server(name, settings=f"AuthorizedKeysFile {accepted}")
            self.servers.append(server)
            self.add(server, more)

    def add(self, server: Server, more: str = "  IdentityAgent none\n", key: Path | None = None) -> None:
        """Let the client know a server."""
        text = server.write_config(self.directory / "part", self.farm.known_hosts, more).read_text()
        (self.directory / "part").unlink()
        with self.config.open("a") as file:
            file.write(text.replace(f"IdentityFile {self.farm.key}", f"IdentityFile {key or self.key}"))
        self.hosts.append(server.host)

    def fleet(self, person: Person, seconds: float = 10.0) -> Fleet:
        """Connections for that person."""
        return Fleet(SshSettings(config_files=(self.config,), ask_secret=person, connect_seconds=seconds))


@pytest.fixture
def locked(farm: Farm, tmp_path: Path) -> Locked:
    tmp_path.chmod(0o755)
    return Locked(farm, tmp_path)


async def enter(fleet: Fleet, host: str) -> bytes:
    """Get in."""
    return (await fleet.run(host, "echo in\n", deadline=20.0, limit=100, what="echo in")).stdout


@pytest.mark.parametrize("public", ["with .pub", "without .pub"])
@pytest.mark.parametrize("kind", ["ed25519", "ecdsa"])
async def test_a_locked_key_is_asked_for_once_for_all_hosts(locked: Locked, kind: str, public: str) -> None:
    locked.start(3, "-t", kind)
    if public == "without .pub":
        Path(f"{locked.key}.pub").unlink()
    person = Person(RIGHT)
    async with locked.fleet(person) as fleet:
        assert await asyncio.gather(*(enter(fleet, host) for host in locked.hosts)) == [b"in\n"] * 3
        fleet.drop(locked.hosts[0])
        await until(lambda: fleet.status(locked.hosts[0]).state is not LinkState.UP)
        assert await enter(fleet, locked.hosts[0]) == b"in\n"
    (question,) = person.asked
    assert (question.kind, question.again, question.echo) == (SecretKind.PASSPHRASE, False, False)
    assert str(locked.key) in question.prompt


async def test_a_wrong_passphrase_is_asked_again_without_another_connection(locked: Locked) -> None:
    locked.start(1)
    person = Person("wrong", "", RIGHT)
    async with locked.fleet(person) as fleet:
        assert await enter(fleet, locked.hosts[0]) == b"in\n"
    assert [question.again for question in person.asked] == [False, True, True]
    assert locked.servers[0].connections() == 2


@pytest.mark.parametrize("answers", [(None,), ("wrong", None), ("a", "b", "c", "never asked")])
async def test_nobody_who_knows_it_is_told_once_for_all_hosts(locked: Locked, answers: tuple[str | None, ...]) -> None:
    locked.start(2)
    person = Person(*answers)
    asked = min(len(answers), 3)
    async with locked.fleet(person) as fleet:
        errors = await asyncio.gather(*(enter(fleet, host) for host in locked.hosts), return_exceptions=True)
        assert len(person.asked) == asked
        for error in errors:
            assert isinstance(error, UnreachableError)
            assert error.trouble is Trouble.AUTHENTICATION
            assert str(locked.key) in str(error)
        # but whoever says so is asked again
        person.answers = [RIGHT]
        fleet.retry(locked.hosts[0])
        await until(lambda: fleet.status(locked.hosts[0]).state is LinkState.UP)


async def test_a_person_may_take_longer_than_any_connect(locked: Locked, server: Server) -> None:
    """More hosts than there are threads and handshakes; nothing is held, so others connect meanwhile."""
    locked.start(1)
    for number in range(12):
        text = locked.config.read_text()
        head = re.split(r"(?m)^Host ", text)[1]
        name = f"alias-{number}"
        with locked.config.open("a") as file:
            file.write(f"Host {name}\n" + head.split("\n", 1)[1])
        locked.hosts.append(name)
    locked.add(server, key=locked.farm.key)
    other = locked.hosts.pop()
    person = Person(RIGHT)
    person.may_answer.clear()
    async with locked.fleet(person, seconds=4.0) as fleet:
        waiting = [asyncio.create_task(enter(fleet, host)) for host in locked.hosts]
        await until(lambda: person.thinking)
        assert await asyncio.wait_for(enter(fleet, other), 5) == b"in\n"
        # nobody is connected while a person thinks: the host's own patience with logins is short
        await until(lambda: not locked.servers[0].sessions())
        loop = asyncio.get_running_loop()
        ends = loop.time() + 4.2
        await until(lambda: loop.time() > ends)
        assert not any(task.done() for task in waiting)
        person.may_answer.set()
        assert await asyncio.gather(*waiting) == [b"in\n"] * len(waiting)
    assert (len(person.asked), person.most_at_once) == (1, 1)


async def test_nothing_is_asked_where_another_key_works_or_the_host_does_not_want_it(
    locked: Locked, server: Server
) -> None:
    locked.start(1)
    unlocked = locked.directory / "unlocked"
    unlocked.write_bytes(locked.farm.key.read_bytes())
    person = Person(None)
    locked.add(server, f"  IdentityAgent none\n  IdentityFile {unlocked}\n")  # and after it the locked one
    async with locked.fleet(person) as fleet:
        assert await enter(fleet, server.host) == b"in\n"
    assert not person.asked
    stranger = locked.farm.server(f"{locked.directory.name}-stranger", settings="AuthorizedKeysFile /nonexistent")
    locked.add(stranger)
    async with locked.fleet(person) as fleet:
        with pytest.raises(UnreachableError) as error:
            await enter(fleet, stranger.host)
        assert error.value.trouble is Trouble.AUTHENTICATION
    assert not person.asked


@pytest.fixture
def agent(tmp_path: Path) -> Iterator[dict[str, str]]:
    """An ssh-agent."""
    started = subprocess.run(["ssh-agent", "-s", "-a", str(tmp_path / "a")], capture_output=True, text=True, check=True)
    env = dict(re.findall(r"(SSH_\w+)=([^;]+);", started.stdout))
    yield env
    subprocess.run(["ssh-agent", "-k"], env={**os.environ, **env}, capture_output=True, check=True)


async def test_nothing_is_asked_when_the_agent_has_the_key(locked: Locked, agent: dict[str, str]) -> None:
    locked.start(1, more=f"  IdentityAgent {agent['SSH_AUTH_SOCK']}\n")
    plain = locked.directory / "plain"
    plain.write_bytes(locked.key.read_bytes())
    plain.chmod(0o600)
    subprocess.run(["ssh-keygen", "-q", "-p", "-P", RIGHT, "-N", "", "-f", plain], check=True, capture_output=True)
    subprocess.run(["ssh-add", "-q", plain], env={**os.environ, **agent}, check=True, capture_output=True)
    person = Person(None)
    async with locked.fleet(person) as fleet:
        assert await enter(fleet, locked.hosts[0]) == b"in\n"
    assert not person.asked


@pytest.mark.parametrize("form", ["PEM", "PKCS8"])
@pytest.mark.parametrize("public", ["with .pub", "without .pub"])
async def test_keys_of_old_forms(locked: Locked, form: str, public: str) -> None:
    """They do not hold their public half in the open."""
    locked.start(1, "-t", "rsa", "-m", form)
    person = Person(RIGHT)
    if public == "with .pub":
        async with locked.fleet(person) as fleet:
            assert await enter(fleet, locked.hosts[0]) == b"in\n"
        assert len(person.asked) == 1
        return
    Path(f"{locked.key}.pub").unlink()
    async with locked.fleet(person) as fleet:
        with pytest.raises(UnreachableError) as error:
            await enter(fleet, locked.hosts[0])
    assert error.value.trouble is Trouble.CONFIGURATION
    assert f"ssh-keygen -y -f {locked.key}" in error.value.advice
    assert not person.asked


async def test_without_anybody_to_ask_a_locked_key_is_told(locked: Locked) -> None:
    locked.start(1)
    async with Fleet(SshSettings(config_files=(locked.config,))) as fleet:
        with pytest.raises(UnreachableError) as error:
            await enter(fleet, locked.hosts[0])
    assert error.value.trouble is Trouble.AUTHENTICATION
    assert "nobody told the passphrase" in str(error.value)


def sign(authority: Path, public: Path, *options: str) -> Path:
    """Sign a key; the certificate lies beside it."""
    command = ["ssh-keygen", "-q", "-s", str(authority), "-I", "test", *options, str(public)]
    subprocess.run(command, check=True)
    return public.with_name(public.name.removesuffix(".pub") + "-cert.pub")


@pytest.mark.parametrize("configured", ["beside the key", "CertificateFile"])
async def test_a_user_certificate(locked: Locked, configured: str) -> None:
    authority = make_key(locked.directory / "user_ca", "")
    readable = locked.farm.directory / f"{locked.directory.name}-ca.pub"
    readable.write_bytes(Path(f"{authority}.pub").read_bytes())
    server = locked.farm.server(
        f"{locked.directory.name}-ca", settings=f"TrustedUserCAKeys {readable}\nAuthorizedKeysFile none"
    )
    key = make_key(locked.directory / "certified", "")
    certificate = sign(authority, Path(f"{key}.pub"), "-n", server.account.name)
    more = "  IdentityAgent none\n"
    if configured == "CertificateFile":
        certificate = certificate.rename(locked.directory / "elsewhere-cert.pub")
        more += f"  CertificateFile {certificate}\n"
    locked.add(server, more, key=key)
    async with locked.fleet(Person(None)) as fleet:
        assert await enter(fleet, server.host) == b"in\n"
    certificate.unlink()
    async with locked.fleet(Person(None)) as fleet:
        with pytest.raises(UnreachableError):
            await enter(fleet, server.host)


@pytest.mark.parametrize("case", ["good", "other principal", "expired"])
async def test_a_host_certificate(locked: Locked, case: str) -> None:
    authority = make_key(locked.directory / "host_ca", "")
    host_key = make_key(locked.directory / "host", "")
    options = {"good": ("-n", "127.0.0.1"), "other principal": ("-n", "other"), "expired": ("-V", "20200101:20200102")}
    certificate = sign(authority, Path(f"{host_key}.pub"), "-h", *options[case])
    name = f"{locked.directory.name}-host"
    server = locked.farm.server(name, settings=f"HostKey {host_key}\nHostCertificate {certificate}", known=False)
    known_hosts = locked.directory / "known_hosts"
    public = " ".join(Path(f"{authority}.pub").read_text().split()[:2])
    known_hosts.write_text(f"@cert-authority {server.known_as} {public}\n")
    server.write_config(locked.config, known_hosts, "  IdentityAgent none\n")
    async with locked.fleet(Person(None)) as fleet:
        if case == "good":
            assert await enter(fleet, name) == b"in\n"
            return
        with pytest.raises(UnreachableError) as error:
            await enter(fleet, name)
    assert error.value.trouble in (Trouble.CHANGED_KEY, Trouble.UNKNOWN_KEY)


def test_a_question_holds_no_secret() -> None:
    assert set(SecretQuestion.__struct_fields__) == {"kind", "host", "prompt", "again", "echo"}
