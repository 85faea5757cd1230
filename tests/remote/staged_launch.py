"""A launch that stops at a chosen stage of job.sh, for tests that do something to it there.

The stages are comments in job.sh (`#@stage NAME`); here they become code that announces its process and holds
while a file exists. The code holds no single quote, because the runner's text stands between two.
"""

from __future__ import annotations

from remote import jobs
from remote.command import Command, Effect
from remote.jobs import JobSpec, JobStatus
from remote.live import LiveSite
from remote.site import Chunk, JobLog, StateSeen
from tests.openssh import Account
from tests.waiting import until

STAGES = ("prep", "beforefork", "afterfork", "beforeln", "afterln", "beforerc")
HOST_SIDE = jobs._host_side()
LOG = b"start\ndone\n"


class Stage:
    """The controls of one staged launch; all of them are files in `directory`."""

    def __init__(self, account: Account, name: str, stage: str) -> None:
        self.id = name
        self.stage = stage
        self.directory = account.directory(name)
        self.jobs = account.home / ".local/state/restripe" / name
        self._hold = self.directory / "hold"
        self._hold.touch()
        self._counter = self.directory / "counter"
        self._go = self.directory / "go"

    @property
    def text(self) -> str:
        """job.sh with the stages as code."""
        text = HOST_SIDE
        for name in STAGES:
            mark = f"#@stage {name}\n"
            assert text.count(mark) == 1
            code = f'echo >"{self.directory}/{name}.$$"\n'
            if name == self.stage:
                code += f'while [ -e "{self._hold}" ]; do sleep 0.02; done\n'
            text = text.replace(mark, code)
        return text

    @property
    def spec(self) -> JobSpec:
        """A job that leaves a line for each run, waits to be let go, and ends with 7."""
        script = (
            f'echo ran >>"{self._counter}"; echo start; '
            f'while [ ! -e "{self._go}" ]; do sleep 0.02; done; echo done; exit 7'
        )
        return JobSpec(self.id, "a staged launch", "tests", Command(("sh", "-c", script), Effect.CHANGES))

    def runs(self) -> int:
        """How often the command ran."""
        return len(self._counter.read_text().splitlines()) if self._counter.exists() else 0

    def release(self) -> None:
        """Let whoever is held at the stage go on, and nobody be held there any more."""
        self._hold.unlink(missing_ok=True)

    def let_end(self) -> None:
        """Let the command end."""
        self._go.touch()

    def pids(self, stage: str) -> list[int]:
        """The processes that came by a stage."""
        return [int(path.suffix[1:]) for path in self.directory.glob(f"{stage}.*")]

    @property
    def launcher(self) -> int:
        """The first launching shell."""
        return self.pids("prep")[0]

    @property
    def runner(self) -> int | None:
        """The first runner, when one has come as far as to try the link."""
        return next(iter(self.pids("beforeln")), None)

    async def reached(self) -> None:
        """Wait until somebody is held at the stage, and until whatever goes on beside it has come to rest."""
        await until(lambda: self.pids(self.stage))
        if self.stage == "afterfork":  # the runner is not held there; its command is, by what lets it end
            await until(self.runs)


async def read_to_end(site: LiveSite, host: str, job_id: str, offset: int = 0) -> tuple[bytes, JobStatus]:
    """Follow a job to its end: its whole log, and its last state."""
    log = b""
    status = None
    async for event in site.follow(host, JobLog(job_id), offset):
        if isinstance(event, Chunk):
            assert event.offset == offset + len(log)
            log += event.data
        else:
            assert isinstance(event, StateSeen), f"the log changed under us: {event}"
            status = event.status
    assert status is not None
    return log, status
