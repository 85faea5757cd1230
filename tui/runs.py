"""The file of finished runs, from which forecasts of the next ones learn: read, and written with one run more.

Nothing depends on it: a line that is damaged is skipped, and a file that cannot be read is as good as none.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
import tempfile
from pathlib import Path

from remote.events import Header
from supervision.eta_runs import FinishedRun, decode_run, encode_run, with_run
from supervision.filesystem import FileSystem
from supervision.learning import Learning
from supervision.supervisor import Supervisor

LARGEST = 1 << 20
"""Bytes that are read; what is kept is far less."""


class RunsError(Exception):
    """The file could not be written; the text says why."""


def load(path: Path) -> tuple[FinishedRun, ...]:
    """The runs of a file, the oldest first; nothing where there is none. Blocks."""
    try:
        with path.open("rb") as file:
            lines = file.read(LARGEST).splitlines()
    except OSError:
        return ()
    return tuple(run for line in lines if (run := decode_run(line)))


def keep(path: Path, run: FinishedRun, header: Header) -> bool:
    """Add a run of the session with that header; whether it was. What was simulated teaches nothing and is not kept.

    Blocks. Raises RunsError.
    """
    if header.simulated or header.speed != 1.0:
        return False
    append(path, run)
    return True


def append(path: Path, run: FinishedRun) -> None:
    """Add a run. The file is replaced as a whole, so it is never half written; only its owner can read it.

    Blocks. Raises RunsError.
    """
    data = b"".join(encode_run(each) for each in with_run(load(path), run))
    try:
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        _replace(path, data)
    except OSError as error:
        raise RunsError(f"{path}: the run was not kept: {error.strerror or error}") from None


async def learn(supervisor: Supervisor, fs: FileSystem, path: Path) -> Learning:
    """Let the forecasts of a session learn from a file of finished runs, and add those that end."""
    header = supervisor.store.state.header

    async def keep_run(run: FinishedRun) -> None:
        try:
            await asyncio.to_thread(keep, path, run, header)
        except RunsError as error:
            supervisor.journal.decide(supervisor.site.clock.now(), "restripe", str(error))

    return Learning(supervisor, fs, await asyncio.to_thread(load, path), keep_run)


def _replace(path: Path, data: bytes) -> None:
    number, name = tempfile.mkstemp(prefix=f".{path.name}.", dir=path.parent)  # 0600
    try:
        with os.fdopen(number, "wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        Path(name).replace(path)
    except BaseException:
        with contextlib.suppress(OSError):
            Path(name).unlink()
        raise
