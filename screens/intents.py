"""What a person wants, said by a screen. The application carries it out through the supervisor; a screen never does."""

from __future__ import annotations

from textual.message import Message

from supervision.brake import Hours


class Refresh(Message):
    """Ask again now; `costly` includes what touches every node or reads much, `devices` the disks of every host."""

    def __init__(self, *, costly: bool = False, devices: bool = False) -> None:
        super().__init__()
        self.costly = costly
        self.devices = devices


class RefreshJobs(Message):
    """Ask every host for its jobs."""


class FollowJob(Message):
    """Follow a job's whole log, from the first byte."""

    def __init__(self, host: str, job_id: str) -> None:
        super().__init__()
        self.host = host
        self.job_id = job_id


class LaunchJob(Message):
    """Run a command, confirmed already, as a detached job."""

    def __init__(self, host: str, argv: tuple[str, ...]) -> None:
        super().__init__()
        self.host = host
        self.argv = argv


class StartProbe(Message):
    """Start a probe of users' latency, confirmed already, as a detached job on `host`; None means the usual.

    `directory` is on that host, `mean` the seconds between two probes, `budget` a factor.
    """

    def __init__(self, host: str, directory: str, mean: float | None = None, budget: float | None = None) -> None:
        super().__init__()
        self.host = host
        self.directory = directory
        self.mean = mean
        self.budget = budget


class StopJob(Message):
    """Stop a job; confirmed already."""

    def __init__(self, host: str, job_id: str) -> None:
        super().__init__()
        self.host = host
        self.job_id = job_id


class OpenGuide(Message):
    """Look whether what was typed could be done, and ask then whether it shall be."""

    def __init__(self, typed: str) -> None:
        super().__init__()
        self.typed = typed


class StartMigration(Message):
    """Run the migration of this session; confirmed already."""


class EaseScan(Message):
    """Limit the scan to `iops` for all that scan together, in some hours alone where they are given; confirmed already.

    `confirmed` is the very text of what a person agreed to; `job_id` the job that keeps the hours.
    """

    def __init__(self, iops: float, confirmed: str, *, hours: Hours | None = None, job_id: str = "") -> None:
        super().__init__()
        self.iops = iops
        self.confirmed = confirmed
        self.hours = hours
        self.job_id = job_id


class ReleaseBrake(Message):
    """Bring back the limits that were there before; confirmed already."""

    def __init__(self, confirmed: str) -> None:
        super().__init__()
        self.confirmed = confirmed


class StepIntent(Message):
    """Something about a step of the session's guided migration, by its number."""

    def __init__(self, number: int) -> None:
        super().__init__()
        self.number = number


class CheckStep(StepIntent):
    """Ask anew what speaks for and against a step."""


class RunStep(StepIntent):
    """Bring a step to its end: what it would run is put to the person before it runs."""


class AcknowledgeCheck(StepIntent):
    """Take note of one warning of a step, by its key, in the operator's name; a person has read it."""

    def __init__(self, number: int, key: str) -> None:
        super().__init__(number)
        self.key = key


class UndoSteps(StepIntent):
    """Take back everything up to and with a step, or the first of that alone; each command is put to the person."""

    def __init__(self, number: int, *, first_alone: bool = False) -> None:
        super().__init__(number)
        self.first_alone = first_alone


class StopStep(StepIntent):
    """Tell the command of a step to end; confirmed already."""


class MakePlan(Message):
    """Make a plan of the devices that are marked, or of those that are found where none is."""


class OpenPlan(Message):
    """Go on with a plan that was found on a host, by its id; "" to find again where the present one stands."""

    def __init__(self, plan: str = "") -> None:
        super().__init__()
        self.plan = plan


class WriteReport(Message):
    """Write a report of the session into a new file of this name, as Markdown, and beside it as JSON."""

    def __init__(self, name: str) -> None:
        super().__init__()
        self.name = name
