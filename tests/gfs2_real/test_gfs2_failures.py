"""Guided work on a real GFS2, over real OpenSSH, of which the tools tell that it went well: it is not called done."""

from __future__ import annotations

import os
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from remote.errors import RefusedError
from supervision.filesystem import Phase
from supervision.gfs2_checking import Wanted
from supervision.gfs2_jobs import Gfs2Job
from supervision.migration import Ending, perform
from tests.gfs2_real.conftest import Image
from tests.gfs2_real.far import OF_MKFS, Gfs2Host, blocks_in, make_image
from tests.gfs2_real.session import Time, Watched, guided, states, watched
from tests.openssh import Farm

pytestmark = pytest.mark.openssh
FEW = 2_000
"""Files: so few that gzip's buffer of a megabyte is written at the end only, and savemeta learns of no full disk."""
LIMIT = 64 << 10
"""Bytes that a file may have where a disk is as good as full."""
FULL = """ForceCommand ulimit -f {blocks}; trap '' XFSZ; exec sh -c "$SSH_ORIGINAL_COMMAND" """
"""What makes a write beyond so many blocks of 512 bytes fail, as on a full disk, and not end the program."""


@pytest.fixture(scope="module")
def small(farm: Farm) -> Image:
    """A GFS2 of a few files."""
    return make_image(farm.directory, FEW, name="small.image")


@pytest.fixture(scope="module")
def full(farm: Farm, small: Image) -> Gfs2Host:
    """A host with that, whose disk is as good as full."""
    return Gfs2Host(farm, "gfs2full", *small, settings=FULL.format(blocks=LIMIT // 512))


@pytest.fixture(scope="module")
def room(farm: Farm, small: Image) -> Gfs2Host:
    """One that has room enough."""
    return Gfs2Host(farm, "gfs2small", *small)


@pytest.fixture
async def session(room: Gfs2Host) -> AsyncIterator[Watched]:
    """A session with it."""
    async with watched(room, Time(1.0)) as opened:
        yield opened


def savemeta(session: Watched, plan: str, output: Path, level: int = 1) -> Gfs2Job:
    """A guided savemeta of the device."""
    host = session.host
    return guided(session, plan, Wanted("savemeta", host.name, str(host.device), str(output), level))


def restoremeta(session: Watched, plan: str, file: Path, target: Path) -> Gfs2Job:
    """A guided restoremeta."""
    return guided(session, plan, Wanted("restoremeta", session.host.name, str(target), str(file)))


def empty(host: Gfs2Host, name: str, size: int = 8 << 30) -> Path:
    """An empty target."""
    path = host.output(name)
    with path.open("wb") as file:
        file.truncate(size)
    return host.server.account.give(path)


async def test_a_savemeta_whose_disk_was_full_is_not_done_although_it_ended_with_0(full: Gfs2Host) -> None:
    output = full.output("full.meta.gz")
    async with watched(full, Time(1.0)) as session:
        job = savemeta(session, "full", output)
        await job.prepare()
        await perform(job)
        ran = session.job("gfs2_edit savemeta")
    assert ran is not None
    assert ran.status.rc == 0
    assert output.stat().st_size == LIMIT
    assert job.steps.ending is Ending.FAILED
    assert "unexpected end of file. savemeta ended with exit code 0, yet its file is cut off" in job.steps.why
    assert states(session) == {"look": "done", "savemeta": "done", "whole": "failed", "verify": "waiting"}


async def test_a_savemeta_that_learns_of_the_full_disk_has_failed_with_its_words(full: Gfs2Host) -> None:
    output = full.output("plain.meta")
    async with watched(full, Time(1.0)) as session:
        job = savemeta(session, "plain", output, 0)
        await job.prepare()
        await perform(job)
        progress = session.progress("gfs2_edit savemeta")
    assert job.steps.ending is Ending.FAILED
    assert "exit code 255: write error: " in job.steps.why, job.steps.why
    assert progress is not None
    assert progress.phase is Phase.FAILED
    assert progress.why.startswith("exit code 255: write error: ")


async def test_what_is_there_already_is_not_written_over(session: Watched) -> None:
    output = session.host.output("precious")
    output.write_text("all there is", encoding="utf-8")
    with pytest.raises(RefusedError, match="there is a file at .*precious on gfs2small, and savemeta would overwrite"):
        await savemeta(session, "precious", output).prepare()
    assert output.read_text(encoding="utf-8") == "all there is"
    assert not session.state.jobs


async def test_a_device_that_is_no_gfs2_is_not_saved(session: Watched) -> None:
    """gfs2_edit itself would end with 0, and a file of 47 bytes."""
    host = session.host
    wanted = Wanted("savemeta", host.name, str(empty(host, "blank", 1 << 20)), str(host.output("blank.meta.gz")), 1)
    with pytest.raises(RefusedError, match="blkid -p says nothing of .*blank, not gfs2"):
        await guided(session, "blank", wanted).prepare()
    assert not session.state.jobs


async def test_what_was_saved_is_restored_and_a_part_of_it_is_not_taken_for_all(session: Watched) -> None:
    """restoremeta itself would call the part a success."""
    host = session.host
    whole, part = host.output("whole.meta.gz"), host.output("part.meta.gz")
    saved = savemeta(session, "saved", whole)
    await saved.prepare()
    await perform(saved)
    assert saved.steps.ending is Ending.DONE, saved.steps.why

    restored = restoremeta(session, "restored", whole, empty(host, "target"))
    await restored.prepare()
    await perform(restored)
    assert restored.steps.ending is Ending.DONE, restored.steps.why
    blocks = blocks_in(whole)
    proof = f"{blocks:,} blocks restored of {blocks:,}; the target is a GFS2 with {FEW + OF_MKFS:,} dinodes"
    assert session.state.steps[4].detail == proof

    part.write_bytes(whole.read_bytes()[: whole.stat().st_size // 2])
    os.chown(part, host.server.account.uid, -1)
    target = empty(host, "other")
    cut = restoremeta(session, "cut", part, target)
    await cut.prepare()
    await perform(cut)
    assert cut.steps.ending is Ending.FAILED
    assert "restoremeta would call it a success" in cut.steps.why
    assert target.stat().st_blocks == 0  # it was left alone
