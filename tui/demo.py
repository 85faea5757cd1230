"""`restripe demo`: the seed's migration from the first look to the proof, on a simulated cluster, over real SSH."""

from __future__ import annotations

import asyncio
import contextlib
import sys
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import msgspec

from remote.clock import ScaledClock
from remote.errors import SiteError, UnreachableError
from remote.events import Closed
from remote.gpfs.models import FsSpace
from remote.live import LiveOptions, LiveSite
from remote.recorder import RecordingSite
from remote.recording import RecordingError, Writer
from remote.ssh.settings import SshSettings
from simulator.client import Simulation, SimulationError
from supervision.clocktext import duration_text, local_time
from supervision.gpfs_facts import facts_of
from supervision.gpfs_planning import PlanningError, Wish, make
from supervision.journal import Journal
from supervision.migration import Ending, StepResult, StopError, operator_name
from supervision.plan import Plan
from supervision.recipes.metadata_to_ssd import RECIPE
from supervision.store import Store
from supervision.supervisor import Supervisor
from supervision.walking import Walk
from tui.endings import ENDINGS
from tui.exits import Exit
from tui.paths import new_recording
from tui.plain import Plain
from tui.session import header_for

NAMES = ("look", "devices", "size", "mmcrnsd", "mmadddisk", "mmchdisk", "mmrestripefs", "proof")
"""The steps, as the table at the end has them."""


class Report(msgspec.Struct, frozen=True):
    """What `--json` prints. `metadata_left_on_rotating_kb` is the simulator's word: no mm* command tells it."""

    result: str
    why: str
    steps: tuple[StepResult, ...]
    metadata_used_kb: int | None
    metadata_left_on_rotating_kb: int | None
    ssd_free_percent: dict[str, int]
    simulated_seconds: float
    real_seconds: float
    recording: str
    recording_failure: str = ""
    warnings: tuple[str, ...] = ()


class Summary(msgspec.Struct, frozen=True):
    """What mmdf tells of the SSDs. Sizes in KB; the percentages are of free full blocks, as it prints them."""

    metadata_used_kb: int | None = None
    ssd_free_percent: dict[str, int] = {}


class Demo(msgspec.Struct):
    """The demo's session: a simulated cluster, armed, supervised and recorded.

    `ended` is how its migration ended, where that is not the walk's to tell.
    """

    simulation: Simulation
    supervisor: Supervisor
    writer: Writer
    migration: Walk
    ended: Ending | None = None


async def run(*, speed: float, as_json: bool, record: Path | None) -> Exit:
    """Start the scenario, perform the procedure, tell of it, and return how it ended."""
    out = sys.stderr if as_json else sys.stdout
    ourselves = asyncio.current_task()
    plain = Plain(out, gone=ourselves.cancel if ourselves else None)  # in order, from the outside
    began = time.monotonic()
    try:
        async with Simulation.start(scenario="seed", speed=speed) as simulation:
            report, code = await _perform(simulation, plain, record, began)
    except (SimulationError, RecordingError, SiteError) as error:
        plain.say(f"Nothing was done: {error}")
        code = Exit.UNREACHABLE if isinstance(error, UnreachableError) else Exit.FAILED
        report = Report(code.name.lower(), str(error), (), None, None, {}, 0.0, time.monotonic() - began, "")
    finally:
        plain.close()
    if as_json:
        sys.stdout.write(msgspec.json.encode(report).decode() + "\n")
    elif report.recording:
        _summarise(report, plain)
    return code


@asynccontextmanager
async def opened(simulation: Simulation, record: Path | None, plain: Plain | None = None) -> AsyncIterator[Demo]:
    """Open the demo's session, told of in lines where there is a `plain`. Closes everything, the recording last.

    Raises SiteError or RecordingError.
    """
    clock = ScaledClock(simulation.clock.epoch, simulation.clock.monotonic, simulation.clock.speed)
    options = LiveOptions(ssh=SshSettings(config_files=(simulation.ssh_config,)))
    live = LiveSite(simulation.hosts, clock, armed=True, options=options)
    try:
        header = await header_for(live, simulation.fs, simulation.entry, simulated=True, speed=simulation.clock.speed)
        stamp = local_time(header.began, header.utc_offset).strftime("%Y%m%dT%H%M%S")
        plan = f"{simulation.fs}-{stamp}"
        header = msgspec.structs.replace(header, plan=plan)
        writer = await asyncio.to_thread(Writer, record or new_recording(f"{plan}-demo"), header)
    except BaseException:
        await live.close()
        raise
    store = Store(header)
    if plain:
        speed = speed_text(simulation.clock.speed)
        plain.say(f"Simulated cluster {simulation.cluster}, file system {simulation.fs}, {speed}")
        plain.say(f"Recording to {writer.path}")
        store.listen(plain.on_event)
    journal = Journal(store, writer)
    try:
        site = RecordingSite(live, journal.emit, writer, journal.prepare)
        async with Supervisor(site, journal, fs=simulation.fs, entry=simulation.entry) as supervisor:
            operator = operator_name()
            migration = Walk(supervisor, RECIPE, lambda: planned(supervisor, plan, operator), operator=operator)
            demo = Demo(simulation, supervisor, writer, migration)
            yield demo
        ended = demo.ended or migration.ending
        journal.emit(Closed(clock.now(), ended.value))  # the last event: the tasks that asked have ended
    finally:
        await asyncio.to_thread(writer.close)


