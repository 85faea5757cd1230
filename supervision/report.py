"""What became of a migration, from its recording: what was done, when, by whom, and what was true before and after.

Pure but for reading the recording. At any time: of a session that goes on it tells what was recorded so far. All times
are of the Site's clock, in seconds since 1970; durations in seconds.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Sequence
from pathlib import Path

from remote.events import Launching, Signalling
from remote.jobs import JobState
from remote.recording import Recording
from supervision import filesystems
from supervision.charting_forecasts import judged
from supervision.filesystem import FileSystem
from supervision.forecasts import Told
from supervision.jobtimes import began_here, ended_here
from supervision.plan import FILE, Plan, PlanError, decode, digest
from supervision.replay import Replay
from supervision.report_model import Changed, Filled, Forecast, Noted, Report, Scanned, Shown, Source, StepDone
from supervision.state import Job, State
from supervision.tables import Cell, Column, Table

MOST_FORECASTS = (0.05, 0.1, 0.25, 0.5, 0.75, 0.9)
"""Parts of a run at which its forecast is told beside the truth."""
PIECE = 1 << 20
WARNED = "WARNING: "


def report(path: Path) -> Report:
    """The report of a recording. Raises RecordingError; blocks as long as it takes to read all of it."""
    replay = Replay(path)
    state, header = replay.end, replay.header
    fs = filesystems.file_system(header, state.hosts)
    launches, signals = _launched(path)
    planned = _plan(launches)
    commands = tuple(_changed(each, state, signals) for each in launches)
    steps = _steps(state, commands)
    result, why = _result(steps, state)
    return Report(
        program=header.program,
        file_system=header.file_system,
        kind=header.kind,
        site=fs.site(state),
        plan=header.plan,
        operator=header.operator,
        hosts=state.hosts,
        entry=header.entry,
        simulated=header.simulated,
        utc_offset=state.utc_offset,
        began=header.began,
        ended=state.at,
        closed=state.closed,
        result=result,
        why=why,
        steps=steps,
        checks=tuple((number, told.checks) for number, told in sorted(state.checked.items())),
        warnings=_warnings(state),
        commands=commands,
        scan=_scan(fs, state),
        sizing=planned.sizing if planned else None,
        plan_sha256=digest(planned) if planned else "",
        filled=tuple(
            Filled(name=fill.name, group=fill.group, used_kb=fill.used, size_kb=fill.size)
            for fill in fs.fills(state)
            if not fill.emptied
        ),
        tables=tuple(_tables(fs, replay, launches)),
        happened=tuple((each.at, each.host, each.text) for each in state.happened),
        decisions=tuple((each.t, each.who, each.what) for each in state.decisions if not _is_warning(each.what)),
        source=_source(path, replay),
    )


def _source(path: Path, replay: Replay) -> Source:
    digest, size = hashlib.sha256(), 0
    with path.open("rb") as file:
        while piece := file.read(PIECE):
            digest.update(piece)
            size += len(piece)
    events, skipped = len(replay.index), replay.skipped
    return Source(
        name=path.name, sha256=digest.hexdigest(), size=size, events=events, torn=replay.torn, skipped=skipped
    )


def _launched(path: Path) -> tuple[list[Launching], list[Signalling]]:
    """What was launched and signalled, in order; a launch that was tried again counts once."""
    launches: dict[tuple[str, str], Launching] = {}
    signals = []
    for event in Recording(path):
        if isinstance(event, Launching):
            launches.setdefault((event.host, event.spec.id), event)
        elif isinstance(event, Signalling) and event.what != "renew":
            signals.append(event)
    return list(launches.values()), signals


def _plan(launches: Iterable[Launching]) -> Plan | None:
    """The plan that lies beside every job of a guided migration."""
    for event in launches:
        for name, text in event.spec.files:
            if name == FILE:
                try:
                    return decode(text)
                except PlanError:
                    return None
    return None


def _steps(state: State, commands: Iterable[Changed]) -> tuple[StepDone, ...]:
    """The steps; the exit code is that of the step's command, which may have been told before its last state."""
    codes = {(each.host, each.command): each.rc for each in commands}
    made = []
    for number, step in sorted(state.steps.items()):
        began, ended = state.step_times.get(number, (None, None))
        waits = step.state == "waiting"
        made.append(
            StepDone(
                number=number,
                name=step.name,
                title=step.title,
                state=step.state,
                detail=step.detail,
                host=step.host,
                command=step.command,
                rc=step.rc if step.rc is not None else codes.get((step.host, step.command)),
                began=None if waits else began,
                ended=None if waits else ended,
            )
        )
    return tuple(made)


def _result(steps: Sequence[StepDone], state: State) -> tuple[str, str]:
    """How it stands with the migration, and why."""
    forward = [step for step in steps if step.state != "undone"]
    if not steps:
        return "no migration", "the session led none: it only watched"
    stopped = next((step for step in forward if step.state in ("failed", "blocked", "unknown")), None)
    if stopped:
        return stopped.state, f"step {stopped.number}, {stopped.name}: {stopped.detail}"
    if len(forward) < len(steps):
        return "undone", f"steps taken back: {', '.join(str(s.number) for s in steps if s.state == 'undone')}"
    open_ = [step for step in steps if step.state != "done"]
    if not open_:
        return "done", f"all {len(steps)} steps, and each result was read back"
    word = "not finished" if state.closed else "going on"
    return word, f"step {open_[0].number}, {open_[0].name}, is {open_[0].state}"


