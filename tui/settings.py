"""What a person set: flags before the environment before `config.toml` before the defaults, and where each came from.

Imported only by the commands that use settings; it loads no terminal library.
"""

from __future__ import annotations

import difflib
import os
import re
import tomllib
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Annotated, Any, Literal, get_args, get_origin

import msgspec
import platformdirs
from msgspec import Meta

NAME = Annotated[str, Meta(min_length=1, max_length=255, description="a text that is not empty")]
NODES = Annotated[list[NAME], Meta(min_length=1, description='a list of names of nodes, as in ["nsd1", "nsd2"]')]
DIRECTORY = Annotated[str, Meta(pattern="^/", max_length=4096, description="an absolute path on that host")]
YES_NO = Annotated[bool, Meta(description="true or false")]
THEMES = ("dark", "light", "ansi")


class Refresh(msgspec.Struct, frozen=True, forbid_unknown_fields=True, rename="kebab"):
    """Limits on what is asked of the cluster and drawn here. They only ever make it less."""

    routine: Annotated[float, Meta(ge=0, le=86_400, description="seconds, 0 to 86400")] = 0.0
    """Never put a routine question more often than every so many seconds."""
    costly: Annotated[float, Meta(ge=0, le=604_800, description="seconds, 0 to 604800")] = 0.0
    """The same for questions that ask every node or read much."""
    draws: Annotated[float, Meta(ge=0.2, le=10, description="redraws a second, 0.2 to 10")] = 10.0
    """Redraws a second at most: fewer on a slow line."""


class Screen(msgspec.Struct, frozen=True, forbid_unknown_fields=True, rename="kebab"):
    """For a person who looks elsewhere."""

    bell: YES_NO = False
    """Ring the terminal's bell when a scan ends or stalls, and when users wait longer than the budget."""
    title: YES_NO = False
    """Show how it stands in the title of the terminal's window."""


class Probe(msgspec.Struct, frozen=True, forbid_unknown_fields=True, rename="kebab"):
    """Where and how users' latency is probed, and how much worse it may get; what is None is as usual."""

    directory: DIRECTORY | None = None
    host: NAME | None = None
    interval: Annotated[float, Meta(ge=1, le=60, description="seconds, 1 to 60")] | None = None
    """The mean between two probes."""
    budget: Annotated[float, Meta(ge=1, le=1000, description="a factor, 1 to 1000")] | None = None
    """How many times as long as before the scan users' operations may take."""


class Brake(msgspec.Struct, frozen=True, forbid_unknown_fields=True, rename="kebab"):
    """How far a scan may be slowed."""

    floor: Annotated[float, Meta(ge=1, le=1_000_000, description="IOPS, 1 to 1000000")] | None = None
    """For all that scan together; nothing below that is set."""
    command: Annotated[Literal["mmchqos", "mmqos"], Meta(description='"mmchqos" or "mmqos"')] | None = None
    """What sets limits on GPFS: `mmqos` where a site has classes of its own."""


class HostDefaults(msgspec.Struct, frozen=True, forbid_unknown_fields=True, rename="kebab"):
    """What holds for one destination where no flag says otherwise."""

    fs: NAME | None = None
    user: NAME | None = None
    through: NAME | None = None
    jump: NAME | None = None
    sudo: YES_NO | None = None
    read_only: YES_NO | None = None
    probe: Probe = Probe()


class Config(msgspec.Struct, frozen=True, forbid_unknown_fields=True, rename="kebab"):
    """The file, as it is understood."""

    theme: Annotated[Literal["dark", "light", "ansi"], Meta(description='"dark", "light" or "ansi"')] = "dark"
    mouse: YES_NO = True
    refresh: Refresh = Refresh()
    screen: Screen = Screen()
    probe: Probe = Probe()
    brake: Brake = Brake()
    keys: dict[str, str | list[str]] = {}
    hosts: dict[str, HostDefaults] = {}
    sites: dict[str, NODES] = {}
    """The nodes at each place whose loss takes all of them."""


