"""Arguments of mm* commands, checked: none can turn into an option, into a second name, or end a list early."""

from __future__ import annotations

import re
from collections.abc import Sequence

_NAME = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_.-]{0,254}\Z")
_NODE = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_.:-]{0,254}\Z")  # an IPv6 address is a name too
_PATH = re.compile(r"[A-Za-z0-9_./][A-Za-z0-9_./@+:~-]*\Z")
_PARAMETER = re.compile(r"[A-Za-z][A-Za-z0-9_]*\Z")
_LIMIT = re.compile(r"(?:[0-9]{1,12}(?:\.[0-9]{1,6})?(?:IOPS|Iops|MB/s)?|unlimited|inf)\Z")
_CLASS = re.compile(r"[A-Za-z]+(?:/[A-Za-z_]+)?\Z")
_BLOCK_SIZE = re.compile(r"(?:auto|[0-9]{1,6}[KMGT]?)\Z")


def file_system(name: str) -> str:
    """The name of a file system, or `all`."""
    return _checked(_NAME, name, "the name of a file system")


def nsd(name: str) -> str:
    """The name of an NSD."""
    return _checked(_NAME, name, "the name of an NSD")


def nsds(names: Sequence[str]) -> str:
    """The names of NSDs as one argument."""
    if not names:
        raise ValueError("no NSD is named")
    return ";".join(nsd(name) for name in names)


def node(name: str) -> str:
    """The name or address of a node, or the name of a node class."""
    return _checked(_NODE, name, "the name of a node")


def nodes(names: Sequence[str]) -> str:
    """The names of nodes as one argument."""
    if not names:
        raise ValueError("no node is named")
    return ",".join(node(name) for name in names)


def pool(name: str) -> str:
    """The name of a storage pool."""
    return _checked(_NAME, name, "the name of a storage pool")


def path(text: str) -> str:
    """A path on the host."""
    return _checked(_PATH, text, "a path that mm* commands take safely")


def parameter(name: str) -> str:
    """The name of a configuration parameter."""
    return _checked(_PARAMETER, name, "the name of a parameter")


def qos_class(name: str) -> str:
    """The name of a class of I/O, with its scope if it has one."""
    return _checked(_CLASS, name, "the name of a class of I/O")


def limit(text: str) -> str:
    """The limit of a class of I/O: `300IOPS`, `unlimited`."""
    return _checked(_LIMIT, text, "a limit of I/O")


def block_size(text: str) -> str:
    """The unit of `mmdf --block-size`: `1T`, `auto`."""
    return _checked(_BLOCK_SIZE, text, "a block size")


def _checked(pattern: re.Pattern[str], text: str, what: str) -> str:
    if not pattern.match(text):
        raise ValueError(f"not {what}: {text!r}")
    return text
