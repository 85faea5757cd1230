"""A real OpenSSH server for tests: its own port, keys and users; its sessions can be killed, frozen and counted.

As root each account is a throw-away user with an empty home, so that nobody's start-up files disturb. Without root
the server runs for the own user, whose HOME it sets to an empty directory.
"""

from __future__ import annotations

import contextlib
import getpass
import itertools
import os
import pwd
import shutil
import signal
import socket
import subprocess
import tempfile
import time
from collections.abc import Iterator, Mapping
from pathlib import Path

import msgspec
import pytest

from tests.processes import alive, command_line, descendants, environ, every_pid, send
from tests.waiting import until_now

SSHD = shutil.which("sshd", path="/usr/sbin:/usr/local/sbin:/sbin:/usr/bin")
_NUMBERS = itertools.count()
MARK = "RESTRIPE_TEST"


class Account(msgspec.Struct, frozen=True):
    """A user on the far side; `owned` accounts are removed at the end."""

    name: str
    home: Path
    shell: str
    uid: int
    owned: bool

    def give(self, path: Path) -> Path:
        """Let the account own a file or directory that a test made."""
        if self.owned:
            os.chown(path, self.uid, -1)
        return path

    def directory(self, name: str) -> Path:
        """A new directory of the account, below its home."""
        path = self.home / name
        path.mkdir(mode=0o755)
        return self.give(path)

    def script(self, name: str, text: str) -> Path:
        """An executable of the account's, in its home; for PATH directories and start-up files."""
        path = self.home / name
        path.write_text(text, encoding="utf-8")
        path.chmod(0o755)
        return self.give(path)


def is_sshd(pid: int) -> bool:
    """Whether a process is a part of sshd (newer ones are called sshd-session)."""
    with contextlib.suppress(OSError):
        return Path(f"/proc/{pid}/comm").read_text(encoding="utf-8").startswith("sshd")
    return False


class Server:
    """One sshd. `host` is its name in `config`, the SSH configuration of all servers of the farm."""

    def __init__(self, farm: Farm, host: str, account: Account, address: str, settings: str, env: Mapping[str, str]):
        self.farm = farm
        self.host = host
        self.account = account
        self.address = address
        self.directory = farm.directory / host
        self.directory.mkdir()
        self.log = self.directory / "log"
        self.host_key = self.directory / "host_key"
        self.new_host_key()
        with socket.socket() as probe:
            probe.bind((address, 0))
            self.port: int = probe.getsockname()[1]
        self.mark = f"{MARK}={self.directory}"
        self.settings = settings
        self.set_environment(env)
        self._process: subprocess.Popen[bytes] | None = None
        self.start()

    @property
    def pid(self) -> int:
        """The listening process."""
        assert self._process is not None
        return self._process.pid

    def new_host_key(self) -> None:
        """Make a host key, or another one in its place."""
        self.host_key.unlink(missing_ok=True)
        command = ["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-C", "", "-f", str(self.host_key)]
        subprocess.run(command, check=True)

    @property
    def public_key(self) -> str:
        """The host key as known_hosts holds it."""
        return " ".join(Path(f"{self.host_key}.pub").read_text(encoding="ascii").split()[:2])

    @property
    def known_as(self) -> str:
        """The host as known_hosts calls it."""
        return f"[{self.address}]:{self.port}"

    def set_environment(self, env: Mapping[str, str]) -> None:
        """What every session finds in its environment, from the next start on."""
        words = {MARK: str(self.directory), **({} if self.account.owned else {"HOME": str(self.account.home)}), **env}
        set_env = " ".join(f'"{name}={value}"' for name, value in words.items())
        (self.directory / "sshd_config").write_text(
            f"{self.settings}\n"
            f"ListenAddress {self.address}\nPort {self.port}\nHostKey {self.host_key}\nPidFile none\nUsePAM no\n"
            f"AuthorizedKeysFile {self.farm.key}.pub\nStrictModes no\nPasswordAuthentication no\n"
            f"KbdInteractiveAuthentication no\nLogLevel DEBUG1\nMaxStartups 60\nUseDNS no\n"
            f"PrintMotd no\nPrintLastLog no\nSetEnv {set_env}\n",
            encoding="utf-8",
        )

    def write_config(self, path: Path, known_hosts: Path | str, more: str = "") -> Path:
        """Append how to reach this server to a client's configuration. The first word for an option counts."""
        with path.open("a", encoding="utf-8") as file:
            file.write(
                f"Host {self.host}\n{more}  HostName {self.address}\n  Port {self.port}\n"
                f"  User {self.account.name}\n  IdentityFile {self.farm.key}\n  IdentitiesOnly yes\n"
                f"  UserKnownHostsFile {known_hosts}\n  GlobalKnownHostsFile {self.farm.directory}/no_such_file\n"
            )
        return path

    def start(self) -> None:
        """Start to listen; returns when it does."""
        assert SSHD is not None
        before = self.log_text().count("Server listening")
        command = [SSHD, "-D", "-f", str(self.directory / "sshd_config"), "-E", str(self.log)]
        self._process = subprocess.Popen(command, stdin=subprocess.DEVNULL)
        until_now(lambda: self.log_text().count("Server listening") > before)

    def stop(self) -> None:
        """Stop to listen and kill every session; what jobs and commands run goes on."""
        if self._process is not None:
            self.freeze()  # so that no session is born meanwhile
            pids = [*self.sessions(), self.pid]
            send(pids, signal.SIGKILL)
            self._process.wait(10)
            self._process = None

    def log_text(self) -> str:
        """What the server has logged so far, at level DEBUG1."""
        return self.log.read_text(encoding="utf-8", errors="replace") if self.log.exists() else ""

    def connections(self) -> int:
        """How many TCP connections there ever were."""
        return self.log_text().count("Connection from ")

    def sessions(self) -> list[int]:
        """The sshd processes of all connections."""
        return [pid for pid in descendants(self.pid) if is_sshd(pid)]

    def kill_sessions(self) -> None:
        """Kill what serves the connections, as an administrator or a crash would; commands are not touched."""
        pids = self.sessions()
        assert pids, "there is no session to kill"
        send(pids, signal.SIGKILL)
        until_now(lambda: not any(alive(pid) for pid in pids))

    def freeze(self) -> None:
        """Stop the listener and all sessions: the server neither answers nor closes anything."""
        send([self.pid, *self.sessions()], signal.SIGSTOP)

    def thaw(self) -> None:
        """Let a frozen server go on."""
        send([self.pid, *self.sessions()], signal.SIGCONT)

    def processes(self, words: str = "") -> list[int]:
        """What was started through this server and lives, with `words` in its command line; sshd itself left out."""
        mark = self.mark.encode() + b"\0"
        return [
            pid
            for pid in every_pid()
            if mark in environ(pid) and words in command_line(pid) and alive(pid) and not is_sshd(pid)
        ]


