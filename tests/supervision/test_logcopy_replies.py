"""What commands said is kept as far as there is room, the newest longest."""

from __future__ import annotations

from remote.command import Command, Effect
from remote.events import Answered, Asked, Exact, Reply, Unanswered
from supervision.replies import KEPT, Replies

COMMAND = Command(("mmlsdisk", "mss1"), Effect.READS)
OTHER = Command(("mmdf", "mss1"), Effect.READS)


def answered(replies: Replies, n: int, *outs: bytes) -> None:
    replies.on_event(Asked(float(n), n, "a", (COMMAND, OTHER)[: len(outs)]))
    replies.on_event(Answered(n + 0.5, n, tuple(Reply(0, Exact(out)) for out in outs)))


def test_each_command_of_a_batch_has_its_own_answer() -> None:
    replies = Replies()
    answered(replies, 1, b"disks", b"space")
    replies.on_event(Asked(2.0, 2, "a", (COMMAND,)))
    replies.on_event(Unanswered(3.0, 2, "gone"))
    replies.on_event(Answered(4.0, 9, ()))
    replies.on_event(None)
    assert replies.get(1.0, "a", "mmlsdisk mss1") == Reply(0, Exact(b"disks"))
    assert replies.get(1.0, "a", "mmdf mss1") == Reply(0, Exact(b"space"))
    assert replies.get(2.0, "a", "mmlsdisk mss1") is None
    assert replies.get(1.0, "b", "mmlsdisk mss1") is None


def test_the_oldest_go_when_there_is_no_room() -> None:
    replies = Replies()
    for n in range(1, 6):
        answered(replies, n, b"x" * (KEPT // 3))
    assert [n for n in range(1, 6) if replies.get(float(n), "a", "mmlsdisk mss1")] == [4, 5]
