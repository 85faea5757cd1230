"""`mmbackupconfig`: the configuration of a file system into a file. The text follows IBM's manual."""

from __future__ import annotations

from simulator.usage import CommandError, UsageError, parse
from simulator.world import Call, World

_SECONDS = 5


async def mmbackupconfig(world: World, call: Call) -> None:
    """Write what describes the file system. The real file is a format of IBM's own; this one is to be read."""
    given = parse(call.argv[1:], "", "-o")
    fs = world.file_system(call, given.word(0))
    given.end(1)
    if "-o" not in given.options:
        raise UsageError("Missing arguments.")
    await call.emit(f"\nmmbackupconfig: Processing file system {fs.name} ...\n")
    await world.clock.sleep(_SECONDS)
    disks = "".join(f"disk:{disk.name}:{disk.usage}:{disk.failure_group}:{disk.pool}\n" for disk in fs.disks)
    try:
        call.write_file(given.options["-o"], f"filesystem:{fs.name}:{fs.metadata_replicas}\n{disks}")
    except OSError as problem:
        raise CommandError(
            f"{call.name}: File {given.options['-o']} could not be written: {problem.strerror}"
        ) from None
    await call.emit(f"{call.name}: Command successfully completed\n")
