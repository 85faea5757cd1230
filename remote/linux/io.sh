# How much each disk of a host has read and written, version 1; opens no device and writes nothing. docs/impact.md.
# By hand: ssh HOST sh -s <io.sh. Asked by restripe as `sh -c`; remote/linux/diskstats.py reads the answer.
# RESTRIPE_SYSROOT (absolute) stands before /proc and /sys; RESTRIPE_ALL_BLOCK adds loop, ram and the like.
# Only what dash, bash, mksh, ksh93 and busybox sh share is used here.

PATH=$PATH:/usr/sbin:/sbin
LC_ALL=C
export PATH LC_ALL
R=${RESTRIPE_SYSROOT-}

line() {
    V=
    { IFS= read -r V; } 2>/dev/null <"$1"
}

# Whole disks and multipath maps: what is made of others does no I/O of its own, and a path's is that of its map.
wanted() { # NAME as sysfs has it
    if [ -z "$R" ] && [ -z "${RESTRIPE_ALL_BLOCK-}" ]; then
        case $1 in
        loop* | ram* | zram* | sr[0-9]* | fd[0-9]* | nbd* | rbd_*) return 1 ;;
        esac
    fi
    case $1 in
    md[0-9]* | md_*) return 1 ;;
    esac
    d=$R/sys/block/$1
    [ -d "$d" ] || return 1 # a partition
    if [ -e "$d/dm/uuid" ]; then
        line "$d/dm/uuid"
        case $V in
        mpath-*) return 0 ;;
        *) return 1 ;;
        esac
    fi
    for entry in "$d"/holders/*; do
        [ -e "$entry" ] || continue
        line "$R/sys/block/${entry##*/}/dm/uuid"
        case $V in mpath-*) return 1 ;; esac
    done
    return 0
}

main() {
    cd /
    exec </dev/null
    echo 'restripe-io 1'
    V=${RESTRIPE_BOOT_ID-}
    [ -n "$V" ] || line "$R/proc/sys/kernel/random/boot_id"
    [ -n "$V" ] || line /proc/sys/kernel/random/boot_id
    printf 'boot %s\n' "$V"
    if [ ! -r "$R/proc/diskstats" ]; then
        echo 'state absent'
        exit 0
    fi
    printf 'now %s\n' "$(date +%s)"
    # major minor name reads merged sectors ms writes merged sectors ms in-flight ...
    while read -r _ _ name _ _ sectors _ _ _ written _ flight _; do
        file=$name
        case $name in */*) file=${name%%/*}!${name#*/} ;; esac
        if [ -n "$flight" ] && wanted "$file"; then echo "disk $name $sectors $written $flight"; fi
    done <"$R/proc/diskstats"
    echo end
    exit 0
}

main
