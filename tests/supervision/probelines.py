"""Lines of a probe, as a test wants them."""

from __future__ import annotations

from collections.abc import Iterable

from supervision.probing import Samples, advanced

DIRECTORY = "/gpfs/fs1/scratch/.restripe-probe-login1-4711"


def begin(epoch: float = 0, *, mean: float = 20, deadline: float = 30, budget: str = "-") -> str:
    """How a probe begins."""
    return own(epoch, "begin", 0, f"clock=shell mean={mean:g} deadline={deadline:g} most=4 budget={budget} "
               f"directory={DIRECTORY}")  # fmt: skip


def own(epoch: float, outcome: str, outstanding: int | str, text: str = "") -> str:
    """A line of the probe itself."""
    return f"restripe-probe 1 {epoch:.0f} - - - - {outcome} {outstanding} {text}".rstrip()


def ended(epoch: float, number: int, create: int, stat: int = 10, unlink: int = 0, outcome: str = "ok") -> str:
    """A probe that ended; times in microseconds."""
    return f"restripe-probe 1 {epoch:.0f} {number} {create} {stat} {unlink} {outcome} 0 "


def hangs(epoch: float, number: int, outstanding: int) -> str:
    """A probe whose deadline has passed."""
    return f"restripe-probe 1 {epoch:.0f} {number} - - - hangs {outstanding} "


def heard(*lines: str, samples: Samples | None = None) -> Samples:
    """What is known after these lines, each of which came as it was printed."""
    samples = samples or Samples()
    for line in lines:
        samples = advanced(samples, [line], float(line.split()[2]))
    return samples


def steady(start: int, until: int, create: int, every: int = 20) -> Iterable[str]:
    """Probes at regular times that all take the same, the first at `start`; their numbers are their times."""
    return (ended(at, at, create) for at in range(start, until, every))
