"""What the users of a simulated file system feel of a restripe, and the program that takes as long."""

from __future__ import annotations

import asyncio

import pytest

from simulator.users import Users
from tests.simulator.far_side import FarSide, far_side


def test_an_unlimited_restripe_slows_users_by_the_whole_factor_and_a_limited_one_by_its_share() -> None:
    users = Users()
    assert [users.mean_ms(share) for share in (0, 1, 0.5, 0.1)] == pytest.approx([2.0, 8.0, 5.0, 2.6])
    told = [users.next_ms(1) for _ in range(64)]
    assert sum(ms == 20.0 for ms in told) == 4
    assert all(6.4 <= ms <= 9.6 for ms in told if ms != 20.0)


async def test_the_hook_returns_when_an_operation_would_and_hangs_while_users_hang() -> None:
    async with far_side(speed=1) as far:
        assert await hook(far) == 0
        answer = await far.sim.control("users", latency_ms=1, factor=3, host="pollux1", hang=True)
        assert answer == {"latency_ms": 1, "factor": 3, "now_ms": 1, "hanging": ["pollux1"]}
        assert (await far.run('timeout 0.3 "$RESTRIPE_PROBE_HOOK"'))[0] == 124
        assert await hook(far, "pollux2") == 0
        waiting = asyncio.create_task(hook(far))
        assert (await far.sim.control("users", hang=False))["hanging"] == []
        assert await waiting == 0


async def hook(far: FarSide, host: str = "pollux1") -> int:
    code, out, err = await far.run('"$RESTRIPE_PROBE_HOOK"', host)
    assert (out, err) == ("", "")
    return code