Key = tuple[str, ...]
SINGLE: tuple[Key, ...] = (
    ("theme",),
    ("mouse",),
    ("refresh", "routine"),
    ("refresh", "costly"),
    ("refresh", "draws"),
    ("screen", "bell"),
    ("screen", "title"),
)
"""What the environment may set as well."""
KEYS_MEAN = 'a key or a list of keys, as in "S" or ["S", "ctrl+s"]'
_WORDS = {"true": True, "yes": True, "on": True, "1": True, "false": False, "no": False, "off": False, "0": False}


class SettingsError(Exception):
    """Something that was set cannot be meant; a line for each."""

    def __init__(self, *wrong: str) -> None:
        super().__init__("\n".join(wrong))


class Settings(msgspec.Struct, frozen=True):
    """What holds, and where each part of it comes from: `default`, a variable, a flag, or a line of the file."""

    config: Config
    file: Path
    origins: dict[Key, str] = {}
    lines: dict[Key, int] = {}

    def origin(self, *path: str) -> str:
        """Where a setting comes from."""
        return self.origins.get(path, "default")

    def chosen(self, *path: str) -> bool:
        """Whether a person set it."""
        return path in self.origins

    def where(self, *path: str) -> str:
        """The file, and the line in it where it is known."""
        line = _line_of(self.lines, path)
        return f"{self.file}:{line}" if line else str(self.file)

    def host(self, destination: str) -> tuple[str, HostDefaults]:
        """What is set for `[USER@]HOST`, under which name: with the user if that stands there, else the host alone."""
        wanted = _canonical(destination)
        for name in (wanted, wanted.rpartition("@")[2]):
            for key, defaults in self.config.hosts.items():
                if _canonical(key) == name:
                    return key, defaults
        return "", HostDefaults()

    def probe(self, destination: str) -> Probe:
        """How `[USER@]HOST` is probed: what is set for it goes before what is set for all."""
        own = {name: value for name, value in msgspec.structs.asdict(self.host(destination)[1].probe).items() if value}
        return msgspec.structs.replace(self.config.probe, **own)

    def read_only(self, destination: str) -> str:
        """Where it says that nothing may be changed at `[USER@]HOST`, or nothing."""
        wanted = _canonical(destination).rpartition("@")[2]
        for key, defaults in self.config.hosts.items():
            # for whichever user: the guard is of the host, and must not fall with another name before the @
            if defaults.read_only and _canonical(key).rpartition("@")[2] == wanted:
                return f'read-only for "{key}" in {self.where("hosts", key, "read-only")}'
        return ""


def config_file() -> Path:
    """$XDG_CONFIG_HOME/restripe/config.toml."""
    return Path(platformdirs.user_config_dir("restripe", appauthor=False)) / "config.toml"


def variable(path: Key) -> str:
    """The environment variable of a setting."""
    return "_".join(("RESTRIPE", *path)).upper().replace("-", "_")


def load(flags: Mapping[str, object] | None = None, environ: Mapping[str, str] | None = None) -> Settings:
    """Everything that is set. A flag that is None was not given. Raises SettingsError."""
    environ = os.environ if environ is None else environ
    file = config_file()
    raw, lines = _read(file)
    _flatten_keys(raw, lines)
    wrong = [f"{place(file, lines, path)}: {problem}" for path, problem in _problems(Config, raw, ())]
    wrong += [f"{place(file, lines, path)}: {problem}" for path, problem in _odd_sites(raw.get("sites"))]
    origins = {path: f"line {_line_of(lines, path)}" for path in _leaves(raw)}
    for path in SINGLE:
        name = variable(path)
        if text := environ.get(name, ""):
            kind = _field(Config, path)
            value = _from_text(kind, text)
            if _fits(value, kind):
                _put(raw, path, value)
                origins[path] = name
            else:
                wrong.append(f"{name}: {_shown(text)} cannot be meant; allowed: {_allowed(kind)}")
    for flag, given in (flags or {}).items():
        if given is not None:
            _put(raw, (flag,), given)
            origins[flag,] = f"--{flag}" if given is not False else f"--no-{flag}"
    if wrong:
        raise SettingsError(*wrong)
    return Settings(msgspec.convert(raw, Config), file, origins, lines)


