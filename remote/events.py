"""Everything that happens on the far side, as events: what the recording holds and the state is built from.

`t` is the Site's clock, in seconds since 1970. Bytes of the far side are kept exactly.
"""

from __future__ import annotations

import base64
from typing import Any, TypeAlias

import msgspec

from remote.checked import Check
from remote.command import Command
from remote.jobs import JobSpec, JobStatus, Place


class Exact:
    """Bytes that are written into a recording exactly: as text where they are UTF-8, else in base64."""

    __slots__ = ("data",)

    def __init__(self, data: bytes = b"") -> None:
        self.data = data

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Exact) and self.data == other.data

    def __hash__(self) -> int:
        return hash(self.data)

    def __repr__(self) -> str:
        return f"Exact({self.data!r})"


_NOTHING = Exact()


class Reply(msgspec.Struct, frozen=True, omit_defaults=True):
    """One command's answer. In a file, `same` is the number of an earlier question whose reply was the same."""

    rc: int
    out: Exact = _NOTHING
    err: Exact = _NOTHING
    same: int = 0


class Base(msgspec.Struct, frozen=True, tag_field="k", omit_defaults=True):
    """What all events have."""

    t: float


class LinkChanged(Base, frozen=True, tag="link"):
    """A host's connection changed its state."""

    host: str
    state: str
    trouble: str = ""
    detail: str = ""


class Asked(Base, frozen=True, tag="ask"):
    """A batch of questions went out; `n` numbers the batches of a session from 1."""

    n: int
    host: str
    commands: tuple[Command, ...]


class Answered(Base, frozen=True, tag="answer"):
    """The batch `n` was answered, one reply a command."""

    n: int
    replies: tuple[Reply, ...]


class Unanswered(Base, frozen=True, tag="noanswer"):
    """The batch `n` was not answered, and why."""

    n: int
    why: str


class Placed(Base, frozen=True, tag="place"):
    """Where a host keeps its jobs, and which boot it is in."""

    host: str
    place: Place


class Launching(Base, frozen=True, tag="launch"):
    """A job is about to be launched. Written, and on disk, before the first byte is sent."""

    host: str
    spec: JobSpec
    boot_id: str = ""


class Signalling(Base, frozen=True, tag="signal"):
    """A job is about to be stopped, sealed or told that it is watched: `TERM`, `KILL`, `seal` or `renew`."""

    host: str
    id: str
    what: str


class JobChanged(Base, frozen=True, tag="job"):
    """A job's state, as its host told it."""

    host: str
    status: JobStatus


class JobsListed(Base, frozen=True, tag="jobs"):
    """All jobs of a host; `same` are the ids of those that have ended and are as its list before told."""

    host: str
    jobs: tuple[JobStatus, ...]
    same: tuple[str, ...] = ()


class Adopted(Base, frozen=True, tag="adopted"):
    """A process that somebody else started is watched as a job from now on.

    The id in `status` is the name of its log, `file:PATH`, or that of the process where its output cannot be read.
    `start` is the start time of the process as /proc tells it, by which it is known from a later one of the same pid.
    """

    host: str
    status: JobStatus
    pid: int | None = None
    start: int | None = None


class LogRead(Base, frozen=True, tag="log"):
    """Bytes of a log; `source` is `job:ID` or `file:PATH`."""

    host: str
    source: str
    offset: int
    data: Exact


class LogRewound(Base, frozen=True, tag="rewound"):
    """A log was truncated, rotated or rewritten, and is read again from its start."""

    host: str
    source: str
    why: str


class ProcessChanged(Base, frozen=True, tag="process"):
    """Whether the process behind a followed file lives; None while the host cannot be asked."""

    host: str
    source: str
    alive: bool | None = None


class Decided(Base, frozen=True, tag="decision"):
    """Somebody decided something: a person by name, or the program by its rules."""

    who: str
    what: str


