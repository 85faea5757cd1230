"""The recorded seed session as the GPFS file system tells it, at several moments."""

from __future__ import annotations

import re
from functools import cache

import msgspec
import pytest

from remote.gpfs.models import FsSpace
from supervision.filesystem import FileSystem, Phase
from supervision.gpfs import GpfsFileSystem
from supervision.gpfs_facts import facts_of
from supervision.replay import Replay
from supervision.state import State
from supervision.tables import Severity, Table
from tests.supervision.seed import SHIPPED

ALLOCATED = 88_772_608
ISSUED = 407_779_968
"""KB of metadata at the end."""


@cache
def replay() -> Replay:
    return Replay(SHIPPED)


@cache
def seed() -> FileSystem:
    return GpfsFileSystem("mss1", "pollux1", replay().header.hosts)


def at(label: str, seconds: float = 0.0) -> State:
    """The state so many seconds after a mark."""
    marked = next(mark.t for mark in replay().marks if label in mark.label)
    return replay().at(marked + seconds)


def column(table: Table, name: str) -> list[str]:
    index = table.column(name)
    return [row.cells[index].text for row in table.rows]


def test_words() -> None:
    assert (seed().name, seed().words.kind, seed().words.disk) == ("mss1", "GPFS", "NSD")
    assert (seed().words.scan, seed().words.server) == ("restripe", "NSD server")


def test_before_anything_was_asked_nothing_is_claimed() -> None:
    first = replay().state_after(0)
    assert seed().facts(first) == ()
    assert seed().problems(first) == ()
    assert seed().scan_job(first) is None
    assert seed().fills(first) == ()
    for table in (seed().disks(first), seed().pools(first), seed().totals(first), seed().devices(first)):
        assert (table.rows, table.at) == ((), None)
    # the hosts are known by name, and nothing else of them
    assert column(seed().nodes(first), "daemon") == ["not asked"]


def test_facts() -> None:
    lines = {line.label.strip(): line for line in seed().facts(replay().end)}
    assert lines["Version"].value == "13.23 (3.5.0.7)"
    assert lines["Block size"].value == "2 MiB, inodes of 512 bytes"
    assert lines["Replicas"].value == "metadata -m 2 (-M 2), data -r 1 (-R 2)"
    assert lines["Inodes used"].value == "83,929,469, 95 % of the allocated"
    assert lines["allocated"].value == "88,772,608, 60 % of the maximum"
    assert lines["maximum"].value == "146,903,040"
    assert all(line.at is not None for line in lines.values())
    assert lines["Inodes used"].at != lines["Version"].at


def test_nodes_fold_into_one_row_by_their_admin_names() -> None:
    table = seed().nodes(replay().end)
    assert column(table, "nodes") == ["foo[1-3]"]
    assert column(table, "roles") == ["quorum, manager, NSD server"]
    assert column(table, "link") == ["up"]
    assert column(table, "daemon") == ["not asked"]
    assert ("reached as", "pollux[1-3]") in table.rows[0].detail


def test_disks_before_and_after() -> None:
    before = seed().disks(at("step 3"))
    assert len(before.rows) == 12
    assert set(column(before, "usage")) == {"data+metadata"}
    after = seed().disks(replay().end)
    assert len(after.rows) == 18
    assert column(after, "nsd")[12:] == [f"foo{host}_ssd{number}" for host in (1, 2, 3) for number in (1, 2)]
    assert column(after, "usage") == ["data"] * 12 + ["metadata"] * 6
    assert column(after, "size")[0] == "29.1 TiB"
    assert column(after, "free")[12:] == ["65 %"] * 6
    free = after.rows[12].cells[after.column("free_blocks")]
    assert free.value == facts_of(replay().end).get(FsSpace).get("foo1_ssd1").free_blocks_kb  # type: ignore[union-attr]
    assert {row.severity for row in after.rows} == {Severity.NORMAL}
    assert after.at == replay().end.facts["disks mss1"].at


def test_a_disk_looked_at_closely() -> None:
    row = seed().disks(replay().end).rows[-1]
    detail = dict(row.detail)
    assert row.key == "foo3_ssd2"
    assert detail["usage"] == "metadataOnly"
    assert detail["size"] == "194,805,760 KB"
    assert detail["on foo3"] == "/dev/sdf (server node)"
    assert re.search(r"written by 140\.252\.28\.11, 2013-06-06 15:2\d:\d\d local time$", detail["volume id"])


def test_the_tables_fit_80_columns() -> None:
    for table in (seed().disks(replay().end), seed().totals(replay().end), seed().pools(replay().end)):
        shown = [index for index, each in enumerate(table.columns) if not each.wide]
        widths = [
            max(len(table.columns[index].title), *(len(row.cells[index].text) for row in table.rows)) for index in shown
        ]
        assert sum(widths) + 2 * len(widths) + 3 <= 80


def test_pools_and_totals_at_the_end() -> None:
    pools = {row.key: dict(row.detail) for row in seed().pools(replay().end).rows}
    assert list(pools) == ["system/metadataOnly", "system/dataOnly", "system/"]
    assert pools["system/metadataOnly"]["used"] == f"{ISSUED:,} KB"
    totals = seed().totals(replay().end)
    rows = {row.key: row for row in totals.rows}
    metadata = rows["metadata//"]
    assert metadata.cells[totals.column("used")].value == ISSUED
    assert metadata.cells[totals.column("percent")].text == "65 %"
    assert rows["//"].cells[totals.column("size")].value == 376_189_943_808
    groups = [rows[f"metadata/system/{group}"].cells[totals.column("used")].value for group in (1, 2, 3)]
    assert sum(int(str(used)) for used in groups) == ISSUED


