"""`mmdevdiscover`: the devices that GPFS looks at for its NSDs, and the script of a host that says otherwise.

Of a script only this is understood: `echo "NAME TYPE"`, a loop over the names that `ls DIR | grep EXPRESSION` gives,
and the last `return`: 0 puts the script's list in the place of GPFS's own, anything else adds to it.
"""

from __future__ import annotations

import re

from simulator.blocknodes import links, nodes
from simulator.hardware import Device, Host
from simulator.usage import parse
from simulator.world import Call, World

MAPS_ONLY = """\
# Multipath maps, never their paths: GPFS takes these names and looks no further.
for name in $(ls /dev | grep '^dm-'); do
  echo "$name dmm"
done
return 0
"""
"""A script as sites with multipath have it."""

_LOOP = re.compile(r"^\s*for (\w+) in \$\( ?(?:/bin/)?ls /dev(?:/(\w+))? ?\| ?e?grep (?:-E )?'?([^' ]+)'? ?\)")
_ECHO = re.compile(r"""^\s*echo "?([\w./${}-]+) (\w+)"?\s*$""")
_RETURN = re.compile(r"^\s*return (\d+)")


def known_names(host: Host) -> dict[str, str]:
    """What GPFS finds by itself: the name below /dev and the type of every disk and partition."""
    return {node.kname: "dmm" if node.is_map else "generic" for node in nodes(host) if node.array is None}


def _names(host: Host, directory: str, expression: str) -> list[str]:
    if directory == "mapper":
        every = [name.removeprefix("mapper/") for name in links(host, list(nodes(host))) if name.startswith("mapper/")]
    else:
        every = [node.kname for node in nodes(host)] if not directory else []
    try:
        return [name for name in every if re.search(expression, name)]
    except re.error:
        return []


def _scripted(host: Host, text: str) -> tuple[list[str], bool]:
    """The lines that a script prints, and whether they are all."""
    lines: list[str] = []
    variable, values, only = "", [""], False
    for line in text.splitlines():
        if loop := _LOOP.match(line):
            variable, values = loop[1], _names(host, loop[2] or "", loop[3])
        elif line.strip() == "done":
            variable, values = "", [""]
        elif echo := _ECHO.match(line):
            for value in values:
                name = (
                    echo[1].replace(f"${{{variable}}}", value).replace(f"${variable}", value) if variable else echo[1]
                )
                lines.append(f"{name} {echo[2]}")
        elif found := _RETURN.match(line):
            only = found[1] == "0"
    return lines, only


def discovered(host: Host) -> list[tuple[str, str]]:
    """The devices that GPFS looks at on a host: names below /dev and types, a script's own first."""
    lines, only = _scripted(host, host.nsddevices or "")
    found = [(name, kind) for name, _, kind in (line.partition(" ") for line in lines)]
    return found if only else [*found, *known_names(host).items()]


def is_discovered(host: Host, device: Device) -> bool:
    """Whether GPFS looks at a device, by whichever of its names."""
    if host.nsddevices is None:
        return True
    own = {device.name, f"mapper/{device.alias}"}
    return any(name in own for name, _ in discovered(host))


async def mmdevdiscover(_world: World, call: Call) -> None:
    """The names and types of a host's devices, one a line."""
    parse(call.argv[1:], "").end(0)
    await call.emit("".join(f"{name} {kind}\n" for name, kind in discovered(call.host)))
