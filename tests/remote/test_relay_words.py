"""What is run on the admin node, and how the words of its ssh are understood. No connection is made."""

from __future__ import annotations

import shlex

import pytest

from remote.errors import Trouble
from remote.relay import REACHED, reached, relay_advice, relay_command, what_ssh_said
from remote.text import last_lines

INNER = "exec /usr/bin/env RESTRIPE_Q=0123 /bin/sh -s"
CHANGED = b"""\
@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@
@    WARNING: REMOTE HOST IDENTIFICATION HAS CHANGED!     @
@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@
IT IS POSSIBLE THAT SOMEONE IS DOING SOMETHING NASTY!
Host key for nsd1 has changed and you have requested strict checking.
Host key verification failed.\r
"""


@pytest.mark.parametrize("host", ["nsd1", "root@nsd1", "nsd1.example.com", "10.0.0.1", "fe80::1", "_a"])
def test_the_host_and_the_inner_command_are_single_words(host: str) -> None:
    words = shlex.split(relay_command(host, INNER))
    assert words[:5] == ["exec", "/usr/bin/env", "LC_ALL=C", "/bin/sh", "-c"]
    assert words[-3:] == ["--", host, INNER]


@pytest.mark.parametrize("host", ["", "-oProxyCommand=id", "a b", "a;b", "@a", "a@", "a@-b", "a\n", "a'b", "$a", "a/b"])
def test_what_is_no_host_is_refused(host: str) -> None:
    with pytest.raises(ValueError, match="not a host"):
        relay_command(host, INNER)


def test_nobody_is_asked_nothing_is_accepted_and_nothing_is_shared() -> None:
    words = shlex.split(relay_command("nsd1", INNER))
    for option in ("BatchMode=yes", "StrictHostKeyChecking=yes", "ControlMaster=no", "ControlPath=none"):
        assert f"-o{option}" in words


@pytest.mark.parametrize(
    ("stderr", "trouble", "line"),
    [
        (CHANGED, Trouble.CHANGED_KEY, "Host key verification failed."),
        (
            b"No ED25519 host key is known for nsd1.\r\nHost key verification failed.\r\n",
            Trouble.UNKNOWN_KEY,
            "Host key verification failed.",
        ),
        (b"root@nsd1: Permission denied (publickey,gssapi-keyex).\r\n", Trouble.AUTHENTICATION, ""),
        (b"ssh: Could not resolve hostname nsd9: Name or service not known\r\n", Trouble.NAME, ""),
        (b"ssh: connect to host nsd1 port 22: Connection refused\r\n", Trouble.REFUSED, ""),
        (b"ssh: connect to host nsd1 port 22: Connection timed out\r\n", Trouble.TIMEOUT, ""),
        (b"Connection timed out during banner exchange\r\n", Trouble.TIMEOUT, ""),
        (b"ssh: connect to host nsd1 port 22: No route to host\r\n", Trouble.TIMEOUT, ""),
        (b"Unable to negotiate with 10.0.0.1 port 22: no matching host key type found.", Trouble.PROTOCOL, ""),
        (b"/root/.ssh/config: line 3: Bad configuration option: nonsense\r\n", Trouble.CONFIGURATION, ""),
        (b"/root/.ssh/config: terminating, 1 bad configuration options\r\n", Trouble.CONFIGURATION, ""),
        (b"Bad owner or permissions on /root/.ssh/config\r\n", Trouble.CONFIGURATION, ""),
        (b"ssh: 1: exec: ssh: not found\n", Trouble.CONFIGURATION, ""),
        (b"kex_exchange_identification: Connection closed by remote host\r\n", Trouble.LOST, ""),
        (b"", Trouble.LOST, ""),
        # the noise of a login shell comes before what ssh says
        (b"bash: /etc/motd.sh: Permission denied\nConnection refused\n", Trouble.REFUSED, "Connection refused"),
        (b"mesg: ttyname failed: timed out\nroot@a: Permission denied (publickey).", Trouble.AUTHENTICATION, ""),
    ],
)
def test_the_words_of_ssh(stderr: bytes, trouble: Trouble, line: str) -> None:
    found, said = what_ssh_said(stderr)
    assert found is trouble
    assert said == (line or last_lines(stderr, 1))


@pytest.mark.parametrize("trouble", list(Trouble))
def test_every_trouble_has_advice_that_names_the_admin_node(trouble: Trouble) -> None:
    assert "admin" in relay_advice("admin", "nsd1", trouble)


@pytest.mark.parametrize(
    ("stdout", "expected"),
    [
        (b"", (False, b"")),
        (b"noise without an end", (False, b"noise without an end")),
        (f"{REACHED}\nout".encode(), (True, b"out")),
        (f"noise {REACHED}\nout".encode(), (True, b"noise out")),
        (REACHED.encode(), (False, REACHED.encode())),
    ],
)
def test_the_word_that_the_host_was_reached(stdout: bytes, expected: tuple[bool, bytes]) -> None:
    assert reached(stdout) == expected


def test_carriage_returns_end_lines_and_are_not_shown() -> None:
    assert last_lines(b"one\r\ntwo\rthree\r\n", 2) == "two\nthree"
