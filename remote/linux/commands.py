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
