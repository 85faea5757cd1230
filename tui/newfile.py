"""Files that people keep: written whole, and never over another one."""

from __future__ import annotations

import os
from pathlib import Path


def is_there(path: Path) -> bool:
    """Whether something is there already, be it a link that leads nowhere."""
    return path.exists() or path.is_symlink()


def write_new(path: Path, text: str) -> None:
    """Write a file that must not exist yet, down to the disk. Raises OSError."""
    with path.open("x", encoding="utf-8", newline="\n") as file:
        file.write(text)
        file.flush()
        os.fsync(file.fileno())
