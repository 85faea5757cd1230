"""What each release prints: understood by the program's parsers without a problem, and its forms to the blank."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from remote.gpfs import parsers
from simulator import scenarios, timeline, ylines
from simulator.clock import ctime
from simulator.dialects import DIALECTS
from tests.simulator.inside import Inside
from tests.simulator.seed_listings import DATA_ONLY_STANZAS, SSD_STANZAS

RELEASES = list(DIALECTS)
FORMS = [
    "mmlscluster",
    "mmgetstate -a",
    "mmgetstate -a -L",
    "mmgetstate -a -L -s",
    "mmlsfs FS",
    "mmlsdisk FS",
    "mmlsdisk FS -L",
    "mmdf FS",
    "mmdf FS -F",
    "mmdf FS -P system",
    "mmlsnsd",
    "mmlsnsd -L",
    "mmlsnsd -m",
    "mmlsnsd -M",
    "mmlsnsd -X",
    "mmlsmount FS -L",
    "mmlsmount FS",
    "mmlsmgr",
    "mmlsconfig",
    "mmlsqos FS --seconds 60",
    "mmdiag --waiters",
    "mmhealth node show",
    "mmlspool FS",
    "mmlssnapshot FS",
    "mmlssnapshot FS -d",
]


def understood(argv: list[str], out: str, err: str = "") -> None:
    """The program's parser of the command has nothing to complain of."""
    parsed = parsers.parse(tuple(argv), out, err)
    assert parsed.problems == ()


@pytest.mark.parametrize("scenario", scenarios.NAMES)
async def test_every_listing_is_understood(tmp_path: Path, scenario: str) -> None:
    inside = Inside(tmp_path, scenario=scenario, **({"hosts": 3, "disks": 9} if scenario == "big" else {}))
    asked = 0
    for form in FORMS:
        argv = form.replace("FS", inside.fs.name).split()
        dialect = inside.world.dialect
        if not dialect.has(argv[0]):
            assert (await inside.run(*argv)).rc == 127
            continue
        understood(argv, await inside.good(*argv))
        asked += 1
        if dialect.has_y(argv[0]):
            machine = await inside.good(*argv, "-Y")
            assert ":HEADER:" in machine.splitlines()[0]
            understood([*argv, "-Y"], machine)
        else:
            refused = await inside.run(*argv, "-Y")
            assert (refused.rc, refused.out) == (1, "")
            assert "\nUsage: " in refused.err
    assert asked >= 20


@pytest.mark.parametrize("release", RELEASES)
async def test_every_change_is_understood(tmp_path: Path, release: str) -> None:
    inside = Inside(tmp_path, scenario=f"seed-{release}")
    file = inside.write(SSD_STANZAS)
    change = inside.write(DATA_ONLY_STANZAS, "change")
    suspend = "suspend" if release == "3.5" else "empty"
    for argv in (
        ["mmcrnsd", "-F", file],
        ["mmadddisk", "mss1", "-F", file],
        ["mmchdisk", "mss1", "change", "-F", change],
        ["mmrestripefs", "mss1", "-r", "-N", "foo1,pollux2,pollux3"],
        ["mmchdisk", "mss1", suspend, "-d", "foo1_ssd1"],
        ["mmchdisk", "mss1", "resume", "-d", "foo1_ssd1"],
        ["mmchdisk", "mss1", "stop", "-d", "foo1_ssd1"],
        ["mmchdisk", "mss1", "start", "-d", "foo1_ssd1"],
        ["mmdeldisk", "mss1", "foo1_ssd1"],
        ["mmdelnsd", "foo1_ssd1"],
    ):
        understood(argv, await inside.good(*argv))
    if release != "3.5":
        understood(["mmchqos"], await inside.good("mmchqos", "mss1", "--enable", "pool=*,maintenance=300IOPS"))


def test_headers_grow_from_release_to_release(tmp_path: Path) -> None:
    async def first(release: str, *argv: str) -> str:
        inside = Inside(tmp_path, scenario=f"seed-{release}")
        return (await inside.good(*argv, "-Y")).splitlines()[0].partition("reserved:reserved:")[2]

    async def ask() -> dict[str, list[str]]:
        return {
            "disk": [await first(release, "mmlsdisk", "mss1") for release in RELEASES],
            "state": [await first(release, "mmgetstate", "-a") for release in RELEASES[1:]],
            "health": [await first(release, "mmhealth", "node", "show") for release in RELEASES[1:]],
        }

    found = asyncio.run(ask())
    assert [text.rpartition("diskUID:")[2] for text in found["disk"]] == [
        *("", "", "thinDiskType:replicaType:", "thinDiskType:replicaType:"),
    ]
    assert [text.rpartition("cnfsState:")[2] for text in found["state"]] == [
        *("", "daemonShortName:daemonNodeName:", "daemonShortName:daemonNodeName:"),
    ]
    assert found["health"][0] == "node:component:entityname:entitytype:event:arguments:"
    assert found["health"][1].endswith("activesince:identifier:ishidden:message:eventtype:severity:fullidentifier:")


async def test_rows_of_mmlsfs_are_short_in_3_5(tmp_path: Path) -> None:
    old = await Inside(tmp_path).good("mmlsfs", "mss1", "-i", "-Y")
    assert old.splitlines()[1] == "mmlsfs::0:1:::mss1:inodeSize:512:"
    new = await Inside(tmp_path, scenario="seed-5.2").good("mmlsfs", "mss1", "-Y")
    assert "mmlsfs::0:1:::mss1:inodeSize:512::\n" in new
    assert "mmlsfs::0:1:::mss1:create-time:Mon Oct 15 19%3A31%3A07 2012::\n" in new
    assert "mmlsfs::0:1:::mss1:defaultMountPoint:%2Fmss1::\n" in new
    assert "mmlsfs::0:1:::mss1:UID:8CFC1C05%3A507CC6EB::\n" in new
    assert "mmlsfs::0:1:::mss1:filesystemVersion:35.00 (5.2.1.0)::\n" in new


