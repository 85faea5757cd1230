"""What can go wrong between here and a host, as errors that a person can act on.

Each error says what failed, on which host, the exact command where there is one, and what to do next. None of
them carries a secret. Text that came from the far side has been made safe to show before it gets in here.
"""

from __future__ import annotations

from enum import Enum


class Trouble(Enum):
    """Why a host cannot be asked."""

    NAME = "the name cannot be resolved"
    REFUSED = "the connection was refused"
    TIMEOUT = "the host does not answer"
    LOST = "the connection was lost"
    AUTHENTICATION = "the host does not accept our key"
    UNKNOWN_KEY = "the host key is unknown"
    CHANGED_KEY = "the host key has CHANGED"
    CONFIGURATION = "the SSH configuration cannot be used"
    PROTOCOL = "the SSH conversation failed"
    BUSY = "every channel to the host is in use"
    SUDO = "sudo does not run the command without a question"
    CLOSED = "this program is closing its connections"


LASTING = frozenset((Trouble.AUTHENTICATION, Trouble.UNKNOWN_KEY, Trouble.CHANGED_KEY, Trouble.CONFIGURATION))
"""Troubles that do not pass by themselves: a host that has one is not tried again until somebody says so."""

ADVICE = {
    Trouble.NAME: "Check the spelling, and the HostName in the SSH configuration",
    Trouble.REFUSED: "See that the host is up and sshd runs there, and check the Port in the SSH configuration",
    Trouble.TIMEOUT: "See whether the host is up; a firewall or a jump host may be in the way",
    Trouble.LOST: "It is tried again while the program runs. See whether the host or the network is down; if only some "
    "connections fail, its sshd log tells of too many at once (MaxStartups, PerSourcePenalties)",
    Trouble.AUTHENTICATION: "Try `ssh` to the host by hand; see that the agent holds your key",
    Trouble.UNKNOWN_KEY: "Compare the fingerprint with the host's own, then add the key to known_hosts",
    Trouble.CHANGED_KEY: "Somebody may be listening, or the host was installed anew. Ask whoever runs it; then "
    "remove the old line from known_hosts by hand",
    Trouble.CONFIGURATION: "Correct the SSH configuration; `restripe info --host HOST` shows what holds for a host",
    Trouble.PROTOCOL: "See with `ssh -v` whether an SSH server answers on this port, and what it offers",
    Trouble.BUSY: "Close other sessions on this connection, or wait; MaxSessions of sshd should be 10",
    Trouble.SUDO: "Allow the commands without a password and without requiretty in sudoers of the host, or log in "
    "as root",
}
"""What to do about a trouble, for people."""

MAY_RUN = "It may still be running there; it is not asked again until it has ended"


class SiteError(Exception):
    """Base of all errors of the far side."""

    def __init__(self, host: str, what: str, *, advice: str = "", command: str = "") -> None:
        self.host = host
        self.what = what
        self.advice = advice
        self.command = command
        super().__init__(str(self))

    def __str__(self) -> str:
        text = f"{self.host}: {self.what}"
        if self.command:
            text += f" (command: {self.command})"
        return f"{text}. {self.advice}" if self.advice else text


class RefusedError(SiteError):
    """Refused here, for safety, before anything was sent."""


class UnreachableError(SiteError):
    """The host cannot be asked; nothing was run."""

    def __init__(
        self, host: str, trouble: Trouble, detail: str = "", *, advice: str | None = None, command: str = ""
    ) -> None:
        self.trouble = trouble
        self.detail = detail
        super().__init__(
            host,
            f"{trouble.value}: {detail}" if detail else trouble.value,
            advice=ADVICE.get(trouble, "") if advice is None else advice,
            command=command,
        )


class AnswerLostError(SiteError):
    """The question may have run, but its answer did not arrive whole: its result is unknown."""


class StillAskedError(SiteError):
    """The same question was asked before and has not been seen to end on the host; it was not asked again."""


class GarbledError(SiteError):
    """The host answered something that is not an answer."""


class JobError(SiteError):
    """The job protocol could not do on the host what was asked; `note` is its own word for why."""

    def __init__(self, host: str, note: str, what: str, *, advice: str = "", command: str = "") -> None:
        self.note = note
        super().__init__(host, what, advice=advice, command=command)


class NotRecordedError(SiteError):
    """A recording was asked a question that it does not hold."""
