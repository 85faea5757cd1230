"""The timeline of a replay: where one is in the whole, the marks, and whether it plays. Every sign is a character."""

from __future__ import annotations

from rich.text import Text
from textual import events

from remote.text import one_line
from screens.widgets.frame import MessageLine, OneLine
from screens.widgets.render import fit
from supervision.player import Player

LOOK = 0.1
"""Seconds between two looks at the player, which may change without any state changing."""
HERE, MARK, PASSED, AHEAD, UNREAD = "●", "┼", "━", "─", "·"
LABEL = 26
NARROWEST = 10


def timeline_text(player: Player, width: int) -> tuple[str, int, int]:
    """The line for that many cells, and where its track begins and how long it is."""
    replay = player.replay
    seconds = replay.seconds
    passed = player.position - replay.began  # while it is recorded, more than is in the file
    times = f"{_clock(passed)} / {_clock(max(passed, seconds))}"
    left = f" {_state(player):<8}{player.speed:g}x  {times}  "
    label = _label(player)
    room = min(LABEL, max(0, width - len(left) - 2 - NARROWEST))
    right = f"  {fit(label, room)}" if label and room > 3 else " "
    length = max(1, width - len(left) - len(right))

    def cell(t: float) -> int:
        return round(min(1.0, max(0.0, (t - replay.began) / seconds)) * (length - 1)) if seconds else 0

    here = cell(player.position)
    folded = length if replay.complete else cell(replay.folded_until)
    track = [UNREAD if at > folded else PASSED if at < here else AHEAD for at in range(length)]
    for mark in replay.marks:
        track[cell(mark.t)] = MARK
    track[here] = HERE
    return fit(f"{left}{''.join(track)}{right}", width), len(left), length


def _state(player: Player) -> str:
    if player.wanted is not None:
        return "reading"
    if player.following:
        return "live"
    if player.ended:
        return "end"
    return "playing" if player.playing else "paused"


def _label(player: Player) -> str:
    """The mark that was passed last; what is wrong with the file before that."""
    if player.replay.index.trouble:
        return f"! {player.replay.index.trouble}"
    passed = [mark for mark in player.replay.marks if mark.t <= player.position]
    return one_line(passed[-1].label) if passed else ""


def _clock(seconds: float) -> str:
    """Hours, minutes and seconds since the beginning; a session may last days, a hostile one for ever."""
    whole = int(min(max(0.0, seconds), 3_599_999))
    return f"{whole // 3600:02}:{whole // 60 % 60:02}:{whole % 60:02}"


class Timeline(OneLine):
    """The line under the tabs, as long as the recording is being played. A click goes to a moment."""

    DEFAULT_CSS = "Timeline { background: $surface; display: none; }"

    def __init__(self, player: Player) -> None:
        super().__init__()
        self._player = player
        self._said = ""
        self._track = (0, 1)

    def on_mount(self) -> None:
        self.look()
        self.set_interval(LOOK, self.look)

    def on_resize(self) -> None:
        self.look()

    def look(self) -> None:
        """Draw how it stands; hidden screens do no work."""
        self.display = self._player.driven
        if not self.display or not self.screen.is_current:
            return
        text, start, length = timeline_text(self._player, self.size.width or self.screen.size.width)
        self._track = (start, length)
        self.show(Text(text, no_wrap=True))
        word = self._player.word
        if word != self._said:
            line = self.screen.query_one(MessageLine)
            if word or line.text == self._said:  # what another has said meanwhile stays
                line.show(word)
            self._said = word

    def on_click(self, event: events.Click) -> None:
        """Go to the moment under the mouse."""
        start, length = self._track
        if start <= event.x < start + length:
            replay = self._player.replay
            self._player.seek(replay.began + replay.seconds * (event.x - start) / max(1, length - 1))
            self.look()
