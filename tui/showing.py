"""Showing a session on the screens: the supervisor outside, the application inside, and what is asked first."""

from __future__ import annotations

import asyncio
import sys
import time
from collections.abc import Iterable
from pathlib import Path

import msgspec

from remote.errors import SiteError
from remote.events import Event, LinkChanged
from remote.hostkeys import HostKeyQuestion, Trust
from remote.recording import RecordingError
from remote.secret import SecretQuestion
from supervision import filesystems, recipes
from supervision.brake import FLOOR, Terms
from supervision.leading import Leading
from supervision.migration import Ending, operator_name, perform
from supervision.plan import PlanError
from supervision.player import Player
from supervision.probejob import MEAN, Wish
from supervision.replay import Replay
from supervision.session import Session
from supervision.watching import Watch
from tui.app import RestripeApp
from tui.carrying import MIGRATION
from tui.connecting import Target, settings_for
from tui.endings import ENDINGS
from tui.exits import Exit
from tui.guiding import GUIDE, AtScreen, recorded_steps
from tui.leaving import come_back, goes_on, recording_lines, unreached
from tui.running import CrashError
from tui.settings import Settings


async def replay(file: Path, *, speed: float | None, start: str | None, settings: Settings) -> Exit:
    """A recording on the screens. It waits, paused, at its beginning."""
    from tui.replay import StartError, moment

    try:
        recording = Replay(file, whole=False)
        begin = moment(recording, start) if start else recording.began
    except (RecordingError, StartError) as error:
        sys.stderr.write(f"{error}\n")
        return Exit.USAGE
    player = Player(recording, speed=speed or 60.0)
    player.seek(begin)
    fs = filesystems.file_system(recording.header, sites=settings.config.sites)
    app = RestripeApp(Session(player, fs, steps=recorded_steps))
    return _ended(app, await _run(app, settings))


async def demo(*, speed: float, record: Path | None, auto: bool, settings: Settings) -> Exit:
    """The simulated cluster on the screens, waiting for the person; with `auto` it begins by itself.

    Ends as the migration did, if one was begun: leaving in the middle of it is UNKNOWN, and so is an error of our own.
    """
    from simulator.client import Simulation, SimulationError
    from tui.demo import exit_of, opened
    from tui.making import MetadataPlans

    try:
        async with Simulation.start(scenario="seed", speed=speed) as simulation, opened(simulation, record) as demo:
            supervisor = demo.supervisor
            fs = filesystems.file_system(supervisor.store.state.header)
            watch = Watch(supervisor, fs)
            person = AtScreen()
            maker = MetadataPlans(supervisor, by=operator_name(), plan_id=supervisor.store.state.header.plan)
            leading = Leading(supervisor, recipes.find, person, operator=operator_name(), maker=maker)
            session = Session(
                supervisor.store,
                fs,
                supervisor=supervisor,
                watch=watch,
                writer=demo.writer,
                leading=None if auto else leading,
                steps=recorded_steps,
            )
            if auto:
                supervisor.start(MIGRATION, perform(demo.migration))
            app = person.app = RestripeApp(session, first="migrate" if auto else "cluster")
            app.after_first_frame(lambda: supervisor.start("first look", watch.begin()))
            if not auto:
                app.after_first_frame(lambda: supervisor.start(GUIDE, leading.make()))
            code = await _run(app, settings, "" if auto else "4 leads through the migration, step by step")
            demo.ended = how = _ending(app, demo.migration.ending if auto else leading.ending)
            warnings = leading.guide.warnings if leading.guide else demo.migration.warnings
        if how is not None and code is not Exit.INTERRUPTED:
            code = exit_of(how, warned=bool(warnings or demo.writer.failure))
        elif code is Exit.DONE and demo.writer.failure:
            code = Exit.WARNINGS
        _say(recording_lines(demo.writer))
        return _ended(app, code)
    except (SimulationError, RecordingError, SiteError) as error:
        sys.stderr.write(f"Nothing was done: {error}\n")
        return Exit.FAILED


def _ending(app: RestripeApp, ending: Ending | None) -> Ending | None:
    """How a migration ended; nobody knows after an error of our own. None where nothing was begun."""
    return Ending.UNKNOWN if ending and app.crash else ending


class Prompts:
    """Carries the questions of connections to the application, which is there a moment later than they are."""

    def __init__(self) -> None:
        self.app: RestripeApp | None = None

    async def host_key(self, question: HostKeyQuestion) -> Trust:
        """An unknown host key."""
        return await self.app.ask_host_key(question) if self.app else Trust.NO

    async def secret(self, question: SecretQuestion) -> str | None:
        """A password or passphrase."""
        return await self.app.ask_secret(question) if self.app else None


