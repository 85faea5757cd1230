# What is at some paths and how much room is where they lie, version 1; it writes nothing.
# By hand: ssh HOST sh -s PATH... <room.sh. Asked by restripe as `sh -c`; remote/linux/room.py reads the answer.
# Only what dash, bash, mksh, ksh93 and busybox sh share is used here; numbers are told as they are.

PATH=$PATH:/usr/sbin:/sbin
LC_ALL=C
export PATH LC_ALL
HEADER=128 # bytes of a file's beginning that are told

# Sets V to a value as it is told: `=TEXT` where it is plain ASCII, else x and its bytes in hex.
encode() { # VALUE
    V=$1
    case $V in
    *[!\ -~]*) V=x$(printf '%s' "$V" | od -An -v -tx1 | tr -d ' \n') ;;
    *) V="=$V" ;;
    esac
}

hex() { od -An -v -tx1 | tr -d ' \n'; }

# The first bytes of a file; of one that gzip has made, those within.
header() { # FILE
    if [ "$(head -c 2 "$1" 2>/dev/null | hex)" = 1f8b ]; then
        V=$(gzip -dc <"$1" 2>/dev/null | head -c $HEADER | hex)
    else
        V=$(head -c $HEADER "$1" 2>/dev/null | hex)
    fi
    [ -z "$V" ] || echo "header x$V"
}

is() { # PATH
    if [ -f "$1" ]; then
        echo 'kind file'
        set -- "$1" $(ls -lLn "$1" 2>/dev/null)
        case ${6-} in '' | *[!0-9]*) ;; *) echo "size $6" ;; esac
        header "$1"
    elif [ -b "$1" ]; then
        echo 'kind block'
        V=$(blockdev --getsize64 "$1" 2>/dev/null) && [ -n "$V" ] && echo "size $V"
    elif [ -d "$1" ]; then
        echo 'kind directory'
    elif [ -e "$1" ] || [ -L "$1" ]; then
        echo 'kind other'
    else
        echo 'kind absent'
    fi
}

# The file system of a directory: its number and kind are those of the mount that covers all others.
below() { # DIRECTORY
    [ -d "$1" ] || return 0
    V=$(df -Pk "$1" 2>/dev/null | sed -n '$s/^.* \([0-9][0-9]*\)  *[0-9-]*%*  *\(\/.*\)$/\1 \2/p')
    [ -n "$V" ] || return 0
    free=${V%% *}
    where=$(printf '%s\n' "${V#* }" | sed -e 's/\\/\\134/g' -e 's/ /\\040/g' -e 's/	/\\011/g')
    number=- kind=-
    while read -r _ _ found _ point rest; do
        [ "$point" = "$where" ] || continue
        number=$found
        rest=${rest##* - }
        kind=${rest%% *}
    done 2>/dev/null </proc/self/mountinfo
    echo "directory $number $kind $free"
}

main() {
    cd /
    exec </dev/null
    echo 'restripe-room 1'
    for path in "$@"; do
        case $path in
        /*) ;;
        *) continue ;;
        esac
        encode "$path"
        echo "path $V"
        is "$path"
        path=${path%/*}
        below "${path:-/}"
    done
    echo end
    exit 0
}

main "$@"
