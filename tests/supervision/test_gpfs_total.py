"""No state makes it raise, whatever is missing or odd: any part of the facts, any text in them, any job and log."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import msgspec
from hypothesis import given, settings
from hypothesis import strategies as st

from remote.gpfs import parsers
from remote.gpfs.models import FsManager, FsMounts, Managers, MountedNode, Mounts, Nsd, NsdList, Waiter, Waiters
from remote.jobs import JobState
from remote.linux.host_time import HostTime
from supervision.filesystem import Phase
from supervision.gpfs import READING
from supervision.logs import Log, append
from supervision.state import State
from tests.supervision import gpfs_states as made
from tests.supervision.gpfs_states import FS, block, blocks, disk, disk_space, nsd_devices
from tests.supervision.seed import recorded

FACTS: Mapping[str, Any] = {
    "cluster": made.cluster("c1"),
    f"filesystem {FS}": made.attributes(m="2", M="x", B="4194304"),
    f"disks {FS}": made.disk_list(disk("a", "1,0,1", "NN"), disk("b", "-1", status="odd"), attention=("Attention: x",)),
    f"disk details {FS}": made.disk_list(disk("a")),
    f"space {FS}": made.space(disk_space("a", size=1, free=0), disk_space("c", "NN")),
    "nsds": NsdList((Nsd("a", FS, ()), Nsd("z", "", ("nobody",), "not hex"))),
    "nsd devices": nsd_devices(("a", "/dev/sda", "n1"), ("b", "", "n9")),
    "node states": made.states("active", "", "odd"),
    "node state n2": made.states("down"),
    "managers": Managers((FsManager(FS, "nobody"),), "", "10.0.0.2"),
    f"mounts {FS}": Mounts((FsMounts(FS, 2, (MountedNode("", ""),)),)),
    "devices n1": blocks(block("sda", "S"), block("sda1", type="part", parents=("sda",), mountpoint="/x y")),
    "devices n2": blocks(),
    "devices n3": blocks(block("loop", type="mpath", parents=("loop",), rotational=None)),
    "waiters n1": Waiters((Waiter("", "", 1e9, "", None, "", ""),)),
    "time n1": HostTime(0.0, 0),
    "time n2": None,
}
LINES = st.sampled_from(
    (
        made.PHASE_1, made.USER_FILES, made.DONE, made.counted(10), made.counted(999_999, 100.0), made.counted(0, 0.0),
        " 100.00 % complete on Thu Jun  6 19:41:03 2013", "because conflicting program x is running", "", "Failed",
    )
)  # fmt: skip
LOGS = st.lists(st.tuples(st.floats(0, 2 * made.NOW), st.one_of(LINES, st.text(max_size=30))), max_size=15)
TIMES = st.floats(-1e12, 1e12)


@st.composite
def any_state(draw: st.DrawFn) -> State:
    """Some of the facts, of any age; a job in any state with any log."""
    keys = draw(st.lists(st.sampled_from(sorted(FACTS)), unique=True))
    facts = {key: made.fact(key, FACTS[key], at=draw(TIMES), failure=draw(st.sampled_from(("", "no")))) for key in keys}
    log = Log("n1", "job:j1")
    for at, text in draw(LOGS):
        data = f"{text}\n".encode()
        log = append(log, data, at, end=log.size + len(data), reading=READING)
    job = made.job(
        draw(st.sampled_from(JobState)),
        draw(st.sampled_from((f"mmrestripefs {FS} -r", f"mmdeldisk {FS} a", f"mmchdisk {FS} start -a", "", "'"))),
        began=draw(st.one_of(st.none(), TIMES)),
        rc=draw(st.sampled_from((None, 0, 1, 143))),
        size=draw(st.integers(0, 10)),
    )
    words = st.sampled_from(("up", "refused", "waiting", "closed", "odd", ""))
    return made.state(
        facts,
        jobs=(job,) if draw(st.booleans()) else (),
        logs=(log,) if draw(st.booleans()) else (),
        links=draw(st.dictionaries(st.sampled_from(("n1", "n2", "gate", "x[1-9]")), words)),
        at=draw(TIMES),
        speed=draw(st.sampled_from((0.0, 1.0, 600.0))),
    )


def ask_everything(state: State) -> None:
    """Every question that a screen can have."""
    fs = made.file_system()
    for line in (*fs.facts(state), *fs.problems(state)):
        assert line.label
        assert line.value
    for table in (fs.nodes(state), fs.pools(state), fs.disks(state), fs.totals(state), fs.devices(state)):
        assert all(len(row.cells) == len(table.columns) for row in table.rows)
        assert len({row.key for row in table.rows}) == len(table.rows)
        assert len({column.id for column in table.columns}) == len(table.columns)
        sorted(cell.order for row in table.rows for cell in row.cells)
    fs.fills(state)
    fs.scan_job(state)
    for job in state.jobs.values():
        progress = fs.progress(state, job)
        assert progress.finish is None or progress.phase in (Phase.RUNNING, Phase.QUIET)
        assert progress.finish is None or progress.finish.low <= progress.finish.high
        assert len(progress.trend) <= 18
        fs.may_stop(job)
        fs.stop_leaves(job)


@settings(deadline=None)
@given(any_state())
def test_any_state_has_answers(state: State) -> None:
    ask_everything(state)


def test_no_fact_at_all_has_answers() -> None:
    ask_everything(made.state())
    header = msgspec.structs.replace(made.state().header, hosts=(), entry="", file_system="")
    ask_everything(State(header))


@settings(deadline=None, max_examples=40)
@given(st.data())
def test_answers_that_were_cut_anywhere_have_answers(data: st.DataObject) -> None:
    """What the seed's cluster said, each answer cut short somewhere."""
    from remote.events import Answered, Asked
    from remote.text import decode

    asked = {event.n: event for event in recorded()[1] if isinstance(event, Asked)}
    facts: dict[str, Any] = {}
    readers = {
        "mmlscluster": ("cluster", parsers.parse_mmlscluster),
        "mmlsdisk": (f"disks {FS}", parsers.parse_mmlsdisk),
        "mmdf": (f"space {FS}", parsers.parse_mmdf),
        "mmlsnsd": ("nsd devices", parsers.parse_mmlsnsd_x),
    }
    for event in recorded()[1][:40]:
        if isinstance(event, Answered):
            for command, reply in zip(asked[event.n].commands, event.replies, strict=True):
                if command.argv[0] in readers and reply.rc == 0:
                    key, parse = readers[command.argv[0]]
                    text = decode(reply.out.data)
                    text = text[: data.draw(st.integers(0, len(text)))]
                    facts[key] = msgspec.structs.replace(made.fact(key, None), parsed=parse(text, ""))
    ask_everything(made.state(facts))
