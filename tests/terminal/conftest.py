"""A simulated cluster that the tests of a process share; what a test breaks of it, it mends."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.terminal.cluster import Cluster, simulated


@pytest.fixture(scope="session")
def cluster(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Cluster]:
    """The seed's servers, at a speed at which its restripe of four hours takes four minutes."""
    with simulated(tmp_path_factory.mktemp("cluster"), speed=60) as made:
        yield made
