"""No text makes a parser raise, take long, or lose a line without a word."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from remote.gpfs import parsers
from remote.gpfs.models import decode_volume_id
from remote.parsed import Parsed
from remote.text import decode

TEXTS = {path.stem: path.read_bytes() for path in sorted((Path(__file__).parent / "texts").glob("*.txt"))}
STANZAS = (
    b"# c\n%nsd: device=sdg nsd=a servers=n1,n2 usage=dataOnly\n%nsd:\n  nsd=b\n  failureGroup=1\n\n%pool: pool=p\n"
)

Parser = Callable[[str, str], Parsed[Any]]


def stanzas(stdout: str, stderr: str) -> Parsed[Any]:
    parsed = parsers.parse_stanzas(stdout + stderr)
    parsers.nsd_stanzas(parsed.model)
    return parsed


def reader(name: str) -> Parser:
    return lambda stdout, stderr: parsers.parse((name,), stdout, stderr)


PARSERS: dict[str, Parser] = {name: reader(name) for name in parsers.STEPS}
PARSERS |= {
    "mmlsfs of one": parsers.parse_mmlsfs,
    "mmlsnsd -X": parsers.parse_mmlsnsd_x,
    "mmlsnsd -a": parsers.parse_mmlsnsd_list,
    "stanza": stanzas,
}
GOOD = [*TEXTS.values(), STANZAS]

# Pieces of real lines are likelier to reach the inside of a parser than letters by chance.
PIECES = st.sampled_from(
    [
        "foo1_nsd1", " ", "  ", "\n", "\r\n", "\r", "-", "--", "=====", "-----", "512", "nsd", "Yes", "No", "up",
        "ready", "down", "system", "( 22%)", "(100%)", "(pool total)", "(total)", "(data)", "%nsd:", "nsd=a", "#",
        "Disks in storage pool: ", "%", "=", "9" * 5000, "²", "٣", "8CFC1C05507CC5D0", "Attention:", "Warning: a",
        ".", "mmdf: ", "GPFS: ", "6027-531 ", "[E] ", "Command failed.", "Inode Information", " -B", "--x", "1",
        "Number of used inodes:", "to be emptied", "Node  Daemon node name", "10.1.2.3", ": size ", " KB", "...",
        "Scanning ", ", phase 1", " % complete on Thu Jun  6 15:46:19 2013", "\x1b[2J", "\x00", "\u2028", "\ud800",
        "disk driver", "name in KB group", "Processing disk ", "Disk name NSD volume ID",
        "The following disks of a will be formatted on node b:", ":", ":", "::", ":HEADER:version:reserved:reserved:",
        ":0:1:::", "mmlsdisk:", "mmdf:nsd", "mmlsnsd:nsd", "mmhealth:State", "mmlsqos:values", "nsdName:", "%3A", "%zz",
        "2025-12-31 12:13:53", "iops=1 ", "Waiting 1 sec since ", ", thread 1 b: ", "[a,b]", "(free disk)",
        "File system a is mounted on 2 nodes:", "Cluster manager node: ", "=== mmdiag: waiters ===", "pool=a,b=c",
        "Component Status", "Snapshots in file system a:", "Storage pools in file system at \'/a\':", "Usage:",
        "Configuration data for cluster a:", "Deleting disks ...", "GPFS state Node number", "QOS values:: ", "1*",
    ]
)  # fmt: skip
GARBAGE = st.one_of(
    st.text(max_size=200),
    st.lists(PIECES, max_size=40).map("".join),
    st.lists(PIECES, max_size=40).map(" ".join),
)


KINDS = {"restripe": "mmrestripefs"}


def check(parsed: Parsed[Any], stdout: str, stderr: str) -> None:
    lines = len((stdout + "\n" + stderr).replace("\r", "\n").split("\n"))
    assert all(0 <= problem.line <= lines and problem.why for problem in parsed.problems)
    assert all(1 <= note.line <= lines for note in parsed.notes)
    assert parsed.ok == (not parsed.problems)


@pytest.mark.parametrize("parse", PARSERS.values(), ids=PARSERS)
@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(stdout=GARBAGE, stderr=GARBAGE)
def test_garbage(parse: Parser, stdout: str, stderr: str) -> None:
    check(parse(stdout, stderr), stdout, stderr)


@st.composite
def damaged(draw: st.DrawFn) -> str:
    """A good text of any command with some bytes changed, cut out or doubled."""
    data = bytearray(draw(st.sampled_from(GOOD)))
    for _ in range(draw(st.integers(1, 4))):
        at = draw(st.integers(0, max(len(data) - 1, 0)))
        length = draw(st.sampled_from([1, 1, 2, 20, 200]))
        kind = draw(st.sampled_from(["change", "cut", "double", "end"]))
        if kind == "change":
            data[at : at + 1] = draw(st.binary(max_size=3))
        elif kind == "cut":
            del data[at : at + length]
        elif kind == "double":
            data[at:at] = data[at : at + length]
        else:
            del data[at:]
    return decode(bytes(data))


@pytest.mark.parametrize("parse", PARSERS.values(), ids=PARSERS)
@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(stdout=damaged())
def test_damaged_texts(parse: Parser, stdout: str) -> None:
    check(parse(stdout, ""), stdout, "")


@pytest.mark.parametrize("command", [name for name in PARSERS if " " not in name])
@pytest.mark.parametrize("name", TEXTS)
def test_the_text_of_another_command_is_never_taken_without_a_word(command: str, name: str) -> None:
    text = decode(TEXTS[name])
    parsed = PARSERS[command](text, "")
    check(parsed, text, "")
    if KINDS.get(name.partition("_")[0], name.partition("_")[0]) != command:
        assert parsed.problems or parsed.notes or parsed.model.errors


@settings(max_examples=200, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(GARBAGE)
def test_single_lines_and_words(text: str) -> None:
    parsers.parse_progress_line(text)
    parsers.parse_stamp(text)
    decode_volume_id(text)


@settings(max_examples=200, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(st.data())
def test_a_record_that_is_damaged_is_lost_never_without_a_word(data: st.DataObject) -> None:
    """Damage one record of `mmlsdisk -Y`: its disk is there, or a problem or a note tells of the line."""
    lines = decode(TEXTS["mmlsdisk_y_50"]).split("\n")
    number = data.draw(st.integers(2, 6))
    row = list(lines[number - 1])
    row[data.draw(st.integers(0, len(row) - 1))] = data.draw(st.sampled_from("x9-, \t#:%"))
    lines[number - 1] = "".join(row)
    parsed = parsers.parse_mmlsdisk("\n".join(lines))
    told = {problem.line for problem in parsed.problems} | {note.line for note in parsed.notes}
    assert len(parsed.model.disks) == 5 or (len(parsed.model.disks) == 4 and number in told)


@settings(max_examples=300, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(st.data())
def test_a_row_that_is_damaged_is_lost_never_without_a_word(data: st.DataObject) -> None:
    """Damage one row of `mmlsdisk`: its disk is there, or a problem or a note tells of the line."""
    lines = decode(TEXTS["mmlsdisk_before"]).split("\n")
    number = data.draw(st.integers(4, 15))
    row = list(lines[number - 1])
    row[data.draw(st.integers(0, len(row) - 1))] = data.draw(st.sampled_from("x9-, \t#"))
    lines[number - 1] = "".join(row)
    parsed = parsers.parse_mmlsdisk("\n".join(lines))
    told = {problem.line for problem in parsed.problems} | {note.line for note in parsed.notes}
    assert len(parsed.model.disks) == 12 or (len(parsed.model.disks) == 11 and number in told)


LONG = [
    " " * 100_000,
    "a" * 100_000,
    "a " * 50_000,
    "\n" * 100_000,
    "Scanning " + " " * 100_000 + "x",
    "Attention: " + "a " * 50_000,
    "Attention:\n" * 50_000,
    "mm" + "m" * 100_000,
    "(total) " + "1" * 100_000,
    "1 " * 50_000,
    "-" * 100_000,
    "- " * 50_000 + "x",
    "%nsd: " + "a=b " * 50_000,
    "Disks in storage pool: a\n" + "b 1 1 Yes Yes 1 (1%) 1 (" + " " * 100_000,
    " -V 1 (" + "a" * 100_000,
    "a" * 100_000 + ": size",
    "mmlsdisk::0:1:" * 10_000,
    "mmlsfs::HEADER:::" + "a:" * 50_000 + "\nmmlsfs::0:1:::" + "b:" * 50_000,
    "mmhealth:State:HEADER:::" + "a:" * 6 + "\nmmhealth:State:0:1:::" + "2020-01-01 10:10:10:" * 10_000,
    "Waiting 1 sec since a, thread 1 b: " + "x" * 100_000,
    "Component Status\n" + "a, " * 50_000,
    "QOS values:: " + "pool=a," * 50_000,
    "10:36:30 other " + "a=b " * 50_000,
    "Snapshots in file system a:\na 1 V " + "x " * 50_000,
]


@pytest.mark.parametrize("parse", PARSERS.values(), ids=PARSERS)
def test_long_texts_come_to_an_end(parse: Parser) -> None:
    """A pattern that tries all ways to cut a long line would not end while somebody waits for it."""
    for text in LONG:
        parse(text, "")


@pytest.mark.parametrize("name", TEXTS)
def test_every_byte_of_a_text_may_be_wrong(name: str) -> None:
    """Each byte in turn becomes another one; every seventh, so that all positions and columns are met in some text."""
    parse = PARSERS[KINDS.get(name.partition("_")[0], name.partition("_")[0])]
    data = TEXTS[name][:1500]
    for at in range(0, len(data), 7):
        for byte in b"\x00\n:% 9\xff":
            stdout = decode(data[:at] + bytes([byte]) + data[at + 1 :])
            check(parse(stdout, ""), stdout, "")
