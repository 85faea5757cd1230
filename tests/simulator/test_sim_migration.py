"""The seed's procedure from end to end over SSH, and what can go wrong on the way."""

from __future__ import annotations

import asyncio
import re

from simulator.clock import ctime
from tests.simulator.far_side import FarSide, until
from tests.simulator.seed_listings import AFTER, DATA_ONLY_STANZAS, LAST_LINES, LAST_OFFSETS, SSD_STANZAS, squeezed

METADATA = 384232320
RESTRIPE = "mmrestripefs mss1 -r -N foo1,pollux2,pollux3"


async def prepare(far: FarSide) -> None:
    """Every step before the restripe."""
    await far.put("ssd.txt", SSD_STANZAS)
    await far.put("change.txt", DATA_ONLY_STANZAS)
    for command in (
        "mmcrnsd -F ssd.txt",
        "mmadddisk mss1 -F ssd.txt",
        "mmchdisk mss1 change -F change.txt",
    ):
        code, _, err = await far.run(command)
        assert (code, err) == (0, ""), command


async def test_the_whole_procedure_ends_at_the_published_figures(far: FarSide) -> None:
    await prepare(far)
    before = await far.facts()
    assert before["metadata_left_on_rotating_kb"] == before["metadata_total_kb"] == METADATA
    assert before["properly_replicated"] is False
    code, out, err = await far.run(f"stdbuf -oL {RESTRIPE}")
    assert (code, err) == (0, "")
    first = re.search(r"^ 1 % complete on (.*)$", out, re.MULTILINE)
    assert first is not None
    history = (await far.sim.control("history"))["commands"]
    assert [record["argv"][0] for record in history] == ["mmcrnsd", "mmadddisk", "mmchdisk", "mmrestripefs"]
    # The stamps are counted from the first line; which second that is the simulator says.
    base = next(
        moment for moment in range(int(history[-1]["start"]), int(history[-1]["end"])) if ctime(moment) == first[1]
    )
    stamps = [" ".join(ctime(base + offset).split()) for offset in LAST_OFFSETS]
    assert squeezed(out).endswith(LAST_LINES.format(*stamps))
    for percent, offset in enumerate((0, 4, 9, 14, 19), 1):
        assert f" {percent} % complete on {ctime(base + offset)}\n" in out
    _, table, _ = await far.run("mmdf mss1", "pollux3")
    assert squeezed("\n".join(table.splitlines()[4:])) == AFTER
    after = await far.facts()
    assert after["metadata_left_on_rotating_kb"] == 0
    assert after["metadata_total_kb"] == METADATA
    assert after["properly_replicated"] is True
    assert after["inodes"]["used"] == 83929469
    assert after["restripe"] is None
    assert (after["running"], after["destroyed"]) == ([], [])
    assert "Attention" not in (await far.run("mmlsdisk mss1"))[1]


async def test_progress_is_seen_while_it_runs(far: FarSide) -> None:
    await prepare(far)
    connection = await far.connection()
    async with connection.create_process(RESTRIPE, encoding=None) as process:

        async def begun() -> bool:
            return 0 < int((await far.facts())["metadata_left_on_rotating_kb"]) < METADATA

        await until(begun)
        facts = await far.facts()
        assert facts["running"][0]["argv"] == RESTRIPE.split()
        assert facts["restripe"]["host"] == "pollux1"
        line = await process.stdout.readline()
        assert line == b"Scanning file system metadata, phase 1 ... \n"
        await process.wait()
    assert (await far.facts())["metadata_left_on_rotating_kb"] == 0


async def _killed(far: FarSide, signal: str) -> None:
    """Start a detached restripe, and kill its process when it has moved something."""
    await prepare(far)
    await far.run(f"setsid sh -c 'echo $$ > pid; exec {RESTRIPE}' > log 2>&1 < /dev/null &")

    async def begun() -> bool:
        return bool((await far.facts())["metadata_left_on_rotating_kb"] < METADATA)

    await until(begun)
    assert (await far.run(f"kill -{signal} $(cat pid)"))[0] == 0


async def test_a_killed_restripe_stops_and_a_second_one_finishes(far: FarSide) -> None:
    await _killed(far, "KILL")

    async def over() -> bool:
        return (await far.facts())["restripe"] is None

    await until(over)
    facts = await far.facts()
    assert 0 < facts["metadata_left_on_rotating_kb"] < METADATA
    assert facts["metadata_total_kb"] == METADATA
    assert facts["properly_replicated"] is False
    assert "Attention" in (await far.run("mmlsdisk mss1"))[1]
    commands = (await far.sim.control("history"))["commands"]
    assert [record["rc"] for record in commands if record["argv"][0] == "mmrestripefs"] == [None]
    again = await far.run(RESTRIPE)
    assert again[0] == 0
    assert " 1 % complete on" in again[1]
    _, table, _ = await far.run("mmdf mss1")
    assert squeezed("\n".join(table.splitlines()[4:])) == AFTER


async def test_a_killed_restripe_goes_on_if_the_policy_says_so(far: FarSide) -> None:
    assert (await far.sim.control("set_policy", client_death="continue"))["client_death"] == "continue"
    await _killed(far, "TERM")

    async def finished() -> bool:
        facts = await far.facts()
        return bool(facts["metadata_left_on_rotating_kb"] == 0 and facts["restripe"] is None)

    await until(finished)
    assert (await far.facts())["properly_replicated"] is True


async def test_a_detached_restripe_survives_its_connection(far: FarSide) -> None:
    await prepare(far)
    connection = await far.connect("pollux2")
    await connection.run(f"cd; setsid sh -c '{RESTRIPE}; echo $? > rc' > log 2>&1 < /dev/null &")
    connection.abort()
    await connection.wait_closed()

    async def finished() -> bool:
        return (await far.run("cat rc 2>/dev/null", "pollux2"))[1] == "0\n"

    await until(finished)
    _, log, _ = await far.run("cat log", "pollux2")
    assert log.endswith("Scan completed successfully.\n")
    assert log.count("Scan completed successfully.") == 5


async def test_the_boot_disk_disaster(far: FarSide) -> None:
    # One list of names for all servers: right on two of them.
    wrong = SSD_STANZAS.replace("device=sde", "device=sdg").replace("device=sdf", "device=sdh")
    await far.put("ssd.txt", wrong)
    assert "raid1 /\n" in (await far.run("lsblk", "pollux3"))[1]
    code, out, err = await far.run("mmcrnsd -F ssd.txt")
    assert (code, err) == (0, "")
    assert "Propagating" in out
    destroyed = (await far.facts())["destroyed"]
    assert [(item["host"], item["device"]) for item in destroyed] == [("pollux3", "sdg"), ("pollux3", "sdh")]
    assert "md1 /" in destroyed[0]["what"]
    listing = (await far.run("lsblk -P -o NAME,PKNAME,MOUNTPOINT", "pollux3"))[1]
    assert 'MOUNTPOINT="/"' not in listing
    assert 'NAME="sdg1"' not in listing


async def test_many_names_at_once_each_get_their_own_answer(far: FarSide) -> None:
    hosts = ["pollux1", "pollux2.example.com", "foo3", "foo1.example.com", "foo2", "pollux3"]
    answers = await asyncio.gather(*(far.run("uname -n; mmlsdisk mss1 | wc -l", host) for host in hosts))
    assert [answer[1] for answer in answers] == [f"pollux{number}.example.com\n15\n" for number in (1, 2, 3, 1, 2, 3)]
