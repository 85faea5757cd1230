"""Every command by name, and how it begins and ends."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any

from simulator import altering, changing, discovery, diskreading, probing, reading, removing, restriping, saving
from simulator.going import Record
from simulator.holding import BEGIN, END
from simulator.streams import Streams
from simulator.usage import USAGES, CommandError, UsageError
from simulator.world import Call, World

Handler = Callable[[World, Call], Awaitable[None]]


async def now(world: World, call: Call) -> None:
    """The simulated time for the `date` shim: UNIX seconds with six decimals."""
    await call.emit(f"{world.clock.now():.6f}\n")


HANDLERS: dict[str, Handler] = {
    "mmlscluster": reading.mmlscluster,
    "mmgetstate": reading.mmgetstate,
    "mmlsfs": reading.mmlsfs,
    "mmlsmount": reading.mmlsmount,
    "mmlsmgr": reading.mmlsmgr,
    "mmlsconfig": reading.mmlsconfig,
    "mmlscallback": reading.mmlscallback,
    "mmauth": reading.mmauth,
    "mmlspool": reading.mmlspool,
    "mmlssnapshot": reading.mmlssnapshot,
    "mmlsqos": reading.mmlsqos,
    "mmdiag": reading.mmdiag,
    "mmhealth": reading.mmhealth,
    "mmlsdisk": diskreading.mmlsdisk,
    "mmdf": diskreading.mmdf,
    "mmlsnsd": diskreading.mmlsnsd,
    "mmcrnsd": changing.mmcrnsd,
    "mmadddisk": changing.mmadddisk,
    "mmchdisk": altering.mmchdisk,
    "mmchqos": altering.mmchqos,
    "mmdeldisk": removing.mmdeldisk,
    "mmrpldisk": removing.mmrpldisk,
    "mmdelnsd": removing.mmdelnsd,
    "mmbackupconfig": saving.mmbackupconfig,
    "mmrestripefs": restriping.mmrestripefs,
    "mmdevdiscover": discovery.mmdevdiscover,
    "lsblk": diskreading.block_devices,
    "blkid": probing.blkid,
    "wipefs": probing.wipefs,
    "partx": probing.partx,
    "date": now,
}

LOCAL = frozenset({"mmlscluster", "mmlsconfig", "mmlscallback", "mmgetstate", "mmdiag", "mmhealth", "mmdevdiscover"})
"""Commands that any node may run where only some are administration nodes: they ask nobody else."""

WRITING = frozenset({"mmcrnsd", "mmdelnsd", "mmadddisk", "mmrpldisk", "mmdeldisk"})
"""Commands that may change what lies on a device, also where they fail in part."""


async def execute(world: World, call: Call) -> int:
    """Run one command and return its exit status; its stderr text is in `call.err` afterwards.

    Cancellation means that the command's process has died; the history then keeps no exit status.
    """
    handler = HANDLERS.get(call.name)
    if handler is None or not world.dialect.has(call.name):
        call.err.append(f"{call.name}: command not found\n")
        return 127
    record = Record(call.host.name, list(call.argv), call.pid, world.clock.now())
    listed = call.name.startswith("mm")
    streams = _streams(world, call) if listed else None
    if listed:
        world.history.append(record)
        world.running.append(record)
    try:
        try:
            rc = await _handled(handler, world, call)
        finally:
            if call.name in WRITING:
                await world.devices_changed()
        if rc == 0:
            await world.holds.pass_by(call.name, END)
        record.rc = rc
        if streams is not None:
            await streams.flush()
            call.err[:] = [streams.words(text) for text in call.err]
    finally:
        record.end = world.clock.now()
        if listed:
            world.running.remove(record)
    return record.rc


def _streams(world: World, call: Call) -> Streams:
    """Put the policies for streams between a command and its process."""
    policies = world.policies

    async def late(text: str) -> None:
        call.err.append(text)

    streams = Streams(
        call.name,
        call.emit,
        call.emit_err or late,
        numbers=policies.messages == "numbered",
        buffered=policies.buffering == "block_always" or (policies.buffering == "block" and not call.unbuffered),
    )
    call.emit = streams.out
    if call.emit_err is not None:
        call.emit_err = streams.err
    call.progress_on_stderr = policies.progress_stream == "stderr"
    call.attention_on_stderr = policies.attention_stream == "stderr"
    return streams


async def _handled(handler: Handler, world: World, call: Call) -> int:
    try:
        if call.name.startswith("mm") and call.name not in LOCAL:
            world.need_admin(call)
        await world.holds.pass_by(call.name, BEGIN)
        await handler(world, call)
    except UsageError as problem:
        usage = USAGES[call.name] + " [-Y]" * world.dialect.has_y(call.name)
        call.err.append(f"{call.name}: {problem}\nUsage: {usage}\n")
        return 1
    except CommandError as problem:
        call.err.extend(f"{line}\n" for line in problem.lines)
        if call.name.startswith("mm"):
            call.err.append(f"{call.name}: {world.dialect.failure_tail}\n")
        return problem.rc
    return 0


def as_json(record: Record) -> dict[str, Any]:
    """A record of the history for the control interface."""
    return {
        "host": record.host,
        "argv": record.argv,
        "pid": record.pid,
        "start": record.start,
        "end": record.end,
        "rc": record.rc,
    }
