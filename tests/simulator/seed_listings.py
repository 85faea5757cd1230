"""The published listings of the migration, runs of blanks reduced to one: what the simulator must arrive at."""

from __future__ import annotations

BEFORE_1T = """\
foo1_nsd3 30 1 Yes Yes 7 ( 21%) 1 ( 1%)
foo1_nsd1 30 1 Yes Yes 6 ( 21%) 1 ( 1%)
foo1_nsd2 30 1 Yes Yes 6 ( 20%) 1 ( 1%)
foo1_nsd4 30 1 Yes Yes 7 ( 22%) 1 ( 1%)
foo2_nsd3 30 2 Yes Yes 6 ( 21%) 1 ( 1%)
foo2_nsd4 30 2 Yes Yes 7 ( 22%) 1 ( 1%)
foo2_nsd1 30 2 Yes Yes 6 ( 20%) 1 ( 1%)
foo2_nsd2 30 2 Yes Yes 6 ( 20%) 1 ( 1%)
foo3_nsd4 30 3 Yes Yes 7 ( 23%) 1 ( 1%)
foo3_nsd3 30 3 Yes Yes 7 ( 21%) 1 ( 1%)
foo3_nsd2 30 3 Yes Yes 6 ( 20%) 1 ( 1%)
foo3_nsd1 30 3 Yes Yes 6 ( 20%) 1 ( 1%)
------------- -------------------- -------------------
(pool total) 350 73 ( 21%) 4 ( 1%)

============= ==================== ===================
(total) 350 73 ( 21%) 4 ( 1%)
"""

METADATA_CHANGED = """\
foo1_ssd2 194805760 1 Yes No 190849024 ( 98%) 5440 ( 0%)
foo1_ssd1 194805760 1 Yes No 190865408 ( 98%) 5568 ( 0%)
foo2_ssd2 194805760 2 Yes No 190914560 ( 98%) 5504 ( 0%)
foo2_ssd1 194805760 2 Yes No 190877696 ( 98%) 5504 ( 0%)
foo3_ssd1 194805760 3 Yes No 190867456 ( 98%) 5504 ( 0%)
foo3_ssd2 194805760 3 Yes No 190879744 ( 98%) 5504 ( 0%)
------------- -------------------- -------------------
(pool total) 1168834560 1145253888 ( 98%) 33024 ( 0%)

============= ==================== ===================
(data) 0 0 ( 0%) 0 ( 0%)
(metadata) 1168834560 1145253888 ( 98%) 33024 ( 0%)
============= ==================== ===================
(total) 1168834560 1145253888 ( 98%) 33024 ( 0%)
"""

AFTER = """\
foo1_nsd1 31251759104 1 No Yes 5806698496 ( 19%) 421305664 ( 1%)
foo1_nsd2 31251759104 1 No Yes 5621813248 ( 18%) 402546240 ( 1%)
foo1_nsd3 31251759104 1 No Yes 5845639168 ( 19%) 271411776 ( 1%)
foo1_ssd2 194805760 1 Yes No 126115840 ( 65%) 709440 ( 0%)
foo1_ssd1 194805760 1 Yes No 126117888 ( 65%) 693888 ( 0%)
foo1_nsd4 31251759104 1 No Yes 6210627584 ( 20%) 189672192 ( 1%)
foo2_ssd2 194805760 2 Yes No 126160896 ( 65%) 705344 ( 0%)
foo2_ssd1 194805760 2 Yes No 126113792 ( 65%) 703360 ( 0%)
foo2_nsd1 31251759104 2 No Yes 5767004160 ( 18%) 408482432 ( 1%)
foo2_nsd3 31251759104 2 No Yes 5811671040 ( 19%) 281079488 ( 1%)
foo2_nsd4 31251759104 2 No Yes 6184667136 ( 20%) 188337216 ( 1%)
foo2_nsd2 31251759104 2 No Yes 5609695232 ( 18%) 410381504 ( 1%)
foo3_nsd4 31251759104 3 No Yes 6619357184 ( 21%) 185679168 ( 1%)
foo3_nsd3 31251759104 3 No Yes 5997352960 ( 19%) 270953280 ( 1%)
foo3_nsd2 31251759104 3 No Yes 5607870464 ( 18%) 409104384 ( 1%)
foo3_nsd1 31251759104 3 No Yes 5713088512 ( 18%) 413708416 ( 1%)
foo3_ssd1 194805760 3 Yes No 126144512 ( 65%) 711552 ( 0%)
foo3_ssd2 194805760 3 Yes No 126164992 ( 65%) 713088 ( 0%)
------------- -------------------- -------------------
(pool total) 376189943808 71552303104 ( 19%) 3856898432 ( 1%)

============= ==================== ===================
(data) 375021109248 70795485184 ( 19%) 3852661760 ( 1%)
(metadata) 1168834560 756817920 ( 65%) 4236672 ( 0%)
============= ==================== ===================
(total) 376189943808 71552303104 ( 19%) 3856898432 ( 1%)

Inode Information
-----------------
Total number of used inodes in all Inode spaces: 83929469
Total number of free inodes in all Inode spaces: 4843139
Total number of allocated inodes in all Inode spaces: 88772608
Total of Maximum number of inodes in all Inode spaces: 146903040
"""

SSD_STANZAS = """\
%nsd: device=sdg nsd=foo1_ssd1 servers=foo1 usage=metadataOnly failureGroup=1 pool=system
%nsd: device=sdh nsd=foo1_ssd2 servers=foo1 usage=metadataOnly failureGroup=1 pool=system
%nsd: device=sdg nsd=foo2_ssd1 servers=foo2 usage=metadataOnly failureGroup=2 pool=system
%nsd: device=sdh nsd=foo2_ssd2 servers=foo2 usage=metadataOnly failureGroup=2 pool=system
%nsd: device=sde nsd=foo3_ssd1 servers=foo3 usage=metadataOnly failureGroup=3 pool=system
%nsd: device=sdf nsd=foo3_ssd2 servers=foo3 usage=metadataOnly failureGroup=3 pool=system
"""

DATA_ONLY_STANZAS = "".join(
    f"%nsd:\nnsd=foo{host}_nsd{disk}\nservers=foo{host}\nusage=dataOnly\nfailureGroup={host}\npool=system\n"
    for host in (1, 2, 3)
    for disk in (1, 2, 3, 4)
)

LAST_LINES = """\
98.22 % complete on {} ( 84425985 inodes 284678907 MB)
98.24 % complete on {} ( 85424754 inodes 285549722 MB)
98.26 % complete on {} ( 86436023 inodes 286198122 MB)
98.28 % complete on {} ( 87601428 inodes 286622429 MB)
100.00 % complete on {}
Scan completed successfully.
"""
LAST_OFFSETS = (13475, 13615, 13766, 13926, 14084)


def squeezed(text: str) -> str:
    """The text with runs of blanks reduced to one and without those at the ends of lines."""
    return "".join(f"{' '.join(line.split())}\n" for line in text.splitlines())
