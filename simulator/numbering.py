"""Message numbers, as AIX and some other set-ups print them before most texts (policy `messages` = `numbered`).

Numbers are from IBM's message catalogue as far as they are public; a text without a known number stays bare.
"""

from __future__ import annotations

# (what a line begins with, its number). Texts of the daemon's programs get `GPFS: `, those of the scripts
# their command's name.
_DAEMON = (
    ("Scanning file system metadata", "6027-589"),
    ("Scanning user file metadata", "6027-565"),
    ("Scan completed successfully.", "6027-552"),
    ("The following disks of ", "6027-531"),
    ("Completed adding disks to file system ", "6027-1503"),
    ("Extending Allocation Map", "6027-1501"),
    ("Checking Allocation Map", "6027-1502"),
    ("Deleting disks ...", "6027-603"),
    ("tsdeldisk completed.", "6027-1504"),
    ("Verifying file system configuration information", "6027-630"),
    ("Unable to start ", "6027-2763"),
    ("Terminating because a conflicting program", "6027-2748"),
    ("Terminating ", "6027-2764"),
    ("Attention: Due to an earlier configuration change", "6027-498"),
    ("All disks up and ready", "6027-623"),
    ("The desired replication factor exceeds", "6027-555 [E]"),
    ("Not enough space for the desired number", "6027-556 [E]"),
    ("Scan failed on ", "6027-554 [E]"),
    ("Each disk specifies metadataOnly", "6027-1297"),
    ("Each disk specifies dataOnly", "6027-1298"),
    ("The file system must contain at least one disk for metadata", "6027-2637"),
    ("Failed to connect to file system daemon", "6027-665 [E]"),
)
_SCRIPT = (
    ("Propagating the cluster configuration data", "6027-1371"),
    ("mmsdrfs propagation completed", "6027-1371"),
    ("Command failed.", "6027-1639"),
    ("Disk device ", "6027-1662"),
    ("Disk name ", "6027-1945"),
    ("File system ", "6027-1388"),
    ("Incorrect node ", "6027-1256"),
    ("Incorrect option", "6027-1268"),
    ("Missing arguments", "6027-1270"),
)


def numbered(command: str, text: str) -> str:
    """A text with the numbers of those of its lines that have one."""
    return "".join(_line(command, line) for line in text.splitlines(keepends=True))


def _line(command: str, line: str) -> str:
    own = f"{command}: "
    if line.startswith(own):
        rest = line.removeprefix(own)
        number = next((number for head, number in _SCRIPT if rest.startswith(head)), "")
        return f"{own}{number} {rest}" if number else line
    number = next((number for head, number in _DAEMON if line.startswith(head)), "")
    return f"GPFS: {number} {line}" if number else line
