"""How much metadata there will be on disks of its own, and whether it fits.

The floor, the inodes themselves, is a fact. All else is an assumption that can be changed: what directories, indirect
blocks and attributes take is told by no command. Sizes are KB of 1024 bytes, and of all copies together.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import msgspec

from supervision.checking import Check, Outcome

WARN = 0.70
"""Part of the usable space above which a plan that fits is warned about."""
FULL = 0.85
"""Part of a disk that a forecast reaches, from which on the way back is offered: full metadata stops everything."""


class Assumptions(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What is assumed of metadata besides the inodes. Bytes are per inode and copy, and beside the inode itself.

    `each_*` stand for directories, indirect blocks and attributes together. Where directories and indirect blocks were
    counted (`directories`, `indirect`), the counts take the place of `each_plan`. `mounts` is the number of nodes that
    mount the file system, of which each has a log of `log_kb` in `log_replicas` copies. `growth` is how far the
    allocated inodes are taken to have grown towards the maximum: 0 as they are now, 1 all.
    """

    each_low: int = 512
    each_plan: int = 2048
    each_high: int = 16384
    directories: int = 0
    directory_bytes: int = 0
    indirect: int = 0
    indirect_bytes: int = 0
    snapshots_kb: int = 0
    mounts: int = 0
    log_kb: int = 0
    log_replicas: int = 0
    growth: float = 0.0

    def __post_init__(self) -> None:
        for name in self.__struct_fields__:
            if getattr(self, name) < 0:
                raise ValueError(f"{name} cannot be less than nothing")
        if not self.each_low <= self.each_plan <= self.each_high:
            raise ValueError("each_low, each_plan and each_high must rise")
        if not 0 <= self.growth <= 1:
            raise ValueError("growth is a part, from 0 to 1: more than the maximum inodes cannot be allocated")


class Known(msgspec.Struct, frozen=True, kw_only=True):
    """What the cluster tells: inodes, bytes of one, copies of metadata, and KB of the new disks by failure group."""

    allocated: int
    maximum: int
    inode_bytes: int
    copies: int
    groups: Mapping[str, int]


