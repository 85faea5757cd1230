"""Parser of what `signatures.sh` prints: what dd, blkid, wipefs and partx said of each device, line by line.

A device is READ only when every tool that is needed has answered and none of their words is in doubt: what is wrongly
called empty would be overwritten.
"""

from __future__ import annotations

import re

from remote.linux.inventory import Content, Contents, ReadState, Signature, kernel_name
from remote.parsed import Note, Parsed, Problem
from remote.text import decode, one_line, safe

HEAD = "restripe-signatures 1"
_TOOLS = frozenset(("dd", "first", "nonzero", "sector2", "blkid", "wipefs", "partx", "smart", "over", "state"))
_PAIR = re.compile(r"([A-Z][A-Z0-9_]*)=(.*)\Z")
_RC = re.compile(r"rc ([0-9]{1,3})\Z")
_ESCAPE = re.compile(r"((?:\\x[0-9A-Fa-f]{2})+)|\\(.)")
_OFFSET = re.compile(r"0x([0-9A-Fa-f]{1,16})\Z")
_BYTES = 64
# ID# ATTRIBUTE_NAME FLAG VALUE WORST THRESH TYPE UPDATED WHEN_FAILED RAW_VALUE
_ATTRIBUTE = re.compile(r"[0-9]{1,3} (\S+) +0x[0-9A-Fa-f]+ +([0-9]{1,3}) +\S+ +\S+ +\S+ +\S+ +\S+ +([0-9]{1,15})")
_LIFE = re.compile(r"Wearout|Wear_Leveling|Life")
_USED = re.compile(r"ercentage [Uu]sed(?: endurance indicator)?: +([0-9]{1,3}) ?%")
_GROWN = re.compile(r"grown defect list: +([0-9]{1,15})")
_TABLES = frozenset(
    ("gpt", "dos", "PMBR", "sun", "sgi", "mac", "bsd", "atari", "aix", "ultrix", "unixware", "solaris_x86")
)
_STATES = {"path": ReadState.PATH, "hangs": ReadState.HANGS, "still": ReadState.STILL}
_WORDS = {
    "late": "not tried: the time for all devices was over",
    "size": "its size is 0",
    "broken": "the reader could not be followed",
}
_DENIED = re.compile("permission denied|not permitted", re.IGNORECASE)


def parse_signatures(stdout: str, stderr: str = "") -> Parsed[Contents]:
    """Parse the answer of `restripe-signatures`. Lines of stderr are notes and counted on after those of stdout."""
    notes: list[Note] = []
    problems: list[Problem] = []
    found: dict[str, dict[str, list[str]]] = {}
    said: dict[str, list[str]] | None = None
    began = ended = False
    lines = safe(stdout).split("\n")
    for number, line in enumerate(lines, 1):
        word, _, rest = line.partition(" ")
        if not began:
            began = line == HEAD
            if not began and line.strip():
                notes.append(Note(number, line))
        elif word == "device" and rest and rest not in found:
            said = found.setdefault(rest, {})
        elif word == "end" and not rest:
            ended, said = True, None
        elif word in _TOOLS and said is not None:
            said.setdefault(word, []).append(rest.strip())
        elif line.strip():
            problems.append(Problem(number, line, "not a word that is known here"))
    for number, line in enumerate(safe(stderr).split("\n"), 1 + len(lines)):
        if line.strip():
            notes.append(Note(number, line.strip()))
    if not ended:
        problems.insert(0, Problem(0, "", "the answer is not whole"))
    return Parsed(
        Contents(tuple(_content(kernel_name(kname), said) for kname, said in found.items())),
        tuple(notes),
        tuple(problems),
    )


def _content(kname: str, said: dict[str, list[str]]) -> Content:
    for state in said.get("state", ()):
        if state in _STATES:
            return Content(kname, _STATES[state])
        return Content(kname, ReadState.FAILED, detail=_WORDS.get(state, one_line(state)))
    words, rc = _result(said.get("dd", ()))
    if rc:
        denied = any(_DENIED.search(word) for word in words)
        return Content(kname, ReadState.DENIED if denied else ReadState.FAILED, detail=_joined("dd", words, rc))
    why = "" if "over" in said else "its reader has ended before its time"
    nonzero, sector2 = _first_sectors(said)
    if not why and (nonzero is None or not sector2):
        why = "the first 64 sectors could not be read as a whole"
    pairs = {match[1]: _plain(match[2]) for match in map(_PAIR.match, said.get("blkid", [])) if match}
    signatures, bad_signatures = _signatures(said, pairs)
    partitions, bad_partitions = _partitions(said, pairs)
    why = why or bad_signatures or bad_partitions
    if why:
        return Content(kname, ReadState.FAILED, detail=why)
    smart = said.get("smart", [])
    return Content(
        kname,
        ReadState.READ,
        signatures,
        partitions,
        nonzero,
        sector2,
        worn=_worn(smart),
        reallocated=_reallocated(smart),
    )


