"""The keys of a replay: play and pause, speed, and every way to go to another moment."""

from __future__ import annotations

from textual.screen import ModalScreen

from screens.base import SessionApp
from screens.widgets.timeline import Timeline


class ReplayKeys(SessionApp):
    """What an application does with a replay. Without one nothing has an effect."""

    def action_play(self) -> None:
        """Play or pause the replay."""
        if player := self.session.player:
            player.playing = not player.playing and not player.ended
            for timeline in self.screen.query(Timeline):
                timeline.tell_playing()

    def action_next_event(self) -> None:
        """Play the next recorded event."""
        if player := self.session.player:
            player.next_event()

    def action_mark(self, step: int) -> None:
        """Jump to a mark."""
        if player := self.session.player:
            mark = player.to_mark(step)
            self.say(mark.label if mark else "no mark there")

    def action_jump(self, seconds: int) -> None:
        """Jump in time."""
        if player := self.session.player:
            player.seek(player.position + seconds)

    def action_go_to(self) -> None:
        """Jump to a moment that the person types."""
        player = self.session.player
        if player is None or isinstance(self.screen, ModalScreen):
            return
        from screens.dialogs import AskText
        from tui.replay import moment, no_moment

        replay = player.replay

        def go(typed: str | None) -> None:
            if typed:
                player.seek(moment(replay, typed.strip()))

        lines = ("HH:MM:SS on the hosts' clock, +MINUTES since the beginning, a mark's first words, or end.",)
        self.push_screen(AskText("Go to which moment?", lines, wrong=lambda typed: no_moment(replay, typed)), go)

    def action_faster(self) -> None:
        """Play twice as fast."""
        self._speed(2.0)

    def action_slower(self) -> None:
        """Play half as fast."""
        self._speed(0.5)

    def _speed(self, factor: float) -> None:
        if player := self.session.player:
            player.speed = min(max(player.speed * factor, 0.25), 100_000.0)
            self.say(f"{player.speed:g} times as fast as it was")
