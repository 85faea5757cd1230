# The resource groups of a GFS2 device as `gfs2_edit -p rgs` prints them, without the lines that nobody needs, version 1.
# By hand: ssh HOST sh -s /dev/VG/LV <rgs.sh, or the command itself. Asked by restripe as `sh -c`;
# remote/gfs2/structures.py reads the answer. It ends as gfs2_edit did.

PATH=$PATH:/usr/sbin:/sbin
LC_ALL=C
export PATH LC_ALL

# a pipe tells of its last command alone: how the first one ended goes beside it, and what it prints on into nothing
exec 3>&1
rc=$(
    {
        {
            gfs2_edit -p rgs "$1" 3>&- 4>&-
            echo $? >&4
        } | sed -n -e '/^RG /p' -e '/^  rg_free /p' -e '/^  rg_dinodes /p' -e '/^  rg_data/p' >&3 4>&-
    } 4>&1
)
exit "${rc:-1}"
