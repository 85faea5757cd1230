"""A plan as a runbook: every command, check and undo in Markdown, for change management or to be done by hand. Pure."""

from __future__ import annotations

from collections.abc import Sequence

from remote.command import Command
from remote.events import Header
from remote.recording import VERSION
from supervision.checking import Check
from supervision.markdown import code, inline, table, text, utc
from supervision.plan import Plan, digest
from supervision.recipe import Act, GuidedStep, Questions, Recipe
from supervision.state import State

_LONG = 70
"""Characters from which on a question is shown by its name alone."""


def runbook(plan: Plan, recipe: Recipe) -> str:
    """The runbook of a plan: what it rests on, each step with its checks and exact command, and the ways back."""
    steps = recipe.steps(plan)
    state = _nothing_known(plan)
    lines = [f"# {text(plan.goal)}", "", *_about(plan), "", *_sizes(plan), "", *_devices(plan), ""]
    for number, step in enumerate(steps, 1):
        lines += [f"## Step {number}: {step.spec.title}", "", *_step(step, plan, state), ""]
    lines += _ways_back(steps, plan, state)
    lines += _facts(plan)
    return "\n".join(lines).rstrip() + "\n"


def by_hand(plan: Plan, name: str) -> str:
    """Where a file of a command is put when the commands are given by hand."""
    return f"/var/tmp/{plan.id}/{name}"  # noqa: S108  a name in a text: nothing is written there by the program


def _about(plan: Plan) -> list[str]:
    host = f"{plan.host}, where every command runs as root"
    rows = (
        ("plan", f"{plan.id}, SHA-256 of its meaning {digest(plan)}"),
        ("recipe", plan.recipe),
        ("file system", f"{plan.file_system} of cluster {plan.cluster}"),
        ("host", host),
        ("nodes of the restripe (-N)", ", ".join(plan.nodes)),
        ("made", f"{utc(plan.made)} by {plan.by}"),
    )
    told = (
        f"By hand, the files go into `{by_hand(plan, '')}` on {plan.host}; restripe puts them beside its jobs. Every "
        "check of a step is made just before its command, and again what the command promised just after it. A check "
        "that cannot be made stops the step as well as one that fails. Questions that begin with `restripe-` are "
        "scripts of this program, which only read; `restripe show` and `restripe verify` ask them."
    )
    return [*table(("", ""), rows), "", told]


def _sizes(plan: Plan) -> list[str]:
    size = plan.sizing
    rows = (
        ("inodes alone (a fact)", f"{size.floor_kb:,}"),
        ("low", f"{size.low_kb:,}"),
        ("plan", f"{size.plan_kb:,}"),
        ("high", f"{size.high_kb:,}"),
        ("what the new disks can take", f"{size.usable_kb:,}"),
    )
    part = f"By plan they will be {size.plan_kb / size.usable_kb:.0%} full." if size.usable_kb else "Nothing fits."
    return ["## Size of the metadata, KB of all copies", "", *table(("", "KB"), rows), "", part]


def _devices(plan: Plan) -> list[str]:
    rows = [
        (
            device.nsd,
            device.identity,
            f"{device.size_bytes:,}",
            f"{device.model} {device.serial}".strip(),
            ", ".join(device.servers),
            device.failure_group,
            ", ".join(f"{place.name} on {place.node}" for place in device.at),
        )
        for device in plan.devices
    ]
    head = ("NSD", "identity", "bytes", "model and serial", "servers", "group", "was called")
    old = [(disk.nsd, ", ".join(disk.servers), disk.usage, disk.failure_group, disk.pool) for disk in plan.old_disks]
    told = (
        "Names of devices change with every boot. Before a command names one, look its identity up again: "
        f"`restripe verify {by_hand(plan, 'ssd.stanza')} {plan.host} --fs {plan.file_system}` proves the file."
    )
    return [
        "## New devices",
        "",
        *table(head, rows),
        "",
        told,
        "",
        "## Disks that change",
        "",
        *table(("NSD", "servers", "usage now", "group", "pool"), old),
    ]


