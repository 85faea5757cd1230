"""A line for cron that watches how full the metadata disks of a GPFS file system are. A text: nothing runs it here."""

from __future__ import annotations

from remote.command import quote
from remote.gpfs import commands as gpfs
from supervision.footprint import WARN

MMDF = "/usr/lpp/mmfs/bin/mmdf"
"""Where GPFS has it: cron's PATH does not lead there."""
_HOURS = "17 */4 * * *"
"""mmdf reads much on a large file system: not more often than this."""
_AWK = (
    '{ gsub(/\\([^)]*\\)/, "") } '
    '$4 == "Yes" && $5 == "No" && $2 > 0 { n++; used = int(100 * (1 - ($6 + $7) / $2)); '
    "if (used >= limit) "
    'print "metadata disk " $1 ", failure group " $3 ": " used " percent of " $2 " KB in use" } '
    'n == 0 && NR < 4 { said = said " " $0 } '
    'END { if (!n) print "mmdf told of no disk that holds metadata alone:" said }'
)
"""Prints nothing while all is well. No percent sign: in a crontab that is the end of the command."""


def line(fs: str, *, percent: int = round(100 * WARN), mmdf: str = MMDF) -> str:
    """A line for a file below /etc/cron.d: it mails of each disk that is fuller than `percent`, or that mmdf fails.

    Raises ValueError for what is no name of a file system.
    """
    name, *options = gpfs.mmdf(fs, True).argv
    del name
    words = quote((mmdf, *options))
    command = f"LC_ALL=C timeout -k 60 600 {words} </dev/null 2>&1 | awk -v limit={percent:d} {quote((_AWK,))}"
    if "%" in command or "\n" in command:
        raise ValueError(f"cron would end the command at a percent sign: {fs!r}")
    return f"{_HOURS} root {command}"
