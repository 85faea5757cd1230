"""One image for all runs of a test process: nothing writes to it."""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

import pytest

from tests.gfs2_real.far import Gfs2Host, make_image
from tests.gfs2_real.filler import Filled
from tests.gfs2_real.session import Time
from tests.openssh import Farm

SPEED = 10.0
"""How many times as fast time passes for those who need minutes of it."""
Image = tuple[Path, Filled]


class FastHost(NamedTuple):
    """A host on which time passes fast, and that time."""

    host: Gfs2Host
    time: Time


@pytest.fixture(scope="session")
def image(farm: Farm) -> Image:
    """A sparse file with a GFS2 of 110,000 files."""
    return make_image(farm.directory)


@pytest.fixture(scope="session")
def host(farm: Farm, image: Image) -> Gfs2Host:
    """The host that has it."""
    return Gfs2Host(farm, "gfs2", *image)


@pytest.fixture(scope="session")
def fast(farm: Farm, image: Image) -> FastHost:
    """Another one, whose clock runs fast."""
    time = Time(SPEED)
    return FastHost(Gfs2Host(farm, "gfs2fast", *image, date=time.date), time)
