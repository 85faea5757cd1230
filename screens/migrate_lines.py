"""The steps of a migration as lines: the list, and one step in full. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from rich.text import Text

from remote.checked import Check, Outcome
from remote.text import one_line
from screens.widgets.render import DIM, fit, labelled, plain
from supervision.clocktext import age_text, duration_text, time_of_day
from supervision.guide_view import BUSY, Shown

SIGNS = {
    "done": "ok",
    "failed": "!!",
    "blocked": "!!",
    "unknown": "??",
    "ready": "->",
    "undone": "<-",
    **dict.fromkeys(BUSY, ">"),
}
STYLES = {
    "failed": "bold red",
    "blocked": "bold red",
    "unknown": "bold yellow",
    "ready": "bold",
    "waiting": DIM,
    "undone": DIM,
    **dict.fromkeys(BUSY, "bold"),
}
WORDS = {
    Outcome.PASS: "ok",
    Outcome.NOTE: "note",
    Outcome.WARNING: "WARN",
    Outcome.BLOCK: "BLOCK",
    Outcome.UNKNOWN: "unknown",
}
CHECK_STYLES = {Outcome.WARNING: "bold yellow", Outcome.BLOCK: "bold red", Outcome.UNKNOWN: "bold yellow"}
_ORDER = (Outcome.BLOCK, Outcome.UNKNOWN, Outcome.WARNING, Outcome.NOTE, Outcome.PASS)
LABEL = 8
"""Cells of what stands before a line of a step."""
LOUD = ("blocked", "failed", "unknown")


def fact_of(step: Shown) -> str:
    """What is true of a step, in a line."""
    if step.state == "ready" and step.spec:
        return step.spec.no_return or step.spec.after
    if step.state == "undone":
        return "taken back"
    if step.state != "waiting" and step.detail:
        return step.detail
    return step.title


def list_line(step: Shown, width: int, *, here: bool) -> Text:
    """A step in one line: sign, number, name, state, how long, and what is true."""
    took = duration_text(step.seconds) if step.seconds is not None else ""
    head = f"{'▶' if here else ' '}{SIGNS.get(step.state, ''):<2} {step.number:>2} {fit(step.name, 14)}"
    text = f"{head} {fit(step.state, 9)} {fit(took, 10, right=True)}  {one_line(fact_of(step))}"
    style = STYLES.get(step.state, "")
    return Text(fit(text, width).rstrip(), style=f"{style} reverse".strip() if here else style, no_wrap=True)


def window(steps: Sequence[Shown], number: int, room: int) -> Sequence[Shown]:
    """As many steps as there is room for, the one of that number among them."""
    at = next((index for index, step in enumerate(steps) if step.number == number), 0)
    first = min(max(0, at - room // 2), max(0, len(steps) - room))
    return steps[first : first + room]


def step_lines(step: Shown, width: int, now: float, zone: int, *, more: Iterable[Text] = ()) -> list[Text]:
    """A step in full. `more` is what there is to say of its command while that runs."""
    side = ", which takes steps back" if step.back else ""
    lines = labelled(f"Step {step.number}", f"{step.title}{side}", width, label_width=LABEL, style="bold")
    stopped = [check for check in step.checks if check.stops]
    if step.state in LOUD and step.detail and not (step.state == "blocked" and (stopped or step.to_acknowledge)):
        lines += labelled("", step.detail, width, label_width=LABEL, style=STYLES[step.state])
    if step.state in BUSY and step.detail:
        lines += labelled("", step.detail, width, label_width=LABEL)
    lines += more
    if step.state == "done":
        lines += _done(step, width, now)
    if step.spec:
        lines += labelled("why", step.spec.why, width, label_width=LABEL)
    checks = sorted(step.checks, key=lambda check: _ORDER.index(check.outcome))
    told = [check for check in checks if check.outcome in (*_ORDER[:3],)]
    for check in told:
        lines += check_lines(check, step, width, now, zone)
    lines += _command(step, width)
    if step.spec:
        for label, text in (
            ("then", step.spec.after if step.spec.acts else ""),
            ("takes", step.spec.takes),
            ("undo", step.spec.undo),
            ("mind", step.spec.no_return),
        ):
            lines += labelled(label, text, width, label_width=LABEL) if text else []
    if step.checks:
        lines.append(plain(count_text(step, now)))
    for check in checks:
        if check not in told:
            lines += check_lines(check, step, width, now, zone)
    return lines


def count_text(step: Shown, now: float) -> str:
    """How many checks came to what, and how old the oldest of what they rest on is."""
    counts = [
        f"{sum(check.outcome is outcome for check in step.checks)} {WORDS[outcome]}"
        for outcome in _ORDER
        if any(check.outcome is outcome for check in step.checks)
    ]
    ages = [check.at for check in step.checks if check.at is not None]
    asked = f"; the oldest was asked {age_text(min(ages), now)} ago" if ages else ""
    return f"{len(step.checks)} checks: {', '.join(counts)}{asked}"


def check_lines(check: Check, step: Shown, width: int, now: float, zone: int) -> list[Text]:
    """A check: its outcome as a word, what was read with its age and source, and what to do."""
    seen = step.acknowledged.get(check.key) if check.outcome is Outcome.WARNING else None
    word = "seen" if seen else WORDS[check.outcome]
    style = "" if seen else CHECK_STYLES.get(check.outcome, "")
    age = "" if check.at is None else f"{age_text(check.at, now)} ago"
    source = ", ".join(part for part in (one_line(check.source), age) if part)
    told = f"{check.title}{f': {check.read}' if check.read else ''}{f' [{source}]' if source else ''}"
    lines = labelled(word, told, width, label_width=LABEL, style=style)
    if check.advice and check.outcome not in (Outcome.PASS,):
        lines += labelled("do", check.advice, width, label_width=LABEL)
    if seen:
        by = f"acknowledged by {seen.who} at {time_of_day(seen.t, zone)}"
        lines += labelled("", by, width, label_width=LABEL, style=DIM)
    return lines


def _done(step: Shown, width: int, now: float) -> list[Text]:
    """What was read back after it."""
    lines: list[Text] = []
    for check in sorted(step.proven, key=lambda each: _ORDER.index(each.outcome)):
        age = "" if check.at is None else f" [{age_text(check.at, now)} ago]"
        style = CHECK_STYLES.get(check.outcome, "")
        lines += labelled(
            WORDS[check.outcome], f"{check.title}: {check.read}{age}", width, label_width=LABEL, style=style
        )
    if not lines and step.detail:
        lines += labelled("", step.detail, width, label_width=LABEL)
    return lines


def _command(step: Shown, width: int) -> list[Text]:
    if not step.command:
        return (
            labelled("runs", "nothing: it only looks, and nothing is changed", width, label_width=LABEL)
            if step.spec
            else []
        )
    to_come = ("waiting", "checking", "blocked", "ready", "undone", "confirmed", "launching", "running")
    ran = step.state not in to_come
    looks = step.spec is not None and not step.spec.acts
    label = "asked" if looks else "ran" if ran else "runs"
    ended = f", exit code {step.rc}" if ran and step.rc is not None and not looks else ""
    where = f" (on {step.host}{'' if looks else ', detached'}{ended})" if step.host else ""
    lines = labelled(label, f"{step.command}{where}", width, label_width=LABEL)
    for name, content in step.files:
        many = len(content.splitlines())
        told = f"with {name}, {many} line{'s' if many != 1 else ''} (f shows it)"
        lines += labelled("", told, width, label_width=LABEL)
    return lines