def _worn(lines: list[str]) -> int | None:
    """The life that is used, in percent: SCSI and NVMe say so, ATA says what is left as a value from 100 down."""
    for line in lines:
        if match := _USED.search(line):
            return int(match[1])
        if (match := _ATTRIBUTE.match(line)) and _LIFE.search(match[1]):
            return max(0, 100 - int(match[2]))
    return None


def _reallocated(lines: list[str]) -> int | None:
    for line in lines:
        if match := _GROWN.search(line):
            return int(match[1])
        if (match := _ATTRIBUTE.match(line)) and match[1].startswith("Reallocated_Sector"):
            return int(match[3])
    return None


def _result(lines: list[str] | tuple[str, ...]) -> tuple[list[str], int | None]:
    """A tool's words and its exit status, which is the last line: what stands before may be anything."""
    if not lines or not (match := _RC.match(lines[-1])):
        return list(lines), None
    return [line for line in lines[:-1] if line], int(match[1])


def _joined(tool: str, words: list[str], rc: int | None) -> str:
    told = one_line(" ".join(words))
    told = told if told.startswith(f"{tool}:") else f"{tool}: {told}"
    return told if words else f"{tool} ended with exit code {'unknown' if rc is None else rc}"


def _first_sectors(said: dict[str, list[str]]) -> tuple[int | None, str]:
    """How many bytes are not zero, and the first bytes of sector 2 in hex; None and "" where a read was not whole."""
    rc = _result(said.get("first", []))[1]
    counts = said.get("nonzero", [])
    whole = rc == 0 and len(counts) == 1 and counts[0].isascii() and counts[0].isdecimal() and len(counts[0]) < 6
    digits = "".join("".join(said.get("sector2", [])).split()).lower()
    good = len(digits) == 2 * _BYTES and not digits.strip("0123456789abcdef")
    return int(counts[0]) if whole else None, digits if good else ""


def _signatures(said: dict[str, list[str]], pairs: dict[str, str]) -> tuple[tuple[Signature, ...], str]:
    """What blkid and wipefs know, and why that is not sure."""
    words, rc = _result(said.get("blkid", []))
    others = [word for word in words if not _PAIR.match(word)]
    if rc not in (0, 2, 8) or (rc == 2 and (others or pairs)):
        return (), _joined("blkid", others, rc)
    listed, wipefs_rc = _result(said.get("wipefs", []))
    if wipefs_rc != 0 and (wipefs_rc != 127 or rc == 8):
        return (), _joined("wipefs", listed, wipefs_rc)
    signatures = []
    if wipefs_rc == 0:
        for line in listed:
            if line.startswith("#"):
                continue
            signature = _listed(line, pairs)
            if signature is None:
                return (), _joined("wipefs", [line], wipefs_rc)
            signatures.append(signature)
    for kind in _told_by_blkid(pairs):
        if all(kind.type != signature.type for signature in signatures):
            signatures.append(kind)
    if rc != 2 and not signatures:
        return (), "blkid knows something, but not what"
    return tuple(signatures), ""


def _told_by_blkid(pairs: dict[str, str]) -> list[Signature]:
    found = []
    if pairs.get("TYPE"):
        found.append(Signature(pairs["TYPE"], pairs.get("USAGE", ""), pairs.get("LABEL", ""), pairs.get("UUID", "")))
    if pairs.get("PTTYPE"):
        found.append(Signature(pairs["PTTYPE"], "partition-table", "", pairs.get("PTUUID", "")))
    return found


def _listed(line: str, pairs: dict[str, str]) -> Signature | None:
    """A line `OFFSET,UUID,LABEL,TYPE` of `wipefs -p`. A label may hold commas of its own."""
    first, *fields = line.split(",")
    offset = _OFFSET.match(first)
    if offset is None or len(fields) < 3 or not fields[-1].strip():
        return None
    kind = _plain(fields[-1])
    usage = "partition-table" if kind in _TABLES else pairs.get("USAGE", "") if kind == pairs.get("TYPE") else ""
    uuid = _plain(fields[0]) or (pairs.get("PTUUID", "") if kind == pairs.get("PTTYPE") else "")
    return Signature(kind, usage, _plain(",".join(fields[1:-1])), uuid, int(offset[1], 16))


def _partitions(said: dict[str, list[str]], pairs: dict[str, str]) -> tuple[tuple[str, ...], str]:
    """The types of the entries of the partition table; where blkid sees no table, partx need not either."""
    words, rc = _result(said.get("partx", []))
    if rc == 0:
        return tuple(word.lower() for word in words), ""
    return (), _joined("partx", words, rc) if "PTTYPE" in pairs else ""


def _plain(text: str) -> str:
    r"""Undo `\ ` and `\x41` of blkid and wipefs; what would steer a terminal becomes harmless."""

    def undo(match: re.Match[str]) -> str:
        return decode(bytes.fromhex(match[1].replace("\\x", ""))) if match[1] else match[2]

    return safe(_ESCAPE.sub(undo, text)).strip()
