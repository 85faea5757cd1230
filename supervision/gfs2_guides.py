"""What a person may type to begin guided work on a GFS2, and what is made of it."""

from __future__ import annotations

import re
import secrets
from typing import NamedTuple

from remote.gfs2.commands import Fsck, path
from remote.text import name_part
from supervision.clocktext import local_time
from supervision.gfs2_checking import Wanted
from supervision.gfs2_jobs import Gfs2Job
from supervision.gfs2_work import FSCK, RESTOREMETA, SAVEMETA, same_path
from supervision.migration import Ending
from supervision.supervisor import Supervisor

_LEVEL = re.compile(r"-z(?P<level>[0-9])\Z")
_UUID = re.compile(r"[0-9A-Fa-f-]{4,64}\Z")
_BEFORE = "What speaks against it is looked at before you are asked whether it shall begin:"
_MODES = {mode.value: mode for mode in Fsck}


class Typed(NamedTuple):
    """A text that was understood."""

    wanted: Wanted
    mode: Fsck = Fsck.LOOK


def open_guides(supervisor: Supervisor, operator: str) -> Gfs2Guides:
    """What `supervision.filesystems` asks for."""
    return Gfs2Guides(supervisor, operator)


class Gfs2Guides:
    """Implements `supervision.guides.Guides` for the device of a session."""

    def __init__(self, supervisor: Supervisor, operator: str) -> None:
        self._supervisor = supervisor
        self._operator = operator
        self._opened: list[Gfs2Job] = []

    @property
    def title(self) -> str:
        """What there is, in some words."""
        return "savemeta, restoremeta or fsck"

    @property
    def lines(self) -> tuple[str, ...]:
        """What may be typed."""
        return (
            f"Work on {self._supervisor.fs}, on {self._supervisor.entry}. {_BEFORE}",
            "",
            "savemeta FILE [-zN]     its metadata to a new file, -z1 unless N is given",
            "restoremeta FILE [UUID] from such a file to the device: all there is lost;",
            "                        UUID: of the file system there that is to be lost",
            "fsck -n | -p | -y       look, repair what is safe, or repair all of it",
        )

    @property
    def example(self) -> str:
        """The harmless one."""
        return f"savemeta /var/tmp/{name_part(self._supervisor.fs)}.meta.gz -z1"

    @property
    def ending(self) -> Ending | None:
        """How the last one ended that was begun; UNKNOWN while it runs, None where none was."""
        return next((job.steps.ending for job in reversed(self._opened) if job.begun), None)

    def wrong(self, typed: str) -> str:
        """What is wrong with a text; empty when it can be opened."""
        try:
            self._read(typed)
        except ValueError as error:
            return str(error)
        return ""

    def open(self, typed: str) -> Gfs2Job:
        """The work that a text means. ValueError as `wrong` tells it."""
        wanted, mode = self._read(typed)
        clock = self._supervisor.site.clock.now()
        stamp = local_time(clock, self._supervisor.store.state.utc_offset).strftime("%Y%m%dT%H%M%S")
        plan = f"{name_part(wanted.device)[:60]}-{stamp}-{secrets.token_hex(2)}"
        job = Gfs2Job(self._supervisor, wanted, plan=plan, operator=self._operator, mode=mode)
        self._opened = [*[each for each in self._opened if each.begun][-1:], job]
        return job

    def _read(self, typed: str) -> Typed:
        work, *words = typed.split() or ("",)
        host, device = self._supervisor.entry, self._supervisor.fs
        files = [word for word in words if word.startswith("/")]
        others = [word for word in words if not word.startswith("/")]
        if any(same_path(file, device) for file in files):
            raise ValueError(f"{device} is the device of this session and need not be named: name the file alone")
        if work in (FSCK, "fsck.gfs2"):
            if words and len(words) == 1 and words[0] in _MODES:
                return Typed(Wanted(FSCK, host, device), _MODES[words[0]])
            raise ValueError("fsck takes one of -n (look), -p (what is safe) and -y (repair)")
        if work not in (SAVEMETA, RESTOREMETA):
            raise ValueError(f"{work!r} is none of savemeta, restoremeta and fsck")
        if len(files) != 1:
            raise ValueError(f"{work} takes one file, by its absolute path")
        if work == SAVEMETA:
            return Typed(Wanted(SAVEMETA, host, device, path(files[0]), _level(others)))
        if len(others) > 1 or not all(_UUID.match(other) for other in others):
            raise ValueError("restoremeta takes a file, and the UUID of the file system that may be lost")
        return Typed(Wanted(RESTOREMETA, host, device, path(files[0]), over="".join(others)))


def _level(words: list[str]) -> int:
    """The level of gzip, 1 where none is named: 9, the tool's own, was ten times as slow for a third less space."""
    if not words:
        return 1
    match = _LEVEL.match("".join(words)) if len(words) <= 2 else None
    if match is None:
        raise ValueError(f"{' '.join(words)} is no level: -z0 (none) to -z9")
    return int(match["level"])
