"""Whatever a host says, the terminal of the person who reads it does only what the program tells it."""

from __future__ import annotations

import os
import re
from pathlib import Path

import pytest

from tests.terminal.cluster import ENTRY, FS, Cluster, start_job
from tests.terminal.terminal import Terminal, terminal

HOSTILE = (
    b"\x1b]0;EVILTITLE\x07"  # a window's title
    b"\x1b]2;EVILTITLE\x1b\\"
    b"\xc2\x9d0;EVILTITLE\xc2\x9c"  # the same in C1
    b"\x9d0;EVILTITLE\x9c"  # and as raw bytes, which are no UTF-8
    b"\x1b]52;c;RVZJTENMSVA=\x07"  # the clipboard
    b"\x1b[2J\x1b[H\x1b[1;1HEVILTOP"  # the whole display
    b"\x9b2J\xc2\x9b2J"
    b"\x1b[?1049l\x1b[?1000l\x1b[?25h\x1b[?1006l\x1bc"  # modes, and a reset
    b'\x1b[6n\x1b[c\x1bP$q"p\x1b\\'  # what a terminal answers, as if it were typed
    b"\x1b[5;20r\x1b(0\x0e\x0f\x7f\x08\x08\x0b\x0c\x85"  # margins, other characters, backspaces
    b"\x1b[999;999HEVILCORNER"
)
WIDE = (
    "磁盘满了" * 30
    + "e\u0301" * 20
    + "👩‍👩‍👧‍👦" * 10
    + "\u202eEVILRIGHT\u202c\u200b\ufeff"
    + "a"
    + "\u0300" * 200
    + "ﷺ𒐫"
)
LINES = (b"the first line", b"before " + HOSTILE + b" after", WIDE.encode(), b"[/red][bold]markup[/]", b"the last line")
ALLOWED = re.compile(
    r"\x1b\[[0-9;]*m"  # styles
    r"|\x1b\[[0-9;]*H"  # the cursor
    r"|\x1b\[\?(?:7|25|1000|1003|1004|1006|1015|1049|2004|2026|2048)[hl]"  # modes that the screens need
    r"|\x1b\[\?(?:2026|2048)\$p|\x1b\[>25u|\x1b\[<u"  # questions to the terminal, and its keyboard
    r"|\x1b\]22;[a-z-]*\x07"  # the shape of the mouse's pointer
)
"""All that the program itself has to say to a terminal."""


def only_our_own(term: Terminal) -> None:
    """No sequence has reached the terminal that is not the program's; nor has any other control character."""
    text = term.raw.decode()  # strictly: no raw byte either
    rest = ALLOWED.sub("", text)
    assert {character for character in rest if ord(character) < 32 or 127 <= ord(character) < 160} <= {"\r", "\n"}
    for bidi in "\u202a\u202b\u202d\u202e\u2066\u2067\u2068":
        assert bidi not in text
    assert term.title == ""
    assert "\x1b]52" not in text
    assert term.modes == {7, 25}


@pytest.fixture
def hostile(cluster: Cluster) -> str:
    """A job whose command, title and log are hostile."""
    name = f"hostile-{os.getpid()}"
    path = cluster.directory / name
    path.write_bytes(b"\n".join(LINES) + b"\n")
    start_job(cluster, name, "tail", "-n", "+1", "-f", str(path), f"/{HOSTILE.decode('utf-8', 'ignore')}")
    return name


def test_a_hostile_job_is_read_on_a_terminal_that_stays_as_it_was(
    tmp_path: Path, cluster: Cluster, hostile: str
) -> None:
    recording = tmp_path / "r.jsonl"
    words = ("connect", ENTRY, "--fs", FS, "-F", str(cluster.config), "--record", str(recording))
    with terminal(tmp_path, *words) as term:
        term.wait_for("hosts 1/1")
        frame_stands(term, "[1 Cluster]")
        term.send("6")
        term.wait_for(re.compile(rf"{ENTRY} +running .*tail"))
        frame_stands(term, "[6 Jobs]")
        term.send("\r")
        term.wait_for("the last line")
        term.wait_for("[/red][bold]markup[/]")
        term.wait_for(re.compile(r"before .*EVILTITLE.* after|before .*EVILTITLE"))  # as text, it is no secret
        frame_stands(term, "[6 Jobs]")
        term.send("w")  # wrapped, and not
        term.wait_for("the first line")
        term.wait_for("the last line")
        frame_stands(term, "[6 Jobs]")
        for columns, lines in ((40, 24), (120, 40), (80, 24)):
            term.resize(columns, lines)
            term.wait_for(lambda t: t.lines[-1].endswith("q quit"))
            frame_stands(term, "[6 Jobs]"[: columns - 5])
        term.send("7")
        term.wait_for("[7 Commands]")
        frame_stands(term, "[7 Commands]")
        term.send("q")
        assert term.wait_end() == 0
        assert f"still running on {ENTRY}: tail" in term.text  # with its hostile words
        only_our_own(term)
    # and what was recorded of it is as harmless
    with terminal(tmp_path, "replay", str(recording), "--from", "end") as term:
        term.wait_for("REPLAY")
        term.send("6")
        term.wait_for(re.compile(rf"{ENTRY} +running .*tail"))
        term.send("\r")
        term.wait_for("the last line")
        frame_stands(term, "[6 Jobs]")
        term.send("q")
        assert term.wait_end() == 0
        only_our_own(term)


def frame_stands(term: Terminal, tab: str) -> None:
    """Nothing has been written over the frame, and nothing has pushed it away."""

    def stands(term: Terminal) -> bool:
        shown = term.lines
        return (
            shown[0].startswith(f" {FS} @ {ENTRY}  ")
            and (tab in shown[1] or term.size[0] < 80)
            and shown[-1].endswith("? help  q quit")
            and len(shown[-1]) == term.size[0] - 1
            and "EVIL" not in shown[0] + shown[1] + shown[-1]
        )

    term.wait_for(stands)
