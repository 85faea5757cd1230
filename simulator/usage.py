"""Command lines as the mm* commands take them apart, and how they complain."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

USAGES: Mapping[str, str] = {
    "mmlscluster": "mmlscluster [--cnfs] [--ces]",
    "mmgetstate": "mmgetstate [-L] [-s] [-v] [-a | -N {Node[,Node...] | NodeFile | NodeClass}]",
    "mmlsfs": (
        "mmlsfs {Device | all | all_local | all_remote} [-A] [-a] [-B] [-D] [-d] [-E] [-f] [-I] [-i] [-j] [-K] [-k]\n"
        "          [-L] [-M] [-m] [-n] [-o] [-P] [-Q] [-R] [-r] [-S] [-T] [-u] [-V] [-z]"
    ),
    "mmlsdisk": 'mmlsdisk Device [-d "DiskName[;DiskName...]"] [-e] [-L | -m | -M]',
    "mmdf": "mmdf Device [-d | -F | -m] [-P PoolName] [--block-size {BlockSize | auto}]",
    "mmlsnsd": 'mmlsnsd [-a | -F | -f Device | -d "DiskName[;DiskName...]"] [-L | -m | -M | -X] [-v]',
    "mmlsmount": "mmlsmount {Device | all} [-L]",
    "mmlsmgr": "mmlsmgr [Device[ Device...]] [-c]",
    "mmlsconfig": "mmlsconfig [Attribute]",
    "mmlscallback": "mmlscallback",
    "mmauth": "mmauth show",
    "mmlspool": "mmlspool Device [PoolName | all] [-L]",
    "mmlssnapshot": "mmlssnapshot Device [-d] [-s {all | Snapshot[,Snapshot...]}]",
    "mmlsqos": "mmlsqos Device [--pool {all | PoolName}] [--seconds Seconds]",
    "mmchqos": "mmchqos Device {--enable [QOSClassSpecification] | --disable}",
    "mmdiag": "mmdiag --waiters",
    "mmhealth": "mmhealth node show [Component]",
    "mmcrnsd": "mmcrnsd -F StanzaFile [-v {yes | no}]",
    "mmdelnsd": 'mmdelnsd {"DiskName[;DiskName...]" | -F DiskFile}',
    "mmdevdiscover": "mmdevdiscover",
    "mmadddisk": (
        "mmadddisk Device -F StanzaFile [-a] [-r] [-v {yes | no}]\n"
        "          [-N {Node[,Node...] | NodeFile | NodeClass}]"
    ),
    "mmchdisk": (
        'mmchdisk Device {resume | start} {-d "DiskName[;DiskName...]" | -F StanzaFile | -a}\n'
        '       mmchdisk Device {suspend | empty | stop | change} {-d "DiskName[;DiskName...]" | -F StanzaFile}'
    ),
    "mmdeldisk": (
        'mmdeldisk Device {"DiskName[;DiskName...]" | -F DescFile} [-a] [-c] [-m | -r | -b]\n'
        "          [-N {Node[,Node...] | NodeFile | NodeClass}]"
    ),
    "mmrpldisk": (
        "mmrpldisk Device DiskName {DiskDesc | -F StanzaFile} [-v {yes | no}]\n"
        "          [-N {Node[,Node...] | NodeFile | NodeClass}]"
    ),
    "mmbackupconfig": "mmbackupconfig Device -o OutputFile",
    "mmrestripefs": (
        "mmrestripefs Device {-m | -r | -b | -R | -p} [-P PoolName]\n"
        "          [-N {Node[,Node...] | NodeFile | NodeClass}]"
    ),
}


class CommandError(Exception):
    """A command that ends with its own words and the failure tail; `rc` is its exit status."""

    def __init__(self, *lines: str, rc: int = 1) -> None:
        super().__init__("\n".join(lines))
        self.lines = lines
        self.rc = rc


class UsageError(Exception):
    """A command line that is wrong; the usage follows the text."""


@dataclass
class Arguments:
    """A command line taken apart: plain words in order, and options with their values (empty for flags)."""

    words: list[str] = field(default_factory=list)
    options: dict[str, str] = field(default_factory=dict)

    def word(self, index: int) -> str:
        """The plain word at an index; UsageError if there is none."""
        if index >= len(self.words):
            raise UsageError("Missing arguments.")
        return self.words[index]

    def end(self, count: int) -> None:
        """Check that no more than `count` plain words were given."""
        if len(self.words) > count:
            raise UsageError(f"Incorrect extra argument: {self.words[count]}")

    def one_of(self, *names: str) -> str:
        """The one option given of a group that excludes each other; empty for none."""
        given = [name for name in names if name in self.options]
        if len(given) > 1:
            raise UsageError(f"Conflicting options: {' '.join(given)}")
        return given[0] if given else ""


def parse(arguments: list[str], flags: str, valued: str = "") -> Arguments:
    """Take a command line apart. `flags` and `valued` are blank-separated options without and with a value.

    Raises UsageError for an unknown option (such as -Y where the release lacks it) or a missing value.
    """
    result = Arguments()
    todo = list(arguments)
    while todo:
        token = todo.pop(0)
        name, equals, value = token.partition("=") if token.startswith("--") else (token, "", "")
        if name in valued.split():
            if not equals and not todo:
                raise UsageError(f"Option {name} requires an argument.")
            result.options[name] = value if equals else todo.pop(0)
        elif token in flags.split():
            result.options[token] = ""
        elif token.startswith("-") and len(token) > 1:
            raise UsageError(f"Incorrect option: {token}")
        else:
            result.words.append(token)
    return result
