"""How fast a restripe goes, now and before: a place on its timeline that moves at a pace, or stands. Pure, no I/O.

All moments are simulated UNIX seconds, all rates shares of the full speed.
"""

from __future__ import annotations

import math
from bisect import bisect_right

MAX_STEPS = 2000


class Steps:
    """A rate that changes now and then, and what it comes to over time. Changes of long ago are summed up."""

    def __init__(self) -> None:
        self._times = [0.0]
        self._rates = [0.0]
        self._sums = [0.0]

    def put(self, moment: float, rate: float) -> None:
        """From this moment on it is this rate; what was said of later moments holds no longer."""
        moment = max(moment, self._times[0])
        total = self.total(moment)
        keep = max(1, bisect_right(self._times, moment) - (moment in self._times))
        del self._times[keep:], self._rates[keep:], self._sums[keep:]
        if moment == self._times[-1]:
            self._rates[-1] = rate
        else:
            self._times.append(moment)
            self._rates.append(rate)
            self._sums.append(total)
        if len(self._times) > MAX_STEPS:
            half = MAX_STEPS // 2
            del self._times[:half], self._rates[:half], self._sums[:half]

    def _index(self, moment: float) -> int:
        return max(0, bisect_right(self._times, moment) - 1)

    def rate(self, moment: float) -> float:
        """The rate at a moment."""
        return self._rates[self._index(moment)]

    def total(self, moment: float) -> float:
        """The sum up to a moment: seconds at full speed."""
        index = self._index(moment)
        return self._sums[index] + self._rates[index] * max(0.0, moment - self._times[index])

    def mean(self, begin: float, end: float) -> float:
        """The mean rate between two moments."""
        return (self.total(end) - self.total(begin)) / (end - begin)


class Place:
    """Where on its timeline a run is. What moves or stops it is put into `work`, which outlives the run."""

    def __init__(self, begin: float, moment: float, pace: float, work: Steps) -> None:
        """Offset 0 is at `moment`, and `begin` the moment from which there is work; `pace` is above 0."""
        self._moment, self._offset = moment, 0.0
        self.pace = pace
        self._until = -math.inf
        self._work = work
        self.standing_since: float | None = None
        work.put(begin, pace)

    def due(self, offset: float) -> float:
        """The moment of an offset that has not been reached; infinite while nobody knows when it goes on."""
        return self._moment + (offset - self._offset) / self.pace

    def offset(self, moment: float) -> float:
        """The offset of a moment."""
        return self._offset if moment < self._until else self._offset + (moment - self._moment) * self.pace

    def stands(self, moment: float) -> bool:
        """Whether it stands still."""
        return moment < self._until

    def change(self, now: float, pace: float) -> None:
        """Go on from here at another pace; what stands goes on at it later."""
        if not self.stands(now):
            self._moment, self._offset = now, self.offset(now)
        self.pace = pace
        self._tell(now)

    def stand(self, now: float, until: float) -> None:
        """Stand still until a moment, which may be infinite."""
        if not self.stands(now):
            self.standing_since = now
        self._offset = self.offset(now)
        self._moment = self._until = until
        self._tell(now)

    def go_on(self, now: float) -> None:
        """Stand no longer."""
        self._offset = self.offset(now)
        self._moment, self._until = now, -math.inf
        self._tell(now)

    def end(self, now: float) -> None:
        """There is no more work."""
        self._work.put(now, 0.0)

    def _tell(self, now: float) -> None:
        if not self.stands(now):
            self._work.put(now, self.pace)
            return
        self._work.put(now, 0.0)
        if math.isfinite(self._until):
            self._work.put(self._until, self.pace)
