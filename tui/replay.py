"""`restripe replay`: a recorded session as lines of text, from any moment, at any speed."""

from __future__ import annotations

import re
import sys
from pathlib import Path

from remote.recording import RecordingError
from remote.text import one_line
from supervision.clocktext import duration_text, local_time
from supervision.replay import Replay
from tui.exits import Exit
from tui.plain import Plain

_MINUTES = re.compile(r"\+[0-9]{1,9}(?:\.[0-9]{1,9})?\Z")
_TIME = re.compile(r"([01]?[0-9]|2[0-3]):([0-5][0-9])(?::([0-5][0-9]))?\Z")


class StartError(ValueError):
    """A moment that the recording does not have."""


async def run(file: Path, *, speed: float | None, start: str | None) -> Exit:
    """Replay a recording."""
    plain = Plain(sys.stdout)
    try:
        replay = Replay(file)
        begin = moment(replay, start) if start else None
    except (RecordingError, StartError) as error:
        sys.stderr.write(f"{one_line(str(error))}\n")
        return Exit.USAGE
    header = replay.header
    kind = "simulated, " if header.simulated else ""
    day = local_time(header.began, header.utc_offset).strftime("%Y-%m-%d %H:%M:%S")
    plain.say(one_line(f"REPLAY of {file.name}: {header.file_system} by {header.operator}, {kind}{day}"))
    hosts = one_line(", ".join(header.hosts))
    plain.say(f"{len(replay.index)} events in {duration_text(replay.seconds)}; hosts {hosts}")
    if begin is not None:
        plain.begin(replay.at(begin))
    async for state, event in replay.play(start=begin, speed=speed):
        plain.on_event(state, event)
    plain.close()
    if replay.torn:
        plain.say("The last line of the recording was cut off; everything before it was replayed.")
    if replay.skipped:
        plain.say(f"{replay.skipped} lines of the recording were not understood and left out.")
    return Exit.DONE


def moment(replay: Replay, text: str) -> float:
    """The time (Site's clock) that a person means by HH:MM:SS, +MINUTES, a mark's first words, or `end`."""
    if text.startswith("+"):
        if not _MINUTES.match(text):
            raise StartError(f"{text!r} is no number of minutes")
        return replay.began + float(text[1:]) * 60
    if match := _TIME.match(text):
        hours, minutes, seconds = (int(part or 0) for part in match.groups())
        begin = local_time(replay.began, replay.header.utc_offset)
        wanted = begin.replace(hour=0, minute=0, second=0, microsecond=0)
        offset = (wanted - begin).total_seconds() + hours * 3600 + minutes * 60 + seconds
        return replay.began + (offset if offset >= 0 else offset + 86400)
    replay.index.extend_whole()  # a mark may stand anywhere
    for mark in replay.marks:
        if mark.label.startswith(text) or mark.label.endswith(text):
            return mark.t
    if text == "end":
        return replay.began + replay.seconds
    known = ", ".join(mark.label for mark in replay.marks) or "none"
    raise StartError(f"{text!r} is neither a time nor a mark of this recording. Its marks: {known}")


def no_moment(replay: Replay, text: str) -> str:
    """What is wrong with a moment that a person typed; "" for one that the recording has."""
    try:
        moment(replay, text.strip())
    except StartError as error:
        return str(error)
    return ""
