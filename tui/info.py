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

import msgspec

from remote.text import one_line
from tui.paths import recordings_dir, runs_file, state_dir
from tui.settings import SINGLE, Probe, Settings, dotted

if TYPE_CHECKING:
    from remote.ssh.route import Route

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
    yield _path("finished runs", runs_file())
    yield _path("shipped recordings", Path(str(files("recordings"))))
    yield _path("ssh configuration", Path.home() / ".ssh" / "config")
    yield _path("", Path("/etc/ssh/ssh_config"))
    yield _path("known hosts", Path.home() / ".ssh" / "known_hosts")
    yield _path("", Path("/etc/ssh/ssh_known_hosts"))
    yield _row("jobs on hosts", "/var/lib/restripe as root, else ~/.local/state/restripe")


def setting_lines(settings: Settings) -> Iterator[str]:
    """Every setting, what it is, and where that was said."""
    yield f"settings: flags before the environment before {settings.file.name} before the defaults"
    yield _path("file", settings.file)
    config = settings.config
    for path in SINGLE:
        value: object = config
        for part in path:
            value = getattr(value, part)
        yield _setting(settings, path, value)
    if not config.keys:
        yield _row("keys", "default  (restripe info --keys lists them)")
    for name, given in config.keys.items():
        yield _setting(settings, ("keys", name), [given] if isinstance(given, str) else given)
    if not config.sites:
        yield _row("sites", "none")
    for site, nodes in config.sites.items():
        yield _setting(settings, ("sites", site), nodes)
    for field, value in _given(config.probe):
        yield _setting(settings, ("probe", field), value)
    for field, value in _given(config.brake):
        yield _setting(settings, ("brake", field), value)
    if not config.hosts:
        yield _row("hosts", "none")
    for host, defaults in config.hosts.items():
        for field, value in _given(defaults):
            if isinstance(value, Probe):
                for inner, told in _given(value):
                    yield _setting(settings, ("hosts", host, field, inner), told)
            else:
                yield _setting(settings, ("hosts", host, field), value)


def key_lines(settings: Settings) -> Iterator[str]:
    """The name of every binding, its keys as they are now, and what it does."""
    from screens.widgets.frame import key_text
    from tui.keymap import bindings
    from tui.using import check_keys

    chosen = check_keys(settings)
    for name, bound in bindings().items():
        keys = chosen[name].split(",") if name in chosen else bound.keys
        yield f"  {name:<24}{', '.join(map(key_text, keys)):<20}{bound.description}"


def _given(values: msgspec.Struct) -> Iterator[tuple[str, object]]:
    """What is set of a table, by the names of the file."""
    for name, value in msgspec.structs.asdict(values).items():
        if value is not None:
            yield name.replace("_", "-"), value


def _setting(settings: Settings, path: tuple[str, ...], value: object) -> str:
    if isinstance(value, bool):
        text = "true" if value else "false"
    elif isinstance(value, list):
        text = ", ".join(map(str, value))
    else:
        text = f"{value:g}" if isinstance(value, float) else str(value)
    return f"  {one_line(dotted(path)):<30} {one_line(text):<20} ({one_line(settings.origin(*path))})"


async def host_lines(destination: str, config: Path | None) -> list[str]:
    """How `[USER@]HOST` would be reached, and what of the SSH configuration is not done here. Nothing is connected to.

    Raises UnreachableError where the configuration cannot be used.
    """
    from remote.ssh.route import route
    from remote.ssh.settings import SshSettings

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
