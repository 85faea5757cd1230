"""How answers and logs of GPFS are read: which parser reads which command, and which form of it to ask for."""

from __future__ import annotations

from collections.abc import Callable

from remote.command import Command
from remote.gpfs import parsers, qos
from remote.gpfs.dialects import machine_form, machine_refused
from remote.gpfs.models import FsSpace
from remote.gpfs.progress import Failed, Percent, PhaseDone, PhaseStarted, Waiting, parse_progress_line, parse_stamp
from remote.text import one_line
from supervision import gpfs_happened
from supervision.eta_rates import Known
from supervision.gpfs_eta import run_kind
from supervision.reading import (
    Change,
    Counted,
    Failing,
    Parser,
    PhaseBegun,
    PhaseOver,
    Reading,
    ScanEvent,
    Slices,
    WaitsFor,
)
from supervision.spaces import DiskUse

IN_SLICES = frozenset(("mmlscluster", "mmgetstate", "mmlsdisk", "mmdf", "mmlsnsd"))
"""Commands whose answers grow with the cluster."""
_NO_COMMAND = 127
_HUMAN_ALWAYS = frozenset(("mmlsdisk",))
"""The sentences on replication that end it are not known to be printed with `-Y`, and decisions rest on them."""


class GpfsReading(Reading):
    """Both forms of a command, with `-Y` and without, tell the same fact."""

    def reader(self, host: str, command: Command) -> tuple[str, Parser] | None:
        """Which parser reads an mm* command."""
        name, *rest = command.argv
        match name, [word for word in rest if word != "-Y"]:
            case "mmlscluster", []:
                return "cluster", parsers.parse_mmlscluster
            case "mmlsfs", [fs]:
                return f"filesystem {fs}", lambda out, err: parsers.parse_mmlsfs(out, err, name=fs)
            case "mmlsdisk", [fs]:
                return f"disks {fs}", parsers.parse_mmlsdisk
            case "mmlsdisk", [fs, "-L"]:
                return f"disk details {fs}", parsers.parse_mmlsdisk
            case "mmdf", [fs]:
                return f"space {fs}", parsers.parse_mmdf
            case "mmdf", [fs, "-m"]:
                return f"metadata space {fs}", parsers.parse_mmdf
            case "mmlsnsd", ["-X"]:
                return "nsd devices", parsers.parse_mmlsnsd_x
            case "mmlsnsd", ["-a"] | ["-a", "-L"] | ["-L"] | []:
                return "nsds", parsers.parse_mmlsnsd_list
            case "mmgetstate", ["-a"]:
                return "node states", parsers.parse_mmgetstate
            case "mmgetstate", []:
                return f"node state {host}", parsers.parse_mmgetstate  # of its own daemon: asks no other node
            case "mmgetstate", ["-N", _]:
                return "chosen node states", parsers.parse_mmgetstate  # of those that a plan needs, and of no other
            case "mmlsconfig", []:
                return "configuration", parsers.parse_mmlsconfig
            case "mmauth", ["show"]:
                return "guests", parsers.parse_mmauth
            case "mmlscallback", []:
                return "callbacks", parsers.parse_mmlscallback
            case "mmhealth", ["node", "show"]:
                return f"health {host}", parsers.parse_mmhealth
            case "mmdiag", ["--waiters"]:
                return f"waiters {host}", parsers.parse_mmdiag_waiters
            case "mmdevdiscover", []:
                return f"discovery {host}", parsers.parse_mmdevdiscover
            case "mmlsmgr", []:
                return "managers", parsers.parse_mmlsmgr
            case "mmlsmount", [fs] | [fs, "-L"]:
                return f"mounts {fs}", parsers.parse_mmlsmount
            case "mmlsqos", [fs, "--seconds", _]:
                return f"qos {fs}", parsers.parse_mmlsqos
            case "mmlssnapshot", [fs]:
                return f"snapshots {fs}", parsers.parse_mmlssnapshot
        return None

    def slices(self, command: Command, stdout: str, stderr: str) -> Slices | None:
        """Listings of disks and nodes: ten thousand take a tenth of a second."""
        return parsers.steps(command.argv, stdout, stderr) if command.argv[0] in IN_SLICES else None

    def better_form(self, command: Command) -> Command | None:
        """`-Y`, where that exists."""
        return None if command.argv[0] in _HUMAN_ALWAYS else machine_form(command)

    def form_refused(self, command: Command, rc: int, stdout: str, stderr: str) -> str:
        """A release that has no `-Y` for a command."""
        refused = "-Y" in command.argv and machine_refused(rc, stdout, stderr)
        return "no -Y in this release; it is asked without" if refused else ""

    def lacks(self, command: Command, rc: int, stdout: str, stderr: str) -> str:
        """QoS and mmhealth came with 4.2; every other question is one that each release knows."""
        if command.argv[0] == "mmhealth" and rc == _NO_COMMAND:
            return "this release has no mmhealth"
        if command.argv[0] != "mmlsqos":
            return ""
        if rc == _NO_COMMAND:
            return "this release has no QoS: there is no mmlsqos"
        return f"no QoS here: {one_line(stderr or stdout)[:200]}" if qos.is_impossible(stdout, stderr) else ""

    def scan_event(self, line: str) -> ScanEvent | None:
        """Lines of mmrestripefs and of what prints the same; work is counted in inodes."""
        match parse_progress_line(line):
            case PhaseStarted(name, number):
                return PhaseBegun(name, number)
            case Percent(percent, stamp, inodes, mb):
                return Counted(percent, inodes, mb, stamp, parse_stamp(stamp))
            case PhaseDone():
                return PhaseOver()
            case Waiting(program):
                return WaitsFor(one_line(program))  # it becomes part of the reason that is told
            case Failed(text):
                return Failing(text)
        return None

    def happened(self, key: str, before: object, after: object) -> tuple[Change, ...]:
        """Disks, nodes, daemons, managers, limits and snapshots that are not what they were."""
        return gpfs_happened.changes(key, before, after)

    def disk_uses(self, key: str, model: object, name: str) -> tuple[DiskUse, ...]:
        """Of mmdf, all of it and `-m` alike; nothing where its figures are rounded."""
        if key not in (f"space {name}", f"metadata space {name}") or not isinstance(model, FsSpace) or not model.exact:
            return ()
        return tuple(
            DiskUse(
                disk.nsd,
                disk.used_kb,
                disk.size_kb,
                disk.failure_group,
                disk.pool,
                metadata=disk.metadata,
                data=disk.data,
            )
            for disk in model.disks
        )

    def known(self, told: Callable[[str], object], name: str, command: str) -> Known:
        """Allocated inodes, the MB in use on the disks that hold data, and whether there are snapshots."""
        return gpfs_happened.known(told, name, command)

    def run_kind(self, command: str) -> str:
        """`mmrestripefs -r`, `mmdeldisk`: the program with what decides on its work."""
        return run_kind(command.split())
