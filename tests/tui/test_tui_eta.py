"""`restripe eta`: from a saved log to a finish, without a connection."""

from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from supervision.eta_runs import FinishedRun, encode_run
from tests.supervision.seedlog import SEED_LOG
from tests.tui.program import loaded_by
from tui.cli import cli
from tui.runs import load

KEYS = ["line", "time", "phase", "percent", "inodes", "mb", "state", "unit", "remaining_s", "finish", "why"]


def eta(*arguments: str, stdin: bytes = b"") -> Result:
    return CliRunner().invoke(cli, ["eta", *arguments], input=stdin)


def objects(result: Result) -> list[dict[str, Any]]:
    assert result.exit_code == 0
    return [json.loads(line) for line in result.stdout.splitlines()]


def test_each_line_of_progress_is_one_object() -> None:
    found = objects(eta("-", "--allocated-inodes", "88772608", "--each-line", "--json", stdin=SEED_LOG))
    assert len(found) == 10
    assert all(list(each) == KEYS for each in found)
    assert [each["line"] for each in found] == [2, 3, 4, 5, 6, 8, 9, 10, 11, 12]
    first = found[5]
    assert (first["time"], first["percent"]) == ("2013-06-06T19:30:54", 98.22)
    assert (first["inodes"], first["mb"]) == (84425985, 284678907)
    assert (first["state"], first["unit"]) == ("estimate", "inodes")
    assert first["remaining_s"]["mid"] == 693
    assert first["finish"]["mid"] == "2013-06-06T19:42:27"
    for each in found[5:9]:
        assert each["finish"]["low"] < "2013-06-06T19:41:03" < each["finish"]["high"]
    for each in (*found[:5], found[9]):
        assert (each["remaining_s"], each["finish"]) == (None, None)


def test_without_each_line_the_last_one_is_told(tmp_path: Path) -> None:
    log = tmp_path / "screenlog.0"
    log.write_bytes(SEED_LOG)
    (found,) = objects(eta(str(log), "--json", "--allocated-inodes", "88772608"))
    assert (found["line"], found["state"]) == (12, "finishing")


def test_a_log_that_goes_on_to_the_end_is_of_a_run_that_is_over() -> None:
    told = "its lines tell that it completed"
    result = eta("-", "--allocated-inodes", "88772608", stdin=SEED_LOG)
    assert result.exit_code == 0
    assert result.stdout.splitlines()[-1] == f"over: {told}"
    (found,) = objects(eta("-", "--json", stdin=SEED_LOG))
    assert (found["state"], found["why"]) == ("finishing", told)


def test_people_get_a_range_a_middle_and_its_unit() -> None:
    log = b"".join(SEED_LOG.splitlines(keepends=True)[:11])
    result = eta("-", "--allocated-inodes", "88772608", stdin=log)
    assert result.exit_code == 0
    assert "98.28 % on Thu Jun 6 19:38:25 2013, 87,601,428 inodes" in result.stdout
    assert "finish likely 19:39 to 19:44, middle 19:41, by inodes" in result.stdout
    assert result.stderr == ""


def test_a_log_with_counters_and_no_total_says_what_would_help() -> None:
    result = eta("-", "--each-line", stdin=SEED_LOG)
    assert result.exit_code == 0
    assert len(result.stdout.splitlines()) == 10
    assert "--allocated-inodes" in eta("-", stdin=b"".join(SEED_LOG.splitlines(keepends=True)[:10])).stderr


@pytest.mark.parametrize("text", [b"", b"mmrestripefs: 6027-1 nothing\n", b"\x00\xff" * 1000])
def test_a_log_without_progress_is_a_failure(text: bytes) -> None:
    result = eta("-", "--json", stdin=text)
    assert (result.exit_code, result.stdout) == (1, "")
    assert "no line of progress" in result.stderr


def test_a_command_that_only_waits_is_told_of() -> None:
    line = b"Unable to start mmrestripefs on 'mss1' because conflicting program mmdeldisk is running. Waiting\n"
    result = eta("-", stdin=line)
    assert (result.exit_code, result.stdout) == (1, "")
    assert "waited for another one" in result.stderr


def test_what_cannot_be_read_is_wrong_usage(tmp_path: Path) -> None:
    for name in (str(tmp_path), str(tmp_path / "none"), "a\x00b"):
        result = eta(name)
        assert (result.exit_code, result.stdout) == (2, "")
        assert "cannot read" in result.stderr


@pytest.mark.parametrize("arguments", [["--allocated-inodes", "0"], ["--used-mb", "-1"], ["--used-mb", "many"]])
def test_totals_that_are_none_are_wrong_usage(arguments: list[str]) -> None:
    assert eta("-", *arguments, stdin=SEED_LOG).exit_code == 2
    assert eta().exit_code == 2


