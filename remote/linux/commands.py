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
