"""The recorded seed session that is shipped, and what is read of recordings in tests."""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import TypeVar

from remote.events import (
    Event,
    Header,
    LogRead,
)
from remote.recording import Recording

SHIPPED = Path(str(files("recordings") / "seed-3.5.jsonl"))
CHANGING = ("mmcrnsd", "mmadddisk", "mmchdisk", "mmrestripefs")
E = TypeVar("E", bound=Event)


@cache
def recorded() -> tuple[Header, tuple[Event, ...]]:
    """The shipped recording."""
    recording = Recording(SHIPPED)
    events = tuple(recording)
    assert (recording.torn, recording.skipped) == (False, 0)
    return recording.header, events


def of_kind(events: Iterable[Event], kind: type[E]) -> list[E]:
    """The events of one kind."""
    return [event for event in events if isinstance(event, kind)]


def log_bytes(events: Iterable[Event]) -> dict[str, bytes]:
    """What was read of each log."""
    logs: dict[str, bytes] = {}
    for event in of_kind(events, LogRead):
        before = logs.get(event.source, b"")
        assert event.offset == len(before)
        logs[event.source] = before + event.data.data
    return logs
