"""The kinds of file systems that the program knows, by name. A kind is a module, loaded when it is first needed.

It is loaded by its name, so that neither the core nor a screen imports it, and adding one changes nothing but this
table: docs/adding-a-file-system.md.
"""

from __future__ import annotations

import importlib
from collections.abc import Mapping, Sequence
from functools import cache
from typing import TYPE_CHECKING, Protocol, TypeAlias, cast

from remote.events import Header
from supervision.reading import Reading

if TYPE_CHECKING:
    from supervision.filesystem import FileSystem
    from supervision.guides import Guides
    from supervision.supervisor import Supervisor

USUAL = "gpfs"
"""The kind that is meant where a person names none."""
KINDS = {"gfs2": "supervision.gfs2", "gpfs": "supervision.gpfs"}
"""The module of each kind; it offers what `Kind` says."""
GUIDES = {"gfs2": "supervision.gfs2_guides"}
"""The module of a kind that offers `open_guides(supervisor, operator)`, where it can be worked on by what is typed."""


Sites: TypeAlias = Mapping[str, Sequence[str]]
"""The names of the nodes at each place that a person knows of: one mishap takes all that are at one."""


class UnknownKindError(ValueError):
    """A kind that this program does not know; the text says which it does."""


class Kind(Protocol):
    """What the module of a kind offers."""

    @property
    def READING(self) -> Reading:  # noqa: N802  it is a constant of a module
        """How its answers and logs are read."""

    def open_file_system(self, name: str, entry: str, hosts: Sequence[str], sites: Sites) -> FileSystem:
        """The file system of that name as the screens see it: `entry` is the host that answers for the whole, `hosts`
        are watched besides.
        """


def kind(name: str) -> Kind:
    """A kind by its name. Raises UnknownKindError."""
    if name not in KINDS:
        raise UnknownKindError(f"a file system of kind {name!r} is not known to this program: it knows {known()}")
    return cast("Kind", importlib.import_module(KINDS[name]))


def known() -> str:
    """The names of all kinds, for people."""
    return ", ".join(sorted(KINDS))


@cache
def reading(name: str) -> Reading:
    """How answers and logs of a kind are read. Raises UnknownKindError."""
    return kind(name).READING


def file_system(header: Header, hosts: Sequence[str] | None = None, sites: Sites | None = None) -> FileSystem:
    """The file system that a session is about; `hosts` other than those it began with. Raises UnknownKindError."""
    return kind(header.kind).open_file_system(
        header.file_system, header.entry, header.hosts if hosts is None else hosts, sites or {}
    )


def guides(supervisor: Supervisor, operator: str) -> Guides | None:
    """What a person may type to begin work in a session; None where its kind has nothing of that."""
    name = GUIDES.get(supervisor.store.state.header.kind)
    if name is None:
        return None
    opened: Guides = importlib.import_module(name).open_guides(supervisor, operator)
    return opened
