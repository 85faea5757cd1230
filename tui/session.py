"""Opening a session: the first answer of the entry host, and the header of its recording."""

from __future__ import annotations

import time
from importlib.metadata import version

from remote.events import Header
from remote.linux.host_time import host_time, parse_host_time
from remote.recording import VERSION
from remote.site import Site
from remote.text import decode
from supervision.migration import operator_name


async def header_for(site: Site, fs: str, entry: str, *, simulated: bool = False, speed: float = 1.0) -> Header:
    """Ask the entry host which time and zone it lives in, and return the header of this session's recording.

    Raises SiteError: a session whose first host does not answer never begins.
    """
    (answer,) = await site.query(entry, host_time())
    told = parse_host_time(decode(answer.stdout), decode(answer.stderr)).model
    return Header(
        restripe=VERSION,
        program=version("restripe"),
        created=time.time(),
        began=site.clock.now(),
        file_system=fs,
        hosts=site.hosts,
        entry=entry,
        operator=operator_name(),
        simulated=simulated,
        speed=speed,
        utc_offset=told.utc_offset if told else 0,
    )
