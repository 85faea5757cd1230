"""`restripe parse` and `restripe eta` on what GFS2's tools print."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from tests.gfs2.gfs2texts import TEXTS, told
from tests.tui.program import loaded_by
from tui.cli import cli
from tui.runs import load

KEYS = ["line", "time", "phase", "percent", "blocks", "state", "unit", "remaining_s", "finish", "why"]


def restripe(*arguments: str, stdin: str = "") -> Result:
    return CliRunner().invoke(cli, list(arguments), input=stdin.encode())


def model(*arguments: str, stdin: str = "") -> Any:
    result = restripe("parse", *arguments, stdin=stdin)
    assert result.exit_code == 0, result.output
    return json.loads(result.stdout)["model"]


def slow_log(lines: int, each: int) -> str:
    """A log with times: so many lines, one a minute, each with so many blocks more."""
    rows = (f"2026-11-30 {20 + at // 60}:{at % 60:02}:00 {at * each} blocks saved (1% complete)" for at in range(lines))
    return "2026-11-30 20:00:00 Filesystem size: 2.00GB\n" + "\n".join(rows) + "\n"


@pytest.mark.parametrize(
    ("command", "name", "field", "value"),
    [
        ("savemeta", "savemeta_317", "gzip_level", 1),
        ("savemeta", "savemeta_350_terminal", "finished", True),
        ("restoremeta", "restoremeta_350", "outcome", "successful"),
        ("fsck.gfs2", "fsck_350_repaired", "written", True),
        ("gfs2-rgs", "rgs_350", "dinodes", 88_900),
        ("gfs2-statfs", "statfs_350", "free", 63_191),
        ("gfs2-sb", "sb_350", "block_size", 4096),
    ],
)
def test_each_text_is_parsed_by_its_name(command: str, name: str, field: str, value: object) -> None:
    assert model(command, str(TEXTS / f"{name}.txt"))[field] == value


def test_a_command_line_names_its_parser() -> None:
    assert model("gfs2_edit -p rgs /dev/vg/lv", stdin=told("rgs_350"))["dinodes"] == 88_900
    assert model("/usr/sbin/gfs2_edit savemeta -z1 /dev/a /b", stdin=told("savemeta_330"))["blocks"] == 524_284
    assert model("blkid", stdin=told("blkid"))[0]["kind"] == "gfs2"
    assert restripe("parse", "gfs2_edit -p root /dev/a", stdin="").exit_code == 2


def test_a_piece_of_a_terminal_session_tells_what_stands_between_its_prompts() -> None:
    result = restripe("parse", "savemeta", str(TEXTS / "savemeta_100tb_317.txt"))
    found = json.loads(result.stdout)
    assert result.exit_code == 0
    assert found["model"]["counted"] == [{"saved": 183_199_987, "percent": 100, "address": 26_843_185_520}]
    assert [note["line"] for note in found["notes"]] == [1, 10, 11, 12]


def test_a_false_success_is_told_in_the_answer() -> None:
    assert "holds no GFS2" in model("savemeta", stdin=told("savemeta_350_no_gfs2"))["doubts"][0]


def test_without_times_the_forecast_says_what_is_missing() -> None:
    log = told("savemeta_317").partition(" saved (76%)")[0] + " saved (76%)\n"
    result = restripe("eta", "-", "--saved-total", "88900", stdin=log)
    assert result.exit_code == 0
    assert result.stdout.splitlines() == [
        "savemeta: 75,904 blocks of at least 88,900 (85 %); the tool's 76 % is an address",
        "unknown: its lines have no times",
    ]
    assert "--elapsed" in result.stderr
    assert "| ts" in result.stderr
    assert "--saved-total" not in result.stderr
    assert "--saved-total" in restripe("eta", "-", stdin=log).stderr


def test_how_long_it_had_run_is_enough_for_a_range() -> None:
    log = told("savemeta_317").partition(" saved (76%)")[0] + " saved (76%)\n"
    result = restripe("eta", "-", "--saved-total", "88900", "--elapsed", "16:40", stdin=log)
    assert result.stderr == ""
    # 75,904 in 1000 s, and sqrt(3) times 88,900 in all: 1029 s
    assert "left, middle 17 min, by blocks" in result.stdout
    assert "lower bound" in result.stdout
    for wrong in ("5", "0:00", "soon"):
        assert restripe("eta", "-", "--elapsed", wrong, stdin=log).exit_code == 2


def test_a_log_with_times_is_one_object_with_its_finish() -> None:
    result = restripe("eta", "-", "--json", "--saved-total", "100000", stdin=slow_log(31, 1000))
    found = json.loads(result.stdout)
    assert list(found) == KEYS
    assert (found["time"], found["blocks"], found["percent"]) == ("2026-11-30T20:30:00", 30_000, 1)
    assert (found["state"], found["unit"], found["phase"]) == ("estimate", "blocks", "savemeta")
    # (sqrt(3) * 100,000 - 30,000) blocks at 1000 a minute
    assert found["remaining_s"]["mid"] == round((3**0.5 * 100_000 - 30_000) * 60 / 1000)
    assert found["finish"]["mid"] == "2026-11-30T22:53:12"


def test_each_line_is_told_and_past_the_bound_none_has_a_finish() -> None:
    lines = restripe("eta", "-", "--each-line", "--saved-total", "10000", stdin=slow_log(31, 1000)).stdout.splitlines()
    assert len(lines) == 31
    assert "2026-11-30T20:08:00  8,000 blocks of at least 10,000 (80 %)  finish likely" in lines[8]
    assert "2026-11-30T20:30:00  30,000 blocks of at least 10,000  unknown: more blocks" in lines[30]


def test_a_whole_log_teaches_later_ones(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))
    log = slow_log(61, 1000) + "2026-11-30 21:00:00 Metadata saved to file /a (uncompressed).\n"
    like = ("--like", "gfs2_edit savemeta", "--site", "c1", "--saved-total", "50000")
    result = restripe("eta", "-", *like, "--keep", stdin=log)
    assert result.exit_code == 0, result.stderr
    assert result.stdout.splitlines()[-1].startswith("over: its lines tell that it completed")
    (run,) = load(tmp_path / "restripe" / "runs.jsonl")
    assert (run.kind, run.site, run.seconds) == ("gfs2_edit savemeta", "c1", 3600.0)


def test_it_loads_neither_screens_nor_ssh(tmp_path: Path) -> None:
    loaded = loaded_by(tmp_path, "eta", str(TEXTS / "savemeta_330.txt"))
    assert "supervision.gfs2_eta" in loaded
    assert loaded.isdisjoint({"textual", "asyncssh", "cryptography"})
