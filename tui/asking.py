"""Questions to the person at the terminal, for commands without screens: host keys and secrets.

Without a terminal nothing is asked and nothing is accepted.
"""

from __future__ import annotations

import asyncio
import getpass
import sys
from pathlib import Path

from remote.hostkeys import HostKeyQuestion, Trust
from remote.secret import SecretQuestion
from remote.text import one_line

_TTY = Path("/dev/tty")


async def ask_host_key(question: HostKeyQuestion) -> Trust:
    """Show the fingerprint of an unknown host key and let a person type the answer out."""
    if not sys.stdin.isatty():
        return Trust.NO
    return await asyncio.to_thread(_ask_host_key, question)


async def ask_secret(question: SecretQuestion) -> str | None:
    """Ask for a password or passphrase without showing it; None where nobody can be asked."""
    if not sys.stdin.isatty():
        return None
    return await asyncio.to_thread(_ask_secret, question)


def _ask_host_key(question: HostKeyQuestion) -> Trust:
    answers = {"yes": Trust.SAVE, "once": Trust.ONCE, "no": Trust.NO}
    with _TTY.open("r+b", buffering=0) as tty:
        tty.write(
            f"The host {one_line(question.host)} ({one_line(question.name)}) is not known yet.\n"
            f"Its {question.algorithm} key has the fingerprint {question.fingerprint}.\n"
            "Compare it with the host's own. Trust it and remember it (yes), for now (once), or not (no)? ".encode()
        )
        while True:
            line = tty.readline()
            answer = answers.get(line.decode("utf-8", "replace").strip().lower())
            if answer or not line:
                return answer or Trust.NO
            tty.write(b"Please type yes, once or no: ")


def _ask_secret(question: SecretQuestion) -> str | None:
    prompt = f"{one_line(question.host)}: {one_line(question.prompt).rstrip(':')}: "
    try:
        if question.echo:
            with _TTY.open("r+b", buffering=0) as tty:
                tty.write(prompt.encode())
                return tty.readline().decode("utf-8", "replace").rstrip("\n")
        return getpass.getpass(prompt)
    except (EOFError, OSError):
        return None
