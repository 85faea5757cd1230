"""Reaching a host by way of the admin node: `ssh` there, for hosts that do not take the key from here. Pure.

Everything that a job or a question needs travels inside the script on standard input, so only the outermost
command changes. Host keys of such hosts are checked by the admin node's own ssh, and are never accepted by us.
"""

from __future__ import annotations

import re

from remote.command import quote
from remote.errors import ADVICE, Trouble
from remote.text import last_lines

_HOST = re.compile(r"(?:[A-Za-z0-9_][A-Za-z0-9_.-]*@)?[A-Za-z0-9_][A-Za-z0-9_.:-]*\Z")
FAILED = 255
"""The exit status of ssh itself, when it could not reach the host or lost it."""
REACHED = "restripe-reached"
"""What ssh on the admin node says when the host has let it in, and before anything is asked of it."""

# What the admin node's own configuration says of people's logins must not hold for ours: a shared connection that
# goes to the background would keep our channel open, and whoever watches writes nothing, not even to known_hosts.
_OPTIONS = (
    "-T",
    "-a",
    "-x",
    "-oBatchMode=yes",
    "-oStrictHostKeyChecking=yes",
    "-oConnectTimeout=15",
    "-oServerAliveInterval=10",
    "-oServerAliveCountMax=3",
    "-oControlMaster=no",
    "-oControlPath=none",
    "-oEscapeChar=none",
    "-oClearAllForwardings=yes",
    "-oLogLevel=INFO",
    "-oPermitLocalCommand=yes",
    f"-oLocalCommand=echo {REACHED}",
)
# Options that came later than the ssh of old releases; one that ssh does not know would end it.
_START = (
    'for o in -oUpdateHostKeys=no -oRemoteCommand=none; do ssh "$o" -V </dev/null >/dev/null 2>&1 && set -- "$o" "$@"; '
    'done; exec ssh "$@"'
)

_SAID = (
    ("Host key verification failed", Trouble.UNKNOWN_KEY),
    ("Permission denied (", Trouble.AUTHENTICATION),
    ("Too many authentication failures", Trouble.AUTHENTICATION),
    ("Could not resolve hostname", Trouble.NAME),
    ("Connection refused", Trouble.REFUSED),
    ("timed out", Trouble.TIMEOUT),
    ("No route to host", Trouble.TIMEOUT),
    ("Network is unreachable", Trouble.TIMEOUT),
    ("Unable to negotiate", Trouble.PROTOCOL),
    ("Bad configuration option", Trouble.CONFIGURATION),
    ("bad configuration options", Trouble.CONFIGURATION),
    ("Bad owner or permissions", Trouble.CONFIGURATION),
    ("Cannot execute command-line and remote command", Trouble.CONFIGURATION),
    ("ssh: not found", Trouble.CONFIGURATION),
    ("exec: ssh: Permission denied", Trouble.CONFIGURATION),
    ("ssh: command not found", Trouble.CONFIGURATION),
)


def relay_command(host: str, inner: str) -> str:
    """What is run on the admin node so that `inner` is run on `host`. ValueError for what is no host."""
    if not _HOST.match(host):
        raise ValueError(f"not a host: {host!r}")
    return f"exec /usr/bin/env LC_ALL=C /bin/sh -c {quote((_START, 'ssh', *_OPTIONS, '--', host, inner))}"


def reached(stdout: bytes) -> tuple[bool, bytes]:
    """Whether the host let ssh in, and what was written without the word that says so."""
    before, mark, after = stdout.partition(f"{REACHED}\n".encode())
    return bool(mark), before + after


def what_ssh_said(stderr: bytes) -> tuple[Trouble, str]:
    """Why ssh on the admin node failed, and the line that tells it.

    ssh speaks last; what stands before may be the noise of a login shell.
    """
    lines = last_lines(stderr, 20).split("\n")
    for line in reversed(lines):
        for said, trouble in _SAID:
            if said in line:
                changed = trouble is Trouble.UNKNOWN_KEY and any("IDENTIFICATION HAS CHANGED" in one for one in lines)
                return (Trouble.CHANGED_KEY if changed else trouble), line
    return Trouble.LOST, lines[-1]


def relay_advice(through: str, host: str, trouble: Trouble) -> str:
    """What to do about a host that ssh on the admin node `through` cannot reach."""
    by_hand = f"On {through}, try: ssh {host} true"
    if trouble is Trouble.AUTHENTICATION:
        return f"{by_hand}. The user there needs a key that {host} takes without a question"
    if trouble is Trouble.UNKNOWN_KEY:
        return f"On {through}, compare the fingerprint with the host's own, and add the key to known_hosts there"
    if trouble is Trouble.CHANGED_KEY:
        return f"{ADVICE[trouble]} on {through}"
    return by_hand
