"""The jobs of a campaign: each leaves a line in a counter for each run, and its log is known beforehand."""

from __future__ import annotations

import hashlib
from pathlib import Path

from remote.command import Command, Effect, quote
from remote.jobs import JobSpec
from tests.campaign.cases import SIGNAL_NAMES, Case, Kind
from tests.openssh import Account

LONG_STEP = 0.08


class Job:
    """What one case launches, and what is known of it on the host."""

    def __init__(self, account: Account, name: str, case: Case) -> None:
        self.id = name
        self.directory = account.home / ".local/state/restripe" / name
        self._counter = account.directory(f"of-{name}") / "counter"
        self.spec, self.log = self._build(case)
        self.digest = hashlib.sha256(self.log).hexdigest()

    def _build(self, case: Case) -> tuple[JobSpec, bytes]:
        begin, log, end = f"echo begin; sleep {case.pause}", b"begin\n", f"exit {case.rc}"
        files: tuple[tuple[str, str], ...] = ()
        if case.kind is Kind.LONG:
            begin += f"; for i in $(seq {case.steps}); do echo step $i; sleep {LONG_STEP}; done"
            log += b"".join(b"step %d\n" % step for step in range(1, case.steps + 1))
        elif case.kind is Kind.BIG:
            begin += f"; seq {case.steps}"
            log += "".join(f"{step}\n" for step in range(1, case.steps + 1)).encode()
        elif case.kind is Kind.ATTACHED:
            begin += f"; cat {quote((str(self.directory / 'run' / 'text'),))}"
            log += case.text.encode()
            files = (("text", case.text),)
        elif case.kind is Kind.SIGNALLED:
            end = f"kill -{SIGNAL_NAMES[case.rc]} $$; sleep 5"
        script = f"echo ran >>{quote((str(self._counter),))}; {begin}; {end}"
        command = Command(("sh", "-c", script), Effect.CHANGES)
        return JobSpec(self.id, case.kind.value, "campaign", command, files), log

    @property
    def runs(self) -> int:
        """How often the command ran."""
        return len(self._counter.read_text().splitlines()) if self._counter.exists() else 0

    def on_disk(self) -> bytes:
        """The log as it lies on the host."""
        path: Path = self.directory / "log"
        return path.read_bytes() if path.exists() else b""
