"""Every screen over a file system that is not GPFS: none says a word of GPFS, or is at a loss for what it lacks."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import msgspec
import pytest

from remote.events import (
    Answered,
    Asked,
    Event,
    Exact,
    Header,
    JobsListed,
    LinkChanged,
    LogRead,
    Reply,
)
from remote.jobs import JobState, JobStatus
from remote.linux.commands import lsblk
from remote.recording import RecordingError, Writer
from screens.dialogs import AskText
from supervision import filesystems
from supervision.player import Player
from supervision.replay import Replay
from supervision.session import Session
from supervision.store import Store
from supervision.supervisor import Supervisor
from tests.screens import blockfs
from tests.screens.everyscreen import ALIEN, every_screen, shown
from tests.screens.hearing import hearing
from tests.screens.snap import text_of
from tests.waiting import until
from tui.plain import Plain

SIZES = ((80, 24), (120, 40))
NOW = 1_700_000_000.0
HEADER = Header(1, "test", NOW, NOW, "data", ("node1", "node2"), "node1", "ops@desk", kind="blockfs")
JOB = JobStatus("s1", JobState.RUNNING, began=NOW, title="save", operator="ops@desk", command="blockfs-edit savemeta x")
LSBLK = 'NAME="sda" KNAME="sda" TYPE="disk" SIZE="1073741824"\n'


def answered(n: int, host: str, command: Any, out: str) -> tuple[Event, Event]:
    return Asked(NOW, n, host, (command,)), Answered(NOW + 1, n, (Reply(0, Exact(out.encode())),))


def progress(*pieces: str) -> list[Event]:
    """Pieces of the job's log, one every ten seconds."""
    events, offset = [], 0
    for index, piece in enumerate(pieces):
        events.append(LogRead(NOW + 10.0 * (index + 1), "node1", "job:s1", offset, Exact(piece.encode())))
        offset += len(piece)
    return list(events)


LINKS: tuple[Event, ...] = (LinkChanged(NOW, "node1", "up"), LinkChanged(NOW, "node2", "up"))
TABLES: tuple[Event, ...] = (
    *answered(1, "node1", blockfs.RGRPS, "524288 240000 88900\n"),
    *answered(2, "node1", blockfs.MOUNTS, "node1\nnode2\n"),
    *answered(3, "node1", lsblk(), LSBLK),
)
SCAN: tuple[Event, ...] = (
    JobsListed(NOW + 2, "node1", (JOB,)),
    JobsListed(NOW + 2, "node2", ()),
    *progress("\r22225 blocks saved (12% complete)", "\r44450 blocks saved (14% complete)", "\rend"),
)
READ = sum(len(event.data.data) for event in SCAN if isinstance(event, LogRead))
WHOLE = (*LINKS, *TABLES, *SCAN)


