"""The logs of a recording: filled as it is folded, and looked at from any place that is folded."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from remote.events import LogRead, LogRewound
from supervision.logcopy import LogCopies, LogCopy


class RecordedLogs:
    """All versions of all logs, each with how many entries there were when it began.

    What lies in the future of the one who looks is in the copies already: what is shown of a log ends where its
    state's `size` does.
    """

    def __init__(self) -> None:
        self._versions: dict[tuple[str, str], list[tuple[int, LogCopy]]] = {}

    def take(self, count: int, event: LogRead | LogRewound) -> None:
        """Take in the event that is the entry before `count`."""
        versions = self._versions.setdefault((event.host, event.source), [(0, LogCopy())])
        newest = versions[-1][1]
        if isinstance(event, LogRead):
            newest.write(event.offset, event.data.data, event.t)
        else:
            versions.append((count, LogCopy(newest.generation + 1, (event.why, event.t))))

    def at(self, count: int, host: str, source: str) -> LogCopy:
        """A log as it was after `count` entries; by the entry, since two may have the same time."""
        versions = self._versions.setdefault((host, source), [(0, LogCopy())])
        for began, copy in reversed(versions):
            if began <= count:
                return copy
        return versions[0][1]

    def known(self, count: int) -> dict[tuple[str, str], LogCopy]:
        """All logs after `count` entries."""
        return {key: self.at(count, *key) for key in self._versions}


class PlayedLogs(LogCopies):
    """The logs as whoever plays a recording sees them."""

    def __init__(self, logs: RecordedLogs, count: Callable[[], int]) -> None:
        super().__init__()
        self._logs = logs
        self._count = count

    def get(self, host: str, source: str, at: float | None = None) -> LogCopy:
        """The copy of a log at the played moment."""
        return self._logs.at(self._count(), host, source)

    @property
    def known(self) -> Mapping[tuple[str, str], LogCopy]:
        """All copies at the played moment."""
        return self._logs.known(self._count())
