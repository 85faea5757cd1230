"""What the application does with a limit that a person has confirmed."""

from __future__ import annotations

from collections.abc import AsyncGenerator

from remote.jobs import JobState, JobStatus
from remote.site import FileLog, Followed, JobLog, StateSeen
from screens.intents import EaseScan, ReleaseBrake
from supervision.session import Session
from tests.supervision import gpfs_states as made
from tests.supervision.test_braking import Far, put, supervised
from tests.supervision.test_gpfs_brake import SCAN, qos
from tests.waiting import until
from tui.carrying import BRAKE, Carrying

LIMITS = (
    "mmlsqos:status:HEADER:version:reserved:reserved:enabled:throttling:monitoring:fineStatsSecs:idStats:\n"
    "mmlsqos:values:HEADER:version:reserved:reserved:values_enc:\nmmlsqos:status:0:1:::Yes:Yes:Yes:0:No:\n"
    "mmlsqos:values:0:1:::pool=system,other=inf,maintenance={}:\n"
)


class Obeying(Far):
    """A far side that does what it is told, at once."""

    def __init__(self) -> None:
        super().__init__(turns=0)
        self.answers["mmlsqos"] = LIMITS.format("inf")

    async def _follow(self, host: str, source: JobLog | FileLog, offset: int) -> AsyncGenerator[Followed, None]:
        assert isinstance(source, JobLog)
        self.answers["mmlsqos"] = LIMITS.format("5200Iops")
        spec = self.launched[-1]
        yield StateSeen(
            JobStatus(source.id, JobState.FINISHED, 0, made.NOW, made.NOW, title=spec.title, command=spec.command.text)
        )


class Carried(Carrying):
    """The application without a screen: what it says is kept."""

    def __init__(self, session: Session) -> None:
        super().__init__()
        self.session = session
        self.said: list[tuple[str, bool]] = []

    def say(self, text: str, *, wrong: bool = False) -> None:
        self.said.append((text, wrong))


async def test_a_confirmed_limit_is_set_and_read_back_and_nothing_else_is_run() -> None:
    site = Obeying()
    async with supervised(site) as (supervisor, fs):
        put(supervisor, SCAN, **{f"qos {made.FS}": qos()})
        app = Carried(Session(supervisor.store, fs, supervisor=supervisor))
        command = fs.ease(supervisor.store.state, 650.0).text
        app.on_ease_scan(EaseScan(650.0, command))
        app.on_ease_scan(EaseScan(300.0, command))  # one at a time
        assert app.said == [("limits are being changed already; wait for what comes of that", True)]
        await until(lambda: not supervisor.runs(BRAKE))
        assert app.said[1:] == [("read back as it was set: to 650 IOPS for 3 helpers", False)]
        assert [spec.command.text for spec in site.launched] == [command]

        app.on_release_brake(ReleaseBrake("mmchqos fs1 --enable something else"))
        await until(lambda: not supervisor.runs(BRAKE))
        text, wrong = app.said[-1]
        assert (text.partition(":")[0], wrong) == ("nothing was sent", True)
        assert len(site.launched) == 1


async def test_an_unarmed_session_changes_no_limit() -> None:
    site = Obeying()
    site.armed = False
    async with supervised(site) as (supervisor, fs):
        put(supervisor, SCAN, **{f"qos {made.FS}": qos()})
        app = Carried(Session(supervisor.store, fs, supervisor=supervisor))
        app.on_ease_scan(EaseScan(650.0, fs.ease(supervisor.store.state, 650.0).text))
        assert not supervisor.runs(BRAKE)
        assert site.launched == []
