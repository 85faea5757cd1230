"""Whatever is missing, old or failed: no check raises, and none comes out better for it. And questions only read."""

from __future__ import annotations

from pathlib import Path

import msgspec
import pytest

from remote.command import Effect
from supervision import gpfs_preflight as preflight
from supervision.checking import Check, worst
from tests.supervision.farfacts import Far
from tests.supervision.test_plan import PLAN

SIZED = ("size", "mmadddisk", "mmchdisk")


def weight(check: Check | None) -> int:
    """How heavy an outcome is; a check that is not there has nothing to say."""
    order = ("pass", "note", "warning", "unknown", "block")
    return order.index(worst([check]).value) if check else 0


@pytest.mark.parametrize("step", preflight.STEPS)
async def test_a_fact_that_is_missing_or_failed_makes_no_check_better(tmp_path: Path, step: str) -> None:
    far = Far(tmp_path)
    plan = await far.plan()
    await far.inside.migrate()
    whole = await far.look(plan, step)
    facts = dict(far.facts)
    for key, fact in facts.items():
        failed = msgspec.structs.replace(fact, failure="exit code 1: no", failed_at=fact.at + 1)
        for other in ({}, {key: failed}):
            far.facts = {name: held for name, held in facts.items() if name != key} | other
            found = far.judged(plan, step, since=far.now)
            unsized = step in SIZED and found["size-fits"].stops  # then no other check of sizes is there
            for name, check in whole.items():
                now = found.get(name)
                if check.stops:
                    assert now, (key, name)
                    assert now.stops, (key, name)
                else:
                    assert weight(now) >= weight(check) or (unsized and name.startswith("size-")), (key, name)
    far.facts = {}
    assert far.judged(plan, step, since=far.now)
    assert {check.stops for check in far.promised(plan, step).values()} <= {True}


@pytest.mark.parametrize("step", preflight.STEPS)
def test_questions_only_read_and_none_asks_every_node_for_its_daemon(step: str) -> None:
    asked = (*preflight.questions(step, PLAN), *preflight.server_questions(step))
    assert {command.effect for command in asked} == {Effect.READS}
    assert len({command.argv for command in asked}) == len(asked)
    assert not [command for command in asked if command.argv[0] == "mmgetstate" and "-a" in command.argv]
