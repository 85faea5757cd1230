"""Runners as units: when systemd-run is used and how it is called. Programs stand in for it; no systemd is asked."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from remote import jobs
from remote.errors import JobError
from remote.jobs import JobState
from remote.live import LiveOptions
from tests.remote.local_host import HOST, LocalHost, in_shells
from tests.remote.staged_launch import read_to_end

BOOTED = "/run/systemd/system"
START = 'while [ "${1#--}" != "$1" ]; do shift; done; setsid "$@" &\n'


class Systemd:
    """A host that has a systemd, or seems to."""

    def __init__(self, host: LocalHost, monkeypatch: pytest.MonkeyPatch) -> None:
        self.host = host
        self.called = host.directory / "called"
        self.booted = host.directory / "booted"
        self.booted.mkdir()
        text = jobs._host_side()
        assert text.count(BOOTED) == 1
        monkeypatch.setattr(jobs, "_host_side", lambda: text.replace(BOOTED, str(self.booted)))
        self.answers("no", "yes")
        self.runs(START)

    def answers(self, kill: str, linger: str) -> None:
        """What loginctl says of the host and of the user."""
        lines = f"show-session) echo KillUserProcesses={kill} ;; show-user) echo Linger={linger} ;;"
        self.host.tool("loginctl", f"case $1 in {lines} esac")

    def runs(self, text: str) -> None:
        """What systemd-run does, after it has noted down how it was called."""
        self.host.tool("systemd-run", f'printf "%s\\n" "$@" >"{self.called}"\n{text}')

    def user(self, uid: int) -> None:
        """Who logs in."""
        self.host.tool("id", f'[ "$1" = -u ] && echo {uid}')

    def wanted(self) -> None:
        """Ask for units wherever they can be had."""
        self.host.site._options = LiveOptions(poll_seconds=0.02, systemd_run=True)

    @property
    def words(self) -> list[str]:
        """How systemd-run was called; nothing when it was not."""
        return self.called.read_text().splitlines() if self.called.exists() else []


@pytest.fixture
def systemd(host: LocalHost, monkeypatch: pytest.MonkeyPatch) -> Systemd:
    return Systemd(host, monkeypatch)


async def ends(host: LocalHost, name: str) -> tuple[int | None, bytes]:
    """Launch a job that says hello, and follow it to its end."""
    await host.launch(name, "echo hello; exit 4")
    log, status = await read_to_end(host.site, HOST, name)
    return status.rc, log


async def test_a_unit_is_asked_for_as_a_person_would_type_it(systemd: Systemd, host: LocalHost) -> None:
    systemd.wanted()
    systemd.user(0)
    assert await ends(host, "unit") == (4, b"hello\n")
    *options, shell, runner, directory, attempt, boot = systemd.words
    assert options[:2] == ["--system", "--quiet"]
    assert re.fullmatch(r"--unit=restripe-unit-\d+\.service", options[2])
    assert "--property=KillMode=process" in options
    assert any(word.startswith("--setenv=PATH=") and "/usr/lpp/mmfs/bin" in word for word in options)
    assert (shell, runner, directory) == ("sh", f"{attempt}/runner", str(host.base / "unit"))
    assert boot == Path("/proc/sys/kernel/random/boot_id").read_text().strip()


@in_shells("bash-posix", "dash")
@pytest.mark.parametrize(
    ("uid", "kill", "used"), [(1000, "yes", True), (1000, "no", False), (0, "yes", False)], ids=str
)
async def test_unasked_only_a_login_that_takes_its_jobs_with_it_gets_units(
    systemd: Systemd, host: LocalHost, uid: int, kill: str, used: bool
) -> None:
    systemd.user(uid)
    systemd.answers(kill, "yes")
    assert await ends(host, "auto") == (4, b"hello\n")
    assert systemd.words[:1] == (["--user"] if used else [])


@in_shells("bash-posix", "ksh93")
async def test_without_a_systemd_there_is_no_unit(systemd: Systemd, host: LocalHost) -> None:
    systemd.wanted()
    systemd.booted.rmdir()
    assert await ends(host, "none") == (4, b"hello\n")
    assert systemd.words == []


@in_shells("bash-posix", "busybox")
async def test_a_launch_that_gets_no_unit_runs_nothing_and_can_be_tried_again(
    systemd: Systemd, host: LocalHost
) -> None:
    systemd.wanted()
    systemd.runs("exit 1")
    host.tool("sleep", "exit 0")  # nobody needs to wait for it here
    with pytest.raises(JobError) as error:
        await host.launch("refused", f"touch {host.directory}/ran")
    assert error.value.note == "no_unit"
    assert (await host.state("refused")).state is JobState.ABSENT
    assert not list((host.base / "refused").iterdir())
    assert not (host.directory / "ran").exists()
    systemd.runs(START)
    assert await ends(host, "refused") == (4, b"hello\n")


@in_shells("bash-posix", "mksh")
async def test_a_user_who_does_not_linger_is_told_so(systemd: Systemd, host: LocalHost) -> None:
    systemd.user(1000)
    systemd.answers("yes", "no")
    host.tool("sleep", "exit 0")
    with pytest.raises(JobError) as error:
        await host.launch("linger", "exit 0")
    assert error.value.note == "no_unit"
    assert systemd.words == []


@in_shells("bash-posix", "ksh93")
async def test_a_unit_that_started_although_it_was_told_otherwise_is_followed(
    systemd: Systemd, host: LocalHost
) -> None:
    """systemd-run lost its own answer: what counts is the link."""
    systemd.wanted()
    systemd.runs(f"{START}exit 1")
    assert await ends(host, "late") == (4, b"hello\n")
