"""`restripe plan` and `restripe report`: files that are made, shown, refused, and never written over."""

from __future__ import annotations

import json
from importlib.resources import files
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from supervision.plan import decode
from tests.supervision.test_plan import TEXT
from tests.terminal.cluster import simulated
from tests.tui.program import no_traceback, restripe
from tui.cli import cli

SEED = Path(str(files("recordings"))) / "seed-3.5.jsonl"
LINE = TEXT[: TEXT.index('model = "')].count("\n") + 1


def run(*words: str) -> Result:
    return CliRunner().invoke(cli, list(words))


def test_a_plan_is_made_from_a_cluster_that_only_answers_and_shown_as_a_runbook(tmp_path: Path) -> None:
    """The second time its file is there, and no host is asked."""
    with simulated(tmp_path, speed=1000) as cluster:
        words = ("plan", "metadata-to-ssd", "pollux1", "--fs", "mss1", "-F", str(cluster.config))
        file = tmp_path / "plan.toml"
        made = restripe(tmp_path, *words, "-o", str(file), "--assume", "each_plan=2100")
        again = run(*words, "-o", str(file))
        ran = {command["argv"][0] for command in cluster.ctl("history")["commands"]}
    assert ran == {
        "mmgetstate",
        "mmlscluster",
        "mmlsfs",
        "mmlsdisk",
        "mmdf",
        "mmlsnsd",
        "mmlsmount",
        "mmlssnapshot",
    } | {"mmdevdiscover"}
    assert (made.returncode, made.stdout) == (0, "")
    assert "foo3_ssd1  foo3     3      sde" in made.stderr
    assert "Nothing was changed." in made.stderr
    plan = decode(file.read_text())
    assert (plan.host, plan.options.assumptions.each_plan) == ("pollux1", 2100)
    assert (plan.options.assumptions.mounts, plan.options.assumptions.log_kb) == (3, 4096)
    assert {disk.servers for disk in plan.old_disks} == {("foo1",), ("foo2",), ("foo3",)}
    assert (again.exit_code, again.stdout) == (2, "")
    assert again.stderr.endswith("plan.toml is there already: a plan is never overwritten\n")
    assert decode(file.read_text()) == plan
    assert no_traceback(made.stderr + again.stderr)
    shown = run("plan", "--show", str(file))
    assert shown.exit_code == 0
    assert shown.stdout.startswith("# all metadata of mss1 on 6 new SSDs, none on the 12 disks that hold it now\n")
    assert "mmrestripefs mss1 -r -N foo1,foo2,foo3" in shown.stdout


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("hello", "it is no TOML: "),
        (TEXT.replace("size_bytes = 4", "size_bytes = -4"), "devices[0] (foo1_ssd1): it needs nsd, identity, size"),
        (TEXT.replace('model = "', 'modell = "'), f"line {LINE}, devices[0]: Object contains unknown field `modell`"),
        (TEXT.replace("metadata-to-ssd", "metadata-to-tape"), "'metadata-to-tape' is no recipe of this program"),
        (TEXT.replace('"pollux3"]', '"x; rm -rf"]'), "not the name of a node: 'x; rm -rf'"),
        (TEXT.replace('file_system = "mss1"', 'file_system = "-v no"'), "'-v no'"),
    ],
)  # fmt: skip
def test_a_plan_that_cannot_be_meant_is_refused_with_the_place_and_the_reason(
    tmp_path: Path, text: str, told: str
) -> None:
    file = tmp_path / "odd.toml"
    file.write_text(text)
    done = run("plan", "--show", str(file))
    assert (done.exit_code, done.stdout) == (2, "")
    assert done.stderr.startswith(f"restripe plan: {file}: ")
    assert told in done.stderr
    going = run("migrate", str(file))
    assert (going.exit_code, going.stdout) == (2, "")
    assert going.stderr.startswith(f"restripe migrate: {file}: ")
    assert told in going.stderr


@pytest.mark.parametrize(
    ("words", "told"),
    [
        ((), "name a RECIPE and a HOST, or --show FILE"),
        (("metadata-to-ssd",), "name a RECIPE and a HOST"),
        (("metadata-to-ssd", "h"), "a plan needs --fs NAME"),
        (("data-to-tape", "h"), "'data-to-tape' is not"),
        (("metadata-to-ssd", "h", "--fs", "f", "--assume", "each=1"), "unknown field `each`. What can be assumed: "),
        (("metadata-to-ssd", "h", "--fs", "f", "--assume", "mounts=x"), "--assume mounts: 'x' is no number"),
        (("metadata-to-ssd", "h", "--fs", "f", "--assume", "growth=2"), "growth is a part, from 0 to 1"),
        (("metadata-to-ssd", "h", "--fs", "f", "--group", "nsd01"), "'nsd01' is not NAME=VALUE"),
    ],
)
def test_options_that_cannot_be_meant_are_refused_before_any_host_is_asked(words: tuple[str, ...], told: str) -> None:
    done = run("plan", *words)
    assert done.exit_code == 2
    assert told in " ".join(done.stderr.split())


def test_a_report_goes_to_stdout_or_to_a_new_file_as_markdown_or_json(tmp_path: Path) -> None:
    printed = run("report", str(SEED))
    assert printed.exit_code == 0
    assert printed.stdout.startswith("# mss1: migration mss1-20130606T152037\n")
    assert "/usr/lpp/mmfs/bin/mmdf mss1 -m " in printed.stdout
    file = tmp_path / "report.md"
    assert run("report", str(SEED), "-o", str(file)).exit_code == 0
    assert file.read_text() == printed.stdout
    again = run("report", str(SEED), "-o", str(file), "--json")
    assert (again.exit_code, file.read_text()) == (2, printed.stdout)
    assert "is there already" in again.stderr
    told = json.loads(run("report", str(SEED), "--json").stdout)
    assert (told["file_system"], told["result"], len(told["commands"])) == ("mss1", "done", 4)


def test_what_is_no_recording_gets_no_report(tmp_path: Path) -> None:
    file = tmp_path / "notes"
    file.write_text("hello\n")
    done = run("report", str(file))
    assert (done.exit_code, done.stdout) == (2, "")
    assert "this is not a recording of restripe" in done.stderr
