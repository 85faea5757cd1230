"""One image for all runs of a test process: nothing writes to it."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.gfs2_real.far import Gfs2Host, make_image
from tests.gfs2_real.filler import Filled
from tests.openssh import Farm

Image = tuple[Path, Filled]


@pytest.fixture(scope="session")
def image(farm: Farm) -> Image:
    """A sparse file with a GFS2 of 110,000 files."""
    return make_image(farm.directory)


@pytest.fixture(scope="session")
def host(farm: Farm, image: Image) -> Gfs2Host:
    """The host that has it."""
    return Gfs2Host(farm, "gfs2", *image)
