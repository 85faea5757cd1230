"""What sudo says when it does not run a command. Pure; the words are those of LC_ALL=C."""

from __future__ import annotations

from remote.question import Answer
from remote.text import last_lines, one_line

_SORRY = ("Sorry, user ", "is not in the sudoers file", "may not run sudo")
_ONLY_A_WARNING = "unable to resolve host"


def sudo_refusal(answer: Answer) -> str:
    """What sudo said instead of running the command, or nothing when the command was run.

    sudo ends with 1, as commands do; but the command then writes nothing, and sudo has the last word.
    """
    said = one_line(last_lines(answer.stderr, 1))
    if answer.rc == 127 and "sudo" in said and not answer.stdout:  # timeout did not find it
        return said
    if answer.rc != 1 or answer.stdout or _ONLY_A_WARNING in said:
        return ""
    return said if said.startswith("sudo: ") or any(word in said for word in _SORRY) else ""
