"""`make campaign`: play cases until enough kills have hit, print the tally, write docs/job-campaign.md.

Exit status 1 when a promise was broken; the seed and the case are printed.
"""

from __future__ import annotations

import argparse
import asyncio
import itertools
import secrets
import sys
import time
from pathlib import Path

import msgspec

from tests.campaign import tally
from tests.campaign.verdict import Verdict
from tests.openssh import SSHD

ROOT = Path(__file__).parents[2]
PAGE = ROOT / "docs" / "job-campaign.md"


class Campaign:
    """The cases that are played, by however many workers."""

    def __init__(self, seed: str, kills: int, case: int | None) -> None:
        self.seed = seed
        self.kills = kills
        self.numbers = iter([case]) if case is not None else itertools.count(1)
        self.verdicts: list[Verdict] = []

    @property
    def hits(self) -> int:
        """How many kills have hit so far."""
        return sum(verdict.struck for verdict in self.verdicts)

    async def work(self) -> None:
        """Feed one worker until there are enough."""
        worker = await asyncio.create_subprocess_exec(
            *(sys.executable, "-m", "tests.campaign.worker", self.seed),
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
            cwd=ROOT,
        )
        assert worker.stdin is not None
        assert worker.stdout is not None
        try:
            while self.hits < self.kills and (number := next(self.numbers, None)) is not None:
                worker.stdin.write(f"{number}\n".encode())
                await worker.stdin.drain()
                line = await worker.stdout.readline()
                if not line:
                    raise SystemExit(f"a worker ended at case {number} of seed {self.seed}")
                self.verdicts.append(msgspec.json.decode(line, type=Verdict))
                self.tell(self.verdicts[-1])
        finally:
            worker.stdin.close()
            await worker.wait()

    def tell(self, verdict: Verdict) -> None:
        """One line as it goes, and all of it when something is wrong."""
        if verdict.problems:
            print("\n".join(tally.violations(self.seed, [verdict])), flush=True)
        elif self.hits % 25 == 0 and verdict.struck:
            print(f"{self.hits} kills", flush=True)


async def run(campaign: Campaign, workers: int) -> None:
    """All workers at once."""
    async with asyncio.TaskGroup() as group:
        for _ in range(workers):
            group.create_task(campaign.work())


def main() -> int:
    """The campaign; returns the exit status."""
    parser = argparse.ArgumentParser(prog="make campaign", description=__doc__)
    parser.add_argument("--seed", default="", help="any word; a new one when left out")
    parser.add_argument("--kills", type=int, default=200, help="how many kills have to hit")
    parser.add_argument("--case", type=int, help="play this case only, and write nothing")
    parser.add_argument("--workers", type=int, default=4)
    given = parser.parse_args()
    if SSHD is None:
        print("the campaign needs an OpenSSH server (Debian: openssh-server)")
        return 2
    seed = given.seed or secrets.token_hex(4)
    print(f"seed {seed}", flush=True)
    campaign = Campaign(seed, given.kills, given.case)
    began = time.monotonic()
    asyncio.run(run(campaign, 1 if given.case is not None else given.workers))
    verdicts = sorted(campaign.verdicts, key=lambda verdict: verdict.number)
    seconds = time.monotonic() - began
    print("\n".join([*tally.table(verdicts), "", *tally.summary(verdicts), "", f"seed {seed}, {seconds:.0f} s"]))
    if given.case is None:
        PAGE.write_text(tally.page(seed, verdicts, seconds), encoding="utf-8")
    else:
        print("\n".join(verdict.words for verdict in verdicts))
    return int(any(verdict.problems for verdict in verdicts))


if __name__ == "__main__":
    sys.exit(main())
