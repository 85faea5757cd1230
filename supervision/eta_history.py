"""The past of a phase, as its forecast needs it: work against active time, with standstills cut out."""

from __future__ import annotations

from copy import copy
from enum import StrEnum
from itertools import accumulate
from statistics import median

import msgspec

from supervision.clocktext import duration_text

STALL = 300.0
"""Seconds below which a silence is no standstill."""
STALL_GAPS = 6
"""The same in usual gaps between lines that tell of progress."""
FELL = 0.99
"""A counter below this part of its last value began anew."""
LEFT_BEHIND = 0.5
"""A gap with less than this part of the work that the rate before it promises had a standstill in it."""
KEPT = 600
"""Marks kept of a phase; beyond that every second one is dropped."""
GAPS, LATE_GAPS = 100, 5
"""Gaps that the usual one is taken from, and of these the last, which count alone where they are longer."""
ROW = 3
"""So many slow lines in a row are no standstills: the work is slower."""


class Unit(StrEnum):
    """What work is counted in."""

    INODES = "inodes"
    MB = "MB"
    KB = "KB"
    BLOCKS = "blocks"
    PERCENT = "percent"


class Mark(msgspec.Struct, frozen=True):
    """What a line said. `at` is seconds: of the clock as it comes in, of active time once it is kept."""

    at: float
    percent: float | None = None
    inodes: int | None = None
    mb: int | None = None
    kb: int | None = None
    blocks: int | None = None

    def count(self, unit: Unit) -> float | None:
        """How much of a unit is done."""
        match unit:
            case Unit.INODES:
                return self.inodes
            case Unit.MB:
                return self.mb
            case Unit.KB:
                return self.kb
            case Unit.BLOCKS:
                return self.blocks
        return self.percent

    @property
    def counted(self) -> bool:
        """Whether it has counters, and not only a percentage."""
        return any(count is not None for count in (self.inodes, self.mb, self.kb, self.blocks))


