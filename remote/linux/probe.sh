# How long creating, looking at and removing a file takes here and now, version 1. docs/impact.md. Runs as a detached job:
# sh probe.sh DIRECTORY MEAN DEADLINE MOST LIFETIME [BUDGET]
# All but MOST are seconds, and may have a fraction; BUDGET is only repeated, so that the log tells it.
# RESTRIPE_SYSROOT (absolute) stands before DIRECTORY. RESTRIPE_PROBE_HOOK is a command that is run inside each timed step,
# with `create`, `stat` or `unlink` behind it: a simulated file system is as slow as it, and fails where it does.
# Only what dash, bash, mksh, ksh93 and busybox sh share is used here; mksh counts in 32 bits. It goes on in a shell that has a
# fine clock, where there is one (bash 5, any ksh): a process for each look at a clock makes short times coarse.
#
# It makes one directory of its own below DIRECTORY, in it one empty file a probe, and removes what it made. Whatever
# touches the file system is a process of its own: one that hangs cannot be ended by anybody, holds up nobody, and is counted.
#
# Lines (the log of the job; a `-` is not known):
# restripe-probe 1 EPOCH NUMBER CREATE_US STAT_US UNLINK_US OUTCOME OUTSTANDING TEXT

PATH=$PATH:/usr/sbin:/sbin
LC_ALL=C
export PATH LC_ALL
umask 077
BEATS=3000 # hundredths of a second: how often it is told at least that something hangs

say() { # FIELD...; in one write, so that lines of several processes never mix
    EPOCH=$(date +%s)
    printf '%s\n' "restripe-probe 1 $EPOCH $*"
}

own() { say "- - - - $*"; } # OUTCOME OUTSTANDING TEXT

refuse() {
    own refused - "$1"
    exit "$2"
}

# Sets NOW: hundredths of a second since this began, by a clock that nobody sets and that needs no program.
now() {
    IFS=' .' read -r UP PART V </proc/uptime
    NOW=$(((UP - BEGAN) * 100 + 1$PART - 100))
}

# Sets S and U: seconds and microseconds of the finest clock that there is. `command -p` is the system's own date.
clock() {
    case $CLOCK in
    shell) S=$EPOCHREALTIME U=${S#*[.,]} S=${S%[.,]*} ;;
    seconds) S=$SECONDS U=${S#*[.,]} S=${S%[.,]*} ;;
    date)
        U=$(command -p date +%s%N)
        S=${U%?????????}
        U=${U#"$S"}
        U=${U%???}
        ;;
    *)
        IFS=' .' read -r S U V </proc/uptime
        U=${U}0000
        ;;
    esac
}

# Sets CLOCK by what this shell has: a clock of its own, of which one that stands still is somebody's variable.
OWN_CLOCK='
CLOCK= first=${EPOCHREALTIME-}
typeset -F6 SECONDS 2>/dev/null
second=${SECONDS-}
(command -p date) >/dev/null 2>&1 # in a shell of its own: bash would take that date for any date from then on
case $first in
[0-9]*[.,]??????) [ "$first" = "$EPOCHREALTIME" ] || CLOCK=shell ;;
*)
    case $second in
    [0-9]*[.,]??????) [ "$second" = "$SECONDS" ] || CLOCK=seconds ;;
    esac
    ;;
esac
'

# Finds the finest clock, if need be by going on in another shell: the same process, with the same words.
find_clock() { # ARGUMENT...
    eval "$OWN_CLOCK"
    [ -z "$CLOCK" ] || return
    if [ -z "${RESTRIPE_PROBE_SHELL-}" ] && [ -f "$0" ]; then
        RESTRIPE_PROBE_SHELL=$$
        export RESTRIPE_PROBE_SHELL
        for each in bash ksh ksh93 mksh; do
            command -v "$each" >/dev/null 2>&1 || continue
            if "$each" -c "$OWN_CLOCK"'[ -n "$CLOCK" ]'; then exec "$each" "$0" "$@"; fi
        done
    fi
    CLOCK=date
    case $(command -p date +%s%N 2>/dev/null) in
    *[!0-9]*) ;;
    ???????????????????*) return ;;
    esac
    CLOCK=uptime
}

