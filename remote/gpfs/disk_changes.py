"""Parsers of the commands that change disks: `mmadddisk`, `mmchdisk`, `mmdeldisk` and `mmrpldisk`."""

from __future__ import annotations

import re

from remote.gpfs import unconfirmed
from remote.gpfs.changes import Change
from remote.gpfs.models import DisksAdded, DisksChanged, DisksDeleted, DisksReplaced, Failed, ProgressEvent, Waiting
from remote.gpfs.progress import parse_progress_line
from remote.gpfs.reading import Line, Steps, finish
from remote.parsed import Parsed

_FORMATTED = re.compile(r"The following disks of (\S+) will be formatted on node (\S+?):?\Z")
_SIZE = re.compile(r"(\S+): size (.*)\Z")
_AMOUNT = re.compile(r"([0-9]{1,12}) (KB|MB|GB|TB)\Z")
_KB = {"KB": 1, "MB": 1024, "GB": 1024**2, "TB": 1024**3}
_ALLOCATION_MAP = re.compile(
    r"(?:Extending|Creating|Flushing|Checking) Allocation Map\b|Disks up to size .* can be added"
)
_COMPLETED = re.compile(r"Completed adding disks to file system (\S+?)\.?\Z")
_VERIFYING = "Verifying file system configuration information"
_DELETED = "tsdeldisk completed."


class _Steps:
    """What these commands tell on their way, whichever of them it is."""

    def __init__(self, change: Change) -> None:
        self.change = change
        self.fs = ""
        self.node = ""
        self.sizes: list[tuple[str, int]] = []
        self.added = False
        self.verified = False
        self.events: list[ProgressEvent] = []

    def adding(self, line: Line, text: str) -> bool:
        """A step of adding disks."""
        # The whole line first: a disk may be called `mmsomething`, which looks like a prefix.
        if match := _SIZE.match(line.text.strip()):
            amount = _AMOUNT.match(match[2])
            if amount is None:
                self.change.reading.problem(line, "not a size in KB, MB, GB or TB")
            else:
                self.sizes.append((match[1], int(amount[1]) * _KB[amount[2]]))
        elif match := _FORMATTED.match(text):
            self.fs, self.node = match[1], match[2]
        elif match := _COMPLETED.match(text):
            self.fs, self.added = match[1], True
        else:
            return _ALLOCATION_MAP.match(text) is not None
        return True

    def scanning(self, line: Line) -> bool:
        """A line of progress. Failures and waiting are told with the messages."""
        event = parse_progress_line(line.text)
        if event is None or isinstance(event, Failed | Waiting):
            return False
        self.change.scan_lines += 1
        self.events.append(event)
        return True

    def verifying(self, text: str) -> bool:
        """The step with which a change of usage or status begins."""
        found = text.startswith(_VERIFYING)
        self.verified = self.verified or found
        return found


def parse_mmadddisk(stdout: str, stderr: str = "") -> Parsed[DisksAdded]:
    """Parse `mmadddisk`. Sizes come in KB from 3.5 and in MB from later releases; the model has KB."""
    return finish(mmadddisk_steps(stdout, stderr))


def mmadddisk_steps(stdout: str, stderr: str = "") -> Steps[DisksAdded]:
    """The steps of `parse_mmadddisk`."""
    change = Change("mmadddisk", stdout, stderr)
    told = _Steps(change)
    yield from change.read(lambda line, text: told.adding(line, text) or told.scanning(line))
    errors = change.errors()
    model = DisksAdded(told.fs, told.node, tuple(told.sizes), told.added, change.propagated, errors)
    return change.reading.result(model)


def parse_mmchdisk(stdout: str, stderr: str = "") -> Parsed[DisksChanged]:
    """Parse `mmchdisk` with any verb: `suspend`, `resume`, `start`, `stop`, `empty` or `change`."""
    return finish(mmchdisk_steps(stdout, stderr))


def mmchdisk_steps(stdout: str, stderr: str = "") -> Steps[DisksChanged]:
    """The steps of `parse_mmchdisk`."""
    change = Change("mmchdisk", stdout, stderr)
    told = _Steps(change)
    nodes: list[str] = []

    def step(line: Line, text: str) -> bool:
        node = unconfirmed.rediscovered(line.text.strip())
        if node is not None:
            nodes.append(node)
            return True
        return told.verifying(text) or told.scanning(line) or unconfirmed.is_rediscovery(text)

    yield from change.read(step)
    errors = change.errors()
    model = DisksChanged(told.verified, change.propagated, errors, tuple(told.events), tuple(nodes))
    return change.reading.result(model)


def parse_mmdeldisk(stdout: str, stderr: str = "") -> Parsed[DisksDeleted]:
    """Parse `mmdeldisk`, which scans like `mmrestripefs` to empty the disks first."""
    return finish(mmdeldisk_steps(stdout, stderr))


def mmdeldisk_steps(stdout: str, stderr: str = "") -> Steps[DisksDeleted]:
    """The steps of `parse_mmdeldisk`."""
    change = Change("mmdeldisk", stdout, stderr)
    attention = change.reading.take_attention(lambda text: parse_progress_line(text) is not None)
    told = _Steps(change)
    completed = False

    def step(line: Line, text: str) -> bool:
        nonlocal completed
        completed = completed or text == _DELETED
        known = text == _DELETED or text.startswith("Deleting disks ...") or _ALLOCATION_MAP.match(text) is not None
        return known or told.scanning(line)

    yield from change.read(step)
    errors = change.errors()
    model = DisksDeleted(tuple(told.events), completed, change.propagated, errors, attention)
    return change.reading.result(model)


def parse_mmrpldisk(stdout: str, stderr: str = "") -> Parsed[DisksReplaced]:
    """Parse `mmrpldisk`, which adds the new disk, moves the data and deletes the old disk."""
    return finish(mmrpldisk_steps(stdout, stderr))


def mmrpldisk_steps(stdout: str, stderr: str = "") -> Steps[DisksReplaced]:
    """The steps of `parse_mmrpldisk`."""
    change = Change("mmrpldisk", stdout, stderr)
    told = _Steps(change)
    completed = False

    def step(line: Line, text: str) -> bool:
        nonlocal completed
        completed = completed or unconfirmed.is_replaced(text)
        known = unconfirmed.is_replacing(text) or text == _DELETED
        return known or told.verifying(text) or told.adding(line, text) or told.scanning(line)

    yield from change.read(step)
    errors = change.errors()
    model = DisksReplaced(
        told.fs, told.node, tuple(told.sizes), tuple(told.events), completed, change.propagated, errors
    )
    return change.reading.result(model)
