"""`restripe info`: what a bug report needs."""

from __future__ import annotations

import getpass
import platform
import sys
from collections.abc import Iterator, Sequence
from importlib.metadata import PackageNotFoundError, version
from importlib.resources import files
from pathlib import Path
from typing import TYPE_CHECKING

from remote.text import one_line
from tui.paths import recordings_dir, state_dir

if TYPE_CHECKING:
    from remote.ssh import Route

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


async def host_lines(destination: str, config: Path | None) -> list[str]:
    """How `[USER@]HOST` would be reached, and what of the SSH configuration is not done here. Nothing is connected to.

    Raises UnreachableError where the configuration cannot be used.
    """
    from remote.ssh import SshSettings, route

    user, _, host = destination.rpartition("@")
    settings = SshSettings(config_files=(config,) if config else None, user=user)
    return _way(host, settings.files(), await route(settings, host))


def _way(host: str, files: Sequence[Path], way: Route) -> list[str]:
    from remote.sshconfig import Subject, unsupported

    agent = Path(way.agent).expanduser() if way.agent else None
    lines = [f"host {one_line(host)}"]
    lines += [_path("ssh configuration" if number == 0 else "", path) for number, path in enumerate(files)]
    if not files:
        lines.append(_row("ssh configuration", "none"))
    lines += [
        _row("host name", one_line(way.name)),
        _row("port", str(way.port)),
        _row("user", one_line(way.user)),
        _row("jump", one_line(way.jump) or "none"),
        *([_row("proxy command", one_line(way.command))] if way.command else []),
        *_paths("identity file", way.identities or ("the usual ones in ~/.ssh",)),
        *_paths("certificate", way.certificates),
        *[_path("known hosts" if number == 0 else "", path) for number, path in enumerate(way.known_hosts)],
        _row("agent socket", f"yes: {agent}" if agent and agent.exists() else "no"),
    ]
    found = unsupported(files, Subject(host, way.name, way.user, getpass.getuser()))
    lines.append("not done as the SSH configuration says" if found else "all that the SSH configuration says is done")
    for one in found:
        may = " (if its block holds)" if one.may else ""
        lines.append(f"  {one.file}:{one.line}: {one_line(one.keyword)} {one_line(one.value)}{may}")
        lines.append(f"      {one.meaning}")
    return lines


def _paths(name: str, values: Sequence[str]) -> list[str]:
    return [_row(name if number == 0 else "", one_line(value)) for number, value in enumerate(values)]


def _version(package: str) -> str:
    try:
        return version(package)
    except PackageNotFoundError:
        return "not installed"


def _path(name: str, path: Path) -> str:
    return _row(name, f"{path}{'' if path.exists() else '  (does not exist)'}")


def _row(name: str, value: str) -> str:
    return f"  {name:<20}{value}"
