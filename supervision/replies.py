"""What questions were answered, kept for a person who wants to read it: the newest, as far as there is room."""

from __future__ import annotations

from collections import OrderedDict
from typing import TypeAlias

from remote.events import Answered, Asked, Event, Reply, Unanswered

KEPT = 16 << 20
"""Bytes of answers that are kept of a live session; the recording has them all."""

Key: TypeAlias = tuple[float, str, str]
"""When a command was asked (Site's clock), its host and its exact text."""


class Replies:
    """The answers of a live session by when, where and what. Fed from its events."""

    def __init__(self) -> None:
        self._asked: dict[int, Asked] = {}
        self._replies: OrderedDict[Key, Reply] = OrderedDict()
        self._size = 0

    def on_event(self, event: Event | None) -> None:
        """Take an event in."""
        if isinstance(event, Asked):
            self._asked[event.n] = event
        elif isinstance(event, Unanswered):
            self._asked.pop(event.n, None)
        elif isinstance(event, Answered) and (asked := self._asked.pop(event.n, None)):
            for command, reply in zip(asked.commands, event.replies, strict=False):
                self._keep((asked.t, asked.host, command.text), reply)
            while self._size > KEPT:
                _, reply = self._replies.popitem(last=False)
                self._size -= _size(reply)

    def get(self, at: float, host: str, command: str) -> Reply | None:
        """What a command was answered that was asked at the time `at`; None where that is not kept."""
        return self._replies.get((at, host, command))

    def _keep(self, key: Key, reply: Reply) -> None:
        before = self._replies.pop(key, None)
        self._size += _size(reply) - (_size(before) if before else 0)
        self._replies[key] = reply


def _size(reply: Reply) -> int:
    return len(reply.out.data) + len(reply.err.data) + 200
