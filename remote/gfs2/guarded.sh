# Runs a tool of GFS2 as a job: sh guarded.sh [--keep=BYTES] [--new=PATH] -- PROGRAM [ARGUMENT]...
# Its stdout goes on as it is. Of its stderr, which may be a hundred megabytes, the first BYTES do; the rest is counted
# by kind, in bounded memory: what is told of it begins with `guarded: `. The exit code is the tool's own.
# PATH is what the tool is to write: it must not be there, whatever it is, and is made here before anybody else makes it.
# TERM is passed on to the tool, which then ends; what it told until then is counted to its end.
# Only what dash, bash, mksh, ksh93 and busybox sh share is used here, and what mawk, gawk and busybox awk do.

PATH=$PATH:/usr/sbin:/sbin
LC_ALL=C
export PATH LC_ALL
umask 077
keep=1048576 new=

refuse() {
    printf 'guarded: %s; nothing was run\n' "$1"
    exit 126
}

while [ $# -gt 0 ]; do
    case $1 in
    --keep=*) keep=${1#*=} ;;
    --new=*) new=${1#*=} ;;
    --)
        shift
        break
        ;;
    *) refuse "not an option: $1" ;;
    esac
    shift
done
[ $# -gt 0 ] || refuse 'no program was named'
program=${1##*/}

# A line that has no end would have to be held whole; so there is an end to memory, and then the rest is thrown away.
# It must be read at all events: a tool whose stderr is closed would die of it, in the middle of a repair.
COUNT='
function report(when,  kind) {
    printf "guarded: %.0f lines more, %.0f bytes, %s:\n", lines, bytes, when
    for (kind in counts) printf "guarded: %.0f x %s\n", counts[kind], kind
    if (other) printf "guarded: %.0f lines of other kinds\n", other
    fflush()
}
kept < keep {
    kept += length($0) + 1
    printf "\r%s\n", $0 # its stdout may stand in the middle of a line
    if (kept >= keep) printf "guarded: %.0f bytes were kept; from here on lines are counted by their kind\n", kept
    fflush()
    next
}
{
    lines++
    bytes += length($0) + 1
    gsub(/[0-9]+ \(0x[0-9a-f]+\)|0x[0-9a-fA-F]+|[0-9]+/, "N")
    if (!($0 in counts)) {
        $0 = substr($0, 1, 200)
        if (!($0 in counts) && kinds >= 150) gsub(/\047[^\047]*\047|"[^"]*"/, "\047...\047")
        if (!($0 in counts)) {
            if (kinds < 200) { kinds++; counts[$0] = 0 } else { other++; }
        }
    }
    if ($0 in counts) counts[$0]++
    if (lines == due) { report("so far"); due *= 2 }
}
BEGIN { due = 1000; kinds = 0 }
END { if (lines) report("in all") }
'

filter() {
    trap '' TERM HUP INT
    ulimit -v 65536 2>/dev/null
    interactive=
    case $(awk -W version 2>/dev/null </dev/null) in
    mawk*) interactive=yes ;; # it would wait for 4 KB before it tells of the first line
    esac
    awk ${interactive:+-W interactive} -v keep="$keep" "$COUNT" && return
    printf '\nguarded: what it complained of could not be counted to its end; the rest is lost\n'
    cat >/dev/null
}

pipe=${0%/*}/guarded.$$
[ "$pipe" != "$0/guarded.$$" ] || pipe=./guarded.$$
mkfifo "$pipe" 2>/dev/null || refuse "no pipe can be made at $pipe: no permission, or no space"
exec 9<>"$pipe" || refuse "$pipe cannot be opened"
exec 8<"$pipe" 7>"$pipe" 9<&-
rm -f "$pipe"

if [ -n "$new" ]; then
    # a device or a pipe is not a file that is there, to noclobber: so it is looked at first
    if [ -e "$new" ] || [ -L "$new" ]; then refuse "$new is there already"; fi
    (set -C && : >"$new") 2>/dev/null || refuse "$new cannot be made there"
fi

tool='' stop=''
pass_on() {
    stop=yes
    [ -z "$tool" ] || kill -TERM "$tool" 2>/dev/null
}
trap pass_on TERM

(
    exec <&8 7>&- 8<&- # with the function itself, dash would keep a copy of 7, and the pipe would never end
    filter
) &
counter=$!
"$@" 2>&7 7>&- 8<&- &
tool=$!
exec 7>&- 8<&-
[ -z "$stop" ] || pass_on

# A wait that TERM has cut short is no end. One that comes after the end may not know it any more (127, of bash 5 also
# -1), and ksh93 may lose it in the first one (1): then TERM has ended it, which is never a success that was none.
await() {
    ended=
    while :; do
        stop=
        wait "$1"
        now=$?
        case $now in
        127 | -*) [ -n "$ended" ] || ended=127 ;;
        *) ended=$now ;;
        esac
        [ -n "$stop" ] || break
        [ "$ended" -gt 128 ] || ended=143
    done
}
await "$tool"
rc=$ended
await "$counter"

[ "$rc" -le 255 ] || rc=$((rc - 128)) # ksh93 tells of signals from 256 on
name=
case $rc in
129) name=HUP ;;
130) name=INT ;;
131) name=QUIT ;;
132) name=ILL ;;
134) name=ABRT ;;
135) name=BUS ;;
136) name=FPE ;;
137) name=KILL ;;
139) name=SEGV ;;
141) name=PIPE ;;
143) name=TERM ;;
esac
[ -z "$name" ] || printf '\nguarded: %s was ended by signal %s (SIG%s)\n' "$program" "$((rc - 128))" "$name"
exit "$rc"
