# What the processes that run some programs have read, written and computed so far, version 1; it only looks at /proc.
# By hand: cat processes.sh work.sh | ssh HOST sh -s NAME... Asked by restripe as `sh -c`, with the names of programs;
# remote/linux/work.py reads the answer. Without root nothing is told of what other people's read, write and have open.
# Only what dash, bash, mksh, ksh93 and busybox sh share is used here.

MOST=16  # processes that are told
FDS=128  # open files of a process that are looked at
FILES=8  # of these, files that are told

io() { # PID
    chars_in= chars_out= in= out=
    while read -r key value; do
        case $key in
        rchar:) chars_in=$value ;;
        wchar:) chars_out=$value ;;
        read_bytes:) in=$value ;;
        write_bytes:) out=$value ;;
        esac
    done 2>/dev/null <"/proc/$1/io"
    if [ -n "$out" ]; then
        echo "io $chars_in $chars_out $in $out"
    elif [ -d "/proc/$1" ]; then
        echo 'io hidden'
    fi
}

memory() { # PID
    peak= now=
    while read -r key value _; do
        case $key in
        VmHWM:) peak=$value ;;
        VmRSS:) now=$value ;;
        esac
    done 2>/dev/null <"/proc/$1/status"
    [ -z "$now" ] || echo "memory $peak $now"
}

# The size of an open file is that of the file that is open, whatever lies at its path by now.
file() { # PID FD
    target "$1" "$2" || return 0
    case $TARGET in /memfd:* | [!/]*) return ;; esac
    set -- "$1" "$2" $(ls -lLn "/proc/$1/fd/$2" 2>/dev/null)
    case ${7-} in '' | *[!0-9]*) return ;; esac
    word=file
    [ "$TARGET" -ef "/proc/$1/fd/$2" ] || word=unlinked TARGET=${TARGET% (deleted)}
    encode "$TARGET"
    echo "$word $2 $7 $V"
    told=$((told + 1))
}

files() { # PID
    if [ ! -r "/proc/$1/fd" ]; then
        [ ! -d "/proc/$1" ] || echo 'fds hidden'
        return
    fi
    seen=0
    told=0
    for fd in /proc/"$1"/fd/*; do
        fd=${fd##*/}
        seen=$((seen + 1))
        [ $seen -le $FDS ] && [ $told -lt $FILES ] && [ -f "/proc/$1/fd/$fd" ] || continue
        about "$1" "$fd"
        case $FLAG in [1256]) file "$1" "$fd" ;; esac
    done
}

process() { # PID
    find_words "$1" || return 0
    look_at "$1" || return 0
    echo "process $1 $PARENT $START $STATE $CPU"
    tell_words
    parents "$1"
    find_job "$1"
    if [ -n "$JOB" ]; then
        encode "$JOB"
        echo "job $V"
    fi
    io "$1"
    memory "$1"
    files "$1"
}

main() {
    cd /
    exec </dev/null
    [ $# -gt 0 ] || exit 2
    echo 'restripe-work 1'
    V=${RESTRIPE_BOOT_ID-}
    [ -n "$V" ] || { IFS= read -r V; } 2>/dev/null </proc/sys/kernel/random/boot_id
    printf 'boot %s\n' "$V"
    tell_clock
    find_programs "$@"
    count=0
    for pid in $FOUND; do
        [ "$pid" != $$ ] || continue
        count=$((count + 1))
        [ $count -gt $MOST ] || process "$pid"
    done
    [ $count -le $MOST ] || echo "more $((count - MOST))"
    echo end
    exit 0
}

main "$@"
