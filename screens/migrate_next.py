"""What a person does next, in a line: each key that is named works now. Pure."""

from __future__ import annotations

from collections.abc import Sequence

from supervision.clocktext import moment_text
from supervision.filesystem import Fill
from supervision.fillforecast import at_end, escape_due
from supervision.guide_view import BUSY, Shown
from supervision.leading import Leading

_LOOKED = {"checking": "what speaks for and against step {} is asked", "verifying": "what step {} did is read back"}


def before_a_plan(leading: Leading, *, armed: bool, now: float, zone: int) -> str:
    """What there is to do while the session has no plan."""
    if leading.doing:
        return f"{leading.doing}: some seconds, please"
    why = f"{leading.why}. " if leading.why else ""
    parts = []
    if leading.found:
        first = leading.found[0]
        began = moment_text(first.began, now, zone)
        parts.append(f"o goes on with {first.plan.id}, whose last job began {began} on {first.host}")
    if leading.maker and armed:
        title = leading.maker.title
        parts.append(f"n makes a plan ({title}; the devices that are marked on 3 Devices, else all free SSDs)")
    if not parts:
        return f"{why}read-only: with --write a migration can be planned here and led".strip()
    return f"{why}{'; '.join(parts)}. Nothing is changed by that"


def next_text(steps: Sequence[Shown], step: Shown, leading: Leading, *, armed: bool, simulated: bool) -> str:
    """What to do next, where the cursor stands on `step`."""
    current = leading.current
    if leading.doing:
        return _meanwhile(steps, leading, simulated=simulated)
    if current is None:
        return "All steps are done. w writes the report, p shows the plan; u would take everything back"
    if not armed:
        return "Read-only: c checks a step; only with --write one can be run"
    if step.number != current and not step.back:
        return f"Step {current} is next: esc goes there"
    return _of_step(step)


def _meanwhile(steps: Sequence[Shown], leading: Leading, *, simulated: bool) -> str:
    busy = next((each for each in steps if each.number == leading.running), None)
    if busy is None:
        checked = next((each for each in steps if each.state in ("checking", "verifying")), None)
        if checked is None:
            return f"Wait: {leading.doing}"
        return f"Wait: {_LOOKED[checked.state].format(checked.number)}; some minutes on a large cluster"
    if busy.spec and busy.spec.takes.startswith("hours"):
        more = "" if simulated else ". q leaves, and it goes on; come back at any time"
        return f"Wait, it takes long: it runs on {busy.host} by itself, and 5 shows how far it is{more}"
    return f"Wait: step {busy.number} runs on {busy.host} by itself, then its result is read back"


def _of_step(step: Shown) -> str:
    number, acts = step.number, step.spec is None or step.spec.acts
    wanted = step.to_acknowledge
    stopped = [check for check in step.checks if check.stops]
    if step.back:
        return f"{_warned(step) if wanted else f'Step {number} takes steps back'}; u goes on with that"
    match step.state:
        case "blocked" | "ready" if stopped and step.state == "blocked":
            many = "one check stops" if len(stopped) == 1 else f"{len(stopped)} checks stop"
            return f"{many} step {number}: do what stands beside it below, then c checks again"
        case "blocked" | "ready" if wanted:
            return _warned(step)
        case "blocked":
            return f"Step {number} was stopped, see below why; c checks it again"
        case "ready":
            return (
                f"r runs step {number}: it shows the exact command, and asks before it runs"
                if acts
                else f"All warnings are acknowledged: c looks again and ends step {number}"
            )
        case "failed":
            return "Read below what happened. r looks how it stands and may run it again; u takes steps back"
        case "unknown":
            return "r finds out how it stands: nothing is run twice. Below stands how to find out by hand"
        case "undone":
            return f"Step {number} was taken back; c checks whether it can be done again"
        case state if state in BUSY:
            return f"r follows step {number} to its end"
        case _:
            return f"c checks step {number}: it looks, and changes nothing of the file system"


def _warned(step: Shown) -> str:
    first, count = step.to_acknowledge[0], len(step.to_acknowledge)
    more = f" (1 of {count})" if count > 1 else ""
    return f"a acknowledges this warning, once you have read it{more}: {first.title}"


def fill_text(fills: Sequence[Fill], way: str) -> str:
    """That disks fill so far that the way out is due; "" while none does. `way` says what to do."""
    due = escape_due(fills)
    if not due:
        return ""
    first = due[0]
    what = "by the forecast" if first.end is not None else "now"
    more = f" and {len(due) - 1} more" if len(due) > 1 else ""
    return f"!! {first.name}{more}: {at_end(first):.0%} full {what}. Full metadata disks stop the file system. {way}"
