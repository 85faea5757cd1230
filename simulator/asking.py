"""What all reading commands share: their options with -Y where the release has it, and whom they can ask."""

from __future__ import annotations

from simulator.hardware import Host
from simulator.usage import Arguments, CommandError, UsageError, parse
from simulator.world import Call, World


def arguments(world: World, call: Call, flags: str, valued: str = "") -> Arguments:
    """The command line; -Y is a flag where the release knows it for this command."""
    y = " -Y" if world.dialect.has_y(call.name) else ""
    return parse(call.argv[1:], flags + y, valued)


def find_node(world: World, call: Call, name: str) -> Host:
    """A node of the cluster by one of its names."""
    host = world.cluster.find_host(name)
    if host is None:
        raise CommandError(f"{call.name}: Incorrect node {name} specified for command.")
    return host


def chosen_nodes(world: World, call: Call, text: str) -> list[Host]:
    """The nodes of `-N`: a list of names, or `all`."""
    if text == "all":
        return list(world.cluster.hosts.values())
    return [find_node(world, call, name) for name in text.split(",")]


def unreachable(world: World, call: Call, hosts: list[Host]) -> None:
    """Say on stderr which of the nodes asked did not answer."""
    if lost := [host.daemon_name.partition(".")[0] for host in hosts if host.name in world.powered_off]:
        names = "".join(f"{name}\n" for name in lost)
        call.err.append(f"{call.name}: The following nodes could not be reached:\n\n{names}")


def names_of(text: str) -> list[str]:
    """The names of a list joined by semicolons."""
    names = [name for name in text.split(";") if name]
    if not names:
        raise UsageError("Missing arguments.")
    return names
