"""The file of finished runs: private, whole, bounded, and of no harm when it is damaged."""

from __future__ import annotations

import stat
from pathlib import Path

import pytest

from remote.events import Header
from supervision.eta_runs import FinishedRun, encode_run
from tui.paths import runs_file, state_dir
from tui.runs import RunsError, keep, load

REAL = Header(1, "0", 0.0, 0.0, "fs1", ("n1",), "n1")
ONE = FinishedRun("mmrestripefs -r", "gpfs.example.com", 1e9, 3600.0, (0.5, -1.25))
TWO = FinishedRun("mmdeldisk", "gpfs.example.com", 1e9, 60.0, (2.0,))


def test_it_is_kept_with_what_a_person_may_want_to_keep() -> None:
    assert runs_file().parent == state_dir()


def test_runs_are_kept_in_a_private_file_and_read_again(tmp_path: Path) -> None:
    path = tmp_path / "state" / "restripe" / "runs.jsonl"
    assert load(path) == ()
    assert keep(path, ONE, REAL)
    assert keep(path, TWO, REAL)
    assert load(path) == (ONE, TWO)
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert stat.S_IMODE(path.parent.stat().st_mode) == 0o700
    assert [each.name for each in path.parent.iterdir()] == ["runs.jsonl"]


@pytest.mark.parametrize(
    "header",
    [
        Header(1, "0", 0.0, 0.0, "fs1", ("n1",), "n1", simulated=True),
        Header(1, "0", 0.0, 0.0, "fs1", ("n1",), "n1", speed=600.0),
    ],
)
def test_what_was_simulated_is_never_kept(tmp_path: Path, header: Header) -> None:
    assert not keep(tmp_path / "runs.jsonl", ONE, header)
    assert list(tmp_path.iterdir()) == []


def test_damaged_lines_are_skipped_and_gone_with_the_next_run(tmp_path: Path) -> None:
    path = tmp_path / "runs.jsonl"
    path.write_bytes(b"\x00\xff\n{\n" + encode_run(ONE) + b'{"kind":1}\n' + encode_run(TWO)[:-9])
    assert load(path) == (ONE,)
    assert keep(path, TWO, REAL)
    assert path.read_bytes() == encode_run(ONE) + encode_run(TWO)


def test_a_file_that_cannot_be_written_is_told_and_leaves_nothing_behind(tmp_path: Path) -> None:
    (tmp_path / "runs.jsonl").mkdir()
    with pytest.raises(RunsError, match="the run was not kept"):
        keep(tmp_path / "runs.jsonl", ONE, REAL)
    assert [each.name for each in tmp_path.iterdir()] == ["runs.jsonl"]
    assert load(tmp_path / "runs.jsonl") == ()
