# What lies on the disks of a host, version 1: signatures and the first sectors. docs/devices.md.
# By hand, as root: ssh HOST sh -s <signatures.sh. Asked by restripe as `sh -c`; remote/linux/contents_parsing.py reads
# the answer. RESTRIPE_SYSROOT (absolute) stands before /sys, /dev and /run/udev; RESTRIPE_ALL_BLOCK adds loop and ram.
# Only what dash, bash, mksh, ksh93 and busybox sh share is used here.
#
# It writes nothing: dd, blkid -p, wipefs -n, partx -s and smartctl -A open a device for reading, and no cache of blkid's is used.
# A path of a multipath map is never opened. A read that hangs cannot be ended by anybody, so each device has a reader
# of its own that is left behind: it holds nothing of ours, and RESTRIPE_READS in its environment tells every later
# run, whoever's, that it is still there.

PATH=$PATH:/usr/sbin:/sbin
LC_ALL=C
export PATH LC_ALL
R=${RESTRIPE_SYSROOT-}
EACH=${RESTRIPE_READ_SECONDS:-5} # for one device
ALL=40                           # for all of them; no other is begun after that
WORKERS=8

# Reads device $1. Every line names the tool that said it; `over` is the last, and stands there when nothing is missing.
READER='
trap "" HUP
D=$1
told() { while IFS= read -r L || [ -n "$L" ]; do printf "%s %s\n" "$1" "$L"; done; } # by the shell itself: disks are many
words=$(dd if="$D" bs=512 count=64 2>&1 >/dev/null)
rc=$?
if [ $rc != 0 ]; then
    printf "%s\n" "$words" | told dd
    echo "dd rc $rc"
    exit
fi
{ { dd if="$D" bs=512 count=64 2>/dev/null; echo "first rc $?" >&3; } | tr -d "\000" | wc -c | told nonzero >&3; } 3>&1
dd if="$D" bs=512 skip=2 count=1 2>/dev/null | od -An -v -tx1 -N64 | told sector2
{ blkid -p -o export -c /dev/null "$D"; echo "rc $?"; } 2>&1 | told blkid
{ wipefs -n -p "$D"; echo "rc $?"; } 2>&1 | told wipefs
{ partx -s -g -o TYPE "$D"; echo "rc $?"; } 2>&1 | told partx
# how worn it is, where a host can tell: worth a moment, and no word of it decides what is empty
timeout 2 smartctl -A "$D" 2>/dev/null |
    grep -E "^ *[0-9]+ [A-Za-z_]*(Reallocated_Sector|Wear|Life)|ercentage [Uu]sed|grown defect list" | told smart
echo over
'

line() {
    V=
    { IFS= read -r V; } 2>/dev/null <"$1"
}

# Seconds since the boot: no clock can be set back under it, and no program is needed.
now() {
    NOW=0
    { IFS=. read -r NOW V; } 2>/dev/null </proc/uptime
}

# Whether a device is a path of a multipath map: the map holds it, or udev has set it aside for one.
is_path() { # DIRECTORY NUMBER
    for entry in "$1"/holders/*; do
        [ -e "$entry" ] || continue
        line "$R/sys/block/${entry##*/}/dm/uuid"
        case $V in mpath-*) return 0 ;; esac
    done
    case $PATHS in
    *"/b$2$EOL"*) return 0 ;;
    esac
    return 1
}

# Sets DEV to the file of a device below /dev.
find_dev() { # DIRECTORY
    DEV=${1##*/}
    while :; do
        case $DEV in
        *!*) DEV=${DEV%%!*}/${DEV#*!} ;; # cciss!c0d0 is /dev/cciss/c0d0
        *) break ;;
        esac
    done
    DEV=$R/dev/$DEV
    if [ ! -e "$DEV" ] && [ -e "$1/dm/name" ]; then
        line "$1/dm/name"
        DEV=$R/dev/mapper/$V
    fi
}

