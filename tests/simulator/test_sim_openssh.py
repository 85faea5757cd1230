"""The shims behind real OpenSSH servers: the environment from the control interface makes each of them a host."""

from __future__ import annotations

import asyncio
import subprocess
from collections.abc import AsyncIterator, Iterator

import pytest

from simulator.client import Simulation
from tests import openssh
from tests.simulator.far_side import until
from tests.simulator.seed_listings import SSD_STANZAS

pytestmark = pytest.mark.openssh


@pytest.fixture
def farm() -> Iterator[openssh.Farm]:
    with openssh.farm() as made:
        yield made


@pytest.fixture
async def sim() -> AsyncIterator[Simulation]:
    async with Simulation.start(speed=20_000) as started:
        yield started


async def run(server: openssh.Server, command: str, text: str = "") -> tuple[int, str, str]:
    """A command through the real client and the real server."""
    process = await asyncio.create_subprocess_exec(
        *("ssh", "-F", str(server.farm.config), server.host, command),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    async with asyncio.timeout(30):
        out, err = await process.communicate(text.encode())
    return int(process.returncode or 0), out.decode(), err.decode()


async def test_real_servers_serve_simulated_hosts(farm: openssh.Farm, sim: Simulation) -> None:
    servers = [
        farm.server(host, address=f"127.0.0.{number}", env=await sim.environment(host, share=True))
        for number, host in enumerate(sim.hosts, 1)
    ]
    for server in servers:
        code, out, err = await run(server, "hostname -s; mmgetstate | tail -1; date +%Y; lsblk -dn -o NAME | wc -l")
        assert (code, err) == (0, "")
        assert out.splitlines() == [server.host, out.splitlines()[1], "2013", "8"]
        assert out.splitlines()[1].split()[1:] == [server.host, "active"]
    # Files of the account are found, and rewritten, from its own directory.
    assert (await run(servers[0], "cat > ssd.txt", SSD_STANZAS))[0] == 0
    code, out, err = await run(servers[0], "mmcrnsd -F ssd.txt && head -1 ssd.txt")
    assert (code, err) == (0, "")
    assert out.splitlines()[-1].startswith("# %nsd: device=sdg ")
    assert len((await sim.control("facts"))["nsds"]) == 18


async def test_a_session_that_is_killed_takes_its_command_along(farm: openssh.Farm, sim: Simulation) -> None:
    await sim.control("occupy", seconds=1e8)
    server = farm.server("pollux2", env=await sim.environment("pollux2", share=True))
    process = await asyncio.create_subprocess_exec(
        *("ssh", "-F", str(farm.config), "pollux2", "exec mmrestripefs mss1 -r"),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )

    async def running(count: int) -> bool:
        return len((await sim.control("facts"))["running"]) == count

    await until(lambda: running(1))
    for pid in server.processes("mmrestripefs"):
        subprocess.run(["kill", "-KILL", str(pid)], check=False)
    await until(lambda: running(0))
    await process.communicate()
    history = (await sim.control("history"))["commands"]
    assert [(record["host"], record["rc"]) for record in history] == [("pollux2", None)]


async def test_power_off_reaches_sessions_of_real_servers(farm: openssh.Farm, sim: Simulation) -> None:
    server = farm.server("pollux3", env=await sim.environment("pollux3", share=True))
    process = await asyncio.create_subprocess_exec(
        *("ssh", "-F", str(farm.config), "pollux3", "echo up; exec sleep 1000"),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    assert process.stdout is not None
    assert await process.stdout.readline() == b"up\n"
    await sim.control("power_off", host="pollux3")
    assert server.processes("sleep 1000") == []
    await process.communicate()
    before = await sim.environment("pollux3", share=True)
    await sim.control("power_on", host="pollux3")
    after = await sim.environment("pollux3", share=True)
    assert before.pop("RESTRIPE_BOOT_ID") != after.pop("RESTRIPE_BOOT_ID")
    assert before == after
    own = {"PATH", "RESTRIPE_PROBE_HOOK", "RESTRIPE_SYSROOT", "SIM_HOST", "SIM_NAME", "SIM_PORT", "SIM_TOKEN", "TZ"}
    assert set(after) == own
    assert "RESTRIPE_JOBS" in await sim.environment("pollux3")
