"""The three steps that only look: the cluster, the devices, and how much there is to move."""

from __future__ import annotations

from typing import ClassVar

from supervision.recipe import StepSpec
from supervision.recipes.metadata_to_ssd.base import GpfsStep


class Look(GpfsStep):
    """Step 1."""

    SPEC: ClassVar = StepSpec(
        "look",
        "look at the cluster and the file system",
        "Everything that follows rests on a file system that is whole: every disk up, every copy there, nobody else at "
        "work on it. What speaks against it is cheaper to learn now than in the middle.",
        "Nothing has changed.",
        "some minutes: mmdf and mmlsnsd -X ask every disk and every server",
        acts=False,
        tells=("disks-ready",),
    )


class Devices(GpfsStep):
    """Step 2."""

    SPEC: ClassVar = StepSpec(
        "devices",
        "find the chosen SSDs by identity, on every server",
        "A device's name is another one after a boot, and on another server; what is meant is the disk itself. Each "
        "chosen SSD must be there once, empty and used by nothing, on every server that is to serve it.",
        "Nothing has changed.",
        "about a minute: each server is asked for its devices and what lies on them",
        acts=False,
    )


class Size(GpfsStep):
    """Step 3."""

    SPEC: ClassVar = StepSpec(
        "size",
        "see whether the metadata fits",
        "Metadata disks that are full stop the file system. What the inodes take is known, the rest is assumed, and "
        "the plan says what.",
        "Nothing has changed.",
        "some minutes: mmdf reads every allocation map",
        acts=False,
        tells=("size-fits",),
    )