# A reader in the background: `cat` has the only other end of its pipe, and gives up after a time.
read_device() { # NAME
    {
        RESTRIPE_READS=${R:+$R:}$1 sh -c "$READER" restripe-reads "$DEV" </dev/null 2>&1 &
    } | timeout "$EACH" cat
    case $? in
    0) ;;
    124) echo 'state hangs' ;;
    *) echo 'state broken' ;;
    esac
}

# Sets LIVING to the marks of all readers that are there, of whomever.
find_readers() {
    LIVING=$EOL$(cat /proc/[0-9]*/environ 2>/dev/null | tr '\000' '\n' | grep '^RESTRIPE_READS=')$EOL
}

is_read() { # NAME
    case $LIVING in
    *"$EOL$MARK$1$EOL"*) return 0 ;;
    esac
    return 1
}

device() { # DIRECTORY
    d=$1
    name=${d##*/}
    line "$d/dev"
    number=$V
    echo "device $name"
    if is_path "$d" "$number"; then
        echo 'state path'
        return
    fi
    while is_read "$name"; do # by another session this moment, or for good: only a reader that stays hangs
        if [ "$WAITED" -ge "${EACH%.*}" ]; then
            echo 'state still'
            return
        fi
        sleep 1
        WAITED=$((WAITED + 1))
        find_readers
    done
    now
    if [ "$((NOW - BEGAN))" -ge $ALL ]; then
        echo 'state late'
        return
    fi
    find_dev "$d"
    read_device "$name"
}

# Whether a device is looked at: whole disks and multipath maps. What is made of others is on them, not in itself.
wanted() { # DIRECTORY
    name=${1##*/}
    case $name in
    md[0-9]* | md_*) return 1 ;;
    esac
    if [ -z "$R" ] && [ -z "${RESTRIPE_ALL_BLOCK-}" ]; then
        case $name in
        loop* | ram* | zram* | sr[0-9]* | fd[0-9]* | nbd* | rbd_*) return 1 ;;
        esac
    fi
    if [ -e "$1/hidden" ]; then
        line "$1/hidden"
        [ "$V" != 1 ] || return 1
    fi
    if [ -e "$1/dm/uuid" ]; then
        line "$1/dm/uuid"
        case $V in
        mpath-*) ;;
        *) return 1 ;;
        esac
    elif [ -e "$1/dm" ]; then
        return 1
    fi
    line "$1/size"
    if [ "$V" = 0 ]; then
        echo "device $name${EOL}state size"
        return 1
    fi
}

# One of the workers: every so many devices are its own. What the worker before it says is passed on first, so that
# the words of two never mix; it goes on working meanwhile.
worker() { # NUMBER
    {
        turn=0
        for each in $DEVICES; do
            turn=$(((turn + 1) % WORKERS))
            if [ $turn = "$1" ]; then device "$R/sys/block/$each"; fi
        done </dev/null 3<&- | {
            cat <&3
            exec 3<&-
            cat
        }
    } 3<&0
}

main() {
    cd /
    exec </dev/null
    EOL='
'
    unset RESTRIPE_Q # a reader that is left behind is no question that still runs
    echo 'restripe-signatures 1'
    now
    BEGAN=$NOW
    PATHS=$(grep -ls '^E:DM_MULTIPATH_DEVICE_PATH=1' "$R"/run/udev/data/b* /dev/null)$EOL
    MARK=RESTRIPE_READS=${R:+$R:}
    WAITED=0 # seconds, by each worker for all its devices
    find_readers
    DEVICES=
    for each in "$R"/sys/block/*; do
        if [ -e "$each" ] && wanted "$each"; then DEVICES="$DEVICES ${each##*/}"; fi
    done
    worker 0 | worker 1 | worker 2 | worker 3 | worker 4 | worker 5 | worker 6 | worker 7
    echo end
    exit 0
}

main
