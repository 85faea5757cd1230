# Who uses a GFS2, as one host knows it, version 1; it opens no device and changes nothing.
# By hand: ssh HOST sh -s [DEVICE] <use.sh. Asked by restripe as `sh -c`; remote/gfs2/use.py reads the answer.
# RESTRIPE_SYSROOT (absolute) stands before /proc and /sys.
# Only what dash, bash, mksh, ksh93 and busybox sh share is used here; numbers are told as they are.

PATH=$PATH:/usr/sbin:/sbin
LC_ALL=C
export PATH LC_ALL
R=${RESTRIPE_SYSROOT-}
SECONDS_EACH=10 # for each tool of the cluster
NODES=65536     # bytes of a list of nodes
CIB=4194304     # bytes of the resources

# Sets V to a value as it is told: `=TEXT` where it is plain ASCII, else x and its bytes in hex.
encode() { # VALUE
    V=$1
    case $V in
    *[!\ -~]*) V=x$(printf '%s' "$V" | od -An -v -tx1 | tr -d ' \n') ;;
    *) V="=$V" ;;
    esac
}

line() {
    V=
    { IFS= read -r V; } 2>/dev/null <"$1"
}

# Sets V to the number of a block device, MAJOR:MINOR; 1 where there is none.
number() { # PATH
    V=
    [ -b "$1" ] || return 1
    V=$(ls -lLn "$1" 2>/dev/null | sed -n 's/^b[^ ]*  *[^ ]*  *[^ ]*  *[^ ]*  *\([0-9][0-9]*\),  *\([0-9][0-9]*\) .*/\1:\2/p')
    [ -n "$V" ]
}

# The numbers that a device goes by: its own, or those of the loop devices over a file.
device() { # PATH
    encode "$1"
    echo "device $V"
    if number "$1"; then
        echo "number $V"
    elif [ -f "$1" ]; then
        echo 'number -'
        real=$(readlink -f "$1" 2>/dev/null)
        for loop in "$R"/sys/block/loop*; do
            line "$loop/loop/backing_file"
            if [ -n "$V" ] && { [ "$V" = "$1" ] || [ "$V" = "$real" ]; }; then
                line "$loop/dev"
                [ -z "$V" ] || echo "number $V"
            fi
        done
    fi
}

# Whether the kernel knows GFS2 now.
kernel() {
    [ -r "$R/proc/filesystems" ] || return 0
    while read -r word name; do
        if [ "${name:-$word}" = gfs2 ]; then
            echo 'kernel yes'
            return
        fi
    done <"$R/proc/filesystems"
    echo 'kernel no'
}

# ID PARENT MAJOR:MINOR ROOT POINT OPTIONS [TAG...] - TYPE SOURCE OPTIONS; what is no plain byte is \NNN there.
mounts() {
    if [ ! -r "$R/proc/self/mountinfo" ]; then
        echo 'mounts hidden'
        return
    fi
    while read -r _ _ found _ point rest; do
        rest=${rest##* - }
        kind=${rest%% *}
        case $kind in gfs2 | gfs2meta) ;; *) continue ;; esac
        rest=${rest#* }
        encode "$point"
        point=$V
        encode "${rest%% *}"
        echo "mount $found $kind"
        echo "of $V"
        echo "at $point"
    done <"$R/proc/self/mountinfo"
    echo 'mounts told'
}

in_kernel() {
    [ -d "$R/sys/fs/gfs2" ] || return 0
    for entry in "$R"/sys/fs/gfs2/*; do
        [ -d "$entry" ] || continue
        encode "${entry##*/}"
        echo "table $V"
        for name in id uuid withdraw; do
            line "$entry/$name"
            case $V in
            '' | *[!0-9A-Za-z:-]*) ;;
            *) echo "$name $V" ;;
            esac
        done
    done
}

# What a tool says: its exit code, then its lines.
tool() { # BYTES WORD COMMAND...
    most=$1
    word=$2
    shift 2
    command -v "$1" >/dev/null 2>&1 || return 1
    said=$(timeout $SECONDS_EACH "$@" </dev/null 2>&1; echo " $?")
    rc=${said##* }
    echo "$word $1 $rc"
    printf '%s' "${said% *}" | head -c "$most" | sed 's/^/| /'
    [ -z "${said% *}" ] || echo
    SAID=$said
}

# The devices of the resources by their numbers here: other hosts may know them by other names.
devices_of() {
    printf '%s\n' "$SAID" | grep -o 'value="/dev/[^"]*"' | sort -u | head -n 200 | while IFS= read -r each; do
        each=${each#*\"}
        each=${each%\"}
        number "$each" || continue
        at=$V
        encode "$each"
        echo "known $at $V"
    done
}

# The nodes are those that the cluster is made of: corosync-quorumtool tells of present ones alone.
main() {
    cd /
    exec </dev/null
    echo 'restripe-gfs2-use 1'
    line "$R/proc/sys/kernel/hostname" # as a rule its name in the cluster
    if [ -n "$V" ]; then
        encode "$V"
        echo "name $V"
    fi
    [ $# -eq 0 ] || device "$1"
    kernel
    mounts
    in_kernel
    tool $NODES nodes crm_node -l
    tool $NODES nodes corosync-cmapctl nodelist.node.
    if tool $CIB resources cibadmin -Q -o resources; then devices_of; fi
    echo end
    exit 0
}

main "$@"
