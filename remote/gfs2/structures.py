"""Parsers of what `gfs2_edit -p` prints of a device: its resource groups, its statfs file, its superblock."""

from __future__ import annotations

import re
from collections.abc import Generator

from remote.gfs2.models import ResourceGroup, ResourceGroups, Statfs, Superblock
from remote.gfs2.reading import LONGEST_LINE, Line, Reading
from remote.parsed import Parsed

_N = r"[0-9]{1,18}"
_FOUND = re.compile(rf"RG index entries found: (?P<count>{_N})\.\Z")
_GROUP = re.compile(rf"RG #(?P<number>{_N}) located at: (?P<address>{_N}) \(0x[0-9a-f]+\)\Z")
_FIELD = re.compile(rf"(?P<name>[a-z_0-9]{{1,40}}) +(?P<value>{_N}) +0x[0-9a-f]+\Z")
_WORD = re.compile(r"(?P<name>sb_lockproto|sb_locktable|uuid)(?: +(?P<value>\S{1,200}))?\Z")
_OTHER = re.compile(r"[a-z_0-9]{1,40} +\S+|Dinode:|Superblock:|Block #|-{2,}|The superblock has |[0-9]+/[0-9]+ \[")
_SUPERBLOCKS = 1
"""Blocks of each file system that are in no resource group and are saved too."""


SLICE = 4000
"""Lines that are read at a time: some milliseconds."""


def parse_rgs(stdout: str, stderr: str = "") -> Parsed[ResourceGroups]:
    """Parse `gfs2_edit -p rgs`, or of that the lines that our script keeps."""
    slices = rgs_in_slices(stdout, stderr)
    while True:
        try:
            next(slices)
        except StopIteration as ended:
            result: Parsed[ResourceGroups] = ended.value
            return result


def rgs_in_slices(stdout: str, stderr: str = "") -> Generator[None, None, Parsed[ResourceGroups]]:
    """The same in slices: fifty thousand resource groups take a second."""
    reading = Reading(stdout, stderr)
    told: int | None = None
    groups: list[ResourceGroup] = []
    begun: tuple[Line, int, int] | None = None
    fields: dict[str, int] = {}
    broken = False

    def end() -> bool:
        """The group that was begun is over; False where it is not whole."""
        if begun is None:
            return True
        line, number, address = begun
        if "rg_free" not in fields or "rg_dinodes" not in fields:
            reading.problem(line, "this resource group is not whole")
            return False
        first = fields.get("rg_data0")
        header = first - address if first is not None and first > address else None
        groups.append(
            ResourceGroup(number, address, fields["rg_free"], fields["rg_dinodes"], fields.get("rg_data"), header)
        )
        return True

    for count, line in enumerate(reading.lines(), 1):
        if count % SLICE == 0:
            yield
        if match := _FOUND.match(line.text):
            told = int(match["count"])
        elif match := _GROUP.match(line.text):
            broken |= not end()
            begun, fields = (line, int(match["number"]), int(match["address"])), {}
        elif match := _FIELD.match(line.text):
            fields[match["name"]] = int(match["value"])
        elif line.stderr or not _OTHER.match(line.text[:LONGEST_LINE]):
            reading.note(line)
    broken |= not end()
    if not groups or told is None:
        reading.missing("no list of resource groups")
    elif told != len(groups):
        reading.missing(f"{told:,} resource groups are told of, {len(groups):,} are there")
    whole = not broken and told == len(groups) and bool(groups)
    return reading.result(_summed(tuple(groups), told) if whole else ResourceGroups(tuple(groups), told))


def _summed(groups: tuple[ResourceGroup, ...], told: int | None) -> ResourceGroups:
    dinodes = sum(group.dinodes for group in groups)
    headers = sum(group.header or 1 for group in groups)
    return ResourceGroups(groups, told, dinodes, sum(group.free for group in groups), dinodes + headers + _SUPERBLOCKS)


def parse_statfs(stdout: str, stderr: str = "") -> Parsed[Statfs]:
    """Parse `gfs2_edit -p statfs`."""
    reading = Reading(stdout, stderr)
    fields, _ = _fields(reading)
    found = Statfs(fields.get("sc_total"), fields.get("sc_free"), fields.get("sc_dinodes"))
    if None in (found.total, found.free, found.dinodes):
        reading.missing("no contents of a statfs file, or not all of them")
    return reading.result(found)


def parse_sb(stdout: str, stderr: str = "") -> Parsed[Superblock]:
    """Parse `gfs2_edit -p sb`."""
    reading = Reading(stdout, stderr)
    fields, words = _fields(reading)
    if "sb_bsize" not in fields:
        reading.missing("no superblock of GFS2")
    return reading.result(
        Superblock(
            fields.get("sb_bsize"),
            fields.get("sb_fs_format"),
            fields.get("sb_multihost_format"),
            words.get("sb_lockproto", ""),
            words.get("sb_locktable", ""),
            words.get("uuid", ""),
        )
    )


def _fields(reading: Reading) -> tuple[dict[str, int], dict[str, str]]:
    """Numbers and words by their names; of a name that comes again, the last."""
    numbers: dict[str, int] = {}
    words: dict[str, str] = {}
    for line in reading.lines():
        text = line.text[:LONGEST_LINE]
        if match := _FIELD.match(text):
            numbers[match["name"]] = int(match["value"])
        elif match := _WORD.match(text):
            words[match["name"]] = match["value"] or ""
        elif line.stderr or not (_OTHER.match(text) or text.endswith("file contents:")):
            reading.note(line)
    return numbers, words
