"""`restripe simulate` and `restripe simulate ctl`, as a person runs them."""

from __future__ import annotations

import asyncio
import json
import os
import signal
import subprocess
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from tests.simulator.far_side import processes_of, until

PROGRAM = (sys.executable, "-m", "tui.cli", "simulate")


async def program(*words: str) -> tuple[int, str, str]:
    """Run the program to its end."""
    process = await asyncio.create_subprocess_exec(
        *PROGRAM, *words, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE
    )
    async with asyncio.timeout(30):
        out, err = await process.communicate()
    return int(process.returncode or 0), out.decode(), err.decode()


@asynccontextmanager
async def cluster(directory: Path, *words: str) -> AsyncIterator[tuple[asyncio.subprocess.Process, str]]:
    """A cluster in the foreground, and the line it printed when it was ready."""
    process = await asyncio.create_subprocess_exec(
        *PROGRAM, "--dir", str(directory), *words, stdout=subprocess.PIPE, stderr=subprocess.PIPE
    )
    try:
        assert process.stdout is not None
        async with asyncio.timeout(30):
            line = (await process.stdout.readline()).decode()
        yield process, line
    finally:
        if process.returncode is None:
            process.kill()
        await process.wait()


async def over(process: asyncio.subprocess.Process) -> tuple[int, str, str]:
    """Its exit status and the rest of what it said."""
    async with asyncio.timeout(30):
        out, err = await process.communicate()
    return int(process.returncode or 0), out.decode(), err.decode()


@pytest.mark.parametrize("how", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
async def test_it_ends_cleanly_and_leaves_nothing(tmp_path: Path, how: signal.Signals) -> None:
    directory = tmp_path / "c"
    async with cluster(directory) as (process, line):
        assert line == (
            f"pollux.example.com: 3 hosts, file system mss1; ssh -F {directory}/ssh_config pollux1; ctrl-C ends it\n"
        )
        process.send_signal(how)
        assert await over(process) == (0, "", "")
    assert not directory.exists()
    assert processes_of(directory) == []


async def test_a_signal_before_it_is_ready(tmp_path: Path) -> None:
    directory = tmp_path / "c"
    process = await asyncio.create_subprocess_exec(
        *PROGRAM, "--dir", str(directory), stdout=subprocess.PIPE, stderr=subprocess.PIPE
    )

    async def begun() -> bool:
        return directory.exists()

    await until(begun)
    process.send_signal(signal.SIGINT)
    code, _, err = await over(process)
    assert (code, err) == (0, "")
    assert not directory.exists()
    assert processes_of(directory) == []


async def test_a_directory_that_was_there_is_only_emptied(tmp_path: Path) -> None:
    async with cluster(tmp_path, "--scenario", "big", "--hosts", "2", "--disks", "4", "--speed", "60") as (
        process,
        line,
    ):
        assert line.startswith("big.example.com: 2 hosts, file system big; ")
        process.send_signal(signal.SIGINT)
        assert (await over(process))[0] == 0
    assert list(tmp_path.iterdir()) == []


async def test_requests(tmp_path: Path) -> None:
    directory = tmp_path / "c"
    ctl = ("ctl", "--dir", str(directory))
    async with cluster(directory) as (process, _):
        code, out, err = await program(*ctl, "facts")
        assert (code, err, json.loads(out)["fs"]) == (0, "", "mss1")
        code, out, _ = await program(*ctl, "set_policy", "conflict=terminate", "pit_limit=31", 'down_nodes=["pollux2"]')
        policies = json.loads(out)
        assert (policies["conflict"], policies["pit_limit"], policies["down_nodes"]) == ("terminate", 31, ["pollux2"])
        code, out, err = await program("--dir", str(directory), "ctl", "reboot", "host=x")
        assert (code, out) == (1, "")
        assert err == "control reboot: no host 'x': pollux1, pollux2, pollux3\n"
        code, _, err = await program(*ctl, "cut", "pollux1")
        assert (code, err) == (2, "'pollux1' is not KEY=VALUE\n")
        busy = await program("--dir", str(directory))
        assert busy[0] == 1
        assert "the directory is not empty (a cluster runs there, or one was killed: remove it then)" in busy[2]
        assert (await program(*ctl, "shutdown"))[:2] == (0, "{}\n")
        assert (await over(process))[0] == 0
    assert not directory.exists()
    code, _, err = await program(*ctl, "facts")
    assert code == 3
    assert err == f"No simulated cluster runs in {directory}; start one with: restripe simulate\n"


async def test_it_tells_when_the_cluster_dies(tmp_path: Path) -> None:
    directory = tmp_path / "c"
    async with cluster(directory) as (process, _):
        simulator = next(
            int(entry.name)
            for entry in Path("/proc").iterdir()
            if entry.name.isdigit() and _is_simulator(entry, directory)
        )
        os.kill(simulator, signal.SIGKILL)
        code, _, err = await over(process)
        assert (code, err) == (1, "The simulated cluster ended by itself, with exit status -9.\n")
    assert not directory.exists()


def _is_simulator(entry: Path, directory: Path) -> bool:
    try:
        words = (entry / "cmdline").read_bytes().split(b"\0")
    except OSError:
        return False
    return b"simulator" in words and os.fsencode(directory) in words


@pytest.mark.parametrize(
    ("words", "complaint"),
    [
        (("--scenario", "moon"), "no scenario 'moon': seed"),
        (("--hosts", "3"), "only scenario big takes"),
        (("--dir", "/usr"), "/usr: the directory is not empty\n"),
    ],
)
async def test_it_says_why_it_does_not_start(tmp_path: Path, words: tuple[str, ...], complaint: str) -> None:
    code, out, err = await program("--dir", str(tmp_path / "c"), *words)
    assert (code, out) == (1, "")
    assert err.startswith("The simulated cluster could not be started: ")
    assert complaint in err
    assert not (tmp_path / "c").exists()


async def test_help_and_imports() -> None:
    code, out, _ = await program("--help")
    assert code == 0
    assert "ctrl-C" in out
    assert "set_policy" in (await program("ctl", "--help"))[1]
    script = "import sys, tui.simulate; print(sorted({'asyncssh', 'textual'} & set(sys.modules)))"
    process = await asyncio.create_subprocess_exec(sys.executable, "-c", script, stdout=subprocess.PIPE)
    assert (await process.communicate())[0] == b"[]\n"
