"""A text saved to a file of the person who looks. Nothing that is there is ever written over."""

from __future__ import annotations

import os
from pathlib import Path

from remote.text import one_line


class SaveError(Exception):
    """It was not saved; the text says why."""


def free_name(name: str) -> str:
    """A name in the current directory that nothing has yet: `nsd.stanza`, then `nsd-2.stanza`."""
    base, dot, suffix = name.rpartition(".")
    names = (
        name if number == 1 else f"{base or suffix}-{number}{dot}{suffix if base else ''}" for number in range(1, 1000)
    )
    return next((found for found in names if not os.path.lexists(found)), name)


def save_text(text: str, typed: str) -> str:
    """Save to a file that is not there yet, readable by its owner alone; say what was done. Raises SaveError."""
    if not typed.strip():
        raise SaveError("no name was given")
    data = text.encode("utf-8", "replace")
    try:
        path = Path(typed.strip()).expanduser()
        number = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)
        with os.fdopen(number, "wb") as file:
            file.write(data)
    except FileExistsError:
        raise SaveError("it is there already; take another name") from None
    except (OSError, ValueError, RuntimeError) as error:  # RuntimeError: ~somebody who is not there
        raise SaveError(getattr(error, "strerror", None) or str(error)) from None
    return f"saved {len(data):,} bytes to {one_line(str(path))}"
