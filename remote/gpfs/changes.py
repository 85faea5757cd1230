"""What changing commands have in common: messages, propagation, errors. And `mmcrnsd`, `mmdelnsd` and `mmchqos`.

These commands tell steps, not tables. Whether one succeeded is its exit status; the text tells how far it
came and what went wrong.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Generator

from remote.gpfs import unconfirmed
from remote.gpfs.models import Message, NsdsCreated, NsdsDeleted, QosChanged
from remote.gpfs.progress import Waiting, parse_progress_line
from remote.gpfs.reading import FAILURE_TAIL, Line, Reading, Steps, finish, split_message
from remote.parsed import Parsed

# One line, two lines, or the text of 6.0; it may come after a pause.
_PROPAGATING = re.compile(
    r"Propagating the cluster configuration data to all\b|mmsdrfs propagation completed\.", re.IGNORECASE
)
_PROPAGATING_MORE = re.compile(r"affected nodes\.(?:\s+This is an asynchronous process\.)?\Z")

_WHO = re.compile(r"\s*(mm(?:adddisk|chdisk|chqos|crnsd|deldisk|delnsd|restripefs|rpldisk)):\s")

# Errors that Linux prints without number and severity.
_KNOWN_ERRORS = tuple(
    re.compile(pattern)
    for pattern in (
        r"Command failed\.",
        r"Disk device \S+ refers to an existing NSD",
        r"Disk name \S+ is already registered for use by GPFS",
        r"Disk name \S+ is not allowed\.",
        r"Device \S+ does not exist or is not active on this node",
        r"Device type not supported",
        r"Value \S+ for the 'failure group' option for disk \S+ is out of range",
        r"Disk usage \S+ is incompatible with storage pool",
        r"Disk \S+ belongs to file system",
        r"File system \S+ is not known to the GPFS cluster",
        r"The file system must contain at least one disk for",
        r"\S+ not found in file system \S+",
        r".* could not store (?:meta)?data\b",
        r"Missing arguments\.",
    )
)
_ERROR_SEVERITIES = "EXA"
_OTHER_SEVERITIES = "WNID"
# Told with the command's name in front although nothing is wrong.
_NO_ERROR = ("Attention:", "Warning:")

_PROCESSING = re.compile(r"Processing disk (\S+)\Z")


class Change:
    """What every changing command tells: that it propagates, and its messages."""

    def __init__(self, command: str, stdout: str, stderr: str) -> None:
        self._command = command
        self.reading = Reading(stdout, stderr)
        self.propagated = False
        self.scan_lines = 0
        self._steps = 0
        self._left: list[tuple[Line, bool, Message]] = []

    def read(self, step: Callable[[Line, str], bool]) -> Generator[None, None, None]:
        """Read all lines. `step` gets a line and its text without prefix, and tells whether it is a step."""

        def read(line: Line) -> None:
            if not line.text:
                return
            prefixed, message = split_message(line.text)
            if self._propagates(message.text) or step(line, message.text):
                self._steps += 1
                self._tell_foreign(line)
            else:
                self._left.append((line, prefixed, message))

        yield from self.reading.both(read)

    def _tell_foreign(self, line: Line) -> None:
        """Note a step in the name of another command: understood all the same, but it may be the wrong log."""
        who = _WHO.match(line.text)
        if who is not None and who[1] != self._command:
            self.reading.note(line)

    def _propagates(self, text: str) -> bool:
        if _PROPAGATING.match(text):
            self.propagated = True
            return True
        return _PROPAGATING_MORE.match(text) is not None

    def errors(self) -> tuple[Message, ...]:
        """The messages that tell of errors; other lines become notes.

        "Examine previous error messages" makes an error of every line that is nothing else.
        """
        failed = any(message.text.startswith(FAILURE_TAIL) for _, _, message in self._left)
        errors = []
        for line, prefixed, message in self._left:
            if _is_error(message, prefixed=prefixed, failed=failed):
                errors.append(message)
            else:
                self.reading.note(line)
        if not errors and not self._steps:
            self.reading.missing("no step and no error of this command")
        elif not errors and self._steps == self.scan_lines:
            self.reading.note(Line(1, "only lines of a scan, which every restriping command prints"))
        return tuple(errors)


def _is_error(message: Message, *, prefixed: bool, failed: bool) -> bool:
    text = message.text
    if message.severity:
        return message.severity not in _OTHER_SEVERITIES
    if text.startswith(_NO_ERROR) or unconfirmed.is_lock_wait(text) or unconfirmed.is_rediscovery(text):
        return False
    if isinstance(parse_progress_line(text), Waiting):
        return False
    return prefixed or failed or unconfirmed.is_daemon_down(text) or any(p.match(text) for p in _KNOWN_ERRORS)


def parse_mmcrnsd(stdout: str, stderr: str = "") -> Parsed[NsdsCreated]:
    """Parse `mmcrnsd`. It may succeed for some disks and fail for others."""
    return finish(mmcrnsd_steps(stdout, stderr))


def mmcrnsd_steps(stdout: str, stderr: str = "") -> Steps[NsdsCreated]:
    """The steps of `parse_mmcrnsd`."""
    change = Change("mmcrnsd", stdout, stderr)
    processed = yield from _processed(change, "Processing disk ")
    errors = change.errors()
    return change.reading.result(NsdsCreated(processed, change.propagated, errors))


def parse_mmdelnsd(stdout: str, stderr: str = "") -> Parsed[NsdsDeleted]:
    """Parse `mmdelnsd`, which refuses an NSD that belongs to a file system."""
    return finish(mmdelnsd_steps(stdout, stderr))


def mmdelnsd_steps(stdout: str, stderr: str = "") -> Steps[NsdsDeleted]:
    """The steps of `parse_mmdelnsd`."""
    change = Change("mmdelnsd", stdout, stderr)
    processed = yield from _processed(change, unconfirmed.nsd_deleted_word())
    errors = change.errors()
    return change.reading.result(NsdsDeleted(processed, change.propagated, errors))


def _processed(change: Change, words: str) -> Generator[None, None, tuple[str, ...]]:
    """The names that follow these words, in their order."""
    names: list[str] = []

    def step(_: Line, text: str) -> bool:
        name = text.removeprefix(words).strip()
        if not text.startswith(words) or not name or " " in name:
            return False
        names.append(name)
        return True

    yield from change.read(step)
    return tuple(names)


def parse_mmchqos(stdout: str, stderr: str = "") -> Parsed[QosChanged]:
    """Parse `mmchqos`."""
    return finish(mmchqos_steps(stdout, stderr))


def mmchqos_steps(stdout: str, stderr: str = "") -> Steps[QosChanged]:
    """The steps of `parse_mmchqos`."""
    change = Change("mmchqos", stdout, stderr)
    installed = False

    def step(_: Line, text: str) -> bool:
        nonlocal installed
        found = unconfirmed.qos_installed(text)
        installed = installed or found
        return found

    yield from change.read(step)
    errors = change.errors()
    return change.reading.result(QosChanged(installed, errors))