def _is_warning(text: str) -> bool:
    return text.startswith(WARNED)


def _warnings(state: State) -> tuple[Noted, ...]:
    """Warnings of checks with who acknowledged them, also of steps that were checked again since; and those told."""
    found = []
    titles = {(number, check.key): check for number, told in state.checked.items() for check in told.checks}
    for (number, key), noted in sorted(state.acknowledged.items()):
        check = titles.get((number, key))
        text = f"{check.title}: {check.read}" if check else key
        found.append(Noted(step=number, key=key, text=text, by=noted.who, at=noted.t))
    for (number, key), check in sorted(titles.items()):
        if check.outcome.value == "warning" and (number, key) not in state.acknowledged:
            found.append(Noted(step=number, key=key, text=f"{check.title}: {check.read}"))
    told = [each for each in state.decisions if _is_warning(each.what)]
    return (*found, *(Noted(step=0, key="", text=each.what.removeprefix(WARNED), at=each.t) for each in told))


def _changed(event: Launching, state: State, signals: Iterable[Signalling]) -> Changed:
    spec = event.spec
    job = state.job(event.host, spec.id)
    status = job.status if job else None
    began, ended = (status.began, status.ended) if status else (None, None)
    return Changed(
        host=event.host,
        id=spec.id,
        title=spec.title,
        by=spec.operator,
        command=spec.command.text,
        files=spec.files,
        launched=event.t,
        state=status.state.value if status else JobState.UNKNOWN.value,
        meaning=status.meaning if status else "its host has not told of it",
        rc=status.rc if status else None,
        seconds=max(0.0, ended - began) if began is not None and ended is not None else None,
        signals=tuple((each.t, each.what) for each in signals if (each.host, each.id) == (event.host, spec.id)),
    )


def _scan(fs: FileSystem, state: State) -> Scanned | None:
    job = fs.scan_job(state)
    began = began_here(state, job) if job else None
    if job is None or began is None:
        return None
    told, ended = fs.progress(state, job).told, ended_here(state, job)
    why = "" if ended is not None else _not_over(job)
    forecasts = tuple(_forecasts(told, began, ended)) if ended is not None else ()
    return Scanned(
        command=job.status.command or job.status.id,
        state=job.status.state.value,
        began=began,
        ended=ended,
        why=why,
        forecasts=forecasts,
        inside=judged(told, ended, ended).inside if ended is not None else None,
    )


def _not_over(job: Job) -> str:
    return "it goes on" if job.status.state is JobState.RUNNING else job.status.meaning


def _forecasts(told: Sequence[Told], began: float, ended: float) -> Iterable[Forecast]:
    """The forecast that stood at each part of the run, once each."""
    before: Told | None = None
    for part in MOST_FORECASTS:
        at = began + part * (ended - began)
        stood = next((one for one in reversed(told) if one.at <= at), None)
        if stood is None or stood is before or stood.low is None or stood.mid is None or stood.high is None:
            continue
        before = stood
        yield Forecast(
            part=part,
            at=at,
            low=stood.low,
            mid=stood.mid,
            high=stood.high,
            error=stood.mid - ended,
            inside=stood.low <= ended <= stood.high,
        )


def _tables(fs: FileSystem, replay: Replay, launches: Sequence[Launching]) -> Iterable[Shown]:
    """The disks before the first change, just before the scan, and at the end; what is the same is shown once."""
    job = fs.scan_job(replay.end)
    plan = replay.header.plan
    mine = [each for each in launches if not plan or each.spec.id.startswith(f"{plan}-")] or list(launches)
    moments = [("before the first change", mine[0].t)] if mine else []
    scans = [each for each in launches if job and (each.host, each.spec.id) == (job.host, job.status.id)]
    moments += [(f"just before the {fs.words.scan}", scans[0].t)] if scans else []
    moments.append(("at the end", replay.end.at))
    shown: list[Shown] = []
    for what, at in moments:
        state = replay.at(at)
        made = _shown(what, fs.disks(state))
        sums = _shown(f"sums {what}", fs.totals(state))
        for each in (made, sums):
            if each.rows and each.rows not in [other.rows for other in shown]:
                shown.append(each)
    return shown


def _shown(what: str, table: Table) -> Shown:
    """A table as it would be saved, its figures as they were told and not rounded for the screen."""
    columns = [(index, column) for index, column in enumerate(table.columns) if column.only != "screen"]
    return Shown(
        what=what,
        at=table.at,
        head=tuple(
            f"{column.title}{f' {column.unit.upper()}' if column.unit == 'kb' else ''}" for _, column in columns
        ),
        right=tuple(number for number, (_, column) in enumerate(columns) if column.right),
        rows=tuple(tuple(_cell(row.cells[index], column) for index, column in columns) for row in table.rows),
    )


def _cell(cell: Cell, column: Column) -> str:
    """What is shown; of a column with a unit the figure as it was told."""
    value = cell.value
    if not column.unit or isinstance(value, bool) or not isinstance(value, int | float):
        return cell.text
    return f"{value:,.0f}" if value == int(value) else f"{value:.1f}"