@pytest.fixture(autouse=True)
def known(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """The kind is one line of one table."""
    monkeypatch.setitem(filesystems.KINDS, "blockfs", "tests.screens.blockfs")
    yield
    filesystems.reading.cache_clear()


def replayed(path: Path, events: tuple[Event, ...]) -> Session:
    """A replay that stands at its end."""
    recorded = recording(path, HEADER, events)
    replay = Replay(recorded)
    player = Player(replay)
    player.seek(replay.began + replay.seconds)
    return Session(player, filesystems.file_system(replay.header))


def recording(path: Path, header: Header, events: tuple[Event, ...]) -> Path:
    writer = Writer(path / "r.jsonl", header)
    for event in events:
        writer.write(event)
    writer.close()
    assert writer.failure == ""
    return writer.path


def live(events: tuple[Event, ...]) -> Session:
    """A session that is armed and reaches nobody."""
    store = Store(HEADER)
    site = SimpleNamespace(armed=True, clock=SimpleNamespace(now=lambda: NOW + 40.0), hosts=HEADER.hosts)
    supervisor: Any = SimpleNamespace(site=site, runs=lambda _name: False, store=store, start=lambda _name, work: work)
    session = Session(store, filesystems.file_system(HEADER), supervisor=cast("Supervisor", supervisor))
    for event in events:
        store.apply(event)
    return session


def at_home(told: dict[str, str], width: int) -> None:
    """No screen says a word of another kind, and no line is wider than the terminal."""
    for name, text in told.items():
        alien = ALIEN.search(text)
        assert alien is None, f"{name} says {alien and alien[0]!r}:\n{text}"
        for line in text.splitlines():
            assert len(line) <= width, f"{name}: {line}"


@pytest.mark.parametrize(
    ("how", "size", "known_already"),
    [("live", SIZES[0], LINKS), ("replayed", SIZES[0], WHOLE), ("replayed", SIZES[1], LINKS)],
    ids=["live, nothing", "replayed, all", "replayed, nothing"],
)
async def test_no_screen_says_a_word_of_another_kind(
    tmp_path: Path, how: str, size: tuple[int, int], known_already: tuple[Event, ...]
) -> None:
    """Live, with all that it has: the next test."""
    session = live(known_already) if how == "live" else replayed(tmp_path, known_already)
    async with shown(session, size) as (app, pilot):
        at_home(await every_screen(app, pilot), size[0])


@pytest.mark.parametrize("size", SIZES, ids=lambda size: f"{size[0]}x{size[1]}")
async def test_the_screens_show_what_it_has_and_say_what_it_has_not(size: tuple[int, int]) -> None:
    async with shown(live(WHOLE), size) as (app, pilot):
        told = await every_screen(app, pilot)
    at_home(told, size[0])
    told = {name: " ".join(text.split()) for name, text in told.items()}  # a line may be broken anywhere
    cluster = told["cluster"]
    assert "BlockFS data" in cluster
    assert "blockfs-edit savemeta x on node1" in cluster
    assert "50.0 % of the work" in cluster  # 44,450 of at least 88,900
    assert "BlockFS has no parts with a use of their own" in cluster
    assert "node2 mounted" in cluster
    for name in ("cluster", "disks", "devices"):
        assert "not asked" not in told[name], name
        assert "nothing is known yet" not in told[name], name
    assert "524,288" in told["disks"]
    assert "/dev/vg0/data" in told["disks"]
    assert "not yet" not in told["disks"]
    assert "sda" in told["devices"]
    assert "by role" not in told["devices"]  # there is nothing to turn
    assert "no migration belongs to this session" in told["migrate"]
    restripe = told["restripe"]
    assert "44,450 of at least 88,900 blocks" in restripe
    assert "50.0 %" in restripe
    assert "tool says 14.00 % (not used)" in restripe
    assert "blocks/s" in restripe
    assert "log of job s1 on node1" in restripe
    assert "nothing of its log" not in restripe
    assert "blockfs-edit savemeta x" in told["jobs"]
    assert "blockfs-rgrps /dev/vg0/data" in told["commands"]


async def test_a_person_reads_which_scan_is_not_there() -> None:
    async with shown(live((*LINKS, *TABLES)), (80, 24)) as (app, pilot):
        await until(lambda: "nothing that is known" in text_of(app))
        await pilot.press("5")
        await until(lambda: "no savemeta is known on data" in text_of(app))


@pytest.mark.parametrize(
    ("events", "wanted"),
    [
        ((*LINKS, *SCAN), "44,450 of an unknown number of blocks"),
        (
            (*WHOLE, LogRead(NOW + 60, "node1", "job:s1", READ, Exact(b"\r91251 blocks saved (15% complete)\r"))),
            "91,251 of at least 88,900 blocks",
        ),
    ],
    ids=["unknown", "passed"],
)
async def test_a_total_that_is_not_known_makes_no_percentage(events: tuple[Event, ...], wanted: str) -> None:
    async with shown(live(events), (80, 24)) as (app, pilot):
        await pilot.press("5")
        await until(lambda: wanted in text_of(app))
        work = next(line for line in text_of(app).splitlines() if line.startswith(" work"))
        assert "%" not in work
        assert "█" not in work


async def test_the_rows_can_be_walked_filtered_and_opened() -> None:
    async with shown(live(WHOLE), (80, 24)) as (app, pilot):
        await pilot.press("2")
        await until(lambda: "524,288" in text_of(app))
        await pilot.press("enter")
        await until(lambda: "88,900" in text_of(app))  # the detail
        await pilot.press("escape", "slash", *"nosuch", "enter")
        await until(lambda: "no row fits nosuch" in text_of(app))


async def test_what_a_person_may_not_run_is_its_own_word() -> None:
    async with shown(live(WHOLE), (80, 24)) as (app, pilot):
        await pilot.press("6")
        await until(lambda: "savemeta" in text_of(app))
        await pilot.press("exclamation_mark")
        await until(lambda: "no checks apply" in text_of(app))
        await hearing(app, AskText)
        await pilot.press(*"mkfs", "enter")
        await until(lambda: "mkfs is not known to leave data alone" in text_of(app))


def test_the_same_recording_is_read_in_lines(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    import sys

    replay = Replay(recording(tmp_path, HEADER, WHOLE))
    plain = Plain(sys.stdout, live=False)
    store = Store(replay.header)
    store.listen(plain.on_event)
    for event in replay.events:
        store.apply(event)
    said = capsys.readouterr().out
    assert "44,450 of at least 88,900 blocks" in said
    assert ALIEN.search(said) is None


def test_a_recording_of_a_kind_that_is_not_known_is_refused_in_words(tmp_path: Path) -> None:
    path = recording(tmp_path, msgspec.structs.replace(HEADER, kind="zonefs"), LINKS)
    with pytest.raises(
        RecordingError, match="kind 'zonefs' is not known to this program: it knows blockfs, gfs2, gpfs"
    ):
        Replay(path)


def test_a_recording_that_names_no_kind_is_of_the_first_one(tmp_path: Path) -> None:
    path = tmp_path / "old.jsonl"
    path.write_text('{"restripe":1,"program":"0.1","created":0,"began":0,"file_system":"mss1","entry":"a"}\n')
    header = Replay(path).header
    assert header.kind == "gpfs"
    assert filesystems.file_system(header).words.kind == "GPFS"
    with pytest.raises(filesystems.UnknownKindError):
        filesystems.reading("zonefs")
