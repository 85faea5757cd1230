"""docs/eta.md and its picture: how good the forecasts are, with the figures of the run that wrote it."""

from __future__ import annotations

import statistics
import time
from collections.abc import Iterable, Sequence
from datetime import UTC, datetime
from pathlib import Path

from benchmarks.eta import picture, recorded, worlds
from benchmarks.eta.scoring import RIVAL_NAMES, Told, after, play, promise, score, taught
from supervision.eta_rates import Rules

PAGE = Path(__file__).parents[2] / "docs" / "eta.md"
RUNS = 30
ABLATION_RUNS = 12
TEACHERS, LESSONS = 10, 5
"""Earlier runs that a range learns from, and how often that is tried, each time with other ones."""
FIRST_SEED = 1000
"""Runs from here on were looked at by nobody while rules and numbers were chosen."""
AIM_TUNED, AIM_HELD_OUT, AIM_INSIDE = 0.17, 0.22, (0.75, 0.88)
LEFT_OUT = {
    "all rules": Rules(),
    "without MB": Rules(mb=False),
    "without inodes": Rules(inodes=False),
    "without both: percentage alone": Rules(inodes=False, mb=False),
    "without finding changes of rate": Rules(change=False),
    "without cutting out standstills": Rules(stalls=False),
    "percentage by its whole past": Rules(recent=False),
    "range without the spread of rates": Rules(spread=False),
    "snapshots taken for none": Rules(snapshots=False),
}
SHOWN = (
    "rate changed once",
    "day and night",
    "stalls",
    "percent only",
    "large files last",
    "helper node lost",
    "snapshots",
)

Scores = dict[str, list[Told]]


def measure(regimes: Iterable[str], runs: int, rules: Rules | None = None, *, rivals: bool = True) -> Scores:
    """Everything told in fresh runs of regimes."""
    seeds = range(FIRST_SEED, FIRST_SEED + runs)
    return {
        regime: [told for seed in seeds for told in play(worlds.run(regime, seed), rules, rivals=rivals)]
        for regime in regimes
    }


def pooled(scores: Scores, regimes: Iterable[str]) -> list[Told]:
    """The points of some regimes together."""
    return [told for regime in regimes for told in scores[regime]]


def write() -> None:
    """Measure, print what was aimed at, and write the page."""
    began = time.monotonic()
    scores = measure(worlds.REGIMES, RUNS)
    without = {name: measure(worlds.REGIMES, ABLATION_RUNS, rules, rivals=False) for name, rules in LEFT_OUT.items()}
    aims = _aims(scores)
    sections = (
        _text(_HEAD, day=f"{datetime.now(UTC):%Y-%m-%d}", runs=RUNS, points=sum(map(len, scores.values()))),
        aims,
        _text(_ERRORS),
        _errors(scores, "median"),
        ["", "The 90th percentile of the same:", ""],
        _errors(scores, "p90"),
        _text(_SAME),
        _same_points(scores),
        _text(_RANGES),
        _ranges(scores),
        _text(_LEARNT, teachers=TEACHERS, lessons=LESSONS),
        _learnt(scores),
        _text(_ABLATION, runs=ABLATION_RUNS),
        _ablation(without),
        _text(_RECORDED),
        _recorded(),
        _LIMITS.splitlines(),
    )
    PAGE.write_text("\n".join(line for section in sections for line in section) + "\n", encoding="utf-8")
    picture.write()
    print("\n".join(aims))
    print(f"{time.monotonic() - began:.0f} s")


def _text(text: str, **values: object) -> list[str]:
    """A text with an empty line before the table that follows it."""
    return [*text.format(**values).splitlines(), ""]


def _aims(scores: Scores) -> list[str]:
    tuned, held_out = pooled(scores, worlds.TUNED), pooled(scores, worlds.HELD_OUT)
    every, unseen = pooled(scores, worlds.REGIMES), promise(held_out)
    rows = []
    for name, told, aim in (("tuned on", tuned, AIM_TUNED), ("held out", held_out, AIM_HELD_OUT)):
        found = score(told, "ours")
        value = found.median if found else float("nan")
        rows.append([f"median error, regimes {name}", f"{value:.3f}", f"at most {aim:g}", _met(value <= aim)])
    plain = score(every, "linear %")
    rows.append(["the same of the plain percentage, all regimes", f"{plain.median:.3f}" if plain else "-", "-", "-"])
    low, high = AIM_INSIDE
    for name, found_range in (("all regimes", promise(every)), ("held-out regimes", unseen)):
        inside = found_range.inside if found_range else float("nan")
        aim_text = f"{low * 100:.0f} to {high * 100:.0f} %"
        rows.append(
            [f"truths inside the range, {name}", f"{inside * 100:.1f} %", aim_text, _met(low <= inside <= high)]
        )
    return _table(["what", "found", "aim", "met"], rows)


def _met(met: bool) -> str:
    return "yes" if met else "**no**"


