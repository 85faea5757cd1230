"""Forecasts from a saved log of `gfs2_edit savemeta` or `restoremeta`.

Their lines have no times. A log has some where each line was given one, as `tr '\\r' '\\n' | ts` does; without, it can
be told from outside how long the command had run at the last line. Otherwise nobody can say when it ends.
"""

from __future__ import annotations

import msgspec

from remote.gfs2.doubts import of_restoremeta, of_savemeta
from remote.gfs2.metadata import begins, is_failure, parse_end
from remote.gfs2.models import Counted, RestoremetaLog, SavemetaLog
from remote.gfs2.progress import parse_progress_line, split_time
from remote.gfs2.reading import parse_timed
from remote.linux.line_stamps import Stamp, StampKind, in_year
from supervision.clocktext import duration_text, local_time
from supervision.eta import Estimate, Estimator, Observation, State
from supervision.eta_rates import Calibration
from supervision.filesystem import Counter

DAY = 86_400.0
NO_TIMES = "its lines have no times"
NO_TOTAL = "how many blocks there are to be saved, at least, is not known"
NO_COUNT = "this release does not count the blocks it saves, and its percentage is an address"
_LATER = 2 * DAY
"""Seconds by which a time without a year may be later than now; what is later is taken for last year's."""


class Forecast(msgspec.Struct, frozen=True):
    """A line of progress and what it says of the finish.

    `line` counts from 1. `printed` is the line's own time in seconds without a zone; None where it has none, or one
    without a day. `counter` is of blocks, `percent` the tool's own figure, which is an address and no work.
    """

    line: int
    printed: float | None
    phase: str
    counter: Counter
    percent: int
    estimate: Estimate


class _Clock:
    """Seconds of the stamps of one log. `now` is a time without a zone, to find the year that a stamp does not tell."""

    def __init__(self, now: float) -> None:
        self._now = now
        self._last: float | None = None
        self._year: int | None = None

    def read(self, stamp: Stamp) -> float | None:
        """The seconds of the next stamp; None for a day that there is not."""
        at: float | None = stamp.at
        if stamp.kind is StampKind.NO_YEAR:
            at = self._in_year(stamp)
        elif stamp.kind is StampKind.CLOCK and self._last is not None:
            while at is not None and at < self._last - DAY / 2:  # midnight has passed
                at += DAY
        self._last = self._last if at is None else at
        return at

    def _in_year(self, stamp: Stamp) -> float | None:
        if self._year is None:
            this = local_time(self._now, 0).year
            self._year = this if (in_year(stamp, this) or 0.0) <= self._now + _LATER else this - 1
        at = in_year(stamp, self._year)
        if at is not None and self._last is not None and at < self._last - 183 * DAY:  # New Year has passed
            self._year += 1
            at = in_year(stamp, self._year)
        return at


