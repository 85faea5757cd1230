"""The commands as the hosts' shells find them: small bash scripts that carry words to the simulator and back.

Two connections each: stdout flows through one with `cat`, exit status and stderr come through the other, whose
end tells the simulator that the process has died. A third one carries stderr at once where the policies want that;
the first line of the second tells. Fields are NUL-terminated, so arguments may hold anything.
"""

from __future__ import annotations

import re
import shutil
from collections.abc import Iterable
from pathlib import Path

OTHERS = ("date", "hostname", "uname", "sudo")
"""Programs that have a shim of their own."""

OPERATION = "restripe-sim-io"
"""The program that a probe of the file system runs (RESTRIPE_PROBE_HOOK)."""

_COMMAND = r"""#!@BASH@
# A simulated command: the work is done elsewhere, this only carries words there and back.
name=${0##*/}
gone() { echo "$name: the simulated cluster is gone" >&2; exit 125; }
key=$$.$RANDOM.$RANDOM.$RANDOM
{ exec 3<>"/dev/tcp/127.0.0.1/$SIM_PORT" 4<>"/dev/tcp/127.0.0.1/$SIM_PORT"; } 2>/dev/null || gone
printf '%s\0' out "$SIM_TOKEN" "$key" >&3
line=0
if [ -t 1 ] || [ -n "$_STDBUF_O" ]; then line=1; fi
printf '%s\0' run "$SIM_TOKEN" "$key" "$SIM_HOST" "$$" "$PWD" "$line" "$(($# + 1))" "$name" "$@" >&4
# Not <&4: standard input must stay what it is, the command may be told to read it.
IFS= read -r -u 4 streams || gone
# Only this shell may hold the second connection: its end is the sign that the command has died.
if [ "$streams" = 2 ]; then
  { exec 5<>"/dev/tcp/127.0.0.1/$SIM_PORT"; } 2>/dev/null || gone
  printf '%s\0' err "$SIM_TOKEN" "$key" >&5
  cat <&5 >&2 3<&- 4<&- 5<&- &
  exec 5<&-
fi
cat <&3 3<&- 4<&- 2>/dev/null
exec 3<&-
[ "$streams" = 2 ] && wait
IFS= read -r -u 4 rc || gone
cat <&4 >&2 4<&-
exit "$rc"
"""

_DATE = r"""#!@BASH@
# date in simulated time. What names a moment of its own goes to the real one; nothing sets the clock.
for word in "$@"; do
  case $word in
    -d*|--date*|-r*|--ref*|-f*|--file*) exec @DATE@ "$@" ;;
    +*|-u|--u*|-I*|--iso*|-R|--rfc*|--help|--version) ;;
    *) echo "date: cannot set date: Operation not permitted" >&2; exit 1 ;;
  esac
done
gone() { echo "date: the simulated cluster is gone" >&2; exit 125; }
{ exec 3<>"/dev/tcp/127.0.0.1/$SIM_PORT"; } 2>/dev/null || gone
printf '%s\0' now "$SIM_TOKEN" >&3
IFS= read -r now <&3 || gone
exec 3<&-
if [ "$*" = +%s ]; then echo "${now%.*}"; exit 0; fi
exec @DATE@ -d "@$now" "$@"
"""

_IO = r"""#!@BASH@
# Takes as long as an operation of the simulated file system takes its users now, and does nothing.
{ exec 3<>"/dev/tcp/127.0.0.1/$SIM_PORT"; } 2>/dev/null || exit 125
printf '%s\0' io "$SIM_TOKEN" "$SIM_HOST" >&3
IFS= read -r rc <&3 || exit 125
exit "$rc"
"""

_SUDO = r"""#!@BASH@
# sudo for somebody who is root already: -n and a command, nothing else.
if [ "$1" != -n ]; then
  echo "sudo: a terminal is required to read the password; either use the -S option to read from standard input" \
    "or configure an askpass helper" >&2
  echo "sudo: a password is required" >&2
  exit 1
fi
shift
[ "$1" = -- ] && shift
case $1 in
  "") echo "usage: sudo [-n] command" >&2; exit 1 ;;
  -*) echo "sudo: a password is required" >&2; exit 1 ;;
esac
if ! command -v -- "$1" >/dev/null 2>&1; then echo "sudo: $1: command not found" >&2; exit 1; fi
exec "$@"
"""

_HOSTNAME = r"""#!@BASH@
# The simulated host's own name, as hostname and uname -n tell it; anything else about the machine is the real one's.
full=$SIM_NAME
case ${0##*/}:$* in
  hostname:|hostname:-f|hostname:--fqdn|uname:-n|uname:--nodename) echo "$full" ;;
  hostname:-s|hostname:--short) echo "${full%%.*}" ;;
  uname:*) exec @UNAME@ "$@" ;;
  *) echo "hostname: you must be root to change the host name" >&2; exit 1 ;;
esac
"""


def _real(mark: re.Match[str]) -> str:
    name = mark.group(1).lower()
    path = shutil.which(name)
    if path is None:
        raise OSError(f"{name} is needed to simulate a host")
    return path


def write(directory: Path, simulated: Iterable[str]) -> None:
    """Write the shims of these commands and the others into a directory, executable for everybody.

    Raises OSError if a program they need is missing.
    """
    directory.mkdir(mode=0o755)
    own = {"mm": _COMMAND, "date": _DATE, "sudo": _SUDO, "hostname": _HOSTNAME, OPERATION: _IO}
    for name, text in own.items():
        file = directory / name
        file.write_text(re.sub("@([A-Z]+)@", _real, text), encoding="ascii")
        file.chmod(0o755)
    for name in simulated:
        (directory / name).symlink_to("mm")
    (directory / "uname").symlink_to("hostname")