def _errors(scores: Scores, what: str) -> list[str]:
    rows = []
    for name, told in [*_named(scores), *_pools(scores)]:
        found = [score(told, who) for who in ("ours", *RIVAL_NAMES)]
        rows.append([name, *("-" if each is None else f"{getattr(each, what):.2f}" for each in found)])
    return _table(["regime", "**ours**", *RIVAL_NAMES], rows)


def _named(scores: Scores) -> list[tuple[str, list[Told]]]:
    return [(name if name in worlds.TUNED else f"{name} (held out)", told) for name, told in scores.items()]


def _pools(scores: Scores) -> list[tuple[str, list[Told]]]:
    return [("**tuned on**", pooled(scores, worlds.TUNED)), ("**held out**", pooled(scores, worlds.HELD_OUT))]


def _same_points(scores: Scores) -> list[str]:
    rows = []
    for pool, told in _pools(scores):
        for name in RIVAL_NAMES:
            pairs = [(each.error(name), each.error("ours")) for each in told]
            both = [(theirs, ours) for theirs, ours in pairs if theirs is not None and ours is not None]
            theirs, ours = (statistics.median(column) for column in zip(*both, strict=True))
            rows.append([pool, name, f"{len(both):,}", f"{theirs:.3f}", f"{ours:.3f}", f"{theirs / ours:.1f}"])
    return _table(["regimes", "rule", "points", "its median", "ours", "ratio"], rows)


def _ranges(scores: Scores) -> list[str]:
    rows = []
    for name, told in [*_named(scores), *_pools(scores), ("**all**", pooled(scores, worlds.REGIMES))]:
        kept, found = promise(told), score(told, "ours")
        if kept and found:
            shares = (f"{share * 100:.0f} %" for share in (kept.inside, kept.before, kept.after))
            rows.append([name, *shares, f"{kept.width:.2f}", f"{found.answered * 100:.0f} %"])
    return _table(["regime", "inside", "ended before", "ended after", "width / middle", "lines with a figure"], rows)


def _learnt(scores: Scores) -> list[str]:
    """Coverage before and after runs of the same regime; the teachers are other runs than those judged."""
    rows = []
    for name, told in _named(scores):
        regime = name.removesuffix(" (held out)")
        taught_by = []
        for lesson in range(LESSONS):
            first = FIRST_SEED + RUNS + lesson * TEACHERS
            taught_by.append(taught(worlds.run(regime, seed) for seed in range(first, first + TEACHERS)))
        before = promise(told)
        later = [kept for calibration in taught_by if (kept := promise(after(told, calibration)))]
        if before is None or not later:
            continue
        inside = sorted(kept.inside for kept in later)
        rows.append(
            [
                name,
                *(f"{share * 100:.0f} %" for share in (before.inside, statistics.fmean(inside))),
                f"{inside[0] * 100:.0f} to {inside[-1] * 100:.0f} %",
                f"{before.width:.2f}",
                f"{statistics.fmean(kept.width for kept in later):.2f}",
            ]
        )
    return _table(["regime", "inside", f"after {TEACHERS} runs", "from, to", "width / middle", "after"], rows)


def _ablation(without: dict[str, Scores]) -> list[str]:
    rows = []
    for name, scores in without.items():
        every = pooled(scores, worlds.REGIMES)
        kept, found = promise(every), score(every, "ours")
        medians = [score(told, "ours") for _, told in _pools(scores)]
        shown = [score(scores[regime], "ours") for regime in SHOWN]
        figures = ["-" if each is None else f"{each.median:.3f}" for each in (*medians, *shown)]
        rest = [f"{found.p90:.2f}", f"{kept.inside * 100:.0f} %", f"{kept.width:.2f}"] if found and kept else ["-"] * 3
        rows.append([name, *figures[:2], *rest, *figures[2:]])
    return _table(["rules", "tuned on", "held out", "p90", "inside", "width", *SHOWN], rows)


def _recorded() -> list[str]:
    rows = []
    for name in recorded.names():
        told = list(play(recorded.recorded(name)))
        kept = promise(told)
        inside = f"{round(kept.inside * sum(each.ours is not None for each in told))}" if kept else "0"
        found = [score(told, who) for who in ("ours", *RIVAL_NAMES)]
        medians = ["-" if each is None else f"{each.median:.2f}" for each in found]
        rows.append(
            [f"`{name}`", f"{inside} of {sum(each.ours is not None for each in told)}", str(len(told)), *medians]
        )
    return _table(["run", "inside", "lines scored", "**ours**", *RIVAL_NAMES], rows)


def _table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> list[str]:
    return ["| " + " | ".join(cells) + " |" for cells in (head, ["---"] * len(head), *rows)]


