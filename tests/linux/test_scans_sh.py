"""`scans.sh` in every shell, on processes that are really there: what scans, and where its output goes."""

from __future__ import annotations

import os
import pwd
import shlex
import shutil
import signal
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from remote.command import Command, Effect
from remote.jobs import JobSpec
from remote.linux.scans import Goes, Output, RunningScan, scans
from remote.linux.scans_parsing import parse_scans
from tests.processes import descendants, send, stat_fields
from tests.remote.local_host import HOST, LocalHost
from tests.waiting import until

ME = pwd.getpwuid(os.getuid()).pw_name


class Scans:
    """Programs that are called as scans are and do nothing, in a directory of the test; known by their first word."""

    def __init__(self, directory: Path, host: LocalHost) -> None:
        self.directory = directory
        self.host = host
        host.env["RESTRIPE_SYSROOT"] = str(directory)  # nobody else's are meant
        directory.mkdir()
        self.program = directory / "mmrestripefs"
        self.program.write_text("#!/bin/sh\necho begun $1\nsleep 600\n", encoding="utf-8")
        self.program.chmod(0o755)
        self.started: list[subprocess.Popen[bytes]] = []

    def run(self, command: str) -> None:
        """Run a shell command; the scan in it may be any of its descendants."""
        process = subprocess.Popen(
            ["/bin/bash", "-c", command],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            cwd=self.directory,
            env=self.host.env,
            start_new_session=True,
        )
        self.started.append(process)

    async def found(self, *words: str) -> dict[str, RunningScan]:
        """What is found, by the first word after the program, when all of that are there and have begun."""

        async def look() -> dict[str, RunningScan]:
            (answer,) = await self.host.site.query(HOST, scans())
            assert (answer.rc, answer.stderr) == (0, b"")
            parsed = parse_scans(answer.stdout.decode())
            assert (parsed.problems, parsed.notes, parsed.model.more) == ((), (), 0)
            told = {scan.words[1]: scan for scan in parsed.model.scans}
            begun = all(stat_fields(scan.pid) and descendants(scan.pid) for scan in told.values())
            return told if set(told) == set(words) and begun else {}

        return await until(look)

    def end(self) -> None:
        """End all of them, whatever session they have moved to."""
        mark = f"RESTRIPE_SYSROOT={self.directory}".encode()
        for process in self.started:
            send([process.pid, *descendants(process.pid)], signal.SIGKILL)
            process.wait()
        for entry in Path("/proc").iterdir():
            if entry.name.isdigit() and int(entry.name) != os.getpid():
                try:
                    settings = (entry / "environ").read_bytes().split(b"\0")
                except OSError:
                    continue
                if mark in settings:
                    send([int(entry.name)], signal.SIGKILL)


@pytest.fixture
def here(host: LocalHost, tmp_path: Path) -> Iterator[Scans]:
    made = Scans(tmp_path / "a place", host)
    yield made
    made.end()


@pytest.fixture
def one(dash: LocalHost, tmp_path: Path) -> Iterator[Scans]:
    made = Scans(tmp_path / "a place", dash)
    yield made
    made.end()


def shown(scan: RunningScan) -> list[tuple[Goes, str, str, tuple[int, ...]]]:
    """Where the output of a scan goes, without the pids."""
    return [(output.kind, output.path, output.by, output.streams) for output in scan.outputs]


async def test_every_shell_finds_the_files_behind_redirections_pipes_and_terminals(here: Scans) -> None:
    place = str(here.directory)
    odd = "it's\nöd\tx.log"
    here.run("exec nohup ./mmrestripefs nohup -r >n.log 2>&1")
    here.run("./mmrestripefs tee 2>&1 | tee t.log")
    here.run(f"./mmrestripefs two 2>e.log | grep --line-buffered -v x | tee {shlex.quote(odd)} | cat >last.log")
    here.run("script -q -c './mmrestripefs script' typescript")
    told = await here.found("nohup", "tee", "two", "script")
    both = (1, 2)
    assert shown(told["nohup"]) == [(Goes.FILE, f"{place}/n.log", "mmrestripefs", both)]
    assert shown(told["tee"]) == [(Goes.FILE, f"{place}/t.log", "tee", both)]
    assert shown(told["two"]) == [
        (Goes.FILE, f"{place}/{odd}", "tee", (1,)),
        (Goes.FILE, f"{place}/last.log", "cat", (1,)),
        (Goes.FILE, f"{place}/e.log", "mmrestripefs", (2,)),
    ]
    assert shown(told["script"]) == [(Goes.FILE, f"{place}/typescript", "script", both)]
    nohup = told["nohup"]
    assert nohup.argv == ("/bin/sh", "./mmrestripefs", "nohup", "-r")
    assert nohup.words == ("mmrestripefs", "nohup", "-r")
    assert (nohup.cwd, nohup.uid, nohup.user, nohup.job, nohup.hidden) == (place, os.getuid(), ME, "", False)
    assert nohup.age is not None
    assert 0 <= nohup.age < 100
    assert (nohup.parent, nohup.start) == (os.getpid(), int(stat_fields(nohup.pid)[19]))


