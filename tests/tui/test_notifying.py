"""`--notify`: one command at a time, with a deadline, and nothing that goes wrong with it ends the watching."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.processes import alive
from tests.waiting import until
from tui.notifying import WAITING, Notifier, NotifyError, words_of


def script(directory: Path, text: str) -> str:
    path = directory / "tell me"
    path.write_text(f"#!/bin/sh\n{text}\n", encoding="utf-8")
    path.chmod(0o755)
    return str(path)


async def test_each_event_is_told_in_order_by_arguments_and_environment(tmp_path: Path) -> None:
    log = tmp_path / "log"
    told = script(tmp_path, f'echo "$1|$2|$3|$RESTRIPE_EVENT|$RESTRIPE_TEXT|$RESTRIPE_FS" >>{log}')
    notifier = Notifier(words_of(f"'{told}' 'an argument'"))
    notifier.tell("stall", "mss1: no line\nfor 20 min; $(reboot)", {"fs": "mss1"})
    notifier.tell("finish", "over", {"fs": "mss1"})
    await notifier.finish()
    assert log.read_text(encoding="utf-8") == (
        "an argument|stall|mss1: no line\nfor 20 min; $(reboot)|stall|mss1: no line\nfor 20 min; $(reboot)|mss1\n"
        "an argument|finish|over|finish|over|mss1\n"
    )


async def test_a_command_that_hangs_is_killed_with_its_children_and_the_next_is_run(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    child, log = tmp_path / "child", tmp_path / "log"
    hangs = script(tmp_path, f'[ "$1" = finish ] && exec touch {log}\nsleep 600 & echo $! >{child}\nwait')
    notifier = Notifier((hangs,), deadline=0.3)
    notifier.tell("stall", "x", {})
    notifier.tell("finish", "y", {})
    await notifier.finish()
    assert log.exists()
    assert f"{hangs} took more than 0.3 s and was killed (told of stall)" in capfd.readouterr().err
    pid = int(child.read_text(encoding="utf-8"))
    await until(lambda: not alive(pid))


async def test_what_fails_is_said_and_ends_nothing(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    for words, why in (
        ((script(tmp_path, "echo out; exit 3"),), "ended with exit code 3 (told of stall)"),
        (("/no/such program",), "--notify: /no/such program: No such file or directory"),
    ):
        notifier = Notifier(words)
        notifier.tell("stall", "x", {})
        await notifier.finish()
        told = capfd.readouterr()
        assert why in told.err
        assert told.out == ""  # stdout is for the lines alone


async def test_when_too_many_wait_the_oldest_is_dropped_and_said(capfd: pytest.CaptureFixture[str]) -> None:
    notifier = Notifier(("true",))
    for number in range(WAITING + 1):
        notifier.tell("stall", f"number {number}", {})
    assert capfd.readouterr().err == "--notify is too slow; this was not told: stall: number 0\n"
    await notifier.close()


async def test_closing_ends_a_command_that_runs(tmp_path: Path) -> None:
    mark = tmp_path / "pid"
    notifier = Notifier((script(tmp_path, f"echo $$ >{mark}; exec sleep 600"),))
    notifier.tell("stall", "x", {})
    await until(lambda: mark.exists() and mark.read_text(encoding="utf-8").strip())
    await notifier.close()
    assert not alive(int(mark.read_text(encoding="utf-8")))


@pytest.mark.parametrize("command", ["", "  ", "'half", "''"])
def test_what_is_no_command_is_refused(command: str) -> None:
    with pytest.raises(NotifyError, match="--notify"):
        words_of(command)
