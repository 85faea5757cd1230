"""The guide over real OpenSSH servers, whose hosts are simulated: something else dies at every step, there and back."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator

import pytest

from remote.live import LiveOptions
from remote.ssh.settings import SshSettings
from simulator.client import Simulation
from tests import openssh
from tests.supervision import strikes
from tests.supervision.strikes import Strike, walk_and_strike
from tests.supervision.walked import POLL, STEPS

pytestmark = pytest.mark.openssh

SPEED = 2_000.0
PACE = 10.0
AT: dict[str, Strike] = {
    "look": strikes.connection_is_cut_while_it_checks,
    "devices": strikes.program_is_gone_while_it_checks,
    "size": strikes.host_reboots_while_it_checks,
    "mmcrnsd": strikes.host_reboots_before_anything_is_done,
    "mmadddisk": strikes.connection_is_cut_at_the_launch_and_while_the_command_runs,
    "mmchdisk": strikes.job_is_killed_when_all_is_done,
    "mmrestripefs": strikes.program_is_gone_while_the_command_runs,
    "proof": strikes.connection_is_cut_while_it_checks,
    "mmchdisk-back": strikes.runner_is_killed_and_the_command_goes_on,
    "mmdeldisk": strikes.job_is_killed_before_it_does_anything,
    "mmdelnsd": strikes.host_dies_when_all_is_done_and_another_one_goes_on,
}


class Served:
    """Each simulated host behind a real sshd of its own, with jobs of its own."""

    def __init__(self, sim: Simulation, farm: openssh.Farm) -> None:
        self.sim = sim
        self.options = LiveOptions(poll_seconds=POLL * sim.clock.speed, ssh=SshSettings(config_files=(farm.config,)))
        self._account = farm.account()
        self._jobs = {host: str(self._account.directory(f"jobs-{host}")) for host in sim.hosts}
        self._farm = farm
        self._servers: dict[str, openssh.Server] = {}

    async def start(self) -> None:
        """Let every host be served."""
        for number, host in enumerate(self.sim.hosts, 1):
            env = await self._environment(host)
            self._servers[host] = self._farm.server(host, account=self._account, address=f"127.0.0.{number}", env=env)

    async def _environment(self, host: str) -> dict[str, str]:
        return {**await self.sim.environment(host, share=True), "RESTRIPE_JOBS": self._jobs[host]}

    async def cut(self) -> None:
        for server in self._servers.values():
            if server.sessions():
                server.kill_sessions()

    async def off(self, host: str) -> None:
        self._servers[host].stop()
        await self.sim.control("power_off", host=host, disks="stay")

    async def on(self, host: str) -> None:
        await self.sim.control("power_on", host=host)
        self._servers[host].set_environment(await self._environment(host))
        self._servers[host].start()


@pytest.fixture
def own_farm() -> Iterator[openssh.Farm]:
    """Servers by the names of the simulated hosts, which no other test may meet."""
    with openssh.farm() as made:
        yield made


async def test_a_migration_goes_on_over_real_openssh_whatever_dies(
    own_farm: openssh.Farm, subtests: pytest.Subtests
) -> None:
    async with contextlib.AsyncExitStack() as stack:
        sim = await stack.enter_async_context(Simulation.start(speed=SPEED))
        await sim.control("pace", factor=PACE)
        far = Served(sim, own_farm)
        await far.start()
        await walk_and_strike(far, {step: AT[step.name] for step in STEPS}, subtests)
