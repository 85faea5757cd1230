"""What a person may run as a job of their own, and what may be stopped. Refusing too much costs a word; the other
way costs a file system.

Of the mm* commands only those are allowed that are known to change neither disks, NSDs nor the file system. Of all
others those are refused that write to devices, and those that hide a command where nobody can look at it.
"""

from __future__ import annotations

from collections.abc import Sequence
from fnmatch import fnmatchcase

from remote.command import Effect
from remote.jobs import JobState
from supervision.gpfs_view import is_about, words_of
from supervision.state import Job

_GUIDE = "the guide does it, with its checks (screen Migrate)"
_READING = ("mmls*", "mmdf", "mmgetstate", "mmgetacl", "mmdiag", "mmnetverify", "mmfileid", "mmsdrquery")
_WORK = ("mmrestripefile", "mmapplypolicy", "mmbackup", "mmcheckquota", "mmdefragfs")
"""They work on files or on free space and leave disks, NSDs and the configuration as they are."""
_WRITES_DEVICES = (
    "dd", "mkfs*", "mke2fs", "mkswap", "mkdosfs", "wipefs", "parted", "partprobe", "partx", "kpartx", "fdisk",
    "sfdisk", "cfdisk", "gdisk", "sgdisk", "cgdisk", "blkdiscard", "blockdev", "badblocks", "shred", "scrub", "nvme",
    "hdparm", "sdparm", "sg_*", "ddrescue", "dcfldd", "mdadm", "dmsetup", "cryptsetup", "multipath", "multipathd",
    "pv[a-z]*", "vg[a-z]*", "lv[a-z]*", "lvm", "mount", "umount", "tee", "truncate", "fallocate", "cp", "mv", "rm",
    "storcli*", "perccli*", "megacli*", "MegaCli*", "sas2ircu", "sas3ircu", "hpssacli", "ssacli", "arcconf",
    "tspreparedisk", "ts[a-z]*", "fsck*", "e2fsck", "xfs_*", "zpool", "zfs", "mkfile",
)  # fmt: skip
_STOPS_HOSTS = ("reboot", "shutdown", "poweroff", "halt", "init", "telinit", "systemctl", "service", "kill*", "pkill",
                "kexec", "rmmod", "modprobe", "insmod", "mmfs*")  # fmt: skip
_HIDES = (
    "sh", "bash", "dash", "ash", "ksh*", "mksh", "pdksh", "zsh", "csh", "tcsh", "fish", "rbash", "busybox", "toybox",
    "ssh", "slogin", "rsh", "mmdsh", "pdsh", "dsh", "clush", "clubak", "parallel", "xargs", "eval", "exec", "source",
    ".", "su", "sg", "runuser", "chroot", "nsenter", "unshare", "script", "expect", "screen", "tmux", "at", "batch",
    "crontab", "watch", "find", "awk", "gawk", "mawk", "nawk", "sed", "vi*", "emacs", "ed", "ex", "python*", "perl*",
    "ruby*", "lua*", "node", "php*", "tclsh*", "make", "ansible*", "salt*", "puppet", "docker", "podman",
    "systemd-run", "scp", "sftp", "rsync", "git", "tar", "cpio", "socat", "nc", "ncat", "gdb", "strace", "ltrace",
)  # fmt: skip
_CARRIES = ("sudo", "doas", "env", "nice", "ionice", "nohup", "setsid", "timeout", "stdbuf", "time", "taskset",
            "numactl", "chrt", "command", "builtin", "flock", "setpriv", "prlimit", "cgexec")  # fmt: skip
"""They run the command that stands behind their own words, where it can be looked at."""

_MMDELDISK = (
    "Stopped, mmdeldisk leaves the disks suspended (being emptied), and what was moved stays moved. Run the same "
    "mmdeldisk again to go on, or `mmchdisk resume` to take the disks back into use."
)
_MMRESTRIPEFS = (
    "What was moved stays moved. A new mmrestripefs begins its scan from the start; until one has ended well the file "
    "system may not be properly replicated."
)


def may_run(argv: Sequence[str]) -> str:
    """Why a person may not run this as a job of their own; empty when they may."""
    if not argv or not argv[0].strip():
        return "there is no command"
    why = _refusal(argv)
    if why:
        return why
    if _like(_name(argv[0]), _CARRIES):
        # which of its words is the command depends on the options of each: so no word may be one that is refused
        for index in range(1, len(argv)):
            for word in (argv[index], argv[index].rpartition("=")[2]):
                why = _refusal((word, *argv[index + 1 :]))
                if why or " " in word.strip():
                    return why or f"{_name(argv[0])} would run {word!r}, which cannot be looked at"
    return ""


def _refusal(argv: Sequence[str]) -> str:
    """Why this very command is refused, by its own name."""
    name = _name(argv[0])
    if _like(name, _HIDES):
        return f"{name} can run anything, and what it would run cannot be looked at; name the command itself"
    if _like(name, _STOPS_HOSTS):
        return f"{name} stops processes or hosts under a live file system"
    if name.startswith("mm"):
        return _refusal_of_gpfs(name, argv[1:])
    if _like(name, _WRITES_DEVICES):
        return f"{name} may write to a disk or take it away: {_GUIDE}"
    return ""


def _refusal_of_gpfs(name: str, words: Sequence[str]) -> str:
    if _like(name, _READING) or name in _WORK:
        return ""
    if name == "mmhealth":
        return "" if "show" in words or "eventlog" in words else "only `mmhealth ... show` reads alone"
    if name == "mmfsck":
        repairs = any(word.startswith("-") and not word.startswith("--") and "y" in word for word in words)
        return (
            ""
            if "-n" in words and not repairs
            else f"mmfsck without -n repairs, which changes the file system: {_GUIDE}"
        )
    if name == "mmrestripefs":
        if "-N" in words:
            return ""
        return f"mmrestripefs without -N works on every node of the cluster: name the nodes, or {_GUIDE}"
    return f"{name} changes disks, NSDs, the file system or the cluster, or is not known to leave them alone: {_GUIDE}"


def may_stop(job: Job, fs: str) -> str:
    """Why a job may not be stopped; empty when it may."""
    status = job.status
    if status.state.settled or status.state is JobState.ABSENT:
        return f"there is nothing to stop: {status.meaning}"
    if status.state not in (JobState.RUNNING, JobState.ORPHAN):
        return f"it is not known how it stands with it: {status.meaning}"
    if not status.interruptible:
        return "it changes the configuration: interrupted it can leave GPFS inconsistent. Wait for its end"
    if is_about(job, fs, "mmrestripefs") or is_about(job, fs, "mmdeldisk"):
        return ""
    if status.effect is Effect.READS:
        return ""
    program = _name((words_of(job) or ("it",))[0])
    return f"only mmrestripefs and mmdeldisk of {fs} may be stopped; what {program} leaves behind half-way is not known"


def stop_leaves(job: Job, fs: str) -> str:
    """What a job leaves behind when it is stopped, in words."""
    if is_about(job, fs, "mmdeldisk"):
        return _MMDELDISK
    if is_about(job, fs, "mmrestripefs"):
        return _MMRESTRIPEFS
    return ""


def _name(word: str) -> str:
    return word.rpartition("/")[2].strip()


def _like(name: str, patterns: Sequence[str]) -> bool:
    return any(fnmatchcase(name, pattern) for pattern in patterns)
