"""Lines of progress of savemeta and restoremeta, of gfs2-utils 3.1.4 to 3.6. All are drawn after a lone `\\r`.

The percentage is the address of the block that the tool is at, of the size of the file system: on one that is filled at
its front it goes from 12 to 100. Only the blocks saved tell of work, and up to 3.1.4 not even these are told: what is
called "metadata blocks processed" there is an address, too.
"""

from __future__ import annotations

import re

from remote.gfs2.models import Counted
from remote.gfs2.reading import LONGEST_LINE
from remote.linux.line_stamps import Stamp, split_stamp

_N = r"[0-9]{1,18}"
_FORMS = tuple(
    re.compile(pattern + r"\Z")
    for pattern in (
        rf"(?P<saved>{_N}) blocks saved \((?P<percent>[0-9]{{1,3}})% complete\)",  # 3.4 on
        rf"(?P<address>{_N}) blocks processed, (?P<saved>{_N}) saved \((?P<percent>[0-9]{{1,3}})%\)",  # 3.1.7 to 3.3
        # 3.1.5 and 3.1.6
        rf"{_N} inodes processed, (?P<saved>{_N}) blocks saved \((?P<percent>[0-9]{{1,3}})%\) processed,",
        rf"(?P<address>{_N}) metadata blocks \((?P<percent>[0-9]{{1,3}})%\) processed,",  # up to 3.1.4
    )
)
_BEGUN = re.compile(rf"{_N} (?:blocks (?:saved|processed)|inodes processed|metadata blocks)\b")


def parse_progress_line(text: str) -> Counted | None:
    """A line of progress without blanks around it; None for all else."""
    if len(text) > LONGEST_LINE or not text[:1].isdigit():
        return None
    for form in _FORMS:
        if (match := form.match(text)) and int(match["percent"]) <= 100:
            parts = match.groupdict()
            saved, address = parts.get("saved"), parts.get("address")
            return Counted(
                None if saved is None else int(saved), int(parts["percent"]), None if address is None else int(address)
            )
    return None


def split_time(text: str) -> tuple[Stamp | None, str]:
    """The time before a line, None where there is none, and the rest: a count of nine digits is no time."""
    return (None, text) if is_begun(text) else split_stamp(text)


def is_begun(text: str) -> bool:
    """Whether a line begins as one of progress does; one that is none then is not whole."""
    return _BEGUN.match(text) is not None
