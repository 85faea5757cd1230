"""Complaints of logs: each line counted once although tails overlap, kept within bounds, and never 0 where unknown."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from remote.command import Command
from remote.events import Answered, Asked, Exact, Header, Reply, Unanswered
from remote.linux.commands import log_history, logs
from remote.linux.host_time import host_time
from remote.linux.log_tails import parse_logs
from supervision.canary import DAY, HOURS, Bucket, Count, Listening, read_to, unseen
from supervision.canary_rates import Level, Rate, canary, newest
from supervision.canary_trend import Point, trend
from supervision.gpfs_view import Memo
from supervision.state import State
from supervision.store import Store

NOON = 1_370_520_000.0
"""2013-06-06 12:00:00 UTC, a full minute."""
HOST = "pollux1"


def at(seconds: float, text: str) -> str:
    """A line of GPFS's log, so many seconds after noon."""
    moment = NOON + seconds
    clock = time.strftime("%Y-%m-%d_%H:%M:%S", time.gmtime(moment))
    return f"{clock}.{round(moment % 1 * 1000):03d}+0000: {text}"


def kernel(seconds: float, text: str) -> str:
    """A line of the kernel's log."""
    return f"{time.strftime('%b %e %H:%M:%S', time.gmtime(NOON + seconds))} n1 kernel: {text}"


def told(mmfs: Sequence[str] | str, lines: Sequence[str] | str = (), *, cut: bool = False) -> str:
    """An answer: the lines of both logs, or the state that one is in."""
    text = "restripe-logs 1\ntoday 2013-06-06 +0000\n"
    for name, tail in (("mmfs", mmfs), ("kernel", lines)):
        text += f"log {name}\n"
        if isinstance(tail, str):
            text += f"state {tail}\n"
        else:
            text += "from x\n" + "cut\n" * cut + "".join(f"| {line}\n" for line in tail) + "over\n"
    return text + "end\n"


class Session:
    """A state that grows by answers."""

    def __init__(self, *hosts: str) -> None:
        self.store = Store(Header(1, "0", NOON, 0.0, "fs1", hosts or (HOST,), HOST))
        self.n = 0

    @property
    def state(self) -> State:
        return self.store.state

    @property
    def heard(self) -> Listening:
        return self.state.heard[HOST]

    @property
    def minutes(self) -> dict[int, Bucket]:
        """All minutes with anything in them."""
        return {number: bucket for hour in self.heard.minutes.values() for number, bucket in hour.items()}

    def answer(self, seconds: float, text: str, host: str = HOST, command: Command | None = None) -> None:
        """An answer to a question that was asked so many seconds after noon."""
        self.n += 1
        self.store.apply(Asked(NOON + seconds, self.n, host, (command or logs(),)))
        self.store.apply(Answered(NOON + seconds, self.n, (Reply(0, Exact(text.encode())),)))

    def fail(self, seconds: float, host: str = HOST) -> None:
        """A question that was not answered."""
        self.n += 1
        self.store.apply(Asked(NOON + seconds, self.n, host, (logs(),)))
        self.store.apply(Unanswered(NOON + seconds, self.n, "the connection was lost"))

    def total(self, host: str = HOST) -> tuple[int, int]:
        """All errors and warnings that are kept."""
        buckets = [bucket for _, _, bucket in self.state.heard[host].between(0, 1e11)]
        counts = [count for bucket in buckets for count in bucket.values()]
        return sum(count.errors for count in counts), sum(count.warnings for count in counts)


EXPEL = "[E] Node 10.0.0.{0} (c{0}) is being expelled due to expired lease."
QUIET = "[N] mmfsd ready"
IO = "end_request: I/O error, dev sdd, sector {}"


