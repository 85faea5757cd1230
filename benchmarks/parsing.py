"""The parsers' figures (benchmarks/parsers.py), as lines of the table."""

from __future__ import annotations

from benchmarks import parsers
from benchmarks.figures import Figure


async def figures() -> list[Figure]:
    """One line for each text that is parsed."""
    made = []
    for name, (argv, text, least) in parsers.CASES.items():
        _, ratio = parsers.ratio(argv, text, least)
        p99, _ = await parsers.held_up(argv, text)
        note = f"{parsers.ROUNDS} rounds; in slices the loop is held up for {p99:.0f} ms (p99)"
        peer = "splitting the same text into words"
        made.append(Figure(f"parsing `{name}` of {parsers.DISKS} disks", peer, ratio, parsers.AIM, note=note))
    return made
