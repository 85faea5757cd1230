"""What a person may run as a job of their own, and what may be stopped. Refusing too much costs a word; the other
way costs a file system.

Of the mm* commands only those are allowed that are known to change neither disks, NSDs nor the file system. Of all
others those are refused that write to devices, and those that hide a command where nobody can look at it.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from fnmatch import fnmatchcase
from itertools import pairwise

from remote.command import Effect
from remote.jobs import JobState
from supervision.gpfs_braked import is_schedule
from supervision.gpfs_view import is_about
from supervision.jobwords import words_of
from supervision.probejob import is_probe
from supervision.state import Job

_GUIDE = "that is for a guided migration, with its checks (screen Migrate)"
_READING = ("mmls*", "mmdf", "mmgetstate", "mmgetacl", "mmdiag", "mmnetverify", "mmfileid", "mmsdrquery")
_WORK = ("mmrestripefile", "mmbackup", "mmcheckquota", "mmdefragfs")
"""They work on files or on free space and leave disks, NSDs and the configuration as they are."""
_WRITES_DEVICES = (
    "dd", "mkfs*", "mke2fs", "mkswap", "mkdosfs", "wipefs", "parted", "partprobe", "partx", "kpartx", "fdisk",
    "sfdisk", "cfdisk", "gdisk", "sgdisk", "cgdisk", "blkdiscard", "blockdev", "badblocks", "shred", "scrub", "nvme",
    "hdparm", "sdparm", "sg_*", "ddrescue", "dcfldd", "mdadm", "dmsetup", "cryptsetup", "multipath", "multipathd",
    "pv[a-z]*", "vg[a-z]*", "lv[a-z]*", "mount", "umount", "storcli*", "perccli*", "[mM]ega[cC]li*", "sas[23]ircu",
    "hpssacli", "ssacli", "arcconf", "tspreparedisk", "ts[a-z]*", "fsck*", "e2fsck", "xfs_*", "zpool", "zfs", "swapon",
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
    "ssh", "slogin", "rsh", "mmdsh", "pdsh", "dsh", "clush", "parallel", "xargs", "eval", "exec", "source", ".", "su",
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
_READS = ("tail", "head", "cat", "less", "more", "grep", "zgrep", "zcat", "ls", "stat", "wc", "du", "md5sum", "diff")
_OWN = ("/var/mmfs", "/usr/lpp/mmfs", "/var/adm/ras")
"""Where GPFS keeps its configuration, its programs and its logs."""
_HARMLESS_DEVICES = ("/dev/null", "/dev/zero", "/dev/stdout", "/dev/stderr")

_MMDELDISK = (
    "Stopped, mmdeldisk leaves the disks suspended (being emptied), and what was moved stays moved. Run the same "
    "mmdeldisk again to go on, or `mmchdisk resume` to take the disks back into use."
)
_MMRESTRIPEFS = (
    "What was moved stays moved. A new mmrestripefs begins its scan from the start; until one has ended well the file "
    "system may not be properly replicated."
)

_SCHEDULE = "It brings back the limits that were there before it, and then ends; that may take a minute."

_PROBE = "It removes what it made, and then ends; while the file system hangs that may take a minute."


def may_run(argv: Sequence[str], fs: str) -> str:
    """Why a person may not run this as a job of their own on the file system `fs`; empty when they may."""
    if not argv or not argv[0].strip():
        return "there is no command"
    name = _name(argv[0])
    if not _like(name, _CARRIES):
        return _refusal(argv, fs)
    if name in ("sudo", "doas", "env") and any(re.fullmatch(_OPENS_SHELL, word) for word in argv[1:]):
        return f"{name} with these options can run anything; name the command itself"
    # which of its words is the command depends on the options of each: so no word may be one that is refused
    for index, word in enumerate(argv[1:], 1):
        if len(word.split()) > 1:
            return f"{name} would run {word!r}, which cannot be looked at; name the command itself"
        for inner in {word, word.rpartition("=")[2]}:
            why = _refusal((inner, *argv[index + 1 :]), fs)
            if why:
                return why
    return ""


def _refusal(argv: Sequence[str], fs: str) -> str:
    """Why this very command is refused, by its own name and words."""
    name, words = _name(argv[0]), argv[1:]
    hiding = _HIDES_WITH.get(name, "")
    if _like(name, _HIDES) or any(hiding and re.fullmatch(hiding, word) for word in words):
        return f"{name} can run anything this way, and nobody can look at it first; name the command itself"
    if _like(name, _STOPS_HOSTS):
        return f"{name} stops processes or hosts under a live file system"
    if name in _LOOKS:
        return ""
    if name.startswith("mm"):
        return _refusal_of_gpfs(name, words, fs)
    if _like(name, _WRITES_DEVICES):
        return f"{name} may write to a disk or take it away: {_GUIDE}"
    own = [word for word in words if re.sub("/+", "/", word.rpartition("=")[2]).startswith(_OWN)]
    if own and not _like(name, _READS):
        return f"{own[0]} belongs to GPFS, and {name} might change it: {_GUIDE}"
    named = [word for word in words if _names_device(word)]
    if named:
        return f"{named[0]} is a device, and {name} might write to it: {_GUIDE}"
    return ""


def _names_device(word: str) -> bool:
    path = re.sub("/+", "/", word.rpartition("=")[2])
    return path.startswith(("/dev/", "/sys/", "/proc/sys")) and not path.startswith(_HARMLESS_DEVICES)


def _refusal_of_gpfs(name: str, words: Sequence[str], fs: str) -> str:
    """Why an mm* command is refused."""
    if _like(name, _READING) or name in _WORK:
        return ""
    if name == "mmhealth":
        return "" if "show" in words or "eventlog" in words else "only `mmhealth ... show` reads alone"
    if name == "mmapplypolicy":
        test = ("-I", "test") in pairwise(words) or "-Itest" in words
        return "" if test else "mmapplypolicy may move or delete files and run other programs; `-I test` only looks"
    if name == "mmfsck":
        repairs = any(word.startswith("-") and not word.startswith("--") and "y" in word for word in words)
        return "" if "-n" in words and not repairs else f"mmfsck without -n changes the file system: {_GUIDE}"
    if name == "mmrestripefs":
        if words[:1] and words[0].removeprefix("/dev/") != fs:
            return f"this session is about {fs}, whose name is typed to confirm; {words[0]} is another file system"
        nodes = [name for before, after in pairwise(words) if before == "-N" for name in after.split(",")]
        if nodes and "all" not in nodes:
            return ""
        return f"mmrestripefs without -N works on every node of the cluster: name the nodes, or {_GUIDE}"
    return f"{name} changes disks, NSDs, the file system or the cluster, or is not known to leave them alone: {_GUIDE}"


def may_stop(job: Job, fs: str) -> str:
    """Why a job may not be stopped; empty when it may."""
    status = job.status
    if job.adopted:
        return "it was started outside restripe, which never touches it: stop it where it was started"
    if status.state.settled or status.state is JobState.ABSENT:
        return f"there is nothing to stop: {status.meaning}"
    if status.state not in (JobState.RUNNING, JobState.ORPHAN):
        return f"it is not known how it stands with it: {status.meaning}"
    if not status.interruptible:
        return "it changes the configuration: interrupted it can leave GPFS inconsistent. Wait for its end"
    if is_about(job, fs, "mmrestripefs") or is_about(job, fs, "mmdeldisk"):
        return ""
    if status.effect is Effect.READS or is_schedule(job, fs) or is_probe(status):
        return ""
    program = _name((words_of(job) or ("it",))[0])
    return f"only mmrestripefs and mmdeldisk of {fs} may be stopped; what {program} leaves behind half-way is not known"


def stop_leaves(job: Job, fs: str) -> str:
    """What a job leaves behind when it is stopped, in words."""
    if is_schedule(job, fs):
        return _SCHEDULE
    if is_probe(job.status):
        return _PROBE
    if is_about(job, fs, "mmdeldisk"):
        return _MMDELDISK
    if is_about(job, fs, "mmrestripefs"):
        return _MMRESTRIPEFS
    return ""


def _name(word: str) -> str:
    return word.rpartition("/")[2].strip()


def _like(name: str, patterns: Sequence[str]) -> bool:
    return any(fnmatchcase(name, pattern) for pattern in patterns)
