"""`logs.sh` in every shell: the ends of two logs in whole lines, and a clear word where they cannot be read."""

from __future__ import annotations

import os
import re
from pathlib import Path

import pytest

from remote.linux.commands import kernel_log, logs
from remote.linux.log_tails import LogTails, parse_logs
from remote.text import decode
from tests.processes import environ, every_pid
from tests.remote.local_host import HOST, LocalHost
from tests.waiting import until

LATEST, PREVIOUS, MESSAGES = "var/adm/ras/mmfs.log.latest", "var/adm/ras/mmfs.log.previous", "var/log/messages"


class Root:
    """A tree with the logs of a host."""

    def __init__(self, directory: Path) -> None:
        self.directory = directory

    def write(self, path: str, text: str) -> Path:
        """A file with exactly this text."""
        file = self.directory / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)
        return file


@pytest.fixture
def root(tmp_path: Path) -> Root:
    return Root(tmp_path / "root")


async def answer(host: LocalHost, root: Root | None, most: int = 32768, seconds: float = 5) -> str:
    """What a host answers, without its date."""
    host.env["RESTRIPE_LOG_SECONDS"] = str(seconds)
    if root:
        host.env["RESTRIPE_SYSROOT"] = str(root.directory)
    (got,) = await host.site.query(HOST, logs(most))
    assert (got.rc, got.stderr) == (0, b"")
    assert parse_logs(decode(got.stdout)).problems == ()
    text, dates = re.subn(r"today \d{4}-\d\d-\d\d [+-]\d{4}\n", "", decode(got.stdout))
    assert dates == 1
    return text.replace(f"{root.directory}/", "") if root else text


async def test_every_shell_tells_whole_lines_of_both_logs_and_writes_nothing(host: LocalHost, root: Root) -> None:
    root.write(PREVIOUS, "the end of the daemon before\n")
    root.write(LATEST, "one \\n %s $HOME `x` 'y' \"z\"\ntwo\nbeing wri")
    mine = ["kernel: a", "last message repeated 5 times", "kernel: c"]
    others = ["sshd[1]: b", "last message repeated 7 times", "mmfs: [E] kernel trouble"]
    lines = [f"Jun  6 15:28:09 n1 {text}" for text in (*mine[:2], *others, mine[2])]
    root.write(MESSAGES, "".join(f"{line}\n" for line in lines))
    before = sorted((str(path), path.stat().st_mtime_ns) for path in root.directory.rglob("*"))
    assert await answer(host, root) == (
        f"restripe-logs 1\nlog mmfs\nfrom {LATEST}\n| the end of the daemon before\n"
        "| one \\n %s $HOME `x` 'y' \"z\"\n| two\nover\n"
        f"log kernel\nfrom {MESSAGES}\n" + "".join(f"| Jun  6 15:28:09 n1 {text}\n" for text in mine) + "over\nend\n"
    )
    assert sorted((str(path), path.stat().st_mtime_ns) for path in root.directory.rglob("*")) == before


@pytest.mark.parametrize(
    ("most", "told"),
    [
        (100, "| before1\n| before2\n| line1\n| line2\n"),
        (28, "| before1\n| before2\n| line1\n| line2\n"),
        (27, "cut\n| before2\n| line1\n| line2\n"),
        (12, "cut\n| line1\n| line2\n"),
        (11, "cut\n| line2\n"),
        (3, "cut\n"),
    ],
)
async def test_what_is_too_much_is_cut_at_the_front_and_said_to_be(
    dash: LocalHost, root: Root, most: int, told: str
) -> None:
    root.write(PREVIOUS, "before1\nbefore2\n")
    root.write(LATEST, "line1\nline2\n")
    assert f"{LATEST}\n{told}over\n" in await answer(dash, root, most)


