"""The control interface: one JSON object a line over a Unix socket, one answer a line.

Requests have a key `op`; answers are `{"result": {...}}` or `{"error": "text"}`. All sizes are KB, all times
simulated UNIX seconds, all durations simulated seconds where nothing else is said. A key in brackets may be left out.

Asking:

- `facts`: `now`, `release`, `fs`, `metadata_kb` by NSD, `metadata_left_on_rotating_kb`, `metadata_total_kb` (constant
  over a restripe: maps are not counted), `properly_replicated`, `inodes`, `disks`, `nsds`, `running` commands,
  `restripe` (null or its progress), `held` (names of commands that stand still), `busy_with`, `destroyed` (`host`,
  `device`, `wwn`, `what`, `when`), `boot_ids`, `hosts` (`power`, `daemon`, `connections`, `frozen`), `manager`,
  `quorum`, `qos`, `policies`, `refused` (bad requests of shims).
- `history`: `commands`, every mm command in order of start: `host`, `argv`, `pid`, `start`, `end`, `rc` (null while it
  runs and for one whose process was killed).
- `environment` host [share=false]: the `environment` that makes a session of any SSH server that host: PATH, SIM_*,
  RESTRIPE_*, TZ. With `share`, users other than the simulator's may run the shims (its directory becomes searchable),
  and RESTRIPE_JOBS is left to them. RESTRIPE_BOOT_ID is that of this moment.

Choosing: `set_policy`, any of `simulator.policies` and `down_nodes` (hosts whose daemon is down, without any other
consequence); answers with all policies.

Hosts and their network:

- `reboot` host [seconds=120] [shuffle=true]: everything on it dies, its connections are reset and refused; it comes
  back with another boot id and, with `shuffle`, other device names. `power_off` host [disks=go|stay], `power_on` host
  [shuffle=true]. With `disks=stay` other servers go on to serve its disks, whatever the lists of servers say.
- `cut` [host]: reset its connections, or everybody's; `cut` tells how many. New ones are accepted.
- `freeze` [host] [frozen=true]: pass nothing on, and let nothing be noticed; `frozen=false` goes on.
- `slow` [host] [rate=0] [delay=0]: bytes a real second in each direction (0: no limit), real seconds for each piece.
- `job_disk` host [state=full|ok|small]: where jobs are kept. `how` tells what could be done: `tmpfs` (root: a file
  system of a megabyte, really full), `unwritable` (new jobs cannot be made), `directory` or `nothing`.
- `log` host kind [node] [disk] [device] [sector] [thread] [reason] [seconds_waited] [count=1] [seconds=0]: write what
  the host says of such an event, `kind` is any of `simulator.hostlogs.EVENTS`; or `log` host text [file=mmfs|messages]
  [severity] [program=kernel] [count] [seconds]: any line. With `seconds` the lines are spread over that time.
- `rotate` host [file=mmfs|messages]: begin a new file.

A host's devices:

- `set_device` host device, and any of these; `device` is a kernel name, a path or an alias of the host. Answers with
  `host`, `device`, `seen`, `wwn`, `serial`, `nsd_id`, `hangs`.
  - `hangs`: whoever reads it waits (its file is a pipe that nobody writes to); `hangs=false` gives them its content.
  - `swap=true`: another device of the same model is in its place, empty and with an identity of its own.
  - `wwn`, `serial`: what the host is told of its identity, empty for nothing; `like` device: that of another one. The
    cluster goes on knowing it by its true one.
  - `seen=false`: this host does not see it, other servers of it do; `seen=true`: it does again.
  - `nsd_id`: an id in its sector 2 as GPFS 3.5 wrote it, of an NSD that no cluster knows; empty for none.
  - `fstype` (of `simulator.ondisk.FORMATS`, two joined by a comma for one that is ambivalent) and `mountpoint`: what
    lies on it without a partition table.
  - `logical_sector`, `physical_sector` (512 or 4096), `size_bytes`, `firmware`, `write_cache` (`write back`,
    `write through` or empty where the kernel tells none), `vendor`, `model`, `enclosure`, `slot`, `state`, `read_only`.
- `nsddevices` host [text] [absent=false]: the script /var/mmfs/etc/nsddevices of this host; without a text the usual
  one for multipath. `mmdevdiscover` understands of it what `simulator.discovery` says; `mmcrnsd` takes no other device.

The cluster:

- `daemon` host [state=down|up|restart] [seconds=30] [disks=go|stay]: with `restart` it is down for so long. A helper
  that is lost leaves a restripe that runs to the others. `manager` host: it becomes the file system manager. `quorum`
  [lost=true].
- `disk` disk availability: `up`, `down`, `recovering` or `unrecovered`, by itself. With `restripeOnDiskFailure` = `yes`
  in the configuration a restripe that runs suspends the disk and starts over; else it ends.
- `fill` disk free_kb: ordinary use leaves that much of it free.
- `waiter` host [thread] [reason] [seconds=300]: a thread that waits and will go on waiting.
- `config` parameter value [nodes]: what `mmlsconfig` lists; an empty value takes it away.
- `snapshot` name [metadata_kb=2000000] [data_kb=200000000] [delete=false]: a restripe that begins later walks its
  inodes too, as many as its metadata has room for; answers with these for all snapshots.

- `attribute` name value: `metadata_replicas`, `max_metadata_replicas`, `data_replicas`, `max_data_replicas` or
  `inode_bytes` of the file system. `inodes` [used] [allocated] [maximum].
- `role` disk [usage] [group] [status] [pool]: what the disk is from now on, whatever mmchdisk would say to that.
- `mount` host [mounted=true]: whether the host mounts the file system.
- `callback` name [command] [event=startup]: what `mmlscallback` lists; without a command it is taken away.
- `file` host path [text]: a crontab, script or unit of the host, for whoever looks below RESTRIPE_SYSROOT.

A restripe that runs, and its users:

- `stall` [seconds=0] [disk] [thread=NSDThread] [reason] [release=false]: it stands still for so long, or with 0 until
  `release=true`: nothing is scanned, moved or told, its helpers wait for a thread on the first server of the disk, and
  that is written into logs after 300 s. Answers with `standing_since` and `host`.
- `pace` factor: other load leaves it this share of its speed, without any limit; for later ones too. Above 1, up to
  100, nobody has to wait for its end.
- `start_over`: it scans from its first phase again, in the same output (`restripeOnDiskFailure`).
- `users` [host] [latency_ms=2] [factor=4] [hang=true|false]: real milliseconds of an operation on the file system, how
  many times as long it takes while a restripe goes at full speed (less at a lower pace), and whether operations on a
  host, or on all, do not come back at all. RESTRIPE_PROBE_HOOK takes as long. `now_ms` is the present mean.

Other people:

- `occupy` [program=mmdeldisk] [seconds=600]: a conflicting command has the file system; what a second one does, the
  policy `conflict` says. `qos` [limits] [enabled=true]: limits as of `mmchqos`.
- `hold` command [at=begin|end]: commands of that name stand still before anything of them has happened, or after all of
  it has, until `hold` release=true lets everything go on. Answers with `held`.
- `outsider` host [through=tee|nohup|screen] [file] [options=-r]: `mmrestripefs FS OPTIONS` on a host without any
  connection or job, through `| tee FILE`, `nohup ... >FILE` (restripe.log), or in a terminal whose log a parent named
  SCREEN keeps (screenlog.0). Answers with `pid` (of the shell, the command or that parent), `file` and `command`.

`shutdown` ends the simulator.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

from simulator.clients import Clients
from simulator.operations import Operations

MAX_REQUEST = 64 * 1024
MAX_CLIENTS = 64


class ControlServer:
    """Serves the socket; `stop_all` is called for `shutdown`, `refused` counts bad shim requests."""

    def __init__(self, operations: Operations, stop_all: Callable[[], None], refused: Callable[[], int]) -> None:
        self._operations = operations
        self._stop_all = stop_all
        self._refused = refused
        self._clients = Clients(self._serve, MAX_CLIENTS)

    async def start(self, path: Path) -> None:
        """Listen on a Unix socket."""
        self._clients.server = await asyncio.start_unix_server(self._clients.accept, path, limit=MAX_REQUEST)

    async def stop(self) -> None:
        """Close the socket and all clients."""
        await self._clients.stop()

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            while line := await reader.readline():
                writer.write(json.dumps(await self._answer(line)).encode() + b"\n")
                await writer.drain()
        except (OSError, ValueError):
            return  # A line beyond the limit, or the client is gone.
        finally:
            writer.close()
            with contextlib.suppress(OSError):
                await writer.wait_closed()

    async def _answer(self, line: bytes) -> dict[str, Any]:
        try:
            request = json.loads(line)
            if not isinstance(request, dict):
                return {"error": "a request is a JSON object"}
            return {"result": await self._perform(str(request.pop("op", "")), request)}
        except (ValueError, OSError) as problem:
            return {"error": str(problem)}

    async def _perform(self, op: str, arguments: dict[str, Any]) -> dict[str, Any]:
        if op == "shutdown":
            asyncio.get_running_loop().call_soon(self._stop_all)
            return {}
        answer = await self._operations.perform(op, arguments)
        return answer | {"refused": self._refused()} if op == "facts" else answer
