"""A GPFS file system as the screens see it. Each table has a module of its own; this one says what is asked, and when.

Everything is a function of the state. Rows are remembered for the models that they were made of: the same answer once
more changes their age and nothing else.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from remote.command import Command
from remote.gpfs import commands as gpfs
from remote.linux.commands import devices, disk_counters, log_history, logs, lsblk, signatures
from remote.linux.host_time import host_time
from supervision import (
    gpfs_aftermath,
    gpfs_brake,
    gpfs_braking,
    gpfs_choosing,
    gpfs_devices,
    gpfs_disks,
    gpfs_fill,
    gpfs_hosts,
    gpfs_nodes,
    gpfs_problems,
    gpfs_progress,
    gpfs_rules,
    gpfs_running,
    gpfs_runs,
    gpfs_space,
)
from supervision.brake import USUAL, Brake, Hours, Plan, Terms
from supervision.eta_runs import FinishedRun
from supervision.facts import reader
from supervision.filesystem import Aftermath, Choosing, Counter, FileSystem, Fill, Preview, Progress, Words
from supervision.filesystems import Sites
from supervision.gpfs_reading import GpfsReading
from supervision.gpfs_view import Memo, View
from supervision.logs import Scan
from supervision.running import goes_on, job_lines
from supervision.state import Job, State
from supervision.supervisor import Cadence
from supervision.tables import Line, Table

READING = GpfsReading()
_WORDS = Words("GPFS", "NSD", "restripe", "NSD server", "Pools")


def own_daemon() -> Command:
    """The state of GPFS on the host that is asked, which asks no other node."""
    return gpfs.own_daemon()


def open_file_system(name: str, entry: str, hosts: Sequence[str], sites: Sites) -> FileSystem:
    """What `supervision.filesystems.Kind` asks for."""
    return GpfsFileSystem(name, entry, hosts, sites)


class GpfsFileSystem:
    """Implements `supervision.filesystem.FileSystem`.

    `entry` is the host that answers for the cluster; `hosts` are those watched besides it (NSD servers, helpers);
    `sites` are the names of the nodes at each place, as far as a person has told.
    """

    def __init__(self, name: str, entry: str, hosts: Sequence[str] = (), sites: Sites | None = None) -> None:
        self._name = name
        self._entry = entry
        self._hosts = tuple(dict.fromkeys((entry, *hosts))) if entry else tuple(dict.fromkeys(hosts))
        self._sites = sites or {}
        self._memo = Memo()

    @property
    def name(self) -> str:
        """The device name of mm* commands, without /dev/."""
        return self._name

    @property
    def words(self) -> Words:
        """What people call things on GPFS."""
        return _WORDS

    def questions(self) -> tuple[Command, ...]:
        """Asked of the entry host first: what the configuration, the managers and the disk descriptors tell.

        No node of the cluster is asked besides the managers.
        """
        return (
            own_daemon(),  # tells which node the entry host is, whatever it was called by
            gpfs.mmlscluster(),
            gpfs.mmlsfs(self._name),
            gpfs.mmlsdisk(self._name),
            gpfs.mmlsnsd(long=True),
            gpfs.mmlsmgr(),
            gpfs.mmlsdisk(self._name, long=True),
            gpfs.mmlsqos(self._name),
            gpfs.mmlssnapshot(self._name),  # their inodes are walked too: the forecast has to say so
        )

    def costly(self) -> tuple[Command, ...]:
        """Every node (mmgetstate -a, mmlsmount -L), every NSD server (mmlsnsd -X), every allocation map (mmdf)."""
        return (
            gpfs.mmdf(self._name),
            gpfs.mmlsnsd_devices(),
            gpfs.mmgetstate(),
            gpfs.mmlsmount(self._name),
        )

    def hosts(self, state: State, entry: str) -> tuple[str, ...]:
        """The NSD servers and managers that are not watched yet."""
        return gpfs_hosts.hosts(self._view(state), entry)

    def cadences(self, entry: str) -> tuple[Cadence, ...]:
        """What is asked while it is watched; seconds on the Site's clock, counted from the answer to the question."""
        name = self._name
        return (
            # the health of the disks: the manager tells it from memory; a failed disk is seen within two minutes
            Cadence("disks", 120.0, entry, (gpfs.mmlsdisk(name),)),
            # reads every allocation map, so rarely; often enough to see a metadata disk fill before it is full
            Cadence("space", 900.0, entry, (gpfs.mmdf(name),)),
            # what the classes of I/O do now: the last minute of it, told by the manager
            Cadence("qos", 120.0, entry, (gpfs.mmlsqos(name),)),
            # managers move when a node dies
            Cadence("managers", 300.0, entry, (gpfs.mmlsmgr(),)),
            # the configuration changes by a person's hand alone
            Cadence("configuration", 1800.0, entry, (gpfs.mmlscluster(), gpfs.mmlsfs(name), gpfs.mmlsnsd(long=True))),
            # ids and descriptor holders change with the disks alone
            Cadence("disk details", 1800.0, entry, (gpfs.mmlsdisk(name, long=True),)),
            # nightly ones come and go, and one that is deleted waits for a scan
            Cadence("snapshots", 1800.0, entry, (gpfs.mmlssnapshot(name),)),
            # asks every server over the remote shell; device names change at a boot and no other time
            Cadence("nsd devices", 3600.0, entry, (gpfs.mmlsnsd_devices(),)),
            # ask every node, and one that hangs holds them up for minutes
            Cadence("all nodes", 3600.0, entry, (gpfs.mmgetstate(), gpfs.mmlsmount(name))),
        )

    def host_cadences(self, host: str) -> tuple[Cadence, ...]:
        """What each watched host is asked of itself, over a connection that is there anyway."""
        return (
            # cheap, and the first signs of a node in trouble; a thread that waits a minute is a sign already
            Cadence(f"daemon {host}", 60.0, host, (own_daemon(), gpfs.mmdiag_waiters())),
            # a host's clock drifts slowly; apart from the devices, for a time is worth little when its answer took long
            Cadence(f"time {host}", 1800.0, host, (host_time(),)),
            # what was usual before anybody looked; then rarely, for who was away meanwhile
            Cadence(f"log history {host}", 21600.0, host, (log_history(),), real=30.0),
            # an expel is over within a minute, and a storm fills a tail in as much; a recording keeps what is new alone
            Cadence(f"logs {host}", 60.0, host, (logs(),), real=5.0),
            # tells whether a restripe that is silent works; the counters of a host are a few bytes a disk
            Cadence(f"io {host}", 120.0, host, (disk_counters(),), real=5.0),
            # opens every disk, and one that hangs holds the answer up for seconds; simulated, it is the dearest of all
            Cadence(
                f"devices {host}", 1800.0, host, (lsblk(), devices(), signatures(), *self.device_questions()), real=30.0
            ),
        )

    def device_questions(self) -> tuple[Command, ...]:
        """What GPFS itself finds on a host."""
        return (gpfs.mmdevdiscover(),)

    def device_owners(self) -> tuple[Command, ...]:
        """Which NSD is which device on each server, by the names of this boot."""
        return (gpfs.mmlsnsd_devices(),)

    def facts(self, state: State) -> tuple[Line, ...]:
        """The file system in a few lines, each with its age."""
        return gpfs_space.facts(self._view(state))

    def nodes(self, state: State) -> Table:
        """The nodes, folded where they are alike; the worst first."""
        return gpfs_nodes.nodes(self._view(state))

    def pools(self, state: State) -> Table:
        """The use of each pool by what its disks may hold."""
        return gpfs_space.pools(self._view(state))

    def disks(self, state: State) -> Table:
        """One row a disk, in the order of mmlsdisk, which is that of addition."""
        return gpfs_disks.disks(self._view(state))

    def totals(self, state: State) -> Table:
        """Metadata and data by pool and failure group."""
        return gpfs_space.totals(self._view(state))

    def devices(self, state: State) -> Table:
        """The disks and multipath maps of all hosts, equal roles together."""
        return gpfs_devices.devices(self._view(state))

    def device_steps(self, state: State) -> Iterator[None]:
        """The devices host by host: hundreds of hosts and disks take a quarter of a second."""
        return gpfs_devices.steps(self._view(state))

    def alike(self, state: State, key: str) -> tuple[str, ...]:
        """The free devices of one model and size, on all hosts."""
        return gpfs_choosing.alike(self._view(state), key)

    def preview(self, state: State, choosing: Choosing) -> Preview | None:
        """The stanza file that marked devices would become, judged."""
        return gpfs_choosing.preview(self._view(state), choosing)

    def problems(self, state: State) -> tuple[Line, ...]:
        """What is wrong, with what to do; the worst first."""
        seconds: dict[str, float] = {}
        view = self._view(state)
        of_hosts = (cadence for host in view.hosts for cadence in self.host_cadences(host))
        for cadence in (*self.cadences(self._entry or state.header.entry), *of_hosts):
            for command in cadence.commands:
                found = reader(READING, cadence.host, command)
                if found:
                    seconds[found[0]] = cadence.at_speed(state.header.speed)
        return gpfs_problems.problems(view, seconds)

    def running(self, state: State) -> tuple[Line, ...]:
        """Our jobs, and threads that scan though no job of ours does."""
        going = [job for job in state.jobs.values() if goes_on(self, state, job)]
        return (*job_lines(self, state), *gpfs_running.outside(self._view(state), going))

    def is_scan(self, job: Job) -> bool:
        """Whether a job is an mmrestripefs of this file system, or what scans as it does."""
        return gpfs_progress.is_scan(job, self._name)

    def scan_job(self, state: State) -> Job | None:
        """The newest job that scans the file system; one that may still run goes before all that have ended."""
        return gpfs_progress.scan_job(self._view(state))

    def progress(self, state: State, job: Job) -> Progress:
        """How far a scan is, in inodes over allocated inodes."""
        return gpfs_progress.progress(self._view(state), job)

    def counter(self, state: State, scan: Scan) -> Counter:
        """Inodes over allocated inodes."""
        return gpfs_progress.counter_of(self._view(state), scan)

    def site(self, state: State) -> str:
        """The cluster."""
        cluster = self._view(state).cluster
        return cluster.name if cluster else ""

    def finished_run(self, state: State, job: Job) -> FinishedRun | None:
        """A run of a command that scans it, to its end."""
        return gpfs_runs.finished_run(self._view(state), job) if self.is_scan(job) else None

    def aftermath(self, state: State, job: Job) -> Aftermath | None:
        """Whether GPFS goes on with a scan whose command was killed."""
        view = self._view(state)
        return gpfs_aftermath.aftermath(view, job) if gpfs_progress.is_scan(job, self._name) else None

    def fills(self, state: State) -> Sequence[Fill]:
        """The metadata-only disks, and those that are emptied."""
        view = self._view(state)
        return gpfs_fill.shown(view, gpfs_progress.scan_job(view))

    def brake(self, state: State, terms: Terms = USUAL) -> Brake:
        """The limits of QoS."""
        return gpfs_brake.brake(self._view(state), terms.floor)

    def ease(self, state: State, iops: float, terms: Terms = USUAL) -> Plan:
        """mmchqos with a limit for maintenance."""
        return gpfs_braking.ease(self._view(state), iops, terms)

    def schedule(self, state: State, iops: float, hours: Hours, job_id: str, terms: Terms = USUAL) -> Plan:
        """A script on the host that runs mmchqos when the hour comes."""
        return gpfs_braking.schedule(self._view(state), iops, hours, job_id, terms)

    def brake_questions(self) -> tuple[Command, ...]:
        """mmlsqos: the manager answers it from memory."""
        return (gpfs.mmlsqos(self._name),)

    def release(self, state: State) -> Plan:
        """mmchqos with the settings from before our first change."""
        return gpfs_braking.release(self._view(state))

    def may_run(self, argv: Sequence[str]) -> str:
        """Why a person may not run this as a job of their own; empty when they may."""
        return gpfs_rules.may_run(argv, self._name)

    def may_stop(self, job: Job) -> str:
        """Why a job may not be stopped; empty when it may."""
        return gpfs_rules.may_stop(job, self._name)

    def stop_leaves(self, job: Job) -> str:
        """What a job leaves behind when it is stopped; said before it is."""
        return gpfs_rules.stop_leaves(job, self._name)

    def _view(self, state: State) -> View:
        return View(state, self._name, self._hosts, self._memo, self._sites)