def test_disks_that_hold_both_count_twice_and_say_so() -> None:
    totals = seed().totals(at("step 3"))
    rows = {row.key: row for row in totals.rows}
    size = totals.column("size")
    assert rows["metadata//"].cells[size].value == rows["data//"].cells[size].value == rows["//"].cells[size].value
    assert rows["data//"].cells[totals.column("shared")].text == "12 disks hold both"
    assert [row.key for row in seed().pools(at("step 3")).rows] == ["system/dataAndMetadata"]


def test_fills() -> None:
    fills = seed().fills(replay().end)
    assert [fill.name for fill in fills] == [f"foo{host}_ssd{number}" for host in (1, 2, 3) for number in (1, 2)]
    assert sum(fill.used for fill in fills) == ISSUED
    assert {fill.size for fill in fills} == {194_805_760}


def test_devices_by_role_with_the_trap_of_their_names() -> None:
    table = seed().devices(at("step 3"))
    rows = list(zip(column(table, "role"), column(table, "host"), column(table, "name"), strict=True))
    assert len(rows) == 24
    assert [row for row in rows if row[0] == "SSD 186 GiB #1"] == [
        ("SSD 186 GiB #1", "pollux1", "sdg"),
        ("SSD 186 GiB #1", "pollux2", "sdg"),
        ("SSD 186 GiB #1", "pollux3", "sde"),
    ]
    drift = dict(zip(rows, column(table, "drift"), strict=True))
    assert {row[0].split(" #")[0] for row, mark in drift.items() if mark} == {"SSD 186 GiB", "boot 224 GiB"}
    assert {mark for row, mark in drift.items() if row[0].startswith("NSD")} == {""}
    boot = table.rows[rows.index(("boot 224 GiB #1", "pollux3", "sdg"))]
    assert "mounted on /" in dict(boot.detail)["block"]
    assert dict(boot.detail)["same role"] == "sde on pollux[1-2], sdg on pollux3"
    assert boot.severity is Severity.NOTE


def test_the_ssds_become_nsds_and_keep_their_rows() -> None:
    before, after = seed().devices(at("step 3")), seed().devices(replay().end)
    assert {row.key for row in before.rows} == {row.key for row in after.rows}
    used = dict(zip(column(after, "role"), column(after, "use"), strict=True))
    assert used["NSD 186 GiB #2"] == "foo3_ssd2"


@pytest.mark.parametrize(("step", "seconds"), [("step 6", 0.0), ("step 6", 3600.0), ("step 6", 14_000.0)])
def test_not_properly_replicated_is_expected_until_the_restripe_ends(step: str, seconds: float) -> None:
    lines = [line for line in seed().problems(at(step, seconds)) if line.label == "Replication"]
    assert [line.severity for line in lines] == [Severity.NOTE]
    assert "Expected" in lines[0].advice


def test_at_the_end_nothing_is_worse_than_old_figures() -> None:
    # the recorded session asked of the configuration once, four hours before
    assert [(line.label, line.severity) for line in seed().problems(replay().end)] == [("Old figures", Severity.NOTE)]


def test_the_restripe_half_way() -> None:
    state = at("step 6", 7000)
    job = seed().scan_job(state)
    assert job is not None
    progress = seed().progress(state, job)
    assert progress.phase in (Phase.RUNNING, Phase.QUIET)
    assert progress.phases == (*((f"metadata {number}", "done") for number in range(1, 5)), ("user files", "running"))
    assert progress.counter is not None
    assert progress.counter.total == ALLOCATED  # never the used ones
    assert progress.counter.fraction == pytest.approx((progress.counter.done or 0) / ALLOCATED)
    assert progress.tool_percent is not None
    assert progress.tool_percent > 97  # where half of the work is done
    assert 0.4 < (progress.counter.fraction or 0) < 0.6
    assert progress.rate == pytest.approx(6300, rel=0.02)
    assert len(progress.trend) == 18
    assert progress.usual_gap == pytest.approx(140, abs=5)
    assert progress.finish is not None
    ended = replay().end.jobs[job.host, job.status.id].status.ended
    assert ended is not None
    assert progress.finish.low < ended < progress.finish.high


def test_the_restripe_from_begin_to_end() -> None:
    phases = []
    for seconds in (1, 10, 100, *range(400, 14_100, 400)):
        state = at("step 6", seconds)
        job = seed().scan_job(state)
        if job:
            phases.append(seed().progress(state, job).phase)
    assert phases[0] is Phase.STARTING
    assert set(phases) == {Phase.STARTING, Phase.RUNNING}
    job = seed().scan_job(replay().end)
    assert job is not None
    ended = seed().progress(replay().end, job)
    assert (ended.phase, ended.finish, ended.tool_percent) == (Phase.FINISHED, None, 100.0)
    assert ended.counter is not None
    assert (ended.counter.done, ended.counter.total) == (87_601_428, ALLOCATED)


def test_every_moment_of_the_recording_has_an_answer() -> None:
    for count in range(0, len(replay().events) + 1, 7):
        state = replay().state_after(count)
        fs = seed()
        assert fs.nodes(state).rows
        fs.problems(state)
        job = fs.scan_job(state)
        if job:
            fs.progress(state, job)


def test_the_same_answers_give_the_very_same_rows() -> None:
    state = at("step 6", 7000)
    later = msgspec.structs.replace(state, revision=state.revision + 1, at=state.at + 9, logs={})
    assert seed().disks(later).rows is seed().disks(state).rows
    assert seed().disks(at("step 6", 9000)).rows is not seed().disks(state).rows
