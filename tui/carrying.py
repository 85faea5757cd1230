"""What screens want and what connections ask: carried out through the supervisor, and put to the person.

A screen only says what is wanted; whoever asks need not belong to the application.
"""

from __future__ import annotations

import secrets
from collections.abc import Callable, Coroutine
from typing import TYPE_CHECKING, Any, cast

from remote.command import Command, Effect
from remote.errors import SiteError
from remote.hostkeys import HostKeyQuestion, Trust
from remote.jobs import JobSpec, JobState, JobStatus
from remote.linux.host_time import host_time
from remote.secret import SecretQuestion
from remote.text import name_part
from screens.intents import (
    EaseScan,
    FollowJob,
    LaunchJob,
    OpenGuide,
    Refresh,
    RefreshJobs,
    ReleaseBrake,
    StartMigration,
    StartProbe,
    StopJob,
)
from supervision.brake import Plan
from supervision.braking import RESTORING, change
from supervision.clocktext import time_of_day
from supervision.migration import Migration, operator_name, perform
from supervision.probejob import MEAN, probe_at, probe_spec, refusal
from supervision.state import State
from supervision.supervisor import Supervisor
from tui.guiding import Guiding

if TYPE_CHECKING:
    from screens.dialogs import Dialog

GUIDE, MIGRATION = "look before a migration", "migration"
"""The names of the background work that looks whether a migration could be, and that runs its steps."""
REFRESH = "refresh"
"""The name of what asks again because a person wanted it."""
LAUNCH, STOP, BRAKE = "launch", "stop", "change of limits"
"""The names of what sends a command to a host, or a signal to a job: until its end nobody knows what came of it."""