def test_it_loads_neither_screens_nor_ssh(tmp_path: Path) -> None:
    log = tmp_path / "log"
    log.write_bytes(SEED_LOG)
    loaded = loaded_by(tmp_path, "eta", str(log), "--json")
    assert "supervision.eta" in loaded
    assert loaded.isdisjoint({"textual", "asyncssh", "cryptography"})


def test_with_snapshots_the_total_is_said_to_be_a_range() -> None:
    log = b"".join(SEED_LOG.splitlines(keepends=True)[:11])
    (plain,) = objects(eta("-", "--json", "--allocated-inodes", "88772608", stdin=log))
    (found,) = objects(eta("-", "--json", "--allocated-inodes", "88772608", "--snapshots", stdin=log))
    assert "with snapshots" in found["why"]
    assert "with snapshots" not in plain["why"]
    assert found["remaining_s"]["high"] > 10 * plain["remaining_s"]["high"]


def test_finished_runs_of_the_same_kind_and_site_set_the_width_of_the_range(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Nine runs that ended at twice the upper end: the range reaches twice as far up (the middle is as it was)."""
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))
    (tmp_path / "restripe").mkdir()
    runs = [FinishedRun("mmrestripefs -r", "big.example.com", 1e9 + 1e6 * number, 60.0, (2.0,)) for number in range(9)]
    (tmp_path / "restripe" / "runs.jsonl").write_bytes(b"".join(encode_run(run) for run in runs))
    log = b"".join(SEED_LOG.splitlines(keepends=True)[:8])
    told = ("-", "--json", "--allocated-inodes", "88772608")
    (plain,) = objects(eta(*told, stdin=log))
    result = eta(*told, "--like", "mmrestripefs -r -N a,b", "--site", "big.example.com", stdin=log)
    (found,) = objects(result)
    low, mid, high = (found["remaining_s"][name] for name in ("low", "mid", "high"))
    assert "9 finished runs" in result.stderr
    assert mid == plain["remaining_s"]["mid"]
    assert low > plain["remaining_s"]["low"]
    assert high / mid == pytest.approx((plain["remaining_s"]["high"] / mid) ** 2, rel=0.01)


def test_without_a_finished_run_that_is_said_and_the_range_is_as_usual(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))
    result = eta("-", "--json", "--like", "mmdeldisk", "--site", "c", stdin=SEED_LOG)
    assert "no finished run of mmdeldisk at c is kept" in result.stderr
    assert objects(result) == objects(eta("-", "--json", stdin=SEED_LOG))


def test_a_kind_without_a_site_is_wrong_usage() -> None:
    assert eta("-", "--like", "mmdeldisk", stdin=SEED_LOG).exit_code == 2


def whole_log() -> bytes:
    """1,000,000 inodes in 10,000 s: a line each 100 s."""
    begin = datetime(2013, 6, 6, 12, 0, tzinfo=UTC)
    stamps = [(begin + timedelta(seconds=100 * n)).strftime("%a %b %e %H:%M:%S %Y") for n in range(101)]
    lines = [f"{n / 2:.2f} % complete on {stamps[n]}  ( {10_000 * n} inodes  {10_000 * n} MB)" for n in range(100)]
    end = ["100.00 % complete on " + stamps[100], "Scan completed successfully.", ""]
    return "\n".join(["Scanning user file metadata ...", *lines, *end]).encode()


LIKE = ("--allocated-inodes", "1000000", "--like", "mmrestripefs fs1 -r", "--site", "big")


def test_a_saved_log_of_a_whole_run_can_teach_later_ones(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))
    result = eta("-", *LIKE, "--keep", stdin=whole_log())
    assert (result.exit_code, "kept, to teach later runs of mmrestripefs -r at big" in result.stderr) == (0, True)
    (run,) = load(tmp_path / "restripe" / "runs.jsonl")
    assert (run.kind, run.site, run.seconds) == ("mmrestripefs -r", "big", 10_000.0)
    assert run.residuals == pytest.approx((0.0,) * len(run.residuals), abs=0.01)
    assert "1 finished run of" in eta("-", *LIKE, stdin=whole_log()).stderr
    eta("-", *LIKE, "--keep", stdin=whole_log())
    assert len(load(tmp_path / "restripe" / "runs.jsonl")) == 1  # the same run


@pytest.mark.parametrize(
    ("log", "why"),
    [
        (whole_log()[:3000], "it does not go on to the end"),
        (
            b"".join(whole_log().splitlines(keepends=True)[line] for line in (0, 1, -2, -1)),
            "nothing was forecast that its end can be held against",
        ),
    ],
)
def test_a_log_that_ends_in_the_middle_or_tells_too_little_teaches_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, log: bytes, why: str
) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))
    result = eta("-", *LIKE, "--keep", stdin=log)
    assert result.exit_code == 1
    assert f"not kept to teach later runs: {why}" in result.stderr
    assert list(tmp_path.iterdir()) == []
    assert eta("-", "--keep", stdin=log).exit_code == 2
