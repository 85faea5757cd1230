"""`restripe probe`: start a probe of users' latency as a detached job, or show what would be started."""

from __future__ import annotations

import asyncio
import contextlib
import secrets
import sys
from contextlib import aclosing

from remote.clock import WallClock
from remote.errors import RefusedError, SiteError, UnreachableError
from remote.events import Closed
from remote.jobs import JobState
from remote.live import LiveOptions, LiveSite
from remote.recorder import RecordingSite
from remote.recording import RecordingError, Writer
from remote.site import JobLog
from remote.text import one_line, safe
from supervision.clocktext import local_time
from supervision.journal import Journal
from supervision.migration import operator_name
from supervision.probejob import Probe, Wish, probe_at, probe_spec, probes, refusal
from supervision.store import Store
from tui.connecting import Target, settings_for
from tui.exits import Exit
from tui.leaving import recording_lines
from tui.paths import new_recording
from tui.session import header_for

FIRST_LINE = 10.0
"""Real seconds that the first line of a probe is waited for: it makes its directory before, which may hang."""


async def run(target: Target, fs: str, wish: Wish, *, armed: bool) -> Exit:
    """Start a probe on the target's host when armed, else show the command. What is launched is recorded first."""
    if why := refusal(wish.directory, wish.mean, wish.budget):
        sys.stderr.write(f"{one_line(why)}\n")
        return Exit.USAGE
    live = LiveSite((target.host,), WallClock(), armed=armed, options=LiveOptions(ssh=settings_for(target)))
    try:
        header = await header_for(live, fs, target.host)
        name = f"{fs or target.host}-probe-{local_time(header.began, header.utc_offset):%Y%m%dT%H%M%S}"
        writer = await asyncio.to_thread(Writer, new_recording(name), header) if armed else None
        try:
            journal = Journal(Store(header), writer)
            code = await _start(RecordingSite(live, journal.emit, writer, journal.prepare), journal, name, wish)
            journal.emit(Closed(live.clock.now(), "left"))
        finally:
            if writer:
                await asyncio.to_thread(writer.close)
    except (SiteError, RecordingError) as error:
        sys.stderr.write(f"{safe(str(error))}\n")
        if isinstance(error, UnreachableError):
            return Exit.UNREACHABLE
        return Exit.REFUSED if isinstance(error, RefusedError) else Exit.FAILED
    finally:
        await live.close()
    if writer:
        sys.stdout.write("".join(f"{line}\n" for line in recording_lines(writer)))
    return code


async def _start(site: RecordingSite, journal: Journal, name: str, wish: Wish) -> Exit:
    """Launch it, unless one is there already; unarmed, show what would be launched."""
    (host,) = site.hosts
    await site.jobs(host)
    if there := probe_at(journal.store.state, host, wish.directory):
        sys.stderr.write(f"{one_line(host)}: {one_line(wish.directory)} is probed already, by job {there}\n")
        return Exit.REFUSED
    place, job_id = await site.place(host), f"{name}-{secrets.token_hex(2)}"
    spec = probe_spec(place, job_id, operator_name(), wish.directory, mean=wish.mean, budget=wish.budget)
    sys.stdout.write(f"{host}: {spec.command.text}\n")
    if not site.armed:
        sys.stdout.write("Nothing was started: that takes --write.\n")
        return Exit.DONE
    status = await site.launch(host, spec)
    sys.stdout.write(f"job {status.id}: {status.meaning}\n")
    # it may have been refused, and have ended, before the launch was answered
    begun = status.state in (JobState.RUNNING, JobState.FINISHED)
    if begun and (why := await _refused(site, journal, status.id)):
        sys.stderr.write(f"{one_line(host)}: {one_line(wish.directory)} is not probed: {one_line(why)}\n")
        return Exit.FAILED
    return {JobState.UNKNOWN: Exit.UNKNOWN, JobState.ERROR: Exit.FAILED}.get(status.state, Exit.DONE)


async def _refused(site: RecordingSite, journal: Journal, job_id: str) -> str:
    """Why a probe could not begin, as its first line tells or its end without one; empty when it began, or has told
    nothing for a while."""
    (host,) = site.hosts
    with contextlib.suppress(TimeoutError):
        async with asyncio.timeout(FIRST_LINE), aclosing(site.follow(host, JobLog(job_id))) as told:
            async for _each in told:
                for probe in _of(journal, job_id):
                    if probe.samples.setup or probe.samples.over:
                        return probe.samples.trouble
    for probe in _of(journal, job_id):
        status = probe.job.status
        if status.state.settled:
            code = "" if status.rc is None else f": {status.rc}"
            return f"it told nothing, and {status.meaning}{code}"
    return ""


def _of(journal: Journal, job_id: str) -> list[Probe]:
    return [probe for probe in probes(journal.store.state) if probe.job.status.id == job_id]
