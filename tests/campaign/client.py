"""A client of its own process: launches one job and follows it until it is killed. Its errand comes on stdin, in JSON.

It says `"connected"` just before the launch and `"launched"` just after, so that its own start is no part of either.
"""

from __future__ import annotations

import asyncio
import sys
from pathlib import Path

import msgspec

from remote.clock import WallClock
from remote.live import LiveOptions, LiveSite
from remote.ssh.settings import SshSettings
from tests.campaign.following import POLL_SECONDS, Errand, Seen, follow


async def main(errand: Errand) -> None:
    """Launch, follow, and stay."""
    options = LiveOptions(poll_seconds=POLL_SECONDS, ssh=SshSettings(config_files=(Path(errand.config),)))
    site = LiveSite([errand.host], WallClock(), armed=True, options=options)
    await site.place(errand.host)
    print('"connected"', flush=True)
    await site.launch(errand.host, errand.spec)
    print('"launched"', flush=True)
    await follow(site, errand.host, errand.spec.id, Seen())
    await asyncio.Event().wait()


if __name__ == "__main__":
    asyncio.run(main(msgspec.json.decode(sys.stdin.buffer.read(), type=Errand)))
