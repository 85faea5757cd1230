"""The lists of jobs and commands over the recorded seed, or over a session that is armed but reaches nobody."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any, ClassVar, cast

from textual.binding import Binding, BindingType
from textual.message import Message
from textual.screen import Screen

from remote.events import Event, Header, JobChanged, LinkChanged
from remote.jobs import JobState, JobStatus
from screens.base import SessionApp
from screens.intents import FollowJob, LaunchJob, RefreshJobs, StopJob
from screens.widgets.frame import MessageLine
from screens.widgets.logview_screen import ListAndLog
from supervision.gpfs import GpfsFileSystem
from supervision.session import Session
from supervision.store import Store
from supervision.supervisor import Supervisor
from tests.supervision.seed import recorded

NOW = 1370571000.0


class ListApp(SessionApp):
    """One list of a session; keeps what it wants done."""

    ENABLE_COMMAND_PALETTE = False
    BINDINGS: ClassVar[list[BindingType]] = [Binding("escape", "back", "back", show=False)]
    CSS = "#body { height: 1fr; }"

    def __init__(self, screen: type[ListAndLog], session: Session) -> None:
        super().__init__()
        self.session = session
        self.intents: list[Message] = []
        self.went_back = 0
        self.shown = screen()

    def get_default_screen(self) -> Screen[None]:
        return self.shown

    def say(self, text: str, *, wrong: bool = False) -> None:
        self.shown.say(text, wrong=wrong)

    async def action_back(self) -> None:
        self.went_back += 1

    def keep(self, intent: Message) -> None:
        """Keep what a screen wants."""
        self.intents.append(intent)

    def on_follow_job(self, intent: FollowJob) -> None:
        self.keep(intent)

    def on_launch_job(self, intent: LaunchJob) -> None:
        self.keep(intent)

    def on_stop_job(self, intent: StopJob) -> None:
        self.keep(intent)

    def on_refresh_jobs(self, intent: RefreshJobs) -> None:
        self.keep(intent)

    @property
    def wanted(self) -> list[str]:
        """The kinds of what was wanted."""
        return [type(intent).__name__ for intent in self.intents]

    @property
    def message(self) -> str:
        """What was said last."""
        return str(self.shown.query_one(MessageLine).render())


class Live:
    """A session whose far side is what the test tells."""

    def __init__(self, *, armed: bool) -> None:
        shipped = recorded()[0]
        header = Header(
            1, "test", NOW, NOW, shipped.file_system, shipped.hosts, shipped.entry, "a@b", utc_offset=-25200
        )
        self.store = Store(header)
        self.now = NOW
        clock = SimpleNamespace(now=lambda: self.now)
        supervisor: Any = SimpleNamespace(site=SimpleNamespace(armed=armed, clock=clock))
        fs = GpfsFileSystem(header.file_system, header.entry, header.hosts)
        self.session = Session(self.store, fs, supervisor=cast("Supervisor", supervisor))
        for host in header.hosts:
            self.tell(LinkChanged(NOW, host, "up"))

    def tell(self, event: Event) -> None:
        """Something happened."""
        self.store.apply(event)

    def job(self, job_id: str, state: JobState, *, host: str = "pollux1", at: float = NOW, **more: Any) -> JobStatus:
        """A job is in a state."""
        status = JobStatus(job_id, state, **{"command": "mmrestripefs mss1 -r", "operator": "a@b", **more})
        self.tell(JobChanged(at, host, status))
        return status
