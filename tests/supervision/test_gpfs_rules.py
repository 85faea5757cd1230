"""What may be run and stopped: every way to change disks, to hide a command, and the harmless ones beside them."""

from __future__ import annotations

import shlex
from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from remote.command import Effect
from remote.gpfs import commands
from remote.jobs import JobState
from supervision import gpfs_rules
from tests.supervision import gpfs_states as made
from tests.supervision.gpfs_states import FS, job


def may_run(argv: Sequence[str]) -> str:
    return gpfs_rules.may_run(argv, FS)


REFUSED = (
    "mmcrnsd -F f", "mmadddisk fs1 -F f", "mmchdisk fs1 change -F f", "mmchdisk fs1 start -a", "mmdeldisk fs1 a",
    "mmrpldisk fs1 a -F f", "mmdelnsd a", "mmchnsd a:b", "mmcrfs fs2 -F f", "mmdelfs fs1", "mmchfs fs1 -m 2",
    "mmfsck fs1", "mmfsck fs1 -y", "mmfsck fs1 -n -y", "mmfsck fs1 -vy", "mmshutdown -a", "mmstartup", "mmchconfig a=b",
    "mmmount all -a", "mmumount fs1", "mmdelsnapshot fs1 s", "mmvdisk fs delete", "mmnewcommand", "mmchqos fs1 --d",
    "mmexpelnode -N n1", "mmrestripefs fs1 -b", "mmrestripefs fs1 -r -N all", "mmapplypolicy fs1 -P p", "mmhealth x",
    "mmrestripefs fs1 -r -N n1,all", "/usr/lpp/mmfs/bin/mmdelfs fs1", "./mmdelfs fs1",
    "dd if=/dev/zero of=/dev/sdg", "mkfs /dev/sdg", "mkfs.xfs /dev/sdg", "wipefs -a /dev/sdg", "parted /dev/sdg",
    "sgdisk -Z /dev/sdg", "sfdisk /dev/sdg", "blkdiscard /dev/sdg", "nvme format /dev/nvme0n1", "shred x", "pvcreate x",
    "vgremove v", "lvremove v", "mdadm --stop x", "dmsetup remove_all", "hdparm --x y", "sg_format x", "multipath -F",
    "cp image /dev/sdg", "tee /dev/sdg", "cat --out=/dev/sdg", "cp x //dev/sdg", "tspreparedisk -z", "umount /fs1",
    "reboot", "systemctl stop gpfs", "kill 1", "killall mmfsd", "pkill mmfsd", "mmfsadm test",
    "sh -c ls", "bash -c 'mmdelfs fs1'", "bash script", "dash x", "ksh93 x", "zsh x", "ssh n2 mmdelfs fs1", "pdsh ls",
    "mmdsh ls", "clush ls", "xargs mmdelnsd", "python3 -c x", "perl -e x", "awk x", "watch mmdf", "find / -exec dd ;",
    "find / -delete", "rsync -ave sh a b", "tar --to-command=sh -xf a", "tar xIf sh a", "script x",
    "mmrestripefs fs2 -r -N n1", "mmrestripefs /dev/fs2 -r -N n1", "rm -rf /var/mmfs/gen", "cp x /usr/lpp/mmfs/bin/x",
    "install -m 600 x //var/mmfs/gen/mmsdrfs", "su - root",
    "sudo mmdelfs fs1", "sudo -u root mmdelfs fs1", "sudo -i", "sudo -s", "sudo sh -c x", "env A=1 mmdelnsd x",
    "env -S 'mmdelnsd x'", "env -Smmdelnsd", "env --split-string=mmdelnsd", "nice -n 5 dd of=x", "nohup bash x",
    "timeout 5 wipefs x", "setsid ssh n2", "stdbuf -oL mmadddisk x", "sudo env nice mmcrnsd -F f", "flock x -c 'a b'",
    "sudo -- /sbin/wipefs x", "taskset 1 mkfs.ext4 x", "time mmchfs fs1", "nsenter -t 1 ls", "busybox dd", "docker run",
)  # fmt: skip
ALLOWED = (
    "mmdf fs1", "mmlsdisk fs1 -L", "mmlsnsd -X", "mmgetstate -a", "mmlscluster", "mmdiag --waiters", "mmfsck fs1 -n",
    "mmhealth node show", "mmhealth cluster show", "mmrestripefs fs1 -r -N n1,n2", "mmrestripefs fs1 -b -N n1",
    "mmrestripefs /dev/fs1 -r -N n1", "tail /var/adm/ras/mmfs.log.latest", "mmrestripefile -b f",
    "mmapplypolicy fs1 -P p -I test", "mmbackup fs1", "sleep 10", "ls -l /fs1", "lsblk", "rsync -a a b",
    "tar -cf a.tar b", "tar cf a.tar b", "find /fs1 -name x", "du -s /fs1", "cat /proc/mdstat", "ping n2", "dbench 4",
    "sudo mmdf fs1", "env A=1 sleep 5", "nice -n 10 du -s /fs1", "timeout 60 mmdf fs1", "pvs", "lvs", "iostat -x 5",
    "smartctl -a /dev/sda", "cat /dev/null", "time mmdf fs1", "grep ddx file", "md5sum file",
)  # fmt: skip


