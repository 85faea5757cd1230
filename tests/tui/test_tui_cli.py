"""The command line: what it lists, what it costs to ask for help, and the statuses it promises."""

from __future__ import annotations

import re
import subprocess
import sys
from importlib.metadata import version
from pathlib import Path

import pytest

from tests.tui.program import environment, loaded_by, no_traceback, restripe
from tui.endings import ENDINGS
from tui.exits import Exit

HEAVY = ("asyncio", "asyncssh", "cryptography", "textual", "msgspec", "rich", "ClusterShell", "simulator", "remote")


def test_help_lists_the_exit_statuses(tmp_path: Path) -> None:
    done = restripe(tmp_path, "--help")
    assert (done.returncode, done.stderr) == (0, "")
    listed = {int(status) for status in re.findall(r"(?m)^ +(\d+)  \w", done.stdout)}
    assert listed == {int(status) for status in Exit}
    assert {int(status) for status in ENDINGS.values()} <= listed
    for command in ("demo", "replay", "info"):
        assert command in done.stdout
    assert restripe(tmp_path, "-h").stdout == done.stdout


def test_help_loads_nothing_heavy(tmp_path: Path) -> None:
    """Half a second before a help text appears is half a second too long."""
    loaded = loaded_by(tmp_path, "--help")
    assert "click" in loaded
    assert loaded.isdisjoint(HEAVY)


@pytest.mark.parametrize("command", ["demo", "replay", "info"])
def test_each_command_explains_itself(tmp_path: Path, command: str) -> None:
    done = restripe(tmp_path, command, "--help")
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.startswith(f"Usage: restripe {command}")


def test_the_version_is_the_package_s(tmp_path: Path) -> None:
    done = restripe(tmp_path, "--version")
    assert done.stdout == f"restripe, version {version('restripe')}\n"


@pytest.mark.parametrize(
    "words",
    [
        (),
        ("nothing",),
        ("demo", "--speed", "0"),
        ("demo", "--speed", "fast"),
        ("replay",),
        ("replay", "--speed", "0", "x"),
        ("info", "more"),
    ],
)
def test_wrong_usage_is_status_2(tmp_path: Path, words: tuple[str, ...]) -> None:
    done = restripe(tmp_path, *words)
    assert done.returncode == 2
    assert "Usage: restripe" in done.stdout + done.stderr
    assert "Traceback" not in done.stderr


def test_info_lists_versions_and_every_path(tmp_path: Path) -> None:
    state, config = tmp_path / "state", tmp_path / "config"
    done = restripe(tmp_path, "info", XDG_STATE_HOME=str(state), XDG_CONFIG_HOME=str(config))
    assert (done.returncode, done.stderr) == (0, "")
    for package in ("restripe", "textual", "asyncssh", "msgspec", "click", "ClusterShell", "rich", "cryptography"):
        assert re.search(rf"(?m)^ +{package} +{re.escape(version(package))}$", done.stdout), package
    assert re.search(rf"(?m)^ +state +{re.escape(str(state))}/restripe  \(does not exist\)$", done.stdout)
    assert f"{state}/restripe/recordings" in done.stdout
    assert f"{tmp_path}/.ssh/config" in done.stdout
    assert "python" in done.stdout
    shipped = re.search(r"shipped recordings +(\S+)", done.stdout)
    assert shipped is not None
    assert (Path(shipped[1]) / "seed-3.5.jsonl").is_file()
    assert no_traceback(done.stdout)
    assert not state.exists()  # asking changes nothing


def test_an_error_of_the_program_itself_is_a_line_and_a_file(tmp_path: Path) -> None:
    """No traceback on the terminal; the details are where the line says."""
    code = (
        "from tui.running import run_to_exit\n"
        "async def broken(): raise LookupError('\\x1b[31mred')\n"
        "run_to_exit(broken())"
    )
    done = subprocess.run(
        [sys.executable, "-c", code],
        capture_output=True,
        text=True,
        check=False,
        timeout=30,
        env=environment(tmp_path, XDG_STATE_HOME=str(tmp_path / "state")),
    )
    assert (done.returncode, done.stdout) == (1, "")
    first, second = done.stderr.splitlines()
    assert first.startswith("restripe has an error of its own: LookupError: ")
    assert "\x1b" not in done.stderr
    kept = tmp_path / "state" / "restripe" / "crash.txt"
    assert str(kept) in second
    assert "Traceback" in kept.read_text()
