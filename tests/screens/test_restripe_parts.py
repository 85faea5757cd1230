"""The lines of the Restripe screen: what goes first where there is no room, and what is said of users and disks."""

from __future__ import annotations

from rich.text import Text

from screens.restripe_charts import count_text
from screens.restripe_events import event_lines, events_of
from screens.restripe_lines import Block, finish_lines, fitted
from screens.restripe_parts import fill_lines, fill_short, group_lines, happened_block, users_block, users_text
from screens.restripe_strips import Kept
from supervision.charting import Axis
from supervision.eta import State
from supervision.filesystem import Fill, Finish, Phase, Progress
from supervision.forecasts import Told
from supervision.happenings import Happening
from supervision.impact import Impact, impact
from tests.supervision.probelines import begin, hangs, heard, steady

NOON = 1370520000.0


def block(rank: int, *words: str, short: str = "") -> Block:
    return Block(rank, [Text(word) for word in words], [Text(short)] if short else None)


def plain(lines: list[Text]) -> list[str]:
    return [line.plain for line in lines]


def hurting(*more: str) -> Impact:
    """A probe of 1 ms in the twenty minutes before a scan that begins at noon, and of 5 ms since."""
    noon = int(NOON)
    samples = heard(
        begin(noon - 1200, budget="2"), *steady(noon - 1180, noon, 1000), *steady(noon, noon + 700, 5000), *more
    )
    return impact(samples, NOON + 700, NOON)


def test_what_has_no_room_is_shortened_first_and_then_goes_by_its_rank() -> None:
    blocks = [block(8, "head"), block(0, "verdict"), block(5, "a", "b", "c", short="abc"), block(3, "brake")]
    assert plain(fitted(blocks, 6)) == ["head", "verdict", "a", "b", "c", "brake"]
    assert plain(fitted(blocks, 5)) == ["head", "verdict", "abc", "brake"]
    assert plain(fitted(blocks, 3)) == ["verdict", "abc", "brake"]
    assert plain(fitted(blocks, 2)) == ["verdict", "brake"]
    assert plain(fitted(blocks, 0)) == ["verdict"]


def test_a_finish_beyond_midnight_keeps_its_last_figure_on_a_line_of_its_own() -> None:
    hour = 3600.0
    now = NOON + 8 * hour
    told = Progress(Phase.RUNNING, finish=Finish(now + 2 * hour, now + 3 * hour, now + 5 * hour, "by inodes"))
    finish = " finish     22:00 - Fri 7 Jun 01:00 likely, about 23:00"
    left = "in 2 h 00 min to 5 h 00 min"
    assert [line.lstrip() for line in plain(finish_lines(told, now, 0, 100))] == [f"{finish.lstrip()}   {left}"]
    assert [line.strip() for line in plain(finish_lines(told, now, 0, 78))] == [finish.strip(), left]


def test_users_are_told_in_as_many_words_as_there_is_room_for_the_worst_first() -> None:
    found = hurting()
    whole = users_text(found, NOON + 700, 0, 90)
    assert whole == "create 1.0 ms, 5.0 ms now, 5x (OVER the budget of 2x since 12:06)   hung probes 0"
    assert users_text(found, NOON + 700, 0, 70) == whole.partition("   ")[0]
    assert users_text(found, NOON + 700, 0, 60) == "5x, OVER the budget of 2x since 12:06; create 1.0 ms, 5.0 ms now"


def test_a_probe_that_hangs_is_never_left_out() -> None:
    found = hurting(hangs(NOON + 690, 4000, 1))
    assert users_text(found, NOON + 700, 0, 60).startswith("hung probes 1 since 12:11; ")
    assert users_text(found, NOON + 700, 0, 100).endswith("   hung probes 1 since 12:11")


def test_without_a_probe_it_is_said_how_one_is_started_only_where_that_can_be() -> None:
    assert plain(users_block(None, 0.0, 0, 77, key="p").lines) == ["users      not probed; p starts a probe"]
    assert plain(users_block(None, 0.0, 0, 77, key="").lines) == ["users      not probed"]


