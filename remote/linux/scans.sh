# The scans that run on a host, whoever started them, and where their output goes, version 1; it only looks at /proc.
# By hand: cat processes.sh scans.sh | ssh HOST sh -s. Asked by restripe as `sh -c`, with the names of programs to look
# for or without; remote/linux/scans_parsing.py reads the answer. Without root nobody sees where the output of other
# people's goes. Only what dash, bash, mksh, ksh93 and busybox sh share is used here.

MOST=16  # scans that are told
HOPS=4   # programs that output is followed through
FDS=128  # open files of a program that are looked at

# Every end of a pipe, and every master of a terminal, of all processes: lines `PID FD TARGET`.
find_ends() {
    [ -z "$ENDS" ] || return 0
    ENDS=$(ls -l /proc/[0-9]*/fd 2>/dev/null | sed -n \
        -e '/^\/proc\/[0-9]*\/fd:$/{s/[^0-9]//g;h;d;}' \
        -e '/ -> pipe:\[[0-9]*\]$/b y' -e '/ -> \/dev\/.*ptmx$/b y' -e d \
        -e ':y' -e G -e 's/^.* \([0-9]*\) -> \(.*\)\n\(.*\)$/\3 \1 \2/p')$EOL
}

out() { # KIND PID FD VALUE
    encode "$4"
    V="out $STREAM $1 $2 $3 $V$EOL"
    case $OUT in *"$V"*) return ;; esac
    OUT=$OUT$V
    case $TOLD in *" $2 "*) return ;; esac
    TOLD="$TOLD$2 "
    { IFS= read -r V; } 2>/dev/null <"/proc/$2/comm" || return 0
    encode "$V"
    OUT="${OUT}name $2 $V$EOL"
}

# Tells of an open file, whose target is known; 1 when it is none that stays. Some shells take a signalfd for a file.
# Nor is one that never had a name any log.
kept() { # PID FD
    case $TARGET in /memfd:* | /*/'#'[0-9]*' (deleted)' | [!/]*) return 1 ;; esac
    [ -f "/proc/$1/fd/$2" ] || return 1
    if [ "$TARGET" -ef "/proc/$1/fd/$2" ]; then
        out file "$1" "$2" "$TARGET"
    else
        out unlinked "$1" "$2" "${TARGET% (deleted)}"
    fi
}

# Tells of all files that a process writes, its complaints apart; 1 when it writes none.
files() { # PID
    wrote=1
    seen=0
    for fd in /proc/"$1"/fd/*; do
        fd=${fd##*/}
        seen=$((seen + 1))
        [ $seen -le $FDS ] && [ "$fd" != 2 ] && [ -f "/proc/$1/fd/$fd" ] || continue
        about "$1" "$fd"
        case $FLAG in
        [1256]) target "$1" "$fd" && kept "$1" "$fd" && wrote=0 ;;
        esac
    done
    return $wrote
}

# A screen may write the log of every window: this one's ends in its number.
of_window() { # LINES
    window=$({ tr '\000' '\n' <"/proc/$PID/environ" | sed -n 's/^WINDOW=\([0-9]*\)$/\1/p'; } 2>/dev/null)
    [ -n "$window" ] || return 1
    one=$(printf '%s\n' "$1" | grep -E "^out [12] file [0-9]+ [0-9]+ =.*[.]$window\$")
    [ -n "$one" ] && [ "${one#*"$EOL"}" = "$one" ]
}

terminal() { # NUMBER
    find_ends
    holder=
    old=yes
    for each in $(printf '%s' "$ENDS" | sed -n 's/^\([0-9]*\) \([0-9]*\) .*ptmx$/\1:\2/p'); do
        about "${each%:*}" "${each#*:}"
        [ -z "$TTY" ] || old=
        if [ "$TTY" = "$1" ]; then holder=${each%:*}; fi
    done
    parents "$PID"
    if [ -z "$holder" ] && [ -n "$old" ]; then # before Linux 4.13; who opened a terminal is above those who use it
        for each in $PARENTS; do
            case "$EOL$ENDS" in *"$EOL$each "*ptmx"$EOL"*) holder=$each && break ;; esac
        done
    fi
    if [ -z "$holder" ]; then
        for each in $PARENTS; do
            { IFS= read -r V; } 2>/dev/null <"/proc/$each/comm" || continue
            case $V in
            screen | SCREEN | tmux* | script)
                if [ ! -r "/proc/$each/fd" ]; then
                    out hidden "$each" - "/dev/pts/$1"
                    return
                fi
                ;;
            esac
        done
        out terminal "$PID" - "/dev/pts/$1"
        return
    fi
    before=$OUT
    OUT=
    if files "$holder"; then
        if of_window "$OUT"; then
            names=$(printf '%s' "$OUT" | grep '^name ')
            OUT=$one$EOL${names:+$names$EOL}
        fi
        OUT=$before$OUT
    else
        OUT=$before
        out terminal "$holder" - "/dev/pts/$1"
    fi
}

