"""`restripe watch` on a real OpenSSH server: somebody else's scan is found, followed to its end, and never touched."""

from __future__ import annotations

import asyncio
import json
import shlex
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from tests import openssh
from tests.openssh import Account, Server
from tests.tui.program import COMMAND, environment, no_traceback, restripe
from tests.waiting import until
from tui.cli import cli
from tui.connecting import Target
from tui.exits import Exit
from tui.settings import Config, Settings
from tui.watch import Wanted, run

pytestmark = pytest.mark.openssh
PROGRAM = """#!/bin/sh
echo 'Scanning file system metadata, phase 1 ... '
echo 'Scan completed successfully.'
echo 'Scanning user file metadata ...'
echo ' 50.00 % complete on Thu Jun  6 19:35:45 2013  (      500 inodes        10 MB)'
read word <go
echo "$word"
"""
"""What prints as mmrestripefs does, and waits for a word that a test writes."""


class Host:
    """A host on which somebody runs a restripe; none of the programs of GPFS is there, which is no reason to stop."""

    def __init__(self, farm: openssh.Farm, home: Path) -> None:
        self.account: Account = farm.account(purpose="watch")
        self.place = self.account.directory("work")
        # its processes are told from those of everybody else on this machine
        self.server: Server = farm.server("gpfs1", account=self.account, env={"RESTRIPE_SYSROOT": str(self.place)})
        self.config = farm.config
        self.home = home
        program = self.account.script("mmrestripefs", PROGRAM)
        self.log = self.place / "r.log"
        self.ssh(f"cd {self.place} && mkfifo go && {{ {program} mss1 -r 2>&1 | tee r.log >/dev/null 2>&1 & }}")

    def ssh(self, command: str) -> None:
        """Run a command on the host as its user."""
        words = ["ssh", "-F", str(self.config), self.server.host, f"sh -c {shlex.quote(command)}"]
        subprocess.run(words, check=True, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, timeout=60)

    def go_on(self, word: str) -> None:
        """Let the scan print a word and end."""
        self.ssh(f"printf '%s\\n' {shlex.quote(word)} >{self.place}/go")


@pytest.fixture
def host(tmp_path: Path) -> Iterator[Host]:
    with openssh.farm() as farm:
        yield Host(farm, tmp_path)


def lines_of(process: subprocess.Popen[str]) -> Iterator[dict[str, Any]]:
    assert process.stdout is not None
    for line in process.stdout:
        yield json.loads(line)


def test_a_scan_in_somebodys_tee_is_found_and_followed_to_its_end(host: Host) -> None:
    told = host.home / "told"
    notify = host.home / "notify"
    notify.write_text(f'#!/bin/sh\necho "$1" >>{told}\n', encoding="utf-8")
    notify.chmod(0o755)
    words = ["watch", "gpfs1", "-F", str(host.config), "--until", "done", "--json"]
    seen = []
    with subprocess.Popen(
        [*COMMAND, *words, "--notify", str(notify)],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env=environment(host.home),
    ) as process:
        for line in lines_of(process):
            seen.append(line)
            if line.get("done") == 500:
                host.go_on("Scan completed successfully.")
                break
        seen += lines_of(process)
        assert process.stderr is not None
        errors = process.stderr.read()
        assert process.wait() == 6, errors  # done, but nobody knows its exit code
    watching = next(line for line in seen if line["event"] == "watching")
    assert watching["job"] == f"file:{host.log}"
    assert "mmrestripefs mss1 -r on gpfs1" in watching["text"]
    assert "by " + host.account.name in watching["text"]
    assert (seen[-1]["phase"], seen[-1]["urgent"]) == ("finished", "finish")
    assert "its exit code cannot be known" in seen[-1]["text"]
    assert told.read_text(encoding="utf-8") == "finish\n"
    assert no_traceback(errors)
    # all of it can be seen again, from the recording alone
    recording = next((host.home / ".local/state/restripe/recordings").iterdir())
    assert f"recorded in {recording}" in errors
    again = restripe(host.home, "replay", "--plain", str(recording))
    assert again.returncode == 0
    assert "was started outside restripe" in again.stdout


