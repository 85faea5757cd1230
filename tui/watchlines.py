"""What `restripe watch` tells: one notice a change, as a line of text or a JSON object. Pure functions of the state."""

from __future__ import annotations

from typing import Any

import msgspec

from remote.events import Decided
from remote.text import one_line
from supervision.clocktext import local_time, moment_text
from supervision.filesystem import FileSystem, Finish, Phase, Progress
from supervision.happenings import Happening
from supervision.impact import Standing
from supervision.impacttext import impact_text
from supervision.jobtimes import began_here
from supervision.probejob import hurt
from supervision.state import Job, State

WORK_STEPS = 20
"""Parts of the work after each of which a line tells how far it is, when nothing else has changed."""
FINISH, FAILURE, UNKNOWN, STALL, FORECAST, BUDGET = "finish", "failure", "unknown", "stall", "forecast", "over-budget"
URGENT_PHASES = {
    Phase.FINISHED: FINISH,
    Phase.FAILED: FAILURE,
    Phase.STOPPED: FAILURE,
    Phase.LOST: UNKNOWN,
    Phase.STALLED: STALL,
}
HURT_EVERY = 5.0
"""Seconds between two looks at what users feel."""
MARGIN = 10


class Notice(msgspec.Struct, frozen=True, omit_defaults=True):
    """One change: when (Site's clock), of which kind, and what.

    Kinds are `watching`, `phase`, `progress`, `forecast`, `users`, `decision`, and those of happenings. `urgent` is the
    word for `--notify`, else "". `work` is the part of the work that is done, `finish` the range and its middle.
    """

    at: float
    event: str
    text: str
    host: str = ""
    job: str = ""
    phase: str = ""
    work: float | None = None
    done: int | None = None
    total: int | None = None
    unit: str = ""
    tool_percent: float | None = None
    finish: Finish | None = None
    urgent: str = ""


class Teller:
    """Finds what has changed since it last looked."""

    def __init__(self, fs: FileSystem, *, each_line: bool = False) -> None:
        self._fs = fs
        self._each_line = each_line
        self._job: tuple[str, str] | None = None
        self._phase: Phase | None = None
        self._why = ""
        self._step = 0
        self._lines = 0
        self._finish: Finish | None = None
        self._happened: tuple[Happening, ...] = ()
        self._decisions: tuple[Decided, ...] = ()
        self._over = False
        self._asked_at = -HURT_EVERY

    def _hurt(self, state: State, job: Job | None) -> list[Notice]:
        """Users who are slowed down more than is allowed, and when they are not any more."""
        if state.at - self._asked_at < HURT_EVERY:
            return []
        self._asked_at = state.at
        found = hurt(state, job)
        standing = found.impact.standing if found else Standing.UNKNOWN
        if (
            found is None
            or standing not in (Standing.OVER, Standing.WITHIN)
            or (standing is Standing.OVER) is self._over
        ):
            return []
        self._over = standing is Standing.OVER
        text = one_line(impact_text(found.impact, state.at, state.utc_offset))
        return [Notice(state.at, "users", text, found.probe.host, urgent=BUDGET if self._over else "")]

    def look(self, state: State, job: Job | None) -> list[Notice]:
        """What there is to tell now, `job` being what is watched."""
        notices = [*self._decided(state), *self._happenings(state), *self._hurt(state, job)]
        if job is None:
            return notices
        if (job.host, job.status.id) != self._job:
            self._job = (job.host, job.status.id)
            self._phase, self._why, self._step, self._lines, self._finish = None, "", 0, 0, None
            notices.append(Notice(state.at, "watching", described(state, job), job.host, job.status.id))
        return notices + self._scan(state, job, self._fs.progress(state, job))

    def _decided(self, state: State) -> list[Notice]:
        fresh = [each for each in state.decisions if each not in self._decisions]
        self._decisions = state.decisions
        return [Notice(each.t, "decision", one_line(f"{each.what} [{each.who}]")) for each in fresh]

    def _happenings(self, state: State) -> list[Notice]:
        if state.happened is self._happened:
            return []
        before, self._happened = set(self._happened), state.happened
        return [
            Notice(each.at, each.kind, one_line(each.text), each.host) for each in state.happened if each not in before
        ]

    def _scan(self, state: State, job: Job, progress: Progress) -> list[Notice]:
        """The phase when it has changed, a forecast that left its range, and the work from time to time."""
        notices = []
        log = state.job_log(job.host, job.status.id)
        lines = log.lines if log else 0
        fraction = progress.counter.fraction if progress.counter else None
        step = int((fraction or 0.0) * WORK_STEPS + 1e-9)
        settled = job.status.state.settled
        if progress.phase is not self._phase or (settled and progress.why != self._why):
            urgent = URGENT_PHASES.get(progress.phase, "") if settled or progress.phase is Phase.STALLED else ""
            notices.append(_notice(state, job, progress, "phase", urgent))
        elif step > self._step or (self._each_line and lines > self._lines and progress.counter):
            notices.append(_notice(state, job, progress, "progress"))
        self._phase, self._why, self._step, self._lines = progress.phase, progress.why, step, lines
        return notices + self._forecast(state, job, progress)

    def _forecast(self, state: State, job: Job, progress: Progress) -> list[Notice]:
        """The first forecast, and one whose middle is not in the range that was told last."""
        finish, before = progress.finish, self._finish
        if finish is None or (before is not None and before.low <= finish.mid <= before.high):
            return []
        self._finish = finish
        text = finish_text(finish, state)
        if before is not None:
            text += f"; it was {_range(before, state)}"
        why = progress.moved[1] if progress.moved else ""
        text += f" ({why or finish.basis})"
        return [_notice(state, job, progress, FORECAST, FORECAST if before is not None else "", text)]