async def connect(
    target: Target,
    fs_name: str,
    *,
    armed: bool,
    record: Path | None,
    settings: Settings,
    locked: str = "",
    plan: Path | None = None,
) -> Exit:
    """A cluster on the screens, read-only unless armed. The screens open while the hosts are still connecting.

    `locked` is why it is read-only although it was to be armed; `plan` is the file of the migration to go on with.
    """
    from tui.making import MetadataPlans
    from tui.opening import opened
    from tui.planning import read

    try:
        planned = read(plan) if plan else None
    except PlanError as error:
        sys.stderr.write(f"{plan}: {error}\n")
        return Exit.USAGE
    prompts, person = Prompts(), AtScreen()
    ssh = msgspec.structs.replace(settings_for(target), ask_host_key=prompts.host_key, ask_secret=prompts.secret)
    probe = _probe(settings, target)
    more = (probe.host,) if probe.host else ()  # whose jobs are looked at
    connected = asyncio.Event()
    try:
        async with opened(target, fs_name, record, settings, armed=armed, ssh=ssh, more=more) as live:
            supervisor, fs, writer = live.supervisor, live.fs, live.writer
            live.store.listen(lambda _state, event: connected.set() if _is_up(event) else None)
            given = settings.config.brake
            terms = Terms(given.floor or FLOOR, given.command or "")
            leading = None
            if live.store.state.header.kind == "gpfs":
                maker = MetadataPlans(supervisor, by=operator_name(), sites=settings.config.sites)
                leading = Leading(supervisor, recipes.find, person, operator=operator_name(), maker=maker)
            session = Session(
                live.store,
                fs,
                supervisor=supervisor,
                watch=live.watch,
                writer=writer,
                probe=probe,
                terms=terms,
                leading=leading,
                steps=recorded_steps,
                guides=filesystems.guides(supervisor, operator_name()),
            )
            app = person.app = RestripeApp(session, first="migrate" if planned else "cluster")
            prompts.app = app
            app.after_first_frame(lambda: supervisor.start("first look", live.watch.begin()))
            app.after_first_frame(lambda: app.begin_guide(planned, str(plan.absolute()) if plan else ""))
            code = await _run(app, settings, f"--write has no effect: {locked}" if locked else "")
            left, unsure = live.store.state, app.unsure  # while the links are open
            live.how = _how(app, code)
    except RecordingError as error:
        sys.stderr.write(f"Nothing was done: {error}\n")
        return Exit.FAILED
    if not connected.is_set():
        _say(unreached(left))
    _say(goes_on(fs, left, time.time()))
    _say(come_back(target, fs_name, settings, armed=armed, plan=leading.kept if leading else ""))
    _say(recording_lines(writer))
    if unsure:
        code = Exit.UNKNOWN
    elif code is Exit.DONE and not connected.is_set():
        code = Exit.UNREACHABLE
    elif code is Exit.DONE and session.guides and (ending := session.guides.ending):
        code = ENDINGS[ending]
    elif code is Exit.DONE and leading and (how := leading.left):
        code = ENDINGS[how]
    if code is Exit.DONE and (writer.failure or (leading and leading.guide and leading.guide.warnings)):
        code = Exit.WARNINGS
    return _ended(app, code)


def _probe(settings: Settings, target: Target) -> Wish:
    """The probe that is set for a destination, on the host that one enters by where no other is named."""
    given = settings.probe(f"{target.user}@{target.host}" if target.user else target.host)
    return Wish(given.directory or "", given.host or "", given.interval or MEAN, given.budget)


def _is_up(event: Event) -> bool:
    return isinstance(event, LinkChanged) and event.state == "up"


async def _run(app: RestripeApp, settings: Settings, greeting: str = "") -> Exit:
    """Show until the person leaves, an error of our own ends it (FAILED), or a signal: INTERRUPTED."""
    app.use(settings, greeting)
    left = await app.run_async(mouse=settings.config.mouse)  # the library takes a cancellation for the end
    if app.crash:
        return Exit.FAILED
    return Exit.INTERRUPTED if left is None else Exit(left)


def _how(app: RestripeApp, code: Exit) -> str:
    """How a session ended, for its recording."""
    if app.crash:
        return "an error of restripe itself"
    return "interrupted" if code is Exit.INTERRUPTED else "left"


def _ended(app: RestripeApp, code: Exit) -> Exit:
    """How the program ends, when all is closed. An error of our own is raised, for it to be told where all are."""
    if app.crash:
        raise CrashError(app.crash, code)
    return code


def _say(lines: Iterable[str]) -> None:
    """Tell something on the terminal, when the screens are gone."""
    for line in lines:
        sys.stdout.write(f"{line}\n")
