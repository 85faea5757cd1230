"""Where the program keeps things on this machine: XDG, always."""

from __future__ import annotations

from pathlib import Path

import platformdirs


def state_dir() -> Path:
    """What a person may want to keep: $XDG_STATE_HOME/restripe."""
    return Path(platformdirs.user_state_dir("restripe", appauthor=False))


def runs_file() -> Path:
    """What finished runs taught forecasts of the next ones."""
    return state_dir() / "runs.jsonl"


def plans_dir() -> Path:
    """Where plans are kept that were made on the screens."""
    return state_dir() / "plans"


def recordings_dir() -> Path:
    """Where sessions are recorded."""
    return state_dir() / "recordings"


def new_recording(name: str) -> Path:
    """A file that does not exist yet for a session called `name`."""
    for number in range(1, 10_000):
        suffix = "" if number == 1 else f"-{number}"
        path = recordings_dir() / f"{name}{suffix}.jsonl"
        if not path.exists():
            return path
    raise FileExistsError(recordings_dir() / f"{name}.jsonl")


def newest_recording() -> Path | None:
    """The recording of yours that was written to last."""
    found = recordings_dir().glob("*.jsonl") if recordings_dir().is_dir() else ()
    return max(found, key=lambda path: path.stat().st_mtime, default=None)
