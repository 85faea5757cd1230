# What the kernel knows of a host's block devices, version 1; opens no device and writes nothing. docs/devices.md.
# By hand: ssh HOST sh -s <devices.sh. Asked by restripe as `sh -c`; remote/linux/inventory_parsing.py reads the answer.
# RESTRIPE_SYSROOT (absolute) stands before every path but the boot id's; RESTRIPE_ALL_BLOCK adds loop, ram and the like.
# Only what dash, bash, mksh, ksh93 and busybox sh share is used here. Values are read by the shell itself: a host may
# have a thousand devices, and starting a program for each value would take minutes.

PATH=$PATH:/usr/sbin:/sbin
LC_ALL=C
export PATH LC_ALL
R=${RESTRIPE_SYSROOT-}
EOL='
'

# Sets V to the first line of a file, "" when there is none; a last line without its end is one, too.
line() {
    V=
    { IFS= read -r V; } 2>/dev/null <"$1"
}

# Adds a field to the record of a device, when the file holds something.
field() { # NAME FILE
    [ -e "$2" ] || return 0
    line "$2"
    [ -z "$V" ] || RECORD="$RECORD$1 $V$EOL"
}

fields() { # NAME FILE, the first of them that is there
    while [ $# -ge 2 ]; do
        if [ -e "$2" ]; then
            field "$1" "$2"
            return
        fi
        shift 2
    done
}

members() { # NAME DIRECTORY
    for entry in "$2"/*; do
        if [ -e "$entry" ] || [ -L "$entry" ]; then RECORD="$RECORD$1 ${entry##*/}$EOL"; fi
    done
}

# The slots that the firmware numbers, by PCI address: " 0000:04:00=7 ".
pci_slots() {
    SLOTS=
    for entry in "$R"/sys/bus/pci/slots/*; do
        [ -e "$entry/address" ] || continue
        line "$entry/address"
        SLOTS="$SLOTS $V=${entry##*/} "
    done
}

# Where a device sits: its place on the bus, and its slot as far as an enclosure or the firmware tells.
place() { # DIRECTORY
    cd -P "$1/device" 2>/dev/null || return 0
    where=$PWD
    cd /
    case ${where##*/} in
    *[!0-9:]*) ;;
    *:*:*:*) RECORD="${RECORD}hctl ${where##*/}$EOL" ;;
    esac
    for entry in "$1"/device/enclosure_device:*; do
        [ -e "$entry" ] || [ -L "$entry" ] || continue
        field enclosure "$entry/../id"
        V=
        [ -e "$entry/slot" ] && line "$entry/slot"
        RECORD="${RECORD}slot ${V:-${entry##*enclosure_device:}}$EOL"
        return
    done
    case $where in
    */nvme/*)
        where=${where%%/nvme/*}
        where=${where##*/}
        case $SLOTS in
        *" ${where%.*}="*)
            where=${SLOTS#*" ${where%.*}="}
            RECORD="${RECORD}slot ${where%% *}$EOL"
            ;;
        esac
        ;;
    esac
}

device() { # DIRECTORY
    d=$1
    name=${d##*/}
    if [ -z "$R" ] && [ -z "${RESTRIPE_ALL_BLOCK-}" ]; then
        case $name in
        loop* | ram* | zram* | sr[0-9]* | fd[0-9]* | nbd* | rbd_*) return ;;
        esac
    fi
    if [ -e "$d/hidden" ]; then # one path of an NVMe device whose paths the kernel joins
        line "$d/hidden"
        [ "$V" != 1 ] || return 0
    fi
    RECORD="device $name$EOL"
    field number "$d/dev"
    field sectors "$d/size"
    field rotational "$d/queue/rotational"
    field logical "$d/queue/logical_block_size"
    field physical "$d/queue/physical_block_size"
    field write_cache "$d/queue/write_cache"
    field vendor "$d/device/vendor"
    field model "$d/device/model"
    fields firmware "$d/device/rev" firmware "$d/device/firmware_rev"
    fields serial "$d/device/serial" serial "$d/serial"
    fields wwid "$d/device/wwid" wwid "$d/wwid"
    field dm_name "$d/dm/name"
    field dm_uuid "$d/dm/uuid"
    field md_level "$d/md/level"
    members holder "$d/holders"
    for part in "$d/$name"*; do
        [ -e "$part/partition" ] || continue
        line "$part/dev"
        RECORD="${RECORD}part ${part##*/} $V$EOL"
        members holder "$part/holders"
    done
    members slave "$d/slaves"
    [ -e "$d/device" ] && place "$d"
    printf '%s' "$RECORD"
}