def _notice(state: State, job: Job, progress: Progress, event: str, urgent: str = "", text: str = "") -> Notice:
    counter = progress.counter
    return Notice(
        state.at,
        event,
        one_line(text or progress_text(state, progress)),
        job.host,
        job.status.id,
        progress.phase.value,
        counter.fraction if counter else None,
        counter.done if counter else None,
        counter.total if counter else None,
        counter.unit if counter else "",
        progress.tool_percent,
        progress.finish,
        urgent,
    )


def described(state: State, job: Job) -> str:
    """What is watched: the command, its host, since when, by whom."""
    status = job.status
    began = began_here(state, job)
    since = "" if began is None else f", since {moment_text(began, state.at, state.utc_offset)}"
    by = f", by {status.operator}" if status.operator else ""
    title = f"; {status.title}" if status.title else ""
    return one_line(f"{status.shown or status.id} on {job.host}{since}{by}{title}")


def progress_text(state: State, progress: Progress) -> str:
    """How far it is, when it may be over, and why it stands as it does."""
    parts = []
    counter = progress.counter
    if counter and counter.done is not None:
        least = "at least " if counter.at_least else ""
        whole = "" if counter.total is None else f" of {least}{counter.total:,}"
        counted = f"{counter.done:,}{whole} {counter.unit}"
        share = counter.fraction
        parts.append(counted if share is None else f"{share * 100:.1f} % of the work ({counted})")
    if progress.tool_percent is not None and progress.phase is not Phase.FINISHED:
        parts.append(f"the tool says {progress.tool_percent:.2f} %")
    if progress.finish:
        parts.append(finish_text(progress.finish, state))
    parts += [part for part in (progress.why, progress.no_finish) if part]
    return "; ".join(parts)


def finish_text(finish: Finish, state: State) -> str:
    """`finish 19:38 to 19:52, likely 19:43`."""
    return f"finish {_range(finish, state)}, likely {moment_text(finish.mid, state.at, state.utc_offset)}"


def _range(finish: Finish, state: State) -> str:
    low, high = (moment_text(at, state.at, state.utc_offset) for at in (finish.low, finish.high))
    return low if low == high else f"{low} to {high}"


def as_text(notice: Notice, utc_offset: int) -> str:
    """`2013-06-06 17:02:11  running     12.3 % of the work …`: the day too, for a log may be read much later."""
    when = local_time(notice.at, utc_offset).strftime("%Y-%m-%d %H:%M:%S")
    word = notice.phase if notice.event in ("phase", "progress") else notice.event
    return f"{when}  {word:<{MARGIN}}  {notice.text}".rstrip()


def as_object(notice: Notice, utc_offset: int) -> bytes:
    """The same as JSON; times in seconds since 1970, and `local` as the hosts' logs print them."""
    told: dict[str, Any] = msgspec.to_builtins(notice)
    local = local_time(notice.at, utc_offset).strftime("%Y-%m-%dT%H:%M:%S")
    return msgspec.json.encode({"time": told.pop("at"), "local": local, **told})