class SavemetaForecaster:
    """Reads a log line by line.

    `total` is the least number of blocks that savemeta saves, as the dinodes of all resource groups; of restoremeta it
    is the number that there are in the file. `elapsed` is for how many seconds the command had run at the last line,
    and serves where the lines have no times. `now` is in seconds without a zone, as the log's own times are.
    """

    def __init__(
        self,
        total: int | None = None,
        elapsed: float | None = None,
        *,
        now: float = 0.0,
        calibration: Calibration | None = None,
    ) -> None:
        self._total, self._elapsed = total, elapsed
        self._phase = "savemeta"
        self._clock = _Clock(now)
        self._estimator = Estimator(blocks=total, at_least=True, calibration=calibration)
        self._at: float | None = None
        self._last: tuple[int, float | None, Counted] | None = None
        self._end: SavemetaLog | RestoremetaLog | None = None
        self._failure = ""
        self._took: float | None = None

    def read(self, number: int, text: str) -> bool:
        """A line with its number, from 1; whether it is one of progress."""
        stamp, text = split_time(text)
        said = parse_progress_line(text)
        at = self._clock.read(stamp) if stamp else None
        if said is not None:
            self._progress(number, said, at, stamp)
            return True
        if phase := begins(text):
            self._begin(phase, at)
        elif timed := parse_timed(text):
            self._took = timed.elapsed
        elif end := parse_end(text):
            self._end = end
        elif is_failure(text):
            self._failure = self._failure or text
        return False

    def _begin(self, phase: str, at: float | None) -> None:
        """A command begins; what the log tells of one before it does not count."""
        self._end, self._failure, self._last, self._took = None, "", None, None
        self._phase = phase
        self._estimator.at_least = phase == "savemeta"
        self._estimator.begin(at)

    def _progress(self, number: int, said: Counted, at: float | None, stamp: Stamp | None) -> None:
        if at is None and self.timed and said.percent < 100:
            return  # drawn over the line before it, which has the time
        dated = stamp is not None and stamp.kind in (StampKind.DATE, StampKind.NO_YEAR)
        self._last = (number, at if dated else None, said)
        self._at = at if at is not None else self._at
        if at is not None:  # without the percentage: it is no work
            self._estimator.observe(Observation(at, blocks=said.saved))

    def forecast(self) -> Forecast | None:
        """How it stands after the last line read; None before the first of progress."""
        if self._last is None:
            return None
        number, printed, said = self._last
        counter = Counter("blocks", said.saved, self._total, at_least=self._estimator.at_least)
        return Forecast(number, printed, self._phase, counter, said.percent, self._estimate(said))

    def _estimate(self, said: Counted) -> Estimate:
        if self._end is not None:
            return Estimate(State.FINISHING, "", None, self._ended(self._end, said))
        if self._failure:
            return Estimate(State.UNKNOWN, "", None, f"it tells of a failure: {self._failure}")
        if said.percent >= 100:
            return Estimate(State.FINISHING, "", None, "all addresses are passed: it may end at any moment")
        if said.saved is None:
            return Estimate(State.UNKNOWN, "", None, NO_COUNT)
        missing = [] if self.timed or self._elapsed is not None else [NO_TIMES]
        missing += [NO_TOTAL] if self._total is None else []
        if missing:
            return Estimate(State.UNKNOWN, "", None, "; ".join(missing))
        if self.timed or self._elapsed is None:
            return self._estimator.estimate()
        once = Estimator(blocks=self._total, at_least=self._estimator.at_least, calibration=self.calibration)
        once.begin(0.0)
        once.observe(Observation(self._elapsed, blocks=said.saved))
        return once.estimate()

    def _ended(self, end: SavemetaLog | RestoremetaLog, said: Counted) -> str:
        """What an end is worth: the tools tell of success where there is none."""
        if isinstance(end, SavemetaLog):
            log = msgspec.structs.replace(end, counted=(said,), errors=(self._failure,) if self._failure else ())
            doubts = of_savemeta(log, self._total)
        else:
            restored = msgspec.structs.replace(end, counted=(said,), errors=(self._failure,) if self._failure else ())
            doubts = of_restoremeta(restored, self._total)
        failed = isinstance(end, RestoremetaLog) and end.outcome != "successful"
        took = f", after {duration_text(self._took)}" if self._took is not None else ""
        head = f"its lines tell that it {'failed' if failed else 'completed'}{took}"
        return "; ".join((head, *(doubts or ("whether it did its work is to be checked",))))

    @property
    def timed(self) -> bool:
        """Whether lines have times."""
        return self._at is not None

    @property
    def counts(self) -> bool:
        """Whether it was told how many blocks there are."""
        return self._total is not None

    @property
    def over(self) -> bool:
        """Whether the log goes on to an end that tells of success."""
        return isinstance(self._end, SavemetaLog) or (self._end is not None and self._end.outcome == "successful")

    @property
    def calibration(self) -> Calibration:
        """What earlier runs taught."""
        return self._estimator.calibration
