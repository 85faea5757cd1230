"""Reaching a host by way of the admin node: `ssh` there, for hosts that do not take the key from here. Pure.

Everything that a job or a question needs travels inside the script on standard input, so only the outermost
command changes. Host keys of such hosts are checked by the admin node's own ssh, and are never accepted by us.
"""

from __future__ import annotations

import re

from remote.command import quote
from remote.errors import Trouble
from remote.text import last_lines

_HOST = re.compile(r"(?:[A-Za-z0-9_][A-Za-z0-9_.-]*@)?[A-Za-z0-9_][A-Za-z0-9_.:-]*\Z")
FAILED = 255
"""The exit status of ssh itself, when it could not reach the host or lost it."""

_OPTIONS = (
    "-T",
    "-oBatchMode=yes",
    "-oConnectTimeout=15",
    "-oServerAliveInterval=15",
    "-oServerAliveCountMax=3",
    "-oEscapeChar=none",
    "-oClearAllForwardings=yes",
)

_SAID = (
    ("REMOTE HOST IDENTIFICATION HAS CHANGED", Trouble.CHANGED_KEY),
    ("Host key verification failed", Trouble.UNKNOWN_KEY),
    ("Permission denied", Trouble.AUTHENTICATION),
    ("Too many authentication failures", Trouble.AUTHENTICATION),
    ("Could not resolve hostname", Trouble.NAME),
    ("Connection refused", Trouble.REFUSED),
    ("timed out", Trouble.TIMEOUT),
    ("No route to host", Trouble.TIMEOUT),
    ("Network is unreachable", Trouble.TIMEOUT),
    ("Bad configuration option", Trouble.CONFIGURATION),
    ("command not found", Trouble.CONFIGURATION),
)


def relay_command(host: str, inner: str) -> str:
    """What is run on the admin node so that `inner` is run on `host`. ValueError for what is no host."""
    if not _HOST.match(host):
        raise ValueError(f"not a host: {host!r}")
    return f"exec /usr/bin/env LC_ALL=C ssh {quote((*_OPTIONS, '--', host, inner))}"


def what_ssh_said(stderr: bytes) -> tuple[Trouble, str]:
    """Why ssh on the admin node failed, and its last line."""
    text = last_lines(stderr, 20)
    trouble = next((trouble for said, trouble in _SAID if said in text), Trouble.LOST)
    return trouble, last_lines(stderr, 1)
