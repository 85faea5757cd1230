"""A client of its own process that launches one job and is killed meanwhile: arguments in JSON on standard input."""

from __future__ import annotations

import asyncio
import sys
from pathlib import Path
from unittest import mock

import msgspec

from remote import jobs
from remote.clock import WallClock
from remote.jobs import JobSpec
from remote.live import LiveOptions, LiveSite
from remote.ssh.settings import SshSettings


class Errand(msgspec.Struct):
    """What to launch where; `host_side` is the text of job.sh to send."""

    config: str
    host: str
    host_side: str
    spec: JobSpec


async def main(errand: Errand) -> None:
    """Do the errand with its own host side."""
    with mock.patch.object(jobs, "_host_side", return_value=errand.host_side):
        await launch(errand)


async def launch(errand: Errand) -> None:
    """Launch, then stay until killed."""
    options = LiveOptions(ssh=SshSettings(config_files=(Path(errand.config),)))
    site = LiveSite([errand.host], WallClock(), armed=True, options=options)
    await site.launch(errand.host, errand.spec)
    await asyncio.Event().wait()


if __name__ == "__main__":
    asyncio.run(main(msgspec.json.decode(sys.stdin.buffer.read(), type=Errand)))
