"""What the tests of the far side share: a real OpenSSH server, and Sites that are closed afterwards."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Iterator
from pathlib import Path

import pytest

from remote.clock import WallClock
from remote.live import LiveOptions, LiveSite
from remote.ssh.settings import SshSettings
from tests import openssh

Sites = Callable[..., LiveSite]


@pytest.fixture(scope="session")
def farm() -> Iterator[openssh.Farm]:
    """Servers and throw-away users of this test process."""
    with openssh.farm() as made:
        yield made


@pytest.fixture(scope="session")
def _plain(farm: openssh.Farm) -> openssh.Server:
    return farm.server("plain")


@pytest.fixture
def server(_plain: openssh.Server) -> openssh.Server:
    """A plain OpenSSH server that knows our key; shared, so leave it as it was."""
    return _plain


@pytest.fixture
async def sites() -> AsyncIterator[Sites]:
    """Make Sites: `sites(server, armed=True)`; they look every 50 ms, and are closed at the end of the test."""
    made: list[LiveSite] = []

    def make(
        server: openssh.Server,
        *,
        armed: bool = False,
        sudo: bool = False,
        base: Path | str = "",
        ssh: SshSettings | None = None,
    ) -> LiveSite:
        settings = ssh or SshSettings(config_files=(server.farm.config,))
        options = LiveOptions(poll_seconds=0.05, sudo=sudo, job_base=str(base), ssh=settings)
        site = LiveSite([server.host], WallClock(), armed=armed, options=options)
        made.append(site)
        return site

    yield make
    for site in made:
        await site.close()
