"""A GFS2 file system as the screens see it: one device on the host that one enters by.

Its name is the path of the device there, since GFS2's own tools know it by nothing else.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from remote.command import Command
from remote.gfs2 import commands as gfs2
from remote.gfs2.use import gfs2_use
from remote.linux.commands import HISTORY, disk_counters, kernel_log, lsblk
from remote.linux.host_time import host_time
from remote.linux.work import work
from supervision import (
    gfs2_ends,
    gfs2_nodes,
    gfs2_problems,
    gfs2_progress,
    gfs2_rules,
    gfs2_running,
    gfs2_tables,
)
from supervision.brake import USUAL, Brake, Hours, Plan, Terms
from supervision.eta_runs import FinishedRun
from supervision.filesystem import Aftermath, Choosing, Counter, FileSystem, Fill, Preview, Progress, Words
from supervision.filesystems import Sites
from supervision.gfs2_reading import Gfs2Reading
from supervision.gfs2_view import View
from supervision.gfs2_work import PROGRAMS, is_gfs2_job
from supervision.logs import Scan
from supervision.running import job_lines
from supervision.state import Job, State
from supervision.supervisor import Cadence
from supervision.tables import Line, Table

READING = Gfs2Reading()
_WORDS = Words("GFS2", "device", "savemeta", "node", "Resource groups")
WORK_SECONDS = 10.0
_NO_LIMITS = "GFS2 has no limits of I/O that could be set"


def open_file_system(name: str, entry: str, hosts: Sequence[str], sites: Sites) -> FileSystem:
    """What `supervision.filesystems.Kind` asks for; hosts are as the session has them, and sites make no difference."""
    del hosts, sites
    return Gfs2FileSystem(name, entry)


class Gfs2FileSystem:
    """Implements `supervision.filesystem.FileSystem`. `name` is the path of the device on the host `entry`."""

    def __init__(self, name: str, entry: str) -> None:
        self.name = name
        self._entry = entry

    @property
    def words(self) -> Words:
        """What people call things on GFS2."""
        return _WORDS

    def questions(self) -> tuple[Command, ...]:
        """A few blocks are read for each; the use tells which other nodes there are."""
        if gfs2.device_trouble(self.name):
            return ()
        return (gfs2.blkid(self.name), gfs2.sb(self.name), gfs2_use(self.name), gfs2.statfs(self.name))

    def costly(self) -> tuple[Command, ...]:
        """The resource groups: a block of each is read, of which 100 TB have fifty thousand."""
        return () if gfs2.device_trouble(self.name) else (gfs2.rgs(self.name),)

    def hosts(self, state: State, entry: str) -> tuple[str, ...]:
        """The nodes of its cluster: it may be mounted on any of them."""
        return gfs2_nodes.unwatched(View(state, self.name, entry))

    def cadences(self, entry: str) -> tuple[Cadence, ...]:
        """What is asked while it is watched; seconds on the Site's clock, counted from the answer to the question."""
        first = self.questions()
        if not first:
            return ()
        return (
            # two blocks; what is on a device changes by a person's hand alone
            Cadence("device", 1800.0, entry, first),
            # reads a block of each group: what has to be saved changes slowly, and a forecast takes it as a lower bound
            Cadence("resource groups", 21600.0, entry, self.costly()),
        )

    def host_cadences(self, host: str) -> tuple[Cadence, ...]:
        """What each watched host is asked of itself."""
        return (
            # a host's clock drifts slowly
            Cadence(f"time {host}", 1800.0, host, (host_time(),)),
            # whether a silent tool works, and its memory, its I/O and its output: a few lines of /proc
            Cadence(f"work {host}", WORK_SECONDS, host, (work(*PROGRAMS),), real=5.0),
            # where it is mounted, and what the cluster manager knows: each tool of it may take ten seconds
            Cadence(f"use {host}", 300.0, host, (gfs2_use(self.name),), real=30.0),
            # what the kernel complains of: a device that fails, a file system that withdraws
            Cadence(f"log history {host}", 21600.0, host, (kernel_log(HISTORY),), real=30.0),
            Cadence(f"logs {host}", 60.0, host, (kernel_log(),), real=5.0),
            # the counters of a host are a few bytes a disk
            Cadence(f"io {host}", 120.0, host, (disk_counters(),), real=5.0),
            Cadence(f"devices {host}", 1800.0, host, (lsblk(),), real=30.0),
        )

    def device_questions(self) -> tuple[Command, ...]:
        """Nothing besides what any host is asked of its devices."""
        return ()

    def device_owners(self) -> tuple[Command, ...]:
        """Nothing: the device was named by a person."""
        return ()

    def facts(self, state: State) -> tuple[Line, ...]:
        """The file system in a few lines, each with its age."""
        return gfs2_tables.facts(self._view(state))

    def nodes(self, state: State) -> Table:
        """The hosts, and the nodes that its cluster manager knows, with what is mounted there."""
        return gfs2_nodes.nodes(self._view(state))

    def pools(self, state: State) -> Table:
        """The resource groups by how full they are."""
        return gfs2_tables.pools(self._view(state))

    def disks(self, state: State) -> Table:
        """The one device."""
        return gfs2_tables.disks(self._view(state))

    def totals(self, state: State) -> Table:
        """There is nothing to be summed up."""
        del state
        return Table((), absent="GFS2 has one device, so there are no sums over several")

    def devices(self, state: State) -> Table:
        """The block devices of all hosts."""
        return gfs2_tables.devices(self._view(state))

    def device_steps(self, state: State) -> Iterator[None]:
        """It is always quick."""
        del state
        return iter(())

    def alike(self, state: State, key: str) -> tuple[str, ...]:
        """Nothing is made of devices, so none are marked together."""
        del state
        return (key,)

    def preview(self, state: State, choosing: Choosing) -> Preview | None:
        """Nothing is made of devices."""
        del state, choosing
        return None

    def problems(self, state: State) -> tuple[Line, ...]:
        """What is wrong, with what to do; the worst first."""
        return gfs2_problems.problems(self._view(state))

    def running(self, state: State) -> tuple[Line, ...]:
        """Our jobs, and the tools that others have started on the device."""
        return (*job_lines(self, state), *gfs2_running.outside(self._view(state)))

    def is_scan(self, job: Job) -> bool:
        """Whether a job is a savemeta, a restoremeta or an fsck of the device."""
        return bool(is_gfs2_job(job, self.name))

    def scan_job(self, state: State) -> Job | None:
        """The newest of them; one that may still run goes before all that have ended."""
        return gfs2_progress.scan_job(self._view(state))

    def progress(self, state: State, job: Job) -> Progress:
        """How far it is, in blocks."""
        return gfs2_progress.progress(self._view(state), job)

    def counter(self, state: State, scan: Scan) -> Counter:
        """Blocks saved over those that there are at least."""
        return gfs2_progress.counter_of(self._view(state), scan)

    def site(self, state: State) -> str:
        """The cluster of its lock table; of a file system for one node alone, its UUID."""
        sb = self._view(state).superblock
        return (sb.lock_table.partition(":")[0] or sb.uuid) if sb else ""

    def finished_run(self, state: State, job: Job) -> FinishedRun | None:
        """A run that came to its end without a doubt."""
        return gfs2_ends.finished_run(self._view(state), job)

    def aftermath(self, state: State, job: Job) -> Aftermath | None:
        """The tools do their work themselves: it ends with them."""
        del state, job
        return None

    def fills(self, state: State) -> Sequence[Fill]:
        """It fills no disk but that of its output, which is no part of the file system."""
        del state
        return ()

    def brake(self, state: State, terms: Terms = USUAL) -> Brake | None:
        """There is none."""
        del state, terms
        return None

    def ease(self, state: State, iops: float, terms: Terms = USUAL) -> Plan:
        """Nothing can be limited."""
        del state, iops, terms
        return Plan(refused=_NO_LIMITS)

    def schedule(self, state: State, iops: float, hours: Hours, job_id: str, terms: Terms = USUAL) -> Plan:
        """Nothing can be limited."""
        del state, iops, hours, job_id, terms
        return Plan(refused=_NO_LIMITS)

    def brake_questions(self) -> tuple[Command, ...]:
        """There is nothing to be asked."""
        return ()

    def release(self, state: State) -> Plan:
        """Nothing was limited."""
        del state
        return Plan(refused=_NO_LIMITS)

    def may_run(self, argv: Sequence[str]) -> str:
        """Why a person may not run this as a job of their own; empty when they may."""
        return gfs2_rules.may_run(argv, self.name)

    def may_stop(self, job: Job) -> str:
        """Why a job may not be stopped; empty when it may."""
        return gfs2_rules.may_stop(job, self.name)

    def stop_leaves(self, job: Job) -> str:
        """What a job leaves behind when it is stopped; said before it is."""
        return gfs2_rules.stop_leaves(job, self.name)

    def _view(self, state: State) -> View:
        return View(state, self.name, self._entry)
