"""What is known of one GFS2 file system, found in the state once for all that is shown of it. Pure; nothing raises.

Its facts are kept by the device's path, as a person gave it: `sb DEV`, `statfs DEV`, `rgs DEV`, `blkid DEV`.
"""

from __future__ import annotations

from typing import TypeVar

from remote.gfs2.models import ResourceGroups, Statfs, Superblock
from remote.linux.blkid import Probed
from supervision.facts import Fact
from supervision.jobtimes import began_here
from supervision.state import Job, State

T = TypeVar("T")

GFS2 = "gfs2"
"""What blkid calls it."""


class View:
    """One file system in one state. `hosts` are those watched, the entry host first."""

    def __init__(self, state: State, device: str, entry: str) -> None:
        self.state = state
        self.device = device
        self.entry = entry or state.header.entry

    @property
    def hosts(self) -> tuple[str, ...]:
        """All hosts of the session, the entry host first."""
        return tuple(dict.fromkeys((self.entry, *self.state.hosts))) if self.entry else self.state.hosts

    def fact(self, what: str) -> Fact | None:
        """What the entry host told of the device: `what` is `sb`, `statfs`, `rgs` or `blkid`."""
        return self.state.facts.get(f"{what} {self.device}")

    def at(self, what: str) -> float | None:
        """When the model of such a fact was asked for; None while there is none."""
        fact = self.fact(what)
        return fact.at if fact and fact.parsed else None

    @property
    def superblock(self) -> Superblock | None:
        """The superblock; None also where the device holds none."""
        told = self._model("sb", Superblock)
        return told if told and told.block_size else None

    @property
    def statfs(self) -> Statfs | None:
        """The statfs file, which may be older than the rest."""
        told = self._model("statfs", Statfs)
        return told if told and told.total is not None else None

    @property
    def groups(self) -> ResourceGroups | None:
        """The resource groups; None also where the list names none."""
        told = self._model("rgs", ResourceGroups)
        return told if told and told.groups else None

    @property
    def probed(self) -> Probed | None:
        """What blkid found on the device; None where it was not asked, and where it found nothing."""
        told = self._model("blkid", tuple)
        return next((each for each in told or () if isinstance(each, Probed)), None)

    @property
    def saved_at_least(self) -> int | None:
        """The least number of blocks that savemeta saves; None while the resource groups are not known to be whole."""
        groups = self.groups
        return groups.saved_at_least if groups else None

    @property
    def used(self) -> tuple[int, int, str] | None:
        """Blocks used, blocks in all, and what tells: the bitmaps, or the statfs file where these are not known."""
        groups, statfs = self.groups, self.statfs
        if groups and groups.free is not None and all(group.data is not None for group in groups.groups):
            data = sum(group.data or 0 for group in groups.groups)
            return max(0, data - groups.free), data, "rgs"
        if statfs and statfs.total is not None and statfs.free is not None:
            return max(0, statfs.total - statfs.free), statfs.total, "statfs"
        return None

    def began(self, job: Job) -> float:
        """When a job began, on the Site's clock; where its host has not told, when it was last told of."""
        began = began_here(self.state, job)
        return job.at if began is None else began

    def _model(self, what: str, kind: type[T]) -> T | None:
        fact = self.fact(what)
        model = fact.parsed.model if fact and fact.parsed else None
        return model if isinstance(model, kind) else None
