"""job.sh in the six shells that may be /bin/sh: what runs, how it ends, and how it is stopped."""

from __future__ import annotations

import asyncio
import os
import signal
import subprocess
from pathlib import Path

from remote import jobs
from remote.command import Command, Effect
from remote.jobs import JobState, JobStatus
from tests.processes import alive, stat_fields
from tests.remote.local_host import HOST, LocalHost, in_group, in_shells, shell_job
from tests.remote.staged_launch import read_to_end
from tests.waiting import until


async def ended(host: LocalHost, name: str) -> tuple[JobStatus, bytes]:
    """A job's last state and its log."""
    log, status = await read_to_end(host.site, HOST, name)
    return status, log


AWKWARD = (
    "'single' \"double\" `back` $HOME $(id) \\ \\n !bang * ~ # ; & | <>\n"
    "\ttab\n\n  é€😀 \x01\x7f\n\nno newline at the end"
)


async def test_a_job_runs_and_its_files_arrive_exactly(host: LocalHost) -> None:
    files = (("stanza", AWKWARD), ("newlines", "\n\n\n"), ("empty", ""), ("one", "x"))
    command = f'cat "{host.base}/exact/run/stanza"; echo err >&2; pwd; cat; exit 3'
    began = await host.launch("exact", command, *files)
    assert began.state in (JobState.RUNNING, JobState.FINISHED)
    status, log = await ended(host, "exact")
    assert (status.state, status.rc, log) == (JobState.FINISHED, 3, f"{AWKWARD}err\n/\n".encode())
    assert status.size == len(log)
    assert status.began is not None
    assert status.ended is not None
    assert status.began <= status.ended
    for name, content in files:
        path = Path((await host.site.place(HOST)).file("exact", name))
        assert path.read_bytes() == content.encode()
        assert path.stat().st_mode & 0o077 == 0  # a stanza is nobody else's business


async def test_arguments_arrive_exactly(host: LocalHost) -> None:
    words = ["'", '"', "$x", "`id`", "\\", "a b", "", "-n", "*", "!x", "\n", "é\x7f", "~", "#", "a\n"]
    spec = jobs.JobSpec("words", "", "", Command(("printf", "[%s]", *words), Effect.CHANGES))
    await host.site.launch(HOST, spec)
    assert (await ended(host, "words"))[1] == "".join(f"[{word}]" for word in words).encode()


async def test_a_missing_command_is_127(host: LocalHost) -> None:
    spec = jobs.JobSpec("missing", "", "", Command(("no-such-command", "x"), Effect.CHANGES))
    await host.site.launch(HOST, spec)
    status, log = await ended(host, "missing")
    assert (status.rc, b"no-such-command" in log) == (127, True)


async def test_signals_are_exit_codes_above_128(host: LocalHost) -> None:
    scripts = {"exit 137": 137, "kill -KILL $$": 137, "kill -SEGV $$": 139, "kill -TERM $$": 143}
    names = [script.replace(" ", "").replace("$", "") for script in scripts]
    await asyncio.gather(*(host.launch(name, script) for name, script in zip(names, scripts, strict=True)))
    ends = await asyncio.gather(*(ended(host, name) for name in names))
    assert {status.state for status, _ in ends} == {JobState.FINISHED}
    assert [status.rc for status, _ in ends] == list(scripts.values())


async def test_term_ends_the_whole_group_and_the_code_is_kept(host: LocalHost) -> None:
    await host.launch("stop", "sleep 600 & sleep 601 | cat & echo ready; sleep 602")
    await host.says("stop", b"ready\n")
    group = host.runner("stop")
    status = await host.site.stop(HOST, "stop")
    assert status.note == ""
    status, log = await ended(host, "stop")
    assert (status.state, status.rc) == (JobState.FINISHED, 143)
    assert log.startswith(b"ready\n")  # most shells add a word about it
    await until(lambda: not [pid for pid in map(int, filter(str.isdigit, os.listdir("/proc"))) if in_group(pid, group)])


