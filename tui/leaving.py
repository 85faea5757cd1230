"""What is said on leaving: what goes on without us, what is not known, how to come back, and where the recording is."""

from __future__ import annotations

import shutil
import sys
from pathlib import Path

from remote.command import quote
from remote.events import LinkChanged
from remote.jobs import JobState
from remote.recording import Writer
from remote.text import one_line, safe
from supervision.clocktext import age_text
from supervision.filesystem import FileSystem
from supervision.joblist import STOPPING, state_word
from supervision.state import State
from tui.connecting import Target
from tui.options import named
from tui.settings import Settings

GOES_ON = {
    JobState.RUNNING.value: "still running",
    JobState.ORPHAN.value: "still running, and its exit code will never be known,",
    "launching": "not known whether it was started",
    STOPPING: "told to stop, and its end was not seen,",
    JobState.UNKNOWN.value: "not known whether it runs",
    JobState.ERROR.value: "not known how it stands",
}
"""The words for a job that may be at work when nobody looks any more, by its state on the screen Jobs."""


def goes_on(fs: FileSystem, state: State, now: float) -> list[str]:
    """A line for each job that runs, or may for all that is known. The state is of before the links were closed."""
    lines = []
    for (host, job_id), job in sorted(state.jobs.items()):
        word = state_word(fs, state, job)
        if word not in GOES_ON:
            continue
        link = state.links.get(host)
        heard = "" if link and link.state == "up" else f" (last heard of {age_text(job.at, now)} ago)"
        why = f" ({job.status.meaning})" if word == JobState.ERROR.value else heard
        lines.append(one_line(f"{GOES_ON[word]} on {host}: {job.status.shown or job_id}{why}"))
    return lines


def way_back(target: Target, fs: str, settings: Settings, *, armed: bool, plan: str = "") -> str:
    """The command line that leads to the same file system in the same way, from any directory.

    What the configuration file says of the host is said as well: it may be another by then. Raises ValueError for a
    path that is no text.
    """
    destination = f"{target.user}@{target.host}" if target.user else target.host
    _key, usual = settings.host(destination)
    words = [program(), "connect", destination, *named(target.kind, fs)]
    if target.config:
        words += ["-F", str(target.config.absolute())]
    if target.jump or usual.jump:
        words += ["-J", target.jump]
    if target.through or usual.through:
        words += ["--through", target.through]
    if target.sudo or usual.sudo:
        words.append("--sudo" if target.sudo else "--no-sudo")
    if armed:
        words.append("--write")
    if plan:
        words += ["--plan", plan]
    return quote(words)


def come_back(target: Target, fs: str, settings: Settings, *, armed: bool, plan: str = "") -> list[str]:
    """How to come back, in a line that a shell takes as it stands."""
    try:
        return [f"come back with: {safe(way_back(target, fs, settings, armed=armed, plan=plan))}"]
    except ValueError:
        return ["come back with the command line that you came with"]


def unreached(state: State) -> list[str]:
    """Why no host was ever reached."""
    return [
        one_line(": ".join((f"could not connect to {host}", *(_why(link) or ("it had not answered yet",)))))
        for host, link in sorted(state.links.items())
    ]


def _why(link: LinkChanged) -> tuple[str, ...]:
    return tuple(part for part in (link.trouble, link.detail) if part)


def recording_lines(writer: Writer) -> list[str]:
    """Where the recording is, whether it is whole, and how to see it again; to be asked when it is closed."""
    path = str(writer.path.absolute())
    lines = [f"recording not whole: {writer.failure}"] if writer.failure else []
    try:
        replay = f"replay it with: {quote((program(), 'replay', path))}"
    except ValueError:
        replay = "replay it with: restripe replay FILE"
    return [safe(line) for line in (*lines, f"recorded in {path}", replay)]


def program() -> str:
    """What to type for this program: its name where a shell finds it, else its whole path."""
    ours = Path(sys.argv[0])
    if ours.name != "restripe" or not ours.exists():
        return "restripe"
    found = shutil.which("restripe")
    return "restripe" if found and Path(found).samefile(ours) else str(ours.absolute())
