"""Limits as the commands that set them: one mmchqos for all, or mmqos step by step, where a site uses that."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import msgspec

from remote.command import Command
from remote.gpfs import commands as gpfs
from supervision.jobwords import words_of
from supervision.state import Job

MMCHQOS, MMQOS = "mmchqos", "mmqos"


class Setting(msgspec.Struct, frozen=True):
    """Limits by pool and class, as `mmchqos` takes them; for `nodes` alone where there are any."""

    limits: Mapping[str, Mapping[str, str]]
    nodes: tuple[str, ...] = ()


def as_commands(
    fs: str, settings: Sequence[Setting], changed: str, *, tool: str, was_on: bool = True, off: bool = False
) -> tuple[Command, ...]:
    """The commands that set limits, and with `off` switch QoS off in the end. Raises ValueError.

    `changed` is the class that is changed: mmchqos is given the others as they are, mmqos leaves them alone.
    """
    if tool != MMQOS:
        commands = [gpfs.mmchqos_enable(fs, setting.limits, nodes=setting.nodes) for setting in settings]
        return (*commands, gpfs.mmchqos_disable(fs)) if off else tuple(commands)
    commands = [] if was_on else [gpfs.mmqos_filesystem(fs, enable=True)]
    for setting in settings:
        if len(setting.nodes) > 1:
            raise ValueError("mmqos takes one node or node class")
        commands += [
            gpfs.mmqos_throttle(fs, pool, changed, classes[changed], node="".join(setting.nodes))
            for pool, classes in setting.limits.items()
            if changed in classes
        ]
    return (*commands, gpfs.mmqos_filesystem(fs, enable=False)) if off else tuple(commands)


def tool_of(job: Job) -> str:
    """Which of the commands a job of ours runs."""
    name = (words_of(job) or ("",))[0].rpartition("/")[2]
    return MMQOS if name == MMQOS else MMCHQOS


def is_mmqos(job: Job, fs: str) -> bool:
    """Whether a job changes limits of the file system by mmqos."""
    words = words_of(job)
    return tool_of(job) == MMQOS and fs in words
