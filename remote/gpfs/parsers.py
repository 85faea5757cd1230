"""All parsers of GPFS texts in one place, and one entry for each command. None of them ever raises.

A line that was not understood becomes a note, a broken row a problem with its line, and a text that is not
the command's answer at all a problem of line 0. A parser reads whichever form it gets, of any release.

`steps(argv, stdout, stderr)` is the same in slices, for callers that must not be held up:

    work = steps(("mmdf", "fs1"), stdout, stderr)   # `yield from` it, or take `next` until StopIteration.value
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType
from typing import Any, TypeAlias

from remote.gpfs.callbacks import mmlscallback_steps, parse_mmlscallback
from remote.gpfs.changes import (
    mmchqos_steps,
    mmcrnsd_steps,
    mmdelnsd_steps,
    parse_mmchqos,
    parse_mmcrnsd,
    parse_mmdelnsd,
)
from remote.gpfs.cluster import mmlscluster_steps, parse_mmlscluster
from remote.gpfs.config import mmlsconfig_steps, parse_mmlsconfig
from remote.gpfs.diagnosis import mmdiag_waiters_steps, mmhealth_steps, parse_mmdiag_waiters, parse_mmhealth
from remote.gpfs.discovery import mmdevdiscover_steps, parse_mmdevdiscover
from remote.gpfs.disk_changes import (
    mmadddisk_steps,
    mmchdisk_steps,
    mmdeldisk_steps,
    mmrpldisk_steps,
    parse_mmadddisk,
    parse_mmchdisk,
    parse_mmdeldisk,
    parse_mmrpldisk,
)
from remote.gpfs.disks import mmlsdisk_steps, parse_mmlsdisk
from remote.gpfs.filesystem import mmlsfs_steps, parse_mmlsfs, parse_mmlsfs_all
from remote.gpfs.guests import mmauth_steps, parse_mmauth
from remote.gpfs.nodes import (
    mmgetstate_steps,
    mmlsmgr_steps,
    mmlsmount_steps,
    parse_mmgetstate,
    parse_mmlsmgr,
    parse_mmlsmount,
)
from remote.gpfs.nsds import (
    mmlsnsd_list_steps,
    mmlsnsd_steps,
    mmlsnsd_x_steps,
    parse_mmlsnsd,
    parse_mmlsnsd_list,
    parse_mmlsnsd_x,
)
from remote.gpfs.pools import mmlspool_steps, mmlssnapshot_steps, parse_mmlspool, parse_mmlssnapshot
from remote.gpfs.progress import mmrestripefs_steps, parse_mmrestripefs, parse_progress_line, parse_stamp
from remote.gpfs.qos import mmlsqos_steps, parse_mmlsqos
from remote.gpfs.reading import Steps, finish
from remote.gpfs.space import mmdf_steps, parse_mmdf
from remote.gpfs.stanza import nsd_stanzas, parse_stanzas
from remote.parsed import Parsed

__all__ = [
    "STEPS",
    "Steps",
    "finish",
    "mmdf_steps",
    "mmlsnsd_list_steps",
    "mmlsnsd_x_steps",
    "nsd_stanzas",
    "parse",
    "parse_mmadddisk",
    "parse_mmauth",
    "parse_mmchdisk",
    "parse_mmchqos",
    "parse_mmcrnsd",
    "parse_mmdeldisk",
    "parse_mmdelnsd",
    "parse_mmdevdiscover",
    "parse_mmdf",
    "parse_mmdiag_waiters",
    "parse_mmgetstate",
    "parse_mmhealth",
    "parse_mmlscallback",
    "parse_mmlscluster",
    "parse_mmlsconfig",
    "parse_mmlsdisk",
    "parse_mmlsfs",
    "parse_mmlsfs_all",
    "parse_mmlsmgr",
    "parse_mmlsmount",
    "parse_mmlsnsd",
    "parse_mmlsnsd_list",
    "parse_mmlsnsd_x",
    "parse_mmlspool",
    "parse_mmlsqos",
    "parse_mmlssnapshot",
    "parse_mmrestripefs",
    "parse_mmrpldisk",
    "parse_progress_line",
    "parse_stamp",
    "parse_stanzas",
    "steps",
]

Reader: TypeAlias = Callable[[str, str], Steps[Any]]

STEPS: Mapping[str, Reader] = MappingProxyType(
    {
        "mmadddisk": mmadddisk_steps,
        "mmauth": mmauth_steps,
        "mmchdisk": mmchdisk_steps,
        "mmchqos": mmchqos_steps,
        "mmcrnsd": mmcrnsd_steps,
        "mmdeldisk": mmdeldisk_steps,
        "mmdelnsd": mmdelnsd_steps,
        "mmdevdiscover": mmdevdiscover_steps,
        "mmdf": mmdf_steps,
        "mmdiag": mmdiag_waiters_steps,
        "mmgetstate": mmgetstate_steps,
        "mmhealth": mmhealth_steps,
        "mmlscallback": mmlscallback_steps,
        "mmlscluster": mmlscluster_steps,
        "mmlsconfig": mmlsconfig_steps,
        "mmlsdisk": mmlsdisk_steps,
        "mmlsfs": mmlsfs_steps,
        "mmlsmgr": mmlsmgr_steps,
        "mmlsmount": mmlsmount_steps,
        "mmlsnsd": mmlsnsd_steps,
        "mmlspool": mmlspool_steps,
        "mmlsqos": mmlsqos_steps,
        "mmlssnapshot": mmlssnapshot_steps,
        "mmrestripefs": mmrestripefs_steps,
        "mmrpldisk": mmrpldisk_steps,
    }
)
"""What reads the answer of each command, in slices."""


def steps(argv: Sequence[str], stdout: str, stderr: str = "") -> Steps[Any]:
    """Read the answer of a command in slices; KeyError for one that nothing here reads.

    Of the arguments only `mmdf -P` matters: it prints no totals of the file system.
    """
    if argv[0] == "mmdf" and any(word.startswith("-P") for word in argv[1:]):
        return mmdf_steps(stdout, stderr, one_pool=True)
    return STEPS[argv[0]](stdout, stderr)


def parse(argv: Sequence[str], stdout: str, stderr: str = "") -> Parsed[Any]:
    """Read the answer of a command at once; KeyError for one that nothing here reads."""
    return finish(steps(argv, stdout, stderr))
