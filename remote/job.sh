# The detached-job protocol, version 1, host side. Sent over the standard input of `sh -s`; docs/job-protocol.md.
# Variables set by the client before this text: NONCE, BASE (may be empty), BOOT, the boot that a launch is meant for
# (may be empty), and UNIT, `yes` when runners are to be started by systemd-run wherever there is a systemd.
# Nothing runs unless the last line has arrived whole: main checks its own last argument.
# Only what dash, bash, mksh, ksh93 and busybox sh share is used here.

PATH=$PATH:/usr/lpp/mmfs/bin:/usr/sbin:/sbin
LC_ALL=C
export PATH LC_ALL
umask 077

say() { printf '\nJ1 %s %s\n' "$NONCE" "$*"; }

fail() {
    say error - - - - 0 - "$1"
    exit 0
}

boot_id() {
    if [ -n "${RESTRIPE_BOOT_ID-}" ]; then
        printf '%s' "$RESTRIPE_BOOT_ID"
    else
        cat /proc/sys/kernel/random/boot_id
    fi
}

find_base() {
    if [ -n "$BASE" ]; then
        B=$BASE
    elif [ -n "${RESTRIPE_JOBS-}" ]; then
        B=$RESTRIPE_JOBS
    elif [ "$(id -u)" = 0 ]; then
        B=/var/lib/restripe
    else
        B=$HOME/.local/state/restripe
    fi
    case $B in
    /*) ;;
    *) fail base_relative ;;
    esac
}

# Jobs must outlive a migration of the file system, so they never live on it; and nobody else may plant a command.
check_base() {
    mkdir -p "$B" 2>/dev/null || fail mkdir
    kind=$(stat -f -c %t "$B" 2>/dev/null) || fail base_unknown_fs
    case $kind in
    47504653 | bd00bd0 | 1161970 | 6969 | ff534d42 | fe534d42) fail base_shared_fs ;;
    esac
    set -- $(ls -ldnL "$B/." 2>/dev/null)
    case $1 in
    d????w* | d???????w*) fail base_writable ;;
    d*) ;;
    *) fail base_unreadable ;;
    esac
    [ "$3" = 0 ] || [ "$3" = "$(id -u)" ] || fail base_owner
    above=$B
    while [ -n "$above" ]; do
        above=${above%/*}
        set -- $(ls -ldnL "${above:-/}/." 2>/dev/null)
        case $1 in
        d???????w[!tT]*) fail base_writable ;;
        esac
    done
}

# Sets P_STATE, P_GROUP and P_START of process $1 from /proc/PID/stat; the name in it may hold anything but `) `.
look_at() {
    P_STATE='' P_GROUP='' P_START=''
    { IFS= read -r L; } 2>/dev/null <"/proc/$1/stat" || return 1
    L=${L##*\) }
    set -- $L
    [ $# -ge 20 ] || return 1
    P_STATE=$1 P_GROUP=$3
    shift 19
    P_START=$1
}

# A zombie is dead: an init that does not reap keeps it for ever.
alive() {
    look_at "$1" || return 1
    case $P_STATE in
    Z | X) return 1 ;;
    esac
    [ "$P_START" = "$2" ]
}

# Whether anything lives in the process group of a runner that is gone. While it does, nobody else can get the runner's
# pid, so a process that has it now is a sign that the group is gone.
group_lives() { # PID START
    if look_at "$1" && [ "$P_START" != "$2" ]; then return 1; fi
    for p in /proc/[0-9]*; do
        [ "${p#/proc/}" != "$1" ] && look_at "${p#/proc/}" || continue
        case $P_STATE in
        Z | X) ;;
        *) [ "$P_GROUP" = "$1" ] && return 0 ;;
        esac
    done
    return 1
}

# A command that a signal ended may have left its children at work (sudo passes a signal to its own child alone):
# while they live it has not ended, whatever its exit code says.
ended() {
    S=finished
    if [ "$RC" -ge 128 ] && [ -n "$R_PID" ] && [ "$R_BOOT" = "$(boot_id)" ] && group_lives "$R_PID" "$R_START"; then
        S=orphan RC=- ENDED=- NOTE=group_lives
    fi
}

# The exit code is the name of a file; a name that holds none is not one.
find_rc() {
    for f in "$D"/rc.*.*; do
        f=${f##*/rc.}
        RC=${f%%.*} ENDED=${f#*.}
        case $RC in '' | *[!0-9]*) continue ;; esac
        case $ENDED in *[!0-9]*) continue ;; esac
        ENDED=${ENDED:--}
        return 0
    done
    RC=- ENDED=-
    return 1
}

