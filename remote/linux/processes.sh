# What the scripts that look at processes share, version 1; it only looks at /proc. Their own text follows this one:
# it calls its main.
# With RESTRIPE_SYSROOT only processes that have the same in their environment are of this host.
# Only what dash, bash, mksh, ksh93 and busybox sh share is used here; numbers are told as they are, since some count
# in 32 bits.

PATH=$PATH:/usr/sbin:/sbin
LC_ALL=C
export PATH LC_ALL
EOL='
'
BREAK=$(printf '\001')
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

# Sets PARENT, START, STATE and CPU (user and system, in ticks) of process $1 from /proc/PID/stat; the name in it may
# hold anything but `) `.
look_at() {
    { IFS= read -r V; } 2>/dev/null <"/proc/$1/stat" || return 1
    V=${V##*\) }
    set -- $V
    [ $# -ge 20 ] || return 1
    STATE=$1
    PARENT=$2
    shift 11
    CPU="$1 $2"
    shift 8
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
find_programs() { # NAME...
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

# Sets JOB to the directory of the restripe job that a process belongs to: its runner is above it, or it or what is above
# it writes the job's log. PARENTS are those of the process.
find_job() { # PID
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
    for each in $1 $PARENTS; do
        for number in 1 2; do
            target "$each" $number || continue
            JOB=${TARGET%/log}
            [ "$JOB" != "$TARGET" ] && [ -e "$JOB/started" ] && return
            JOB=
        done
    done
}

# Sets words to the first arguments of a process; 1 when it has none any more.
find_words() { # PID
    words=$(tr '\000\n' '\n\001' 2>/dev/null <"/proc/$1/cmdline" | head -n $WORDS)
    [ -n "$words" ]
}

# Tells them, each in a line.
tell_words() {
    printf '%s\n' "$words" | while IFS= read -r word; do
        case $word in
        *"$BREAK"*) word=$(printf '%s' "$word" | tr '\001' '\n') ;;
        esac
        encode "$word"
        echo "arg $V"
    done
}

tell_clock() {
    V=
    { read -r V _; } 2>/dev/null </proc/uptime
    printf 'clock %s %s %s\n' "$(date +%s)" "$V" "$(getconf CLK_TCK 2>/dev/null || echo 100)"
}
