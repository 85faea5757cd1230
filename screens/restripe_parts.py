"""What surrounds a scan, in a line each: what it does to users, what logs complain of, what it fills, and the brake."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from rich.cells import cell_len
from rich.text import Text

from remote.text import one_line, safe
from screens.restripe_lines import LABEL, Block, field
from screens.widgets.render import STYLES, fit, labelled
from supervision.bars import bar
from supervision.brake import Brake, Power, brake_lines
from supervision.canary_rates import Canary, Level
from supervision.clocktext import time_of_day
from supervision.filesystem import Fill
from supervision.happenings import Happening
from supervision.impact import Impact, Standing
from supervision.impacttext import budget_text, factor_text, impact_text, latency_text
from supervision.probejob import Hurt
from supervision.tables import Severity

FILL, FILL_BAR, THEN_BAR = 32, 8, 6
"""Cells of a disk with how full it is, and of the bar in them, alone and with how full it will be."""
LEVELS = {Level.RAISED: "bold yellow", Level.ALARM: "bold red"}


def users_block(hurt: Hurt | None, now: float, zone: int, width: int, *, key: str) -> Block:
    """What users' operations take; `key` starts a probe, where one may be started."""
    if hurt is None:
        hint = f"; {key} starts a probe" if key else ""
        return Block(7, [field("users", f"not probed{hint}", width, "dim")])
    found = hurt.impact
    bad = found.standing is Standing.OVER or bool(found.hung)
    style = "bold red" if bad else "bold yellow" if found.standing is Standing.NEAR else ""
    text = users_text(found, now, zone, width - LABEL - 1)
    lines = [field("users", text, width, style)]
    if cell_len(text) >= width - LABEL:
        lines = labelled("users", text, width, label_width=LABEL, style=style)
    if found.why:
        lines += labelled("", found.why, width, label_width=LABEL)
    return Block(0 if bad else 1, lines, lines[:1])


def users_text(found: Impact, now: float, zone: int, room: int) -> str:
    """What users' operations take: where there is little room, the worst first, and that nothing hangs is left out."""
    whole = impact_text(found, now, zone)
    if cell_len(whole) <= room:
        return whole
    short, _gap, hung = whole.rpartition("   ")
    if cell_len(short) > room and found.factor is not None and found.judged.before and found.judged.now:
        before, after = latency_text(found.judged.before.p50), latency_text(found.judged.now.p50)
        verdict = f"{factor_text(found.factor)}, {budget_text(found, now, zone)}"
        short = f"{verdict}; {found.judged.name} {before}, {after} now"
    if not found.hung:
        return short
    told = f"{short}; {hung}"
    return told if cell_len(told) <= room else f"{hung}; {short}"  # what is cut is never since when it hangs


def canary_block(canary: Canary, width: int) -> Block:
    """What logs complain of: worse than before is told in words, too."""
    if canary.at is None and not canary.unread:
        return Block(7, [])
    word = {Level.RAISED: "more than usual: ", Level.ALARM: "ALARM: "}.get(canary.level, "")
    line = field("canary", f"{word}{safe(canary.text)}", width, LEVELS.get(canary.level, ""))
    return Block({Level.ALARM: 0, Level.UNKNOWN: 7}.get(canary.level, 1), [line])


def brake_blocks(brake: Brake | None, width: int, *, armed: bool = True) -> list[Block]:
    """The limits, what each class does, and, for who might ease it, why that cannot be."""
    known = brake is not None and brake.power in (Power.ENABLED, Power.OFF)
    ranks = {"brake": 3 if known else 7}
    return [
        Block(
            2 if line.severity is Severity.WARNING else ranks.get(line.label, 6),
            labelled(line.label, line.value, width, label_width=LABEL, style=STYLES[line.severity]),
        )
        for line in brake_lines(brake)
        if line.label or armed
    ]


def happened_block(happened: Sequence[Happening], began: float, zone: int, width: int) -> Block:
    """What happened last since a scan began, and how much else did."""
    since = [one for one in happened if one.at >= began]
    if not since:
        return Block(7, [])
    last = since[-1]
    more = f"   ({len(since)} so far, e)" if len(since) > 1 else ""
    text = f"{time_of_day(last.at, zone)[:5]} {one_line(last.text)}"
    room = width - LABEL - 1 - len(more)
    return Block(5, [field("events", f"{fit(text, room).rstrip()}{more}", width)])


