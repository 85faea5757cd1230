"""Throttles, stuck threads and health: `mmlsqos`, `mmdiag --waiters`, `mmhealth node show`."""

from __future__ import annotations

import msgspec


class QosLimit(msgspec.Struct, frozen=True):
    """The limit of a class of I/O in a pool. `limit` is as printed: `inf`, `unlimited`, `50000Iops`.

    `name` is the class, with its scope if there is one: `maintenance/all_local`.
    """

    pool: str
    name: str
    limit: str


class QosStat(msgspec.Struct, frozen=True):
    """What a class did in a pool during an interval of `seconds`. None where GPFS says `nan`.

    `time` is UNIX time, or None with a `clock` text in the human form. `iops` per second; `queued` and `delayed`
    are the mean numbers of I/O requests in the disk queue and in the queue of the throttle; `mb_s` in MB/s.
    """

    pool: str
    name: str
    time: int | None
    iops: float | None
    queued: float | None
    delayed: float | None
    seconds: float | None
    mb_s: float | None = None
    clock: str = ""


class Qos(msgspec.Struct, frozen=True):
    """`mmlsqos`. The three words are None where they are not told."""

    enabled: bool | None
    throttling: bool | None
    monitoring: bool | None
    limits: tuple[QosLimit, ...] = ()
    stats: tuple[QosStat, ...] = ()

    def limit(self, pool: str, name: str) -> str | None:
        """The limit of a class in a pool, with or without its scope."""
        return next(
            (row.limit for row in self.limits if row.pool == pool and name in (row.name, row.name.partition("/")[0])),
            None,
        )


class Waiter(msgspec.Struct, frozen=True):
    """A thread that waits. `since` is a time of day without a date in the human form, a full time with `-Y`.

    `monitored` is False for threads that wait for ever by design, None where the release does not tell.
    """

    thread: str
    name: str
    seconds: float
    since: str
    monitored: bool | None
    condition: str
    reason: str


class Waiters(msgspec.Struct, frozen=True):
    """`mmdiag --waiters` of one node; none is the best answer."""

    waiters: tuple[Waiter, ...]

    @property
    def longest(self) -> Waiter | None:
        """The one that has waited longest."""
        return max(self.waiters, key=lambda waiter: waiter.seconds, default=None)


class HealthState(msgspec.Struct, frozen=True):
    """The state of a component or of one of its entities. `since` is as printed (`2 days ago`, or a time with zone)."""

    node: str
    component: str
    entity: str
    kind: str
    status: str
    since: str = ""


class HealthEvent(msgspec.Struct, frozen=True):
    """An event behind a state. The human form tells its name alone."""

    node: str
    component: str
    entity: str
    kind: str
    event: str
    arguments: str = ""
    since: str = ""
    identifier: str = ""
    message: str = ""
    severity: str = ""


class NodeHealth(msgspec.Struct, frozen=True):
    """`mmhealth node show`. `status` is the node's as a whole."""

    node: str
    status: str
    states: tuple[HealthState, ...]
    events: tuple[HealthEvent, ...]

    def component(self, name: str) -> HealthState | None:
        """The state of a component as a whole."""
        return next((state for state in self.states if state.component == name and state.kind == "NODE"), None)
