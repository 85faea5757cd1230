"""Killed runners: "lost" is told only when nothing of the job is left that could still run. Found by the campaign."""

from __future__ import annotations

import signal

from remote.jobs import JobState
from tests.processes import alive, command_line, send
from tests.remote.local_host import HOST, LocalHost
from tests.remote.staged_launch import read_to_end
from tests.waiting import until


async def test_a_command_that_has_not_told_its_pid_yet_is_an_orphan(host: LocalHost) -> None:
    """The runner dies in the moment between starting the command and the command's first line."""
    go = host.directory / "go"
    ran = host.directory / "ran"
    cat = f'case $1 in /proc/*/stat) while [ ! -e "{go}" ]; do sleep 0.02; done ;; esac; exec /bin/cat "$@"'
    host.tool("cat", cat)
    await host.launch("early", f'echo ran >>"{ran}"; echo out')
    await until(lambda: any("/run/script" in command_line(pid) for pid in host.group("early")))
    runner = host.runner("early")
    send([runner], signal.SIGKILL)
    await until(lambda: not alive(runner))
    assert (await host.state("early")).state is JobState.ORPHAN
    go.touch()
    log, status = await read_to_end(host.site, HOST, "early")
    assert (status.state, log, ran.read_text()) == (JobState.LOST, b"out\n", "ran\n")


async def test_what_a_killed_command_leaves_running_is_an_orphan(host: LocalHost) -> None:
    """The work may be done by a child of the command, as the mm commands do it; it must not be started beside it."""
    go = host.directory / "go"
    await host.launch("below", f"sh -c 'while [ ! -e \"{go}\" ]; do sleep 0.02; done; echo done'; exit 3")
    await until(lambda: len(host.group("below")) >= 2)
    child = int((host.base / "below" / "child").read_text().split()[0])
    runner = host.runner("below")
    send([runner, child], signal.SIGKILL)
    await until(lambda: not alive(runner) and not alive(child))
    assert (await host.state("below")).state is JobState.ORPHAN
    go.touch()
    log, status = await read_to_end(host.site, HOST, "below")
    assert (status.state, status.rc, log) == (JobState.LOST, None, b"done\n")


async def test_an_orphan_without_its_command_can_be_stopped(host: LocalHost) -> None:
    await host.launch("stop", "sh -c 'sleep 60; exit 1'; exit 3")
    await until(lambda: len(host.group("stop")) >= 2)
    child = int((host.base / "stop" / "child").read_text().split()[0])
    send([host.runner("stop"), child], signal.SIGKILL)
    await until(lambda: not alive(child))
    assert (await host.site.stop(HOST, "stop")).note == ""
    await until(lambda: not host.group("stop"))
    assert (await host.state("stop")).state is JobState.LOST


async def test_a_pid_that_was_taken_over_is_no_sign_of_life(dash: LocalHost) -> None:
    """The runner's pid now leads another group, so its own is gone."""
    other = dash.directory / "other"
    await dash.launch("taken", "exit 0")
    await read_to_end(dash.site, HOST, "taken")
    await dash.launch("leader", f'while [ ! -e "{other}" ]; do sleep 0.02; done')
    leader = dash.runner("leader")
    taken = dash.base / "taken"
    for path in taken.glob("rc.*"):
        path.unlink()
    words = (taken / "started").read_text().split()
    (taken / "started").write_text(" ".join([words[0], str(leader), "1", *words[3:]]) + "\n")
    assert (await dash.state("taken")).state is JobState.LOST
    other.touch()
    await read_to_end(dash.site, HOST, "leader")