# Sets LAP: microseconds since the last look at the clock.
lap() {
    S0=$S U0=$U
    clock
    LAP=$((S - S0))
    if [ $LAP -gt 2000 ]; then
        LAP=${LAP}000000
    else
        LAP=$((LAP * 1000000 + 1$U - 1$U0))
    fi
}

# Sets NET: the last lap without what the measuring itself took. Below what can be measured it is 0.
net() { # COST
    NET=$LAP
    [ ${#LAP} -gt 9 ] || NET=$((LAP - $1))
    case $NET in -*) NET=0 ;; esac
}

hook() { [ -z "$HOOK" ] || eval "$HOOK $1"; }

create() { hook create && { true >"$F"; } 2>/dev/null; }
look() { hook stat && [ -f "$F" ]; }
remove() { hook unlink && rm -f "$F" 2>/dev/null; }

# Sets OUTCOME and WHY of a step that failed. It is tried once more for its words: they cost a process, so no timed step asks.
explain() { # STEP
    case $1 in
    create) WHY=$({ true >"$F"; } 2>&1) ;;
    unlink) WHY=$(rm -f "$F" 2>&1) ;;
    *) WHY= ;;
    esac
    WHY=${WHY##*: }
    OUTCOME=failed
    case $WHY in
    *'No space'* | *uota*) OUTCOME=full ;;
    esac
    [ -d "$D" ] || OUTCOME=gone WHY=
    WHY="$1${WHY:+: $WHY}"
    rm -f "$F" 2>/dev/null
}

# One probe, in a process of its own. What a look at the clock takes, and a rm that removes nothing, is measured before.
probe() { # NUMBER OUTSTANDING
    F=$D/$1
    OUTCOME=ok WHY='' C=- T=- R=-
    now
    FIRST=$NOW
    clock
    START=$S
    # each twice, and the shorter counts: what disturbs one of them is no part of what it takes
    rm -f 2>/dev/null
    lap
    IDLE=$LAP
    rm -f 2>/dev/null
    lap
    [ "$LAP" -gt "$IDLE" ] || IDLE=$LAP
    lap
    COST=$LAP
    lap
    [ "$LAP" -gt "$COST" ] || COST=$LAP
    if create; then
        lap
        net "$COST"
        C=$NET
        if look; then
            lap
            net "$COST"
            T=$NET
            if remove; then
                lap
                net "$IDLE"
                R=$NET
            else
                explain unlink
            fi
        else
            explain stat
        fi
    else
        explain create
    fi
    clock
    now
    if [ "$OUTCOME" = ok ]; then
        [ $((NOW - FIRST)) -lt "$DEADLINE" ] || OUTCOME=late
        off=$((S - START - (NOW - FIRST) / 100))
        case $off in
        -1 | 0 | 1) ;;
        *) OUTCOME=clock C=- T=- R=- WHY='the clock was set' ;;
        esac
    fi
    say "$1 $C $T $R $OUTCOME $2 $WHY"
}

make() { WHY=$(mkdir "$D" 2>&1) || { own refused 0 "${WHY##*: }" && exit 1; }; }

# Removes the directory, and what is left in it of probes that were ended half-way: empty files whose name is a number.
# What else lies there is somebody else's, and stays. Once more after a second: what hung may have made its file only now.
tidy() {
    for again in yes ''; do
        for each in "$D"/[1-9]*; do
            case ${each##*/} in
            *[!0-9]*) continue ;;
            esac
            [ -s "$each" ] || rm -f "$each" 2>/dev/null
        done
        rmdir "$D" 2>/dev/null && return
        [ -d "$D" ] || return 0
        [ -z "$again" ] || sleep 1
    done
    return 1
}

