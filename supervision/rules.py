"""What a person may run as a job of their own, and what may be stopped, as far as it is so on every file system.

Refusing too much costs a word; the other way costs a file system. Those commands are refused that write to devices, and
those that hide a command where nobody can look at it; of its own commands a kind has the word.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from fnmatch import fnmatchcase
from typing import TypeAlias

from remote.command import Effect
from remote.jobs import JobState
from supervision.probejob import is_probe
from supervision.state import Job

Own: TypeAlias = Callable[[str, Sequence[str]], str | None]
"""What a kind says of a command, by its bare name and its words: why it is refused, "" when it may run, None where it
is no command of the kind's."""

GUIDE = "that is for a guided migration, with its checks (screen Migrate)"
_WRITES_DEVICES = (
    "dd", "mkfs*", "mke2fs", "mkswap", "mkdosfs", "wipefs", "parted", "partprobe", "partx", "kpartx", "fdisk",
    "sfdisk", "cfdisk", "gdisk", "sgdisk", "cgdisk", "blkdiscard", "blockdev", "badblocks", "shred", "scrub", "nvme",
    "hdparm", "sdparm", "sg_*", "ddrescue", "dcfldd", "mdadm", "dmsetup", "cryptsetup", "multipath", "multipathd",
    "pv[a-z]*", "vg[a-z]*", "lv[a-z]*", "mount", "umount", "storcli*", "perccli*", "[mM]ega[cC]li*", "sas[23]ircu",
    "hpssacli", "ssacli", "arcconf", "fsck*", "e2fsck", "xfs_*", "zpool", "zfs", "swapon",
    "swapoff", "losetup", "rescan-scsi-bus*", "iscsiadm",
)  # fmt: skip
_LOOKS = ("pvs", "vgs", "lvs", "pvdisplay", "vgdisplay", "lvdisplay", "lsblk", "blkid", "smartctl", "iostat", "sginfo")
"""They name devices or sound like those that write, and only look."""
_STOPS_HOSTS = (
    "reboot", "shutdown", "poweroff", "halt", "init", "telinit", "systemctl", "service", "kill*", "pkill", "kexec",
    "rmmod", "modprobe", "insmod",
)  # fmt: skip
_HIDES = (
    "sh", "bash", "dash", "ash", "ksh*", "mksh", "pdksh", "zsh", "csh", "tcsh", "fish", "rbash", "busybox", "toybox",
    "ssh", "slogin", "rsh", "pdsh", "dsh", "clush", "parallel", "xargs", "eval", "exec", "source", ".", "su",
    "sg", "runuser", "chroot", "nsenter", "unshare", "script", "expect", "screen", "tmux", "at", "batch", "crontab",
    "watch", "awk", "gawk", "mawk", "nawk", "sed", "vi*", "emacs", "ed", "ex", "python*", "perl*", "ruby*", "lua*",
    "node", "php*", "tclsh*", "make", "ansible*", "salt*", "puppet", "docker", "podman", "systemd-run", "socat", "nc",
    "ncat", "gdb", "strace", "ltrace", "lvm",
)  # fmt: skip
_HIDES_WITH = {
    "find": r"-(?:exec|ok)(?:dir)?|-delete|-fprint.*|-fls",
    "rsync": r"-[A-Za-z]*e.*|--rsh.*|--rsync-path.*",
    "scp": r"-[A-Za-z]*[SoDF].*",
    "tar": r"-?[A-Za-z]*[IF].*|--(?:to-command|checkpoint-action|use-compress|info-script|new-volume|rsh|rmt).*",
    "git": r".*",
}
"""Programs that are harmless without the options that match."""
_CARRIES = (
    "sudo", "doas", "env", "nice", "ionice", "nohup", "setsid", "timeout", "stdbuf", "time", "taskset", "numactl",
    "chrt", "command", "builtin", "flock", "setpriv", "prlimit", "cgexec",
)  # fmt: skip
"""They run the command that stands behind their own words, where it can be looked at."""
_OPENS_SHELL = r"-[A-Za-z]*[siS].*|--(?:shell|login|split-string).*"
READS = ("tail", "head", "cat", "less", "more", "grep", "zgrep", "zcat", "ls", "stat", "wc", "du", "md5sum", "diff")
_HARMLESS_DEVICES = ("/dev/null", "/dev/zero", "/dev/stdout", "/dev/stderr")