# Names below /dev/disk and /dev/mapper with the kernel's name of what they lead to, one listing for each directory.
links() {
    for entry in "$R"/dev/disk/by-* "$R"/dev/mapper; do
        [ -d "$entry" ] || continue
        below=${entry#"$R"/dev/}
        ls -ln "$entry/" 2>/dev/null |
            sed -n "s|^l[^ ]*\( *[^ ]\{1,\}\)\{7\} \(.*\) -> \(.*/\)\{0,1\}\([^/]*\)\$|link \4 ${below#disk/}/\2|p"
    done
}

# Serial numbers that the kernel keeps as binary pages (SCSI), all files in one go; their first four bytes are a header.
serials() {
    set -- "$R"/sys/block/*/device/vpd_pg80
    [ -e "$1" ] || return 0
    { tail -c +5 /dev/null "$@" 2>/dev/null; echo; } | tr -d '\000-\011\013-\037\177-\377' | sed 's/^/vpd80 /'
}

# What udev keeps of identities; older kernels tell them nowhere else.
udev() {
    set -- "$R"/run/udev/data/b*
    [ -e "$1" ] || return 0
    grep -Es '^E:(ID_WWN|ID_WWN_WITH_EXTENSION|ID_SERIAL_SHORT|SCSI_IDENT_SERIAL|ID_SCSI_SERIAL)=' "$@" /dev/null |
        sed -n 's,^.*/b\([0-9]*:[0-9]*\):E:,udev \1 ,p'
}

# Mounts of numbered devices, and those that have a device for their source.
mounts() {
    sed -n -e '/ - [^ ]* \/dev\//b y' -e '/^[0-9]* [0-9]* [1-9]/b y' -e d -e ':y' -e 's/^/mount /p' \
        "$R/proc/self/mountinfo" 2>/dev/null
    sed -n '2,$s/^/swap /p' "$R/proc/swaps" 2>/dev/null
}

# The list of devices that GPFS is given by the administrator: its sum, or that there is none. Unknown is not absent.
nsddevices() {
    file=$R/var/mmfs/etc/nsddevices
    if [ -e "$file" ] || [ -L "$file" ]; then
        V=
        [ -f "$file" ] && V=$(cksum 2>/dev/null <"$file") || V=
        printf 'nsddevices %s\n' "${V:-unreadable}"
        return
    fi
    for entry in "$R/var" "$R/var/mmfs" "$R/var/mmfs/etc"; do
        if [ -d "$entry" ] && [ ! -x "$entry" ]; then
            echo 'nsddevices unreadable'
            return
        fi
    done
    echo 'nsddevices absent'
}

main() {
    cd /
    exec </dev/null
    echo 'restripe-devices 1'
    V=${RESTRIPE_BOOT_ID-}
    [ -n "$V" ] || line "$R/proc/sys/kernel/random/boot_id"
    [ -n "$V" ] || line /proc/sys/kernel/random/boot_id
    printf 'boot %s\n' "$V"
    pci_slots
    for each in "$R"/sys/block/*; do
        if [ -e "$each" ]; then device "$each"; fi
    done
    links
    serials
    udev
    mounts
    nsddevices 2>/dev/null
    echo end
    exit 0
}

main