def place(file: Path, lines: Mapping[Key, int], path: Key) -> str:
    """`FILE:LINE: key`, for a message."""
    line = _line_of(lines, path)
    return f"{file}:{line}: {dotted(path)}" if line else f"{file}: {dotted(path)}"


def dotted(path: Key) -> str:
    """A key as it may be written in the file."""
    return ".".join(part if re.fullmatch(r"[\w-]+", part, re.ASCII) else f'"{part}"' for part in path)


def _read(file: Path) -> tuple[dict[str, Any], dict[Key, int]]:
    try:
        text = file.read_bytes().decode()
    except (FileNotFoundError, NotADirectoryError):
        return {}, {}
    except UnicodeDecodeError as error:
        line = error.object[: error.start].count(b"\n") + 1
        raise SettingsError(f"{file}:{line}: it is not UTF-8") from None
    except OSError as error:
        raise SettingsError(f"{file}: it cannot be read: {error.strerror}") from None
    try:
        return tomllib.loads(text), _lines(text)
    except tomllib.TOMLDecodeError as error:
        found = re.search(r"\(at (?:line (\d+), column (\d+)|end of document)\)$", str(error))
        at = found[1] if found and found[1] else str(text.count("\n") + 1)
        raise SettingsError(f"{file}:{at}: it is not TOML: {str(error).split(' (at ')[0]}") from None
    except RecursionError:
        raise SettingsError(f"{file}: it is not TOML that can be meant: nested too deeply") from None


def _lines(text: str) -> dict[Key, int]:
    """On which line each key and table stands. TOML's own parser tells no lines, so each line is asked by itself."""
    lines: dict[Key, int] = {}
    table: Key = ()
    for number, line in enumerate(text.splitlines(), 1):
        if line.lstrip().startswith("["):
            if (header := _path(line)) is not None:
                table = header
                for end in range(1, len(table) + 1):
                    lines.setdefault(table[:end], number)
            continue
        for equals in re.finditer("=", line):
            if (key := _path(f"{line[: equals.start()]}=0")) is not None:
                lines.setdefault(table + key, number)
                break
    return lines


def _flatten_keys(raw: dict[str, Any], lines: dict[Key, int]) -> None:
    """Take `grid.sort = "S"` for `"grid.sort" = "S"`: to TOML a dot is a table, to people it is part of the name."""
    keys = raw.get("keys")
    if not isinstance(keys, dict):
        return
    flat: dict[str, Any] = {}
    for path in _leaves(keys):
        name = ".".join(path)
        value: Any = keys
        for part in path:
            value = value[part]
        flat[name] = value
        if line := _line_of(lines, ("keys", *path)):
            lines["keys", name] = line
    raw["keys"] = flat


def _path(statement: str) -> Key | None:
    """The one key that a line of TOML sets."""
    try:
        found: Any = tomllib.loads(statement)
    except tomllib.TOMLDecodeError:
        return None
    path = []
    while isinstance(found, dict) and len(found) == 1:
        key, found = next(iter(found.items()))
        path.append(key)
    return tuple(path) or None


def _line_of(lines: Mapping[Key, int], path: Key) -> int:
    """The line of a key, or of the nearest table around it; 0 where neither is known."""
    return next((lines[path[:end]] for end in range(len(path), 0, -1) if path[:end] in lines), 0)


def _leaves(raw: Mapping[str, Any], above: Key = ()) -> Iterator[Key]:
    for key, value in raw.items():
        if isinstance(value, dict):
            yield from _leaves(value, (*above, key))
        else:
            yield (*above, key)


