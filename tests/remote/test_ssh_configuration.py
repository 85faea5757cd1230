"""What of an SSH configuration is done here, what is told as not done, and that nothing of it harms a question."""

from __future__ import annotations

import socket
import subprocess
import sys
from pathlib import Path

import asyncssh.config
import pytest

from remote.errors import Trouble, UnreachableError
from remote.ssh.route import route
from remote.ssh.settings import SshSettings
from remote.sshconfig import MEANINGS, SUPPORTED, Subject, unsupported
from tests.hostile import Client, asks
from tests.openssh import Server

SUBJECT = Subject("nsd1", "10.0.0.1", "root", "me")


def found(tmp_path: Path, text: str, subject: Subject = SUBJECT) -> list[tuple[int, str, str, bool]]:
    """What is told of a configuration."""
    (tmp_path / "config").write_text(text)
    return [(one.line, one.keyword, one.value, one.may) for one in unsupported([tmp_path / "config"], subject)]


def test_the_lists_are_those_of_asyncssh() -> None:
    known = set(asyncssh.config.SSHClientConfig._handlers)
    told = {name for name in known if name in MEANINGS}
    assert known - told == SUPPORTED
    assert not SUPPORTED & set(MEANINGS)


NOT_DONE = (
    "ControlMaster ControlPath StrictHostKeyChecking LocalForward BatchMode AddKeysToAgent UpdateHostKeys "
    "NumberOfPasswordPrompts NoSuchKeyword"
)


@pytest.mark.parametrize("keyword", NOT_DONE.split())
def test_what_is_not_done_is_told_with_its_line(tmp_path: Path, keyword: str) -> None:
    (tmp_path / "config").write_text(f"# a comment\nHost nsd1\n  HostName nsd\n  {keyword.upper()} = yes no # why\n")
    (one,) = unsupported([tmp_path / "config"], SUBJECT)
    assert (one.file, one.line, one.value, one.may) == (tmp_path / "config", 4, "yes no", False)
    assert one.meaning


@pytest.mark.parametrize(
    ("block", "expected"),
    [
        ("Host nsd1", True), ("Host nsd*", True), ("Host nsd?", True), ("Host NSD1", True), ("Host * !nsd1", False),
        ("Host other", False), ("Host 10.0.0.1", False), ("Host other nsd1", True), ("Host !other", False),
        ("Host nsd[0-9]", False), ('Host "nsd1"', True), ("Host=nsd1", True), ("Match all", True),
        ("Match host 10.0.0.1", True), ("Match host nsd1", True), ("Match host other", False),
        ("Match originalhost nsd1", True), ("Match originalhost 10.0.0.1", False), ("Match user root", True),
        ("Match user other", False), ("Match localuser me", True), ("Match localuser you,me", True),
        ("Match !user root", False), ("Match !user other", True), ("Match host nsd1 user other", False),
        ("Match exec true", None), ('Match host nsd1 exec "test -f /x"', None), ("Match host other exec true", False),
        ("Match canonical", None), ("Match final", None), ("Match tagged x", None), ("Match localnetwork ::/0", None),
        ("Match user=root", True),
    ],
)  # fmt: skip
def test_blocks(tmp_path: Path, block: str, expected: bool | None) -> None:
    seen = found(tmp_path, f"{block}\n  BatchMode yes\n")
    assert seen == ([] if expected is False else [(2, "BatchMode", "yes", expected is None)])