async def planned(supervisor: Supervisor, plan_id: str, operator: str) -> Plan:
    """A plan of what the simulated cluster has. Raises SiteError and StopError."""
    try:
        made = await make(supervisor, Wish(), by=operator)
    except PlanningError as error:
        raise StopError(Ending.UNKNOWN if error.unread else Ending.REFUSED, str(error)) from None
    return msgspec.structs.replace(made.plan, id=plan_id)


def summary_of(demo: Demo) -> Summary:
    """What is on the SSDs, as mmdf told it last, if the proof was made."""
    space, guide = facts_of(demo.supervisor.store.state).get(FsSpace), demo.migration.guide
    if demo.migration.ending is not Ending.DONE or space is None or guide is None:
        return Summary()
    rows = [(device.nsd, space.get(device.nsd)) for device in guide.plan.devices]
    free = {nsd: row.free_blocks_percent for nsd, row in rows if row and row.free_blocks_percent is not None}
    return Summary(space.metadata.used_kb if space.metadata else None, free)


async def _perform(simulation: Simulation, plain: Plain, record: Path | None, began: float) -> tuple[Report, Exit]:
    left: int | None = None
    async with opened(simulation, record, plain) as demo:
        clock, migration = demo.supervisor.site.clock, demo.migration
        started = clock.elapsed()
        with contextlib.suppress(StopError):  # told by its step, and in the report
            await migration.run()
        with contextlib.suppress(SimulationError):  # it may have ended in the middle; the steps have told so
            left = int((await simulation.control("facts"))["metadata_left_on_rotating_kb"])
        summary = summary_of(demo)
    report = Report(
        migration.ending.value,
        migration.why,
        tuple(migration.results),
        summary.metadata_used_kb,
        left,
        summary.ssd_free_percent,
        round(clock.elapsed() - started, 1),
        round(time.monotonic() - began, 1),
        str(demo.writer.path),
        demo.writer.failure,
        tuple(migration.warnings),
    )
    return report, exit_of(migration.ending, warned=bool(demo.writer.failure or migration.warnings))


def exit_of(ending: Ending, *, warned: bool) -> Exit:
    """How a migration that was begun has ended, or that nobody knows; to be asked when the session is closed."""
    return Exit.WARNINGS if ending is Ending.DONE and warned else ENDINGS[ending]


def _summarise(report: Report, plain: Plain) -> None:
    plain.say()
    plain.say("Done, and every result was read back." if report.result == "done" else f"Ended: {report.result}.")
    if report.why:
        plain.say(f"  {report.why}")
    for warning in report.warnings:
        plain.say(f"  WARNING: {warning}")
    plain.say()
    plain.say(f"  {'step':<14}{'':<8}{'exit':>4}  {'took':>11}  command")
    ran = {step.name: step for step in report.steps}
    for name in NAMES:
        step = ran.get(name)
        if step is None:
            plain.say(f"  {name:<14}not run")
            continue
        last = step is report.steps[-1] and report.result != "done"
        state = report.result if last else "ok"
        rc = "?" if step.rc is None else str(step.rc)
        took = duration_text(step.seconds)
        plain.say(f"  {step.name:<14}{state:<8}{rc:>4}  {took:>11}  {_fitting(step.command, 36)}")
    plain.say()
    if report.metadata_used_kb is not None:
        plain.say(f"  metadata on the SSDs     {report.metadata_used_kb:>13,} KB, full blocks and fragments")
    if report.metadata_left_on_rotating_kb is not None:
        left = report.metadata_left_on_rotating_kb
        plain.say(f"  left on rotating disks   {left:>13,} KB (the simulator's word)")
    for nsd, percent in report.ssd_free_percent.items():
        plain.say(f"  free on {nsd:<17}{percent:>13} %")
    simulated, real = duration_text(report.simulated_seconds), duration_text(report.real_seconds)
    plain.say(f"  time                     {simulated} simulated, {real} real")
    if report.recording_failure:
        plain.say(f"  WARNING: the recording is not whole: {report.recording_failure}")
    plain.say(f"  recorded in {report.recording}")
    plain.say("  watch it again with: restripe replay")


def _fitting(command: str, width: int = 60) -> str:
    """A command in one column; its middle goes first, since the end of a path tells more. It stands whole above."""
    return command if len(command) <= width else f"{command[: width // 2 - 1]}…{command[-(width // 2) :]}"


def speed_text(speed: float) -> str:
    """How fast simulated time passes."""
    return "in real time" if speed == 1 else f"{speed:g} times as fast as real time"
