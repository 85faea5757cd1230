"""Following logs and files that others write, cut, move away and write anew."""

from __future__ import annotations

import asyncio
import contextlib
import os
import subprocess
from collections.abc import AsyncIterator
from pathlib import Path

from remote.jobs import JobState
from remote.site import Chunk, FileLog, Followed, JobLog, ProcessSeen, Rewound, StateSeen
from tests.remote.local_host import HOST, LocalHost, in_shells
from tests.waiting import until


class Seen:
    """What a follower has told so far."""

    def __init__(self) -> None:
        self.events: list[Followed] = []
        self.ended = False

    @property
    def log(self) -> bytes:
        """The bytes since the log was last found changed, in their place."""
        log = b""
        for event in self.events:
            if isinstance(event, Rewound):
                log = b""
            elif isinstance(event, Chunk):
                assert event.offset == len(log)
                log += event.data
        return log

    @property
    def rewound(self) -> list[str]:
        """In which ways the log was found changed."""
        return [event.why for event in self.events if isinstance(event, Rewound)]

    @property
    def processes(self) -> list[bool | None]:
        """What was said of the process that writes."""
        return [event.alive for event in self.events if isinstance(event, ProcessSeen)]


@contextlib.asynccontextmanager
async def following(host: LocalHost, source: JobLog | FileLog, offset: int = 0) -> AsyncIterator[Seen]:
    """Follow in the background."""
    seen = Seen()

    async def follow() -> None:
        async for event in host.site.follow(HOST, source, offset):
            seen.events.append(event)
        seen.ended = True

    task = asyncio.create_task(follow())
    try:
        yield seen
    finally:
        task.cancel()
        with contextlib.suppress(asyncio.CancelledError):
            await task


def append(path: Path, data: bytes) -> None:
    """Write as a running program does."""
    with path.open("ab") as file:
        file.write(data)


@in_shells("bash-posix", "dash", "ksh93")
async def test_bytes_arrive_as_they_are_in_whatever_pieces(host: LocalHost) -> None:
    pieces = [b"\xc3", b"\xa9\xe2\x82", b"\xac\xf0\x9f\x98", b"\x80\rp 10%", b"\rp 50%\rp 100%\n", b"\xff\x00no end"]
    octal = ["".join(f"\\{byte:03o}" for byte in piece) for piece in pieces]
    script = "".join(
        f'printf "{text}"; while [ ! -e "{host.directory}/{number}" ]; do sleep 0.01; done; '
        for number, text in enumerate(octal)
    )
    await host.launch("pieces", script)
    async with following(host, JobLog("pieces")) as seen:
        for number in range(len(pieces)):
            await until(lambda number=number: seen.log == b"".join(pieces[: number + 1]))  # type: ignore[misc]
            (host.directory / str(number)).touch()
        await until(lambda: seen.ended)
    assert seen.log == b"".join(pieces)
    assert not seen.rewound
    last = seen.events[-1]
    assert isinstance(last, StateSeen)
    assert (last.status.state, last.status.rc) == (JobState.FINISHED, 0)


@in_shells("bash-posix", "mksh")
async def test_a_file_grows_and_its_writer_goes(host: LocalHost) -> None:
    path = host.directory / "mmrestripefs.log"
    with subprocess.Popen(["sleep", "600"]) as writer:
        try:
            async with following(host, FileLog(str(path), writer.pid)) as seen:
                await until(lambda: seen.processes == [True])
                append(path, b"10 %\n")
                await until(lambda: seen.log == b"10 %\n")
                append(path, b"100 %")
                writer.kill()
                writer.wait()
                await until(lambda: seen.ended)
        finally:
            writer.kill()
    assert (seen.log, seen.processes) == (b"10 %\n100 %", [True, False])


@in_shells("bash-posix", "busybox")
async def test_a_writer_whose_number_was_given_away_is_gone(host: LocalHost) -> None:
    path = host.directory / "log"
    append(path, b"x")
    header = await host.site.look(HOST, FileLog(str(path), os.getpid()), 0, "-")
    assert header.state == "alive"
    assert (await host.site.look(HOST, FileLog(str(path), os.getpid()), 0, header.rc)).state == "alive"
    other = str(int(header.rc) + 1)
    assert (await host.site.look(HOST, FileLog(str(path), os.getpid()), 0, other)).state == "gone"


