"""The restripe: when it will be over, whether it is alive, what it does to users, and its log."""

from __future__ import annotations

from typing import ClassVar

from rich.text import Text
from textual import on
from textual.app import ComposeResult
from textual.binding import ActiveBinding, Binding, BindingType
from textual.containers import Vertical, VerticalScroll
from textual.message import Message

from screens.braking import BrakingScreen
from screens.intents import RefreshJobs
from screens.migrate_next import fill_text
from screens.probing import ProbingScreen
from screens.restripe_charts import LEAST_ROWS, Story, drawing
from screens.restripe_details import DetailsScreen, all_lines
from screens.restripe_events import event_lines, events_of
from screens.restripe_lines import LABEL, Block, fitted, progress_blocks
from screens.restripe_parts import brake_blocks, canary_block, fill_block, happened_block, users_block
from screens.restripe_seen import Seen, seen
from screens.restripe_strips import Kept, strips
from screens.widgets.charts import Charts
from screens.widgets.lines import Lines
from screens.widgets.logview import LogView
from screens.widgets.logview_screen import show_job_log
from screens.widgets.render import labelled, plain
from supervision.adopting import log_path
from supervision.filesystem import Phase, Progress
from supervision.state import Job
from supervision.truth import truth_text

ALL, CHARTS, LOG = "all", "charts", "log"
LOG_LINES = 6
"""Lines that the log has at least, with its title and the line beneath it."""
TALL = 27
"""Lines of the body from which on charts stand between the summary and the log; that is a terminal of 32."""
CHART_LEAST, CHART_MOST = LEAST_ROWS + 6, 18
"""Lines of the charts there,"""
SUMMARY = 12
"""and those that the summary keeps where the charts would have more than the least."""
HEAD = 6
"""Lines of the summary above charts that have the room to themselves."""
FIRST = ("view", "details", "events", "ease", "release", "truth", "point", "zoom_time", "zoom", "probe", "refresh_jobs")
"""Actions of the screen in the order in which they get room in the footer, before those of the log."""


class Room(Vertical):
    """All that stands between the frame's lines; it tells when there are others, such as a timeline."""

    class Changed(Message):
        """There is more or less room."""

    def on_resize(self) -> None:
        """What has room is another thing now."""
        self.post_message(self.Changed())


