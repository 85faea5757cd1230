"""The operations of the control interface: facts, policies, and everything that can happen to a cluster."""

from __future__ import annotations

import shlex
import sys
from collections.abc import Callable, Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Any

from simulator import devicefaults, faults
from simulator.commands import as_json
from simulator.discovery import MAPS_ONLY
from simulator.facts import facts
from simulator.fstables import changed_limits
from simulator.given import Given
from simulator.holding import BEGIN, END
from simulator.logoperations import LogOperations
from simulator.machines import Machine
from simulator.runoperations import RunOperations
from simulator.settingoperations import SettingOperations
from simulator.traffic import Traffic
from simulator.world import World


class Operations:
    """Performs one request at a time; see `simulator.control` for what each of them takes and answers."""

    def __init__(self, world: World, machines: Mapping[str, Machine], directory: Path, traffic: Traffic) -> None:
        self._world = world
        self._machines = machines
        self._directory = directory
        self._traffic = traffic
        self._table: dict[str, Callable[[Given], Any]] = {
            "facts": self._facts,
            "history": self._history,
            "set_policy": self._set_policy,
            "reboot": self._reboot,
            "power_off": self._power_off,
            "power_on": self._power_on,
            "cut": self._cut,
            "freeze": self._freeze,
            "slow": self._slow,
            "disk": self._disk,
            "daemon": self._daemon,
            "manager": self._manager,
            "quorum": self._quorum,
            "job_disk": self._job_disk,
            "fill": self._fill,
            "occupy": self._occupy,
            "hold": self._hold,
            "qos": self._qos,
            "outsider": self._outsider,
            "environment": self._environment,
            "set_device": self._set_device,
            "nsddevices": self._nsddevices,
            **RunOperations(world).table,
            **LogOperations(world).table,
            **SettingOperations(world).table,
        }

    @property
    def names(self) -> list[str]:
        """All operations."""
        return list(self._table)

    async def perform(self, op: str, arguments: Mapping[str, Any]) -> dict[str, Any]:
        """Perform one operation. Raises ValueError in words for a person."""
        handler = self._table.get(op)
        if handler is None:
            raise ValueError(f"no operation {op!r}: {', '.join(self._table)} or shutdown")
        given = Given(arguments, self._machines)
        answer: dict[str, Any] = await handler(given)
        return answer

    async def _facts(self, given: Given) -> dict[str, Any]:
        given.end()
        machines = {
            name: {"connections": machine.door.connections, "frozen": machine.frozen}
            for name, machine in self._machines.items()
        }
        return facts(self._world, machines)

    async def _history(self, given: Given) -> dict[str, Any]:
        given.end()
        return {"commands": [as_json(record) for record in self._world.history]}

    async def _set_policy(self, given: Given) -> dict[str, Any]:
        for name, value in given.rest().items():
            self._world.policies.change(name, value, set(self._world.cluster.hosts))
        return asdict(self._world.policies)

    async def _off(self, machine: Machine, *, keep_disks: bool = False) -> None:
        self._world.powered_off.add(machine.host.name)
        await machine.power_off()
        faults.node_lost(self._world, machine.host.name, keep_disks=keep_disks)

    async def _on(self, machine: Machine, *, shuffle: bool) -> None:
        self._traffic.reboot(machine.host)
        await machine.power_on(shuffle=shuffle)
        self._world.powered_off.discard(machine.host.name)
        if machine.host.name not in self._world.policies.down_nodes:
            faults.node_back(self._world, machine.host.name)

    async def _reboot(self, given: Given) -> dict[str, Any]:
        machine, shuffle = given.machine(), given.flag("shuffle", default=True)
        seconds = given.number("seconds", 120)
        given.end()
        await self._off(machine)

        async def boot() -> None:
            await self._world.clock.sleep(seconds)
            if machine.host.name in self._world.powered_off:
                await self._on(machine, shuffle=shuffle)

        self._world.start(boot())
        return {"host": machine.host.name, "back": self._world.clock.now() + seconds}

    async def _power_off(self, given: Given) -> dict[str, Any]:
        machine, disks = given.machine(), given.one_of("disks", "go", "stay")
        given.end()
        await self._off(machine, keep_disks=disks == "stay")
        return {"host": machine.host.name}

    async def _power_on(self, given: Given) -> dict[str, Any]:
        machine, shuffle = given.machine(), given.flag("shuffle", default=True)
        given.end()
        if machine.host.name not in self._world.powered_off:
            raise ValueError(f"{machine.host.name} is not off")
        await self._on(machine, shuffle=shuffle)
        return {"host": machine.host.name, "boot_id": machine.host.boot_id}

    async def _cut(self, given: Given) -> dict[str, Any]:
        machines = given.machines()
        given.end()
        return {"cut": sum(machine.door.cut() for machine in machines)}

    async def _freeze(self, given: Given) -> dict[str, Any]:
        machines, frozen = given.machines(), given.flag("frozen", default=True)
        given.end()
        for machine in machines:
            machine.frozen = frozen
            machine.door.freeze(frozen=frozen)
        return {"hosts": [machine.host.name for machine in machines], "frozen": frozen}

    async def _slow(self, given: Given) -> dict[str, Any]:
        machines = given.machines()
        rate, delay = int(given.number("rate", 0)), given.number("delay", 0)
        given.end()
        for machine in machines:
            machine.door.slow(rate, delay)
        return {"hosts": [machine.host.name for machine in machines], "rate": rate, "delay": delay}

    async def _disk(self, given: Given) -> dict[str, Any]:
        name, availability = given.text("disk"), given.text("availability")
        given.end()
        faults.set_disk(self._world, name, availability)
        return {"disk": name, "availability": availability}

    async def _daemon(self, given: Given) -> dict[str, Any]:
        machine, state = given.machine(), given.one_of("state", "down", "up", "restart")
        seconds, disks = given.number("seconds", 30), given.one_of("disks", "go", "stay")
        given.end()
        name, world = machine.host.name, self._world
        others = [each for each in world.policies.down_nodes if each != name]
        if state == "up":
            self._daemon_up(name)
        else:
            world.policies.down_nodes = [*others, name]
            faults.node_lost(world, name, keep_disks=disks == "stay")
        if state == "restart":
            world.start(self._later(seconds, lambda: self._daemon_up(name)))
        return {"host": name, "state": world.daemon_state(machine.host)}

    def _daemon_up(self, name: str) -> None:
        world = self._world
        world.policies.down_nodes = [each for each in world.policies.down_nodes if each != name]
        if name not in world.powered_off:
            faults.node_back(world, name)

    async def _later(self, seconds: float, act: Callable[[], None]) -> None:
        await self._world.clock.sleep(seconds)
        act()

    async def _manager(self, given: Given) -> dict[str, Any]:
        machine = given.machine()
        given.end()
        faults.move_manager(self._world, machine.host)
        return {"manager": machine.host.name}

    async def _quorum(self, given: Given) -> dict[str, Any]:
        self._world.quorum_lost = given.flag("lost", default=True)
        given.end()
        faults.check_quorum(self._world)
        return {"quorum": self._world.has_quorum}

    async def _job_disk(self, given: Given) -> dict[str, Any]:
        machine, state = given.machine(), given.one_of("state", "full", "ok", "small")
        given.end()
        if state == "full":
            return {"host": machine.host.name, "how": machine.fill_job_disk()}
        if state == "small":
            return {"host": machine.host.name, "how": machine.small_job_disk()}
        machine.free_job_disk()
        return {"host": machine.host.name, "how": "ok"}

    async def _fill(self, given: Given) -> dict[str, Any]:
        name, free = given.text("disk"), int(given.number("free_kb", high=1e15))
        given.end()
        faults.fill(self._world, name, free)
        return {"disk": name, "free_blocks_kb": faults.find_disk(self._world, name).free_blocks_kb}

    async def _occupy(self, given: Given) -> dict[str, Any]:
        program, seconds = given.text("program", "mmdeldisk"), given.number("seconds", 600)
        given.end()
        if self._world.busy_with:
            raise ValueError(f"{self._world.busy_with} has the file system already")
        self._world.start(faults.occupy(self._world, program, seconds))
        await faults.settled(self._world)
        return {"program": program, "until": self._world.clock.now() + seconds}

    async def _hold(self, given: Given) -> dict[str, Any]:
        release = given.flag("release", default=False)
        command, place = given.text("command", "") if release else given.text("command"), given.one_of("at", BEGIN, END)
        given.end()
        if release:
            self._world.holds.release()
        else:
            self._world.holds.hold(command, place)
        await faults.settled(self._world)
        return {"held": list(self._world.holds.standing)}

    async def _qos(self, given: Given) -> dict[str, Any]:
        fs = self._world.cluster.fs
        limits, enabled = given.text("limits", ""), given.flag("enabled", default=True)
        given.end()
        chosen = changed_limits(fs.qos.limits, limits, list(fs.pools)) if limits else fs.qos.limits
        self._world.set_qos(fs, chosen, fs.qos.scopes, enabled=enabled)
        return asdict(fs.qos)

    async def _outsider(self, given: Given) -> dict[str, Any]:
        machine, through = given.machine(), given.one_of("through", "tee", "nohup", "screen")
        file = given.text("file", "screenlog.0" if through == "screen" else "restripe.log")
        options = given.text("options", "-r")
        given.end()
        if machine.host.name in self._world.powered_off:
            raise ValueError(f"{machine.host.name} is off")
        words = shlex.join(["mmrestripefs", self._world.cluster.fs.name, *shlex.split(options)])
        path = machine.home / file
        place = shlex.quote(str(path))
        command = {
            "tee": f"{words} 2>&1 </dev/null | tee {place} >/dev/null 2>&1",
            "nohup": f"exec nohup {words} >{place} 2>&1 </dev/null",
            "screen": f"exec {shlex.quote(sys.executable)} -m simulator.screenlike {place} {words}",
        }
        pid = machine.spawn(command[through])
        return {"host": machine.host.name, "pid": pid, "file": str(path), "command": words, "through": through}

    async def _environment(self, given: Given) -> dict[str, Any]:
        machine, share = given.machine(), given.flag("share", default=False)
        given.end()
        await machine.look()
        settings = machine.shared_environment()
        if share:
            # Other users may pass through, to the shims and no further; they keep their jobs where they like.
            self._directory.chmod(0o711)
            del settings["RESTRIPE_JOBS"]
        return {"host": machine.host.name, "environment": settings}

    async def _set_device(self, given: Given) -> dict[str, Any]:
        machine, name = given.machine(), given.text("device")
        answer = devicefaults.set_device(self._world.cluster, machine.host, name, given)
        await self._world.devices_changed()
        return answer

    async def _nsddevices(self, given: Given) -> dict[str, Any]:
        machine, absent = given.machine(), given.flag("absent", default=False)
        text = given.text("text", MAPS_ONLY)
        given.end()
        machine.host.nsddevices = None if absent else text
        machine.host.changes += 1
        await self._world.devices_changed()
        return {"host": machine.host.name, "text": machine.host.nsddevices}