async def test_what_is_over_or_not_there_is_told_at_once(host: Host, capsys: pytest.CaptureFixture[str]) -> None:
    host.go_on("mmrestripefs: Command failed.  Examine previous error messages to determine cause.")
    await until(lambda: not host.server.processes("mmrestripefs"))
    cases = {
        Wanted(log=str(host.log)): "which process writes its log is not known",
        Wanted(log="/no/such.log"): "gpfs1: /no/such.log cannot be read: ",
        Wanted(until_done=True): "no scan of mss1 runs or has run as a job on gpfs1",
        Wanted("a-1"): "no job a-1 on gpfs1",
    }
    for number, (wanted, told) in enumerate(cases.items()):
        assert await watched(host.config, "gpfs1", wanted, host.home / f"{number}") is Exit.FAILED
        printed = capsys.readouterr()
        assert told in printed.out + printed.err
        assert ("  failed      " in printed.out) == (number == 0)
    # nor is a file system guessed where nobody names one
    assert await watched(host.config, "gpfs1", Wanted(), host.home / "no", fs="") is Exit.FAILED
    told = capsys.readouterr().err
    assert "no scan runs or has run as a job on gpfs1, so the file system is not known: name it with --fs" in told
    assert not (host.home / "no").exists()


async def test_a_host_that_is_not_let_in_is_could_not_connect(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with openssh.farm() as farm:
        farm.server("stranger", known=False)
        assert await watched(farm.config, "stranger", Wanted(), tmp_path / "recording") is Exit.UNREACHABLE
    assert "could not connect to stranger" in capsys.readouterr().err


async def told_while_watching(
    config: Path, name: str, home: Path, words: str, capsys: pytest.CaptureFixture[str]
) -> str:
    """What is told until `words` are among it; the watching would go on, and is ended then."""
    told: list[str] = []

    def seen() -> bool:
        told.append(capsys.readouterr().err)
        return words in "".join(told)

    watching = asyncio.create_task(watched(config, name, Wanted(), home / "waiting"))
    try:
        await until(seen)
    finally:
        watching.cancel()
        await asyncio.gather(watching, return_exceptions=True)
    return "".join(told)


async def test_that_nothing_runs_is_said_before_the_next_scan_is_waited_for(
    host: Host, capsys: pytest.CaptureFixture[str]
) -> None:
    host.go_on("Scan completed successfully.")
    await until(lambda: not host.server.processes("mmrestripefs"))
    told = await told_while_watching(host.config, "gpfs1", host.home, "the next one is waited for", capsys)
    assert "no scan of mss1 runs or has run as a job on gpfs1, nor on the hosts beside it: the next one" in told


async def test_that_a_host_is_not_reached_is_said_at_once_while_it_is_tried_again(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    config = tmp_path / "ssh_config"
    config.write_text("Host nsd9\n  HostName nsd9.invalid\n", encoding="utf-8")
    told = await told_while_watching(config, "nsd9", tmp_path, "it is tried again", capsys)
    assert "could not connect to nsd9: the name cannot be resolved" in told


async def watched(config: Path, name: str, wanted: Wanted, record: Path, *, fs: str = "mss1") -> Exit:
    """What `restripe watch` does, in this process."""
    settings = Settings(Config(), record)
    return await run(Target(name, config=config), fs, wanted, notifier=None, record=record, settings=settings)


@pytest.mark.parametrize(
    "words",
    [
        ("h", "--log", "/a", "--fs", "f", "job"),
        ("h", "--pid", "5", "--fs", "f"),
        ("h", "--log", "relative", "--fs", "f"),
        ("h", "--notify", "'", "--fs", "f"),
        ("h", "--until", "dawn", "--fs", "f"),
        (),
    ],
)
def test_what_cannot_be_meant_is_wrong_usage(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, words: tuple[str, ...]
) -> None:
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path))
    assert CliRunner().invoke(cli, ["watch", *words]).exit_code == 2
