"""A savemeta that really stands still, over real OpenSSH: stopped by a signal, or held up by where it writes to."""

from __future__ import annotations

import asyncio
import os
import signal
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from supervision.filesystem import Phase
from tests.gfs2_real.conftest import FastHost
from tests.gfs2_real.far import Gfs2Host
from tests.gfs2_real.session import Watched, launch_savemeta, watched
from tests.processes import send
from tests.waiting import until

pytestmark = pytest.mark.openssh


async def test_a_savemeta_that_stands_still_is_stalled_until_it_goes_on(fast: FastHost) -> None:
    """All at once: who stands still needs no processor."""
    async with watched(*fast) as session:
        await session.watch.begin()
        await asyncio.gather(_stopped_by_a_signal(session), _held_up_by_its_output(session), _crashed(session))


async def _stopped_by_a_signal(session: Watched) -> None:
    host, words = session.host, "signal.meta.gz"
    await launch_savemeta(session, "signal", words, 9)
    before = await session.phase(words, Phase.RUNNING)
    pid = host.tool(words)
    host.stop(pid)
    still = await session.phase(words, Phase.STALLED)
    assert "its process is stopped (state T) since " in still.why
    assert f"kill -CONT {pid} lets it go on" in still.why
    assert still.finish is None
    assert f"gfs2_edit, pid {pid}: is stopped by a signal" in [line.value for line in still.evidence]
    host.go_on(pid)
    after = await session.sees(words, lambda now: now.phase is Phase.RUNNING and now.counter != still.counter)
    assert before.counter is not None
    assert after.counter is not None
    assert (after.counter.done or 0) > (before.counter.done or 0)

    await session.supervisor.site.stop(host.name, "signal")
    ended = await session.phase(words, Phase.STOPPED, Phase.FAILED)
    assert ended.phase is Phase.STOPPED
    assert ended.why.startswith("exit code 143 (ended by TERM), as it was asked to")
    assert not host.tools(words)


async def _held_up_by_its_output(session: Watched) -> None:
    """It writes to a pipe that nobody empties any more, as to a disk that does not answer."""
    host, words = session.host, "held.meta"
    with _pipe(host, words) as pipe:
        await launch_savemeta(session, "held", words, 0)

        def counts() -> bool:
            """Whether it has counted, once some more was taken out of the pipe."""
            pipe.take(1 << 16)
            progress = session.progress(words)
            return progress is not None and progress.counter is not None and bool(progress.counter.done)

        await until(counts, 60)
        still = await session.phase(words, Phase.STALLED)
        assert still.why.startswith("no line for "), still.why
        assert "stopped" not in still.why
        assert still.finish is None
        assert still.counter is not None
        assert (still.counter.done or 0) < host.filled.files

        def ended() -> bool:
            """The same, with all that there is."""
            pipe.take(1 << 20)
            progress = session.progress(words)
            return progress is not None and progress.phase in (Phase.FINISHED, Phase.FAILED)

        await until(ended, 60)
    end = session.progress(words)
    assert end is not None
    assert end.phase is Phase.FINISHED, end.why
    assert end.counter is not None
    assert (end.counter.done or 0) >= host.filled.files + host.filled.indirect


async def _crashed(session: Watched) -> None:
    """It ends as a tool does that has a bug."""
    host, words = session.host, "crash.meta.gz"
    await launch_savemeta(session, "crash", words, 9)
    await session.phase(words, Phase.RUNNING)
    send([host.tool(words)], signal.SIGSEGV)
    failed = await session.phase(words, Phase.FAILED)
    assert failed.why.startswith("exit code 139 (SEGV: the tool crashed)")


class _Pipe:
    """The reading end of a pipe."""

    def __init__(self, fd: int) -> None:
        self._fd = fd

    def take(self, most: int) -> None:
        """Take out what there is, up to so many bytes."""
        while most > 0:
            try:
                data = os.read(self._fd, most)
            except BlockingIOError:
                return
            if not data:
                return
            most -= len(data)


@contextmanager
def _pipe(host: Gfs2Host, name: str) -> Iterator[_Pipe]:
    """A named pipe where a file is to be written."""
    path: Path = host.output(name)
    os.mkfifo(path)
    fd = os.open(host.server.account.give(path), os.O_RDONLY | os.O_NONBLOCK)
    try:
        yield _Pipe(fd)
    finally:
        os.close(fd)
