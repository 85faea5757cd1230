"""Scenario `night`: the seed's cluster in the words of 5.2, with fewer files and `restripeOnDiskFailure`.

A restripe of it takes an hour and twenty minutes when nothing happens, so that there is time for things to happen.
"""

from __future__ import annotations

from simulator import scenario_seed
from simulator.clock import moment
from simulator.cluster import Cluster
from simulator.dialects import DIALECTS
from simulator.state import Inodes

NAME = "night"
EPOCH = moment(2025, 6, 6, 20, 0)


def build() -> Cluster:
    """The cluster before its metadata moves to the SSDs."""
    cluster = scenario_seed.build(DIALECTS["5.2"])
    cluster.config["common"]["restripeOnDiskFailure"] = "yes"
    fs = cluster.fs
    fs.inodes = Inodes(used=28_284_102, allocated=30_000_000, maximum=146_903_040)
    fs.used_inodes_at_end = 28_363_788
    fs.published_timeline = False
    return cluster
