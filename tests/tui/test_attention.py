"""Bell and title: when they call a person, what they say, and that a terminal gets nothing that steers it."""

from __future__ import annotations

from pathlib import Path

import pytest

from supervision.attention import LONGEST, Standing, news, title
from supervision.filesystem import Counter, Finish, Phase, Progress
from supervision.player import Player
from supervision.session import Session
from tests.screens.seedapp import replay, seed_session
from tests.tui.onterminal import OnTerminal
from tui.attention import Attention
from tui.replay import moment
from tui.settings import Screen

NOW = 1370572200.0
"""Thu Jun 6 19:30:00 2013 on the hosts, which live seven hours west of UTC."""
ZONE = -7 * 3600
JOB = ("foo1", "a")


def stood(phase: Phase, *, over: bool = False, job: tuple[str, str] = JOB) -> Standing:
    return Standing(job, phase, over)


@pytest.mark.parametrize(
    ("phase", "words"),
    [
        (Phase.FINISHED, "the restripe has finished"),
        (Phase.FAILED, "the restripe has FAILED"),
        (Phase.STALLED, "the restripe is STALLED: nothing moves"),
    ],
)
def test_the_bell_calls_once_when_a_scan_ends_or_stalls(phase: Phase, words: str) -> None:
    assert news(stood(Phase.RUNNING), stood(phase), "restripe") == words
    assert news(stood(phase), stood(phase), "restripe") == ""


def test_the_bell_calls_when_users_wait_too_long_and_not_when_they_do_so_still() -> None:
    fine, over = stood(Phase.RUNNING), stood(Phase.RUNNING, over=True)
    assert news(fine, over, "restripe") == "users wait longer than the budget allows"
    assert news(over, over, "restripe") == news(over, fine, "restripe") == ""


def test_what_is_usual_is_no_news_nor_is_the_first_look_or_another_scan() -> None:
    assert news(stood(Phase.RUNNING), stood(Phase.QUIET), "restripe") == ""
    assert news(stood(Phase.STALLED), stood(Phase.RUNNING), "restripe") == ""
    assert news(None, stood(Phase.FAILED), "restripe") == ""
    assert news(stood(Phase.RUNNING), stood(Phase.FAILED, job=("foo1", "b")), "restripe") == ""


def test_the_title_says_how_far_it_is_and_when_it_may_be_over() -> None:
    counter = Counter("inodes", 974, 1000)
    running = Progress(Phase.RUNNING, counter=counter, finish=Finish(NOW + 480, NOW + 660, NOW + 840, "inodes"))
    assert title("mss1", running, NOW, ZONE) == "97.4 % mss1 19:38-19:44"
    assert title("mss1", running, NOW, ZONE, replayed=True) == "REPLAY 97.4 % mss1 19:38-19:44"
    assert title("mss1", Progress(Phase.STALLED, counter=counter), NOW, ZONE) == "STALLED 97.4 % mss1"
    assert title("mss1", Progress(Phase.FINISHED, counter=counter), NOW, ZONE) == "finished mss1"
    assert title("mss1", Progress(Phase.STARTING), NOW, ZONE) == "starting mss1"
    assert title("mss1", None, NOW, ZONE) == "mss1"


def test_a_name_cannot_steer_the_terminal_through_the_title_nor_be_endless() -> None:
    told = title("a\x07\x1b]52;c;eA==\x07" + "x" * 500, None, NOW, ZONE)
    assert told.isprintable()
    assert len(told) == LONGEST


class Told:
    """A terminal that notes what it is told."""

    def __init__(self) -> None:
        self.rings = 0
        self.titles: list[str] = []

    def ring(self) -> None:
        self.rings += 1

    def set_title(self, text: str) -> None:
        if self.titles[-1:] != [text]:
            self.titles.append(text)


def test_it_looks_at_the_seed_and_a_replay_never_rings() -> None:
    session, terminal = seed_session(0.9), Told()
    said: list[str] = []
    attention = Attention(session, Screen(bell=True, title=True), said.append)
    attention.look(terminal)
    player = session.player
    assert player is not None
    player.seek(replay().began + replay().seconds)
    attention.look(terminal)
    assert terminal.titles[0].startswith("REPLAY 8")
    assert terminal.titles[-1] == "REPLAY finished mss1"
    assert (terminal.rings, said) == (0, [])


def test_a_live_session_rings_and_says_why() -> None:
    player = Player(replay())
    player.seek(moment(replay(), "18:00"))
    terminal, live = Told(), Session(player, seed_session().fs)
    said: list[str] = []
    live.player = None
    attention = Attention(live, Screen(bell=True), said.append)
    attention.look(terminal)
    player.seek(replay().began + replay().seconds)
    attention.look(terminal)
    attention.look(terminal)
    assert (terminal.rings, said, terminal.titles) == (1, ["the restripe has finished"], [""])


def test_they_are_turned_on_and_off_for_now() -> None:
    terminal = Told()
    attention = Attention(seed_session(0.9), Screen(), lambda _why: None)
    attention.look(terminal)
    assert terminal.titles == []
    assert attention.turn("title", terminal).startswith("on until you leave; title = true under [screen]")
    attention.look(terminal)
    assert terminal.titles[-1].startswith("REPLAY ")
    attention.turn("title", terminal)
    assert terminal.titles[-1] == ""


def test_the_terminal_has_the_title_and_its_own_again_at_the_end(tmp_path: Path) -> None:
    seed = Path(__file__).parents[2] / "recordings" / "seed-3.5.jsonl"
    program = OnTerminal(tmp_path, "replay", str(seed), "--from", "18:00", RESTRIPE_SCREEN_TITLE="yes")
    program.until(lambda text: "\x1b]2;REPLAY 61.5 % mss1 " in text)
    program.press("q")
    assert program.ended() == 0
    kept, _first, rest = program.text.partition("\x1b]2;")
    assert kept.endswith("\x1b[22;2t")
    assert rest.count("\x1b]2;\x07\x1b[23;2t") == 1
    assert "\x1b]2;REPLAY" not in rest.partition("\x1b[23;2t")[2]
