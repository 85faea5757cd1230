"""Everything that the Restripe screen shows of a scan, gathered once for each time that it is drawn."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from screens.restripe_strips import Kept
from supervision.brake import Brake
from supervision.canary_rates import Canary, canary
from supervision.charting_forecasts import with_silences
from supervision.charting_lens import Run
from supervision.eta_history import STALL, STALL_GAPS
from supervision.filesystem import Fill, Phase, Progress
from supervision.forecasts import Told
from supervision.jobtimes import began_here, ended_here
from supervision.logs import Point
from supervision.probejob import Hurt, hurt
from supervision.session import Session
from supervision.state import Job, State
from supervision.truth import Truth, true_end


class Seen(msgspec.Struct, frozen=True):
    """A scan at the time `now` (Site's clock). `told` are its forecasts and the silences between them; `truth` is its
    true end, None where that is not to be shown.
    """

    state: State
    job: Job
    now: float
    progress: Progress
    told: Sequence[Told]
    points: Sequence[Point]
    hurt: Hurt | None
    canary: Canary
    fills: Sequence[Fill]
    brake: Brake | None
    truth: Truth | None
    run: Run

    @property
    def zone(self) -> int:
        """Seconds from UTC on the hosts."""
        return self.state.utc_offset

    @property
    def sources(self) -> tuple[object, ...]:
        """What charts are drawn from: while it is all the same, so are they."""
        samples = self.hurt.probe.samples if self.hurt else None
        truth = self.truth.at if self.truth else None
        held = (self.progress.told, self.points, self.progress.phase, samples, truth)
        return (*held, self.state.heard, self.state.spaces, self.state.happened)


def seen(session: Session, job: Job, kept: Kept, *, revealed: bool) -> Seen:
    """What is known of a scan now; `revealed` shows the true end before it is there, in a replay."""
    state, now = session.state, session.now
    progress = session.fs.progress(state, job)
    log = state.job_log(job.host, job.status.id)
    points = log.scan.points if log else ()
    began, ended = began_here(state, job), ended_here(state, job)
    until = now if ended is None else min(now, ended)
    return Seen(
        state,
        job,
        now,
        progress,
        _told(progress, points, until, state.header.speed),
        points,
        hurt(state, job),
        _heard(state, began, kept),
        session.fs.fills(state),
        session.fs.brake(state, session.terms),
        _truth(session, job, ended, revealed=revealed),
        Run(min(until, job.at if began is None else began), until),
    )


def _told(progress: Progress, points: Sequence[Point], until: float, speed: float) -> Sequence[Told]:
    """The forecasts with the silences; the last one is none while the scan is said to work."""
    limit = max(STALL, STALL_GAPS * (progress.usual_gap or 0.0), speed)
    if points and progress.phase is not Phase.STALLED:
        until = points[-1].at
    return with_silences(progress.told, [point.at for point in points], limit, until)


def _heard(state: State, began: float | None, kept: Kept) -> Canary:
    """What the logs complain of, gathered anew only where they were read again."""
    facts = (state.facts.get(f"logs {host}") for host in state.hosts)
    found: Canary = kept.get("now", (state.heard, *facts), None, lambda: canary(state, began, remember=kept.get))
    return found


def _truth(session: Session, job: Job, ended: float | None, *, revealed: bool) -> Truth | None:
    if ended is not None:
        return Truth(ended)
    player = session.player
    return true_end(player.replay, job.host, job.status.id) if player and revealed else None