# Whether a process of ours lives; a zombie does not.
lives() { # PID
    { IFS= read -r L; } 2>/dev/null <"/proc/$1/stat" || return 1
    set -- ${L##*\) }
    case $1 in
    Z | X) return 1 ;;
    esac
    [ "$2" = $$ ]
}

# Looks at what was begun: sets OPEN to what still runs (PID:NUMBER:DUE), COUNT of it, HUNG to those past their
# deadline, DUE to the next deadline. Each that passes it is told at once.
look_around() {
    left='' COUNT=0 HUNG=0 DUE=$END late=''
    for each in $OPEN; do
        pid=${each%%:*} each=${each#*:}
        number=${each%%:*} due=${each#*:}
        if ! lives "$pid"; then
            wait "$pid" 2>/dev/null
            STATUS=$?
            continue
        fi
        COUNT=$((COUNT + 1))
        if [ "$due" = hangs ]; then
            HUNG=$((HUNG + 1))
        elif [ "$NOW" -ge "$due" ]; then
            HUNG=$((HUNG + 1)) due=hangs late="$late $number"
        elif [ "$due" -lt $DUE ]; then
            DUE=$due
        fi
        left="$left $pid:$number:$due"
    done
    OPEN=$left
    [ -z "$ENDING" ] || return 0
    for number in $late; do say "$number - - - hangs $HUNG"; done
    if [ $HUNG != "$TOLD" ] || { [ $HUNG != 0 ] && [ "$NOW" -ge $BEAT ]; }; then
        [ -n "$late" ] || own outstanding $HUNG
        TOLD=$HUNG BEAT=$((NOW + BEATS))
    fi
}

begin() { # NUMBER FUNCTION [WORD]...
    number=$1
    shift
    "$@" &
    OPEN="$OPEN $!:$number:$((NOW + DEADLINE))"
}

# Sleeps until a moment, or until a signal comes.
sleep_until() { # NOW
    wanted=$(($1 - NOW))
    [ $wanted -gt 0 ] || return
    part=$((wanted % 100))
    [ $part -gt 9 ] || part=0$part
    if [ -n "$WHOLE" ]; then
        sleep $((wanted / 100 + 1)) &
    else
        sleep $((wanted / 100)).$part &
    fi
    SLEEPER=$!
    [ -n "$STOP" ] && kill $SLEEPER 2>/dev/null # the signal came in between
    wait $SLEEPER 2>/dev/null
    SLEEPER=
}

# Waits until nothing runs any more, or its deadline is over. Looks soon at first, and once a second later.
settle() {
    step=1 limit=$((NOW + DEADLINE))
    while now && look_around && [ $COUNT != 0 ] && [ "$NOW" -lt $limit ]; do
        step=$((step < 50 ? step * 2 : 100))
        sleep_until $((NOW + step))
    done
    return 0
}

# Sets WAIT: hundredths of a second to the next probe. They come at random, so that nothing periodic is always met or missed.
pick() {
    if [ -z "$PICKED" ]; then
        seed=$(od -An -N3 -tu4 /dev/urandom 2>/dev/null)
        PICKED=$(awk -v seed="${seed:-$$}" -v mean="$MEAN" 'BEGIN {
            srand(seed + 0)
            for (i = 0; i < 64; i++) {
                wait = -log(1 - rand()) * mean
                if (wait > 4 * mean) wait = 4 * mean
                printf "%d ", wait + 1
            }
        }')
    fi
    WAIT=${PICKED%% *} PICKED=${PICKED#* }
}

number() { # TEXT
    case $1 in
    '' | . | *[!0-9.]* | *.*.*) refuse "not a number: $1" 2 ;;
    esac
}

arguments() { # DIRECTORY MEAN DEADLINE MOST LIFETIME [BUDGET]
    [ $# = 5 ] || [ $# = 6 ] || refuse 'usage: sh probe.sh DIRECTORY MEAN DEADLINE MOST LIFETIME [BUDGET]' 2
    case $1 in
    /*) ;;
    *) refuse "not an absolute path: $1" 2 ;;
    esac
    for each in "$2" "$3" "$4" "$5" "${6:-0}"; do number "$each"; done
    case $4 in
    [1-9] | [1-9][0-9]) MOST=$4 ;;
    *) refuse "not a number of probes: $4" 2 ;;
    esac
    # hundredths of a second, at most the 240 days that 32 bits hold
    set -- "$1" $(awk -v mean="$2" -v deadline="$3" -v life="$5" 'BEGIN {
        if (mean < 0.01 || mean > 86400 || deadline < 0.01 || deadline > 86400 || life > 20736000) exit
        printf "%d %d %d", mean * 100, deadline * 100, life * 100
    }') "${6:--}"
    [ $# = 5 ] || refuse 'out of range: 0.01 to 86400 s between probes and for one, 240 days at most' 2
    MEAN=$2 DEADLINE=$3 END=$4 BUDGET=$5
}

main() {
    find_clock "$@"
    cd /
    exec </dev/null
    unset RESTRIPE_Q
    HOOK=${RESTRIPE_PROBE_HOOK-}
    OPEN='' STOP='' SLEEPER='' TOLD=0 BEAT=0 PICKED='' STATUS=0 ENDING=''
    IFS=' .' read -r BEGAN V </proc/uptime
    arguments "$@"
    host=$(uname -n)
    case $host in '' | *[!A-Za-z0-9._-]*) host=host ;; esac
    NAME=${1%/}/.restripe-probe-$host-$$
    D=${RESTRIPE_SYSROOT-}$NAME
    WHOLE=
    sleep 0.01 2>/dev/null || WHOLE=yes
    trap 'STOP=yes; [ -z "$SLEEPER" ] || kill $SLEEPER 2>/dev/null' TERM INT
    now
    begin 0 make
    while [ -z "$STOP" ] && settle && [ $COUNT != 0 ] && [ "$NOW" -lt $END ]; do :; done
    if [ $COUNT = 0 ] && [ $STATUS = 0 ]; then
        own begin 0 "clock=$CLOCK mean=$2 deadline=$3 most=$4 lifetime=$5 budget=$BUDGET directory=$NAME"
    elif [ -z "$STOP" ] && [ $COUNT = 0 ]; then
        exit 1 # it was told why
    fi
    NEXT=0 turn=0
    while [ -z "$STOP" ]; do
        now
        look_around
        [ "$NOW" -lt $END ] || break
        if [ "$NOW" -ge $NEXT ]; then
            turn=$((turn + 1))
            [ $COUNT -ge "$MOST" ] || begin $turn probe $turn $COUNT
            [ $((NOW + DEADLINE)) -ge $DUE ] || DUE=$((NOW + DEADLINE))
            pick
            NEXT=$((NOW + WAIT))
        fi
        [ $NEXT -ge $DUE ] || DUE=$NEXT
        [ $HUNG = 0 ] || [ $BEAT -ge $DUE ] || DUE=$BEAT
        sleep_until $DUE
    done
    finish
}

stop_all() {
    for each in $OPEN; do kill "${each%%:*}" 2>/dev/null; done
}

# Gives what runs its time to end, or ends it where this is to stop; then removes what was made.
finish() {
    trap : TERM INT
    now
    if [ -n "$STOP" ]; then stop_all; fi
    STOP=
    settle
    hung=$COUNT
    stop_all
    now
    ENDING=yes # it was told what hangs
    tidy &     # it may hang as well
    OPEN=" $!:-:$((NOW + DEADLINE))" STATUS=1
    settle
    if [ $COUNT = 0 ] && [ $STATUS = 0 ]; then
        own end $hung
        exit 0
    fi
    own end $hung "left $NAME"
    exit 3
}

main "$@"
