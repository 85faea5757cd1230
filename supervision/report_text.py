"""A report as Markdown, fit to be attached to a ticket as it is. Times are of the hosts' zone. Pure."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable

from remote.checked import Check, Outcome
from supervision.clocktext import duration_text, local_time
from supervision.guide_jobs import MARKER
from supervision.markdown import code, inline, table, text
from supervision.plan import FILE
from supervision.report_model import Changed, Report, Scanned, Shown, StepDone

_OUTCOMES = {
    Outcome.PASS: "pass",
    Outcome.NOTE: "note",
    Outcome.WARNING: "WARNING",
    Outcome.BLOCK: "BLOCK",
    Outcome.UNKNOWN: "unknown",
}
_OWN = (FILE, MARKER)
"""Files that lie beside every job of a plan."""
_WHOLE = 12
"""Lines up to which a file of a command is printed; of a longer one the first ones are, with its checksum."""


def markdown(report: Report, watch: str = "") -> str:
    """The report; `watch` is a line for cron that watches from now on, "" for none."""
    parts = (
        _head(report),
        _steps(report),
        _commands(report),
        _noted(report),
        _scan(report),
        _size(report),
        _tables(report),
        _checks(report),
        _happened(report),
        _watch(watch),
        _source(report),
    )
    return "\n".join(line for part in parts if part for line in (*part, "")).rstrip() + "\n"


def _day(report: Report, at: float) -> str:
    return local_time(at, report.utc_offset).strftime("%Y-%m-%d %H:%M:%S")


def _time(report: Report, at: float) -> str:
    return local_time(at, report.utc_offset).strftime("%m-%d %H:%M:%S")


def _zone(report: Report) -> str:
    minutes = abs(report.utc_offset) // 60
    return f"UTC{'-' if report.utc_offset < 0 else '+'}{minutes // 60:02}:{minutes % 60:02}"


def _head(report: Report) -> list[str]:
    title = f"{report.file_system}: migration {report.plan}" if report.plan else f"{report.file_system}: a session"
    lasted = duration_text(max(0.0, report.ended - report.began))
    rows = [
        ("result", f"{report.result.upper()}{f': {report.why}' if report.why else ''}"),
        ("file system", f"{report.file_system} ({report.kind}){f' of {report.site}' if report.site else ''}"),
        ("recorded", f"{_day(report, report.began)} to {_day(report, report.ended)} {_zone(report)}, {lasted}"),
        ("by", report.operator),
        ("hosts", f"{', '.join(report.hosts)}; commands on {report.entry}"),
        ("program", f"restripe {report.program}"),
    ]
    if report.plan_sha256:
        rows.append(("plan", f"SHA-256 of its meaning {report.plan_sha256}"))
    if not report.closed:
        rows.append(("recording", "it has no end: the session goes on, or was cut off"))
    told = [f"# {text(title)}", ""]
    if report.simulated:
        told += ["**A simulated cluster: nothing of this happened on a real one.**", ""]
    return [*told, *table(("", ""), rows), "", f"All times are of the hosts' zone, {_zone(report)}."]


def _steps(report: Report) -> list[str]:
    if not report.steps:
        return []
    rows = [_step(report, step) for step in report.steps]
    head = ("step", "name", "state", "began", "took", "exit code", "what was true then")
    return ["## Steps", "", *table(head, rows, right=(0, 4, 5))]


def _step(report: Report, step: StepDone) -> tuple[object, ...]:
    began = _time(report, step.began) if step.began is not None else "-"
    took = duration_text(step.ended - step.began) if step.began is not None and step.ended is not None else "-"
    rc = "-" if step.rc is None else str(step.rc)
    return step.number, step.name, step.state.upper(), began, took, rc, step.detail or step.title


def _commands(report: Report) -> list[str]:
    lines = ["## Commands that changed something", ""]
    if not report.commands:
        return [*lines, "None."]
    for number, each in enumerate(report.commands, 1):
        lines += [*_command(report, number, each), ""]
    return lines[:-1]


def _command(report: Report, number: int, each: Changed) -> list[str]:
    end = f"exit code {each.rc}" if each.rc is not None else each.meaning
    took = f", it ran {duration_text(each.seconds)}" if each.seconds is not None else ""
    when = f"{_day(report, each.launched)} on {text(each.host)} by {text(each.by)}"
    lines = [f"**{number}.** {when}: {text(end)}{took}. Job {inline(each.id)}.", "", *code(each.command)]
    beside = [name for name, _ in each.files if name in _OWN]
    for name, content in each.files:
        if name in beside:
            continue
        told = content.rstrip("\n").split("\n")
        if len(told) <= _WHOLE or name.endswith(".stanza"):
            lines += ["", f"with {inline(name)}:", "", *code(content)]
        else:
            checksum = hashlib.sha256(content.encode("utf-8", "surrogatepass")).hexdigest()
            lines += ["", f"with {inline(name)}, {len(told):,} lines, SHA-256 {checksum}."]
    if beside:
        lines += ["", f"Beside it lie {' and '.join(inline(name) for name in beside)}, which tell what it belongs to."]
    if each.signals:
        lines += ["", *(f"- {_time(report, at)}: {text(what)} was sent to it" for at, what in each.signals)]
    return lines


def _noted(report: Report) -> list[str]:
    lines = ["## Warnings", ""]
    if not report.warnings:
        return [*lines, "None."]
    rows = [
        (
            each.step or "-",
            each.key or "-",
            each.text,
            f"{each.by}, {_time(report, each.at)}" if each.by and each.at is not None else "nobody",
        )
        for each in report.warnings
    ]
    return [*lines, *table(("step", "check", "what", "acknowledged by"), rows, right=(0,))]


def _scan(report: Report) -> list[str]:
    scan = report.scan
    if scan is None:
        return []
    lines = ["## When it would be over, and when it was", "", inline(scan.command), ""]
    if scan.ended is None:
        return [*lines, f"Began {_day(report, scan.began)}. Its end is not known: {text(scan.why)}."]
    took = duration_text(scan.ended - scan.began)
    lines.append(f"Began {_day(report, scan.began)}, ended {_day(report, scan.ended)}: {took}.")
    if scan.inside is not None:
        lines[-1] += f" The true end lay in the range that was told for {scan.inside:.0%} of the time."
    return [*lines, "", *_forecasts(report, scan)] if scan.forecasts else [*lines, "", "No forecast was made."]


def _forecasts(report: Report, scan: Scanned) -> list[str]:
    rows = [
        (
            f"{each.part:.0%}",
            _time(report, each.at),
            f"{_time(report, each.low)} to {_time(report, each.high)}",
            _time(report, each.mid),
            f"{duration_text(abs(each.error))} {'late' if each.error > 0 else 'early'}",
            "yes" if each.inside else "no",
        )
        for each in scan.forecasts
    ]
    head = ("of its time", "at", "end was told between", "middle", "the middle was", "true end inside")
    return table(head, rows, right=(0,))


def _size(report: Report) -> list[str]:
    if not report.filled:
        return []
    used, size = sum(each.used_kb for each in report.filled), sum(each.size_kb for each in report.filled)
    rows = [
        (each.name, each.group, f"{each.used_kb:,}", f"{each.size_kb:,}", _part(each.used_kb, each.size_kb))
        for each in report.filled
    ]
    rows.append(("together", "", f"{used:,}", f"{size:,}", _part(used, size)))
    lines = ["## Metadata on the disks that hold nothing else", ""]
    lines += table(("disk", "group", "KB in use", "KB", "in use"), rows, right=(1, 2, 3, 4))
    if report.sizing:
        plan = report.sizing
        between = f"between {plan.low_kb:,} and {plan.high_kb:,}; the inodes alone {plan.floor_kb:,}"
        lines += ["", f"Planned were {plan.plan_kb:,} KB ({between}): it took {_part(used, plan.plan_kb)} of the plan."]
    return lines


def _part(kb: int, whole: int) -> str:
    return f"{kb / whole:.1%}" if whole > 0 else "-"


def _tables(report: Report) -> list[str]:
    lines: list[str] = []
    for each in report.tables:
        lines += [*_table(report, each), ""]
    return ["## Disks before and after", "", *lines[:-1]] if lines else []


def _table(report: Report, each: Shown) -> list[str]:
    asked = f", told {_day(report, each.at)}" if each.at is not None else ""
    return [
        f"### {text(each.what[:1].upper() + each.what[1:])}{asked}",
        "",
        *table(each.head, each.rows, right=each.right),
    ]


def _checks(report: Report) -> list[str]:
    lines = []
    for number, checks in report.checks:
        if checks:
            name = next((step.name for step in report.steps if step.number == number), "")
            lines += [f"### Step {number}{f', {text(name)}' if name else ''}", "", *_check_rows(report, checks), ""]
    return ["## Checks, as they were made last", "", *lines[:-1]] if lines else []


def _check_rows(report: Report, checks: Iterable[Check]) -> list[str]:
    rows = [
        (
            _OUTCOMES[check.outcome],
            check.title,
            check.read,
            check.source or "-",
            _time(report, check.at) if check.at is not None else "-",
        )
        for check in checks
    ]
    return table(("", "check", "what was read", "told by", "asked"), rows)


def _happened(report: Report) -> list[str]:
    found = [(at, host, what) for at, host, what in report.happened]
    found += [(at, who, f"decided: {what}") for at, who, what in report.decisions]
    if not found:
        return []
    rows = [(_time(report, at), who or "-", what) for at, who, what in sorted(found)]
    return ["## What happened meanwhile, and what was decided", "", *table(("when", "where, who", "what"), rows)]


def _watch(watch: str) -> list[str]:
    if not watch:
        return []
    told = (
        "Full metadata disks stop the file system. This line, in a file below `/etc/cron.d` of one node on which GPFS "
        "runs, prints only when there is something to say, and cron mails that:"
    )
    return ["## From now on", "", told, "", *code(watch)]


def _source(report: Report) -> list[str]:
    source = report.source
    rows = [
        ("file", source.name),
        ("SHA-256", source.sha256),
        ("size", f"{source.size:,} bytes, {source.events:,} events"),
    ]
    if source.torn:
        rows.append(("end", "its last line was cut off"))
    if source.skipped:
        rows.append(("not understood", f"{source.skipped:,} lines"))
    told = f"`restripe replay {source.name}` shows it again; `sha256sum` tells whether it is this one."
    return ["## The recording that this was made from", "", *table(("", ""), rows), "", told]