def test_included_files_hold_where_they_are_included(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    (tmp_path / ".ssh").mkdir()
    (tmp_path / ".ssh" / "one").write_text("BatchMode yes\nHost other\n  ControlMaster auto\nInclude two\n")
    (tmp_path / "two.conf").write_text("HashKnownHosts yes\nHost *\nIPQoS none\n")
    (tmp_path / ".ssh" / "loop").write_text("Include loop\nLogLevel DEBUG\n")
    text = f"Host nsd1\nInclude one {tmp_path}/*.conf\nHost other\nInclude one\nMatch exec x\nInclude ~/two.conf no\n"
    assert found(tmp_path, text) == [
        (1, "BatchMode", "yes", False),
        (1, "HashKnownHosts", "yes", False),
        (3, "IPQoS", "none", False),
        (1, "HashKnownHosts", "yes", True),
        (3, "IPQoS", "none", True),
    ]
    assert len(found(tmp_path, "Include loop\n")) == 16  # as deep as OpenSSH goes, and no deeper


@pytest.mark.parametrize("text", ["", "\0", "Host\nBatchMode\n", "Match\n", "Match host\n", "Include\n", 'Host "a\n'])
def test_odd_files_break_nothing(tmp_path: Path, text: str) -> None:
    found(tmp_path, text)
    (tmp_path / "config").write_bytes(b"\xff\xfe\x00Host *\n BatchMode \x1b[31m\n")
    unsupported([tmp_path / "config", tmp_path / "missing", tmp_path], SUBJECT)


def restripe(*words: str) -> subprocess.CompletedProcess[str]:
    """Run the command."""
    return subprocess.run(
        [sys.executable, "-m", "tui.cli", *words], capture_output=True, text=True, check=False, timeout=60
    )


def test_info_tells_where_a_host_is_and_connects_to_nothing(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        config = tmp_path / "config"
        config.write_text(
            f"Host nsd*\n  HostName 127.0.0.1\n  Port {listener.getsockname()[1]}\n  ProxyJump me@admin:2222\n"
            f"  IdentityAgent {tmp_path}/agent\n  UserKnownHostsFile {tmp_path}/known\n  ControlMaster auto\n"
            f"  ServerAliveCountMax 9\nHost other\n  BatchMode yes\n"
        )
        done = restripe("info", "--host", "root@nsd1", "-F", str(config))
        listener.setblocking(False)
        with pytest.raises(BlockingIOError):
            listener.accept()
        port = listener.getsockname()[1]
    assert (done.returncode, done.stderr) == (0, "")
    rows = dict(line.split(maxsplit=2)[0:2] for line in done.stdout.splitlines() if len(line.split()) > 1)
    assert (rows["port"], rows["user"], rows["jump"]) == (str(port), "root", "me@admin:2222")
    assert "host name           127.0.0.1" in done.stdout
    assert f"{tmp_path}/known  (does not exist)" in done.stdout
    assert "agent socket        no" in done.stdout
    assert f"{config}:7: ControlMaster auto" in done.stdout
    assert "four intervals" in done.stdout
    assert "BatchMode" not in done.stdout


@pytest.mark.parametrize("text", ["Port nonsense\n", "Host *\n  Match\n", "HostName %x\n", "IdentityFile /missing\n"])
def test_info_tells_a_configuration_that_cannot_be_used(tmp_path: Path, text: str) -> None:
    (tmp_path / "config").write_text(text)
    done = restripe("info", "--host", "nsd1", "-F", str(tmp_path / "config"))
    assert (done.returncode, done.stdout) == (2, "")
    (line,) = done.stderr.splitlines()
    assert line.startswith("restripe info: nsd1: the SSH configuration cannot be used: ")


def test_info_needs_a_host_for_a_configuration_and_a_file_that_is_there(tmp_path: Path) -> None:
    (tmp_path / "config").touch()
    assert restripe("info", "-F", str(tmp_path / "config")).returncode == 2
    assert restripe("info", "--host", "nsd1", "-F", str(tmp_path / "none")).returncode == 2


async def test_what_overrides_the_configuration(tmp_path: Path) -> None:
    (tmp_path / "config").write_text("Host *\n  User someone\n  ProxyJump a,b\n  Port 2222\n  CertificateFile /c\n")
    way = await route(SshSettings(config_files=(tmp_path / "config",)), "nsd1")
    assert (way.name, way.port, way.user, way.jump, way.certificates) == ("nsd1", 2222, "someone", "a,b", ("/c",))
    settings = SshSettings(config_files=(tmp_path / "config",), user="root", jump="j")
    way = await route(settings, "nsd1:22")
    assert (way.port, way.user, way.jump) == (22, "root", "j")
    with pytest.raises(UnreachableError) as error:
        await route(SshSettings(config_files=(tmp_path / "none",)), "nsd1")
    assert error.value.trouble is Trouble.CONFIGURATION


@pytest.mark.openssh
async def test_what_a_person_wants_of_their_logins_does_not_hold_for_questions(server: Server, tmp_path: Path) -> None:
    """A terminal would echo the script and fold both streams into one; a forwarded agent is nobody's business."""
    client = Client(server, tmp_path)
    wishes = "  RequestTTY force\n  RemoteCommand cat\n  ForwardAgent yes\n  ForwardX11 yes\n  ForwardX11Trusted yes\n"
    client.config.unlink()
    server.write_config(client.config, server.farm.known_hosts, wishes)
    site = client.site()
    try:
        script = 'echo "${SSH_AUTH_SOCK-none}"; test -t 0 || echo no terminal; echo err >&2'
        (answer,) = await site.query(server.host, asks("sh", "-c", script))
        raw = await site.fleet.run(server.host, "tty; echo $SSH_TTY", deadline=10.0, limit=1000)
    finally:
        await site.close()
    assert (answer.stdout, answer.stderr) == (b"none\nno terminal\n", b"err\n")
    assert raw.stdout == b"not a tty\n\n"
