"""Many names in few words: `foo[1-3]`. Nothing here knows what the names are of."""

from __future__ import annotations

import re
from collections.abc import Iterable

# Only such names go to ClusterShell: brackets, commas and operators would be obeyed, and `n[1-999999999]` expanded.
_PLAIN = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_.-]{0,254}\Z")


def fold(names: Iterable[str]) -> str:
    """Names as one short text, `pollux[1-3]`; a list with commas where they do not fold. Each name counts
    once.

    Groups are never looked up: a name is nothing but a name.
    """
    once = tuple(dict.fromkeys(names))
    if len(once) < 2 or not all(_PLAIN.match(name) for name in once):
        return ",".join(once)
    # Imported here because it takes a while and most runs of the program fold nothing.
    from ClusterShell.NodeSet import RESOLVER_NOGROUP, NodeSet, NodeSetException  # noqa: PLC0415

    try:
        return str(NodeSet.fromlist(once, resolver=RESOLVER_NOGROUP))
    except NodeSetException:
        return ",".join(once)