def fill_block(fills: Sequence[Fill], width: int) -> Block:
    """The disks that are filled or emptied; what will not fit is of the first rank."""
    return Block(0 if _too_full(fills, width) else 5, fill_lines(fills, width), fill_short(fills, width))


def fill_lines(fills: Sequence[Fill], width: int) -> list[Text]:
    """How full each disk is, the fullest first, side by side where there are many."""
    lines: list[Text] = []
    for label, some in _apart(fills):
        lines += _side_by_side(label, some, width)
        lines += _too_full(some, width)
    return lines


def group_lines(fills: Sequence[Fill], width: int) -> list[Text]:
    """How full the failure groups are that are filled; none where they are no more than a disk each, or one alone."""
    groups: dict[str, list[Fill]] = {}
    for fill in fills:
        if fill.group and not fill.emptied:
            groups.setdefault(fill.group, []).append(fill)
    if len(groups) < 2 or all(len(some) == 1 for some in groups.values()):
        return []
    return _side_by_side("groups", [_together(name, some) for name, some in groups.items()], width)


def _together(name: str, fills: Sequence[Fill]) -> Fill:
    ends = [fill.end for fill in fills if fill.end is not None]
    end = sum(ends) if len(ends) == len(fills) else None
    return Fill(name, sum(fill.used for fill in fills), sum(fill.size for fill in fills), end)


def _side_by_side(label: str, fills: Sequence[Fill], width: int) -> list[Text]:
    across = max(1, (width - LABEL - 1) // FILL)
    cells = [_cell(fill) for fill in sorted(fills, key=_fullest)]
    rows = ["  ".join(cells[at : at + across]) for at in range(0, len(cells), across)]
    return [field(label if at == 0 else "", row, width) for at, row in enumerate(rows)]


def fill_short(fills: Sequence[Fill], width: int) -> list[Text]:
    """The same with a line for all: the fullest now and at the end."""
    lines: list[Text] = []
    for label, some in _apart(fills):
        shares = [share for fill in some if (share := _share(fill.used, fill.size)) is not None]
        if len(some) < 2 or not shares:
            lines += fill_lines(some, width)
            continue
        low, high = f"{min(shares) * 100:.0f}", f"{max(shares) * 100:.0f}"
        ends = [end for fill in some if not fill.emptied and (end := _share(fill.end, fill.size)) is not None]
        then = f", forecast {max(ends) * 100:.0f} %" if ends else ""
        told = f"{len(some)} disks {high if low == high else f'{low} to {high}'} % full{then}"
        lines.append(
            field(label, f"{told}   {bar(max(shares), FILL_BAR)} {one_line(min(some, key=_fullest).name)}", width)
        )
        lines += _too_full(some, width)
    return lines


def _too_full(fills: Sequence[Fill], width: int) -> list[Text]:
    """A warning of disks that will not hold what comes."""
    over = [fill.name for fill in fills if (end := _share(fill.end, fill.size)) is not None and end > 1.0]
    if not over:
        return []
    which = ", ".join(map(one_line, over[:3])) + (f" and {len(over) - 3} more" if len(over) > 3 else "")
    return [field("", f"!! FULL before the end, by forecast: {which}", width, "bold red")]


def _apart(fills: Iterable[Fill]) -> list[tuple[str, list[Fill]]]:
    known = list(fills)
    both = (("filling", [one for one in known if not one.emptied]), ("emptying", [one for one in known if one.emptied]))
    return [(label, some) for label, some in both if some]


def _cell(fill: Fill) -> str:
    share, end = _share(fill.used, fill.size), _share(fill.end, fill.size)
    now = "   ? %" if share is None else f"{share * 100:4.0f} %"
    then = "" if end is None or fill.emptied else f" -> {end * 100:.0f} %"
    size = THEN_BAR if then else FILL_BAR
    name = FILL - size - (17 if then else 9)
    return f"{fit(one_line(fill.name), name)} {bar(share, size)} {now}{then}".ljust(FILL - 2)


def _share(kb: int | None, size: int) -> float | None:
    return None if kb is None or size <= 0 else kb / size


def _fullest(fill: Fill) -> tuple[float, str]:
    """The fullest first, by whole percents; of which nobody knows, last."""
    share = _share(fill.used, fill.size)
    return (-round(share, 2) if share is not None else 1.0, fill.name)
