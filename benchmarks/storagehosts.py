"""What 64 storage servers with 100 disks each say of them: the answers of the real scripts, told once for each host.

The scripts are run once over a tree of one server. Every host has that answer with identities of its own, so that the
far side does nothing but print it, whoever asks.
"""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path
from typing import Any

from tests.linux.sysroot import GPFS, HDD_SECTORS, LINUX, SSD_SECTORS, Sysroot, gpt

FS = "fs1"
DISKS = 100
BOOT = 2
NEW = 8
"""Empty SSDs of each host."""
SHARED = DISKS - BOOT - NEW
"""NSDs, each seen and served by two hosts."""
_HOST, _PAIR = "bead", "cafe"
"""Hex digits of identities that stand for the host and for the pair of hosts until they are filled in."""
_SCRIPTS = Path(__file__).parents[1] / "remote" / "linux"
_BOOT_ID = f"6a3f2c1e-0000-4000-8000-00000000{_HOST}"


def kname(number: int) -> str:
    """sda, ..., sdz, sdaa, ..."""
    tail = chr(ord("a") + number % 26)
    return f"sd{tail}" if number < 26 else f"sd{chr(ord('a') + number // 26 - 1)}{tail}"


def nsd(pair: int, number: int) -> str:
    """The NSD on a disk of a pair of hosts."""
    return f"nsd{pair:02}_{number:02}"


def new_ssd(host: int) -> str:
    """The name of the first empty SSD, which hosts have at different places."""
    return kname(BOOT + SHARED + host % NEW)


class Server:
    """The answers of one server, with its identities left open."""

    def __init__(self, directory: Path) -> None:
        tree = Sysroot(directory)
        self._blocks: list[dict[str, Any]] = []
        for number in range(DISKS):
            self._disk(tree, number)
        tree.write("proc/sys/kernel/random/boot_id", _BOOT_ID)
        tree.write("proc/self/mountinfo", "25 1 8:1 / / rw,relatime shared:1 - xfs /dev/sda1 rw")
        tree.write("proc/swaps", "Filename\tType\tSize\tUsed\tPriority")
        self.texts = {
            "lsblk": json.dumps({"blockdevices": self._blocks}, indent=3) + "\n",
            "restripe-devices": _run("devices.sh", tree),
            "restripe-signatures": _run("signatures.sh", tree),
            "mmdevdiscover": "".join(f"{kname(number)} generic\n" for number in range(DISKS)),
        }

    def answers(self, host: int) -> dict[str, str]:
        """The answers of one host by the names of the commands."""
        return {
            name: text.replace(_HOST, f"{host:04x}").replace(_PAIR, f"{host // 2:04x}")
            for name, text in self.texts.items()
        }

    def _disk(self, tree: Sysroot, number: int) -> None:
        name, hctl = kname(number), f"{number // 50}:0:{number % 50}:0"
        boot, new = number < BOOT, number >= BOOT + SHARED
        owner = _HOST if boot or new else _PAIR
        vendor, model = ("HGST", "HUSMM1640ASS204") if boot or new else ("SEAGATE", "ST12000NM0027")
        sectors = SSD_SECTORS if boot or new else HDD_SECTORS
        wwn = f"5000c500{owner}{number:04x}"
        at = tree.scsi(name, number * 16, hctl, sectors, (vendor, model, "A204", wwn))
        disk = _block(name, "disk", sectors * 512, vendor, model, wwn, hctl, rota=not (boot or new))
        if not new:
            tree.part(at, f"{name}1", f"8:{number * 16 + 1}", sectors - 4096)
            part = _block(f"{name}1", "part", (sectors - 4096) * 512, "", "", wwn, "", rota=not boot)
            part |= {"pkname": name, "parttype": LINUX if boot else GPFS, "partlabel": "" if boot else "GPFS:"}
            part |= {"fstype": "xfs", "mountpoint": "/" if number == 0 else "/var/log"} if boot else {}
            disk["children"] = [part]
        tree.image(name, *(() if new else gpt(LINUX if boot else GPFS)))
        self._blocks.append(disk)