class Sizing(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """How much metadata there will be, in KB of all copies, and what the new disks can take of it in all copies."""

    floor_kb: int
    low_kb: int
    plan_kb: int
    high_kb: int
    usable_kb: int


class Term(msgspec.Struct, frozen=True, kw_only=True):
    """A part of the metadata: what it is, how it was computed, and its KB by the low, plan and high assumption.

    `fact` tells that nothing about it is assumed.
    """

    name: str
    formula: str
    low_kb: int
    plan_kb: int
    high_kb: int
    fact: bool = False


class Footprint(msgspec.Struct, frozen=True, kw_only=True):
    """How much metadata there will be, term by term, the fact first."""

    known: Known
    assumptions: Assumptions
    terms: tuple[Term, ...]

    @property
    def sizing(self) -> Sizing:
        """The sums, and what the new disks can take."""
        return Sizing(
            floor_kb=self.terms[0].plan_kb,
            low_kb=sum(term.low_kb for term in self.terms),
            plan_kb=sum(term.plan_kb for term in self.terms),
            high_kb=sum(term.high_kb for term in self.terms),
            usable_kb=usable_kb(tuple(self.known.groups.values()), self.known.copies),
        )


def usable_kb(groups: Sequence[int], copies: int) -> int:
    """KB that disks can take of all copies together, from the KB of each failure group: no two copies in one group.

    For two copies that is twice min(total / 2, total - largest group); 0 where there are fewer groups than copies.
    """
    return copies * one_copy_kb(groups, copies)


def one_copy_kb(groups: Sequence[int], copies: int) -> int:
    """KB of one copy that fit, were all its others to fit, too.

    The n largest groups can hold no more than n copies of anything; the others must have room for the rest of them.
    """
    if copies < 1 or len(groups) < copies:
        return 0
    left = sorted(groups)
    return min(sum(left[: len(left) - n]) // (copies - n) for n in range(copies))


def footprint(known: Known, assumptions: Assumptions) -> Footprint:
    """What the metadata will take. Raises ValueError for figures that cannot be."""
    if min(known.allocated, known.inode_bytes, known.copies) < 1 or known.maximum < 0:
        raise ValueError("the inodes, the bytes of one or the copies of metadata are not known")
    of = f"{known.copies} copies x {known.allocated:,} allocated inodes"
    inodes = _kb(known.copies * known.allocated * known.inode_bytes)
    floor = f"{of} x {known.inode_bytes:,} bytes"
    terms = [
        Term(name="inodes", formula=floor, low_kb=inodes, plan_kb=inodes, high_kb=inodes, fact=True),
        _each(known, assumptions, of),
        _logs(assumptions),
        _grown(known, assumptions),
        Term(
            name="snapshots",
            formula="as given, all copies",
            low_kb=assumptions.snapshots_kb,
            plan_kb=assumptions.snapshots_kb,
            high_kb=assumptions.snapshots_kb,
        ),
    ]
    return Footprint(known=known, assumptions=assumptions, terms=tuple(terms))


def _each(known: Known, assumed: Assumptions, of: str) -> Term:
    """Directories, indirect blocks and attributes: by inode, or by counts."""
    inodes = known.copies * known.allocated
    low, plan, high = (_kb(inodes * each) for each in (assumed.each_low, assumed.each_plan, assumed.each_high))
    name = "directories, indirect blocks, attributes"
    if not assumed.directories and not assumed.indirect:
        formula = f"{of} x {assumed.each_low:,} / {assumed.each_plan:,} / {assumed.each_high:,} bytes"
        return Term(name=name, formula=formula, low_kb=low, plan_kb=plan, high_kb=high)
    counted = assumed.directories * assumed.directory_bytes + assumed.indirect * assumed.indirect_bytes
    plan = _kb(known.copies * counted)
    formula = (
        f"{known.copies} copies x ({assumed.directories:,} directories x {assumed.directory_bytes:,} bytes + "
        f"{assumed.indirect:,} indirect blocks x {assumed.indirect_bytes:,} bytes), as counted"
    )
    return Term(name=name, formula=formula, low_kb=min(low, plan), plan_kb=plan, high_kb=max(high, plan))


def _logs(assumed: Assumptions) -> Term:
    kb = assumed.mounts * assumed.log_kb * assumed.log_replicas
    formula = f"{assumed.mounts:,} nodes that mount it x {assumed.log_kb:,} KB x {assumed.log_replicas} copies"
    return Term(name="logs of the nodes", formula=formula, low_kb=kb, plan_kb=kb, high_kb=kb)


def _grown(known: Known, assumed: Assumptions) -> Term:
    """What inodes that are allocated later take, each as much as those of now."""
    more = round(assumed.growth * max(0, known.maximum - known.allocated))
    low, plan, high = (
        _kb(known.copies * more * (known.inode_bytes + each))
        for each in (0, assumed.each_plan, assumed.each_high)
    )  # fmt: skip
    formula = (
        f"{known.copies} copies x {assumed.growth:.0%} of {max(0, known.maximum - known.allocated):,} inodes up to the "
        f"maximum x {known.inode_bytes:,} + {assumed.each_plan:,} bytes"
    )
    return Term(name="growth of the inodes", formula=formula, low_kb=low, plan_kb=plan, high_kb=high)


def _kb(size_bytes: int) -> int:
    return -(-size_bytes // 1024)


def table(found: Footprint) -> tuple[tuple[str, ...], ...]:
    """It as rows: the term, its formula, low, plan and high in KB; the last two are the sum and what fits."""
    rows: list[tuple[str, ...]] = [
        (
            f"{term.name} ({'fact' if term.fact else 'assumed'})",
            term.formula,
            f"{term.low_kb:,}",
            f"{term.plan_kb:,}",
            f"{term.high_kb:,}",
        )
        for term in found.terms
        if term.fact or term.high_kb
    ]
    sizing = found.sizing
    rows.append(("together", "", f"{sizing.low_kb:,}", f"{sizing.plan_kb:,}", f"{sizing.high_kb:,}"))
    parts = (part_text(kb, sizing.usable_kb) for kb in (sizing.low_kb, sizing.plan_kb, sizing.high_kb))
    rows.append(("of what fits", usable_text(found.known), *parts))
    return tuple(rows)


def usable_text(known: Known) -> str:
    """What fits, with its formula."""
    groups = list(known.groups.values())
    usable, total = usable_kb(groups, known.copies), sum(groups)
    if len(groups) < known.copies:
        return f"nothing: {known.copies} copies need as many failure groups, and there are {len(groups)}"
    if known.copies == 1:
        return f"{usable:,} KB, all of the disks"
    if known.copies == 2:
        return f"{usable:,} KB = 2 copies x min({total:,} / 2, {total:,} - {max(groups):,} of the largest group)"
    return f"{usable:,} KB for {known.copies} copies in {len(groups)} failure groups of {total:,} KB, no two in one"


def part_text(kb: int, usable: int) -> str:
    """A part in percent."""
    return f"{kb / usable:.1%}" if usable > 0 else "does not fit"


def checks(found: Footprint, at: float | None = None, source: str = "") -> tuple[Check, ...]:
    """Whether it fits, with room to spare, after the loss of a group, and when inodes have grown. `at` as in Check."""
    told = (
        _fits(found),
        _after_loss(found),
        _when_grown(found),
        _at_worst(found),
    )
    return tuple(msgspec.structs.replace(check, at=at, source=source) for check in told if check)


def _fits(found: Footprint) -> Check:
    sizing = found.sizing
    read = (
        f"{sizing.plan_kb:,} KB by plan (the inodes alone {sizing.floor_kb:,} KB) of {usable_text(found.known)}: "
        f"{part_text(sizing.plan_kb, sizing.usable_kb)}"
    )
    title = f"The metadata by plan, of what fits; {1 - WARN:.0%} are to be spare"
    if sizing.plan_kb > sizing.usable_kb:
        advice = "Take more or larger disks, in every failure group; full metadata disks stop the file system"
        return Check("size-fits", title, Outcome.BLOCK, read, advice)
    if sizing.plan_kb > WARN * sizing.usable_kb:
        advice = f"Above {WARN:.0%} it can end full: take more disks, or see what is assumed (docs/sizing.md)"
        return Check("size-fits", title, Outcome.WARNING, read, advice)
    return Check("size-fits", title, Outcome.PASS, read)


def _after_loss(found: Footprint) -> Check | None:
    """With more groups than copies, GPFS writes new copies when one is lost, if they fit."""
    groups, copies = sorted(found.known.groups.values()), found.known.copies
    if len(groups) <= copies:
        return None
    left, plan = usable_kb(groups[:-1], copies), found.sizing.plan_kb
    title = "The metadata by plan, of what fits once the largest failure group is lost"
    read = f"{plan:,} KB by plan, of {left:,} KB in the other {len(groups) - 1} groups: {part_text(plan, left)}"
    if plan <= left:
        return Check("size-after-loss", title, Outcome.PASS, read)
    advice = "Until that group is back, metadata has fewer copies: larger disks, or accept it"
    return Check("size-after-loss", title, Outcome.WARNING, read, advice)


def _when_grown(found: Footprint) -> Check | None:
    """Whether it still fits when every inode that there can be is allocated."""
    known, usable = found.known, found.sizing.usable_kb
    if found.assumptions.growth >= 1 or known.maximum <= known.allocated:
        return None
    grown = footprint(known, msgspec.structs.replace(found.assumptions, growth=1.0)).sizing.plan_kb
    read = f"{grown:,} KB by plan once all {known.maximum:,} inodes are allocated: {part_text(grown, usable)}"
    title = "The metadata with the most inodes that there can be"
    if grown <= usable:
        return Check("size-grown", title, Outcome.PASS, read)
    return Check("size-grown", title, Outcome.NOTE, read, "Watch the metadata disks; add some before inodes are raised")


def _at_worst(found: Footprint) -> Check | None:
    """Whether the highest assumption fits: few file systems come near it."""
    sizing = found.sizing
    if sizing.high_kb <= sizing.usable_kb or sizing.plan_kb > sizing.usable_kb:
        return None
    read = f"{sizing.high_kb:,} KB, more than fits ({sizing.usable_kb:,} KB); few file systems come near it"
    title = "The metadata by the highest assumption"
    advice = f"The restripe is watched: the way back is offered when a disk is forecast above {FULL:.0%}"
    return Check("size-worst", title, Outcome.NOTE, read, advice)
