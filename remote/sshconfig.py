"""What an SSH configuration says that restripe does not do, with file and line: nothing is ignored in silence.

A scanner beside asyncssh's own reader, which passes over unknown keywords without a word. It follows Include, Host and
Match; where it cannot know whether a block holds for a host (`Match exec` and the like), the block may hold.
"""

from __future__ import annotations

import glob
import re
import shlex
from collections.abc import Iterator, Sequence
from fnmatch import fnmatchcase
from pathlib import Path

import msgspec

DEEPEST = 16
"""How deep files may include each other, as in OpenSSH."""

_SUPPORTED = """
    host match include addressfamily bindaddress canonicaldomains canonicalizefallbacklocal canonicalizehostname
    canonicalizemaxdots canonicalizepermittedcnames casignaturealgorithms certificatefile
    challengeresponseauthentication ciphers compression enablesshkeysign globalknownhostsfile gssapiauthentication
    gssapidelegatecredentials gssapikeyexchange hostbasedauthentication hostkeyalgorithms hostname hostkeyalias
    identitiesonly identityagent identityfile kbdinteractiveauthentication kexalgorithms macs passwordauthentication
    pkcs11provider preferredauthentications port proxycommand proxyjump pubkeyauthentication rekeylimit sendenv
    serveraliveinterval setenv tag tcpkeepalive user userknownhostsfile
"""
SUPPORTED = frozenset(_SUPPORTED.split())
"""Keywords that do here what they do for ssh, in lower case."""

_SHARING = "restripe keeps one connection of its own to each host; a shared one of ssh's is not used"
_FORWARDING = "restripe forwards nothing"
_ASKING = "restripe asks the person at the terminal, where there is one"
_TRIES = "restripe asks three times"
_KEYS = "an unknown host key is put to a person with its fingerprint; a changed one is always refused"
_FILES = "restripe writes to known_hosts only what a person has accepted"
_TTY = "restripe never asks for a terminal on a host, and runs only its own commands"
MEANINGS = {
    "controlmaster": _SHARING,
    "controlpath": _SHARING,
    "controlpersist": _SHARING,
    "stricthostkeychecking": _KEYS,
    "checkhostip": _KEYS,
    "verifyhostkeydns": "keys in DNS are not looked at; " + _KEYS,
    "nohostauthenticationforlocalhost": _KEYS,
    "fingerprinthash": "fingerprints are shown as SHA256",
    "visualhostkey": "fingerprints are shown as SHA256",
    "knownhostscommand": "only files are looked at for host keys",
    "revokedhostkeys": "only @revoked lines of known_hosts are looked at; write revoked keys there",
    "updatehostkeys": _FILES,
    "hashknownhosts": "names are written to known_hosts as they are",
    "localforward": _FORWARDING,
    "remoteforward": _FORWARDING,
    "dynamicforward": _FORWARDING,
    "permitremoteopen": _FORWARDING,
    "gatewayports": _FORWARDING,
    "exitonforwardfailure": _FORWARDING,
    "clearallforwardings": _FORWARDING,
    "forwardagent": "restripe forwards no agent",
    "forwardx11": _FORWARDING,
    "forwardx11trusted": _FORWARDING,
    "forwardx11timeout": _FORWARDING,
    "xauthlocation": _FORWARDING,
    "tunnel": _FORWARDING,
    "tunneldevice": _FORWARDING,
    "streamlocalbindmask": _FORWARDING,
    "streamlocalbindunlink": _FORWARDING,
    "batchmode": _ASKING,
    "numberofpasswordprompts": _TRIES,
    "addkeystoagent": "what is typed stays in restripe's memory; no key is added to the agent",
    "usekeychain": "passphrases are not read from a key chain",
    "connecttimeout": "restripe has a deadline of its own, which stands still while a person types",
    "connectionattempts": "restripe tries again by itself, at growing intervals",
    "serveralivecountmax": "restripe gives a silent host four intervals",
    "remotecommand": _TTY,
    "requesttty": _TTY,
    "sessiontype": _TTY,
    "escapechar": _TTY,
    "stdinnull": _TTY,
    "forkafterauthentication": _TTY,
    "permitlocalcommand": "no command is run here when a connection is made",
    "localcommand": "no command is run here when a connection is made",
    "enableescapecommandline": _TTY,
    "loglevel": "restripe tells itself what happens to its connections",
    "logverbose": "restripe tells itself what happens to its connections",
    "syslogfacility": "restripe tells itself what happens to its connections",
    "ipqos": "packets are marked as the system does by itself",
    "proxyusefdpass": "ProxyCommand must carry the connection itself",
    "bindinterface": "name an address with BindAddress instead",
    "securitykeyprovider": "keys on a token need asyncssh with fido2",
    "pubkeyacceptedalgorithms": "asyncssh's own choice of signatures is used",
    "pubkeyacceptedkeytypes": "asyncssh's own choice of signatures is used",
    "hostbasedacceptedalgorithms": "asyncssh's own choice of signatures is used",
    "requiredrsasize": "the size of RSA keys is not looked at",
    "ignoreunknown": "unknown keywords are passed over in any case",
}
"""Keywords that do nothing here, or something else than for ssh, and what holds instead."""


