"""Every belief about GPFS's words that no real output has confirmed yet, one function each.

The texts here come from memory or from a catalogue of messages, not from an output that somebody saved. They are
read when they come, and nothing depends on them. `docs/to-confirm.md` lists them all and says what to send us.
When one is confirmed, it moves to the parser that uses it; when one is wrong, this is the only place to change.
"""

from __future__ import annotations

import re

_LOCK = re.compile(r"Unable to obtain the GPFS configuration file lock\b")
_DAEMON_DOWN = re.compile(r"Failed to connect to file system daemon\b")
_SCAN_FAILURES = re.compile(
    r"Scan failed on [0-9]+ "
    r"|The desired replication factor exceeds the number of available failure groups"
    r"|Not enough space for the desired number of replicas"
    r"|Not enough space is available to properly balance the file"
    r"|Some (?:meta)?data are improperly replicated"
)
_CONFIGURATION_SERVERS = {"primary server": "primary", "secondary server": "secondary"}
_PARAMETER_NODES = re.compile(r"(\S+)\s+\[([^\[\]]+)\]\Z")
_REASONS = re.compile(r"([A-Za-z][\w.-]*)(?:\(([^()]*)\))?")
_NOT_MOUNTED = re.compile(r"File system (\S+) is not mounted\.?\Z")
_CLUSTER_MANAGER = re.compile(r"Cluster manager node: (\S+)(?: \(([^()\s]+)\))?\Z")
_REDISCOVERY = re.compile(r"Attempting to rediscover the disks\b.*|Finished\.?\Z")
_REDISCOVERED = re.compile(r"(\S+):\s+Rediscovered nsd server access to \S+?\.?\Z")
_REPLACING = re.compile(r"Replacing \S+ \.\.\.\Z|Done\.?\Z")
_QOS_INSTALLED = re.compile(r"(?:Adjusted QOS Class specification\b|QOS configuration has been installed\b)")
_QOS_WORDS = re.compile(r"QOS (config|values|status)::\s+(\S.*)\Z")
_QOS_POOL = re.compile(r"=+ for pool (\S+)\Z")
_QOS_STAT = re.compile(r"([0-9]{1,2}:[0-9]{2}:[0-9]{2}) +(\S+) +(\S.*)\Z")
_QOS_IMPOSSIBLE = re.compile(
    r"(?:QOS|QoS|[Qq]uality of [Ss]ervice).*(?:not supported|not available|version|format|level)"
)
_DISCOVERED = re.compile(r"([A-Za-z0-9/][\w./:+@!-]*)\s+([A-Za-z][\w-]*)\Z")
_OLD_WAITER = re.compile(
    r"(?P<thread>0x[0-9A-Fa-f]{1,16}) waiting (?P<seconds>[0-9.,]{1,30}) seconds?, (?P<name>[^\s:]+): (?P<why>.*)\Z"
)
_REFUSED_OPTION = re.compile(
    r"(?:incorrect|invalid|illegal|unknown|unrecognized|unexpected) (?:option|argument|parameter|operand)\b",
    re.IGNORECASE,
)
_OPTIONS = {
    ("mmdf", "data"): "-d",
    ("mmdf", "inodes"): "-F",
    ("mmdf", "metadata"): "-m",
    ("mmdf", "pool"): "-P",
    ("mmdf", "block size"): "--block-size",
    ("mmadddisk", "all nodes"): "-a",
    ("mmadddisk", "rebalance"): "-r",
    ("mmadddisk", "nodes"): "-N",
    ("mmadddisk", "class"): "--qos",
    ("mmdeldisk", "all nodes"): "-a",
    ("mmdeldisk", "go on"): "-c",
    ("mmdeldisk", "nodes"): "-N",
    ("mmdeldisk", "class"): "--qos",
    ("mmrpldisk", "nodes"): "-N",
    ("mmrpldisk", "class"): "--qos",
    ("mmchqos", "enable"): "--enable",
    ("mmchqos", "disable"): "--disable",
    ("mmchqos", "nodes"): "-N",
    ("mmqos", "nodes"): "-N",
    ("mmqos", "clusters"): "-C",
    ("mmqos", "limit"): "--maxiops",
}