# Tells where an open file leads; what is behind a pipe comes next in QUEUE. Of programs behind one, `files` has told.
lead() { # PID FD HOP
    if ! target "$1" "$2"; then
        [ "$3" -gt 0 ] || out closed "$1" "$2" ''
        return
    fi
    case $TARGET in
    'pipe:['*) readers "$TARGET" "$3" ;;
    /dev/pts/[0-9]*) terminal "${TARGET#/dev/pts/}" ;;
    /dev/tty* | /dev/console) out terminal "$1" "$2" "$TARGET" ;;
    *)
        [ "$3" -eq 0 ] || return 0
        case $TARGET in
        /dev/null) out null "$1" "$2" "$TARGET" ;;
        'socket:['*) out socket "$1" "$2" "$TARGET" ;;
        *) kept "$1" "$2" || out other "$1" "$2" "$TARGET" ;;
        esac
        ;;
    esac
}

# Those who read a pipe: the files that they write, and where their own output goes.
readers() { # PIPE HOP
    find_ends
    behind=
    for each in $(printf '%s' "$ENDS" | grep -F " $1" | sed 's/^\([0-9]*\) \([0-9]*\) .*/\1:\2/'); do
        reader=${each%:*}
        target "$reader" "${each#*:}" && [ "$TARGET" = "$1" ] || continue
        about "$reader" "${each#*:}"
        case "$FLAG$behind " in
        [04]*" $reader "*) ;;
        [04]*) behind="$behind $reader" ;;
        esac
    done
    for reader in $behind; do
        LAST=$reader
        files "$reader" || :
        [ "$2" -ge $HOPS ] || QUEUE="$QUEUE$reader:1:$(($2 + 1)) "
    done
}

# Tells where a stream goes, through as many programs as it takes.
stream() { # NUMBER
    STREAM=$1
    begun=$OUT
    LAST=$PID
    QUEUE="$PID:$1:0 "
    while [ -n "$QUEUE" ]; do
        each=${QUEUE%% *}
        QUEUE=${QUEUE#* }
        hop=${each##*:}
        each=${each%:*}
        lead "${each%:*}" "${each#*:}" "$hop"
    done
    if [ "$OUT" = "$begun" ]; then
        out pipe "$LAST" - ''
    fi
}

user() { # WORD UID
    encode "$(timeout 2 id -un "$2" 2>/dev/null)"
    echo "$1 $2 $V"
}

scan() { # PID
    PID=$1
    look_at "$1" || return 0
    find_words "$1" || return 0
    printf 'scan %s %s %s\n' "$1" "$PARENT" "$START"
    tell_words
    while read -r key _ uid _; do
        case $key in Uid:) user uid "$uid" ;; esac
    done 2>/dev/null <"/proc/$1/status"
    V=
    { read -r V; } 2>/dev/null <"/proc/$1/loginuid"
    case $V in
    '' | 4294967295) ;;
    *) user login "$V" ;;
    esac
    parents "$1"
    find_job "$1"
    if [ -n "$JOB" ]; then
        encode "$JOB"
        echo "job $V"
    fi
    if [ ! -r "/proc/$1/fd" ]; then
        echo 'fds hidden'
        return
    fi
    encode "$(readlink "/proc/$1/cwd" 2>/dev/null)"
    echo "cwd $V"
    OUT=
    TOLD=' '
    stream 1
    stream 2
    printf '%s' "$OUT"
}

main() {
    cd /
    exec </dev/null
    [ $# -gt 0 ] || set -- mmrestripefs mmdeldisk mmrpldisk mmchdisk mmadddisk mmdelsnapshot \
        tsrestripefs tsdeldisk tsrpldisk tschdisk tsadddisk tsdelsnapshot \
        gfs2_edit fsck.gfs2 lfs
    echo 'restripe-scans 1'
    tell_clock
    ENDS=
    find_programs "$@"
    count=0
    for pid in $FOUND; do
        parents "$pid"
        belongs=
        for each in $PARENTS; do
            case $FOUND in *" $each "*) belongs=yes ;; esac
        done
        [ -z "$belongs" ] || continue # a part of one that is told: a worker of its, or a copy of its shell
        count=$((count + 1))
        [ $count -gt $MOST ] || scan "$pid"
    done
    [ $count -le $MOST ] || echo "more $((count - MOST))"
    echo end
    exit 0
}

main "$@"