async def test_term_ends_what_a_signal_has_stopped(host: LocalHost) -> None:
    await host.launch("still", "echo ready; kill -STOP $$; sleep 600")
    await until(lambda: any(stat_fields(pid)[:1] == ["T"] for pid in host.group("still")))
    await host.site.stop(HOST, "still")
    status, _ = await ended(host, "still")
    assert (status.state, status.rc) == (JobState.FINISHED, 143)


async def test_kill_ends_what_ignores_term(host: LocalHost) -> None:
    await host.launch("deaf", "trap '' TERM; echo ready; sleep 600; sleep 601")
    await host.says("deaf", b"ready\n")
    await host.site.stop(HOST, "deaf")
    assert (await host.state("deaf")).state is JobState.RUNNING
    await host.site.stop(HOST, "deaf", kill=True)
    status, _ = await ended(host, "deaf")
    assert (status.state, status.rc) == (JobState.FINISHED, 137)
    await until(lambda: not host.group("deaf"))


def local_sh(host: LocalHost, script: str) -> bytes:
    """What a script wrote, sent as it is."""
    shell = [str(host.bin / "sh"), "-s"]
    done = subprocess.run(shell, input=script.encode(), env=host.env, capture_output=True, check=False)
    return done.stdout


async def test_a_truncated_script_runs_nothing(host: LocalHost) -> None:
    files = (("stanza", "%nsd: x\n" * 40),)
    script = jobs.launch_script("n0nce", "", shell_job("cut", f"touch {host.directory}/ran", *files), sudo=False)
    script = script.rstrip("\n")
    # everywhere in the last call, where a cut is most likely to look whole, and at every part of the rest
    places = [*range(0, len(script), len(script) // 40), *range(len(script) - 12, len(script)), len(script) - 400]
    for place in places:
        done = local_sh(host, script[:place])
        assert not host.base.exists(), f"cut at {place}: {done!r}"
    assert jobs.read_headers("n0nce", local_sh(host, script))[0].state in ("running", "finished")
    await until((host.directory / "ran").exists)


async def test_a_killed_runner_leaves_an_orphan_and_then_a_loss(host: LocalHost) -> None:
    script = f'while [ ! -e "{host.directory}/go" ]; do sleep 0.02; done; echo end'
    await host.launch("orphan", script)
    await until(lambda: host.group("orphan"))
    os.kill(host.runner("orphan"), signal.SIGKILL)
    await until(lambda: not alive(host.runner("orphan")))
    assert (await host.state("orphan")).state is JobState.ORPHAN
    assert (await host.launch("orphan", script)).state is JobState.ORPHAN
    (host.directory / "go").touch()
    status, log = await ended(host, "orphan")
    assert (status.state, status.rc, log) == (JobState.LOST, None, b"end\n")


@in_shells("bash-posix", "busybox")
async def test_an_orphan_can_still_be_stopped(host: LocalHost) -> None:
    await host.launch("alone", "echo ready; sleep 600")
    await host.says("alone", b"ready\n")
    os.kill(host.runner("alone"), signal.SIGKILL)
    await until(lambda: not alive(host.runner("alone")))
    await host.site.stop(HOST, "alone")
    status, _ = await ended(host, "alone")
    assert status.state is JobState.LOST
    await until(lambda: not host.group("alone"))


async def test_a_reused_pid_is_not_the_job(host: LocalHost) -> None:
    """Runner and command are gone and their numbers belong to another: it is neither taken for the job nor killed."""
    await host.launch("reused", "echo out")
    await ended(host, "reused")
    directory = host.base / "reused"
    for path in directory.glob("rc.*"):
        path.unlink()
    with subprocess.Popen(["sleep", "600"], start_new_session=True) as other:
        try:
            kind, _, start, boot, epoch = (directory / "started").read_text().split()
            (directory / "started").write_text(f"{kind} {other.pid} {start} {boot} {epoch}\n")
            child = (directory / "child").read_text().split(" ", 1)[1]
            (directory / "child").write_text(f"{other.pid} {child}")
            assert (await host.state("reused")).state is JobState.LOST
            assert (await host.site.stop(HOST, "reused", kill=True)).state is JobState.LOST
            assert other.poll() is None
        finally:
            other.kill()


@in_shells("bash-posix", "mksh", "ksh93")
async def test_a_command_outside_its_runners_group_is_left_alone(host: LocalHost) -> None:
    await host.launch("group", "sleep 600")
    await until(lambda: host.group("group"))
    child = host.base / "group" / "child"
    own = child.read_text()
    with subprocess.Popen(["sleep", "600"], start_new_session=True) as other:
        try:
            child.write_text(Path(f"/proc/{other.pid}/stat").read_text())
            assert (await host.site.stop(HOST, "group", kill=True)).note == "not_our_group"
            assert other.poll() is None
            assert host.group("group")
        finally:
            other.kill()
    child.write_text(own)
    await host.site.stop(HOST, "group", kill=True)
    assert (await ended(host, "group"))[0].rc == 137


async def test_after_a_reboot_nothing_is_run_again(host: LocalHost) -> None:
    host.env["RESTRIPE_BOOT_ID"] = "before"
    script = f'echo ran >>"{host.directory}/counter"; sleep 600'
    await host.launch("boot", script)
    await until((host.directory / "counter").exists)
    assert (await host.state("boot")).state is JobState.RUNNING
    host.env["RESTRIPE_BOOT_ID"] = "after"
    assert (await host.launch("boot", script)).state is JobState.REBOOTED
    assert (await host.site.seal(HOST, "boot")).state is JobState.REBOOTED
    assert (host.directory / "counter").read_text() == "ran\n"
    host.env["RESTRIPE_BOOT_ID"] = "before"
    await host.site.stop(HOST, "boot")
    assert (await ended(host, "boot"))[0].rc == 143


async def test_a_sealed_job_never_starts(host: LocalHost) -> None:
    assert (await host.site.seal(HOST, "sealed")).state is JobState.SEALED
    assert (await host.launch("sealed", f"touch {host.directory}/ran")).state is JobState.SEALED
    assert (await host.site.seal(HOST, "sealed")).state is JobState.SEALED
    assert sorted(path.name for path in (host.base / "sealed").iterdir()) == ["started"]
    assert not (host.directory / "ran").exists()


async def test_a_job_that_ends_while_it_is_looked_at_is_never_lost(host: LocalHost) -> None:
    """The exit code is there before the runner goes, so whoever looks in between must look for it again."""
    for number in range(3):
        name = f"short-{number}"
        await host.launch(name, "sleep 0.05; echo out; exit 8")
        states = set()
        while True:
            status, log = await host.look(name)
            states.add(status.state)
            if status.state is not JobState.RUNNING:
                break
        assert states <= {JobState.RUNNING, JobState.FINISHED}
        assert (status.rc, log, status.size) == (8, b"out\n", 4)


def test_a_runner_that_goes_while_it_is_looked_at_left_its_code(host: LocalHost) -> None:
    """The same, at the worst moment: it writes the code and is gone just after no code was found."""
    directory = host.base / "moment"
    directory.mkdir(parents=True)
    boot = Path("/proc/sys/kernel/random/boot_id").read_text().strip()
    (directory / "started").write_text(f"run 999999999 1 {boot} 5\n")
    script = jobs.poll_script("n0nce", "", "moment", 0, 10)
    looked = '    look_at "$1" || return 1\n    case'
    assert script.count(looked) == 1
    script = script.replace(looked, looked.replace("look_at", f': >"{directory}/rc.6.7"\n    look_at'))
    (header,) = jobs.read_headers("n0nce", local_sh(host, script))
    assert (header.state, header.rc) == ("finished", "6")