class Marked(Base, frozen=True, tag="mark"):
    """A mark to find again in a replay."""

    label: str


class StepChanged(Base, frozen=True, tag="step"):
    """A step of a migration: its number from 1, its name and state, and what there is to say."""

    number: int
    name: str
    state: str
    title: str = ""
    host: str = ""
    command: str = ""
    detail: str = ""
    rc: int | None = None


class Checked(Base, frozen=True, tag="checked"):
    """What the checks of a step said, all of them: those of before are over. `step` is its number.

    With `after` they are what was read back when its command had ended.
    """

    step: int
    checks: tuple[Check, ...]
    after: bool = False


class Acknowledged(Base, frozen=True, tag="acknowledged"):
    """A person took note of one warning of a step, by its key."""

    step: int
    key: str
    who: str


class Calibrated(Base, frozen=True, tag="calibrated"):
    """What `runs` finished runs of a kind teach: how much further its forecasts reach below and above the middle."""

    kind: str
    below: float
    above: float
    runs: int


class Closed(Base, frozen=True, tag="closed"):
    """The session ended by itself."""

    why: str = ""


Event: TypeAlias = (
    LinkChanged
    | Asked
    | Answered
    | Unanswered
    | Placed
    | Launching
    | Signalling
    | JobChanged
    | JobsListed
    | Adopted
    | LogRead
    | LogRewound
    | ProcessChanged
    | Decided
    | Marked
    | StepChanged
    | Checked
    | Acknowledged
    | Calibrated
    | Closed
)


class Header(msgspec.Struct, frozen=True, omit_defaults=True):
    """The first line of a recording.

    `restripe` is the format's version; `created` real time in seconds since 1970; `began` the Site's clock then;
    `utc_offset` the hosts' zone in seconds, for showing times as their logs do. `kind` is what the file system is:
    older recordings do not tell, and are of the one kind that there was.
    """

    restripe: int
    program: str
    created: float
    began: float
    file_system: str = ""
    hosts: tuple[str, ...] = ()
    entry: str = ""
    operator: str = ""
    simulated: bool = False
    speed: float = 1.0
    utc_offset: int = 0
    plan: str = ""
    kind: str = "gpfs"


def _enc_hook(value: object) -> object:
    if isinstance(value, Exact):
        try:
            return value.data.decode("utf-8")
        except UnicodeDecodeError:
            return {"b64": base64.b64encode(value.data).decode("ascii")}
    raise NotImplementedError(f"{type(value).__name__} cannot be recorded")


def _dec_hook(kind: type, value: Any) -> object:
    if kind is Exact:
        if isinstance(value, str):
            return Exact(value.encode("utf-8", errors="surrogatepass"))
        if isinstance(value, dict) and isinstance(value.get("b64"), str):
            return Exact(base64.b64decode(value["b64"], validate=True))
    raise ValueError(f"not a recorded {kind.__name__}")


_encoder = msgspec.json.Encoder(enc_hook=_enc_hook)
_decoder: msgspec.json.Decoder[Event] = msgspec.json.Decoder(Event, dec_hook=_dec_hook)


def encode(event: Event | Header) -> bytes:
    """One line of a recording, without its newline."""
    try:
        return _encoder.encode(event)
    except UnicodeEncodeError:
        # names that were no UTF-8 on this machine come as lone surrogates; they are kept readable, not exact
        return _encoder.encode(_unicode(msgspec.to_builtins(event, enc_hook=_enc_hook)))


def _unicode(value: Any) -> Any:
    """The same with lone surrogates written out."""
    match value:
        case str():
            return value.encode("utf-8", "backslashreplace").decode("utf-8")
        case list() | tuple():
            return [_unicode(item) for item in value]
        case dict():
            return {key: _unicode(item) for key, item in value.items()}
    return value


def decode(line: bytes) -> Event:
    """The event of a line. Raises msgspec.MsgspecError for anything else."""
    return _decoder.decode(line)