def is_lock_wait(text: str) -> bool:
    """A changing command waits for the lock of the cluster's configuration; no error."""
    return _LOCK.match(text) is not None


def is_daemon_down(text: str) -> bool:
    """GPFS does not run on the node of the command (6027-665)."""
    return _DAEMON_DOWN.match(text) is not None


def is_scan_failure(text: str) -> bool:
    """A scan could not do all its work: the catalogue's messages 6027-553 to 6027-559."""
    return _SCAN_FAILURES.match(text) is not None


def discovered(text: str) -> tuple[str, str] | None:
    """A device that `mmdevdiscover` finds: its name below /dev and its type."""
    match = _DISCOVERED.match(text)
    return (match[1].removeprefix("/dev/"), match[2]) if match else None


def configuration_server(label: str) -> str | None:
    """`primary` or `secondary` for the labels of `mmlscluster` in a cluster without CCR."""
    return _CONFIGURATION_SERVERS.get(label)


def mount_columns() -> tuple[str, ...]:
    """The columns of `mmlsmount -Y`, whose header was never seen.

    The first four are certain; then one row for each node that has it mounted, or none.
    """
    return (
        "localDevName", "realDevName", "owningCluster", "totalNodes",
        "nodeIP", "nodeName", "clusterName", "mountMode",
    )  # fmt: skip


def not_mounted(text: str) -> str | None:
    """The file system of which `mmlsmount` says that it is mounted nowhere."""
    match = _NOT_MOUNTED.match(text)
    return match[1] if match else None


def cluster_manager(text: str) -> tuple[str, str] | None:
    """Address and name in the last line of `mmlsmgr`; the name is "" where only one word stands there."""
    match = _CLUSTER_MANAGER.match(text)
    return (match[1], match[2] or "") if match else None


def out_of_use(remark: str) -> bool:
    """Whether what follows the figures of a disk in `mmdf` says that nothing can be allocated on it."""
    return remark == "*"


def can_allocate(word: str) -> bool:
    """`diskAvailableForAlloc` of `mmdf -Y`, which was only ever seen empty: that and `yes` mean that it can."""
    return word.lower() in ("", "yes")


def sees_no_disk(device: str, remarks: str) -> bool:
    """Whether a row of `mmlsnsd -X` tells that the node does not see the disk."""
    return device in ("", "-") or "(not found)" in remarks


def quorum_needed(text: str) -> tuple[int, bool] | None:
    """The quorum column of `mmgetstate`: nodes needed, and whether tiebreaker disks take part (`1*`)."""
    digits = text.removesuffix("*")
    if not (digits.isdigit() and digits.isascii() and len(digits) < 10):
        return None
    return int(digits), digits != text


def lost_quorum(words: str) -> bool:
    """Whether the last line of `mmgetstate -s` says `Quorum not achieved`."""
    return words.strip() == "not"


def parameter_nodes(text: str) -> tuple[str, str]:
    """The value of `mmlsconfig NAME` and the nodes for which alone it holds: `16G  [n1,n2]`."""
    match = _PARAMETER_NODES.match(text)
    return (match[1], match[2]) if match else (text, "")


def undefined(value: str) -> bool:
    """Whether `mmlsconfig` says that a parameter has no value."""
    return value.strip() in ("(undefined)", "(none)")


def is_rediscovery(text: str) -> bool:
    """`mmchdisk start` looks for the disks again before it starts them."""
    return _REDISCOVERY.match(text) is not None


def rediscovered(text: str) -> str | None:
    """The node that tells that it reaches a disk again during `mmchdisk start`."""
    match = _REDISCOVERED.match(text)
    return match[1] if match else None


def is_replacing(text: str) -> bool:
    """A step of `mmrpldisk` that neither `mmadddisk` nor `mmdeldisk` has."""
    return _REPLACING.match(text) is not None