@in_shells("bash-posix", "ksh93")
async def test_a_truncated_log_is_read_again(host: LocalHost) -> None:
    path = host.directory / "log"
    append(path, b"0123456789" * 10)
    async with following(host, FileLog(str(path))) as seen:
        await until(lambda: len(seen.log) == 100)
        os.truncate(path, 0)
        append(path, b"new\n")
        await until(lambda: seen.log == b"new\n")
    assert seen.rewound == ["truncated"]


@in_shells("bash-posix", "busybox")
async def test_a_rotated_log_is_read_again(host: LocalHost) -> None:
    path = host.directory / "log"
    append(path, b"old\n")
    async with following(host, FileLog(str(path))) as seen:
        await until(lambda: seen.log == b"old\n")
        fresh = host.directory / "fresh"
        append(fresh, b"old\nand longer\n")  # so that nothing but the inode tells
        fresh.rename(path)
        await until(lambda: seen.log == b"old\nand longer\n")
    assert seen.rewound == ["rotated"]


@in_shells("bash-posix", "bash")
async def test_a_log_rewritten_in_place_is_read_again(host: LocalHost) -> None:
    path = host.directory / "log"
    append(path, b"old\n" * 20)
    async with following(host, FileLog(str(path))) as seen:
        await until(lambda: seen.log == b"old\n" * 20)
        with path.open("r+b") as file:
            file.write(b"new\n" * 40)
        await until(lambda: seen.log == b"new\n" * 40)
    assert seen.rewound == ["rewritten"]


async def test_a_jobs_log_that_somebody_truncates_has_no_hole(dash: LocalHost) -> None:
    await dash.launch(
        "cut", f'echo before; while [ ! -e "{dash.directory}/go" ]; do sleep 0.01; done; echo after; exit 1'
    )
    path = dash.base / "cut" / "log"
    async with following(dash, JobLog("cut")) as seen:
        await until(lambda: seen.log == b"before\n")
        os.truncate(path, 0)
        await until(lambda: seen.rewound)
        (dash.directory / "go").touch()
        await until(lambda: seen.ended)
    assert (seen.rewound, seen.log, path.read_bytes()) == (["truncated"], b"after\n", b"after\n")


async def test_a_log_shorter_than_where_another_stopped_is_read_again(dash: LocalHost) -> None:
    """The log was cut while nobody looked; whoever goes on from its old end must not wait for ever."""
    await dash.launch("short", "echo short; exit 2")
    async with following(dash, JobLog("short"), 5000) as seen:
        await until(lambda: seen.ended)
    assert (seen.rewound, seen.log) == (["truncated"], b"short\n")


async def test_a_file_that_is_not_there_yet_or_no_more(dash: LocalHost) -> None:
    path = dash.directory / "late"
    async with following(dash, FileLog(str(path))) as seen:
        await until(lambda: seen.events == [ProcessSeen(None)])
        append(path, b"here\n")
        await until(lambda: seen.log == b"here\n")
        path.unlink()
        await until(lambda: seen.rewound == ["rotated"])
        append(path, b"again\n")
        await until(lambda: seen.log == b"again\n")


async def test_a_missing_job_is_absent_until_it_is_there(dash: LocalHost) -> None:
    async with following(dash, JobLog("later")) as seen:
        await until(lambda: seen.events)
        first = seen.events[0]
        assert isinstance(first, StateSeen)
        assert first.status.state is JobState.ABSENT
        assert not dash.base.exists()  # looking creates nothing
        await dash.launch("later", "echo out; exit 9")
        await until(lambda: seen.ended)
    assert seen.log == b"out\n"


async def test_more_than_one_look_holds_is_read_without_waiting(dash: LocalHost) -> None:
    """5 MB need three looks; the state comes only with the end of the log."""
    await dash.launch("much", "head -c 5000000 /dev/zero; exit 6")
    await until(lambda: list((dash.base / "much").glob("rc.6.*")))
    async with following(dash, JobLog("much")) as seen:
        await until(lambda: seen.ended)
    assert (len(seen.log), len(seen.events)) == (5_000_000, 4)
    assert isinstance(seen.events[-1], StateSeen)