def _step(step: GuidedStep, plan: Plan, state: State) -> list[str]:
    spec = step.spec
    lines = [spec.why, "", *_saved(step, plan)]
    checks = step.checks(state, plan, 0.0)
    if checks:
        lines += ["Checks before it:", ""]
        lines += [_box(check) for check in checks]
        lines.append("")
    lines += _told_by(step.questions(state, plan), plan)
    lines += _command(step, plan, state)
    rows = [
        (label, told)
        for label, told in (
            ("Afterwards", spec.after),
            ("Takes", spec.takes),
            ("Undo", spec.undo or ("" if spec.acts else "nothing was changed")),
            ("No way back", spec.no_return),
        )
        if told
    ]
    return [*lines, *(f"- **{label}:** {told}" for label, told in rows)]


def _box(check: Check) -> str:
    return f"- [ ] {text(check.title)}{f' ({inline(check.source)})' if check.source else ''}"


def _saved(step: GuidedStep, plan: Plan) -> list[str]:
    act = step.saves(plan, lambda name: by_hand(plan, name))
    if act is None:
        return []
    return [
        "First of all, to have what was before, a command that only writes a file:",
        "",
        *code(act.command.text),
        "",
    ]


def _told_by(asked: Questions, plan: Plan, what: str = "What tells it") -> list[str]:
    """Questions by where they are asked; the long names of columns that one is given say nothing to people."""
    lines = []
    for where, commands in ((plan.host, asked.host), ("every server of a disk", asked.servers)):
        told = ", ".join(dict.fromkeys(inline(_short(command)) for command in commands))
        lines += [f"{what}, on {text(where)}: {told}.", ""] if told else []
    return lines


def _short(command: Command) -> str:
    return command.text if len(command.text) < _LONG else f"{command.argv[0]} ..."


def _command(step: GuidedStep, plan: Plan, state: State) -> list[str]:
    try:
        act = step.draft(plan, lambda name: by_hand(plan, name))
    except ValueError as error:
        return [f"The command cannot be told yet: {error}", ""]
    if act is None:
        return ["It only looks: no command changes anything.", ""]
    told = "Exit code 0 is not enough: read back whether what stands under *Afterwards* is so."
    proof = step.proof(state, plan)
    if proof == step.questions(state, plan):
        return [*_shown(act, plan), f"{told} The same questions tell it.", ""]
    return [*_shown(act, plan), told, "", *_told_by(proof, plan, "What tells that")]


def _shown(act: Act, plan: Plan) -> list[str]:
    lines = ["The command:", "", *code(act.command.text), ""]
    for name, content in act.files:
        lines += [f"with `{by_hand(plan, name)}`:", "", *code(content), ""]
    if not act.command.interruptible:
        lines += ["Never interrupt it: stopped half-way it can leave the cluster's configuration inconsistent.", ""]
    return lines


def _ways_back(steps: Sequence[GuidedStep], plan: Plan, state: State) -> list[str]:
    """For each step after which there is one, what takes everything back, in order; each undo step is told once."""
    lines = ["## The ways back", ""]
    told: dict[str, GuidedStep] = {}
    for number, step in enumerate(steps, 1):
        if step.undo:
            names = ", then ".join(each.spec.title for each in step.undo)
            lines.append(f"- After step {number} ({step.spec.name}): {names}.")
    for step in sorted(steps, key=lambda step: -len(step.undo)):  # the longest way has them in their order
        for each in step.undo:
            told.setdefault(each.spec.name, each)
    if not told:
        return [*lines, "There is none: nothing of it changes anything.", ""]
    for each in told.values():
        lines += ["", f"### Undo: {each.spec.title}", "", *_step(each, plan, state)]
    return [*lines, ""]


def _facts(plan: Plan) -> list[str]:
    rows = [
        (
            fact.command if len(fact.command) < _LONG else f"{fact.command.split()[0]} ...",
            fact.host,
            utc(fact.at),
            fact.sha256[:16],
        )
        for fact in plan.facts
    ]
    head = ("command", "host", "asked", "SHA-256 begins with")
    return ["## What the plan was made from", "", *table(head, rows)]


def _nothing_known(plan: Plan) -> State:
    """The state in which nothing was asked yet: each check then says what it would ask."""
    hosts = tuple(dict.fromkeys((plan.host, *(place.host for device in plan.devices for place in device.at))))
    header = Header(VERSION, "plan", plan.made, plan.made, plan.file_system, hosts, plan.host, kind=plan.kind)
    return State(header, at=plan.made)
