"""All parsers of GPFS texts in one place. Each takes `(stdout, stderr="")` and never raises.

A line that was not understood becomes a note, a broken row a problem with its line, and a text that is not
the command's answer at all a problem of line 0.
"""

from __future__ import annotations

from remote.gpfs.changes import parse_mmadddisk, parse_mmchdisk, parse_mmcrnsd
from remote.gpfs.cluster import parse_mmlscluster, parse_mmlsfs
from remote.gpfs.disks import parse_mmlsdisk, parse_mmlsnsd_x
from remote.gpfs.progress import parse_mmrestripefs, parse_progress_line, parse_stamp
from remote.gpfs.space import parse_mmdf
from remote.gpfs.stanza import nsd_stanzas, parse_stanzas

__all__ = [
    "nsd_stanzas",
    "parse_mmadddisk",
    "parse_mmchdisk",
    "parse_mmcrnsd",
    "parse_mmdf",
    "parse_mmlscluster",
    "parse_mmlsdisk",
    "parse_mmlsfs",
    "parse_mmlsnsd_x",
    "parse_mmrestripefs",
    "parse_progress_line",
    "parse_stamp",
    "parse_stanzas",
]
