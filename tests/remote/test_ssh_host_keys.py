"""Host keys: a person sees the real fingerprint of an unknown one, and nobody can accept a changed one."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from remote.command import Command, Effect
from remote.errors import Trouble, UnreachableError
from remote.fleet import LinkState
from remote.hostkeys import HostKeyQuestion, Trust
from remote.live import LiveSite
from remote.ssh.settings import SshSettings
from tests.conftest import Sites
from tests.openssh import Farm, Server
from tests.waiting import until

pytestmark = pytest.mark.openssh

TRUE = Command(("true",), Effect.READS)


class Person:
    """Somebody who always answers the same, and remembers what was asked."""

    def __init__(self, answer: Trust) -> None:
        self.answer = answer
        self.asked: list[HostKeyQuestion] = []

    async def __call__(self, question: HostKeyQuestion) -> Trust:
        """The answer."""
        self.asked.append(question)
        return self.answer


class Client:
    """A client's machine: its own configuration and known_hosts."""

    def __init__(self, server: Server, sites: Sites, directory: Path) -> None:
        self.server = server
        self.known_hosts = directory / "known_hosts"
        self.directory = directory
        self._sites = sites

    def site(self, person: Person | None = None, *, more: str = "") -> LiveSite:
        """A new Site, with somebody to ask or nobody."""
        config = self.directory / "config"
        config.unlink(missing_ok=True)
        self.server.write_config(config, self.known_hosts, more)
        ssh = SshSettings(config_files=(config,))
        if person is not None:
            ssh = SshSettings(config_files=(config,), ask_host_key=person)
        return self._sites(self.server, ssh=ssh)

    async def trouble(self, site: LiveSite) -> Trouble:
        """Why the server cannot be asked."""
        with pytest.raises(UnreachableError) as error:
            await site.query(self.server.host, TRUE)
        assert error.value.advice
        # it is a person's turn now, so nothing is tried again
        assert site.fleet.status(self.server.host).state is LinkState.REFUSED
        return error.value.trouble

    async def works(self, site: LiveSite) -> bool:
        """Whether the server answers."""
        return (await site.query(self.server.host, TRUE))[0].rc == 0


@pytest.fixture
def client(server: Server, sites: Sites, tmp_path: Path) -> Client:
    return Client(server, sites, tmp_path)


def new_key(directory: Path, kind: str = "ed25519") -> str:
    """The public half of a key that no server has."""
    path = directory / f"other_{kind}"
    command = ["ssh-keygen", "-q", "-t", kind, "-b", "2048", "-N", "", "-C", "", "-f", str(path)]
    subprocess.run(command, check=True)
    return " ".join(Path(f"{path}.pub").read_text(encoding="ascii").split()[:2])


async def test_an_unknown_key_is_shown_and_refused(client: Client) -> None:
    shown = subprocess.run(["ssh-keygen", "-lf", f"{client.server.host_key}.pub"], capture_output=True, check=True)
    person = Person(Trust.NO)
    assert await client.trouble(client.site(person)) is Trouble.UNKNOWN_KEY
    (question,) = person.asked
    assert question.fingerprint == shown.stdout.decode().split()[1]
    assert (question.host, question.name) == (client.server.host, client.server.known_as)
    assert question.public_key.split()[:2] == client.server.public_key.split()
    assert question.algorithm == "ssh-ed25519"
    assert not client.known_hosts.exists()


async def test_with_nobody_to_ask_an_unknown_key_is_refused(client: Client) -> None:
    assert await client.trouble(client.site()) is Trouble.UNKNOWN_KEY


async def test_once_is_for_this_session_only(client: Client) -> None:
    person = Person(Trust.ONCE)
    site = client.site(person)
    assert await client.works(site)
    site.fleet.drop(client.server.host)
    await until(lambda: site.fleet.status(client.server.host).state is not LinkState.UP)
    assert await client.works(site)
    assert len(person.asked) == 1
    assert not client.known_hosts.exists()
    assert await client.trouble(client.site()) is Trouble.UNKNOWN_KEY


@pytest.mark.parametrize("before", ["", "# no newline at the end"])
async def test_save_is_for_good(client: Client, before: str) -> None:
    client.known_hosts.write_text(before)
    person = Person(Trust.SAVE)
    assert await client.works(client.site(person))
    line = f"{client.server.known_as} {client.server.public_key}"
    assert client.known_hosts.read_text().splitlines() == [*before.splitlines(), line]
    assert await client.works(client.site())
    assert len(person.asked) == 1


