"""Forecasts from a saved log of mmrestripefs, mmdeldisk or mmdelsnapshot, as `tee` and `screen -L` leave them.

Times are those that the lines print: local time of the far side, without a zone. A step of that clock is survived.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence

import msgspec

from remote.gpfs.commands_changing import Restripe
from remote.gpfs.progress import (
    Percent,
    PhaseDone,
    PhaseStarted,
    ProgressEvent,
    Waiting,
    parse_progress_line,
    parse_stamp,
)
from remote.text import decode, one_line
from supervision.eta import Estimate, Estimator, Observation, State
from supervision.eta_rates import Calibration

NOT_TOLD = "not told by the log"
LONGEST_LINE = 65_536
"""Bytes; what is longer is no line of progress and is cut."""
_ESCAPE = re.compile(
    r"\x1b\[[0-?]*[ -/]*[@-~]"  # colours, the cursor
    r"|\x1b[\]P^_k][^\x07\x1b]*(?:\x07|\x1b\\)?"  # titles
    r"|\x1b[ -/]*[0-~]"
)
_WORKS = frozenset(work.value for work in Restripe)
_RUBBED_OUT = re.compile(r"[^\x08]\x08")
_CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f]")
_DELETING = re.compile(r"Deleting (?:user files|files in snapshot\b.{0,300}?) *\.\.\.\Z")


def run_kind(argv: Sequence[str]) -> str:
    """The kind of run that a command is, by which finished ones teach the next: `mmrestripefs -r`, `mmdeldisk`.

    Empty for what does not scan.
    """
    program = argv[0].rpartition("/")[2] if argv else ""
    match program:
        case "mmrestripefs":
            works = [word for word in argv if word in _WORKS][:1]
            return " ".join((program, *works, *(["--metadata-only"] if "--metadata-only" in argv else [])))
        case "mmchdisk":
            return "mmchdisk start" if "start" in argv else ""
        case "mmdeldisk" | "mmrpldisk" | "mmdelsnapshot":
            return program
    return ""


class Forecast(msgspec.Struct, frozen=True):
    """A progress line and what it says of the finish.

    `line` counts from 1. `printed` is the line's own time in seconds as `parse_stamp` gives it, None if it has none.
    """

    line: int
    printed: float | None
    phase: str
    said: Percent
    estimate: Estimate


class LogForecaster:
    """Reads a log line by line; `allocated` inodes and `used_mb` are the totals that mmdf tells of, where known.

    `snapshots` tells that the file system has some, `calibration` what earlier runs taught.
    """

    def __init__(
        self,
        allocated: int | None = None,
        used_mb: int | None = None,
        *,
        snapshots: bool = False,
        calibration: Calibration | None = None,
    ) -> None:
        self._estimator = Estimator(allocated, used_mb, snapshots=snapshots, calibration=calibration)
        self._phase = ""
        self._metadata = False
        self._at: float | None = None
        self.over = False
        """Whether the log goes on to the end of the scan."""
        self._last: tuple[int, float | None, Percent] | None = None

    def read(self, number: int, text: str) -> bool:
        """A line with its number, from 1; whether it is one of progress."""
        event = _event(text)
        match event:
            case PhaseStarted(name, phase_number):
                self.over = False
                self._phase = one_line(name) if phase_number is None else f"{one_line(name)}, phase {phase_number}"
                self._metadata = phase_number is not None
                self._estimator.begin(self._at, last=not self._metadata)
            case PhaseDone():
                self.over = not self._metadata and self._last is not None and self._last[2].percent >= 100.0
            case Waiting(program):
                self._estimator.wait(one_line(program))
            case Percent():
                self._progress(number, event)
                return True
        return False

    def _progress(self, number: int, said: Percent) -> None:
        printed = parse_stamp(said.stamp)
        if self._at is None or printed is not None:
            self._at = printed or 0.0
        if self._metadata and said.inodes is not None:  # only the phase over all inodes has counters
            self._phase, self._metadata = NOT_TOLD, False
        self._estimator.observe(Observation(self._at, said.percent, said.inodes, said.mb))
        self._last = (number, printed, said)

    def forecast(self) -> Forecast | None:
        """How it stands after the last line read; None before the first of progress."""
        if self._last is None:
            return None
        number, printed, said = self._last
        return Forecast(number, printed, self._phase or NOT_TOLD, said, self._estimator.estimate())

    @property
    def calibration(self) -> Calibration:
        """What earlier runs taught."""
        return self._estimator.calibration

    @property
    def counts_inodes(self) -> bool:
        """Whether it was told how many inodes there are to count."""
        return self._estimator.allocated is not None

    @property
    def waiting(self) -> bool:
        """Whether it waits for another command."""
        return self._estimator.estimate().state is State.WAITING


def numbered_lines(pieces: Iterable[bytes]) -> Iterator[tuple[int, str]]:
    """The lines of a log with their numbers, freed of what steers a terminal.

    `pieces` are lines as a file gives them, each with its newline. A line that was drawn over another, after a
    carriage return, is a line too, with the same number.
    """
    number = 1
    for piece in pieces:
        text = _ESCAPE.sub("", decode(piece[:LONGEST_LINE])).removeprefix("\ufeff")
        for drawn in text.replace("\n", "").split("\r"):
            if plain := _plain(drawn):
                yield number, plain
        number += piece.endswith(b"\n")


def _plain(text: str) -> str:
    while "\x08" in text and (fewer := _RUBBED_OUT.sub("", text)) != text:
        text = fewer
    return _CONTROL.sub("", text).strip()


def _event(text: str) -> ProgressEvent | None:
    """What a line says; the words of the commands that delete begin a phase as well."""
    if _DELETING.match(text):
        return PhaseStarted(text.removesuffix("...").rstrip(), None)
    return parse_progress_line(text)