class Farm:
    """Servers and accounts of one test process, and the client's side: a key, known_hosts and an ssh_config."""

    def __init__(self) -> None:
        self.directory = Path(tempfile.mkdtemp(prefix="rs-", dir="/tmp"))
        self.directory.chmod(0o755)
        self.key = self.directory / "id"
        command = ["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-C", "test", "-f", str(self.key)]
        subprocess.run(command, check=True)
        self.known_hosts = self.directory / "known_hosts"
        self.known_hosts.touch()
        self.config = self.directory / "ssh_config"
        self._accounts: dict[str, Account] = {}
        self._servers: dict[str, Server] = {}
        self._can_log_in = False

    def account(self, shell: str = "sh", purpose: str = "shared") -> Account:
        """The account with that login shell, one for each purpose. Skips when the shell is missing or no account can
        be made."""
        key = f"{purpose}-{shell}"
        if key not in self._accounts:
            self._accounts[key] = self._new_account(shell, self.directory / f"home-{key}")
        return self._accounts[key]

    def server(
        self,
        host: str,
        *,
        shell: str = "sh",
        account: Account | None = None,
        address: str = "127.0.0.1",
        settings: str = "",
        env: Mapping[str, str] | None = None,
        more: str = "",
        known: bool = True,
    ) -> Server:
        """Start a server; its users share one account for each shell unless `account` says whose it is.

        `more` are lines for its host in the client's configuration.
        """
        server = Server(self, host, account or self.account(shell), address, settings, env or {})
        self._servers[host] = server
        server.write_config(self.config, self.known_hosts, more)
        if known:
            with self.known_hosts.open("a", encoding="utf-8") as file:
                file.write(f"{server.known_as} {server.public_key}\n")
        self._check_login(server)
        return server

    def _check_login(self, server: Server) -> None:
        """Without root the own user may be one that cannot log in: locked, or without a shell."""
        if server.account.owned or self._can_log_in:
            return
        ssh = ["ssh", "-F", str(self.config), "-o", "BatchMode=yes", "-o", "StrictHostKeyChecking=no"]
        ssh += ["-o", "UserKnownHostsFile=/dev/null", server.host, "exec /bin/sh -s"]
        done = subprocess.run(ssh, input=b"echo in", capture_output=True, check=False)
        if done.stdout.split()[-1:] != [b"in"]:
            pytest.skip(f"{server.account.name} cannot log in here: {done.stderr.decode(errors='replace').strip()}")
        self._can_log_in = True

    def close(self) -> None:
        """Stop everything that was started through the farm, remove its users and files."""
        for server in self._servers.values():
            server.stop()
            send(server.processes(), signal.SIGKILL)
        for account in self._accounts.values():
            if account.owned:
                _tool("userdel", "-f", account.name)
        shutil.rmtree(self.directory, ignore_errors=True)

    def _new_account(self, shell: str, home: Path) -> Account:
        if os.geteuid() != 0:
            if shell != "sh":
                pytest.skip(f"only root can make a user whose login shell is {shell}")
            home.mkdir(mode=0o700)
            return Account(getpass.getuser(), home, "", os.geteuid(), owned=False)
        path = shutil.which(shell)
        if path is None:
            pytest.skip(f"{shell} is not installed")
        home.mkdir(mode=0o700)
        name = f"rs{os.getpid()}n{next(_NUMBERS)}{shell}"  # one process may have several farms
        # a password of * is no password, but the account is not locked: sshd without PAM refuses locked ones
        _tool("useradd", "-M", "-N", "-p", "*", "-d", str(home), "-s", path, name)
        uid = pwd.getpwnam(name).pw_uid
        os.chown(home, uid, -1)
        return Account(name, home, path, uid, owned=True)


def _tool(*command: str) -> None:
    """Run useradd or userdel; another test process may hold the lock of /etc/passwd."""
    for _ in range(50):
        done = subprocess.run(command, capture_output=True, check=False)
        if done.returncode == 0 or done.returncode not in (1, 10):
            break
        time.sleep(0.1)
    if done.returncode not in (0, 12):
        raise RuntimeError(f"{command}: {done.stderr.decode(errors='replace')}")


@contextlib.contextmanager
def farm() -> Iterator[Farm]:
    """A farm that is gone afterwards. Skips where there is no OpenSSH server."""
    if SSHD is None:
        pytest.skip("sshd is not installed (Debian: openssh-server)")
    if os.geteuid() == 0:
        Path("/run/sshd").mkdir(mode=0o755, exist_ok=True)
    made = Farm()
    try:
        yield made
    finally:
        made.close()