read_child() {
    C_PID='' C_START=''
    { IFS= read -r L; } 2>/dev/null <"$D/child" || return 1
    C_PID=${L%% *}
    L=${L##*\) }
    set -- $L
    [ $# -ge 20 ] || return 1
    shift 19
    C_START=$1
}

# Sets S, RC, BEGAN, ENDED and NOTE of the job in $D. The order matters: the exit code is written before the
# runner goes, so looking for it again after the runner is gone is final.
find_state() {
    S=absent RC=- BEGAN=- ENDED=- NOTE=- R_PID=''
    KIND='' R_START='' R_BOOT='' R_EPOCH=''
    { read -r KIND R_PID R_START R_BOOT R_EPOCH; } 2>/dev/null <"$D/started"
    case $R_EPOCH in
    '' | *[!0-9]*) ;;
    *) BEGAN=$R_EPOCH ;;
    esac
    if find_rc; then
        ended
    elif [ ! -e "$D/started" ]; then
        # these come after the claim: it was there, and a crash or a hand has taken it
        if [ -e "$D/child" ] || [ -e "$D/log" ]; then S=lost NOTE=claim_gone; fi
    elif [ "$KIND" = sealed ]; then
        S=sealed
    elif [ "$KIND" != run ] || [ "$BEGAN" = - ]; then
        S=lost NOTE=claim_unreadable
    elif [ "$R_BOOT" != "$(boot_id)" ]; then
        S=rebooted
        if find_rc; then ended; fi
    elif alive "$R_PID" "$R_START"; then
        S=running
    elif find_rc; then
        ended
    elif read_child && alive "$C_PID" "$C_START"; then
        S=orphan
    elif group_lives "$R_PID" "$R_START"; then # it may not have told its pid yet, or its children do the work
        S=orphan
    else
        S=lost
        read_child || NOTE=no_child
    fi
}

