"""`restripe recordings` lists what there is, and a damaged file spoils nothing."""

from __future__ import annotations

import re
from pathlib import Path

from tests.tui.program import no_traceback, restripe

SHIPPED = Path(__file__).parents[2] / "recordings" / "seed-3.5.jsonl"


def test_the_shipped_recording_is_listed_with_its_length(tmp_path: Path) -> None:
    done = restripe(tmp_path, "recordings")
    assert done.returncode == 0
    assert no_traceback(done.stderr)
    mine, shipped = done.stdout.split("shipped:")
    assert "none" in mine
    row = next(line for line in shipped.splitlines() if "seed-3.5.jsonl" in line)
    assert "mss1 (simulated)" in row
    assert "2013-06-06 15:20" in row  # the hosts' zone, as their logs print it
    assert re.search(r" [34] h \d\d min ", row)  # the seed's restripe alone took 3 h 55 min
    night = next(line for line in shipped.splitlines() if "night-5.2.jsonl" in line)
    assert night.endswith("the same, and much happens: users wait, a limit, a disk fails, a stall")
    assert "2025-06-06 20:0" in night
    savemeta = next(line for line in shipped.splitlines() if "gfs2-savemeta.jsonl" in line)
    assert "/dev/vg0/homes  " in savemeta  # it was not simulated
    assert savemeta.endswith("a real gfs2_edit savemeta: a cut connection, a stall, and the proof that it is whole")


def test_yours_are_listed_and_a_damaged_one_is_named(tmp_path: Path) -> None:
    directory = tmp_path / "state" / "restripe" / "recordings"
    directory.mkdir(parents=True)
    (directory / "good.jsonl").write_bytes(SHIPPED.read_bytes())
    torn = SHIPPED.read_bytes()
    (directory / "torn.jsonl").write_bytes(torn[: len(torn) // 2])
    (directory / "rubbish.jsonl").write_bytes(b"\x00\xff\x1b[31m rubbish\n")
    done = restripe(tmp_path, "recordings", XDG_STATE_HOME=str(tmp_path / "state"))
    assert (done.returncode, done.stderr) == (0, "")
    rows = {
        name: line
        for line in done.stdout.splitlines()
        for name in ("good", "torn", "rubbish")
        if f"{name}.jsonl" in line
    }
    assert "mss1" in rows["good"]
    assert "mss1" in rows["torn"]
    assert "not a recording" in rows["rubbish"]
    assert "\x1b" not in done.stdout
