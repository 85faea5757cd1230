"""What pacemaker and corosync print, from memory (docs/to-confirm.md): no output of theirs stands behind it."""

from __future__ import annotations

CRM_NODE = "1 pollux1 member\n2 pollux2 member\n3 pollux3 lost\n"
CMAP = """\
nodelist.node.0.name (str) = pollux1
nodelist.node.0.nodeid (u32) = 1
nodelist.node.0.ring0_addr (str) = 10.0.0.1
nodelist.node.1.nodeid (u32) = 2
nodelist.node.1.ring0_addr (str) = 10.0.0.2
"""


def attributes(kind: str, **pairs: str) -> str:
    """A set of attributes; `_` in a name is `-`."""
    inside = "".join(f'<nvpair id="x" name="{name.replace("_", "-")}" value="{text}"/>' for name, text in pairs.items())
    return f'<{kind}_attributes id="s">{inside}</{kind}_attributes>'


def mount(name: str, device: str = "/dev/vg/home", *sets: str, fstype: str = "gfs2") -> str:
    """A Filesystem agent."""
    parameters = attributes("instance", device=device, directory=f"/srv/{name}", fstype=fstype)
    agent = f'<primitive id="{name}" class="ocf" provider="heartbeat" type="Filesystem">'
    return f"{agent}{parameters}{''.join(sets)}</primitive>"


def resources(*inside: str) -> str:
    """All resources."""
    return f"<resources>\n  {''.join(inside)}\n</resources>\n"


STOPPED = attributes("meta", target_role="Stopped")
STARTED = attributes("meta", target_role="Started")
