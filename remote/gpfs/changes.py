"""Parsers of the commands that change disks: `mmcrnsd`, `mmadddisk` and `mmchdisk change`.

These commands tell steps, not tables. Whether one succeeded is its exit status; the text tells how far it
came and what went wrong.
"""

from __future__ import annotations

import re
from collections.abc import Callable

from remote.gpfs.models import DisksAdded, DisksChanged, Message, NsdsCreated
from remote.gpfs.progress import Percent, Waiting, parse_progress_line
from remote.gpfs.reading import FAILURE_TAIL, Line, Reading, split_message
from remote.parsed import Parsed

# One line, two lines, or the text of 6.0; it may come after a pause.
_PROPAGATING = re.compile(
    r"Propagating the cluster configuration data to all\b|mmsdrfs propagation completed\.", re.IGNORECASE
)
_PROPAGATING_MORE = re.compile(r"affected nodes\.(?:\s+This is an asynchronous process\.)?\Z")

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
        r"Failed to connect to file system daemon",
        r".* could not store (?:meta)?data\b",
        r"Missing arguments\.",
    )
)
_ERROR_SEVERITIES = "EXA"
_OTHER_SEVERITIES = "WNID"
# Told with the command's name in front although nothing is wrong.
_WAITING = (
    "Unable to obtain the GPFS configuration file lock",
    "Attempting to rediscover the disks",
    "Attention:",
    "Warning:",
)

_PROCESSING = re.compile(r"Processing disk (\S+)\Z")
_FORMATTED = re.compile(r"The following disks of (\S+) will be formatted on node (\S+?):?\Z")
_SIZE = re.compile(r"(\S+): size (.*)\Z")
_AMOUNT = re.compile(r"([0-9]{1,12}) (KB|MB|GB|TB)\Z")
_KB = {"KB": 1, "MB": 1024, "GB": 1024**2, "TB": 1024**3}
_ALLOCATION_MAP = re.compile(
    r"(?:Extending|Creating|Flushing|Checking) Allocation Map\b|Disks up to size .* can be added"
)
_COMPLETED = re.compile(r"Completed adding disks to file system (\S+?)\.?\Z")


class _Change:
    """What every changing command tells: that it propagates, and its messages."""

    def __init__(self, stdout: str, stderr: str) -> None:
        self.reading = Reading(stdout, stderr)
        self.propagated = False
        self.understood = False
        self._left: list[tuple[Line, bool, Message]] = []

    def read(self, step: Callable[[Line, str], bool]) -> None:
        """Read all lines. `step` gets a line and its text without prefix, and tells whether it is a step."""
        for line in (*self.reading.stdout, *self.reading.stderr):
            if not line.text:
                continue
            prefixed, message = split_message(line.text)
            if self._propagates(message.text) or step(line, message.text):
                self.understood = True
            else:
                self._left.append((line, prefixed, message))

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
        if not errors and not self.understood:
            self.reading.missing("no step and no error of this command")
        return tuple(errors)


def _is_error(message: Message, *, prefixed: bool, failed: bool) -> bool:
    if message.severity:
        return message.severity not in _OTHER_SEVERITIES
    if message.text.startswith(_WAITING) or isinstance(parse_progress_line(message.text), Waiting):
        return False
    return prefixed or failed or any(pattern.match(message.text) for pattern in _KNOWN_ERRORS)


def parse_mmcrnsd(stdout: str, stderr: str = "") -> Parsed[NsdsCreated]:
    """Parse `mmcrnsd`. It may succeed for some disks and fail for others."""
    change = _Change(stdout, stderr)
    processed: list[str] = []

    def step(_: Line, text: str) -> bool:
        match = _PROCESSING.match(text)
        if match is not None:
            processed.append(match[1])
        return match is not None

    change.read(step)
    errors = change.errors()
    return change.reading.result(NsdsCreated(tuple(processed), change.propagated, errors))


def parse_mmadddisk(stdout: str, stderr: str = "") -> Parsed[DisksAdded]:
    """Parse `mmadddisk`. Sizes come in KB from 3.5 and in MB from later releases; the model has KB."""
    change = _Change(stdout, stderr)
    fs, node, completed = "", "", False
    sizes: list[tuple[str, int]] = []

    def step(line: Line, text: str) -> bool:
        nonlocal fs, node, completed
        # The whole line first: a disk may be called `mmsomething`, which looks like a prefix.
        if match := _SIZE.match(line.text.strip()):
            amount = _AMOUNT.match(match[2])
            if amount is None:
                change.reading.problem(line, "not a size in KB, MB, GB or TB")
            else:
                sizes.append((match[1], int(amount[1]) * _KB[amount[2]]))
        elif match := _FORMATTED.match(text):
            fs, node = match[1], match[2]
        elif match := _COMPLETED.match(text):
            fs, completed = match[1], True
        elif not _ALLOCATION_MAP.match(text):
            return isinstance(parse_progress_line(line.text), Percent)
        return True

    change.read(step)
    errors = change.errors()
    model = DisksAdded(fs, node, tuple(sizes), completed, change.propagated, errors)
    return change.reading.result(model)


def parse_mmchdisk(stdout: str, stderr: str = "") -> Parsed[DisksChanged]:
    """Parse `mmchdisk change`."""
    change = _Change(stdout, stderr)
    verified = False

    def step(_: Line, text: str) -> bool:
        nonlocal verified
        found = text.startswith("Verifying file system configuration information")
        verified = verified or found
        return found

    change.read(step)
    errors = change.errors()
    return change.reading.result(DisksChanged(verified, change.propagated, errors))
