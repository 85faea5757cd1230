"""All scenarios by name."""

from __future__ import annotations

from dataclasses import dataclass, field

from simulator import scenario_big, scenario_night, scenario_scale, scenario_seed
from simulator.cluster import Cluster
from simulator.dialects import DIALECTS
from simulator.policies import Policies

NAMES = (
    scenario_seed.NAME,
    *(f"{scenario_seed.NAME}-{name}" for name in DIALECTS),
    scenario_scale.NAME,
    *(f"{scenario_scale.NAME}-{name}" for name in DIALECTS),
    scenario_big.NAME,
    scenario_night.NAME,
)
"""Without a release `seed` is 3.5 and `scale` 5.2."""


@dataclass
class Chosen:
    """A cluster, when it begins (UNIX seconds), the host to enter by, and policies that belong to it."""

    cluster: Cluster
    epoch: float
    entry: str
    policies: Policies = field(default_factory=Policies)


def choose(name: str, hosts: int | None = None, disks: int | None = None) -> Chosen:
    """Build a scenario. Raises ValueError for a name or a size that does not exist."""
    if name not in NAMES:
        raise ValueError(f"no scenario {name!r}: {', '.join(NAMES)}")
    kind, _, release = name.partition("-")
    if kind == scenario_big.NAME:
        many = scenario_big.HOSTS if hosts is None else hosts
        cluster = scenario_big.build(many, max(many, scenario_big.DISKS) if disks is None else disks)
        return Chosen(cluster, scenario_big.EPOCH, next(iter(cluster.hosts)))
    if hosts is not None or (disks is not None and kind != scenario_scale.NAME):
        names = f"{scenario_big.NAME} takes a number of hosts, and it or {scenario_scale.NAME} one of disks"
        raise ValueError(f"only scenario {names}")
    if kind == scenario_night.NAME:
        return Chosen(scenario_night.build(), scenario_night.EPOCH, scenario_seed.ENTRY)
    if kind == scenario_scale.NAME:
        scale = scenario_scale.build(DIALECTS[release or "5.2"], scenario_scale.DISKS if disks is None else disks)
        down = [host for host in scale.hosts if host in scenario_scale.DEAD]
        policies = Policies(pit_limit=31, pit_threads_per_node=8, down_nodes=down)
        return Chosen(scale, scenario_scale.EPOCH, scenario_scale.ENTRY, policies)
    return Chosen(scenario_seed.build(DIALECTS[release or "3.5"]), scenario_seed.EPOCH, scenario_seed.ENTRY)
