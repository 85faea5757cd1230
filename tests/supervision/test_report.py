"""The report of the recorded seed: figures of 2013 in its tables, its commands, and sessions that are not over."""

from __future__ import annotations

import hashlib
import json
from importlib.resources import files
from pathlib import Path

import msgspec
import pytest
from markdown_it import MarkdownIt

from remote.checked import Check, Outcome
from remote.events import Acknowledged, Checked, Decided, Event, Launching, StepChanged, encode
from remote.recording import Recording, RecordingError
from supervision.plan import digest
from supervision.plan import encode as encode_plan
from supervision.report import report
from supervision.report_model import Report
from supervision.report_text import markdown
from tests.supervision.test_plan import PLAN

SEED = Path(str(files("recordings"))) / "seed-3.5.jsonl"
REPORT = report(SEED)
TEXT = markdown(REPORT, "17 * * * * root true")


def rows(title: str) -> list[list[str]]:
    """The cells of the table below a heading."""
    section = TEXT.partition(f"# {title}")[2].partition("\n#")[0]
    lines = [line for line in section.splitlines() if line.startswith("| ")][2:]
    return [[cell.strip() for cell in line.strip("|").split(" | ")] for line in lines]


def cut(tmp_path: Path, until: float, *more: Event) -> Report:
    """The report of the recording up to some time, with other events after that."""
    path = tmp_path / "cut.jsonl"
    head = SEED.read_bytes().split(b"\n", 1)[0] + b"\n"
    events = [event for event in Recording(SEED) if event.t <= until]
    path.write_bytes(head + b"".join(encode(event) + b"\n" for event in (*events, *more)))
    return report(path)


def test_every_step_has_its_time_and_the_exit_code_of_its_command() -> None:
    assert REPORT.result == "done"
    assert [(step.number, step.name, step.rc) for step in REPORT.steps] == [
        (1, "look", None),
        (2, "devices", None),
        (3, "mmcrnsd", 0),
        (4, "mmadddisk", 0),
        (5, "mmchdisk", 0),
        (6, "mmrestripefs", 0),
        (7, "proof", None),
    ]
    assert rows("Steps")[5][:6] == ["6", "mmrestripefs", "DONE", "06-06 15:31:51", "3 h 56 min", "0"]


def test_every_command_is_told_with_who_ran_it_its_files_and_how_it_ended() -> None:
    assert [each.command.split()[0] for each in REPORT.commands] == ["mmcrnsd", "mmadddisk", "mmchdisk", "mmrestripefs"]
    assert {(each.by, each.rc, each.state) for each in REPORT.commands} == {("admin@vm", 0, "finished")}
    made = REPORT.commands[0]
    assert made.files[0][0] == "ssd.stanza"
    assert "device=sde nsd=foo3_ssd1 servers=foo3" in made.files[0][1]
    code = [token.content for token in MarkdownIt().parse(TEXT) if token.type == "fence"]
    assert "mmrestripefs mss1 -r -N foo1,foo2,foo3\n" in code
    assert made.files[0][1] in code


def test_the_disks_before_and_after_have_the_figures_that_mmdf_told_in_2013() -> None:
    assert [table.what for table in REPORT.tables] == [
        "before the first change", "sums before the first change", "just before the restripe",
        "sums just before the restripe", "at the end", "sums at the end",
    ]  # fmt: skip
    before, after = REPORT.tables[2], REPORT.tables[4]
    free = before.head.index("free KB")
    name = {row[0]: row for row in before.rows}
    assert [name[f"foo{n}_ssd{m}"][free] for n in (1, 2, 3) for m in (1, 2)] == [
        "190,865,408", "190,849,024", "190,877,696", "190,914,560", "190,867,456", "190,879,744"
    ]  # fmt: skip
    name = {row[0]: row for row in after.rows}
    assert [name[f"foo{n}_ssd{m}"][free] for n in (1, 2, 3) for m in (1, 2)] == [
        "126,117,888", "126,115,840", "126,113,792", "126,160,896", "126,144,512", "126,164,992"
    ]  # fmt: skip
    assert name["foo1_nsd1"][before.head.index("holds")] == "data"
    assert sum(each.used_kb for each in REPORT.filled) == 407_779_968
    assert rows("Metadata on the disks")[-1] == ["together", "", "407,779,968", "1,168,834,560", "34.9%"]


def test_forecasts_stand_beside_the_truth() -> None:
    scan = REPORT.scan
    assert scan is not None
    assert scan.ended is not None
    assert scan.ended - scan.began == 14_093.0
    assert [each.part for each in scan.forecasts] == [0.1, 0.25, 0.5, 0.75, 0.9]
    for each in scan.forecasts:
        assert each.error == each.mid - scan.ended
        assert each.inside == (each.low <= scan.ended <= each.high)
    assert "for 99% of the time" in TEXT