# One header line: state rc began ended inode size free_kb note.
report() {
    INODE=- SIZE=0 FREE=-
    set -- $(ls -iLn "${1:-$D/log}" 2>/dev/null)
    [ $# -ge 6 ] && INODE=$1 SIZE=$6
    set -- $(df -Pk "$B" 2>/dev/null | tail -n 1)
    [ $# -ge 4 ] && FREE=$4
    say "$S" "$RC" "$BEGAN" "$ENDED" "$INODE" "$SIZE" "$FREE" "$NOTE"
}

bytes() { # FILE OFFSET MAX
    [ "$SIZE" -gt "$2" ] && tail -c "+$(($2 + 1))" "$1" 2>/dev/null | head -c "$3"
}

# What cannot be looked into is not absent.
hidden() { [ -d "$1" ] && { [ ! -r "$1" ] || [ ! -x "$1" ]; }; }

job() { # ID
    case $1 in
    '' | . | .. | *[!A-Za-z0-9._-]*) fail bad_id ;;
    esac
    D=$B/$1
    if hidden "$B" || hidden "$D"; then fail base_unreadable; fi
}

put() { # FILE CONTENT; a full disk may show only when the text is read back
    printf '%s' "$2" 2>/dev/null >"$1" || return 1
    [ "$(cat "$1" 2>/dev/null && echo .)" = "$2." ]
}

sync_file() { dd if=/dev/null of="$1" conv=notrunc,fsync 2>/dev/null; }

# The runner keeps the exit code. It is told: job directory, try directory, boot id. The link is the only point
# where it is decided who runs; a try that comes second goes away without a trace.
RUNNER='
umask 077
trap "" HUP
trap : TERM
D=$1 T=$2 BOOT=$3
IFS= read -r L <"/proc/$$/stat"
L=${L##*\) }
set -- $L
shift 19
printf "run %s %s %s %s\n" "$$" "$1" "$BOOT" "$(date +%s)" >"$T/info" && [ -s "$T/info" ] || exit 1
dd if=/dev/null of="$T/info" conv=notrunc,fsync 2>/dev/null
#@stage beforeln
ln "$T/info" "$D/started" 2>/dev/null || { rm -rf "$T"; exit 0; }
#@stage afterln
dd if=/dev/null of="$D/started" conv=notrunc,fsync 2>/dev/null
: >>"$D/log"
if ! mv "$T" "$D/run"; then
    echo "restripe: cannot create $D/run; nothing was run" >>"$D/log"
    mv "$T/end" "$D/rc.126.$(date +%s)"
    exit 1
fi
fallocate -n -l 8M "$D/log" 2>/dev/null
sh "$D/run/script" "$D" </dev/null >>"$D/log" 2>&1
rc=$?
[ "$rc" -gt 255 ] && rc=$((rc - 128))
#@stage beforerc
mv "$D/run/end" "$D/rc.$rc.$(date +%s)"
'

# Whether a runner is to be a unit of its own: always, or where logind would end it with the login (root is exempt).
wants_unit() {
    [ -d /run/systemd/system ] || return 1
    [ "$UNIT" = yes ] && return 0
    [ "$(id -u)" != 0 ] && [ "$(loginctl show-session -p KillUserProcesses 2>/dev/null)" = KillUserProcesses=yes ]
}

# Starts the runner in $T. The link decides who runs, so a unit that starts late or twice does no harm.
start_runner() {
    boot=$(boot_id)
    if wants_unit; then
        manager=--system
        if [ "$(id -u)" != 0 ]; then
            manager=--user # it ends with the last login of a user who does not linger
            [ "$(loginctl show-user "$(id -u)" -p Linger 2>/dev/null)" != Linger=no ] || return 1
        fi
        # the command outlives its runner, as without a unit; the name is the launcher's own, so that none is taken
        systemd-run "$manager" --quiet --unit="restripe-${D##*/}-$$.service" --description="restripe ${D##*/}" \
            --property=KillMode=process --setenv=PATH="$PATH" --setenv=HOME="${HOME-/}" --setenv=LC_ALL=C \
            sh "$T/runner" "$D" "$T" "$boot" </dev/null >/dev/null 2>&1
    else
        setsid sh "$T/runner" "$D" "$T" "$boot" </dev/null >/dev/null 2>&1 &
    fi
}

launch() { # ID SCRIPT COMMAND ABOUT [NAME CONTENT]... END
    job "$1"
    check_base
    command -v setsid >/dev/null 2>&1 || fail no_setsid
    mkdir -p "$D" 2>/dev/null || fail mkdir
    find_state
    if [ "$S" != absent ]; then
        if [ -e "$D/run/command" ] && [ "$(cat "$D/run/command" 2>/dev/null)" != "$(printf '%s' "$3")" ]; then
            fail other_command
        fi
        report
        return
    fi
    # a crash may have eaten the link of an earlier try: only within one boot is "absent" the whole truth
    [ -z "$BOOT" ] || [ "$BOOT" = "$(boot_id)" ] || fail other_boot
    look_at $$ || fail no_proc
    T=$D/try.$$.$P_START
    mkdir "$T" 2>/dev/null || fail mkdir
    #@stage prep
    put "$T/script" "$2" && put "$T/command" "$3" && put "$T/about" "$4" && put "$T/runner" "$RUNNER" &&
        : >"$T/end" || { rm -rf "$T"; fail no_space_or_io; }
    shift 4
    while [ $# -ge 2 ]; do
        put "$T/$1" "$2" || { rm -rf "$T"; fail no_space_or_io; }
        shift 2
    done
    #@stage beforefork
    refused=
    start_runner || refused=yes # it may have started even so
    #@stage afterfork
    tries=0
    while [ ! -e "$D/started" ] && [ $tries -lt 50 ]; do
        sleep 0.1 2>/dev/null || sleep 1
        tries=$((tries + 1))
    done
    find_state
    [ "$S" = absent ] && [ -n "$refused" ] && { rm -rf "$T"; fail no_unit; }
    [ "$S" = absent ] && NOTE=not_claimed
    report
}

seal() { # ID
    job "$1"
    check_base
    mkdir -p "$D" 2>/dev/null || fail mkdir
    find_state
    if [ "$S" = absent ]; then
        T=$D/seal.$$
        printf 'sealed 0 0 %s %s\n' "$(boot_id)" "$(date +%s)" 2>/dev/null >"$T" && [ -s "$T" ] || fail no_space_or_io
        sync_file "$T"
        ln "$T" "$D/started" 2>/dev/null && sync_file "$D/started"
        rm -f "$T"
        find_state
        [ "$S" = absent ] && fail no_hard_links
    fi
    report
}

stop() { # ID SIGNAL; the runner survives so that the exit code is kept
    job "$1"
    find_state
    case $S in
    running | orphan) ;;
    *)
        report
        return
        ;;
    esac
    if read_child && alive "$C_PID" "$C_START"; then
        [ "$P_GROUP" = "$R_PID" ] || NOTE=not_our_group
    elif [ "$S" != orphan ]; then
        NOTE=no_child
    fi
    if [ "$NOTE" != - ] && [ "$NOTE" != group_lives ]; then
        :
    elif [ "$2" = KILL ]; then
        for p in /proc/[0-9]*; do
            p=${p#/proc/}
            if [ "$p" != "$R_PID" ] && look_at "$p" && [ "$P_GROUP" = "$R_PID" ]; then
                kill -KILL "$p" 2>/dev/null || { look_at "$p" && NOTE=not_permitted; }
            fi
        done
    else
        # what a signal has stopped learns of TERM when it goes on
        if kill -TERM "-$R_PID" 2>/dev/null; then kill -CONT "-$R_PID" 2>/dev/null; else NOTE=not_permitted; fi
    fi
    report
}

renew() { # ID; a sign that whoever set a job to work still watches it: the job may look at it, nothing else does
    job "$1"
    find_state
    case $S in
    running | orphan)
        { printf '%s\n' "$(date +%s)" >"$D/renewed.new" && mv -f "$D/renewed.new" "$D/renewed"; } 2>/dev/null ||
            NOTE=no_space_or_io
        ;;
    esac
    report
}

list() {
    count=0
    if hidden "$B"; then fail base_unreadable; fi
    for D in "$B"/*; do
        case ${D##*/} in
        *[!A-Za-z0-9._-]*) continue ;;
        esac
        [ -d "$D" ] || continue
        count=$((count + 1))
        [ $count -gt 1000 ] && break
        find_state
        if hidden "$D"; then S=error NOTE=base_unreadable; fi
        set -- "$D"/try.*/about
        about=$D/run/about
        [ -e "$about" ] || about=$1
        report
        printf 'I %s\nA ' "${D##*/}"
        head -c 1048576 "$about" 2>/dev/null | tr -d '\r\n'
        printf '\n'
    done
    S=end RC=- BEGAN=- ENDED=- NOTE=- D=/
    report /
}

