"""What may be run and stopped beside a GFS2: none of its tools by hand, nothing that could write to its device."""

from __future__ import annotations

import shlex

import pytest

from remote.command import Effect
from remote.jobs import JobState, JobStatus
from supervision import gfs2_rules
from supervision.state import Job

DEV = "/srv/images/fs1"
GUARDED = "sh /var/lib/restripe/a-2-run-1/run/guarded.sh --"

REFUSED = (
    f"gfs2_edit savemeta -z1 {DEV} /out", f"gfs2_edit restoremeta /out {DEV}", f"gfs2_edit {DEV}",
    f"gfs2_edit -p savemeta {DEV}", f"gfs2_edit -p sb field sb_bsize 512 {DEV}", f"fsck.gfs2 -n {DEV}",
    f"/usr/sbin/fsck.gfs2 -y {DEV}", f"mkfs.gfs2 -O {DEV}", f"tunegfs2 -L x:y {DEV}", "gfs2_grow /mnt",
    "gfs2_jadd /mnt",
    f"sudo fsck.gfs2 -y {DEV}", f"cp zeros {DEV}", f"dd if=/dev/zero of={DEV}", "install -m 600 x /srv//images/./fs1",
    "pcs resource enable fs1", "crm_resource -r fs1 --cleanup", "cibadmin -R -x f", "fence_xvm -o off",
    "stonith_admin -B n",
    "corosync-cmapctl -s a b c", "systemctl stop corosync", f"sh -c 'fsck.gfs2 -y {DEV}'", "umount /gfs",
    "vgchange -an",
)  # fmt: skip
ALLOWED = (
    f"gfs2_edit -p sb {DEV}", f"gfs2_edit -p rgs {DEV}", f"gfs2_edit -p 0x1af {DEV}", "pcs status", "crm_mon -1",
    "crm_node -l", "cibadmin -Q", "dlm_tool ls", f"ls -l {DEV}", f"blkid -p {DEV}", f"md5sum {DEV}", "lsblk", "sleep 5",
    "gzip -t /var/tmp/fs.meta.gz", "sudo crm_node -l", "timeout 60 gzip -t /var/tmp/fs.meta.gz",
)  # fmt: skip


@pytest.mark.parametrize("text", REFUSED)
def test_what_works_on_the_file_system_or_its_cluster_is_refused_with_a_reason(text: str) -> None:
    assert gfs2_rules.may_run(shlex.split(text), DEV)


@pytest.mark.parametrize("text", ALLOWED)
def test_what_only_looks_may_run(text: str) -> None:
    assert gfs2_rules.may_run(shlex.split(text), DEV) == ""


def job(command: str, *, effect: Effect = Effect.CHANGES, state: JobState = JobState.RUNNING) -> Job:
    return Job("n1", JobStatus("a-2-run-1", state, command=command, effect=effect), 0.0)


@pytest.mark.parametrize(
    ("command", "left"),
    [
        (f"{GUARDED} gfs2_edit savemeta -z1 {DEV} /out", "remove it"),
        (f"{GUARDED} gfs2_edit restoremeta /out {DEV}", "no file system"),
        (f"{GUARDED} fsck.gfs2 -n {DEV}", "changed nothing"),
        (f"{GUARDED} fsck.gfs2 -y {DEV}", "half done"),
        (f"fsck.gfs2 -p {DEV}", "half done"),
    ],
)
def test_works_on_the_device_may_be_stopped_and_it_is_said_what_they_leave(command: str, left: str) -> None:
    assert gfs2_rules.may_stop(job(command), DEV) == ""
    assert left in gfs2_rules.stop_leaves(job(command), DEV)


def test_work_on_another_device_is_not_stopped_under_this_one_s_name() -> None:
    other = job(f"{GUARDED} fsck.gfs2 -y /dev/other")
    assert "/dev/other" in gfs2_rules.may_stop(other, DEV)
    assert gfs2_rules.stop_leaves(other, DEV) == ""


def test_what_only_reads_may_be_stopped_and_what_is_not_known_may_not() -> None:
    assert gfs2_rules.may_stop(job("gzip -t /out", effect=Effect.READS), DEV) == ""
    assert "rsync" in gfs2_rules.may_stop(job("rsync -a a b"), DEV)


def test_what_has_ended_is_not_stopped() -> None:
    ended = job(f"{GUARDED} fsck.gfs2 -n {DEV}", state=JobState.FINISHED)
    assert "nothing to stop" in gfs2_rules.may_stop(ended, DEV)
