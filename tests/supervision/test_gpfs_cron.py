"""The line for cron: run by a shell as cron does, on what a simulated mmdf prints."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from simulator.scenario_seed import build
from simulator.spacetable import space_table
from supervision.gpfs_cron import line

FIELDS = 6
"""Minute, hour, day, month, weekday, user: what stands before the command in a file of /etc/cron.d."""


def mmdf(path: Path, printed: str, code: int = 0) -> Path:
    """A command of that name that prints something."""
    (path / "printed").write_text(printed)
    program = path / "mm df"  # whatever its path is
    program.write_text(f'#!/bin/sh\ntest "$1 $2" = "mss1 -m" || exit 99\ncat "{path}/printed"\nexit {code}\n')
    program.chmod(0o755)
    return program


def run(program: Path, percent: int = 70) -> str:
    command = line("mss1", percent=percent, mmdf=str(program)).split(" ", FIELDS)[FIELDS]
    done = subprocess.run(["sh", "-c", command], capture_output=True, text=True, check=False, timeout=20)
    assert done.stderr == ""
    return done.stdout
