"""The operations that make a cluster another one than its scenario: attributes, roles of disks, mounts, schedules."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from pathlib import PurePosixPath
from typing import Any

from simulator import faults
from simulator.given import Given
from simulator.state import FAILURE_GROUPS, USAGES
from simulator.world import World

ATTRIBUTES = ("metadata_replicas", "max_metadata_replicas", "data_replicas", "max_data_replicas", "inode_bytes")
MAX_TEXT = 4000
_PLACES = ("etc/crontab", "etc/cron.d", "etc/cron.daily", "etc/systemd/system", "var/spool/cron", "usr/local")
"""Where files may be written: what `restripe-nightly` reads."""


class SettingOperations:
    """`table` has them by name; see `simulator.control` for what each of them takes and answers."""

    def __init__(self, world: World) -> None:
        self._world = world
        self.table: dict[str, Callable[[Given], Awaitable[dict[str, Any]]]] = {
            "attribute": self._attribute,
            "inodes": self._inodes,
            "role": self._role,
            "mount": self._mount,
            "callback": self._callback,
            "file": self._file,
        }

    async def _attribute(self, given: Given) -> dict[str, Any]:
        fs = self._world.cluster.fs
        name, value = given.one_of("name", *ATTRIBUTES), int(given.number("value", low=1, high=65536))
        given.end()
        setattr(fs, name, value)
        return {name: value}

    async def _inodes(self, given: Given) -> dict[str, Any]:
        inodes = self._world.cluster.fs.inodes
        for name in ("used", "allocated", "maximum"):
            setattr(inodes, name, int(given.number(name, getattr(inodes, name), high=1e15)))
        given.end()
        return {"used": inodes.used, "allocated": inodes.allocated, "maximum": inodes.maximum}

    async def _role(self, given: Given) -> dict[str, Any]:
        """What mmchdisk would have refused, or nobody remembers having done."""
        disk = faults.find_disk(self._world, given.text("disk"))
        usage, group = given.text("usage", disk.usage), given.text("group", disk.failure_group)
        status, pool = given.text("status", disk.status), given.text("pool", disk.pool)
        given.end()
        if usage not in USAGES:
            raise ValueError(f"usage is one of {', '.join(USAGES)}")
        if not group.lstrip("-").isdecimal() or int(group) not in FAILURE_GROUPS:
            raise ValueError(f"group is one of {FAILURE_GROUPS.start} to {FAILURE_GROUPS.stop - 1}")
        disk.usage, disk.failure_group, disk.status, disk.pool = usage, group, status, pool
        return {"disk": disk.name, "usage": usage, "group": group, "status": status, "pool": pool}

    async def _mount(self, given: Given) -> dict[str, Any]:
        machine, mounted = given.machine(), given.flag("mounted", default=True)
        given.end()
        fs, name = self._world.cluster.fs, machine.host.name
        others = {each for each in fs.mounted_on if each != name} | ({name} if mounted else set())
        fs.mounted_on = [each for each in self._world.cluster.hosts if each in others]
        return {"mounted": fs.mounted_on}

    async def _callback(self, given: Given) -> dict[str, Any]:
        name, command, event = given.text("name"), given.text("command", ""), given.text("event", "startup")
        given.end()
        callbacks = self._world.cluster.callbacks
        if command:
            callbacks[name] = (command, event)
        elif callbacks.pop(name, None) is None:
            raise ValueError(f"there is no callback {name}")
        return {"callbacks": dict(callbacks)}

    async def _file(self, given: Given) -> dict[str, Any]:
        machine, path, text = given.machine(), given.text("path"), given.text("text", "")
        given.end()
        name = path.lstrip("/")
        inside = any(name == place or name.startswith(f"{place}/") for place in _PLACES)
        if not inside or ".." in PurePosixPath(name).parts or len(text) > MAX_TEXT:
            raise ValueError(f"path is below one of {', '.join(f'/{place}' for place in _PLACES)}")
        files = machine.host.files
        if text:
            files[name] = f"{text}\n"
        else:
            files.pop(name, None)
        machine.host.changes += 1
        await self._world.devices_changed()
        return {"host": machine.host.name, "files": sorted(files)}
