"""The commands asked of any Linux host, as values."""

from __future__ import annotations

from remote.command import Command, Effect

# Every lsblk from 2.23 (RHEL 7) on knows these columns and -P; JSON came later and changed its types twice.
_COLUMNS = (
    "NAME,KNAME,PKNAME,TYPE,SIZE,ROTA,RO,RM,TRAN,VENDOR,MODEL,SERIAL,WWN,HCTL,"
    "FSTYPE,MOUNTPOINT,LABEL,PARTLABEL,LOG-SEC,PHY-SEC,STATE"
)


def lsblk() -> Command:
    """All block devices of a host, sizes in bytes. A dead path can hold it up."""
    return Command(("lsblk", "-P", "-b", "-o", _COLUMNS), Effect.READS, deadline=20.0)


def lsblk_json() -> Command:
    """The same as JSON, with the types of partitions: from 2.27 (RHEL 8) on."""
    return Command(("lsblk", "-J", "-b", "-o", f"{_COLUMNS},PARTTYPE"), Effect.READS, deadline=20.0)


def devices() -> Command:
    """What the kernel knows of a host's block devices: a fixed script that opens none of them and needs no root."""
    return Command(("restripe-devices",), Effect.READS, deadline=20.0)


def signatures() -> Command:
    """What lies on each disk and multipath map: a fixed script that reads their first sectors and signatures.

    It takes 45 seconds at most, however many devices hang.
    """
    return Command(("restripe-signatures",), Effect.READS, deadline=60.0, privileged=True)


HISTORY = 32768
"""Bytes of each log's end that are the most that is ever asked for: what was usual before anybody looked."""
LOG_BYTES = 12288
"""Bytes of each log's end that are asked for again and again: a hundred lines and more."""


def logs(most: int = LOG_BYTES) -> Command:
    """The last lines of GPFS's log and of the kernel's, `most` bytes of each: a fixed script that needs no root.

    Both readers together take ten seconds at most, however much hangs. Without root the kernel's log may be denied.
    """
    return Command(("restripe-logs", str(most)), Effect.READS, deadline=20.0)


def kernel_log(most: int = LOG_BYTES) -> Command:
    """The kernel's log alone, for hosts that have no GPFS."""
    return Command(("restripe-logs", str(most), "kernel"), Effect.READS, deadline=20.0)


def log_history() -> Command:
    """The same as far back as it is ever asked: what was usual before anybody looked."""
    return logs(HISTORY)


def disk_counters() -> Command:
    """What each whole disk and multipath map of a host has read and written: a fixed script that needs no root."""
    return Command(("restripe-io",), Effect.READS, deadline=10.0)
