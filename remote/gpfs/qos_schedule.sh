# A schedule of limits: tight in office hours, free else, and tight whenever nobody watches. docs/impact.md.
# A detached job runs it:  sh DIRECTORY/run/qos_schedule.sh FS SCAN LEASE DAYS BEGIN END TIGHT FREE EARLIER LAST
#   SCAN     the directory of the scan's job, or pid:PID:START; it ends with it, or when it is told to (TERM)
#   LEASE    seconds for which a sign of life of the watcher counts (its time is in DIRECTORY/renewed)
#   DAYS     digits, 1 is Monday; BEGIN and END are HHMM in the time of this host
#   TIGHT, FREE, EARLIER, LAST   the words of mmchqos behind the file system; EARLIER and LAST are for the end, LAST may be -
# What it changes it says in a line, and nothing else. A process is looked for below RESTRIPE_SYSROOT, then in /proc.
# Only what dash, bash, mksh, ksh93 and busybox sh share is used here.

PATH=$PATH:/usr/lpp/mmfs/bin:/usr/sbin:/sbin
LC_ALL=C
export PATH LC_ALL
set -f # a pool may be `*`
PAUSE=60
TRIES=20

DIRECTORY=${0%/run/*}
FS=$1 SCAN=$2 LEASE=$3 DAYS=$4 BEGIN=$5 END=$6
shift 6
TIGHT=$1 FREE=$2 EARLIER=$3 LAST=$4

told=
trap 'told=yes' TERM
trap '' HUP

say() { printf '%s %s\n' "$(date '+%Y-%m-%d %H:%M:%S')" "$*"; }

apply() { # NAME WORDS WHY
    # the signal that ends this goes to all of the group: a change of the configuration must not be cut by it
    if out=$(
        trap '' TERM
        exec ${RESTRIPE_SUDO-} mmchqos "$FS" $2 2>&1
    ); then
        say "$1 ($3): mmchqos $FS $2"
        return 0
    fi
    say "FAILED $1 ($3): mmchqos $FS $2: $(printf '%s' "$out" | tr '\n' ' ' | cut -c 1-300)"
    return 1
}

pause() { # a signal wakes it
    sleep "$1" &
    wait $!
}

start_of() { # PID; sets START, the time at which it began
    START=
    { IFS= read -r L; } 2>/dev/null <"${RESTRIPE_SYSROOT-}/proc/$1/stat" ||
        { IFS= read -r L; } 2>/dev/null <"/proc/$1/stat" || return 1
    L=${L##*\) }
    set -- $L
    [ $# -ge 20 ] || return 1
    case $1 in Z | X) return 1 ;; esac
    shift 19
    START=$1
}

# Whether the scan has ended for certain: its exit code is there, or its process is gone.
scan_ended() {
    case $SCAN in
    pid:*)
        of=${SCAN#pid:}
        start_of "${of%%:*}" && [ "$START" = "${of#*:}" ] && return 1
        return 0
        ;;
    esac
    [ -d "$SCAN" ] || return 1
    set +f
    set -- "$SCAN"/rc.*
    set -f
    [ -e "$1" ] && return 0
    { IFS= read -r child; } 2>/dev/null <"$SCAN/child" || return 1
    L=${child##*\) }
    set -- $L
    [ $# -ge 20 ] || return 1
    shift 19
    began=$1
    start_of "${child%% *}" && [ "$START" = "$began" ] && return 1
    return 0
}

# Sets WANT and WHY. A time in front of a 1 is compared as a number and never read as an octal one.
choose() {
    set -- $(date '+%s %u %H%M')
    { IFS= read -r seen; } 2>/dev/null <"$DIRECTORY/renewed" || seen=$STARTED
    case $seen in '' | *[!0-9]*) seen=0 ;; esac
    if [ $(($1 - seen)) -gt "$LEASE" ] || [ $((seen - $1)) -gt "$LEASE" ]; then
        WANT=tight WHY="nobody has watched for more than $LEASE s"
        return
    fi
    WANT=free WHY='outside the hours'
    case $DAYS in
    *"$2"*)
        if [ "1$3" -ge "1$BEGIN" ] && [ "1$3" -lt "1$END" ]; then WANT=tight WHY='within the hours'; fi
        ;;
    esac
}

STARTED=$(date +%s)
now=
while :; do
    if [ -n "$told" ]; then
        over='told to end'
        break
    fi
    if scan_ended; then
        over='the scan has ended'
        break
    fi
    choose
    if [ "$WANT" != "$now" ]; then
        words=$FREE
        [ "$WANT" = tight ] && words=$TIGHT
        if apply "$WANT" "$words" "$WHY"; then now=$WANT; else now=; fi
    fi
    [ -n "$told" ] || pause "$PAUSE"
done

tries=0
while ! apply restored "$EARLIER" "$over"; do
    tries=$((tries + 1))
    if [ "$tries" -ge "$TRIES" ]; then
        say 'GAVE UP: the earlier settings could not be restored'
        exit 1
    fi
    pause "$PAUSE"
done
[ "$LAST" = - ] || apply restored "$LAST" "$over"