_PROBE = "It removes what it made, and then ends; while the file system hangs that may take a minute."


def may_run(argv: Sequence[str], own: Own) -> str:
    """Why a person may not run this as a job of their own; empty when they may."""
    if not argv or not argv[0].strip():
        return "there is no command"
    name = name_of(argv[0])
    if not like(name, _CARRIES):
        return _refusal(argv, own)
    if name in ("sudo", "doas", "env") and any(re.fullmatch(_OPENS_SHELL, word) for word in argv[1:]):
        return f"{name} with these options can run anything; name the command itself"
    # which of its words is the command depends on the options of each: so no word may be one that is refused
    for index, word in enumerate(argv[1:], 1):
        if len(word.split()) > 1:
            return f"{name} would run {word!r}, which cannot be looked at; name the command itself"
        for inner in {word, word.rpartition("=")[2]}:
            why = _refusal((inner, *argv[index + 1 :]), own)
            if why:
                return why
    return ""


def _refusal(argv: Sequence[str], own: Own) -> str:
    """Why this very command is refused, by its own name and words."""
    name, words = name_of(argv[0]), argv[1:]
    hiding = _HIDES_WITH.get(name, "")
    if like(name, _HIDES) or any(hiding and re.fullmatch(hiding, word) for word in words):
        return f"{name} can run anything this way, and nobody can look at it first; name the command itself"
    if like(name, _STOPS_HOSTS):
        return f"{name} stops processes or hosts under a live file system"
    if name in _LOOKS:
        return ""
    said = own(name, words)
    if said is not None:
        return said
    if like(name, _WRITES_DEVICES):
        return f"{name} may write to a disk or take it away: {GUIDE}"
    named = [word for word in words if _names_device(word)]
    if named:
        return f"{named[0]} is a device, and {name} might write to it: {GUIDE}"
    return ""


def path_in(word: str) -> str:
    """The path that a word of a command may name: all of it, or what stands behind its last `=`."""
    return re.sub("/+", "/", word.rpartition("=")[2])


def _names_device(word: str) -> bool:
    path = path_in(word)
    return path.startswith(("/dev/", "/sys/", "/proc/sys")) and not path.startswith(_HARMLESS_DEVICES)


def not_stoppable(job: Job, inconsistent: str) -> str:
    """Why a job may not be stopped whatever it does; `inconsistent` is said of one that must not be interrupted."""
    status = job.status
    if job.adopted:
        return "it was started outside restripe, which never touches it: stop it where it was started"
    if status.state.settled or status.state is JobState.ABSENT:
        return f"there is nothing to stop: {status.meaning}"
    if status.state not in (JobState.RUNNING, JobState.ORPHAN):
        return f"it is not known how it stands with it: {status.meaning}"
    return "" if status.interruptible else inconsistent


def leaves_nothing(job: Job) -> bool:
    """Whether it is sure that a job which is stopped leaves nothing half done: it only reads, or it is a probe."""
    return job.status.effect is Effect.READS or is_probe(job.status)


def probe_leaves(job: Job) -> str:
    """What a probe does when it is stopped, in words; empty for any other job."""
    return _PROBE if is_probe(job.status) else ""


def name_of(word: str) -> str:
    """The bare name of a program."""
    return word.rpartition("/")[2].strip()


def like(name: str, patterns: Sequence[str]) -> bool:
    """Whether a name is like one of the patterns of a shell."""
    return any(fnmatchcase(name, pattern) for pattern in patterns)