class Unsupported(msgspec.Struct, frozen=True):
    """A line that holds for the host, or `may` hold, and does nothing here."""

    file: Path
    line: int
    keyword: str
    value: str
    meaning: str
    may: bool = False


class Subject(msgspec.Struct, frozen=True):
    """Whom the blocks are compared with: the name as it was given, what it leads to, and the user there."""

    given: str
    name: str
    user: str
    local_user: str


def unsupported(files: Sequence[Path], subject: Subject) -> list[Unsupported]:
    """Every line of the files, and of what they include, that holds for the subject and is not done here."""
    return [found for file in files for found in _scan(file, subject, True, 0)]


def _scan(file: Path, subject: Subject, outer: bool | None, depth: int) -> Iterator[Unsupported]:
    """`outer` tells whether the file is included where the subject is meant: no, yes, or None for perhaps."""
    try:
        lines = file.read_text(encoding="utf-8", errors="replace").splitlines()
    except OSError:
        return
    holds = outer
    for number, line in enumerate(lines, 1):
        keyword, words = _words(line)
        if not keyword:
            continue
        name = keyword.lower()
        if name == "host":
            holds = _both(outer, _matches(words, subject.given))
        elif name == "match":
            holds = _both(outer, _match(words, subject))
        elif holds is False:
            continue
        elif name == "include":
            for pattern in words:
                if depth < DEEPEST:
                    for path in _included(pattern):
                        yield from _scan(path, subject, holds, depth + 1)
        elif name not in SUPPORTED:
            meaning = MEANINGS.get(name, "not known here; it is passed over")
            yield Unsupported(file, number, keyword, " ".join(words), meaning, may=holds is None)


def _words(line: str) -> tuple[str, list[str]]:
    """The keyword of a line and its words; a comment or an empty line has none."""
    found = re.match(r"\s*([A-Za-z0-9]+)\s*(?:=|\s|$)\s*(.*?)\s*$", line)
    if not found:
        return "", []
    keyword, rest = found.groups()
    try:
        return keyword, shlex.split(rest, comments=True)
    except ValueError:  # a quote that is not closed
        return keyword, rest.split()


def _included(pattern: str) -> list[Path]:
    path = Path(pattern).expanduser()
    if not path.is_absolute():
        path = Path.home() / ".ssh" / path
    return [Path(name) for name in sorted(glob.glob(str(path)))]  # noqa: PTH207


def _both(one: bool | None, other: bool | None) -> bool | None:
    if one is False or other is False:
        return False
    return None if one is None or other is None else True


def _matches(patterns: Sequence[str], name: str) -> bool:
    """Whether a name is meant by a list of patterns, of which one with `!` excludes."""
    found = False
    for pattern in patterns:
        bare = pattern.removeprefix("!").lower().replace("[", "[[]")
        if fnmatchcase(name.lower(), bare):
            if pattern.startswith("!"):
                return False
            found = True
    return found


def _match(words: Sequence[str], subject: Subject) -> bool | None:
    holds: bool | None = True
    rest = list(words)
    while rest:
        criterion, equals, value = rest.pop(0).partition("=")
        negated = criterion.startswith("!")
        criterion = criterion.lower().removeprefix("!")
        if criterion == "all":
            here: bool | None = True
        elif criterion in ("canonical", "final"):
            here = None
        else:
            patterns = (value if equals else rest.pop(0) if rest else "").split(",")
            if criterion == "host":  # the name may be rewritten later on, or have been: in doubt it holds
                here = _matches(patterns, subject.name) or _matches(patterns, subject.given) or False
            elif criterion == "originalhost":
                here = _matches(patterns, subject.given)
            elif criterion == "user":
                here = _matches(patterns, subject.user)
            elif criterion == "localuser":
                here = _matches(patterns, subject.local_user)
            else:
                here = None
        holds = _both(holds, here if here is None else here is not negated)
    return holds
