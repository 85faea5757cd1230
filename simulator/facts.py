"""What is so now, for the control interface: the simulator's own word, which no mm* command tells."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict
from typing import Any

from simulator.commands import as_json
from simulator.world import World


def facts(world: World, machines: Mapping[str, Mapping[str, Any]]) -> dict[str, Any]:
    """What is so now; `machines` is what the hosts' network tells."""
    world.settle()
    cluster, fs = world.cluster, world.cluster.fs
    return {
        "now": world.clock.now(),
        "release": cluster.dialect.name,
        "fs": fs.name,
        "metadata_kb": {disk.name: disk.metadata_kb for disk in fs.disks},
        "metadata_left_on_rotating_kb": cluster.metadata_left_kb,
        "metadata_total_kb": cluster.metadata_total_kb,
        "properly_replicated": fs.properly_replicated,
        "inodes": {
            "used": fs.inodes.used,
            "free": fs.inodes.free,
            "allocated": fs.inodes.allocated,
            "max": fs.inodes.maximum,
        },
        "disks": [
            {
                "name": disk.name,
                "usage": disk.usage,
                "failure_group": disk.failure_group,
                "pool": disk.pool,
                "size_kb": disk.size_kb,
                "free_blocks_kb": disk.free_blocks_kb,
                "free_fragments_kb": disk.fragments_kb,
                "metadata_kb": disk.metadata_kb,
                "data_kb": disk.data_kb,
                "maps_kb": disk.maps_kb,
                "status": disk.status,
                "availability": disk.availability,
            }
            for disk in fs.disks
        ],
        "nsds": [
            {
                "name": nsd.name,
                "volume_id": nsd.volume_id,
                "host": nsd.host,
                "device": nsd.device.name,
                "wwn": nsd.device.wwn,
                "servers": list(nsd.servers),
                "filesystem": fs.name if fs.disk(nsd.name) else None,
            }
            for nsd in cluster.nsds.values()
        ],
        "held": list(world.holds.standing),
        "running": [as_json(record) for record in world.running],
        "restripe": world.run.report() if world.run is not None else None,
        "busy_with": world.busy_with,
        "manager": fs.manager,
        "quorum": world.has_quorum,
        "qos": asdict(fs.qos),
        "hosts": {
            name: {
                "power": name not in world.powered_off,
                "daemon": world.daemon_state(cluster.hosts[name]),
                **machines[name],
            }
            for name in machines
        },
        "destroyed": [asdict(item) for item in cluster.destroyed],
        "boot_ids": {host.name: host.boot_id for host in cluster.hosts.values()},
        "policies": asdict(world.policies),
    }
