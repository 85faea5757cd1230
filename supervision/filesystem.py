"""A file system as the screens see it. GPFS, GFS2 and Lustre are each one; no screen knows which.

Everything here is a pure function of the state: nothing is asked, nothing is kept. What cannot be known is said so.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from enum import Enum
from typing import Protocol

import msgspec

from remote.command import Command
from supervision.brake import USUAL, Brake, Hours, Plan, Terms
from supervision.eta_runs import FinishedRun
from supervision.forecasts import Told
from supervision.logs import Scan
from supervision.state import Job, State
from supervision.supervisor import Cadence
from supervision.tables import Line, Severity, Table


class Phase(Enum):
    """How it stands with a long-running scan (a restripe and its like)."""

    STARTING = "starting"
    WAITING = "waiting"
    RUNNING = "running"
    QUIET = "quiet"
    STALLED = "stalled"
    FINISHING = "finishing"
    FINISHED = "finished"
    FAILED = "failed"
    STOPPING = "stopping"
    STOPPED = "stopped"
    LOST = "lost"
    UNKNOWN = "unknown"


class Counter(msgspec.Struct, frozen=True):
    """Work in a unit that can be trusted, `done` of `total`; either may be unknown.

    `of` says what the total counts, where that is more than the unit. `at_least` says that the total is a lower bound:
    once that is passed, nobody knows how much is left.
    """

    unit: str
    done: int | None = None
    total: int | None = None
    of: str = ""
    at_least: bool = False

    @property
    def fraction(self) -> float | None:
        """Between 0 and 1."""
        if self.done is None or not self.total or (self.at_least and self.done >= self.total):
            return None
        return min(1.0, self.done / self.total)


class Finish(msgspec.Struct, frozen=True):
    """When it may be over: Site's clock, and what the estimate rests on.

    Four ends of five are meant to be between `low` and `high`. `steady_since` is when the forecast last lay outside of
    that range, or when the first was made.
    """

    low: float
    mid: float
    high: float
    basis: str
    steady_since: float | None = None


class Progress(msgspec.Struct, frozen=True):
    """A long-running scan, as far as it is known.

    `rate` is in units a second over the present phase, `trend` the rate over equal parts of it; `last_line_at` and
    `usual_gap` (s) tell whether a silence is unusual. `tool_percent` is the tool's own figure, shown as such.
    `why` says more of the phase; `no_finish` why no finish is told; `moved` when and why the forecast last moved.
    `told` are the forecasts so far, `evidence` is what speaks for and against its being alive where it is silent.
    `warned` is that it finished and something is left to be looked at: a proof, or what a check found.
    """

    phase: Phase
    phases: tuple[tuple[str, str], ...] = ()
    counter: Counter | None = None
    tool_percent: float | None = None
    rate: float | None = None
    trend: tuple[float, ...] = ()
    last_line_at: float | None = None
    usual_gap: float | None = None
    finish: Finish | None = None
    why: str = ""
    no_finish: str = ""
    moved: tuple[float, str] | None = None
    told: tuple[Told, ...] = ()
    evidence: tuple[Line, ...] = ()
    warned: bool = False


class Fill(msgspec.Struct, frozen=True):
    """How full a disk is that a scan fills, or empties; `used` and `size` in KB.

    `end` is what will be on it when the scan is over, as forecast; None where that cannot be told. `group` is its
    failure group: two copies never lie in the same one.
    """

    name: str
    used: int
    size: int
    end: int | None = None
    emptied: bool = False
    group: str = ""


class Aftermath(msgspec.Struct, frozen=True):
    """What is known of the work of a command that was killed: `working` while it goes on, or may for all one knows."""

    working: bool
    text: str


class Choosing(msgspec.Struct, frozen=True):
    """Devices that a person has marked, by the keys of their rows in `devices`, in the order of marking.

    `pattern` is how what is made of them is to be called; `answers` are those to what was asked, by place.
    """

    marks: tuple[str, ...] = ()
    pattern: str = ""
    answers: Mapping[str, str] = {}


class Question(msgspec.Struct, frozen=True):
    """Something that only a person can decide: `place` names it, `why` says so, `options` are those there are.

    `what` is what is asked for, in a word or two: `failure group`.
    """

    place: str
    what: str
    why: str
    options: tuple[str, ...] = ()


class Preview(msgspec.Struct, frozen=True):
    """What marked devices would become: a file for the command that makes it, and all that speaks for and against.

    `text` is "" while something blocks or is to be answered. `name` is what the file is usually called, `pattern` the
    pattern of names that was used, `fields` those that it may have. `makes` tells in a few words what it would make.
    `by_hand` is what only a person may do about a block, outside of this program: commands and why they are dangerous.
    """

    lines: tuple[Line, ...] = ()
    text: str = ""
    asked: tuple[Question, ...] = ()
    name: str = ""
    pattern: str = ""
    fields: tuple[str, ...] = ()
    makes: str = ""
    by_hand: tuple[Line, ...] = ()


class Words(msgspec.Struct, frozen=True):
    """What people call things on this file system: its kind, a disk, a scan, who serves disks, its parts (plural)."""

    kind: str
    disk: str
    scan: str
    server: str
    pools: str


class FileSystem(Protocol):
    """One file system."""

    @property
    def name(self) -> str:
        """Its name, as a person types it to confirm danger."""

    @property
    def words(self) -> Words:
        """What people call things on it."""

    def questions(self) -> tuple[Command, ...]:
        """What is asked first, and again when a person wants everything anew."""

    def costly(self) -> tuple[Command, ...]:
        """Questions that touch every node or read much: asked when a person wants, and on their own slow cadence."""

    def hosts(self, state: State, entry: str) -> tuple[str, ...]:
        """The hosts that serve and manage it, as one learns of them from the entry host; not those watched already."""

    def cadences(self, entry: str) -> tuple[Cadence, ...]:
        """What the entry host is asked again and again of the whole while it is watched."""

    def host_cadences(self, host: str) -> tuple[Cadence, ...]:
        """What each watched host is asked again and again of itself."""

    def device_questions(self) -> tuple[Command, ...]:
        """What each host is asked of its devices besides what any host is asked, in the same batch."""

    def device_owners(self) -> tuple[Command, ...]:
        """What tells the entry host's word on which devices are its own; asked after a look at all of them."""

    def facts(self, state: State) -> tuple[Line, ...]:
        """The file system in a few lines."""

    def nodes(self, state: State) -> Table:
        """Its nodes, folded where they are alike."""

    def pools(self, state: State) -> Table:
        """The parts of it (`words.pools`) with their use; a Table with `absent` where it has none."""

    def disks(self, state: State) -> Table:
        """Its disks."""

    def totals(self, state: State) -> Table:
        """Sums over its disks, by what they hold and where; a Table with `absent` where nothing is to be summed."""

    def devices(self, state: State) -> Table:
        """The block devices of its servers, by host."""

    def device_steps(self, state: State) -> Iterator[None]:
        """The work of `devices` in steps of some milliseconds, after which it is quick; nothing where it always is."""

    def alike(self, state: State, key: str) -> tuple[str, ...]:
        """The rows of `devices` that are free and like one of them, itself among them; to be marked together."""

    def preview(self, state: State, choosing: Choosing) -> Preview | None:
        """What marked devices would become; None where nothing is made of devices."""

    def problems(self, state: State) -> tuple[Line, ...]:
        """What is wrong, each with what to do; the worst first."""

    def running(self, state: State) -> tuple[Line, ...]:
        """What runs on it now: our jobs that have not ended (`supervision.running.job_lines`), and what is seen to run
        without being one of them. Nothing means that nothing is known to.
        """

    def is_scan(self, job: Job) -> bool:
        """Whether a job scans it, so that `progress` can tell how far it is."""

    def scan_job(self, state: State) -> Job | None:
        """The job whose scan is to be shown: the newest that may still run, else the newest."""

    def progress(self, state: State, job: Job) -> Progress:
        """How far a scan is."""

    def counter(self, state: State, scan: Scan) -> Counter:
        """The work that a log tells of, of the whole."""

    def site(self, state: State) -> str:
        """The name of the place that it is at, such as its cluster: what finished runs teach holds there. "" so far."""

    def finished_run(self, state: State, job: Job) -> FinishedRun | None:
        """A scan that ended well, as the next forecasts learn from it; None for anything else."""

    def aftermath(self, state: State, job: Job) -> Aftermath | None:
        """What is left of the work of a job that a signal ended; None where nothing can be."""

    def fills(self, state: State) -> Sequence[Fill]:
        """The disks that a scan fills or empties."""

    def brake(self, state: State, terms: Terms = USUAL) -> Brake | None:
        """How it stands with the limits of a scan; None where there are none on such a file system.

        `terms` tell what all that scan must be left, in I/O operations a second: no step below is offered or planned.
        """

    def ease(self, state: State, iops: float, terms: Terms = USUAL) -> Plan:
        """What would limit the scan to that many I/O operations a second, for all that scan together; or why not."""

    def schedule(self, state: State, iops: float, hours: Hours, job_id: str, terms: Terms = USUAL) -> Plan:
        """What would limit it so in some hours alone, by a job of that id on its host; or why not."""

    def brake_questions(self) -> tuple[Command, ...]:
        """What tells the limits and the rates: asked just before a change, and after it."""

    def release(self, state: State) -> Plan:
        """What would bring back the limits from before our first change; or why not."""

    def may_run(self, argv: Sequence[str]) -> str:
        """Why a person may not run this as a job of their own; empty when they may."""

    def may_stop(self, job: Job) -> str:
        """Why a job may not be stopped; empty when it may."""

    def stop_leaves(self, job: Job) -> str:
        """What a job leaves behind when it is stopped, to be said before it is; empty when nothing is known of that."""


def worst(lines: Sequence[Line]) -> Severity:
    """The worst of some lines."""
    return max((line.severity for line in lines), default=Severity.NORMAL)
