"""The control interface: one JSON object a line over a Unix socket, one answer a line.

Requests have a key `op`; answers are `{"result": {...}}` or `{"error": "text"}`. All sizes are KB, all times
simulated UNIX seconds.

- `facts`: `now`, `fs`, `metadata_kb` by NSD, `metadata_left_on_rotating_kb`, `metadata_total_kb` (constant: maps are
  not counted), `properly_replicated`, `inodes`, `disks`, `nsds`, `running` commands, `restripe` (null or its
  progress), `destroyed` (`host`, `device`, `wwn`, `what`, `when`), `boot_ids`, `policies`, `refused` (bad requests).
- `history`: `commands`, every mm command in order of start: `host`, `argv`, `pid`, `start`, `end`, `rc` (null while it
  runs and for one whose process was killed).
- `set_policy`: any of `client_death` (`abort`, `continue`), `conflict` (`wait`, `terminate`) and `down_nodes` (list of
  hosts); answers with all policies.
- `shutdown`: ends the simulator.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
from collections.abc import Callable
from dataclasses import asdict
from pathlib import Path
from typing import Any

from simulator.commands import as_json
from simulator.world import World

MAX_REQUEST = 64 * 1024
MAX_CLIENTS = 64


def facts(world: World) -> dict[str, Any]:
    """What is so now."""
    world.settle()
    cluster, fs = world.cluster, world.cluster.fs
    return {
        "now": world.clock.now(),
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
        "running": [as_json(record) for record in world.running],
        "restripe": world.run.report() if world.run is not None else None,
        "destroyed": [asdict(item) for item in cluster.destroyed],
        "boot_ids": {host.name: host.boot_id for host in cluster.hosts.values()},
        "policies": asdict(world.policies),
    }


class ControlServer:
    """Serves the socket; `stop_all` is called for `shutdown`, `refused` counts bad shim requests."""

    def __init__(self, world: World, stop_all: Callable[[], None], refused: Callable[[], int]) -> None:
        self._world = world
        self._stop_all = stop_all
        self._refused = refused
        self._server: asyncio.Server | None = None
        self._tasks: set[asyncio.Task[None]] = set()

    async def start(self, path: Path) -> None:
        """Listen on a Unix socket."""
        self._server = await asyncio.start_unix_server(self._accept, path, limit=MAX_REQUEST)

    async def stop(self) -> None:
        """Close the socket and all clients."""
        if self._server is not None:
            self._server.close()
        for task in list(self._tasks):
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)

    def _accept(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        if len(self._tasks) >= MAX_CLIENTS:
            writer.close()
            return
        task = asyncio.create_task(self._serve(reader, writer))
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            while line := await reader.readline():
                writer.write(json.dumps(self._answer(line)).encode() + b"\n")
                await writer.drain()
        except (OSError, ValueError):
            return  # A line beyond the limit, or the client is gone.
        finally:
            writer.close()
            with contextlib.suppress(OSError):
                await writer.wait_closed()

    def _answer(self, line: bytes) -> dict[str, Any]:
        try:
            request = json.loads(line)
            if not isinstance(request, dict):
                return {"error": "a request is a JSON object"}
            return {"result": self._perform(str(request.pop("op", "")), request)}
        except ValueError as problem:
            return {"error": str(problem)}

    def _perform(self, op: str, arguments: dict[str, Any]) -> dict[str, Any]:
        if op == "facts":
            return facts(self._world) | {"refused": self._refused()}
        if op == "history":
            return {"commands": [as_json(record) for record in self._world.history]}
        if op == "set_policy":
            for name, value in arguments.items():
                self._world.policies.change(name, value, set(self._world.cluster.hosts))
            return asdict(self._world.policies)
        if op == "shutdown":
            asyncio.get_running_loop().call_soon(self._stop_all)
            return {}
        raise ValueError(f"no operation {op!r}: facts, history, set_policy or shutdown")
