"""The log of the seed's restripe, as published: its middle is missing, and so is the header of its last phase."""

from __future__ import annotations

SEED_LOG = b"""\
Scanning file system metadata, phase 1 ...
   1 % complete on Thu Jun  6 15:46:19 2013
   2 % complete on Thu Jun  6 15:46:23 2013
   3 % complete on Thu Jun  6 15:46:28 2013
   4 % complete on Thu Jun  6 15:46:33 2013
   5 % complete on Thu Jun  6 15:46:38 2013
...
  98.22 % complete on Thu Jun  6 19:30:54 2013  (  84425985 inodes  284678907 MB)
  98.24 % complete on Thu Jun  6 19:33:14 2013  (  85424754 inodes  285549722 MB)
  98.26 % complete on Thu Jun  6 19:35:45 2013  (  86436023 inodes  286198122 MB)
  98.28 % complete on Thu Jun  6 19:38:25 2013  (  87601428 inodes  286622429 MB)
 100.00 % complete on Thu Jun  6 19:41:03 2013
Scan completed successfully.
"""
ALLOCATED = 88_772_608
"""Inodes, as mmdf told."""
USED_MB = (375_021_109_248 - 70_795_485_184 - 3_852_661_760) // 1024
"""Of the data disks, as mmdf told in KB: their size less what is free in full blocks and in fragments."""