def test_values_are_encoded_as_ibm_lists_them() -> None:
    assert ylines.encoded("/a b:c%(d)-_.") == "%2Fa b%3Ac%%28d%29-_."
    assert ylines.colons("Fri 01:36:21 (x)") == "Fri 01%3A36%3A21 (x)"
    assert ylines.table("mmx", "", ("a", "b"), [(1, "")]) == (
        "mmx::HEADER:version:reserved:reserved:a:b:\nmmx::0:1:::1::\n"
    )


@pytest.mark.parametrize(
    ("release", "line"),
    [
        ("3.5", " 98.22 % complete on {}  (  84425985 inodes  284678907 MB)"),
        ("4.2", "  98.22 % complete on {}  (  84425985 inodes with total  284678907 MB data processed)"),
        ("6.0", "  98.22 % complete on {}  (  84425985 inodes with total  284678907 MB data processed)"),
    ],
)
async def test_progress_lines_follow_the_release(tmp_path: Path, release: str, line: str) -> None:
    inside = Inside(tmp_path, scenario=f"seed-{release}")
    await inside.migrate()
    out = (await inside.good("mmrestripefs", "mss1", "-r")).splitlines()
    run = next(record for record in inside.world.history if record.argv[0] == "mmrestripefs")
    seconds = range(int(run.start), int(run.end or 0))
    base = next(moment for moment in seconds if f"% complete on {ctime(moment)}" in out[1])
    assert line.format(ctime(base + 13475)) in out
    assert out[-1] == "Scan completed successfully."
    early = " 1 % complete" if release == "3.5" else "   1 % complete"
    assert out[1].startswith(early)
    end = ctime(base + 14084)
    last = "" if release == "3.5" else "  (  88772608 inodes with total  287048000 MB data processed)"
    assert out[-2] == f" 100.00 % complete on {end}{last}"


async def test_other_words_that_changed(tmp_path: Path) -> None:
    async def of(release: str, *argv: str) -> str:
        return await Inside(tmp_path, scenario=f"seed-{release}").good(*argv)

    assert "  Primary server:    foo1.example.com\n" in await of("3.5", "mmlscluster")
    assert "  Repository type:           CCR\n" in await of("4.2", "mmlscluster")
    assert "scaleadmremoteexecute\n" in await of("6.0", "mmlscluster")
    assert (await of("3.5", "mmlsdisk", "mss1")).splitlines()[2].split()[3] == "-" * 7
    assert (await of("5.2", "mmlsdisk", "mss1")).splitlines()[2].split()[3] == "-" * 11
    old, new = (await of("4.2", "mmdf", "mss1")).splitlines(), (await of("6.0", "mmdf", "mss1")).splitlines()
    assert old[0].endswith("             free KB             free KB")
    assert new[0].endswith("          free in KB          free in KB")
    assert (old[4][-1], new[4][-1]) == (" ", ")")
    assert old[4].rstrip() == new[4]
    four = (await of("4.2", "mmgetstate", "-a")).splitlines()
    assert four[1:4] == [
        " Node number  Node name        GPFS state ",
        "-" * 42,
        "       1      pollux1          active    ",
    ]
    assert (
        (await of("6.0", "mmlsnsd", "-X")).splitlines()[1].startswith(" Disk name       NSD volume ID      Device    ")
    )
    for release, tail in (("3.5", "failed.  Examine"), ("6.0", "failed. Examine")):
        answer = await Inside(tmp_path, scenario=f"seed-{release}").run("mmlsfs", "no")
        assert tail in answer.err


def test_computed_runs_have_the_seeds_shape() -> None:
    run = timeline.computed(400_000_000, 5_000_000, wide=True)
    assert run.length == 42 + 400_000_000 // 6250
    assert run.inodes_total == 400_000_000
    lines = [line for line in run.lines if line.stamped]
    assert len(lines) <= 510
    assert [line.offset for line in lines] == sorted(line.offset for line in lines)
    small = timeline.computed(1000, 1, wide=False)
    assert small.inodes_at(small.length) == 1000


@pytest.mark.parametrize("release", RELEASES)
async def test_numbered_messages_are_understood(tmp_path: Path, release: str) -> None:
    inside = Inside(tmp_path, scenario=f"seed-{release}")
    inside.world.policies.change("messages", "numbered", ())
    file = inside.write(SSD_STANZAS)
    made = await inside.good("mmcrnsd", "-F", file)
    assert "mmcrnsd: 6027-1371 " in made
    understood(["mmcrnsd"], made)
    added = await inside.good("mmadddisk", "mss1", "-F", file)
    assert "GPFS: 6027-531 The following disks of mss1 will be formatted on node foo1.example.com:\n" in added
    assert "GPFS: 6027-1503 Completed adding disks to file system mss1.\n" in added
    understood(["mmadddisk"], added)
    await inside.good("mmchdisk", "mss1", "change", "-F", inside.write(DATA_ONLY_STANZAS, "change"))
    listing = await inside.good("mmlsdisk", "mss1")
    assert "GPFS: 6027-498 Attention: Due to an earlier" in listing
    understood(["mmlsdisk"], listing)
    out = await inside.good("mmrestripefs", "mss1", "-r")
    assert "GPFS: 6027-589 Scanning file system metadata, phase 1 ... \n" in out
    assert out.endswith("GPFS: 6027-552 Scan completed successfully.\n")
    understood(["mmrestripefs"], out)
    assert (await inside.run("mmlsfs", "no")).err.startswith("mmlsfs: 6027-1388 File system no is not known")
