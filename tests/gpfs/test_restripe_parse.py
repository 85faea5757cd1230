"""`restripe parse`: a saved output becomes JSON, whatever it is."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from remote.gpfs.models import NsdList
from tests.gpfs.told import TAIL, TEXTS, commands_and_texts, told
from tui.cli import cli
from tui.parse import known, understood


def restripe_parse(*arguments: str, stdin: bytes = b"") -> Result:
    return CliRunner().invoke(cli, ["parse", *arguments], input=stdin)


def answer(result: Result) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(result.stdout)
    assert list(found) == ["command", "model", "notes", "problems"]
    return found


@pytest.mark.parametrize(("command", "name"), commands_and_texts())
def test_every_text_from_a_file(command: str, name: str) -> None:
    result = restripe_parse(command, str(TEXTS / f"{name}.txt"))
    assert result.exit_code == 0
    found = answer(result)
    assert (found["command"], found["problems"]) == (command, [])
    assert found["model"]


def test_a_text_from_stdin() -> None:
    for arguments in (["mmdf"], ["mmdf", "-"]):
        result = restripe_parse(*arguments, stdin=told("mmdf_after").encode())
        assert result.exit_code == 0
        assert answer(result)["model"]["metadata"]["free_blocks_kb"] == 756817920


def test_problems_are_told_in_the_answer_and_by_the_exit_status() -> None:
    result = restripe_parse("mmlsdisk", stdin=told("mmlsdisk_before").replace(" 512 ", " 5k ", 1).encode())
    assert result.exit_code == 1
    found = answer(result)
    assert [(problem["line"], problem["why"]) for problem in found["problems"]] == [
        (4, "the sector size is not a whole number")
    ]
    assert len(found["model"]["disks"]) == 11


def test_stderr_may_be_mixed_in() -> None:
    text = f"mmlsnsd: 6027-1 [W] a node is slow\n{told('mmlsnsd_42')}mmlsnsd: something\nmmlsnsd: {TAIL}\n"
    result = restripe_parse("mmlsnsd", stdin=text.encode())
    found = answer(result)
    assert result.exit_code == 1
    assert [note["line"] for note in found["notes"]] == [1, 8]
    assert [problem["why"] for problem in found["problems"]] == ["the command failed: mmlsnsd: something"]
    assert len(found["model"]["nsds"]) == 3


@pytest.mark.parametrize(
    "prompt",
    [
        "# mmdf mss1",
        "$ mmdf",
        "[root@foo1 ~]# mmdf mss1",
        "root@foo1:~# /usr/lpp/mmfs/bin/mmdf mss1",
        "admin@foo1:/tmp$ sudo -n /usr/lpp/mmfs/bin/mmdf mss1 -Y",
    ],
)
def test_a_prompt_is_a_note(prompt: str) -> None:
    result = restripe_parse("mmdf", stdin=f"{prompt}\n{told('mmdf_after')}[root@foo1 ~]# \n".encode())
    assert result.exit_code == 0
    assert [note["text"] for note in answer(result)["notes"]] == [prompt, "[root@foo1 ~]#"]


def test_a_session_with_other_commands_in_it() -> None:
    session = (
        f"# mmlscluster\n{told('mmlscluster_60')}# mmlsnsd -L\n{told('mmlsnsd_l_42')}# mmlsmgr\n{told('mmlsmgr_42')}"
    )
    parsed = understood(("mmlsnsd",), session)
    assert parsed.ok
    assert isinstance(parsed.model, NsdList)
    assert len(parsed.model.nsds) == 3
    assert [note.line for note in parsed.notes] == sorted(note.line for note in parsed.notes)


def test_the_options_come_from_the_command_line_or_from_the_prompt() -> None:
    pool = told("mmdf_two_pools_60").partition("Disks in storage pool: capacity")[0]
    assert restripe_parse("mmdf", stdin=pool.encode()).exit_code == 1
    assert restripe_parse("mmdf fs1 -P system", stdin=pool.encode()).exit_code == 0
    assert restripe_parse("mmdf", stdin=f"# mmdf fs1 -P system\n{pool}".encode()).exit_code == 0
    assert restripe_parse("/usr/lpp/mmfs/bin/mmdf -P system", stdin=pool.encode()).exit_code == 0


def test_what_belongs_to_other_rooms() -> None:
    lsblk = b'NAME="sda" KNAME="sda" TYPE="disk" SIZE="1000"\n'
    assert answer(restripe_parse("lsblk", stdin=lsblk))["model"]["devices"][0]["size_bytes"] == 1000
    assert answer(restripe_parse("date", stdin=b"1370557687 -0700\n"))["model"]["utc_offset"] == -25200
    stanza = restripe_parse("stanza", stdin=b"# mmcrnsd wrote this\n%nsd: device=sdg nsd=a\n")
    assert answer(stanza)["model"][0]["keyword"] == "nsd"


def test_what_the_fixed_scripts_and_the_discovery_print() -> None:
    devices = b"a banner\nrestripe-devices 1\nboot b-1\ndevice sda\nsectors 8\nnsddevices absent\nend\n"
    told = answer(restripe_parse("restripe-devices", stdin=devices))
    assert (told["model"]["boot_id"], told["model"]["nsddevices"]) == ("b-1", "")
    assert [(node["kname"], node["size_bytes"]) for node in told["model"]["nodes"]] == [("sda", 8 * 512)]
    assert told["notes"] == [{"line": 1, "text": "a banner"}]
    hangs = restripe_parse("restripe-signatures", stdin=b"restripe-signatures 1\ndevice sda\nstate hangs\nend\n")
    assert [(one["kname"], one["state"]) for one in answer(hangs)["model"]["devices"]] == [("sda", "hangs")]
    found = answer(restripe_parse("mmdevdiscover", stdin=b"sda generic\ndm-3 dmm\n"))
    assert found["model"]["devices"] == [["sda", "generic"], ["dm-3", "dmm"]]


@pytest.mark.parametrize(
    "command",
    [f"restripe-{name}" for name in ("devices", "gfs2-use", "room", "scans", "signatures", "work")],
)
def test_half_of_what_a_fixed_script_printed_is_a_problem(command: str) -> None:
    result = restripe_parse(command, stdin=f"{command} 1\ndevice sda\n".encode())
    assert result.exit_code == 1
    assert answer(result)["problems"][0]["line"] == 0


@pytest.mark.parametrize("command", ["nope", "", "mmdf'", "\udcff", "mmfsck", "../mmlsnope"])
def test_an_unknown_command_is_told_with_the_known_ones(command: str) -> None:
    result = restripe_parse(command, stdin=b"x")
    assert result.exit_code == 2
    assert result.stdout == ""
    assert all(name in result.stderr for name in known())


def test_files_that_cannot_be_read(tmp_path: Path) -> None:
    for file in (tmp_path, tmp_path / "missing", tmp_path / ("x" * 300)):
        result = restripe_parse("mmdf", str(file))
        assert (result.exit_code, result.stdout) == (2, "")
        assert result.stderr.startswith("cannot read ")
        assert result.stderr.count("\n") == 1


@pytest.mark.parametrize("command", known())
@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"\n" * 1000,
        b"\0" * 1000,
        bytes(range(256)) * 20,
        b"\xff\xfe" + "mmdf".encode("utf-16-le"),
        b"x" * 1_000_000,
        b"x " * 300_000,
        b"mmdf:nsd:0:1:::" * 20_000,
        b"[" * 100_000 + b"# mmdf",
        b"\xed\xa0\x80\xf4\x90\x80\x80",
    ],
    ids=["empty", "lines", "zeros", "binary", "utf-16", "huge line", "many words", "records", "prompts", "not utf-8"],
)
def test_no_input_is_too_odd(command: str, data: bytes) -> None:
    result = restripe_parse(command, stdin=data)
    assert result.exit_code in (0, 1)
    assert result.exception is None or isinstance(result.exception, SystemExit)
    answer(result)


@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(command=st.sampled_from(known()), data=st.binary(max_size=400))
def test_any_bytes(command: str, data: bytes) -> None:
    result = restripe_parse(command, stdin=data)
    assert result.exit_code in (0, 1)
    answer(result)


def test_a_byte_order_mark_is_no_part_of_the_text() -> None:
    assert restripe_parse("mmlsnsd", stdin=b"\xef\xbb\xbf" + told("mmlsnsd_y_50").encode()).exit_code == 0


def test_neither_screens_nor_connections_are_loaded() -> None:
    program = (
        "import sys\nfrom tui.cli import cli\n"
        "try:\n    cli(['parse', 'mmlsnsd', sys.argv[1]])\n"
        "except SystemExit as end:\n    assert not end.code, end.code\n"
        "heavy = ('textual', 'asyncssh', 'asyncio', 'rich')\n"
        "print([name for name in heavy if name in sys.modules], file=sys.stderr)\n"
    )
    command = [sys.executable, "-c", program, str(TEXTS / "mmlsnsd_42.txt")]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert done.stderr == "[]\n"
    assert json.loads(done.stdout)["command"] == "mmlsnsd"
