"""How answers and logs of GPFS are read: which parser reads which command, and which form of it to ask for."""

from __future__ import annotations

from collections.abc import Callable

from remote.command import Command
from remote.gpfs import parsers
from remote.gpfs.dialects import machine_form, machine_refused
from remote.gpfs.progress import Failed, Percent, PhaseDone, PhaseStarted, Waiting, parse_progress_line, parse_stamp
from supervision import gpfs_happened
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
    Totals,
    WaitsFor,
)

IN_SLICES = frozenset(("mmlscluster", "mmgetstate", "mmlsdisk", "mmdf", "mmlsnsd"))
"""Commands whose answers grow with the cluster."""
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
            case "mmdiag", ["--waiters"]:
                return f"waiters {host}", parsers.parse_mmdiag_waiters
            case "mmdevdiscover", []:
                return f"discovery {host}", parsers.parse_mmdevdiscover
            case "mmlsmgr", []:
                return "managers", parsers.parse_mmlsmgr
            case "mmlsmount", [fs] | [fs, "-L"]:
                return f"mounts {fs}", parsers.parse_mmlsmount
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
                return WaitsFor(program)
            case Failed(text):
                return Failing(text)
        return None

    def happened(self, key: str, before: object, after: object) -> tuple[Change, ...]:
        """Disks, nodes, daemons, managers, limits and snapshots that are not what they were."""
        return gpfs_happened.changes(key, before, after)

    def totals(self, told: Callable[[str], object], name: str, command: str) -> Totals:
        """Allocated inodes, and the MB in use on the disks that hold data."""
        return gpfs_happened.totals(told, name, command)
