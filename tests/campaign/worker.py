"""One process of a campaign: plays the cases whose numbers come on stdin, and answers with a verdict a line, in JSON.

Each worker has a server and an account of its own, so that a kill hits nobody else's case.
"""

from __future__ import annotations

import asyncio
import sys

import msgspec

from tests import openssh
from tests.campaign.cases import draw
from tests.campaign.jobs import Job
from tests.campaign.playing import Field
from tests.campaign.verdict import Verdict, judge


async def play(field: Field, seed: str, number: int) -> Verdict:
    """Draw one case, play it, judge it."""
    case = draw(seed, number)
    job = Job(field.server.account, f"case-{number}", case)
    return judge(case, job, await field.play(case, job))


async def main(seed: str) -> None:
    """Play until stdin ends."""
    with openssh.farm() as farm:
        field = Field(farm, "campaign")
        try:
            await field.measure()
            while line := await asyncio.to_thread(sys.stdin.readline):
                verdict = await play(field, seed, int(line))
                print(msgspec.json.encode(verdict).decode(), flush=True)
        finally:
            await field.close()


if __name__ == "__main__":
    asyncio.run(main(sys.argv[1]))
