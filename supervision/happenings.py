"""What happens while a scan runs, as events on its time axis: found where a fact is another one than before.

Which difference means something is known to the kind of file system (`Reading.happened`); what every kind shares, such
as a host that boots, is found here. Part of the state, so a replay has it at every moment.
"""

from __future__ import annotations

import msgspec

from supervision.reading import Change

MOST = 1000
"""Happenings that are kept; the recording has what they were found in."""
CANARY = "canary"
MOST_CANARY = MOST // 2
"""Of these what logs complain of, where that is more than there is room for."""


class Happening(msgspec.Struct, frozen=True):
    """Something that happened: when it was seen (Site's clock), on which host ("" for none), of which kind, and what.

    Kinds: `qos`, `node`, `disk`, `manager`, `daemon`, `restart`, `snapshot`, `link`, `space`, `canary`.
    """

    at: float
    host: str
    kind: str
    text: str


def fresh(before: tuple[Happening, ...], changes: tuple[Change, ...]) -> tuple[Change, ...]:
    """The changes without those that the last happening on the same thing has told already."""
    return tuple(change for change in changes if not (change.of and _is_told(before, change)))


def _is_told(before: tuple[Happening, ...], change: Change) -> bool:
    alike = (each for each in reversed(before) if each.kind == change.kind and each.text.startswith(change.of))
    last = next(alike, None)
    return last is not None and last.text.partition(",")[0] == change.text.partition(",")[0]


def noted(before: tuple[Happening, ...], at: float, host: str, changes: tuple[Change, ...]) -> tuple[Happening, ...]:
    """The happenings after some changes. A storm of log lines displaces its own beginning and nothing else."""
    kept = (*before, *(Happening(at, host, change.kind, change.text) for change in changes))
    while len(kept) > MOST:
        canaries = sum(each.kind == CANARY for each in kept)
        storm = canaries > MOST_CANARY
        drop = next(index for index, each in enumerate(kept) if (each.kind == CANARY) == storm)
        kept = (*kept[:drop], *kept[drop + 1 :])
    return kept