@pytest.mark.parametrize("text", REFUSED)
def test_what_changes_or_hides_is_refused_with_a_reason(text: str) -> None:
    assert may_run(shlex.split(text))


@pytest.mark.parametrize("text", ALLOWED)
def test_what_is_harmless_may_run(text: str) -> None:
    assert made.file_system().may_run(shlex.split(text)) == ""


@pytest.mark.parametrize("argv", [(), ("",), ("  ",)])
def test_nothing_is_no_command(argv: tuple[str, ...]) -> None:
    assert may_run(argv)


def test_what_changes_disks_is_led_to_the_guide() -> None:
    for name in ("mmcrnsd", "mmadddisk", "mmchdisk", "mmdeldisk", "mmrpldisk", "mmdelnsd", "wipefs"):
        assert "guide" in may_run((name, "x"))


def test_every_command_of_ours_that_destroys_or_changes_the_configuration_is_refused() -> None:
    ours = (
        commands.mmcrnsd("/f"),
        commands.mmdelnsd(("a",)),
        commands.mmadddisk(FS, "/f"),
        commands.mmchdisk_change(FS, "/f"),
        commands.mmdeldisk(FS, ("a",)),
        commands.mmrpldisk(FS, "a", "/f"),
        commands.mmchqos_disable(FS),
    )
    assert all(may_run(command.argv) for command in ours)
    fs = made.file_system()
    asked = (*fs.questions(), *fs.costly(), *(each for cadence in fs.cadences("n1") for each in cadence.commands))
    assert {command.effect for command in asked} == {Effect.READS}
    assert [command.text for command in asked if may_run(command.argv)] == []


@given(st.lists(st.text(max_size=20), max_size=6))
def test_any_words_have_an_answer(argv: list[str]) -> None:
    assert isinstance(may_run(argv), str)


@given(st.sampled_from(["sudo", "env", "nice", "nohup", "timeout"]), st.lists(st.sampled_from(["-n", "5", "A=b", "x"])))
def test_nothing_in_front_of_it_makes_a_refused_command_allowed(carrier: str, before: list[str]) -> None:
    assert may_run([carrier, *before, "mmdelfs", "fs1"])


@pytest.mark.parametrize(
    ("command", "may"),
    [
        (f"mmrestripefs {FS} -r -N n1", True),
        (f"mmdeldisk {FS} a", True),
        ("mmrestripefs fs2 -r -N n1", False),
        (f"mmrpldisk {FS} a", False),
        (f"mmadddisk {FS} -F f", False),
        ("sleep 5", False),
        ("", False),
    ],
)
def test_only_a_restripe_and_mmdeldisk_may_be_stopped(command: str, may: bool) -> None:
    a_job = job(command=command)
    assert (made.file_system().may_stop(a_job) == "") is may
    assert bool(made.file_system().stop_leaves(a_job)) is may


def test_a_probe_may_be_stopped_and_says_that_it_cleans_up() -> None:
    probe = job(command="sh /jobs/j1/run/probe.sh /fs1/tmp 20 30 4 2419200")
    assert made.file_system().may_stop(probe) == ""
    assert "removes what it made" in made.file_system().stop_leaves(probe)
    other = job(command="sh /jobs/j2/run/probe.sh /fs1/tmp 20 30 4 2419200")  # not this job's file
    assert made.file_system().may_stop(other)


def test_the_consequence_of_stopping_mmdeldisk_is_stated() -> None:
    assert "suspended" in made.file_system().stop_leaves(job(command=f"mmdeldisk {FS} a"))


def test_configuration_commands_and_what_is_not_running_are_never_stopped() -> None:
    fs = made.file_system()
    assert "inconsistent" in fs.may_stop(job(command=f"mmchdisk {FS} start -a", interruptible=False))
    # what only reads leaves nothing behind
    assert fs.may_stop(job(command="mmdf fs1", effect=Effect.READS)) == ""
    for word in JobState:
        assert (fs.may_stop(job(word)) == "") is (word in (JobState.RUNNING, JobState.ORPHAN))
