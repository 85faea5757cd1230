"""Hosts without SSH for the scripts that look at devices: this machine, with each of the shells that may be /bin/sh."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.remote.local_host import SHELLS, LocalHost


@pytest.fixture(params=SHELLS)
def host(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[LocalHost]:
    """This machine, once with each shell."""
    made = LocalHost(tmp_path, request.param)
    yield made
    made.kill_all()


@pytest.fixture
def dash(tmp_path: Path) -> Iterator[LocalHost]:
    """This machine with dash, for what does not depend on the shell."""
    made = LocalHost(tmp_path, "dash")
    yield made
    made.kill_all()
