"""What a connection asks a person is a dialog on the screens; what nobody may answer is an explanation."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

from tests.terminal.cluster import ENTRY, FS, Cluster
from tests.terminal.terminal import terminal

SECRET = "correct horse"


class Client:
    """A person's own configuration: a key with a passphrase, and a known_hosts."""

    def __init__(self, cluster: Cluster, directory: Path) -> None:
        self.known_hosts = directory / "known_hosts"
        self.key = directory / "id"
        self.config = directory / "ssh_config"
        shutil.copy(cluster.directory / "id_ed25519", self.key)
        self.known = (cluster.directory / "known_hosts").read_text()
        text = cluster.config.read_text().replace(str(cluster.directory / "known_hosts"), str(self.known_hosts))
        text = text.replace(str(cluster.directory / "id_ed25519"), str(self.key))
        self.config.write_text(text)
        (self.public,) = {line.split()[2] for line in self.known.splitlines() if line.startswith(ENTRY)}

    @property
    def words(self) -> tuple[str, ...]:
        return "connect", ENTRY, "--fs", FS, "-F", str(self.config)

    def know_the_others(self) -> None:
        """Let the keys of all hosts but the entry be known."""
        others = (line for line in self.known.splitlines(keepends=True) if not line.startswith(ENTRY))
        self.known_hosts.write_text("".join(others))

    def lock(self) -> None:
        """Give the key a passphrase."""
        command = ["ssh-keygen", "-q", "-p", "-P", "", "-N", SECRET, "-f", str(self.key)]
        subprocess.run(command, check=True)

    def fingerprint(self) -> str:
        """The host key's, as ssh-keygen tells it."""
        told = subprocess.run(
            ["ssh-keygen", "-lf", "-"], input=f"ssh-ed25519 {self.public}\n", capture_output=True, text=True, check=True
        )
        return told.stdout.split()[1]


@pytest.fixture
def client(cluster: Cluster, tmp_path: Path) -> Client:
    return Client(cluster, tmp_path)


def test_a_host_key_and_a_passphrase_are_asked_for(tmp_path: Path, client: Client) -> None:
    client.lock()
    client.know_the_others()
    with terminal(tmp_path, *client.words) as term:
        term.wait_for(f"Unknown host key of {ENTRY}")
        term.wait_for(client.fingerprint())
        term.wait_for("▸ No ◂")
        term.outwait_deafness()
        term.send("\t\t")
        term.wait_for("▸ s: trust and save ◂")
        term.send("s")
        term.wait_for("passphrase")
        term.outwait_deafness()
        term.send(f"not {SECRET}\r")
        term.wait_for("What was typed before was wrong")
        term.outwait_deafness()
        term.send(f"{SECRET}\r")
        term.wait_for("hosts 3/3")
        term.wait_for("88,772,608")
        term.send("q")
        assert term.wait_end() == 0
        assert SECRET.encode() not in term.raw
        assert SECRET[:4] not in term.text
    assert client.public in client.known_hosts.read_text()
    for path in tmp_path.rglob("*"):
        assert not path.is_file() or SECRET.encode() not in path.read_bytes()


def test_no_is_an_answer(tmp_path: Path, client: Client) -> None:
    with terminal(tmp_path, *client.words) as term:
        term.wait_for("▸ No ◂")
        term.outwait_deafness()
        term.send("\r")
        term.wait_for(f"{ENTRY} refused")
        term.wait_for("hosts 0/1")
        term.send("q")
        assert term.wait_end() == 0
    assert not client.known_hosts.exists()


def test_a_changed_host_key_is_explained_and_cannot_be_accepted(tmp_path: Path, client: Client) -> None:
    # what is known of the entry host is the key of another
    (other,) = {line.split()[2] for line in client.known.splitlines() if line.startswith("pollux2")}
    client.known_hosts.write_text(client.known.replace(client.public, other))
    before = client.known_hosts.read_bytes()
    with terminal(tmp_path, *client.words, "--write", size=(200, 60)) as term:
        term.wait_for(f"{ENTRY} refused: the host key has CHANGED")
        term.wait_for("There is no way to accept the key here")
        term.outwait_deafness()
        for key in "os\ty":
            term.send(key)
        term.wait_for("hosts 0/1")
        assert "There is no way to accept" in term.text
        term.send("\r")
        term.wait_gone("There is no way to accept")
        term.send("r")
        term.wait_for("asking again")
        term.wait_for(f"{ENTRY} refused: the host key has CHANGED")
        assert "trust" not in term.text
        assert "hosts 0/1" in term.text
        term.send("q")
        assert term.wait_end() == 0
    assert client.known_hosts.read_bytes() == before