def test_the_recording_is_named_with_its_checksum_and_the_line_for_cron_stands_in_a_block_of_its_own() -> None:
    data = SEED.read_bytes()
    assert (REPORT.source.sha256, REPORT.source.size) == (hashlib.sha256(data).hexdigest(), len(data))
    assert f"| SHA-256 | {REPORT.source.sha256} |" in TEXT
    assert "```\n17 * * * * root true\n```" in TEXT
    assert "## From now on" not in markdown(REPORT)


def test_it_says_that_a_simulated_cluster_is_one() -> None:
    assert "**A simulated cluster: nothing of this happened on a real one.**" in TEXT
    assert "simulated" not in markdown(msgspec.structs.replace(REPORT, simulated=False))


def test_as_json_it_has_the_same() -> None:
    told = json.loads(msgspec.json.encode(REPORT))
    assert told["restripe_report"] == 1
    assert told["steps"][5]["rc"] == 0
    assert msgspec.json.decode(msgspec.json.encode(REPORT), type=Report) == REPORT


def test_of_a_session_that_goes_on_it_tells_what_was_so_far(tmp_path: Path) -> None:
    half = (REPORT.steps[5].began or 0.0) + 7000.0
    found = cut(tmp_path, half)
    assert (found.result, found.why) == ("going on", "step 6, mmrestripefs, is running")
    assert found.scan is not None
    assert (found.scan.ended, found.scan.forecasts, found.scan.why) == (None, (), "it goes on")
    told = markdown(found)
    assert "| result | GOING ON: step 6, mmrestripefs, is running |" in told
    assert "Its end is not known: it goes on." in told
    assert "| 7 | proof | WAITING | - | - | - |" in told


def test_the_plan_beside_a_job_tells_what_was_planned_and_is_not_printed_with_each_command(tmp_path: Path) -> None:
    launch = next(event for event in Recording(SEED) if isinstance(event, Launching))
    files = (*launch.spec.files, ("plan.toml", encode_plan(PLAN)), ("step.json", "{}"))
    planned = msgspec.structs.replace(launch, spec=msgspec.structs.replace(launch.spec, files=files))
    found = cut(tmp_path, launch.t - 0.001, planned)
    assert (found.sizing, found.plan_sha256) == (PLAN.sizing, digest(PLAN))
    full = markdown(msgspec.structs.replace(REPORT, sizing=found.sizing, plan_sha256=found.plan_sha256))
    assert "it took 91.9% of the plan." in full  # 407,779,968 of 443,863,040
    told = markdown(found)
    assert f"| plan | SHA-256 of its meaning {digest(PLAN)} |" in told
    assert "Beside it lie `plan.toml` and `step.json`, which tell what it belongs to." in told
    assert "each_plan" not in told
    assert found.commands[-1].rc is None


def test_a_step_that_failed_is_the_result(tmp_path: Path) -> None:
    at = REPORT.steps[3].began or 0.0
    failed = StepChanged(at + 1, 4, "mmadddisk", "failed", "add", "pollux1", "", "exit code 1: no space", 1)
    found = cut(tmp_path, at, failed)
    assert (found.result, found.why) == ("failed", "step 4, mmadddisk: exit code 1: no space")


def test_warnings_are_told_with_who_took_note_of_them_and_when(tmp_path: Path) -> None:
    at = REPORT.steps[2].began or 0.0
    checks = (
        Check("snapshots", "Snapshots", Outcome.WARNING, "3 snapshots", "Wait", at, "mmlssnapshot mss1"),
        Check("waiters", "No thread waits for long", Outcome.WARNING, "12 s", "Look", at, "mmdiag --waiters"),
        Check("quorum", "The cluster has quorum", Outcome.PASS, "3 of 3", "", at, "mmgetstate -a"),
    )
    found = cut(
        tmp_path,
        at,
        Checked(at + 1, 3, checks),
        Acknowledged(at + 2, 3, "snapshots", "jh@laptop"),
        Decided(at + 3, "jh@laptop", "WARNING: one batch"),
        Decided(at + 4, "jh@laptop", "go on"),
    )
    assert [(each.step, each.key, each.by) for each in found.warnings] == [
        (3, "snapshots", "jh@laptop"), (3, "waiters", ""), (0, "", "")
    ]  # fmt: skip
    told = markdown(found)
    assert "| 3 | snapshots | Snapshots: 3 snapshots | jh@laptop, 06-06 15:23:40 |" in told
    assert "| 3 | waiters | No thread waits for long: 12 s | nobody |" in told
    assert "| - | - | one batch | nobody |" in told
    assert "decided: go on" in told
    assert "| pass | The cluster has quorum | 3 of 3 | mmgetstate -a |" in told


def test_what_is_no_recording_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "notes.txt"
    path.write_text("hello\n")
    with pytest.raises(RecordingError, match="not a recording"):
        report(path)
