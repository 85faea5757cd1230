"""What a report holds. Times are of the Site's clock, in seconds since 1970; durations in seconds, sizes in KB."""

from __future__ import annotations

import msgspec

from remote.checked import Check
from supervision.footprint import Sizing

VERSION = 1


class Source(msgspec.Struct, frozen=True, kw_only=True):
    """The recording: its name, SHA-256 and size in bytes, and how many lines were cut off or not understood."""

    name: str
    sha256: str
    size: int
    events: int
    torn: bool
    skipped: int


class StepDone(msgspec.Struct, frozen=True, kw_only=True):
    """A step as it stands; `began` and `ended` None where it did not begin. `rc` of a step without a job is None."""

    number: int
    name: str
    title: str
    state: str
    detail: str = ""
    host: str = ""
    command: str = ""
    rc: int | None = None
    began: float | None = None
    ended: float | None = None


class Changed(msgspec.Struct, frozen=True, kw_only=True):
    """A command that was launched: by whom, with which files, and how it ended; `rc` None where nobody knows."""

    host: str
    id: str
    title: str
    by: str
    command: str
    files: tuple[tuple[str, str], ...] = ()
    launched: float
    state: str
    meaning: str
    rc: int | None = None
    seconds: float | None = None
    signals: tuple[tuple[float, str], ...] = ()


class Noted(msgspec.Struct, frozen=True, kw_only=True):
    """A warning: when, of which step (0: of none), the text, and who took note of it when, by name."""

    step: int
    key: str
    text: str
    by: str = ""
    at: float | None = None


class Forecast(msgspec.Struct, frozen=True, kw_only=True):
    """What was forecast at a part of the run; `error` is that of the middle against the truth, positive too late."""

    part: float
    at: float
    low: float
    mid: float
    high: float
    error: float
    inside: bool


class Scanned(msgspec.Struct, frozen=True, kw_only=True):
    """The long run: its command, when it began and ended, and how good its forecasts were.

    `inside` is the part of the time in which the true end lay in the range that was told.
    """

    command: str
    state: str
    began: float
    ended: float | None
    why: str = ""
    forecasts: tuple[Forecast, ...] = ()
    inside: float | None = None


class Shown(msgspec.Struct, frozen=True, kw_only=True):
    """The table of the disks at one time: `what` says which, `at` is when the cluster told it."""

    what: str
    at: float | None
    head: tuple[str, ...]
    right: tuple[int, ...]
    rows: tuple[tuple[str, ...], ...]


class Filled(msgspec.Struct, frozen=True, kw_only=True):
    """A disk that was filled, as it stands: KB in use of KB."""

    name: str
    group: str
    used_kb: int
    size_kb: int


class Report(msgspec.Struct, frozen=True, kw_only=True):
    """The whole of it. `result` is `done`, `going on`, or the state of the step at which it stopped."""

    restripe_report: int = VERSION
    program: str
    file_system: str
    kind: str
    site: str
    plan: str
    operator: str
    hosts: tuple[str, ...]
    entry: str
    simulated: bool
    utc_offset: int
    began: float
    ended: float
    closed: bool
    result: str
    why: str
    steps: tuple[StepDone, ...]
    checks: tuple[tuple[int, tuple[Check, ...]], ...]
    warnings: tuple[Noted, ...]
    commands: tuple[Changed, ...]
    scan: Scanned | None
    sizing: Sizing | None
    plan_sha256: str
    filled: tuple[Filled, ...]
    tables: tuple[Shown, ...]
    happened: tuple[tuple[float, str, str], ...]
    decisions: tuple[tuple[float, str, str], ...]
    source: Source
