"""Forecasts learn from finished runs: what earlier ones taught is told to the state, and what ends is kept.

Both happen in a live session only. What was taught is an event, so a replay has the ranges that were shown.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine, Sequence
from typing import Any

from remote.events import Calibrated, Event, JobChanged, JobsListed, LogRead
from supervision.eta_runs import FinishedRun, calibration
from supervision.filesystem import FileSystem
from supervision.state import State
from supervision.supervisor import Supervisor

Keep = Callable[[FinishedRun], Coroutine[Any, Any, None]]


class Learning:
    """Watches a session: `runs` are the finished ones that are kept on this machine, `keep` adds one to them."""

    def __init__(self, supervisor: Supervisor, fs: FileSystem, runs: Sequence[FinishedRun], keep: Keep) -> None:
        self._supervisor = supervisor
        self._fs = fs
        self._runs = tuple(runs)
        self._keep = keep
        self._taught = False
        self._kept: set[tuple[str, str]] = set()
        supervisor.store.listen(self._on_event)

    def _on_event(self, state: State, event: Event) -> None:
        if not self._taught and (site := self._fs.site(state)):
            self._taught = True
            # not from within the event that told the site: the state is just being changed by it
            asyncio.get_running_loop().call_soon(self._teach, site)
        if isinstance(event, JobChanged | JobsListed | LogRead):
            self._look_for_ends(state)

    def _teach(self, site: str) -> None:
        journal, now = self._supervisor.journal, self._supervisor.site.clock.now()
        for kind in dict.fromkeys(run.kind for run in self._runs if run.site == site):
            found = calibration(self._runs, kind, site)
            journal.emit(Calibrated(now, kind, found.below, found.above, found.runs))

    def _look_for_ends(self, state: State) -> None:
        """Keep each scan that has ended well, once, when all of its log is read."""
        for key, job in state.jobs.items():
            log = state.job_log(*key)
            if key in self._kept or not job.status.state.settled or log is None or log.size < job.status.size:
                continue
            self._kept.add(key)
            if run := self._fs.finished_run(state, job):
                self._supervisor.start("keep a finished run", self._keep(run))
