"""What is known of one GPFS file system, found in the state once for all its tables. Pure; nothing raises."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cached_property
from typing import Any, TypeVar

from remote.gpfs.models import Cluster, ClusterNode, DiskList, FileSystem, FsSpace, NodeStates, NsdDevice, NsdDevices
from remote.linux.models import BlockDevices
from remote.names import NodeTable, UnknownNodeError
from supervision.clocktext import duration_text
from supervision.facts import Fact
from supervision.gpfs_facts import GpfsFacts
from supervision.jobtimes import began_here
from supervision.jobwords import words_of
from supervision.state import Job, State

T = TypeVar("T")

NOT_ASKED = "not asked"
"""Stands where nobody has asked yet: neither good nor bad."""


class Memo:
    """The last result of a function of values that are never changed in place: the same values, the same result.

    A table of ten thousand disks takes some tenths of a second to build, and neither a line of a log nor the same
    answer once more changes a row of it.
    """

    def __init__(self) -> None:
        self._held: dict[str, tuple[tuple[object, ...], Any]] = {}

    def get(self, key: str, values: Iterable[object], make: Callable[[], T]) -> T:
        """What `make` returned for these very values, or returns now."""
        now = tuple(values)
        held = self._held.get(key)
        if held and len(held[0]) == len(now) and all(a is b for a, b in zip(held[0], now, strict=True)):
            result: T = held[1]
            return result
        made = make()
        self._held[key] = (now, made)
        return made


class View:
    """The facts of a file system. `hosts` are those that are watched, as they are reached; `sites` are the names of the
    nodes at each place, as a person has told them.
    """

    def __init__(
        self,
        state: State,
        name: str,
        hosts: tuple[str, ...],
        memo: Memo | None = None,
        sites: Mapping[str, Sequence[str]] | None = None,
    ) -> None:
        self._memo = memo or Memo()
        self.sites = sites or {}
        self.state = state
        self.name = name
        self.hosts = tuple(dict.fromkeys((*hosts, *state.hosts)))
        self.facts = GpfsFacts(state.facts, name)
        self.cluster = self.facts.get(Cluster)
        self.file_system = self.facts.get(FileSystem)
        self.disks = self.facts.get(DiskList)
        self.space = self.facts.get(FsSpace)
        self.devices = self.facts.get(NsdDevices)

    @cached_property
    def table(self) -> NodeTable:
        """Every node by all of its names."""
        return self.remember("table", (self.cluster,), lambda: NodeTable(self.cluster.nodes if self.cluster else ()))

    @cached_property
    def _hosts_by_node(self) -> dict[str, str]:
        """Our hosts by the daemon names of the nodes that they are."""
        return {self.node_name(host): host for host in reversed(self.hosts)}

    def remember(self, key: str, values: Iterable[object], make: Callable[[], T]) -> T:
        """What `make` returns for these values, which are all that it looks at; made anew only when one is another."""
        return self._memo.get(key, values, make)

    def at(self, kind: type, host: str = "") -> float | None:
        """When the last good answer of a kind was asked for; `host` for what belongs to one host."""
        return good_at(self.facts.fact(kind, host))

    @property
    def details(self) -> DiskList | None:
        """`mmlsdisk -L`, which alone tells ids and remarks; asked less often than the status."""
        fact = self.state.facts.get(f"disk details {self.name}")
        model = fact.parsed.model if fact and fact.parsed else None
        return model if isinstance(model, DiskList) else None

    def node(self, name: str) -> ClusterNode | None:
        """The node that a name, an address or a host means; None when it is not certain."""
        try:
            return self.table.resolve(name)
        except UnknownNodeError:
            return None

    def host_of(self, node: str) -> str | None:
        """The host by which a node is reached, if it is one of ours."""
        found = self.node(node)
        return self._hosts_by_node.get(found.daemon_name if found else node)

    @cached_property
    def nsds_by_node(self) -> dict[str, list[NsdDevice]]:
        """The rows of `mmlsnsd -X` by the daemon name of their node."""
        rows: dict[str, list[NsdDevice]] = {}
        for row in self.devices.rows if self.devices else ():
            node = self.node(row.node)
            rows.setdefault(node.daemon_name if node else row.node, []).append(row)
        return rows

    def label(self, node: str) -> str:
        """A node by the one name that is shown for it, whichever a command printed: what stanzas and -N take."""
        found = self.node(node)
        return short((found.admin_name or found.daemon_name) if found else node)

    def began(self, job: Job) -> float:
        """When a job began, on the Site's clock; else when this program launched it, or last heard of it.

        What is told of a job on a host that cannot be reached has no time in it.
        """
        began = began_here(self.state, job)
        if began is not None:
            return began
        launched = (ran.asked_at for ran in self.state.commands if ran.job == job.status.id and ran.host == job.host)
        return next(launched, job.at)

    def node_of(self, host: str) -> ClusterNode | None:
        """The node that a watched host is: by its name, else by what its own `mmgetstate` calls it."""
        found, own = self.node(host), self.facts.get(NodeStates, host)
        return found or (self.node(own.nodes[0].name) if own and len(own.nodes) == 1 else None)

    def node_name(self, host: str) -> str:
        """The daemon name of the node that a host is, as mmlsnsd prints it; the host's own name if not known."""
        found = self.node_of(host)
        return found.daemon_name if found else host

    def block_devices(self, host: str) -> BlockDevices | None:
        """What a host says of its block devices."""
        return self.facts.get(BlockDevices, host)

    def daemon_facts(self) -> list[Fact]:
        """Every answer that tells states of daemons, the oldest first: later ones correct earlier ones."""
        facts = [
            self.facts.fact(NodeStates),
            self.state.facts.get("chosen node states"),
            *(self.facts.fact(NodeStates, host) for host in self.hosts),
        ]
        return sorted((fact for fact in facts if fact and fact.parsed), key=lambda fact: fact.at)


def good_at(fact: Fact | None) -> float | None:
    """When a fact's model was asked for; None while there is none."""
    return fact.at if fact and fact.parsed else None


def cost_of(fact: Fact | None) -> str:
    """What asking for a fact cost: the command, and how long its last good answer took."""
    return f"{fact.command.split()[0]} took {duration_text(fact.took)}" if fact and fact.parsed else ""


def failure_of(*facts: Fact | None) -> str:
    """Why facts are not newer, in one text."""
    return "; ".join(f"{fact.command}: {fact.failure}" for fact in facts if fact and fact.failure)


def short(name: str) -> str:
    """A node's name without its domain; an address stays whole."""
    return name if name.replace(".", "").isdigit() or ":" in name else name.partition(".")[0]


def is_about(job: Job, fs: str, program: str, *verbs: str) -> bool:
    """Whether a job runs that program on that file system, with one of the verbs if some are given."""
    program_word, *rest = words_of(job) or ("",)
    if program_word.rpartition("/")[2] != program or not rest or rest[0].removeprefix("/dev/") != fs:
        return False
    return not verbs or any(verb in rest for verb in verbs)