def test_lines_are_counted_in_the_minute_in_which_they_were_written() -> None:
    session = Session()
    lines = [at(-65, QUIET), at(-61, EXPEL.format(12)), at(-2, EXPEL.format(13)), at(-1, "[W] odd")]
    session.answer(0, told(lines, [kernel(-1, IO.format(1)), kernel(-1, "quiet_error: 48 callbacks suppressed")]))
    minute = int(NOON // 60)
    assert session.minutes == {
        minute - 2: {"expel": Count(1, 0, ("c12",))},
        minute - 1: {
            "expel": Count(1, 0, ("c13",)),
            "other": Count(0, 1, (HOST,)),
            "io": Count(49, 0, (HOST,)),
        },
    }


def test_tails_that_overlap_count_each_line_once_and_the_same_second_whole() -> None:
    session = Session()
    first = [kernel(-10, IO.format(1)), kernel(-1, IO.format(2)), kernel(-1, IO.format(2))]
    session.answer(0, told([], first))
    assert session.total() == (3, 0)
    # two more of the last second, one of them like those before; then a tail that begins later
    second = [*first, kernel(-1, IO.format(2)), kernel(-1, IO.format(3))]
    session.answer(60, told([], second))
    assert session.total() == (5, 0)
    session.answer(120, told([], [*second[3:], kernel(70, IO.format(4))], cut=True))
    assert session.total() == (6, 0)
    session.answer(180, told([], [*second, kernel(70, IO.format(4)), kernel(150, IO.format(5))]), command=log_history())
    assert session.total() == (7, 0)
    assert session.heard.gaps == ()


def test_a_log_that_begins_anew_is_counted_from_there_and_the_last_second_of_the_old_is_not_doubled() -> None:
    session = Session()
    session.answer(0, told([at(-10, EXPEL.format(1)), at(-1, EXPEL.format(2))]))
    session.answer(60, told([at(-1, EXPEL.format(2)), at(-1, EXPEL.format(3)), at(30, EXPEL.format(4))]))
    assert session.total() == (4, 0)
    assert not session.heard.gaps
    session.answer(120, told([at(90, EXPEL.format(5))]))
    assert session.total() == (5, 0)
    assert session.heard.gaps == ((NOON + 60, NOON + 90),)


def test_a_tail_that_does_not_reach_back_is_at_least() -> None:
    session = Session()
    session.answer(0, told([at(-1, QUIET)]))
    session.answer(60, told([at(-1, QUIET)]))  # nothing new: until then nothing is lost
    session.answer(120, told([at(110 + number, EXPEL.format(number)) for number in range(5)], cut=True))
    assert session.heard.gaps == ((NOON + 60, NOON + 110),)
    found = canary(session.state)
    assert found.at_least
    assert found.text.startswith("at least ")
    session.answer(600, told([at(110 + number, EXPEL.format(number)) for number in range(5)]))
    assert not canary(session.state).at_least


def test_a_clock_that_is_set_back_loses_no_line() -> None:
    session = Session()
    lines = [at(-1, EXPEL.format(1)), at(-0.5, EXPEL.format(2))]
    session.answer(0, told(lines))
    session.answer(60, told([*lines, at(-3600, EXPEL.format(3))]))
    assert session.total() == (3, 0)


def test_times_of_a_wrong_clock_are_put_on_the_sites() -> None:
    session = Session()
    session.answer(0, f"{NOON + 3600:.0f} +0000", command=host_time())
    session.answer(1, told([at(3600 - 90, EXPEL.format(1)), at(3600 + 600, EXPEL.format(2))]))
    # what lies after the answer was written before it all the same
    assert sorted(session.minutes) == [int(NOON // 60) - 2, int(NOON // 60)]


def test_a_log_that_cannot_be_read_for_a_while_goes_on_where_it_was() -> None:
    session = Session()
    lines = [at(-1, EXPEL.format(1))]
    session.answer(0, told(lines))
    session.answer(60, told("hangs"))
    session.fail(120)
    session.answer(180, told([*lines, at(100, EXPEL.format(2))]))
    assert session.total() == (2, 0)
    assert session.heard.gaps == ()


def test_answers_that_are_read_anew_in_a_replay_are_the_same_to_it() -> None:
    first, second = Session(), Session()
    lines = [at(-1, EXPEL.format(1))]
    for seconds, tail in ((0, lines), (60, lines), (120, [at(110, EXPEL.format(2))]), (180, [at(170, "[W] odd")])):
        for session in (first, second):
            session.answer(seconds, told(tail, cut=True))
        fact = second.state.facts[f"logs {HOST}"]
        anew = msgspec.structs.replace(fact, parsed=parse_logs(told(tail, cut=True)))
        second.store.state = msgspec.structs.replace(second.state, facts={**second.state.facts, fact.key: anew})
    assert first.state.heard == second.state.heard
    assert first.heard.gaps == ((NOON + 60, NOON + 110), (NOON + 120, NOON + 170))


def test_an_older_day_is_kept_by_the_hour_and_an_older_month_not_at_all() -> None:
    session = Session()
    lines = [at(-40 * 86400, EXPEL.format(1)), at(-2 * 86400, EXPEL.format(2)), at(-2 * 86400 + 60, EXPEL.format(3))]
    session.answer(0, told([*lines, at(-60, EXPEL.format(4))]))
    assert dict(session.heard.hours) == {int(NOON // 3600) - 48: {"expel": Count(2, 0, ("c2", "c3"))}}
    assert list(session.minutes) == [int(NOON // 60) - 1]
    for day in range(1, 45):
        session.answer(day * 86400, told([at(day * 86400 - 1, EXPEL.format(day))]))
    assert len(session.heard.minutes) <= DAY + 1
    assert min(session.heard.hours) >= int((NOON + 44 * 86400) // 3600) - HOURS
    assert session.total() == (31, 0)


def test_nothing_that_was_not_read_is_called_quiet() -> None:
    session = Session("pollux1", "pollux2", "pollux3")
    nothing = canary(session.state)
    assert (nothing.level, nothing.text) == (Level.UNKNOWN, "not known: pollux1: not asked yet")
    session.answer(0, told([at(-600, QUIET)], "denied"))
    session.answer(0, told("denied", "denied"), "pollux2")
    found = canary(session.state)
    assert found.unread == (
        ("kernel log of pollux1", "the login may not read it"),
        ("GPFS log of pollux2", "the login may not read it"),
        ("kernel log of pollux2", "the login may not read it"),
        ("pollux3", "not asked yet"),
    )
    assert (found.level, found.now) == (Level.CALM, Rate(0, 0))
    session.fail(60)
    assert canary(session.state).level is Level.UNKNOWN


def test_rates_are_those_of_five_minutes_against_the_time_before_the_scan() -> None:
    session = Session()
    before = [at(-7200, QUIET), *(at(-7200 + 60 * number, "[W] odd") for number in range(60))]
    # the scan began an hour ago; its own first half hour does not count as usual
    during = [at(-3600 + number, EXPEL.format(1)) for number in range(100)]
    now = [at(-170, EXPEL.format(12)), *(at(-100, "[W] odd") for _ in range(10))]
    lines = [kernel(-50, IO.format(number)) for number in range(4)]
    session.answer(60, told([*before, *during, *now], lines))
    found = canary(session.state, began=NOON - 3600)
    # five minutes up to 12:01:00: the minutes from 11:57 on, of which 240 seconds have gone
    assert found.now == Rate(5 / 4, 10 / 4)
    assert found.before == Rate(0, 1.0)
    assert [(each.kind, each.nodes) for each in found.kinds] == [
        ("expel", ("c12",)),
        ("io", (HOST,)),
        ("other", (HOST,)),
    ]
    assert found.level is Level.ALARM
    assert found.text == (
        "1.2 errors, 2.5 warnings/min (before: 1)   expel: node c12, I/O error: node pollux1, other: node pollux1"
    )


def test_what_is_as_usual_is_calm_and_more_of_it_is_raised() -> None:
    session = Session()
    usual = [at(-3600, QUIET), *(at(-3600 + 30 * number, "[W] odd") for number in range(119))]
    session.answer(0, told(usual))
    found = canary(session.state)
    assert (found.level, found.before) == (Level.CALM, Rate(0, 2.0))
    more = [*usual, *(at(1 + number, "[W] odd") for number in range(50))]
    session.answer(59, told(more))
    assert canary(session.state).level is Level.RAISED
    session.answer(119, told([*more, *(at(70, "[E] bad") for _ in range(50))]))
    assert canary(session.state).level is Level.ALARM


def test_what_is_usual_is_not_known_where_nobody_looked_before() -> None:
    session = Session()
    session.answer(0, told([at(-100, "[W] odd")]))
    found = canary(session.state, began=NOON - 50)
    assert (found.before, found.level) == (None, Level.CALM)
    assert "(before: not known)" in found.text


def test_hosts_are_added_up_and_nodes_counted_once() -> None:
    session = Session("pollux1", "pollux2")
    for host in session.state.hosts:
        session.answer(0, told([at(-600, QUIET), at(-30, EXPEL.format(12)), at(-20, EXPEL.format(13))]), host)
    found = canary(session.state)
    assert found.kinds[0].nodes == ("c12", "c13")
    assert found.kinds[0].text == "expel: 2 nodes"
    assert found.now.errors == pytest.approx(2 / 4 + 2 / 4)


def test_points_of_a_chart_are_none_where_nothing_is_known() -> None:
    session = Session()
    lines = [at(-90, QUIET), at(-30, EXPEL.format(1)), at(-20, "[W] odd")]
    session.answer(0, told(lines))
    session.answer(300, told([at(290, EXPEL.format(2))], cut=True))
    points = trend(session.state, NOON - 180, NOON + 360)
    assert points == (
        Point(NOON - 180, None, None),
        Point(NOON - 120, 0, 0),
        Point(NOON - 60, 1, 1),
        Point(NOON, None, None),
        Point(NOON + 60, None, None),
        Point(NOON + 120, None, None),
        Point(NOON + 180, None, None),
        Point(NOON + 240, 1, 0),
        Point(NOON + 300, None, None),
    )
    assert trend(session.state, NOON - 120, NOON, 120.0) == (Point(NOON - 120, 0.5, 0.5),)


def test_what_is_older_than_a_day_is_spread_evenly_over_its_hour_in_a_chart() -> None:
    session = Session()
    first = [at(-3600, QUIET), at(-30, EXPEL.format(1)), at(-20, "[W] odd"), at(-10, "[W] odd")]
    session.answer(0, told(first))
    session.answer(3 * 86_400, told([*first, at(3 * 86_400 - 1, QUIET)]))
    points = trend(session.state, NOON - 5400, NOON + 1800, 1800.0)
    assert points == (
        Point(NOON - 5400, None, None),
        Point(NOON - 3600, 0.5 / 30, 1 / 30),
        Point(NOON - 1800, 0.5 / 30, 1 / 30),
        Point(NOON, 0, 0),
    )


def test_for_a_chart_only_the_hours_in_which_something_was_heard_are_gone_through_again() -> None:
    session = Session(HOST, "pollux2")
    memo, made = Memo(), list[str]()

    def remember(name: str, sources: tuple[object, ...], axis: object, make: Callable[[], Any]) -> Any:
        assert axis is None  # the same sums serve every axis

        def make_and_tell() -> Any:
            made.append(name)
            return make()

        return memo.get(name, sources, make_and_tell)

    def seen(begins: float = NOON - 7200) -> list[str]:
        made.clear()
        found = trend(session.state, begins, NOON + 7200, remember=remember)
        assert found == trend(session.state, begins, NOON + 7200)
        return list(made)

    ten, eleven, noon = ((int(NOON // 3600) - hours) % (DAY + 1) for hours in (2, 1, 0))
    lines = [at(-3700, EXPEL.format(1)), at(-30, EXPEL.format(2))]
    for host in (HOST, "pollux2"):
        session.answer(0, told(lines), host)
    assert seen() == [f"trend {host}{part}" for host in (HOST, "pollux2") for part in ("", f" {ten}", f" {eleven}")]
    assert seen() == seen(NOON - 3600) == []
    session.answer(60, told([*lines, at(20, EXPEL.format(3))]), "pollux2")
    assert seen() == [f"trend pollux2 {noon}"]


def test_the_last_lines_of_a_kind_are_kept_the_newest_first() -> None:
    session = Session()
    session.answer(0, told([at(-100 + number, EXPEL.format(number)) for number in range(9)]))
    lines = newest(session.state, "expel")
    assert [line.text for line in lines] == [EXPEL.format(number) for number in (8, 7, 6, 5, 4)]
    assert (lines[0].at, lines[0].host, lines[0].log) == (NOON - 92, HOST, "mmfs")


def test_grave_errors_are_happenings_once_for_each_node() -> None:
    session = Session()
    lines = [at(-10, EXPEL.format(1)), at(-9, "[W] odd")]
    session.answer(0, told(lines))
    assert not session.state.happened  # they were there before anybody looked
    lines += [at(10, EXPEL.format(1)), at(20, EXPEL.format(2)), at(21, EXPEL.format(2)), at(30, "[E] odd")]
    session.answer(60, told(lines))
    session.answer(120, told([*lines, at(100, EXPEL.format(2)), at(101, "[E] Disk failure.  Volume fs1. rc = 5.")]))
    assert [(each.at, each.host, each.kind, each.text) for each in session.state.happened] == [
        (NOON + 60, HOST, "canary", "expel: [E] Node 10.0.0.2 (c2) is being expelled due to expired lease."),
        (NOON + 120, HOST, "canary", "disk: [E] Disk failure.  Volume fs1. rc = 5."),
    ]


def tail_of(lines: Sequence[str]) -> str:
    return told([at(0, f"[E] {line}") for line in lines])


@given(st.lists(st.sampled_from("ab"), max_size=30), st.integers(0, 30), st.integers(0, 30), st.integers(1, 30))
def test_of_any_log_no_more_lines_are_counted_than_were_written(
    log: list[str], first: int, second: int, length: int
) -> None:
    """All in one instant, where tails may be laid over each other in several ways: fewer rather than twice."""
    first, second = sorted((min(first, len(log)), min(second, len(log))))
    before = parse_logs(tail_of(log[max(0, first - length) : first])).model.tails[0]
    now = parse_logs(tail_of(log[max(0, second - length) : second])).model.tails[0]
    fresh, _ = unseen(read_to(before), now)
    if first:
        assert len(fresh) <= second - first


@given(st.lists(st.integers(0, 3), min_size=1, max_size=30), st.data())
def test_of_lines_that_differ_each_is_counted_exactly_once(gaps: list[int], data: st.DataObject) -> None:
    times = [sum(gaps[: index + 1]) for index in range(len(gaps))]
    lines = [at(second, f"[E] number {index}") for index, second in enumerate(times)]
    first = data.draw(st.integers(1, len(lines)))
    second = data.draw(st.integers(first, len(lines)))
    before = parse_logs(told(lines[data.draw(st.integers(0, first - 1)) : first])).model.tails[0]
    now = parse_logs(told(lines[data.draw(st.integers(0, first - 1)) : second])).model.tails[0]
    fresh, lost = unseen(read_to(before), now)
    assert [entry.text for entry in fresh] == [f"[E] number {index}" for index in range(first, second)]
    assert not lost


def test_only_the_hosts_that_were_read_again_are_gone_through_again() -> None:
    session = Session(HOST, "pollux2")
    memo = Memo()
    made: list[str] = []

    def remember(name: str, sources: tuple[object, ...], began: object, make: Callable[[], Any]) -> Any:
        def make_and_tell() -> Any:
            made.append(name)
            return make()

        return memo.get(f"{name} {began}", sources, make_and_tell)

    def seen(began: float) -> list[str]:
        made.clear()
        assert canary(session.state, began, remember=remember) == canary(session.state, began)
        return list(made)

    for host in (HOST, "pollux2"):
        session.answer(0, told([at(-30, EXPEL.format(1))]), host)
    assert seen(NOON) == [f"canary {HOST}", "canary pollux2"]
    assert seen(NOON) == []
    session.answer(60, told([at(-30, EXPEL.format(1)), at(20, EXPEL.format(2))]), "pollux2")
    assert seen(NOON) == ["canary pollux2"]
    assert seen(NOON + 1) == [f"canary {HOST}", "canary pollux2"]