poll() { # ID OFFSET MAX
    job "$1"
    find_state
    report
    bytes "$D/log" "$2" "$3"
}

watch_file() { # PATH OFFSET MAX PID START; PID - when unknown, START - at the first look
    S=file RC=- BEGAN=- ENDED=- NOTE=-
    if [ "$4" != - ]; then
        S=gone
        look_at "$4" && [ "$P_STATE" != Z ] && { [ "$5" = - ] || [ "$5" = "$P_START" ]; } && S=alive RC=$P_START
    fi
    [ -e "$1" ] || NOTE=no_file
    [ -e "$1" ] && [ ! -r "$1" ] && NOTE=no_permission
    report "$1"
    [ -r "$1" ] && bytes "$1" "$2" "$3"
}

main() {
    for last do :; done
    [ "$last" = "END:$NONCE" ] || exit 9
    exec </dev/null
    operation=$1
    shift
    find_base
    case $operation in
    launch) launch "$@" ;;
    seal) seal "$1" ;;
    stop) stop "$1" "$2" ;;
    renew) renew "$1" ;;
    poll) poll "$1" "$2" "$3" ;;
    list) list ;;
    file) watch_file "$1" "$2" "$3" "$4" "$5" ;;
    place)
        D=/ S=place RC=- BEGAN=- ENDED=- NOTE=-
        report /
        printf '%s\n%s\n' "$B" "$(boot_id)"
        ;;
    *) fail bad_operation ;;
    esac
    exit 0
}