def test_disks_are_told_with_what_will_be_on_them() -> None:
    fills = [Fill("ssd1", 21, 100, 35), Fill("ssd2", 20, 100, 34), Fill("old", 40, 100, 0, emptied=True)]
    assert plain(fill_lines(fills, 77)) == [
        "filling    ssd1      █▎░░░░   21 % -> 35 %  ssd2      █▎░░░░   20 % -> 34 %",
        "emptying   old             ███▎░░░░   40 %",
    ]
    assert plain(fill_short(fills[:2], 77)) == ["filling    2 disks 20 to 21 % full, forecast 35 %   █▋░░░░░░ ssd1"]


def test_disks_that_will_not_hold_what_comes_are_named() -> None:
    fills = [Fill(f"ssd{number}", 60, 100, 101) for number in range(5)]
    assert plain(fill_short(fills, 77))[1] == (
        "           !! FULL before the end, by forecast: ssd0, ssd1, ssd2 and 2 more"
    )


def test_failure_groups_are_told_as_the_sums_of_their_disks_the_fullest_first() -> None:
    fills = [
        Fill("a", 10, 100, 20, group="1"),
        Fill("b", 10, 100, 30, group="1"),
        Fill("c", 30, 100, 80, group="2"),
        Fill("old", 40, 100, 0, emptied=True, group="3"),
    ]
    assert plain(group_lines(fills, 77)) == [
        "groups     2         █▊░░░░   30 % -> 80 %  1         ▋░░░░░   10 % -> 25 %",
    ]
    without = [*fills[:2], Fill("c", 30, 100, group="2"), Fill("d", 30, 100, 40, group="2")]
    assert plain(group_lines(without, 77))[0].startswith("groups     2               ██▍░░░░░   30 %")


def test_failure_groups_of_one_disk_each_and_one_alone_are_not_told_again() -> None:
    assert group_lines([Fill("a", 10, 100, group="1"), Fill("b", 10, 100, group="2")], 77) == []
    assert group_lines([Fill("a", 10, 100, group="1"), Fill("b", 10, 100, group="1")], 77) == []
    assert group_lines([Fill("a", 10, 100), Fill("b", 10, 100)], 77) == []


def test_the_last_event_is_told_and_how_many_there_were_since_the_scan_began() -> None:
    happened = [Happening(NOON + at, "n1", "qos", f"limit {at}") for at in (-60, 60, 120)]
    assert plain(happened_block(happened, NOON, 0, 60).lines) == ["events     12:02 limit 120   (2 so far, e)"]
    assert happened_block(happened[:1], NOON, 0, 60).lines == []


def test_events_are_listed_with_forecasts_that_moved_and_without_those_that_did_not() -> None:
    told = [
        Told(NOON, State.STARTING),
        Told(NOON + 60, State.ESTIMATE, "inodes", NOON + 900, NOON + 1000, NOON + 1100),
        Told(NOON + 120, State.ESTIMATE, "inodes", NOON + 900, NOON + 1010, NOON + 1100),
        Told(NOON + 180, State.ESTIMATE, "inodes", NOON + 2000, NOON + 3000, NOON + 4000, "the rate has changed"),
    ]
    events = events_of([Happening(NOON + 150, "n1", "qos", "QoS: 300\x1b[2J")], told, NOON + 200, 0)
    assert [at - NOON for at, *_rest in events] == [180, 150, 60]
    lines = plain(event_lines(events, 160, 0))
    assert lines[0].startswith(
        "  Thu 12:03:00 forecast           finish 12:33 - 13:06, about 12:50, by inodes (the rate"
    )
    assert lines[1] == "Q Thu 12:02:30 qos       n1       QoS: 300�[2J"


def test_figures_in_few_cells() -> None:
    told = [count_text(value) for value in (0.0, 0.25, 42.4, 999.6, 6680.0, 12_345.0, 123_456.0, 2.5e6, 3e9)]
    assert told == ["0", "0.25", "42", "1,000", "6,680", "12.3k", "123k", "2.5M", "3.0G"]


def test_what_was_gathered_is_kept_as_long_as_its_sources_are_the_same_objects() -> None:
    kept, made = Kept(), []

    def gather(source: object, axis: Axis | None = None) -> None:
        kept.get("x", (source,), axis, lambda: made.append(source))

    first, second = [1], [1]
    for source in (first, first, second):
        gather(source)
    assert made == [first, second]
    gather(second, Axis(0.0, 1.0, 2))
    gather(second, Axis(0.0, 1.0, 2))
    assert len(made) == 3
