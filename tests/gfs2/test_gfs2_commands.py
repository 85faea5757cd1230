"""The commands of GFS2's tools: exactly these words, and none of a path that could mean something else."""

from __future__ import annotations

import pytest

from remote.command import Command, Effect
from remote.gfs2 import commands as gfs2

DEVICE, OUT = "/dev/vg0/data", "/var/tmp/data.meta.gz"


@pytest.mark.parametrize(
    ("command", "words", "effect"),
    [
        (gfs2.blkid(DEVICE), f"blkid -p {DEVICE}", Effect.READS),
        (gfs2.sb(DEVICE), f"gfs2_edit -p sb {DEVICE}", Effect.READS),
        (gfs2.statfs(DEVICE), f"gfs2_edit -p statfs {DEVICE}", Effect.READS),
        (gfs2.rgs(DEVICE), f"restripe-gfs2-rgs {DEVICE}", Effect.READS),
        (gfs2.savemeta(DEVICE, OUT), f"gfs2_edit savemeta -z1 {DEVICE} {OUT}", Effect.CHANGES),
        (gfs2.savemeta(DEVICE, OUT, 0), f"gfs2_edit savemeta -z0 {DEVICE} {OUT}", Effect.CHANGES),
        (gfs2.restoremeta(OUT, DEVICE), f"gfs2_edit restoremeta {OUT} {DEVICE}", Effect.DESTROYS),
        (gfs2.fsck(DEVICE, gfs2.Fsck.LOOK), f"fsck.gfs2 -n {DEVICE}", Effect.READS),
        (gfs2.fsck(DEVICE, gfs2.Fsck.PREEN), f"fsck.gfs2 -p {DEVICE}", Effect.CHANGES),
        (gfs2.fsck(DEVICE, gfs2.Fsck.REPAIR), f"fsck.gfs2 -y {DEVICE}", Effect.DESTROYS),
        (gfs2.gzip_test(OUT), f"gzip -t {OUT}", Effect.READS),
    ],
    ids=lambda value: value.text if isinstance(value, Command) else "",
)
def test_a_command_is_these_words_and_may_be_stopped(command: Command, words: str, effect: Effect) -> None:
    assert (command.text, command.effect) == (words, effect)
    assert command.interruptible
    assert command.privileged  # only root opens a device


@pytest.mark.parametrize(
    ("path", "why"),
    [
        ("data", "no slash"),
        ("", "no slash"),
        ("./data", "not an absolute path"),
        ("-z/9", "not an absolute path"),
        ("/dev/vg0/..", "no path of a device"),
        ("/dev/vg0/", "no path of a device"),
        ("/dev//sda", "no path of a device"),
        ("/dev/a b", "no path of a device"),
        ("/dev/a\nb", "no path of a device"),
        ("/dev/$(x)", "no path of a device"),
    ],
)
def test_what_is_no_safe_path_of_a_device_is_refused_with_the_reason(path: str, why: str) -> None:
    assert why in gfs2.device_trouble(path)
    for build in (gfs2.blkid, gfs2.sb, gfs2.statfs, gfs2.rgs):
        with pytest.raises(ValueError, match=why):
            build(path)


def test_a_device_mapper_path_and_an_image_are_devices() -> None:
    for path in ("/dev/mapper/vg0-data", "/dev/disk/by-id/dm-uuid-LVM-x+y", "/scratch/image.gfs2"):
        assert gfs2.device(path) == path


def test_a_level_that_gzip_does_not_have_is_refused() -> None:
    with pytest.raises(ValueError, match="levels 1 to 9"):
        gfs2.savemeta(DEVICE, OUT, 12)


def test_a_file_that_is_written_has_an_absolute_path() -> None:
    for path in ("out.gz", "/", "/var/tmp/", "/a\0b"):
        with pytest.raises(ValueError, match="absolute path of a file"):
            gfs2.savemeta(DEVICE, path)
