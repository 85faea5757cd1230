"""What a probe tells of users' latency: its lines, read as its log comes, and kept within bounds.

A probe is a job (`remote/linux/probe.sh`) that creates, looks at and removes a file every so often; docs/impact.md.
Times are seconds on the Site's clock, latencies microseconds. What is not known is None and never 0.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Sequence
from enum import Enum
from typing import TypeAlias

import msgspec

from remote.text import one_line

MARK = "restripe-probe 1 "
"""How each line of a probe begins, with its version."""
WINDOW = 600.0
"""Seconds over which latencies are put together, for what is now as for what was before: 30 probes at 20 s."""
STEP = 120.0
"""Seconds between two levels; each looks back over a whole window."""
LEAST = 5
"""Probes in a window below which nothing is said of it."""
RECENT = 1200
"""Probes that are kept one by one."""
LEVELS = 1024
"""Levels that are kept. Of more, every second one of the older half goes: each still tells of its whole window."""
LONGEST = 86_400_000_000 * 366
"""Microseconds of a year: whatever is longer was not measured."""
_LINE = re.compile(
    r"([0-9]{1,12}) ([0-9]{1,12}|-) ([0-9]{1,17}|-) ([0-9]{1,17}|-) ([0-9]{1,17}|-)"
    r" ([a-z]{1,20}) ([0-9]{1,6}|-)(?: (.*))?\Z"
)


class Outcome(Enum):
    """What a line tells: how a probe ended, that one hangs, or how it stands with the probe as a whole."""

    OK = "ok"
    LATE = "late"
    """It ended after its deadline; the times are the true ones."""
    GONE = "gone"
    FULL = "full"
    FAILED = "failed"
    CLOCK = "clock"
    """The host's clock was set meanwhile, so its times are not known."""
    HANGS = "hangs"
    """Its deadline has passed, and it has not ended."""
    OUTSTANDING = "outstanding"
    BEGIN = "begin"
    REFUSED = "refused"
    END = "end"


ENDED = frozenset((Outcome.OK, Outcome.LATE, Outcome.GONE, Outcome.FULL, Outcome.FAILED, Outcome.CLOCK))
"""How a single probe ends."""
_FAILURES = {
    Outcome.GONE: "its directory is gone",
    Outcome.FULL: "no space or no quota is left",
    Outcome.FAILED: "it failed",
}


class Told(msgspec.Struct, frozen=True):
    """A line of a probe. `epoch` is the host's clock as it was printed.

    `outstanding`: of a single probe, how many others ran when it began; else how many hang.
    """

    epoch: int
    outcome: Outcome
    number: int | None = None
    create: int | None = None
    stat: int | None = None
    unlink: int | None = None
    outstanding: int | None = None
    text: str = ""


class Sample(msgspec.Struct, frozen=True):
    """One probe: when it ended or passed its deadline, and what its steps took (microseconds).

    `whole` is the sum. Of one that hangs nobody knows in which step: `create` and `whole` are what it took at least.
    """

    at: float
    number: int
    outcome: Outcome
    create: int | None = None
    stat: int | None = None
    unlink: int | None = None
    whole: int | None = None


class Spread(msgspec.Struct, frozen=True):
    """How `count` latencies spread (microseconds).

    Some may hang, and count as what they took at least, of which `bound` is the shortest: a figure from there on is a
    lower bound.
    """

    p50: float
    p95: float
    count: int
    bound: float | None = None


Spreads: TypeAlias = tuple[Spread | None, Spread | None, Spread | None, Spread | None]
"""Of create, stat, unlink, and their sum."""


class Level(msgspec.Struct, frozen=True):
    """What the window that ends at `at` holds; a spread is None where too few probes tell of it.

    `ended` counts all probes with times since the probe began, `failed` those of the window that told no time.
    """

    at: float
    spreads: Spreads
    ended: int
    failed: int
    hung: int | None


class Setup(msgspec.Struct, frozen=True):
    """How a probe was set up, in its own words: seconds; `clock` is what it measures with (shell, date or uptime)."""

    directory: str = ""
    clock: str = ""
    mean: float | None = None
    deadline: float | None = None
    budget: float | None = None


class Samples(msgspec.Struct, frozen=True):
    """All that a probe has told. Frozen like all state: `advanced` returns it after more lines."""

    setup: Setup | None = None
    recent: tuple[Sample, ...] = ()
    levels: tuple[Level, ...] = ()
    heard_at: float | None = None
    ended: int = 0
    """Probes that told their times, from the first one on."""
    late: int = 0
    """Probes that passed their deadline."""
    failed: int = 0
    hung: int | None = None
    hung_since: float | None = None
    trouble: str = ""
    """Why the last probe told no time; empty when the last one did."""
    over: bool = False
    left: str = ""
    """A directory that could not be removed at the end."""
    odd: int = 0
    """Lines that begin as a probe's and are none."""
    highest: int = 0
    """The highest number of a probe that was told."""


def read_line(line: str) -> Told | None:
    """A line of a probe; None for any other line, and for one that is broken."""
    found = _LINE.match(line[len(MARK) :]) if line.startswith(MARK) else None
    if found is None or found[6] not in Outcome._value2member_map_:
        return None
    epoch, number, create, stat, unlink, outcome, outstanding, text = found.groups()
    times = (_number(create), _number(stat), _number(unlink))
    if any(each is not None and each > LONGEST for each in times):
        return None
    return Told(int(epoch), Outcome(outcome), _number(number), *times, _number(outstanding), one_line(text or ""))


