"""A log saved to a file of the person who looks, byte for byte. Nothing that is there is ever written over."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Iterator
from pathlib import Path

from remote.text import one_line
from supervision.logcopy import LogCopy
from supervision.logsearch import Filter

CHUNK = 1 << 20
LINES = 2000


class SaveError(Exception):
    """It was not saved, or not whole; the text says why."""


def free_name(name: str) -> str:
    """A name for a log in the current directory that nothing has yet."""
    base = "".join(letter if letter.isalnum() or letter in "-_." else "-" for letter in name).strip(".-") or "log"
    names = (f"{base}.log" if number == 1 else f"{base}-{number}.log" for number in range(1, 1000))
    return next((found for found in names if not os.path.lexists(found)), f"{base}.log")


async def save(copy: LogCopy, typed: str, limit: int | None, kept: Filter | None) -> str:
    """Save what is there now, or the lines that a filter lets through; say what was done. Raises SaveError.

    The bytes are the host's own, control characters and all. Only its owner can read the file.
    """
    generation = copy.generation
    number, path = _open_new(typed)
    written = 0
    try:
        with os.fdopen(number, "wb", buffering=0) as file:
            for data in _pieces(copy, limit, kept):
                if copy.generation != generation:
                    raise SaveError("the log was replaced meanwhile; what was saved is not whole")
                # a slow disk holds up nobody but this
                await asyncio.to_thread(_write_all, file.fileno(), data)
                written += len(data)
    except OSError as error:
        raise SaveError(f"{error.strerror or error}; the file is not whole") from None
    return f"saved {written:,} bytes to {one_line(str(path))}"


def _open_new(typed: str) -> tuple[int, Path]:
    if not typed.strip():
        raise SaveError("no name was given")
    try:
        path = Path(typed.strip()).expanduser()
        return os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600), path
    except FileExistsError:
        raise SaveError("it is there already; take another name") from None
    except (OSError, ValueError, RuntimeError) as error:  # RuntimeError: ~somebody who is not there
        raise SaveError(getattr(error, "strerror", None) or str(error)) from None


def _pieces(copy: LogCopy, limit: int | None, kept: Filter | None) -> Iterator[bytes]:
    if kept is None:
        size = copy.size if limit is None else min(limit, copy.size)
        for start in range(0, size, CHUNK):
            yield copy.read(start, min(CHUNK, size - start))
        return
    rows = kept.rows(limit)
    for first in range(0, rows, LINES):
        spans = (copy.span(kept.line(row, limit), limit) for row in range(first, min(rows, first + LINES)))
        yield b"".join(copy.read(start, end - start) for start, end in spans)


def _write_all(number: int, data: bytes) -> None:
    view = memoryview(data)
    while view:
        view = view[os.write(number, view) :]