class RestripeScreen(BrakingScreen, ProbingScreen):
    """When will it be over, is it alive, does it hurt?"""

    NAME = "restripe"
    WITHOUT = ("Grid", "LogGrid")
    HELP_TEXT = (
        "The finish is a range that is meant to hold four ends of five, by work that can be trusted; the tool's own "
        "percentage stands beside it and is not used. Drawn over time: how that range moved (░, its middle ━; beneath "
        "╱ is the past), rates, and letters of what happened; blank is what nobody knows. v shows the charts or the "
        "log alone where there is no room for all; on charts, arrows point to a moment and tell of it. Beneath is the "
        "log: find, filter and copy in it; tab goes to what stands above."
    )
    DEFAULT_CSS = """
    RestripeScreen #summary { height: auto; max-height: 100%; padding: 0 1; scrollbar-size-vertical: 1; }
    RestripeScreen #summary { scrollbar-gutter: stable; scrollbar-size-horizontal: 0; }
    RestripeScreen LogView, RestripeScreen Charts { display: none; }
    RestripeScreen.-log LogView, RestripeScreen.-charts Charts { display: block; }
    RestripeScreen.-alone #summary { display: none; }
    """
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("v", "view", "view", id="restripe.view"),
        Binding("d", "details", "details", id="restripe.details"),
        Binding("e", "events", "events", id="restripe.events"),
        Binding("E", "truth", "true end", id="restripe.truth"),
        Binding("i", "zoom_time(-1)", "time", key_display="i o", id="restripe.nearer"),
        Binding("o", "zoom_time(1)", "see a longer time", show=False, id="restripe.further"),
        Binding("H", "pan(-1)", "earlier times", show=False, id="restripe.earlier"),
        Binding("L", "pan(1)", "later times", show=False, id="restripe.later"),
        Binding("z", "zoom", "zoom", id="screen.zoom"),
        Binding("r", "refresh_jobs", "ask", id="restripe.refresh"),
    ]

    view = ALL
    revealed = False
    """Whether the true end is shown, in a replay."""
    _shown: tuple[str, str] | None = None

    def __init__(self) -> None:
        super().__init__()
        self._kept = Kept()

    def compose_body(self) -> ComposeResult:
        with Room():
            with VerticalScroll(id="summary"):
                yield Lines(id="text")
            yield Charts()
            yield LogView()

    def on_mount(self) -> None:
        super().on_mount()
        if self.app.return_code is None:
            self.query_one(LogView).text.focus()

    @property
    def job(self) -> Job | None:
        """The scan that is shown."""
        return self.session.fs.scan_job(self.session.state)

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        if action in ("zoom", "view", "events", "details"):
            return self.has_class("-job")
        if action in ("zoom_time", "pan"):
            return self.has_class("-charts")
        if action == "truth":
            return self.session.player is not None and self.has_class("-job")
        if action == "refresh_jobs":
            return self.session.supervisor is not None
        return super().check_action(action, parameters)

    def in_footer(self, keys: list[ActiveBinding]) -> list[ActiveBinding]:
        """What this screen is for, then what can be done with its log, then the rest."""
        named = [key.binding.action.partition("(")[0] for key in keys]
        order = [FIRST.index(name) if name in FIRST else len(FIRST) for name in named]
        return [key for _place, key in sorted(zip(order, keys, strict=True), key=lambda pair: pair[0])]

    # keys

    def action_view(self) -> None:
        """All of it, the charts, the log."""
        views = (ALL, CHARTS, LOG)
        self._look_at(views[(views.index(self.view) + 1) % len(views)])

    def action_zoom(self) -> None:
        """Give the log all the room, or some back."""
        self._look_at(ALL if self.view == LOG else LOG)

    def _look_at(self, view: str) -> None:
        self.view = view
        self.refresh_all()
        (self.query_one(Charts) if view == CHARTS else self.query_one(LogView).text).focus()

    def action_zoom_time(self, by: int) -> None:
        """See a shorter or a longer time."""
        self.query_one(Charts).zoom(by)

    def action_pan(self, halves: int) -> None:
        """See what was earlier, or later."""
        self.query_one(Charts).pan(halves)

    def action_events(self) -> None:
        """List what happened."""
        session = self.session

        def lines(width: int) -> list[Text]:
            job, state = self.job, session.state
            told = session.fs.progress(state, job).told if job else ()
            return event_lines(events_of(state.happened, told, session.now, state.utc_offset), width, state.utc_offset)

        self.app.push_screen(DetailsScreen("What happened, the latest first", lines))

    def action_details(self) -> None:
        """Tell more of users, logs, disks and limits."""
        session = self.session

        def lines(width: int) -> list[Text]:
            job = self.job
            return all_lines(seen(session, job, self._kept, revealed=False), width) if job else []

        self.app.push_screen(DetailsScreen("Users, logs, disks and limits", lines))

    def action_truth(self) -> None:
        """Show or hide when it was over in truth."""
        self.revealed = not self.revealed
        self.refresh_all()

    def action_refresh_jobs(self) -> None:
        """Ask every host for its jobs, of which one may be a scan."""
        self.post_message(RefreshJobs())
        self.say("asking every host for its jobs")

    def on_descendant_focus(self) -> None:
        """Other keys work in the log than above it."""
        self.refresh_all()

    @on(Charts.Moved)
    @on(Room.Changed)
    def look_elsewhere(self) -> None:
        """Draw another part of the time, or in another room."""
        self.refresh_all()

    # drawing

    def show_state(self) -> None:
        job = self.job
        height = self.query_one(Room).size.height
        self.set_class(job is not None, "-job")
        self.set_class(job is not None and self.view != CHARTS, "-log")
        self.set_class(job is not None and (self.view == CHARTS or (self.view == ALL and height >= TALL)), "-charts")
        self.set_class(job is not None and self.view == LOG, "-alone")
        if job is None:
            self.query_one("#summary").styles.max_height = None
            self.query_one("#text", Lines).show(self._none())
            return
        if (job.host, job.status.id) != self._shown:
            self._shown = (job.host, job.status.id)
            self.revealed = False
            self.query_one(Charts).begin_anew()
            self._kept = Kept()
        found = seen(self.session, job, self._kept, revealed=self.revealed)
        charts = self.has_class("-charts")
        room = HEAD if self.view == CHARTS else height - LOG_LINES - charts * self._wanted(height)
        lines = fitted(self._blocks(found), max(1, room))
        self.query_one("#summary").styles.max_height = max(1, height - (LOG_LINES if self.view == ALL else CHART_LEAST))
        self.query_one("#text", Lines).show(lines)
        if charts:
            left = height - len(lines)
            self._draw(found, left if self.view == CHARTS else min(CHART_MOST, left - LOG_LINES))
        title = self._log_title(job, found.progress)
        show_job_log(self.query_one(LogView), self.session, job.host, job.status.id, title)

    @staticmethod
    def _wanted(height: int) -> int:
        """Lines that charts shall have between the summary and the log."""
        return max(CHART_LEAST, min(CHART_MOST, height - LOG_LINES - SUMMARY))

    def _none(self) -> list[Text]:
        words = self.session.fs.words
        lines = [plain(f"no {words.scan} is known on {self.session.fs.name}", "bold")]
        if self.session.player is None:
            links = self.session.state.links
            if not any(link.state == "up" for link in links.values()):
                lines.append(plain("no host is reached: 1 Cluster says why", "bold", indent=3))
            lines.append(
                plain("all hosts are asked for their jobs every few minutes, and now with r;", "dim", indent=3)
            )
            lines.append(plain("also for one that somebody else has started, in a screen say", "dim", indent=3))
        return lines

    def _log_title(self, job: Job, progress: Progress) -> str:
        """Says what matters most, for when the log has all the room."""
        counter = progress.counter
        share = "" if counter is None or counter.fraction is None else f"{counter.fraction * 100:.1f} %"
        path = log_path(job.status.id)
        log = path or f"log of job {job.status.id}"
        parts = (progress.phase.value, share, f"{log} on {job.host}")
        return "  ".join(part for part in parts if part)

    def _blocks(self, found: Seen) -> list[Block]:
        width, now, zone = self.body_width, found.now, found.zone
        blocks = progress_blocks(found.state, found.job, found.progress, now, width)
        if found.truth:
            over = found.job.status.state.settled
            judged = found.told if not over or found.progress.phase is Phase.FINISHED else ()  # of others, no forecast
            told = truth_text(found.truth, judged, now, zone)
            label, rank = ("ended", 3) if over else ("true end", 0)
            blocks.insert(-1, Block(rank, labelled(label, told, width, label_width=LABEL, style="bold magenta")))
        armed = self.session.armed
        return [
            *blocks,
            users_block(found.hurt, now, zone, width, key="p" if armed else ""),
            canary_block(found.canary, width),
            fill_block(found.fills, width),
            self._way_out(found, width),
            *brake_blocks(found.brake, width, armed=armed),
            happened_block(found.state.happened, found.run.began, zone, width),
        ]

    def _way_out(self, found: Seen, width: int) -> Block:
        """That disks fill, and where the way out is, while this session leads the migration and there is one."""
        leading = self.session.leading
        if leading is None or leading.way_out is None:
            return Block(0, [])
        text = fill_text(found.fills, "4, then E: the prepared way out")
        return Block(0, labelled("", text, width, label_width=LABEL, style="bold red") if text else [])

    def _draw(self, found: Seen, height: int) -> None:
        trends = tuple(
            strips(self._kept, found.state, found.points, found.progress, found.hurt, found.canary, found.fills)
        )
        truth = found.truth.at if found.truth else None
        story = Story(found.run.end, found.zone, found.told, trends, found.state.happened, truth)
        charts, width = self.query_one(Charts), self.body_width
        charts.show(found.run, found.zone, width, height, lambda look: drawing(story, look), found.sources)
