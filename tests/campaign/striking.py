"""Finding the processes of a launch, and striking them. Nothing here knows the stages of job.sh."""

from __future__ import annotations

import asyncio
import signal

from tests.campaign.cases import Case, Phase, Victim
from tests.openssh import Server
from tests.processes import alive, command_line, descendants, environ, every_pid, send, stat_fields

LOOK = 0.004
"""Seconds between two looks for a victim."""


def _marked(server: Server) -> dict[int, str]:
    """The command lines of everything that was started through the server, sshd left out."""
    mark = server.mark.encode() + b"\0"
    found = {pid: command_line(pid) for pid in every_pid() if mark in environ(pid)}
    return {pid: words for pid, words in found.items() if words and not words.startswith("sshd") and alive(pid)}


def _is_runner(pid: int, words: str, job_id: str) -> bool:
    """The runner itself: it leads its session, or is about to make it. Its helpers and its command do not."""
    if f"/{job_id}/try." not in words or "/runner " not in words:
        return False
    fields = stat_fields(pid)
    return words.startswith("setsid ") or (len(fields) > 3 and fields[3] == str(pid))


def launchers(server: Server) -> list[int]:
    """The shells that execute what came over SSH."""
    return [pid for pid, words in _marked(server).items() if words.rstrip().endswith("/sh -s")]


def runners(server: Server, job_id: str) -> list[int]:
    """The runners of a job; two, while two launches try."""
    return [pid for pid, words in _marked(server).items() if _is_runner(pid, words, job_id)]


def commands(server: Server, job_id: str) -> list[int]:
    """The job's command with all below it, parents first."""
    mark = f"/{job_id}/run/script "
    counter = f"/of-{job_id}/counter"
    marked = _marked(server)
    tops = [pid for pid, words in marked.items() if mark in words or (counter in words and words.startswith("sh -c "))]
    found: list[int] = []
    for top in tops:
        found += [pid for pid in (top, *descendants(top)) if pid not in found]
    return found


def living(server: Server, job_id: str) -> list[int]:
    """Everything that could still run or write for a job."""
    return [pid for pid, words in _marked(server).items() if f"/{job_id}/" in words or f"/of-{job_id}/" in words]


def find(server: Server, victim: Victim, job_id: str) -> list[int]:
    """The processes that a case strikes, as far as they are there now."""
    if victim in (Victim.LAUNCHER, Victim.FROZEN_LAUNCHER):
        return launchers(server)
    if victim in (Victim.RUNNER, Victim.FROZEN_RUNNER):
        return runners(server, job_id)
    if victim is Victim.COMMAND:
        return commands(server, job_id)
    return server.sessions()


async def strike(server: Server, case: Case, job_id: str, span: float, gone: asyncio.Event) -> list[int]:
    """Wait for the victim, then for the moment (`case.moment` of `span` seconds), then signal whoever is there.

    Whoever is between two of its processes at the moment is struck at the next. Returns who was struck; nobody when
    the victim never came, or was `gone` by then.
    """
    # a run begins with its command, whoever of it is struck
    first = case.victim
    if case.phase is Phase.RUN and case.victim in (Victim.RUNNER, Victim.FROZEN_RUNNER):
        first = Victim.COMMAND
    if not await _look(server, first, job_id, gone):
        return []
    await asyncio.sleep(case.moment * span)  # the moment drawn for the blow
    pids = await _look(server, case.victim, job_id, gone)
    if case.victim is Victim.COMMAND:
        return _kill_command(server, job_id)
    frozen = case.victim in (Victim.FROZEN_LAUNCHER, Victim.FROZEN_RUNNER)
    send(pids, signal.SIGSTOP if frozen else signal.SIGKILL)
    return pids


async def _look(server: Server, victim: Victim, job_id: str, gone: asyncio.Event) -> list[int]:
    """The victim's processes, as soon as there are any; nobody when they are gone."""
    while not (pids := find(server, victim, job_id)) and not gone.is_set():
        await asyncio.sleep(LOOK)  # processes of the far side tell nobody that they came
    return pids


def _kill_command(server: Server, job_id: str) -> list[int]:
    """Kill the command with all below it. It is stopped first: what it forks meanwhile would write on after its end."""
    pids: list[int] = []
    for _ in range(3):
        pids = commands(server, job_id)
        send(pids, signal.SIGSTOP)
    send(pids, signal.SIGKILL)
    return pids
