"""The tally of a campaign: counts by victim and outcome, for the terminal and for docs/job-campaign.md."""

from __future__ import annotations

import platform
import shutil
import subprocess
from collections import Counter
from collections.abc import Sequence
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path

from tests.campaign.cases import Kind, Other, Victim
from tests.campaign.verdict import Verdict

OUTCOMES = ("finished", "lost, had run", "lost, had not run", "sealed")


def table(verdicts: Sequence[Verdict]) -> list[str]:
    """Rows of a Markdown table: victims by outcomes, and their sum."""
    struck = [verdict for verdict in verdicts if verdict.struck]
    outcomes = [*OUTCOMES, *sorted({verdict.outcome for verdict in struck} - set(OUTCOMES))]
    lines = [
        f"| struck | cases | {' | '.join(outcomes)} | ran twice | lost bytes |",
        f"| --- |{' ---: |' * (len(outcomes) + 3)}",
    ]
    rows = [(victim.value, [verdict for verdict in struck if verdict.victim is victim]) for victim in Victim]
    for name, those in [*rows, ("all", struck)]:
        counts = Counter(verdict.outcome for verdict in those)
        cells = [len(those), *(counts[outcome] for outcome in outcomes)]
        cells += [sum(verdict.runs > 1 for verdict in those), sum(verdict.lost for verdict in those)]
        lines.append(f"| {name} | {' | '.join(str(cell) for cell in cells)} |")
    return lines


def summary(verdicts: Sequence[Verdict]) -> list[str]:
    """What else there is to count."""
    struck = [verdict for verdict in verdicts if verdict.struck]
    kinds = Counter(verdict.kind for verdict in struck)
    others = Counter(verdict.other for verdict in struck)
    jobs = ", ".join(f"{kinds[kind]} {kind.value}" for kind in Kind)
    missed = len(verdicts) - len(struck)
    twice = sum(verdict.runs > 1 for verdict in verdicts)
    lost = sum(verdict.lost for verdict in verdicts)
    wrong = sum(bool(verdict.problems) for verdict in verdicts)
    seconds_client = (
        f"A second client launched the same id meanwhile in {others[Other.LAUNCH]} cases, and sealed it in "
        f"{others[Other.SEAL]}."
    )
    return [
        f"Jobs: {jobs}.",
        seconds_client,
        f"In {missed} more cases the victim had gone before the blow; they are judged too, and not counted.",
        f"Double runs: {twice}. Lost bytes: {lost}. Violations: {wrong}.",
    ]


def violations(seed: str, verdicts: Sequence[Verdict]) -> list[str]:
    """What went wrong, each with how to play it again."""
    lines = []
    for verdict in verdicts:
        if verdict.problems:
            lines.append(f"{verdict.words} -> {verdict.outcome}, {verdict.runs} runs")
            lines += [f"    {problem}" for problem in verdict.problems]
            lines.append(f"    again: make campaign SEED={seed} CASE={verdict.number}")
    return lines


def versions() -> str:
    """What was tested with what."""
    ssh = subprocess.run(["ssh", "-V"], capture_output=True, text=True, check=False).stderr
    shell = Path(shutil.which("sh") or "sh").resolve().name
    return (
        f"restripe {version('restripe')}, asyncssh {version('asyncssh')}, Python {platform.python_version()}, "
        f"{ssh.split(',')[0].split()[0]}, /bin/sh is {shell}"
    )


def page(seed: str, verdicts: Sequence[Verdict], seconds: float) -> str:
    """The whole of docs/job-campaign.md."""
    struck = sum(verdict.struck for verdict in verdicts)
    bad = violations(seed, verdicts)
    lines = [
        "# The job-kill campaign",
        "",
        "Written by `make campaign`; do not edit. Each case launches a detached job on a real OpenSSH server and",
        "strikes somebody at a random moment of the launch or of the run. Then nothing but the program's own recovery",
        "follows: the same id is launched again, and followed to its end. A counter file tells how often the command",
        "ran, and the log that arrived is compared byte by byte with the one on the host and with what the command",
        "prints.",
        "",
        f"{datetime.now(UTC):%Y-%m-%d}, seed `{seed}`, {struck} kills in {seconds:.0f} s; {versions()}.",
        "",
        *table(verdicts),
        "",
        *summary(verdicts),
        "",
        "*Lost* is an answer: the runner was killed and took the exit code with it, the state says so, and launching",
        "the id again does not run it a second time. *Sealed* never ran.",
        *(["", "## Violations", "", *(f"    {line}" for line in bad)] if bad else []),
        "",
        "`make campaign SEED=… KILLS=…` repeats the draw, `CASE=…` plays one case of it; `tests/campaign` is the code.",
    ]
    return "\n".join(lines) + "\n"
