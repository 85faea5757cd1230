"""The program as a process of its own, in an empty home."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

COMMAND = (sys.executable, "-m", "tui.cli")


def environment(home: Path, **more: str) -> dict[str, str]:
    """An environment in which nothing of the caller's home is used."""
    kept = {key: value for key, value in os.environ.items() if not key.startswith(("XDG_", "LC_", "PYTHONIO"))}
    return kept | {"HOME": str(home), "LANG": "C.UTF-8"} | more


def restripe(
    home: Path, *words: str, seconds: float = 60, stdin: str = "", **more: str
) -> subprocess.CompletedProcess[str]:
    """Run it to its end."""
    return subprocess.run(
        [*COMMAND, *words],
        input=stdin,
        capture_output=True,
        text=True,
        encoding="utf-8",
        check=False,
        timeout=seconds,
        env=environment(home, **more),
    )


def loaded_by(home: Path, *words: str) -> set[str]:
    """The modules that are loaded when the program ends well."""
    code = (
        "import sys\nfrom tui.cli import cli\n"
        f"try: cli({list(words)!r}, prog_name='restripe')\n"
        "except SystemExit as ended: assert ended.code == 0\n"
        "sys.stderr.write('\\n'.join(sys.modules))"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=30, env=environment(home)
    )
    return set(done.stderr.split())


def no_traceback(text: str) -> bool:
    """Whether a person was spared Python's own words."""
    return not any(word in text for word in ("Traceback", "Exception ignored", "Error:", "error of its own"))
