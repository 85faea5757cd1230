"""`restripe info`: what a bug report needs."""

from __future__ import annotations

import platform
import sys
from collections.abc import Iterator
from importlib.metadata import PackageNotFoundError, version
from importlib.resources import files
from pathlib import Path

from tui.paths import recordings_dir, state_dir

PACKAGES = ("restripe", "textual", "asyncssh", "msgspec", "click", "ClusterShell", "rich", "cryptography")


def lines() -> Iterator[str]:
    """The lines that are printed."""
    yield "versions"
    for package in PACKAGES:
        yield _row(package, _version(package))
    yield _row("python", f"{platform.python_version()} ({sys.executable})")
    yield _row("system", f"{platform.system()} {platform.release()} {platform.machine()}")
    yield "paths"
    yield _path("state", state_dir())
    yield _path("recordings", recordings_dir())
    yield _path("shipped recordings", Path(str(files("recordings"))))
    yield _path("ssh configuration", Path.home() / ".ssh" / "config")
    yield _path("", Path("/etc/ssh/ssh_config"))
    yield _path("known hosts", Path.home() / ".ssh" / "known_hosts")
    yield _path("", Path("/etc/ssh/ssh_known_hosts"))
    yield _row("jobs on hosts", "/var/lib/restripe as root, else ~/.local/state/restripe")


def _version(package: str) -> str:
    try:
        return version(package)
    except PackageNotFoundError:
        return "not installed"


def _path(name: str, path: Path) -> str:
    return _row(name, f"{path}{'' if path.exists() else '  (does not exist)'}")


def _row(name: str, value: str) -> str:
    return f"  {name:<20}{value}"
