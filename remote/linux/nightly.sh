# What a host runs at set times that would meet a restripe: crontabs and systemd timers, version 1; it only reads them.
# By hand: ssh HOST sh -s <nightly.sh. Asked by restripe as `sh -c`; remote/linux/nightly.py reads the answer.
# The scripts that they call are looked into as well, one step far. Without root other people's crontabs are not read.
# RESTRIPE_SYSROOT (absolute) stands before all paths. Only what dash, bash, mksh, ksh93 and busybox sh share is used.

PATH=$PATH:/usr/sbin:/sbin
LC_ALL=C
export PATH LC_ALL
R=${RESTRIPE_SYSROOT-}
MOST=60      # lines that are told
FILES=400    # files that are looked at
SCRIPTS=100  # scripts that are looked into
BYTES=65536  # of each file
# Whatever scans the file system, changes it, or waits for one that does.
WORDS='mm(crsnapshot|delsnapshot|restorefs|backup|applypolicy|checkquota|fsck|fsckx|defragfs|restripefs|restripefile'
WORDS=$WORDS'|adddisk|deldisk|chdisk|rpldisk|chfs|chmgr|(cr|del|ch|link|unlink)fileset|imgbackup|qos)|tsapolicy|dsmmigfs'

# Sets V to a value as it is told: `=TEXT` where it is plain ASCII, else x and its bytes in hex.
encode() { # VALUE
    V=$1
    [ ${#V} -le 1024 ] || V=$(printf '%.1024s' "$V")
    case $V in
    *[!\ -~]*) V=x$(printf '%s' "$V" | od -An -v -tx1 | tr -d ' \n') ;;
    *) V="=$V" ;;
    esac
}

tell() { # WORD FILE TEXT
    told=$((told + 1))
    [ $told -le $MOST ] || return 0
    encode "$2"
    first=$V
    encode "$3"
    printf '%s %s\ntext %s\n' "$1" "$first" "$V"
}

readable() { # FILE
    [ -f "$1" ] || return 1
    looked=$((looked + 1))
    [ $looked -le $FILES ] || return 1
    [ -r "$1" ] && return 0
    encode "${1#"$R"}"
    echo "unread $V"
    return 1
}

# Looks into the scripts that a line calls by their whole paths.
called() { # FILE LINE
    set -f
    for word in $2; do
        case $word in
        /*) ;;
        *) continue ;;
        esac
        script=$R${word%%[!A-Za-z0-9_./+-]*}
        [ -f "$script" ] && [ -r "$script" ] || continue
        looked_into=$((looked_into + 1))
        [ $looked_into -le $SCRIPTS ] || break
        found=$(head -c $BYTES "$script" | tr -d '\000' | grep -E "$WORDS" | grep -v '^[[:space:]]*#' | head -n 1)
        [ -z "$found" ] || tell via "${1#"$R"}" "$2: $found"
    done
    set +f
}

lines_of() { # FILE PATTERN
    head -c $BYTES "$1" | tr -d '\000' | grep -E "$2" | grep -Ev '^[[:space:]]*(#|$)' | head -n 200
}

# The lines of a crontab or a unit: those that name a command, and those that call a script that does.
each_line() { # FILE PATTERN
    readable "$1" || return 0
    file=$1
    while IFS= read -r line; do
        if printf '%s\n' "$line" | grep -Eq "$WORDS"; then
            tell line "${file#"$R"}" "$line"
        else
            called "$file" "$line"
        fi
    done <<END
$(lines_of "$1" "$2")
END
}

# A script that is itself run at set times.
whole() { # FILE
    readable "$1" || return 0
    found=$(lines_of "$1" "$WORDS" | head -n 1)
    [ -z "$found" ] || tell line "${1#"$R"}" "$found"
}

timers() {
    for timer in "$R"/etc/systemd/system/*.timer "$R"/run/systemd/system/*.timer "$R"/usr/lib/systemd/system/*.timer \
        "$R"/lib/systemd/system/*.timer; do
        [ -f "$timer" ] || continue
        unit=$(sed -n 's/^Unit=\([A-Za-z0-9:_.@-]*\)$/\1/p' "$timer" 2>/dev/null | head -n 1)
        if [ -z "$unit" ]; then
            unit=${timer##*/}
            unit=${unit%.timer}.service
        fi
        for place in /etc/systemd/system /run/systemd/system /usr/lib/systemd/system /lib/systemd/system; do
            if [ -f "$R$place/$unit" ]; then
                each_line "$R$place/$unit" '^Exec'
                break
            fi
        done
    done
}

main() {
    cd /
    exec </dev/null
    told=0
    looked=0
    looked_into=0
    echo 'restripe-nightly 1'
    for file in "$R/etc/crontab" "$R/etc/anacrontab" "$R"/etc/cron.d/* "$R"/var/spool/cron/* \
        "$R"/var/spool/cron/crontabs/* "$R"/var/spool/cron/tabs/*; do
        each_line "$file" .
    done
    for directory in "$R/var/spool/cron" "$R/var/spool/cron/crontabs" "$R/var/spool/cron/tabs"; do
        if [ -d "$directory" ] && [ ! -r "$directory" ]; then
            encode "${directory#"$R"}"
            echo "unread $V"
        fi
    done
    for file in "$R"/etc/cron.hourly/* "$R"/etc/cron.daily/* "$R"/etc/cron.weekly/* "$R"/etc/cron.monthly/*; do
        whole "$file"
    done
    timers
    [ $told -le $MOST ] || echo "more $((told - MOST))"
    [ $looked -le $FILES ] && [ $looked_into -le $SCRIPTS ] || echo cut
    echo end
    exit 0
}

main "$@"