def _block(
    name: str, kind: str, size: int, vendor: str, model: str, wwn: str, hctl: str, *, rota: bool
) -> dict[str, Any]:
    """A device as lsblk 2.37 tells it with the columns that are asked for."""
    return {
        "name": name, "kname": name, "pkname": None, "type": kind, "size": size, "rota": rota, "ro": False,
        "rm": False, "tran": "sas" if hctl else None, "vendor": f"{vendor:<8}" if vendor else None,
        "model": model or None, "serial": f"SN-{wwn[-8:]}" if model else None, "wwn": f"0x{wwn}",
        "hctl": hctl or None, "fstype": None, "mountpoint": None, "label": None, "partlabel": None,
        "log-sec": 512, "phy-sec": 4096, "state": "running" if hctl else None, "parttype": None,
    }  # fmt: skip


def _run(script: str, tree: Sysroot) -> str:
    """What a script says of the tree, all devices being read however long that takes on a busy machine."""
    env = {**os.environ, **tree.env, "RESTRIPE_READ_SECONDS": "60"}
    done = subprocess.run(["sh", str(_SCRIPTS / script)], env=env, capture_output=True, text=True, check=True)
    assert "state" not in done.stdout, "a device was not read"
    return done.stdout


def cluster_answers(hosts: list[str]) -> dict[str, str]:
    """What the first host says of the whole; the addresses of the hosts are their names."""
    head = "version:reserved:reserved"
    nodes = [f"node{number:02}.example.com" for number in range(len(hosts))]
    state = "nodeName:nodeNumber:state:quorum:nodesUp:totalNodes:remarks:cnfsState:daemonShortName:"
    summary = (
        "clusterName:clusterId:uidDomain:rshPath:rshSudoWrapper:rcpPath:rcpSudoWrapper:repositoryType:"
        "primaryServer:secondaryServer:"
    )
    node = (
        "nodeNumber:daemonNodeName:ipAddress:adminNodeName:designation:otherNodeRoles:adminLoginName:"
        "otherNodeRolesAlias:"
    )
    device = "fileSystem:diskName:volumeId:serverList:deviceType:localDiskName:remarks:"
    rows = [(number, name, pair) for pair in range(len(hosts) // 2) for number, name in _shared(pair)]
    disk = "{:<12} nsd         512 {:>7} Yes      Yes   ready         up           system       "
    return {
        "mmgetstate": _lines(
            f"mmgetstate::HEADER:{head}:{state}",
            f"mmgetstate::0:1:::{nodes[0]}:1:active:2:2:4:quorum node:(undefined):node00:",
        ),
        "mmlscluster": _lines(
            f"mmlscluster:clusterSummary:HEADER:{head}:{summary}",
            f"mmlscluster:clusterNode:HEADER:{head}:{node}",
            f"mmlscluster:clusterSummary:0:1:::c.example.com:1:c.example.com:/usr/bin/ssh:no:/usr/bin/scp:no:CCR:{nodes[0]}::",
            *(
                f"mmlscluster:clusterNode:0:1:::{number + 1}:{nodes[number]}:{address}:{nodes[number]}:quorum::::"
                for number, address in enumerate(hosts)
            ),
        ),
        "mmlsnsd": _lines(
            f"mmlsnsd:nsd:HEADER:{head}:{device}",
            *(
                f"mmlsnsd:nsd:0:1::::{name}:7F0010015{pair:03X}{number:04X}:{nodes[host]}:generic:"
                f"/dev/{kname(number)}:server node:"
                for number, name, pair in rows
                for host in (2 * pair, 2 * pair + 1)
            ),
        ),
        "mmlsfs": _lines(
            f"mmlsfs::HEADER:{head}:deviceName:fieldName:data:remarks:", f"mmlsfs::0:1:::{FS}:inodeSize:512::"
        ),
        "mmlsdisk": _lines(
            "disk         driver   sector failure holds    holds                            storage",
            "name         type       size   group metadata data  status        availability pool",
            "------------ -------- ------ ------- -------- ----- ------------- ------------ ------------",
            *(disk.format(name, pair + 1) for _, name, pair in rows),
        ),
    }


def _shared(pair: int) -> list[tuple[int, str]]:
    return [(number, nsd(pair, number)) for number in range(BOOT, BOOT + SHARED)]


def stanzas(hosts: list[str]) -> str:
    """A stanza for one new SSD of each host."""
    return "".join(
        f"%nsd: device={new_ssd(number)} nsd=new{number:02} servers={address} usage=metadataOnly "
        f"failureGroup={101 + number} pool=system\n"
        for number, address in enumerate(hosts)
    )


def _lines(*lines: str) -> str:
    return "\n".join(lines) + "\n"
