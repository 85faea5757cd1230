"""A session that grows by looks at the processes of one host, and a job on it."""

from __future__ import annotations

from remote.events import Answered, Asked, Exact, Header, JobChanged, LinkChanged, Placed, Reply, Unanswered
from remote.jobs import JobState, JobStatus, Place
from remote.linux.work import work
from supervision.state import Job, State
from supervision.store import Store

T0 = 1_370_520_000.0
HOST = "pollux1"
PLACE = Place("/var/lib/restripe", "one")
JOB = "home-1"
OUT = "/var/tmp/home.gz"
COMMAND = f"sh /var/lib/restripe/{JOB}/run/guarded.sh 1048576 -- gfs2_edit savemeta -z1 /dev/vg/home {OUT}"


def process(
    pid: int = 4711,
    *,
    state: str = "R",
    cpu: int = 0,
    io: tuple[int, int, int, int] | None = (0, 0, 0, 0),
    size: int | None = None,
    job: str = f"{PLACE.base}/{JOB}",
    start: int = 1000,
    words: tuple[str, ...] = ("gfs2_edit", "savemeta", "-z1", "/dev/vg/home", OUT),
) -> str:
    """A process as `restripe-work` tells of it; `cpu` in hundredths of a second."""
    lines = [f"process {pid} 1 {start} {state} {cpu} 0", *(f"arg ={word}" for word in words)]
    lines += [f"job ={job}"] if job else []
    lines += ["io hidden" if io is None else "io {} {} {} {}".format(*io), "memory 12588 12000"]
    lines += [] if size is None else [f"file 4 {size} ={OUT}"]
    return "\n".join(lines) + "\n"


class Session:
    """The state, so many seconds after the start."""

    def __init__(self) -> None:
        self.store = Store(Header(1, "0", T0, 0.0, "/dev/vg/home", (HOST,), HOST))
        self.n = 0
        self.store.apply(Placed(T0, HOST, PLACE))
        self.store.apply(JobChanged(T0, HOST, JobStatus(JOB, JobState.RUNNING, command=COMMAND)))

    @property
    def state(self) -> State:
        """As it is now."""
        return self.store.state

    @property
    def job(self) -> Job:
        """The job."""
        job = self.state.job(HOST, JOB)
        assert job is not None
        return job

    def look(self, seconds: float, *processes: str, boot: str = "one", more: int = 0) -> None:
        """What the host told of its processes."""
        head = f"restripe-work 1\nboot {boot}\nclock {T0 + seconds:.0f} {seconds + 1000:.2f} 100\n"
        tail = f"more {more}\nend\n" if more else "end\n"
        self.answer(seconds, head + "".join(processes) + tail)

    def answer(self, seconds: float, text: str, rc: int = 0) -> None:
        """Any answer."""
        self.n += 1
        self.store.apply(Asked(T0 + seconds, self.n, HOST, (work("gfs2_edit"),)))
        self.store.apply(Answered(T0 + seconds, self.n, (Reply(rc, Exact(text.encode())),)))

    def silence(self, seconds: float, why: str = "no answer in 20 s") -> None:
        """A question that was not answered."""
        self.n += 1
        self.store.apply(Asked(T0 + seconds, self.n, HOST, (work("gfs2_edit"),)))
        self.store.apply(Unanswered(T0 + seconds, self.n, why))

    def link(self, seconds: float, word: str) -> None:
        """How it stands with the connection."""
        self.store.apply(LinkChanged(T0 + seconds, HOST, word))
