# The ends of GPFS's log and of the kernel's log, version 1; writes nothing. docs/impact.md.
# By hand: ssh HOST sh -s <logs.sh. Asked by restripe as `sh -c`; remote/linux/log_tails.py reads the answer.
# The first argument is how many bytes of each log are told at most, 32 KiB without one; with `kernel` for a second one
# GPFS's log is not looked for.
# RESTRIPE_SYSROOT (absolute) stands before /var and /proc, and then nothing but files is read.
# Only what dash, bash, mksh, ksh93 and busybox sh share is used here.
#
# Nothing in the answer changes while the logs do not: a recording keeps equal answers once. So the date is told, and no
# time. A /var that hangs cannot be helped by anybody: each log has a reader of its own that is left behind, and
# RESTRIPE_LOGS in its environment tells every later run that it is still there.

PATH=$PATH:/usr/sbin:/sbin
LC_ALL=C
export PATH LC_ALL
R=${RESTRIPE_SYSROOT-}
EACH=${RESTRIPE_LOG_SECONDS:-5} # for one log
MOST=${1:-32768}
ONLY=${2-}

# What both readers use. `over` is the last word of one that has missed nothing.
COMMON='
trap "" HUP
# Of what is read the last lines, MOST bytes at most; `cut` says that there are others before them.
lines() { # 1 where others are known to be before them
    awk -v most="$MOST" -v cut="$1" "
        { line[NR] = \$0; size += length(\$0) + 1 }
        size > most { cut = 1; while (size > most) size -= length(line[++gone]) + 1 }
        END { if (cut) print \"cut\"; for (i = gone + 1; i <= NR; i++) print \"| \" line[i] }"
}
# The end of a file in whole lines; what follows its last line end is still being written.
end_of() { # FILE BYTES
    first=
    [ "$(wc -c <"$1")" -le "$2" ] || first=1d
    { tail -c "$2" "$1"; echo; } | sed -e "$first" -e "\$d"
}
'

# A start of GPFS begins a new file: what was said just before is in the one that it had before.
MMFS='
f=$R/var/adm/ras/mmfs.log.latest
p=$R/var/adm/ras/mmfs.log.previous
if [ ! -e "$f" ]; then
    if [ -e "$R/var/adm/ras" ] && [ ! -x "$R/var/adm/ras" ]; then echo state denied; else echo state absent; fi
    exit
fi
size=$(wc -c <"$f") || { echo state denied; exit; }
before=$(wc -c <"$p") || before=0
echo "from $f"
{
    if [ "$size" -lt "$MOST" ] && [ "$before" -gt 0 ]; then end_of "$p" $((MOST - size)); fi
    end_of "$f" "$MOST"
} | lines $((size + before > MOST))
echo over
'

KERNEL='
sed -n "s/^btime \([0-9]*\)\$/booted \1/p" "$R/proc/stat"
if [ -z "$R" ]; then
    # an answer that is empty may mean that nothing may be seen: of every boot something is
    if [ -n "$(journalctl -k -q --no-pager -n 1 -o cat)" ]; then
        echo "from journalctl"
        told=$(journalctl -k -q --no-pager -p warning -n "$((MOST / 80))" -o short-iso)
        many=$(printf "%s\n" "$told" | grep -c .)
        [ -z "$told" ] || printf "%s\n" "$told" | lines $((many >= MOST / 80))
        echo over
        exit
    fi
    if dmesg -r >/dev/null; then
        echo "from dmesg"
        dmesg -r | grep "^<[0-4]>" | lines 0
        echo over
        exit
    fi
fi
there=
for name in kern.log messages syslog; do
    f=$R/var/log/$name
    [ -e "$f" ] || continue
    there=$name
    size=$(wc -c <"$f") || continue
    echo "from $f"
    end_of "$f" 262144 | awk "/ kernel: / { ours = 1; print; next }
        / last message repeated / && ours { print; next }
        { ours = 0 }" | lines $((size > 262144))
    echo over
    exit
done
if [ -n "$there" ] || [ -z "$R" ]; then echo state denied; else echo state absent; fi
'

# Sets LIVING to the marks of all readers that are there, of whomever.
find_readers() {
    LIVING=$EOL$(cat /proc/[0-9]*/environ 2>/dev/null | tr '\000' '\n' | grep '^RESTRIPE_LOGS=')$EOL
}

is_read() { # NAME
    case $LIVING in
    *"$EOL$MARK$1$EOL"*) return 0 ;;
    esac
    return 1
}

# A reader in the background: `cat` has the only other end of its pipe, and gives up after a time.
log() { # NAME READER
    echo "log $1"
    if is_read "$1"; then # by another session this moment, or for good: only a reader that stays hangs
        sleep 1
        find_readers
        if is_read "$1"; then
            echo 'state still'
            return
        fi
    fi
    {
        R=$R MOST=$MOST RESTRIPE_LOGS=${R:+$R:}$1 sh -c "$COMMON$2" restripe-logs </dev/null 2>/dev/null &
    } | timeout "$EACH" cat
    case $? in
    0) ;;
    124) echo 'state hangs' ;;
    *) echo 'state broken' ;;
    esac
}

main() {
    cd /
    exec </dev/null
    EOL='
'
    unset RESTRIPE_Q # a reader that is left behind is no question that still runs
    echo 'restripe-logs 1'
    printf 'today %s\n' "$(date '+%Y-%m-%d %z')"
    MARK=RESTRIPE_LOGS=${R:+$R:}
    find_readers
    [ "$ONLY" = kernel ] || log mmfs "$MMFS"
    log kernel "$KERNEL"
    echo end
    exit 0
}

main