class Carrying(Guiding):
    """Carries out intents, and asks the person on behalf of others."""

    def on_refresh(self, intent: Refresh) -> None:
        """Ask again now."""
        supervisor, watch = self.session.supervisor, self.session.watch
        if supervisor is None or watch is None:
            return
        if supervisor.runs(REFRESH):  # a hand on the key must not line up questions that touch every node
            self.say("it is being asked already; the answers come as they are there")
            return
        supervisor.start(REFRESH, watch.refresh(costly=intent.costly, devices=intent.devices))
        more = ", also what touches every node or reads much" if intent.costly else ""
        self.say("looking at the devices of all hosts again" if intent.devices else f"asking again{more}")

    def on_refresh_jobs(self, _intent: RefreshJobs) -> None:
        """Ask every host for its jobs."""
        supervisor, watch = self.session.supervisor, self.session.watch
        if supervisor:
            look = watch.look_at_jobs() if watch else supervisor.look_at_jobs(supervisor.site.hosts)
            supervisor.start("jobs", look)

    def on_follow_job(self, intent: FollowJob) -> None:
        """Follow a job to its end; it goes on without us."""
        if supervisor := self.session.supervisor:
            supervisor.follow(intent.host, intent.job_id)

    def on_stop_job(self, intent: StopJob) -> None:
        """Stop a job that was confirmed to be stopped."""
        supervisor = self.session.supervisor
        if supervisor is None or not self.session.armed:
            return
        supervisor.start(STOP, self._carry_out(supervisor.site.stop(intent.host, intent.job_id)))

    def on_launch_job(self, intent: LaunchJob) -> None:
        """Run a command that was confirmed, as a detached job."""
        supervisor = self.session.supervisor
        if supervisor is None or not self.session.armed:
            return
        why = self.session.fs.may_run(intent.argv)
        if why:
            self.say(why, wrong=True)
            return
        supervisor.start(LAUNCH, self._launch(supervisor, intent))

    def on_start_probe(self, intent: StartProbe) -> None:
        """Start a probe that was confirmed, as a detached job."""
        supervisor = self.session.supervisor
        if supervisor is None or not self.session.armed:
            return
        if why := refusal(intent.directory, intent.mean or MEAN, intent.budget):
            self.say(why, wrong=True)
            return
        if there := probe_at(self.session.state, intent.host, intent.directory):
            self.say(f"{intent.directory} is probed already, by job {there} on {intent.host}", wrong=True)
            return
        supervisor.start(LAUNCH, self._launch_probe(supervisor, intent))

    async def _launch(self, supervisor: Supervisor, intent: LaunchJob) -> None:
        command = Command(intent.argv, Effect.CHANGES)
        spec = JobSpec(self._new_id("by-hand"), "run by hand, no checks", operator_name(), command)
        await self._send(supervisor, intent.host, spec)

    async def _launch_probe(self, supervisor: Supervisor, intent: StartProbe) -> None:
        supervisor.site.add_hosts((intent.host,))  # it may be a client that nobody has asked yet
        if self.session.watch:
            self.session.watch.reach()
        try:
            place = await supervisor.site.place(intent.host)
        except SiteError as error:
            self.say(f"nothing was sent: {error}", wrong=True)
            return
        mean, operator = intent.mean or MEAN, operator_name()
        spec = probe_spec(place, self._new_id("probe"), operator, intent.directory, mean=mean, budget=intent.budget)
        await self._send(supervisor, intent.host, spec)

    def _new_id(self, what: str) -> str:
        """The id of a job that nobody else has."""
        stamp = time_of_day(self.session.now, self.session.state.utc_offset).replace(":", "")
        return f"{name_part(self.session.fs.name)}-{what}-{stamp}-{secrets.token_hex(2)}"

    async def _send(self, supervisor: Supervisor, host: str, spec: JobSpec) -> None:
        """Launch a job on a host that answers now, and follow it."""
        try:  # what is known of a host may be half a minute old, and a command must not run long after it was confirmed
            await supervisor.site.query(host, host_time())
        except SiteError as error:
            self.say(f"nothing was sent: {error}", wrong=True)
            return
        if await self._carry_out(supervisor.site.launch(host, spec)):
            supervisor.follow(host, spec.id)

    def on_ease_scan(self, intent: EaseScan) -> None:
        """Limit the scan as it was confirmed."""
        fs, hours, terms = self.session.fs, intent.hours, self.session.terms

        def plan(state: State) -> Plan:
            if hours is None:
                return fs.ease(state, intent.iops, terms)
            return fs.schedule(state, intent.iops, hours, intent.job_id, terms)

        self._change_limits(plan, intent.confirmed)

    def on_release_brake(self, intent: ReleaseBrake) -> None:
        """Bring back the earlier limits, as it was confirmed."""
        self._change_limits(self.session.fs.release, intent.confirmed)

    def _change_limits(self, plan: Callable[[State], Plan], confirmed: str) -> None:
        supervisor = self.session.supervisor
        if supervisor is None or not self.session.armed:
            return
        if supervisor.runs(BRAKE) or supervisor.runs(RESTORING):
            self.say("limits are being changed already; wait for what comes of that", wrong=True)
            return

        async def carry_out() -> None:
            outcome = await change(supervisor, self.session.fs, plan, operator_name(), confirmed)
            self.say(outcome.text, wrong=not outcome.good)

        supervisor.start(BRAKE, carry_out())

    async def _carry_out(self, work: Coroutine[Any, Any, JobStatus]) -> bool:
        """Do something that changes the far side, and say how it stands then; False when nothing came of it."""
        try:
            status = await work
        except SiteError as error:
            self.say(str(error), wrong=True)
            return False
        wrong = status.state in (JobState.ERROR, JobState.UNKNOWN)
        self.say(f"job {status.id}: {status.meaning}", wrong=wrong)
        return True

    def on_open_guide(self, intent: OpenGuide) -> None:
        """Look whether a migration could be, and put what was found to the person."""
        session, supervisor = self.session, self.session.supervisor
        if supervisor is None or session.guides is None or not session.armed:
            return
        if supervisor.runs(MIGRATION) or supervisor.runs(GUIDE):
            self.say("another one is under way: wait for its end", wrong=True)
            return
        supervisor.start(GUIDE, self._look_ahead(session.guides.open(intent.typed)))

    async def _look_ahead(self, migration: Migration) -> None:
        from screens.dialogs import Notice
        from screens.migrate import MigrateScreen

        try:
            await migration.prepare()
        except SiteError as error:
            notice = Notice(f"Not begun: {migration.title}", str(error).split("; "), danger=True)
            self.call_later(self.push_screen, notice)
            return
        self.session.migration = migration

        def ask() -> None:
            if isinstance(self.screen, MigrateScreen):
                self.screen.action_start()
            else:
                self.say(f"ready: {migration.title}; r on the screen Migrate asks whether it shall begin")

        self.call_later(ask)

    def on_start_migration(self, _intent: StartMigration) -> None:
        """Run the migration of this session, once."""
        session = self.session
        if session.supervisor is None or session.migration is None or not session.armed:
            return
        migration, session.migration = session.migration, None
        session.supervisor.start(MIGRATION, perform(migration))

    # what a person is asked on behalf of others

    async def ask_host_key(self, question: HostKeyQuestion) -> Trust:
        """Put an unknown host key to the person."""
        from screens.dialogs import HostKeyDialog

        dialog = HostKeyDialog(question.host, question.fingerprint, kind=question.algorithm, where="known_hosts")
        return {"once": Trust.ONCE, "save": Trust.SAVE}.get(await self.ask_person(dialog) or "", Trust.NO)

    async def ask_secret(self, question: SecretQuestion) -> str | None:
        """Ask the person for a password or passphrase."""
        from screens.dialogs import AskText, SecretDialog

        title = f"{question.host}: {question.prompt}"
        wrong = ("What was typed before was wrong.",) if question.again else ()
        dialog: Dialog[str | None] = AskText(title) if question.echo else SecretDialog(title, wrong)
        return cast("str | None", await self.ask_person(dialog))