async def test_a_job_of_restripe_is_told_by_its_directory_also_when_its_runner_is_gone(one: Scans) -> None:
    one.host.env["PATH"] = f"{one.directory}:{one.host.env['PATH']}"
    await one.host.site.launch(HOST, JobSpec("a-1", "x", "me", Command(("mmrestripefs", "job"), Effect.CHANGES)))
    scan = (await one.found("job"))["job"]
    assert scan.job == str(one.host.base / "a-1")
    assert shown(scan) == [(Goes.FILE, f"{scan.job}/log", "mmrestripefs", (1, 2))]
    assert scan.parent is not None
    send([scan.parent], signal.SIGKILL)
    assert (await one.found("job"))["job"].job == str(one.host.base / "a-1")


async def test_output_that_cannot_be_read_is_told_for_what_it_is(one: Scans) -> None:
    one.run('exec python3 -c \'import pty; pty.spawn(["./mmrestripefs", "terminal"])\'')
    one.run("./mmrestripefs null")
    one.run("./mmrestripefs pipe 2>&1 | cat")
    one.run("exec ./mmrestripefs gone >gone.log 2>&-")
    await until((one.directory / "gone.log").exists)
    (one.directory / "gone.log").unlink()
    told = await one.found("terminal", "null", "pipe", "gone")
    (terminal,) = told["terminal"].outputs
    assert (terminal.kind, terminal.by, terminal.streams) == (Goes.TERMINAL, "python3", (1, 2))
    assert terminal.path == os.readlink(f"/proc/{told['terminal'].pid}/fd/1")
    assert shown(told["null"]) == [(Goes.NULL, "/dev/null", "mmrestripefs", (1, 2))]
    assert shown(told["pipe"]) == [(Goes.PIPE, "", "cat", (1, 2))]
    gone = told["gone"].outputs
    assert shown(told["gone"]) == [
        (Goes.UNLINKED, f"{one.directory}/gone.log", "mmrestripefs", (1,)),
        (Goes.CLOSED, "", "mmrestripefs", (2,)),
    ]
    assert gone[0].readable == f"/proc/{told['gone'].pid}/fd/1"
    assert [output.readable for output in gone[1:]] == [""]


async def test_each_window_of_a_screen_has_its_own_log(one: Scans) -> None:
    screen = shutil.which("screen")
    if screen is None:
        pytest.skip("screen is not installed")  # `make test-deps` installs it
    name = f"restripe-{os.getpid()}"
    one.run(f"{screen} -c /dev/null -L -dmS {name} ./mmrestripefs first")
    await one.found("first")
    one.run(f"{screen} -S {name} -X screen ./mmrestripefs second")
    told = await one.found("first", "second")
    assert shown(told["first"]) == [(Goes.FILE, f"{one.directory}/screenlog.0", "screen", (1, 2))]
    assert shown(told["second"]) == [(Goes.FILE, f"{one.directory}/screenlog.1", "screen", (1, 2))]


async def test_workers_and_copies_belong_to_their_scan_and_a_worker_alone_is_told(one: Scans) -> None:
    worker = "exec -a /usr/lpp/mmfs/bin/tsrestripefs sleep 600"
    (one.directory / "mmdeldisk").write_text(f"#!/bin/bash\n({worker})\n", encoding="utf-8")
    one.run("bash ./mmdeldisk -x")
    one.run(worker)
    one.run("exec -a editor sleep 600")  # neither: its name
    one.run(": mmrestripefs fs -r; sleep 600")  # nor a shell that only speaks of one

    async def look() -> set[tuple[str, ...]]:
        (answer,) = await one.host.site.query(HOST, scans())
        seen = parse_scans(answer.stdout.decode()).model.scans
        whole = any(scan.words[0] == "mmdeldisk" and descendants(scan.pid) for scan in seen)
        return {scan.words for scan in seen} if whole and len(seen) == 2 else set()

    told: set[tuple[str, ...]] = await until(look)
    assert told == {("mmdeldisk", "-x"), ("tsrestripefs", "600")}


async def test_only_the_programs_that_are_asked_for_are_looked_for(one: Scans) -> None:
    one.run("exec ./mmrestripefs there")
    await one.found("there")
    (answer,) = await one.host.site.query(HOST, scans("lfs", "a|b", "mmrestripef"))
    assert parse_scans(answer.stdout.decode()).model.scans == ()


def test_the_path_to_read_is_the_name_of_the_file_where_it_has_one() -> None:
    assert Output(Goes.FILE, "/a b", "tee", 7, 3).readable == "/a b"
    assert Output(Goes.UNLINKED, "/a b", "tee", 7, 3).readable == "/proc/7/fd/3"
    assert Output(Goes.TERMINAL, "/dev/pts/3", "sshd", 7).readable == ""
