"""The canary and the disk counters on a simulated cluster, over SSH: what is written there is counted here, once."""

from __future__ import annotations

from typing import Any

import pytest

from remote.linux.commands import disk_counters, log_history, logs
from simulator.client import Simulation
from supervision.canary_rates import Level, canary
from supervision.io_rates import moved
from supervision.state import State
from tests.supervision.cluster import session

HOST = "pollux1"


@pytest.mark.parametrize("scenario", ["seed", "seed-5.2"])
async def test_what_a_simulated_host_complains_of_is_counted_once(scenario: str) -> None:
    async with Simulation.start(scenario, speed=60) as sim, session(sim, armed=False) as live:
        ask = live.supervisor.ask

        def state() -> State:
            return live.store.state

        await ask(HOST, log_history(), logs(), disk_counters())
        assert not any(fact.failure or (fact.parsed and fact.parsed.problems) for fact in state().facts.values())
        calm = canary(state(), hosts=[HOST])
        assert (calm.level, calm.unread, calm.kinds, calm.before is not None) == (Level.CALM, (), (), True)
        written: tuple[tuple[str, dict[str, Any]], ...] = (
            ("expel", {"node": "pollux3"}),
            ("io_error", {"count": 3}),
            ("reconnect", {"node": "pollux2", "count": 2}),
            ("hung_task", {}),
            ("disk_failure", {}),
        )
        for kind, more in written:
            await sim.control("log", host=HOST, kind=kind, **more)
        await sim.control("log", host=HOST, file="messages", text="quiet_error: 40 callbacks suppressed")
        await ask(HOST, logs())
        await sim.control("rotate", host=HOST, file="mmfs")
        await sim.control("log", host=HOST, kind="expel", node="pollux2")
        await ask(HOST, logs(), disk_counters())
        await ask(HOST, log_history())
        heard = state().heard[HOST]
        counts: dict[str, tuple[int, int]] = {}
        for _, _, bucket in heard.between(0, live.supervisor.site.clock.now() + 60):
            for kind, count in bucket.items():
                errors, warnings = counts.get(kind, (0, 0))
                counts[kind] = (errors + count.errors, warnings + count.warnings)
        assert counts == {"expel": (2, 0), "io": (43, 0), "network": (0, 2), "waiter": (0, 1), "disk": (1, 0)}
        assert not heard.gaps
        alarm = canary(state(), hosts=[HOST])
        assert alarm.level is Level.ALARM
        assert [each.kind for each in alarm.kinds] == ["expel", "disk", "io", "waiter", "network"]
        assert alarm.kinds[0].text == "expel: 2 nodes"
        assert [each.kind for each in state().happened] == ["canary"] * 4
        since = moved(state(), HOST, ["sda"], 0)
        assert since is not None
        assert since.read >= 0
