"""NSD stanza files as GPFS 3.5 reads and rewrites them. Text in, text out; the file itself is read elsewhere."""

from __future__ import annotations

from dataclasses import dataclass, field


@dataclass
class Stanza:
    """One `%nsd:` stanza: attributes by lower-case name, and the lines of the file it came from (from 0)."""

    attributes: dict[str, str] = field(default_factory=dict)
    lines: list[int] = field(default_factory=list)

    def get(self, name: str) -> str:
        """The attribute's value, empty if it is missing."""
        return self.attributes.get(name.lower(), "")


class StanzaError(ValueError):
    """A file that cannot be understood; the text says where."""


_KEYWORDS = ("%nsd:", "%pool:", "%pdisk:", "%vdisk:", "%da:", "%rg:")


def parse(text: str) -> list[Stanza]:
    """The `%nsd:` stanzas of a file, in order; stanzas of other kinds are skipped.

    A stanza begins where the first token of a line is `%nsd:` and ends at the next keyword, at an empty line or
    at a line without `=`. Raises StanzaError for a keyword that does not exist and for a clause without `=`.
    """
    stanzas: list[Stanza] = []
    current: Stanza | None = None
    for number, raw in enumerate(text.splitlines()):
        tokens = raw.partition("#")[0].split()
        if not tokens:
            if not raw.strip():
                current = None
            continue
        if tokens[0].startswith("%"):
            keyword = tokens.pop(0)
            if keyword.lower() not in _KEYWORDS:
                raise StanzaError(f"Incorrect stanza keyword {keyword} on line {number + 1}.")
            current = Stanza() if keyword.lower() == "%nsd:" else None
            if current is None:
                continue
            stanzas.append(current)
        elif not any("=" in token for token in tokens):
            current = None
            continue
        if current is None:
            continue
        current.lines.append(number)
        for token in tokens:
            name, equals, value = token.partition("=")
            if not equals or not name:
                raise StanzaError(f"Incorrect stanza clause {token} on line {number + 1}.")
            current.attributes[name.lower()] = value
    return stanzas


def rewritten(text: str, done: list[tuple[Stanza, str]]) -> str:
    """The file as mmcrnsd leaves it: old text as comments, a new stanza without device after each one done.

    Stanzas that failed stay as they were, so that the same file can be corrected and given again.
    """
    replaced = {number for stanza, _ in done for number in stanza.lines}
    after = {stanza.lines[-1]: new for stanza, new in done}
    out: list[str] = []
    for number, line in enumerate(text.splitlines()):
        out.append(f"# {line}" if number in replaced else line)
        if number in after:
            out.append(after[number])
    return "\n".join(out) + "\n"