async def test_a_log_of_megabytes_is_read_at_its_end(dash: LocalHost, root: Root) -> None:
    root.write(LATEST, "".join(f"line {number:07d}\n" for number in range(200_000)))
    text = await answer(dash, root)
    lines = [line for line in text.split("\n") if line.startswith("| ")]
    assert "cut\n" in text
    assert (lines[0], lines[-1], len(lines)) == ("| line 0197480", "| line 0199999", 32768 // 13)


async def test_a_log_that_is_not_there_is_told(dash: LocalHost, root: Root) -> None:
    root.directory.mkdir()
    assert await answer(dash, root) == "restripe-logs 1\nlog mmfs\nstate absent\nlog kernel\nstate absent\nend\n"


async def test_a_log_that_hangs_holds_the_other_up_no_longer_than_its_time_and_is_left_alone_then(
    dash: LocalHost, root: Root
) -> None:
    pipe = root.directory / LATEST
    pipe.parent.mkdir(parents=True)
    os.mkfifo(pipe)
    root.write("var/log/kern.log", "Jun  6 15:28:09 n1 kernel: a\n")
    kernel = "log kernel\nfrom var/log/kern.log\n| Jun  6 15:28:09 n1 kernel: a\nover\nend\n"
    assert await answer(dash, root, seconds=1.5) == f"restripe-logs 1\nlog mmfs\nstate hangs\n{kernel}"
    assert await answer(dash, root, seconds=1.5) == f"restripe-logs 1\nlog mmfs\nstate still\n{kernel}"
    pipe.write_text("")  # whoever reads it gets an end
    pipe.unlink()
    root.write(LATEST, "again\n")

    mark = f"RESTRIPE_LOGS={root.directory}:mmfs\0".encode()
    await until(lambda: not any(mark in environ(pid) for pid in every_pid()))
    assert "| again\n" in await answer(dash, root)


async def test_the_kernel_log_of_this_machine_is_read_by_whatever_works_or_said_to_be_denied(host: LocalHost) -> None:
    (got,) = await host.site.query(HOST, logs())
    parsed = parse_logs(decode(got.stdout), decode(got.stderr))
    assert (parsed.problems, parsed.notes) == ((), ())
    assert isinstance(parsed.model, LogTails)
    kernel = parsed.model.get("kernel")
    assert kernel is not None
    assert kernel.via or kernel.why == "the login may not read it"
    assert kernel.booted


@pytest.mark.parametrize(
    ("journal", "dmesg", "via", "lines"),
    [
        ("echo 2026-11-30T19:28:52+0000 n1 kernel: bad", "exit 1", "journalctl", 1),
        ("exit 1", "printf '<3>[ 1.5] bad\\n<6>[ 2.5] good\\n<30>[ 3.5] systemd: x\\n'", "dmesg", 1),
        (":", "printf '<4>[ 1.5] bad\\n'", "dmesg", 1),
    ],
)
async def test_the_journal_is_asked_first_and_where_it_shows_nothing_the_kernel_itself(
    dash: LocalHost, journal: str, dmesg: str, via: str, lines: int
) -> None:
    dash.tool("journalctl", journal)
    dash.tool("dmesg", dmesg)
    (got,) = await dash.site.query(HOST, logs())
    kernel = parse_logs(decode(got.stdout)).model.get("kernel")
    assert kernel is not None
    assert (kernel.why, kernel.via, len(kernel.marks), len(kernel.entries)) == ("", via, lines, lines)


async def test_a_host_without_gpfs_is_asked_for_the_kernel_s_log_alone(dash: LocalHost, root: Root) -> None:
    root.write(LATEST, "of no use\n")
    root.write(MESSAGES, "Jun  6 15:28:09 n1 kernel: a\n")
    dash.env["RESTRIPE_SYSROOT"] = str(root.directory)
    (got,) = await dash.site.query(HOST, kernel_log())
    told = parse_logs(decode(got.stdout))
    assert told.problems == ()
    assert [tail.name for tail in told.model.tails] == ["kernel"]
