"""Questions in the six shells that may be /bin/sh, without SSH: any text, and sudo before what needs it only."""

from __future__ import annotations

import asyncio
import shutil
from pathlib import Path

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from remote.clock import WallClock
from remote.command import Command, Effect, quote
from remote.jobs import JobSpec
from remote.live import LiveOptions, LiveSite
from remote.question import question_script, take_apart
from tests.remote.local_host import HOST, SHELLS, LocalHost, in_shells
from tests.remote.staged_launch import read_to_end

WORDS = st.text(st.characters(exclude_characters="\0", exclude_categories=["Cs"]))
NONCE = "0123456789abcdef"


def sudo_site(host: LocalHost) -> LiveSite:
    """A Site whose privileged commands run under a sudo that writes down what it was told."""
    host.tool("sudo", f'echo "sudo $*" >>"{host.directory}/sudo"\n[ "$1" = -n ] || exit 99\nshift\nexec "$@"')
    site = LiveSite([HOST], WallClock(), armed=True, options=LiveOptions(poll_seconds=0.02, sudo=True))
    site.fleet = host.site.fleet
    return site


@settings(
    max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow]
)
@example(["'", "''", "'\\''", "\\", "!", "\n", "$(x)`y`", "-n", "\r\n", "\U0010ffff"])
@given(st.lists(WORDS, max_size=6))
def test_any_text_arrives_exactly(host: LocalHost, words: list[str]) -> None:
    commands = [Command(("printf", "[%s]", *words), Effect.READS), Command(("printf", "%s", *words), Effect.READS)]
    (first, second) = asyncio.run(host.site.query(HOST, *commands))
    assert first.stdout == "".join(f"[{word}]" for word in words or [""]).encode()
    assert second.stdout == "".join(words).encode()


def test_a_nul_is_refused_before_anything_is_built() -> None:
    with pytest.raises(ValueError, match="NUL"):
        quote(("a\0b",))
    with pytest.raises(ValueError, match="NUL"):
        Command(("echo", "\0"), Effect.READS)


@pytest.mark.parametrize("name", ["", "/bin/sh", "./sh", "-sh", "a b", "a;b", "$x", "a\n", "../x", "é"])
def test_a_command_is_a_bare_name(name: str) -> None:
    with pytest.raises(ValueError, match="bare"):
        Command((name, "x"), Effect.READS)


async def test_a_batch_in_every_shell(tmp_path: Path) -> None:
    """In all that are here at once, for each waits out a deadline."""
    async with asyncio.TaskGroup() as group:
        for shell, words in SHELLS.items():
            if shutil.which(words.split()[0]):
                (tmp_path / shell).mkdir()
                group.create_task(ask_a_batch(LocalHost(tmp_path / shell, shell), shell))


async def ask_a_batch(host: LocalHost, shell: str) -> None:
    """Ask in one shell, as which a failure names it."""
    answers = await host.site.query(
        HOST,
        Command(("sh", "-c", "printf a; printf b >&2; exit 200"), Effect.READS),
        Command(("sleep", "600"), Effect.READS, deadline=1),
        Command(("no-such-command",), Effect.READS),
        Command(("cat",), Effect.READS),
    )
    told = [(answer.rc, answer.stdout) for answer in answers]
    assert told == [(200, b"a"), (124, b""), (127, b""), (0, b"")], shell
    assert answers[0].stderr == b"b", shell


@in_shells("bash-posix", "ksh93")
async def test_sudo_stands_before_what_needs_it_and_nothing_else(host: LocalHost) -> None:
    site = sudo_site(host)
    plain = Command(("basename", "plain"), Effect.READS)
    root = Command(("basename", "it's root"), Effect.READS, privileged=True)
    answers = await site.query(HOST, plain, root)
    assert [answer.stdout for answer in answers] == [b"plain\n", b"it's root\n"]
    for name, command in (("plain", plain), ("root", root)):
        await site.launch(HOST, JobSpec(name, "", "", command))
        log, status = await read_to_end(site, HOST, name)
        assert (status.rc, log) == (0, " ".join(command.argv[1:]).encode() + b"\n")
    told = (host.directory / "sudo").read_text().splitlines()
    # by its path, because sudo has a PATH of its own
    assert told == [f"sudo -n {shutil.which('basename', path='/usr/bin:/bin')} it's root"] * 2


@in_shells("bash-posix", "mksh")
async def test_a_line_buffered_job_tells_at_once(host: LocalHost) -> None:
    """A program that writes to a file keeps 4 kB back unless `stdbuf` says otherwise; it is used where it is."""
    host.tool("stdbuf", f'echo "$*" >"{host.directory}/stdbuf"\nshift\nexec "$@"')
    for name, buffered in (("lines", True), ("blocks", False)):
        command = Command(("echo", name), Effect.CHANGES, line_buffered=buffered)
        await host.site.launch(HOST, JobSpec(name, "", "", command))
        assert (await read_to_end(host.site, HOST, name))[0] == f"{name}\n".encode()
    assert (host.directory / "stdbuf").read_text() == "-oL echo lines\n"


def test_an_answer_that_was_cut_anywhere_is_none() -> None:
    """Nothing but the whole answer counts; half of it must never be taken for a short one."""
    commands = [Command(("echo", "x"), Effect.READS)] * 2
    out = f"noise\n{NONCE} begin\nfirst\n\n{NONCE} 0\nsecond\n\n{NONCE} 1\n".encode()
    err = f"\n{NONCE} begin\n\n{NONCE} 0\n\n{NONCE} 1\n".encode()
    whole = take_apart(NONCE, commands, out, err)
    assert whole is not None
    assert [(answer.rc, answer.stdout) for answer in whole] == [(0, b"first\n"), (1, b"second\n")]
    for place in range(len(out)):
        assert take_apart(NONCE, commands, out[:place], err) is None
    for place in range(len(err)):
        assert take_apart(NONCE, commands, out, err[:place]) is None


async def test_a_truncated_question_asks_nothing(host: LocalHost) -> None:
    command = Command(("touch", f"{host.directory}/asked"), Effect.READS)
    script = question_script(NONCE, [command], sudo=False).rstrip("\n")
    for place in [*range(0, len(script), 97), *range(len(script) - 8, len(script))]:
        await host.fleet.run(HOST, script[:place], deadline=20, limit=10_000, what="cut")
        assert not (host.directory / "asked").exists(), f"cut at {place}"
    await host.fleet.run(HOST, script, deadline=20, limit=10_000, what="whole")
    assert (host.directory / "asked").exists()