_HEAD = """\
# When it will be over

Written by `make bench` (or `python -m benchmarks eta`); do not edit. The text is in `benchmarks/eta/page.py`.

`restripe eta LOG` and `supervision/eta.py` tell when a scan ends: a range that is meant to hold four ends of five, a
middle, and what it rests on. How it is done, in short:

- **Work** is what the counters have passed: inodes over *allocated* inodes and MB over the MB in use, their mean where
  both totals are known. The tool's percentage is taken for want of these only, and by the recent half of the phase;
  from 98 % on it tells nothing, and no figure is shown.
- **Phases are apart.** In the numbered phases over metadata, the percentage says nothing of the run: no figure.
- **The rate** is the mean since the phase began, or since the rate was told or found to have changed.
- **Standstills are cut out**, and with them a clock that was set forward: a long gap with less than half of the work
  that the rate before it promised. A clock that was set back counts as a usual gap. A counter that falls began anew.
- **The range** is as wide as the rate was unsteady: the spread of the logarithms of its rates in five equal times. Its
  numbers come from the regimes tuned on. Finished runs of the same kind of command at the same site make it wider or
  narrower (below); they are kept in `$XDG_STATE_HOME/restripe/runs.jsonl`, never those of a simulation. The saved log
  of a whole run can teach, too: `restripe eta LOG --like "mmrestripefs -r" --site CLUSTER --keep`.
- **With snapshots** their inodes are walked too, it is believed, and mmdf does not tell how many they are. The forecast
  says so and takes the total for 1 to 3 times the allocated inodes, every ratio as likely as its like. That 3
  (`SNAPSHOTS_TIMES`) is an assumption, not a measurement.
- **Disks that are emptied** (`mmdeldisk`, or `mmchdisk empty` and `mmrestripefs -r`) are measured in the KB left on
  them, look after look of mmdf, and so need no log. Without a log, disks that fill tell something too: the KB on
  them of those expected there, which is an assumption of its own; this is said to be rough, and its range is that of
  a percentage. How full a disk will be is what came on it so far, by what part of the inodes was passed.
- **Blocks** are the work of GFS2's savemeta: those saved over the dinodes there are, a lower bound that is taken for 1
  to 3 times as many (`LEAST_TIMES`, an assumption). Once it is passed there is no figure, and its percentage, which is
  an address, is never one. Its lines have no times: without a `ts` behind it, or `--elapsed`, nothing can be told.
- **No figure** before two minutes, 1 % of the work, and six lines or 10 % of the work (*starting*); nor when nothing
  moved for five minutes and six usual gaps (*stalled*), from 99.8 % of the work on (*finishing*), or while another
  command is waited for (*waiting*). A forecast that jumps says why.

{day}, {runs} fresh runs of each regime, {points:,} points: up to sixty lines of a run, from 3 % to 98.5 % of its time.
All of them are synthetic (`benchmarks/eta/worlds.py`): they show how the rules compare, not what your site will see.
Errors are |told - truth| / truth, where truth is the time that was left.

## Aims
"""
_ERRORS = """
## Errors by regime

Medians. `%` is fed with the tool's percentage, `inodes` with inodes over allocated inodes; *linear* is the mean since
the beginning, *EMA* tqdm's rule, *10 min* a window, *rich* is rich.progress itself, which knows no rate when lines come
more than half a minute apart. Nothing was chosen on the regimes that were held out.
"""
_SAME = """
### On the same points

Each rule against ours where both gave a figure.
"""
_RANGES = """
## Does the range keep its promise?

"Ended before" and "after" tell on which side the truth was when it was not inside.
"""
_LEARNT = """
### After some finished runs

What finished runs teach (`supervision/eta_runs.py`), for each kind of command at each site: how far beside the middle
the end was, in units of what the range reached on that side, at up to 24 moments of a run. The range then reaches as
far as a tenth of these exceed on either side. That is split conformal prediction with the run as the unit: moments of
one run are not independent, so each run counts as one; and the run still to come counts as one more. The theory puts
that one at infinity, and needs nine runs before it says anything; here it counts as the ranges expect a run to be, so
no run changes nothing, one changes little, and many have the word. The middle stays as it is.

Below, {teachers} other runs of the same regime taught; the mean of {lessons} such lessons, and the worst and the best.
The moments are even in time: where most lines come before the rate changes for good, more of the lines are outside
than of the time.
"""
_ABLATION = """
## What each rule is worth

The same with one rule left out, {runs} runs of each regime. Medians of errors, but for p90 and the range. Finding
changes of rate is a trade: it is worth much where the rate changed for good, and costs where it swings back.
"""
_RECORDED = """
## Recorded runs

Where they are from: [traces](../benchmarks/eta/traces/README.md). Only `mmrestripefs_mss1` is of GPFS, and the middle
of its log is missing; the others have a percentage only, and few lines. Few points say little.
"""
_LIMITS = """
## What it cannot know

- Load, limits and helper nodes that change later, and a standstill to come, are not seen ahead.
- A cost that no counter shows, such as a slow end, makes it late; the range is not made for that.
- How many inodes the snapshots have. A counter that passes its total by 1 % is not counted by any more, with snapshots
  or without, and the forecast says so; the percentage is left then.
- What metadata will take on new disks, where there is no log: two copies of an inode of 512 bytes are taken for 5 KB.
  In the one file system it was seen in they took 4.6.
- Allocated inodes that are not used cost little, and where they stand is not known.
"""
