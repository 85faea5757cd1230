"""What can happen to a job, and the drawing of one case of it."""

from __future__ import annotations

import random
from enum import Enum

import msgspec


class Victim(Enum):
    """Who is struck."""

    SESSION = "sshd session killed"
    LAUNCHER = "launcher killed"
    RUNNER = "runner killed"
    COMMAND = "command killed"
    CLIENT = "our client killed"
    FROZEN_LAUNCHER = "launcher frozen, continued"
    FROZEN_RUNNER = "runner frozen, continued"
    CUT = "connection cut while following"


class Phase(Enum):
    """When: the moment is uniform over the launch, or over the run."""

    LAUNCH = "launch"
    RUN = "run"


class Kind(Enum):
    """What the job is."""

    SHORT = "short"
    LONG = "long"
    BIG = "big log"
    FAILING = "exit code"
    SIGNALLED = "ends by a signal"
    ATTACHED = "attached file"


class Other(Enum):
    """What a second client does meanwhile."""

    NOTHING = "nothing"
    LAUNCH = "launches the same id"
    SEAL = "seals the id"


class Case(msgspec.Struct, frozen=True):
    """One case. `moment`, `other_moment` and `cuts` are fractions of what they are moments of; `frozen` and `pause` are
    seconds; for the latter the command sleeps in its middle.

    `number` and the campaign's seed are all that it takes to draw it again.
    """

    number: int
    victim: Victim
    phase: Phase
    moment: float
    kind: Kind
    rc: int
    steps: int
    pause: float
    other: Other
    other_moment: float
    frozen: float
    cuts: tuple[float, ...]
    text: str

    @property
    def words(self) -> str:
        """The case in a line."""
        other = "" if self.other is Other.NOTHING else f", a second client {self.other.value}"
        return (
            f"case {self.number}: {self.victim.value} at {self.moment:.3f} of the {self.phase.value}, "
            f"{self.kind.value}, exit code {self.rc}{other}"
        )


_PHASES = {
    Victim.LAUNCHER: (Phase.LAUNCH,),
    Victim.FROZEN_LAUNCHER: (Phase.LAUNCH,),
    Victim.COMMAND: (Phase.RUN,),
    Victim.CUT: (Phase.RUN,),
}
_SIGNALS = {"KILL": 137, "TERM": 143, "SEGV": 139, "USR1": 138, "ABRT": 134}
SIGNAL_NAMES = {code: name for name, code in _SIGNALS.items()}
_ODD = "abc xyz 0189 \t\n'\"\\$`!%&;|<>(){}[]*?~#äß€😀"


def draw(seed: str, number: int) -> Case:
    """The case with that number: the same for the same seed, whatever else was drawn."""
    dice = random.Random(f"{seed}/{number}")
    victim = dice.choice(list(Victim))
    phase = dice.choice(_PHASES.get(victim, tuple(Phase)))
    kind = dice.choice(list(Kind))
    if victim is Victim.CUT:  # the others are over before a connection can be cut twice
        kind = dice.choice((Kind.LONG, Kind.BIG))
    elif victim is Victim.COMMAND and kind is Kind.SHORT:  # nobody is that quick
        kind = Kind.LONG
    others = [Other.NOTHING, Other.LAUNCH, Other.SEAL]
    # whoever is frozen is frozen for somebody else to act meanwhile; else a second client is the exception
    frozen = victim in (Victim.FROZEN_LAUNCHER, Victim.FROZEN_RUNNER)
    weights = [0, 2, 1] if frozen else [6, 3, 1]
    rc = {
        Kind.FAILING: dice.randint(1, 255),
        Kind.SIGNALLED: dice.choice(list(_SIGNALS.values())),
    }.get(kind, dice.choice((0, 7)))
    return Case(
        number=number,
        victim=victim,
        phase=phase,
        moment=dice.random(),
        kind=kind,
        rc=rc,
        steps=dice.randint(100_000, 500_000) if kind is Kind.BIG else dice.randint(5, 20),
        pause=0.0 if kind is Kind.SHORT else round(dice.uniform(0, 0.4), 3),
        other=dice.choices(others, weights)[0],
        other_moment=dice.random(),
        frozen=dice.uniform(0.05, 1.0),
        cuts=tuple(dice.random() for _ in range(dice.randint(1, 3))),
        text="".join(dice.choices(_ODD, k=dice.randint(1, 20_000))) if kind is Kind.ATTACHED else "",
    )