async def test_what_was_saved_is_good_for_openssh_too(client: Client) -> None:
    client.known_hosts = client.directory / "new" / "known_hosts"  # and the directory is made
    assert await client.works(client.site(Person(Trust.SAVE)))
    command = ["ssh", "-F", str(client.directory / "config"), "-o", "StrictHostKeyChecking=yes", client.server.host]
    assert subprocess.run([*command, "true"], check=False, timeout=20).returncode == 0


@pytest.mark.parametrize("kind", ["ed25519", "rsa"])
async def test_a_changed_key_is_refused_whatever_anybody_says(client: Client, tmp_path: Path, kind: str) -> None:
    client.known_hosts.write_text(f"{client.server.known_as} {new_key(tmp_path, kind)}\n")
    before = client.known_hosts.read_bytes()
    person = Person(Trust.SAVE)
    assert await client.trouble(client.site(person)) is Trouble.CHANGED_KEY
    assert not person.asked
    assert client.known_hosts.read_bytes() == before


async def test_a_plain_key_where_an_authority_is_known_is_a_changed_key(client: Client, tmp_path: Path) -> None:
    client.known_hosts.write_text(f"@cert-authority {client.server.known_as} {new_key(tmp_path)}\n")
    person = Person(Trust.SAVE)
    assert await client.trouble(client.site(person)) is Trouble.CHANGED_KEY
    assert not person.asked


@pytest.mark.parametrize("answer", [Trust.ONCE, Trust.SAVE])
async def test_a_key_that_changes_during_the_session_is_refused(
    farm: Farm, sites: Sites, tmp_path: Path, answer: Trust
) -> None:
    server = farm.server(f"changing-{answer.value}", known=False)
    client = Client(server, sites, tmp_path)
    person = Person(answer)
    site = client.site(person)
    assert await client.works(site)
    server.stop()
    server.new_host_key()
    server.start()
    await until(lambda: site.fleet.status(server.host).state is LinkState.REFUSED)
    assert await client.trouble(site) is Trouble.CHANGED_KEY
    assert len(person.asked) == 1


@pytest.mark.parametrize("pattern", ["host", "*"])
async def test_a_revoked_key_is_refused_even_if_it_is_known(client: Client, pattern: str) -> None:
    name, key = client.server.known_as, client.server.public_key
    revoked = f"@revoked {name if pattern == 'host' else pattern} {key}\n"
    for known in (revoked, f"{name} {key}\n{revoked}"):
        client.known_hosts.write_text(known)
        person = Person(Trust.SAVE)
        assert await client.trouble(client.site(person)) is Trouble.CHANGED_KEY
        assert not person.asked


async def test_both_known_hosts_files_count(client: Client, tmp_path: Path) -> None:
    everybody = tmp_path / "everybody"
    everybody.write_text(f"{client.server.known_as} {client.server.public_key}\n")
    assert await client.works(client.site(more=f"  GlobalKnownHostsFile {everybody}\n"))
    everybody.write_text(f"@revoked * {client.server.public_key}\n")
    client.known_hosts.write_text(f"{client.server.known_as} {client.server.public_key}\n")
    assert await client.trouble(client.site(more=f"  GlobalKnownHostsFile {everybody}\n")) is Trouble.CHANGED_KEY


async def test_hashed_names_are_found(client: Client) -> None:
    client.known_hosts.write_text(f"{client.server.known_as} {client.server.public_key}\n")
    subprocess.run(["ssh-keygen", "-q", "-H", "-f", str(client.known_hosts)], capture_output=True, check=True)
    assert client.server.address not in client.known_hosts.read_text()
    assert await client.works(client.site())


async def test_an_alias_names_the_key(client: Client) -> None:
    client.known_hosts.write_text(f"pollux {client.server.public_key}\n")
    assert await client.works(client.site(more="  HostKeyAlias pollux\n"))


@pytest.mark.parametrize("files", ["none", "missing", "/dev/null"])
async def test_no_known_hosts_file_trusts_nobody(
    client: Client, files: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    path = str(tmp_path / "missing") if files == "missing" else files
    more = f"  UserKnownHostsFile {path}\n  GlobalKnownHostsFile {path}\n  StrictHostKeyChecking no\n"
    assert await client.trouble(client.site(more=more)) is Trouble.UNKNOWN_KEY


async def test_a_damaged_known_hosts_file_trusts_nobody(client: Client) -> None:
    client.known_hosts.write_bytes(b"\xff\xfe[\n" + f"{client.server.known_as} ssh-ed25519 AAAA\n".encode())
    with pytest.raises(UnreachableError) as error:
        await client.site(Person(Trust.NO)).query(client.server.host, TRUE)
    assert error.value.trouble in (Trouble.CONFIGURATION, Trouble.UNKNOWN_KEY)