def _problems(kind: Any, raw: Any, path: Key) -> Iterator[tuple[Key, str]]:
    """What is wrong, each with its own key: msgspec alone stops at the first and does not name keys of a mapping."""
    if isinstance(kind, type) and issubclass(kind, msgspec.Struct):
        if not isinstance(raw, dict):
            yield path, f"it is a table: write [{dotted(path)}]"
            return
        fields = {field.encode_name: field.type for field in msgspec.structs.fields(kind)}
        for key, value in raw.items():
            if key in fields:
                yield from _problems(fields[key], value, (*path, key))
            else:
                yield (*path, key), _unknown(key, fields, in_hosts=path[:1] == ("hosts",) and isinstance(value, dict))
    elif get_origin(kind) is dict:
        if not isinstance(raw, dict):
            yield path, f"it is a table: write [{dotted(path)}]"
            return
        for key, value in raw.items():
            yield from _problems(get_args(kind)[1], value, (*path, key))
    elif not _fits(raw, kind):
        allowed = KEYS_MEAN if path[0] == "keys" else _allowed(kind)
        yield path, f"{_shown(raw)} cannot be meant; allowed: {allowed}"


def _odd_sites(sites: Any) -> Iterator[tuple[Key, str]]:
    """A node that is at two sites, and a site without a name; what is no list is told elsewhere."""
    at: dict[str, str] = {}
    for site, nodes in sites.items() if isinstance(sites, dict) else ():
        if not site.strip() or not site.isprintable():
            yield ("sites", site), "a site needs a name that can be shown"
        for node in nodes if isinstance(nodes, list) else ():
            name = _canonical(node) if isinstance(node, str) else ""
            if name and at.setdefault(name, site) != site:
                yield ("sites", site), f"{node} is at {at[name]} already; a node is at one site"


def _unknown(key: str, known: Mapping[str, object], *, in_hosts: bool) -> str:
    if in_hosts:
        return 'no such setting; a host with dots in its name stands in quotes: [hosts."a.example.org"]'
    near = difflib.get_close_matches(key, known, 1)
    meant = f"; did you mean {near[0]}?" if near else ";"
    return f"no such setting{meant} allowed: {', '.join(known)}"


def _fits(value: object, kind: Any) -> bool:
    try:
        msgspec.convert(value, kind, strict=True)
    except msgspec.ValidationError:
        return False
    texts = value if isinstance(value, list) else [value]
    return all(not isinstance(text, str) or text.isprintable() for text in texts)


def _allowed(kind: Any) -> str:
    """What the model says of a type, in words."""
    for part in (kind, *get_args(kind)):
        for meta in getattr(part, "__metadata__", ()):
            if isinstance(meta, Meta) and meta.description:
                return meta.description
    return "what is expected"


def _shown(value: object) -> str:
    text = ("true" if value else "false") if isinstance(value, bool) else repr(value)
    return text if len(text) <= 60 else f"{text[:57]}…"


def _field(kind: Any, path: Key) -> Any:
    for part in path:
        kind = next(field.type for field in msgspec.structs.fields(kind) if field.encode_name == part)
    return kind


def _from_text(kind: Any, text: str) -> object:
    if kind == YES_NO:
        return _WORDS.get(text.lower(), text)
    try:
        return float(text)
    except ValueError:
        return text


def _put(raw: dict[str, Any], path: Key, value: object) -> None:
    *tables, last = path
    for table in tables:
        below = raw.setdefault(table, {})
        if not isinstance(below, dict):
            return  # told as a problem of the file
        raw = below
    raw[last] = value


def _canonical(destination: str) -> str:
    """One spelling of a destination: names of hosts do not differ by case or by a last dot."""
    user, at, host = destination.strip().rpartition("@")
    return f"{user}{at}{host.lower().rstrip('.')}"