class History:
    """The marks of a phase that begins at a time, None where that is not known.

    `cut_stalls` False keeps standstills as if they were work.
    """

    def __init__(self, began: float | None = None, *, cut_stalls: bool = True) -> None:
        self.events: list[str] = []
        """What happened since the forecast was last asked for."""
        self.last_at = began
        """The clock at the last line."""
        self.percent: float | None = None
        self.counted = False
        self._cut_stalls = cut_stalls
        self._clock = 0.0
        """Seconds from the first line or the beginning to the last line, without steps of the clock."""
        self._start(0.0, zero=began is not None)

    def _start(self, clock: float, *, zero: bool) -> None:
        """Nothing is known of the past; with `zero`, that nothing was done at a time of our clock."""
        self.marks: list[Mark] = [Mark(0.0, 0.0, 0, 0, 0, 0)] if zero else []
        self.lines = 0
        """Lines that told of progress."""
        self.change = 0.0
        """Active time at which the rate was told to have changed."""
        self._progress = self._began = clock
        self._gaps: tuple[float, ...] = ()
        self._cut: tuple[float, ...] = ()
        """Seconds that were cut out of each of the last lines in a row."""

    def __eq__(self, other: object) -> bool:
        return isinstance(other, History) and vars(self) == vars(other)

    __hash__ = None  # type: ignore[assignment]

    def copy(self) -> History:
        """Another one that goes on from here by itself; the marks themselves are frozen."""
        other = copy(self)
        other.events, other.marks = list(self.events), list(self.marks)  # nothing else is changed in place
        return other

    @property
    def active(self) -> float:
        """Seconds of work so far."""
        return self.marks[-1].at if self.marks else 0.0

    def changed(self) -> None:
        """From now on the rate is another one."""
        self.change = self.active

    def earlier(self, seconds: float) -> None:
        """All lines so far turn out to be so much older by the clock; what lies between them stays."""
        if self.last_at is not None:
            self.last_at -= seconds

    def add(self, mark: Mark) -> None:
        """A line."""
        before = self._clock
        self._tick(mark.at)
        self.percent = mark.percent
        if self.counted and not mark.counted:
            return  # the very last line has no counters
        if mark.counted and not self.counted:
            self._counters_came(before)
        if self._fell(mark):
            self.events.append("it counts from the start again")
            self._start(before, zero=True)
        if not self.marks:
            self.marks = [msgspec.structs.replace(mark, at=0.0)]
            self._progress = self._clock
        elif self._moved(mark):
            self._keep(mark)

    def idle(self, now: float | None = None) -> float:
        """Seconds without progress until a time, or until the last line."""
        return max(0.0, self.clock(now) - self._progress)

    def clock(self, now: float | None = None) -> float:
        """Seconds since the beginning or the first line until a time, or until the last line; no clock step counts."""
        later = now - self.last_at if now is not None and self.last_at is not None else 0.0
        return self._clock + max(0.0, later)

    def stall_limit(self) -> float:
        """Seconds without progress from which on it stands still."""
        return max(STALL, STALL_GAPS * self.usual_gap())

    def usual_gap(self) -> float:
        """The median of the last gaps between lines that told of progress; 0 before the second."""
        return max(median(self._gaps), median(self._gaps[-LATE_GAPS:])) if len(self._gaps) >= 2 else 0.0

    def _tick(self, at: float) -> None:
        """The clock goes on; where it was set back, by as much as usual."""
        step = 0.0 if self.last_at is None else at - self.last_at
        if step < 0:
            self.events.append(f"the clock went back by {duration_text(-step)}")
            step = self.usual_gap()
        self._clock, self.last_at = self._clock + step, at

    def _counters_came(self, before: float) -> None:
        """What the percentage told is no measure of counters: they began with the phase, or after the line before."""
        self.counted = True
        zero = bool(self.marks) and self.marks[0].inodes == 0
        self._start(self._began if zero else before, zero=bool(self.marks))

    def _fell(self, mark: Mark) -> bool:
        pair = self._pair(mark)
        return pair is not None and pair[1] < FELL * pair[0]

    def _moved(self, mark: Mark) -> bool:
        pair = self._pair(mark)
        return pair is not None and pair[1] > pair[0]

    def _pair(self, mark: Mark) -> tuple[float, float] | None:
        """The first unit that both the last mark and this one have: then and now."""
        for unit in (Unit.INODES, Unit.MB, Unit.KB, Unit.BLOCKS) if mark.counted else (Unit.PERCENT,):
            before, after = self.marks[-1].count(unit) if self.marks else None, mark.count(unit)
            if before is not None and after is not None:
                return before, after
        return None

    def _keep(self, mark: Mark) -> None:
        gap = self._clock - self._progress
        self.lines += 1
        cut = self._standstill(mark, gap) if self._cut_stalls else 0.0
        self._cut = (*self._cut, cut) if cut else ()
        self._gaps = (*self._gaps[1 - GAPS :], gap)
        if len(self._cut) == ROW:
            self._give_back()
        elif cut:
            self.events.append(f"it stood still for {duration_text(cut)}, or the clock was set")
        self.marks.append(msgspec.structs.replace(mark, at=self.active + gap - sum(self._cut[-1:])))
        self._progress = self._clock
        if len(self.marks) > KEPT:
            self.marks = [self.marks[0], *self.marks[2:-1:2], self.marks[-1]]

    def _standstill(self, mark: Mark, gap: float) -> float:
        """The part of a gap in which no work was done. A clock that was set forward is as good as a standstill."""
        pair, first = self._pair(mark), self._pair(self.marks[0])
        if gap <= self.stall_limit() or self.active <= 0 or pair is None or first is None or first[0] <= first[1]:
            return 0.0
        rate = (first[0] - first[1]) / self.active
        took = max((pair[1] - pair[0]) / rate, median(self._gaps) if self._gaps else 0.0)
        return gap - took if took <= LEFT_BEHIND * gap else 0.0

    def _give_back(self) -> None:
        """What was cut out of the lines before this one is put back: they were slow, not interrupted."""
        self.events.append("its lines come more slowly now: it does not stand still")
        late, self._cut = self._cut[:-1], ()
        before = len(self.marks) - len(late)
        self.change = self.marks[before - 1].at
        for index, shift in enumerate(accumulate(late), before):
            self.marks[index] = msgspec.structs.replace(self.marks[index], at=self.marks[index].at + shift)
