"""Opening a session with a real cluster that is recorded from its first connection on, with or without screens."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path

from remote.clock import WallClock
from remote.events import Closed, Header
from remote.live import LiveOptions, LiveSite
from remote.recorder import RecordingSite
from remote.recording import VERSION, Writer
from remote.ssh.settings import SshSettings
from remote.text import name_part
from supervision import filesystems
from supervision.clocktext import local_time
from supervision.filesystem import FileSystem
from supervision.journal import Journal
from supervision.migration import operator_name
from supervision.store import Store
from supervision.supervisor import Supervisor
from supervision.watching import Watch
from tui.connecting import Target, settings_for
from tui.paths import new_recording, runs_file
from tui.runs import learn
from tui.settings import Settings
from tui.using import slowed


@dataclass
class Opened:
    """A session with what it is recorded in. `how` is how it ended, for the recording."""

    supervisor: Supervisor
    watch: Watch
    fs: FileSystem
    writer: Writer
    how: str = "interrupted"

    @property
    def store(self) -> Store:
        """The owner of the state."""
        return self.supervisor.store


@asynccontextmanager
async def opened(
    target: Target,
    fs_name: str,
    record: Path | None,
    settings: Settings,
    *,
    armed: bool = False,
    ssh: SshSettings | None = None,
    more: Sequence[str] = (),
) -> AsyncIterator[Opened]:
    """Open a session that can change nothing unless it is `armed`. Nothing was asked yet. Raises RecordingError.

    `ssh` is how connections are made where that is not as for the target, `more` are hosts that are watched besides it.
    """
    clock = WallClock()
    hosts = tuple(dict.fromkeys((target.host, *more)))
    options = LiveOptions(sudo=target.sudo, ssh=ssh or settings_for(target))
    live = LiveSite(hosts, clock, armed=armed, options=options)
    now = clock.now()
    zone = time.localtime(now).tm_gmtoff
    header = Header(
        restripe=VERSION,
        program=version("restripe"),
        created=time.time(),
        began=now,
        file_system=fs_name,
        hosts=hosts,
        entry=target.host,
        operator=operator_name(),
        utc_offset=zone,
        kind=target.kind,
    )
    stamp = local_time(now, zone).strftime("%Y%m%dT%H%M%S")
    try:
        writer = await asyncio.to_thread(Writer, record or new_recording(f"{name_part(fs_name)}-{stamp}"), header)
    except BaseException:
        await live.close()
        raise
    journal = Journal(Store(header), writer)
    fs = filesystems.file_system(header, sites=settings.config.sites)
    site = RecordingSite(live, journal.emit, writer, journal.prepare)
    supervisor = Supervisor(site, journal, fs=fs_name, entry=target.host)
    limits = settings.config.refresh
    watch = Watch(supervisor, fs, lambda cadences: slowed(cadences, fs.costly(), limits))
    session = Opened(supervisor, watch, fs, writer)
    try:
        async with supervisor:
            await learn(supervisor, fs, runs_file())
            yield session
    finally:
        journal.emit(Closed(clock.now(), session.how))  # the last event: the tasks that asked have ended
        await asyncio.to_thread(writer.close)
