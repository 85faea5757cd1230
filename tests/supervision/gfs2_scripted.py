"""A host with a GFS2 that answers from exact texts, for guided work that is begun and never runs."""

from __future__ import annotations

from remote.events import Header
from remote.recorder import RecordingSite
from supervision.journal import Journal
from supervision.store import Store
from supervision.supervisor import Supervisor
from tests.gfs2.gfs2texts import told
from tests.supervision.scripted_site import ScriptedSite

HOST, DEVICE, OUT = "n1", "/dev/vg0/data", "/var/tmp/data.meta.gz"
HEADER = Header(1, "test", 1000.0, 1000.0, DEVICE, (HOST,), HOST, "ops@desk", kind="gfs2")
UNUSED = f"restripe-gfs2-use 1\ndevice ={DEVICE}\nnumber 253:0\nkernel yes\nmounts told\nend\n"
MOUNTED = UNUSED.replace("mounts told\n", f"mount 253:0 gfs2\nof ={DEVICE}\nat =/data\nmounts told\n")
IDLE = "restripe-work 1\nboot b1\nclock 1000 1000.0 100\nend\n"
NEW = f"restripe-room 1\npath ={OUT}\nkind absent\ndirectory 8:1 xfs 104857600\nend\n"
THERE = f"restripe-room 1\npath ={OUT}\nkind file\nsize 5\nheader x\ndirectory 8:1 xfs 104857600\nend\n"


def host() -> ScriptedSite:
    """A host on which the device is not mounted, and with room for a file."""
    answers = {
        "blkid": told("blkid").replace("/scratch/small", DEVICE),
        "gfs2_edit": told("sb_350"),
        "restripe-gfs2-rgs": told("rgs_350"),
        "restripe-gfs2-use": UNUSED,
        "restripe-room": NEW,
        "restripe-work": IDLE,
    }
    return ScriptedSite(HOST, answers=answers, armed=True)


def supervised(site: ScriptedSite) -> Supervisor:
    """The supervisor of a session with it."""
    journal = Journal(Store(HEADER))
    return Supervisor(RecordingSite(site, journal.emit, prepare=journal.prepare), journal, fs=DEVICE, entry=HOST)
