"""The line for cron: run by a shell as cron does, on what a simulated mmdf prints."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from simulator.scenario_seed import build
from simulator.spacetable import space_table
from simulator.state import METADATA_ONLY
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


def table(*, wide: bool = False) -> str:
    """What mmdf -m prints of the seed, had foo1_nsd1 metadata alone: 31,251,759,104 KB, of which 78.07 % are in use."""
    fs = build().fs
    fs.disks[0].usage = METADATA_ONLY
    assert (fs.disks[0].name, fs.disks[0].free_kb) == ("foo1_nsd1", 6_431_733_760 + 421_305_664)
    return space_table(fs, "KB", 1, "metadata", wide=wide)


FULL = "metadata disk foo1_nsd1, failure group 1: 78 percent of 31251759104 KB in use\n"


@pytest.mark.parametrize("wide", [False, True])
@pytest.mark.parametrize(("percent", "told"), [(70, FULL), (78, FULL), (79, "")])
def test_the_line_tells_of_a_disk_above_the_limit_and_else_prints_nothing_that_would_be_mailed(
    tmp_path: Path, percent: int, told: str, *, wide: bool
) -> None:
    assert run(mmdf(tmp_path, table(wide=wide)), percent) == told


@pytest.mark.parametrize(
    ("printed", "code"),
    [("", 0), ("mmdf: File system mss1 is not known to the GPFS cluster.\nmmdf: Command failed.\n", 1)],
)
def test_an_mmdf_that_fails_is_told_of_and_not_taken_for_all_well(tmp_path: Path, printed: str, code: int) -> None:
    told = run(mmdf(tmp_path, printed, code))
    assert told.startswith("mmdf told of no disk that holds metadata alone:")
    assert " ".join(printed.split()) in " ".join(told.split())


def test_a_disk_that_is_quite_full_has_no_blank_in_its_brackets(tmp_path: Path) -> None:
    row = "ssd1  1000  7 Yes  No  10 (  1%)  0 (100%)\n"
    assert run(mmdf(tmp_path, row)) == "metadata disk ssd1, failure group 7: 99 percent of 1000 KB in use\n"


def test_cron_would_end_the_command_at_a_percent_sign_so_there_is_none() -> None:
    assert "%" not in line("mss1")
    assert line("mss1").startswith("17 */4 * * * root LC_ALL=C timeout -k 60 600 /usr/lpp/mmfs/bin/mmdf mss1 -m ")
    for name in ("m%s", "a b", "-x", "a\nb"):
        with pytest.raises(ValueError, match=r"file system|percent"):
            line(name)
