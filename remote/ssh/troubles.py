"""Why a host cannot be reached: what asyncssh and the system raise, in our words."""

from __future__ import annotations

import errno
import re

import asyncssh

from remote.errors import Trouble, UnreachableError
from remote.text import one_line


def explain(host: str, error: Exception) -> UnreachableError:
    """Map what asyncssh and the system raise to one of our words."""
    detail = one_line(str(error))
    trouble = Trouble.PROTOCOL
    if isinstance(error, TimeoutError):
        trouble, detail = Trouble.TIMEOUT, ""
    elif isinstance(error, asyncssh.HostKeyNotVerifiable):
        trouble = Trouble.CHANGED_KEY if "revoked" in detail else Trouble.UNKNOWN_KEY
    elif isinstance(error, asyncssh.KeyExchangeFailed) and "host key" in detail:
        # the server has no key of a kind that we know it by
        trouble = Trouble.CHANGED_KEY
    elif isinstance(error, asyncssh.PermissionDenied) or "authentication failures" in detail:
        trouble = Trouble.AUTHENTICATION
    elif isinstance(error, asyncssh.ChannelOpenError):
        trouble, detail = _jump_trouble(error, detail)
    elif isinstance(error, asyncssh.ConnectionLost):
        trouble = Trouble.LOST
    elif isinstance(error, asyncssh.ConfigParseError | asyncssh.KeyImportError | ValueError | RuntimeError):
        trouble = Trouble.CONFIGURATION
    elif isinstance(error, FileNotFoundError | PermissionError | IsADirectoryError):
        trouble = Trouble.CONFIGURATION  # the name of a file that it could not read is in the detail
    elif isinstance(error, ConnectionRefusedError):
        trouble, detail = Trouble.REFUSED, ""
    elif isinstance(error, OSError):
        trouble = _network_trouble(error, detail)
    return UnreachableError(host, trouble, detail)


def _jump_trouble(error: asyncssh.ChannelOpenError, detail: str) -> tuple[Trouble, str]:
    """What a jump host says of the way on from there; the words are those of its system."""
    words = detail.lower()
    if error.code == asyncssh.OPEN_ADMINISTRATIVELY_PROHIBITED:
        return Trouble.PROTOCOL, "the jump host forwards no connections (AllowTcpForwarding in its sshd_config)"
    trouble = Trouble.LOST
    if "refused" in words:
        trouble = Trouble.REFUSED
    elif "timed out" in words or "route" in words or "unreachable" in words:
        trouble = Trouble.TIMEOUT
    elif "name" in words or "resol" in words:
        trouble = Trouble.NAME
    return trouble, f"the jump host says: {detail}"


def _network_trouble(error: OSError, detail: str) -> Trouble:
    """What the system says of a connection. For a name with several addresses asyncio puts all of it in a text."""
    if type(error).__name__ == "gaierror":
        return Trouble.NAME
    numbers = {error.errno} if error.errno else {int(word) for word in re.findall(r"\[Errno (\d+)\]", detail)}
    if errno.ECONNREFUSED in numbers:
        return Trouble.REFUSED
    if numbers & {errno.EHOSTUNREACH, errno.ENETUNREACH, errno.EHOSTDOWN, errno.ETIMEDOUT}:
        return Trouble.TIMEOUT
    return Trouble.LOST
