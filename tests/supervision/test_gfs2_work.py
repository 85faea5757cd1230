"""Which command line is which work on which device, in every form that people and we ourselves write."""

from __future__ import annotations

import shlex

import pytest

from supervision.gfs2_work import Work, same_path, work_of

DEV = "/dev/vg0/gfs"
GUARD = "sh /var/lib/restripe/a-2/run/guarded.sh --keep=1048576"


@pytest.mark.parametrize(
    ("text", "work"),
    [
        ("gfs2_edit savemeta -z1 /dev/vg0/gfs /out.gz", Work("savemeta", DEV, "/out.gz", ("-z1",))),
        ("gfs2_edit savemeta -z 1 /dev/vg0/gfs /out.gz", Work("savemeta", DEV, "/out.gz", ("-z1",))),
        ("/usr/sbin/gfs2_edit savemeta /dev/vg0/gfs /out.gz", Work("savemeta", DEV, "/out.gz")),
        ("gfs2_edit savemeta /dev/vg0/gfs", Work("savemeta", DEV)),
        ("gfs2_edit restoremeta /out.gz /dev/vg0/gfs", Work("restoremeta", DEV, "/out.gz")),
        ("fsck.gfs2 -n /dev/vg0/gfs", Work("fsck", DEV, options=("-n",))),
        ("fsck.gfs2 -y -v /dev/vg0/gfs", Work("fsck", DEV, options=("-y", "-v"))),
        (f"{GUARD} -- fsck.gfs2 -n /dev/vg0/gfs", Work("fsck", DEV, options=("-n",))),
        (
            f"{GUARD} --new=/out.gz -- gfs2_edit savemeta -z1 /dev/vg0/gfs /out.gz",
            Work("savemeta", DEV, "/out.gz", ("-z1",)),
        ),
        ("time nohup gfs2_edit savemeta /dev/vg0/gfs /o", Work("savemeta", DEV, "/o")),
        ("sudo -n nice -n 5 gfs2_edit savemeta /dev/vg0/gfs /o", Work("savemeta", DEV, "/o")),
        (f"sudo -n {GUARD} -- fsck.gfs2 -y /dev/vg0/gfs", Work("fsck", DEV, options=("-y",))),
    ],
)
def test_a_command_line_tells_what_work_it_is(text: str, work: Work) -> None:
    assert work_of(shlex.split(text)) == work


@pytest.mark.parametrize(
    "text",
    [
        "", "gfs2_edit", "gfs2_edit -p rgs /dev/vg0/gfs", "gfs2_edit printsavedmeta /out.gz", "gfs2_edit savemeta",
        "gfs2_edit restoremeta /out.gz", "fsck.gfs2 -n", "fsck.ext4 -n /dev/vg0/gfs",
        "cat gfs2_edit savemeta /dev/a /b",
        GUARD, f"{GUARD} --", "sudo ls /dev/vg0/gfs", "sh -c 'gfs2_edit savemeta /dev/vg0/gfs /o'",
    ],
)  # fmt: skip
def test_other_command_lines_are_no_work_on_a_device(text: str) -> None:
    assert work_of(shlex.split(text)) is None


@pytest.mark.parametrize(
    ("options", "repairs"), [("-n", False), ("-nv", False), ("-y", True), ("-p", True), ("", True)]
)
def test_only_an_fsck_with_n_leaves_the_file_system_as_it_is(options: str, repairs: bool) -> None:
    work = work_of(("fsck.gfs2", *options.split(), DEV))
    assert work is not None
    assert work.repairs is repairs


def test_paths_are_the_same_but_for_slashes_and_dots() -> None:
    assert same_path("//dev/./vg0//gfs", DEV)
    assert not same_path("/dev/vg0/gfs2", DEV)
    assert not same_path("", "")
