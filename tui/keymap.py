"""Own keys: which bindings there are, what a key is called, and which keys would get in each other's way."""

from __future__ import annotations

import difflib
import unicodedata
from collections.abc import Iterator, Mapping

import msgspec
from textual.app import App
from textual.binding import Binding, BindingsMap
from textual.dom import DOMNode
from textual.keys import KEY_NAME_REPLACEMENTS, Keys, _character_to_key
from textual.screen import Screen

from screens.widgets.frame import key_text
from tui.modes import load_all
from tui.settings import Settings, SettingsError

ALWAYS = {"ctrl+c": "says how to quit", "ctrl+q": "quits", "tab": "moves the focus", "shift+tab": "moves the focus"}
"""Keys that mean one thing whatever is set: nobody may lock themselves in."""
MODIFIERS = ("ctrl", "alt", "shift", "super", "hyper", "meta")
_NAMES = {key.value for key in Keys} | set(KEY_NAME_REPLACEMENTS.values())


class Bound(msgspec.Struct, frozen=True):
    """A binding that has a name, and where it stands."""

    id: str
    description: str
    keys: tuple[str, ...]
    nodes: tuple[type[DOMNode], ...]


def bindings() -> dict[str, Bound]:
    """Every named binding of the program; those of the library have names of no use to a person."""
    load_all()
    found: dict[str, Bound] = {}
    for node in _own(DOMNode):
        for entry in node.__dict__.get("BINDINGS", ()):
            if isinstance(entry, Binding) and entry.id:
                keys = tuple(key for key, _binding in BindingsMap([entry]))
                before = found.get(entry.id)
                found[entry.id] = Bound(
                    entry.id,
                    before.description if before else entry.description,
                    (*before.keys, *(key for key in keys if key not in before.keys)) if before else keys,
                    (*before.nodes, node) if before else (node,),
                )
    return dict(sorted(found.items()))


def keymap(settings: Settings) -> dict[str, str]:
    """The keys that a person set, as textual takes them. Raises SettingsError, which names id and keys."""
    known = bindings()
    wrong: list[str] = []
    chosen: dict[str, tuple[str, ...]] = {}
    for name, given in settings.config.keys.items():
        where = f"{settings.where('keys', name)}: keys.{name}"
        if name not in known:
            near = difflib.get_close_matches(name, known, 1)
            meant = f"; did you mean {near[0]}?" if near else ""
            wrong.append(f"{where}: nothing has this name{meant} `restripe info --keys` lists them")
            continue
        keys = [given] if isinstance(given, str) else given
        named = [key_name(key) for key in keys]
        bad = [key for key, long in zip(keys, named, strict=True) if not long]
        if bad or not keys:
            what = f"{bad[0]!r} is no key" if bad else "no key is given"
            wrong.append(f'{where}: {what}; allowed: a character, or a name as in "ctrl+s", "f5", "pageup", "space"')
        elif taken := [long for long in named if long in ALWAYS]:
            wrong.append(f"{where}: {taken[0]} always {ALWAYS[taken[0]]}")
        else:
            chosen[name] = tuple(dict.fromkeys(named))
    for name, key, other in _clashes(known, chosen):
        what = f'{key_text(key)} is {other.id} already ("{other.description}")'
        wrong.append(f"{settings.where('keys', name)}: keys.{name}: {what}")
    if wrong:
        raise SettingsError(*wrong)
    return {name: ",".join(keys) for name, keys in chosen.items()}


def key_name(key: str) -> str:
    """The long name of a key, `question_mark` for `?`; empty where there is no such key."""
    if len(key) == 1:
        return _character_to_key(key) if key.isprintable() and key != " " else ""
    *modifiers, last = key.split("+")
    if any(modifier not in MODIFIERS for modifier in modifiers) or len(set(modifiers)) < len(modifiers):
        return ""
    if len(last) == 1:
        # a terminal tells shift by the character itself
        return "+".join((*modifiers, last)) if last.isprintable() and last != " " and last == last.lower() else ""
    if last in _NAMES:
        return key
    try:
        unicodedata.lookup(last.replace("_", " ").upper())
    except KeyError:
        return ""
    return key


def _own(node: type[DOMNode]) -> Iterator[type[DOMNode]]:
    for below in node.__subclasses__():
        if below.__module__.startswith(("screens.", "tui.")):
            yield below
        yield from _own(below)


def _clashes(known: Mapping[str, Bound], chosen: Mapping[str, tuple[str, ...]]) -> Iterator[tuple[str, str, Bound]]:
    """A binding that was moved, the key, and whom it would meet there; one that they share by default is meant so."""
    for name, keys in chosen.items():
        for other in known.values():
            if other.id == name or not _meet(known[name], other):
                continue
            if other.id in chosen and other.id < name:
                continue  # told from the other side
            theirs = chosen.get(other.id, other.keys)
            for key in keys:
                if key in theirs and not (key in known[name].keys and key in other.keys):
                    yield name, key, other


def _meet(one: Bound, other: Bound) -> bool:
    """Whether both can be in force at once: what has the focus, its screen, and the application."""
    return any(_together(first, second) for first in one.nodes for second in other.nodes)


def _together(one: type[DOMNode], other: type[DOMNode]) -> bool:
    if issubclass(one, App) or issubclass(other, App):
        return True
    if issubclass(one, Screen) == issubclass(other, Screen):
        return issubclass(one, other) or issubclass(other, one)
    screen, widget = (one, other) if issubclass(one, Screen) else (other, one)
    return widget.__name__ not in getattr(screen, "WITHOUT", ())
