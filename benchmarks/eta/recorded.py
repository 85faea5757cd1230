"""Recorded runs, as `benchmarks/eta/traces/README.md` tells of them."""

from __future__ import annotations

import csv
from pathlib import Path

from benchmarks.eta.worlds import Line, Run

TRACES = Path(__file__).parent / "traces"
SEED = "mmrestripefs_mss1"
SEED_ALLOCATED = 88_772_608
SLOWER = {"gfs2_savemeta": 200.0, "btrfs_device_remove": 200.0}
"""How many times as slow those are played that took less than a minute."""


def recorded(name: str) -> Run:
    """A trace as a run; its last row is the end."""
    with (TRACES / f"{name}.csv").open(encoding="utf-8", newline="") as file:
        rows = [_line(row, SLOWER.get(name, 1.0)) for row in csv.DictReader(file)]
    return Run(name, rows[:-1], SEED_ALLOCATED if name == SEED else None, None, rows[-1].at)


def names() -> list[str]:
    """All traces."""
    return sorted(path.stem for path in TRACES.glob("*.csv"))


def _line(row: dict[str, str], slower: float) -> Line:
    inodes, mb = (int(row[key]) if row[key] else None for key in ("inodes", "mb"))
    return Line(float(row["seconds"]) * slower, float(row["percent"]), inodes, mb)