def is_replaced(text: str) -> bool:
    """The line with which `mmrpldisk` says that the data are on the new disk."""
    return text in ("Done", "Done.")


def nsd_deleted_word() -> str:
    """What `mmdelnsd` prints in front of the name of each NSD."""
    return "Processing disk "


def qos_installed(text: str) -> bool:
    """`mmchqos` has sent the new limits to the nodes."""
    return _QOS_INSTALLED.match(text) is not None


def qos_words(text: str) -> tuple[str, str] | None:
    """A line of the human form of `mmlsqos`: `config`, `values` or `status`, and what it says."""
    match = _QOS_WORDS.match(text)
    return (match[1], match[2]) if match else None


def qos_pool(text: str) -> str | None:
    """The pool whose figures follow in the human form of `mmlsqos`."""
    match = _QOS_POOL.match(text)
    return match[1] if match else None


def qos_stat(text: str) -> tuple[str, str, dict[str, str]] | None:
    """Time of day, class and figures (`iops=9754 ioql=12.17`) of the human form of `mmlsqos`."""
    match = _QOS_STAT.match(text) if len(text) < 1000 else None
    pairs = match[3].split() if match else []
    if match is None or not all("=" in pair for pair in pairs):
        return None
    return match[1], match[2], dict(pair.split("=", 1) for pair in pairs)


def qos_impossible(text: str) -> bool:
    """Whether `mmlsqos` says that the file system's format (before 4.2.0) or the release has no QoS."""
    return any(_QOS_IMPOSSIBLE.search(line[:1000]) for line in text.split("\n"))


def qos_scope(name: str) -> tuple[str, str]:
    """A class of `mmlsqos` and for which nodes its limit is: `maintenance/all_local` are the cluster's own.

    "" where the release prints none: then the limit is divided over all nodes that mount the file system.
    """
    base, _, scope = name.partition("/")
    return base, scope


def health_ages() -> str:
    """A pattern of what `mmhealth node show` prints under `Status Change`; only `2 days ago` was seen."""
    return r"Now|[0-9]+ [a-z]+\.? ago|[0-9]{4}-[0-9]{2}-[0-9]{2} [0-9:.]+(?: [A-Z]{2,5})?"


def health_reasons(text: str) -> list[tuple[str, str]]:
    """Events and what they are about in the last column of `mmhealth node show`: `ill_unbalanced_fs(fs1), other`."""
    return _REASONS.findall(text)


def expiration_column() -> str:
    """The column of `mmlssnapshot -Y` that goes with `ExpirationTime` of the human form."""
    return "expirationTime"


def old_waiter(text: str) -> tuple[str, str, str, str] | None:
    """Thread, seconds, name and reason of `mmdiag --waiters` up to 3.5."""
    match = _OLD_WAITER.match(text)
    return (match["thread"], match["seconds"], match["name"], match["why"]) if match else None


def refuses_option(text: str) -> bool:
    """Other words than `Usage:` with which a command may refuse `-Y`."""
    return _REFUSED_OPTION.search(text) is not None


def no_callbacks(text: str) -> bool:
    """Whether `mmlscallback` says that there is none."""
    return text.strip().lower().rstrip(".").endswith("no callback identifiers were found")


def is_at_risk(sentence: str) -> bool:
    """An Attention sentence that tells of data that may be lost."""
    return "at risk of being lost" in sentence


def is_unbalanced(sentence: str) -> bool:
    """An Attention sentence that asks for `mmrestripefs -b`."""
    return "no longer properly balanced" in sentence


def option(command: str, meaning: str) -> str:
    """The letter or word of an option whose synopsis was not found for every release."""
    return _OPTIONS[command, meaning]


def throttle_words(throttles: dict[str, dict[str, str]]) -> tuple[str, ...]:
    """The limits of `mmchqos --enable`, pool by pool: `pool=system,maintenance=300IOPS,other=unlimited`."""
    return tuple(
        ",".join([f"pool={pool}", *(f"{name}={limit}" for name, limit in limits.items())])
        for pool, limits in throttles.items()
    )
