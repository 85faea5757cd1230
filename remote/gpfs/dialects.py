"""Which form of an answer to ask for: `-Y` first, the human form where a release or a command refuses that.

    for form in forms(command):
        rc, stdout, stderr = ...ask...
        if not machine_refused(rc, stdout, stderr):
            break
    parsed = parse(form.argv, stdout, stderr)

The last form is the human one and is never refused for its form. Nothing is asked here.
"""

from __future__ import annotations

import msgspec

from remote.command import Command
from remote.gpfs import unconfirmed

_MACHINE = "-Y"
_HAVE_MACHINE = frozenset(
    {
        "mmdf", "mmdiag", "mmgetstate", "mmhealth", "mmlscluster", "mmlsconfig", "mmlsdisk", "mmlsfs", "mmlsmgr",
        "mmlsmount", "mmlsnsd", "mmlsqos", "mmlssnapshot",
    }
)  # fmt: skip
_NOT_WITH = {
    "mmdf": ("-d", "--block-size"),  # `-d -Y` fails where pool system has no data; `-Y` is in KB
    "mmlsdisk": ("-e",),  # one or the other
    "mmgetstate": ("-s",),  # the summary exists for people alone
}
_TOLD_ANYWAY = {"mmgetstate": ("-L",), "mmlsdisk": ("-L",), "mmlsmount": ("-L",), "mmlsnsd": ("-L",)}
_ANSWERS_OF_NOTHING = ("No disks were found", "No file systems were found", "No snapshots in file system")
_FAILED = "Command failed."
_FIRST_OF_SHELL = 124  # timeout, not executable, not found, killed by a signal


def forms(command: Command) -> tuple[Command, ...]:
    """The forms of a command in the order in which to ask; only the human form where there is no other."""
    machine = machine_form(command)
    return (command,) if machine is None else (machine, command)


def machine_form(command: Command) -> Command | None:
    """The command with `-Y`, without the options whose columns `-Y` has anyway; None where it must not have it."""
    name, *rest = command.argv
    if name not in _HAVE_MACHINE or _MACHINE in rest or any(word in _NOT_WITH.get(name, ()) for word in rest):
        return None
    needed = [word for word in rest if word not in _TOLD_ANYWAY.get(name, ())]
    return msgspec.structs.replace(command, argv=(name, *needed, _MACHINE))


def machine_refused(rc: int, stdout: str, stderr: str) -> bool:
    """Whether an answer to `-Y` means that this release or this option does not have it: ask for the human form.

    A HEADER on stdout is an answer, whatever the exit status. So is a word that there is nothing to list, which
    comes with exit status 0 and an empty stdout. A command that failed for a reason of its own, or that was killed,
    would fail again: that is no refusal.
    """
    if any(":HEADER:" in line for line in stdout.split("\n") if line.startswith("mm")):
        return False
    both = f"{stdout}\n{stderr}"
    if any(words in both for words in _ANSWERS_OF_NOTHING):
        return False
    lines = both.split("\n")
    if any(line.lstrip().startswith("Usage:") or unconfirmed.refuses_option(line) for line in lines):
        return True
    return rc < _FIRST_OF_SHELL and _FAILED not in both and rc >= 0
