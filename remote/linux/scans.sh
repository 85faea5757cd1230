# The scans that run on a host, whoever started them, and where their output goes, version 1; it only looks at /proc.
# By hand: ssh HOST sh -s <scans.sh. Asked by restripe as `sh -c`, with the names of programs to look for or without;
# remote/linux/scans_parsing.py reads the answer. Without root nobody sees where the output of other people's goes.
# With RESTRIPE_SYSROOT only processes that have the same in their environment are of this host.
# Only what dash, bash, mksh, ksh93 and busybox sh share is used here; numbers are told as they are, since some count
# in 32 bits.

PATH=$PATH:/usr/sbin:/sbin
LC_ALL=C
export PATH LC_ALL
EOL='
'
MOST=16  # scans that are told
HOPS=4   # programs that output is followed through
FDS=128  # open files of a program that are looked at
WORDS=64 # arguments that are told

# Sets V to a value as it is told: `=TEXT` where it is plain ASCII, else x and its bytes in hex.
encode() { # VALUE
    V=$1
    [ ${#V} -le 4096 ] || V=$(printf '%.4096s' "$V")
    case $V in
    *[!\ -~]*) V=x$(printf '%s' "$V" | od -An -v -tx1 | tr -d ' \n') ;;
    *) V="=$V" ;;
    esac
}

# Sets PARENT and START of process $1 from /proc/PID/stat; the name in it may hold anything but `) `.
look_at() {
    { IFS= read -r V; } 2>/dev/null <"/proc/$1/stat" || return 1
    V=${V##*\) }
    set -- $V
    [ $# -ge 20 ] || return 1
    PARENT=$2
    shift 19
    START=$1
}

# Sets PARENTS to all processes above one, the nearest first.
parents() { # PID
    PARENTS=' '
    at=$1
    steps=0
    while [ $steps -lt 32 ] && look_at "$at" && [ "$PARENT" -gt 0 ]; do
        at=$PARENT
        PARENTS="$PARENTS$at "
        steps=$((steps + 1))
    done
}

# Sets NAMED to what a process runs: its program, or the script that a shell was given.
named() { # PID
    NAMED=
    count=0
    shell=
    while [ $count -lt 8 ] && IFS= read -r word; do
        count=$((count + 1))
        case $count$shell$word in
        1*)
            NAMED=${word##*/}
            case $NAMED in
            sh | ash | bash | dash | ksh* | mksh | busybox | perl* | python*) shell=: ;;
            *) return ;;
            esac
            ;;
        ?:-*c) NAMED= && return ;; # what it runs is no file
        ?:-*) ;;
        ?:*)
            NAMED=${word##*/}
            case $NAMED in sh | ash) ;; *) return ;; esac
            ;;
        esac
    done <<END
$(tr '\000' '\n' 2>/dev/null <"/proc/$1/cmdline" | head -n 8)
END
}

of_this_host() { # PID
    [ -z "${RESTRIPE_SYSROOT-}" ] ||
        { tr '\000' '\n' <"/proc/$1/environ" | grep -Fqx "RESTRIPE_SYSROOT=$RESTRIPE_SYSROOT"; } 2>/dev/null
}

# Sets FOUND to the processes that run one of the programs.
find_scans() { # NAME...
    FOUND=' '
    pattern=
    for name in "$@"; do
        case $name in
        '' | *[!A-Za-z0-9._+-]*) ;;
        *) pattern="$pattern${pattern:+|}$name" ;;
        esac
    done
    for file in $(grep -lsE "$pattern" /proc/[0-9]*/cmdline); do
        pid=${file#/proc/}
        pid=${pid%/cmdline}
        named "$pid"
        for name in "$@"; do
            if [ "$NAMED" = "$name" ]; then of_this_host "$pid" && FOUND="$FOUND$pid "; fi
        done
    done
}

# Every end of a pipe, and every master of a terminal, of all processes: lines `PID FD TARGET`.
find_ends() {
    [ -z "$ENDS" ] || return 0
    ENDS=$(ls -l /proc/[0-9]*/fd 2>/dev/null | sed -n \
        -e '/^\/proc\/[0-9]*\/fd:$/{s/[^0-9]//g;h;d;}' \
        -e '/ -> pipe:\[[0-9]*\]$/b y' -e '/ -> \/dev\/.*ptmx$/b y' -e d \
        -e ':y' -e G -e 's/^.* \([0-9]*\) -> \(.*\)\n\(.*\)$/\3 \1 \2/p')$EOL
}

# Sets FLAG to the last digit of the flags of an open file (0: only read), and TTY to the terminal of a master.
about() { # PID FD
    FLAG= TTY=
    while read -r key value; do
        case $key in
        flags:) FLAG=${value#"${value%?}"} ;;
        tty-index:) TTY=$value ;;
        esac
    done 2>/dev/null <"/proc/$1/fdinfo/$2"
}

target() { # PID FD
    TARGET=$(readlink "/proc/$1/fd/$2" 2>/dev/null)
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

# Sets JOB to the directory of the restripe job that a process belongs to: its runner is above it, or it writes its log.
find_job() {
    JOB=
    for each in $PARENTS; do
        words=$({ tr '\000' '\n' <"/proc/$each/cmdline" | sed -n -e '2h;3G' -e '3p;4p;4q'; } 2>/dev/null)
        case $words in
        *"$EOL"*"/runner$EOL"*)
            JOB=${words%%"$EOL"*}
            case $words in
            "$JOB$EOL${words##*"$EOL"}/runner$EOL${words##*"$EOL"}") return ;;
            esac
            JOB=
            ;;
        esac
    done
    for number in 1 2; do
        target "$PID" $number || continue
        JOB=${TARGET%/log}
        [ "$JOB" != "$TARGET" ] && [ -e "$JOB/started" ] && return
        JOB=
    done
}

user() { # WORD UID
    encode "$(timeout 2 id -un "$2" 2>/dev/null)"
    echo "$1 $2 $V"
}

scan() { # PID
    PID=$1
    look_at "$1" || return 0
    words=$(tr '\000\n' '\n\001' 2>/dev/null <"/proc/$1/cmdline" | head -n $WORDS)
    [ -n "$words" ] || return 0
    printf 'scan %s %s %s\n' "$1" "$PARENT" "$START"
    printf '%s\n' "$words" | while IFS= read -r word; do
        case $word in
        *"$BREAK"*) word=$(printf '%s' "$word" | tr '\001' '\n') ;;
        esac
        encode "$word"
        echo "arg $V"
    done
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
    find_job
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
    V=
    { read -r V _; } 2>/dev/null </proc/uptime
    printf 'clock %s %s %s\n' "$(date +%s)" "$V" "$(getconf CLK_TCK 2>/dev/null || echo 100)"
    BREAK=$(printf '\001')
    ENDS=
    find_scans "$@"
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
