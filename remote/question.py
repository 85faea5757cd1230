"""Questions: a batch of reading commands to one host as one script, and its answer taken apart again.

Pure. The script comes over the standard input of `sh -s`, so that no login shell ever parses it; what a login
shell prints before or around it is told apart by a nonce. It writes nothing on the host.
"""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from remote.command import Command, quote
from remote.fixedscripts import shell_words

KILL_AFTER = 5.0
"""Seconds between the TERM and the KILL that `timeout` sends."""

_STILL = "still"


class Answer(msgspec.Struct, frozen=True):
    """What one command of a batch answered.

    `rc` is its exit status as the shell on the host saw it; 124 or 137 means that its deadline ended it there.
    `still` is set when it was not run, because the same question asked earlier has not ended on the host yet.
    """

    command: Command
    rc: int
    stdout: bytes
    stderr: bytes
    still: bool = False

    @property
    def timed_out(self) -> bool:
        """Whether the deadline ended the command on the host."""
        return self.rc in (124, 137)


def question_script(
    nonce: str, commands: Sequence[Command], *, sudo: bool, earlier: Sequence[Sequence[str]] = ()
) -> str:
    """Return the script that asks `commands` one after another.

    `earlier[i]` are the nonces under which command i was asked before without being seen to end; it is asked
    again only when nothing of those questions lives on the host any more.
    """
    lines = []
    for index, command in enumerate(commands):
        before = "|".join(earlier[index]) if index < len(earlier) else ""
        use_sudo = "1" if sudo and command.privileged else "0"
        head = quote((f"{command.deadline:g}", use_sudo, before or "-"))
        lines.append(f"    ask {head} {shell_words(command)}")
    body = "\n".join(lines)
    return f"""\
PATH=$PATH:/usr/lpp/mmfs/bin:/usr/sbin:/sbin
LC_ALL=C
export PATH LC_ALL
N={quote((nonce,))}
mark() {{ printf '\\n%s %s\\n' "$N" "$1"; printf '\\n%s %s\\n' "$N" "$1" >&2; }}
lives() {{ grep -Eqs "RESTRIPE_Q=($1)" /proc/[0-9]*/environ; }}
ask() {{
    limit=$1 sudo=$2 before=$3
    shift 3
    if [ "$before" != - ] && lives "$before"; then
        mark {_STILL}
        return
    fi
    if [ "$sudo" = 1 ]; then
        name=$(command -v "$1") || name=$1
        shift
        set -- sudo -n "$name" "$@"
    fi
    # a KILL would end sudo and leave its command alive as root, where nobody sees it: with sudo the TERM has to do
    if [ "$sudo" = 1 ]; then
        timeout "$limit" "$@" </dev/null
    else
        timeout -k {KILL_AFTER:g} "$limit" "$@" </dev/null
    fi
    mark $?
}}
main() {{
    [ "$1" = "END:$N" ] || exit 9
    exec </dev/null
    mark begin
{body}
    exit 0
}}
main {quote((f"END:{nonce}",))}
"""


def take_apart(nonce: str, commands: Sequence[Command], stdout: bytes, stderr: bytes) -> tuple[Answer, ...] | None:
    """Take the streams of `question_script` apart; None when the marks are not all there."""
    out = _sections(nonce, stdout)
    err = _sections(nonce, stderr)
    if out is None or err is None or len(out) != len(commands) or len(err) != len(commands):
        return None
    answers = []
    for command, (out_text, mark), (err_text, err_mark) in zip(commands, out, err, strict=True):
        if mark != err_mark:
            return None
        if mark == _STILL:
            answers.append(Answer(command, -1, b"", b"", still=True))
        elif mark.isdigit():
            answers.append(Answer(command, int(mark), out_text, err_text))
        else:
            return None
    return tuple(answers)


def _sections(nonce: str, stream: bytes) -> list[tuple[bytes, str]] | None:
    """Split at the marks: what stands before each mark, and the mark's word. Noise before `begin` is dropped."""
    pieces = stream.split(f"\n{nonce} ".encode())
    if len(pieces) < 2 or not pieces[1].startswith(b"begin\n"):
        return None
    sections = []
    text = pieces[1][len(b"begin\n") :]
    for piece in pieces[2:]:
        word, newline, rest = piece.partition(b"\n")
        if not newline:
            return None
        sections.append((text, word.decode("ascii", "replace")))
        text = rest
    return sections