def read_setup(text: str) -> Setup:
    """What a probe says of itself as it begins; what is not understood is left out."""
    words, _, directory = text.partition("directory=")
    said = dict(word.partition("=")[::2] for word in words.split())
    return Setup(
        one_line(directory),
        said.get("clock", ""),
        *(_seconds(said.get(name, "")) for name in ("mean", "deadline", "budget")),
    )


def advanced(samples: Samples, lines: Iterable[str], at: float) -> Samples:
    """What is known after lines that came together at `at`. Those before the last are as much older as they say."""
    told = []
    odd = 0
    for line in lines:
        if line.startswith(MARK):
            found = read_line(line)
            odd += found is None
            if found:
                told.append(found)
    if odd:
        samples = msgspec.structs.replace(samples, odd=samples.odd + odd)
    for each in told:
        older = max(0, told[-1].epoch - each.epoch)
        samples = _after(samples, each, max(samples.heard_at or -math.inf, at - older))
    return samples


def window(samples: Sequence[Sample], after: float, until: float) -> list[Sample]:
    """The probes of a time, the first moment left out."""
    return [sample for sample in samples if after < sample.at <= until]


def spreads(samples: Sequence[Sample]) -> Spreads:
    """How create, stat, unlink and their sum spread."""
    hanging = [sample.whole for sample in samples if sample.outcome is Outcome.HANGS and sample.whole is not None]
    bound = float(min(hanging)) if hanging else None
    return (
        _spread([sample.create for sample in samples], bound=bound),
        _spread([sample.stat for sample in samples]),
        _spread([sample.unlink for sample in samples]),
        _spread([sample.whole for sample in samples], bound=bound),
    )


def _spread(values: Iterable[int | None], *, bound: float | None = None) -> Spread | None:
    """The median and the 95th of a hundred, by nearest rank: values that were measured."""
    known = sorted(value for value in values if value is not None)
    if len(known) < LEAST:
        return None
    return Spread(_rank(known, 0.5), _rank(known, 0.95), len(known), bound)


def _rank(ordered: Sequence[int], part: float) -> float:
    return float(ordered[max(1, math.ceil(part * len(ordered))) - 1])


def _after(samples: Samples, told: Told, at: float) -> Samples:
    """What is known after one line, which was printed at `at`."""
    samples = msgspec.structs.replace(samples, heard_at=at)
    match told.outcome:
        case Outcome.BEGIN:
            samples = msgspec.structs.replace(samples, setup=read_setup(told.text))
        case Outcome.REFUSED:
            samples = msgspec.structs.replace(samples, trouble=f"it was refused: {told.text}", over=True)
        case Outcome.END:
            left = told.text.partition("left ")[2]
            samples = msgspec.structs.replace(samples, over=True, left=left)
        case Outcome.HANGS:
            samples = _hangs(samples, told, at)
        case outcome if outcome in ENDED and told.number is not None:
            samples = _ended(samples, told, told.number, at)
    if told.outcome not in ENDED and told.outstanding is not None:
        since = None if told.outstanding == 0 else at if samples.hung_since is None else samples.hung_since
        samples = msgspec.structs.replace(samples, hung=told.outstanding, hung_since=since)
    return _levelled(samples, at)


def _hangs(samples: Samples, told: Told, at: float) -> Samples:
    """A probe has passed its deadline; it may have ended just before that was told."""
    number = told.number
    if number is None or _told_before(samples, number):
        return samples
    deadline = samples.setup.deadline if samples.setup else None
    least = None if deadline is None else round(deadline * 1e6)
    sample = Sample(at, number, Outcome.HANGS, create=least, whole=least)
    return msgspec.structs.replace(
        samples,
        recent=(*samples.recent, sample)[-RECENT:],
        late=samples.late + 1,
        highest=max(samples.highest, number),
    )


def _told_before(samples: Samples, number: int) -> Sample | None:
    """The sample of that number; most are higher than any before, and nothing is searched for them."""
    if number > samples.highest:
        return None
    return next((sample for sample in samples.recent if sample.number == number), None)


def _ended(samples: Samples, told: Told, number: int, at: float) -> Samples:
    """A probe has ended; where it was told before that it hangs, this takes the place of that."""
    steps = (told.create, told.stat, told.unlink)
    known = told.outcome in (Outcome.OK, Outcome.LATE) and None not in steps
    whole = sum(step for step in steps if step is not None) if known else None
    sample = Sample(at, number, told.outcome, *(steps if known else (None, None, None)), whole)
    before = _told_before(samples, number)
    recent = tuple(each for each in samples.recent if each is not before) if before else samples.recent
    late = told.outcome is Outcome.LATE and before is None
    failed = told.outcome in _FAILURES
    words = _FAILURES.get(told.outcome, "")
    return msgspec.structs.replace(
        samples,
        recent=(*recent, sample)[-RECENT:],
        ended=samples.ended + known,
        late=samples.late + late,
        failed=samples.failed + failed,
        trouble=f"{words} ({told.text})" if failed and told.text else words,
        highest=max(samples.highest, number),
    )


def _levelled(samples: Samples, at: float) -> Samples:
    """The same with a level more where it is time for one."""
    if samples.levels and at < samples.levels[-1].at + STEP:
        return samples
    within = window(samples.recent, at - WINDOW, at)
    failed = sum(sample.outcome in _FAILURES for sample in within)
    levels = (*samples.levels, Level(at, spreads(within), samples.ended, failed, samples.hung))
    if len(levels) > LEVELS:
        half = len(levels) // 2
        levels = (*levels[:half:2], *levels[half:])
    return msgspec.structs.replace(samples, levels=levels)


def _number(word: str) -> int | None:
    return None if word == "-" else int(word)


def _seconds(word: str) -> float | None:
    return float(word) if re.fullmatch(r"[0-9]{1,9}(\.[0-9]{1,9})?", word, re.ASCII) else None
