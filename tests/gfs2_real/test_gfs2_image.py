"""The image on which GFS2's tools run for real: what they themselves say of it is what was put in."""

from __future__ import annotations

import subprocess
from pathlib import Path

from remote.gfs2.structures import parse_rgs, parse_statfs
from tests.gfs2_real.conftest import Image
from tests.gfs2_real.far import EVERY, FILES, OF_MKFS
from tests.gfs2_real.filler import Image as Opened


def told(*words: str) -> str:
    """What a tool says."""
    done = subprocess.run(words, capture_output=True, text=True, check=True)
    return done.stdout


def test_the_image_is_sparse_and_its_tools_count_what_was_put_in(image: Image) -> None:
    path, filled = image
    assert (filled.files, filled.indirect) == (FILES, FILES // EVERY)
    assert path.stat().st_size == 8 << 30
    assert path.stat().st_blocks * 512 < 100 << 20
    groups = parse_rgs(told("gfs2_edit", "-p", "rgs", str(path))).model
    statfs = parse_statfs(told("gfs2_edit", "-p", "statfs", str(path))).model
    assert groups is not None
    assert statfs is not None
    assert groups.dinodes == statfs.dinodes == FILES + OF_MKFS
    assert groups.free == statfs.free


def test_fsck_finds_the_files_and_nothing_else(image: Image) -> None:
    """They are in no directory: each is an unlinked inode, and no other line is a finding."""
    path, _ = image
    done = subprocess.run(["fsck.gfs2", "-n", str(path)], capture_output=True, text=True, check=False)
    found = [line.split(" at ")[0] for line in done.stderr.splitlines()]
    assert found.count("Found unlinked inode") == FILES
    assert set(found) == {"Found unlinked inode", "Unlinked inode has zero size", "Unlinked inode left unlinked"}


def test_the_groups_are_read_as_they_are_chained(tmp_path: Path, image: Image) -> None:
    with image[0].open("rb") as file:
        opened = Opened(file.fileno())
    assert opened.block_size == 512
    assert sum(group.dinodes for group in opened.groups) == FILES + OF_MKFS
