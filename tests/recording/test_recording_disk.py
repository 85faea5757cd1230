"""On record first: as it happens, before anything is sent, and not at all when the disk does not take it."""

from __future__ import annotations

import asyncio
import errno
import os
import subprocess
import sys
import threading
from collections.abc import Awaitable, Iterator
from pathlib import Path

import pytest

from remote import recording as recording_module
from remote.errors import RefusedError
from remote.events import Answered, Event, Launching, Marked, Signalling
from remote.jobs import JobSpec, JobState, JobStatus
from remote.recorder import RecordingSite
from remote.recording import Recording, Writer
from tests.recording.counting_site import READING, SPEC, CountingSite
from tests.recording.test_recording_round_trip import HEADER
from tests.recording.test_site_guard import CHANGES
from tests.waiting import until_now


class Disk:
    """Stands between the writer and the file: `full` fails each write of it, `go_on` lets blocked ones go on."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.full: int = 0
        self.room = 0
        self.go_on = threading.Event()
        self.go_on.set()
        self.reached = threading.Event()
        self._write = os.write
        monkeypatch.setattr(os, "write", self.write)

    def write(self, fd: int, data: bytes) -> int:
        if threading.current_thread().name == "recording":
            self.reached.set()
            assert self.go_on.wait(30)
            if self.full:
                if self.room == 0:
                    raise OSError(self.full, os.strerror(self.full))
                data, self.room = data[: self.room], max(0, self.room - len(data))
        return self._write(fd, data)


@pytest.fixture
def disk(monkeypatch: pytest.MonkeyPatch) -> Iterator[Disk]:
    made = Disk(monkeypatch)
    yield made
    made.go_on.set()


async def test_it_can_be_read_while_it_is_written(tmp_path: Path) -> None:
    writer = Writer(tmp_path / "r.jsonl", HEADER)
    for number in range(3):
        writer.write(Marked(float(number), f"mark {number}"))
        await writer.sync()
        recording = Recording(tmp_path / "r.jsonl")
        assert list(recording) == [Marked(float(n), f"mark {n}") for n in range(number + 1)]
        assert not recording.torn
    writer.close()


class LookingSite(CountingSite):
    """Reads the recording at the moment when a launch, a stop or a seal would go out."""

    def __init__(self, path: Path) -> None:
        super().__init__(armed=True)
        self.path = path
        self.found: list[Event] = []

    async def _launch(self, host: str, spec: JobSpec) -> JobStatus:
        self.found = list(Recording(self.path))
        return await super()._launch(host, spec)

    async def _stop(self, host: str, job_id: str, *, kill: bool) -> JobStatus:
        self.found = list(Recording(self.path))
        return await super()._stop(host, job_id, kill=kill)

    async def _renew(self, host: str, job_id: str) -> JobStatus:
        self.found = list(Recording(self.path))
        return await super()._renew(host, job_id)

    async def _seal(self, host: str, job_id: str) -> JobStatus:
        self.found = list(Recording(self.path))
        return await super()._seal(host, job_id)


@pytest.mark.parametrize("name", CHANGES)
async def test_the_intent_is_on_the_disk_before_anything_is_sent(
    tmp_path: Path, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    synced: list[int] = []
    fsync = os.fsync

    def counted(fd: int) -> None:
        fsync(fd)
        synced.append(fd)

    monkeypatch.setattr(os, "fsync", counted)
    writer = Writer(tmp_path / "r.jsonl", HEADER)
    inner = LookingSite(tmp_path / "r.jsonl")
    await CHANGES[name](RecordingSite(inner, writer.write, writer))
    assert synced
    intent = inner.found[-1]
    if name == "launch":
        assert intent == Launching(1000.0, "pollux1", SPEC, "boot-1")
    else:
        word = {"stop": "TERM", "kill": "KILL"}.get(name, name)
        assert intent == Signalling(1000.0, "pollux1", SPEC.id, word)
    writer.close()


@pytest.mark.parametrize("room", [0, 10])
@pytest.mark.parametrize("why", [errno.ENOSPC, errno.EIO, errno.EDQUOT], ids=errno.errorcode.get)
async def test_a_full_disk_stops_changes_and_nothing_else(tmp_path: Path, disk: Disk, room: int, why: int) -> None:
    events: list[Event] = []
    writer = Writer(tmp_path / "r.jsonl", HEADER)

    def emit(event: Event) -> None:
        writer.write(event)
        events.append(event)

    inner = CountingSite(armed=True)
    site = RecordingSite(inner, emit, writer)
    emit(Marked(1.0, "there was room for this"))
    await writer.sync()
    assert writer.failure == ""
    disk.full, disk.room = why, room
    await site.query("pollux1", READING)
    await writer.sync()
    assert writer.failure == os.strerror(why)
    inner.reached.clear()
    for name, change in CHANGES.items():
        with pytest.raises(RefusedError, match="the recording cannot be written") as refused:
            await change(site)
        assert os.strerror(why) in str(refused.value), name
        assert "Nothing was sent" in str(refused.value)
    assert {"launch", "stop", "kill", "seal"}.isdisjoint(inner.reached)
    (answer,) = await site.query("pollux1", READING)
    assert answer.stdout == b"out\n"
    assert isinstance(events[-1], Answered)  # watching goes on: the state is still fed
    disk.full = 0
    with pytest.raises(RefusedError):  # a recording with a hole is none, even when there is room again
        await CHANGES["launch"](site)
    writer.close()
    recording = Recording(tmp_path / "r.jsonl")
    assert list(recording) == events[:1]
    assert recording.torn is (room > 0)


async def test_without_a_file_changes_are_not_held_up() -> None:
    inner = CountingSite(armed=True)
    status = await RecordingSite(inner, lambda _: None, None).launch("pollux1", SPEC)
    assert status.state is JobState.RUNNING
    assert inner.reached[-1] == "launch"


def test_a_real_limit_of_the_file_size_is_a_failure_in_words(tmp_path: Path) -> None:
    """No stand-in: the kernel itself refuses the bytes beyond 4096."""
    code = (
        "import resource, sys; from pathlib import Path; from remote.events import Marked\n"
        "from remote.recording import Writer; from tests.recording.test_recording_round_trip import HEADER\n"
        "resource.setrlimit(resource.RLIMIT_FSIZE, (4096, 4096))\n"
        "writer = Writer(Path(sys.argv[1]), HEADER)\n"
        "for number in range(200): writer.write(Marked(float(number), 'x' * 50))\n"
        "writer.close(); print(writer.failure)"
    )
    path = tmp_path / "r.jsonl"
    done = subprocess.run(
        [sys.executable, "-c", code, str(path)], check=False, capture_output=True, text=True, timeout=30
    )
    assert (done.returncode, done.stdout, done.stderr) == (0, "File too large\n", "")
    assert path.stat().st_size == 4096
    recording = Recording(path)
    seen = list(recording)
    assert recording.torn
    assert seen == [Marked(float(number), "x" * 50) for number in range(len(seen))]
    assert 20 < len(seen) < 60


def test_what_waits_for_a_blocked_disk_is_bounded(tmp_path: Path, disk: Disk, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(recording_module, "MAX_WAITING", 10_000)
    disk.go_on.clear()
    writer = Writer(tmp_path / "r.jsonl", HEADER)
    assert disk.reached.wait(15)
    taken = 0
    while not writer.failure and taken < 1000:
        writer.write(Marked(1.0, "x" * 90))
        taken += 1
    # a mark is about 120 bytes with its keys, and the header waits too
    assert 60 < taken < 110
    assert writer.failure == "the disk is too slow for what happens"
    for _ in range(1000):
        writer.write(Marked(2.0, "y"))
    disk.go_on.set()
    writer.close()
    recording = Recording(tmp_path / "r.jsonl")
    assert list(recording) == [Marked(1.0, "x" * 90)] * len(list(recording))
    assert b'"y"' not in (tmp_path / "r.jsonl").read_bytes()


async def test_a_disk_that_does_not_answer_stops_changes(
    tmp_path: Path, disk: Disk, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(recording_module, "PATIENCE", 0.2)
    writer = Writer(tmp_path / "r.jsonl", HEADER)
    await writer.sync()
    inner = CountingSite(armed=True)
    disk.go_on.clear()
    with pytest.raises(RefusedError, match="the disk did not answer"):
        await RecordingSite(inner, writer.write, writer).launch("pollux1", SPEC)
    assert "launch" not in inner.reached


def test_a_file_that_could_not_be_finished_says_so(tmp_path: Path, disk: Disk, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(recording_module, "PATIENCE", 0.2)
    writer = Writer(tmp_path / "r.jsonl", HEADER)
    writer.sync_now()
    disk.go_on.clear()
    writer.write(Marked(1.0, "x"))
    writer.close()
    assert "did not answer" in writer.failure


def test_what_only_closing_the_file_tells_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """NFS may find out at the very end that there was no room."""
    close = os.close

    def failing(fd: int) -> None:
        close(fd)
        if threading.current_thread().name == "recording":
            raise OSError(errno.EDQUOT, os.strerror(errno.EDQUOT))

    monkeypatch.setattr(os, "close", failing)
    writer = Writer(tmp_path / "r.jsonl", HEADER)
    writer.close()
    assert writer.failure == os.strerror(errno.EDQUOT)


async def test_writing_never_waits_for_the_disk(tmp_path: Path, disk: Disk) -> None:
    """The loop goes round while the disk stands still."""
    writer = Writer(tmp_path / "r.jsonl", HEADER)
    disk.go_on.clear()
    ticks = 0

    async def tick() -> None:
        nonlocal ticks
        while True:
            await asyncio.sleep(0)
            ticks += 1

    ticking = asyncio.create_task(tick())
    inner = CountingSite(armed=True)
    site = RecordingSite(inner, writer.write, writer)
    for _ in range(100):
        await site.query("pollux1", READING)
    launching: Awaitable[JobStatus] = asyncio.ensure_future(site.launch("pollux1", SPEC))
    before = ticks
    while ticks < before + 100:
        await asyncio.sleep(0)
    assert "launch" not in inner.reached  # it waits for its intent to be on the disk, and the loop does not
    disk.go_on.set()
    assert (await launching).state is JobState.RUNNING
    ticking.cancel()
    writer.close()
    assert writer.failure == ""


@pytest.mark.parametrize("after", [1, 400])
def test_a_killed_program_leaves_a_readable_recording(tmp_path: Path, after: int) -> None:
    path = tmp_path / "r.jsonl"
    with subprocess.Popen(
        [sys.executable, "-m", "tests.recording.recording_client", str(path)], stdout=subprocess.PIPE, text=True
    ) as client:
        assert client.stdout is not None
        certain = int(until_now(client.stdout.readline))
        while certain < after:
            certain = int(client.stdout.readline())
        client.kill()
    recording = Recording(path)
    seen = list(recording)
    assert recording.header == HEADER
    assert recording.skipped == 0
    assert len(seen) > certain
    assert seen == [Marked(float(n), f"mark {n} " + "é" * (n % 200)) for n in range(len(seen))]
