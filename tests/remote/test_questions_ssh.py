"""Questions on a real OpenSSH server: noisy login shells, odd arguments, deadlines, lost and large answers."""

from __future__ import annotations

import asyncio

import pytest

from remote import live, question
from remote.command import Command, Effect
from remote.errors import AnswerLostError, GarbledError, StillAskedError
from remote.fleet import LinkState
from remote.ssh.connection import STDERR_KEPT
from tests.conftest import Sites
from tests.openssh import Farm, Server
from tests.waiting import until

pytestmark = pytest.mark.openssh

NOISE = "echo 'J1 noise'; echo noise >&2; printf 'no end of line'"
AWKWARD = (
    "it's", '"', "a b", "", "$HOME", "`id`", "$(id)", "!", "!!", "wow!'!", "\\", "\\n", "\n", "a\n\nb\n", "*", "~",
    "~root", "{a,b}", "[a-z]", "#", ";", "&&", "|", "<", "-n", "--", "%s", "=x", "\t", "\r", "\x01\x1b[31m", "é€😀",
    "x" * 5000,
)  # fmt: skip


def asks(*argv: str, deadline: float = 60.0) -> Command:
    """A reading command."""
    return Command(argv, Effect.READS, deadline=deadline)


@pytest.fixture(scope="session")
def _shells(farm: Farm) -> dict[str, Server]:
    return {}


@pytest.fixture(params=["sh", "bash", "tcsh", "ksh93"])
def noisy(request: pytest.FixtureRequest, farm: Farm, _shells: dict[str, Server]) -> Server:
    """A server whose user has that login shell, and start-up files that talk."""
    shell: str = request.param
    if shell not in _shells:
        # accounts of their own: the shared ones want quiet start-up files, and may hold the jobs of other tests
        account = farm.account(shell, purpose="noisy")
        for name in (".bashrc", ".bash_profile", ".profile", ".kshrc", ".tcshrc", ".login"):
            text = NOISE if name != ".tcshrc" else NOISE.replace(" >&2", "")  # its own redirections
            account.script(name, f"{text}\n")
        _shells[shell] = farm.server(f"noisy-{shell}", account=account)
    return _shells[shell]


async def test_noise_is_no_answer(noisy: Server, sites: Sites) -> None:
    site = sites(noisy)
    if noisy.account.shell.endswith(("bash", "tcsh")):  # these two read a file even for a single command
        raw = await site.fleet.run(noisy.host, "true\n", deadline=10.0, limit=1000)
        assert b"J1 noise" in raw.stdout
    (answer,) = await site.query(noisy.host, asks("sh", "-c", "printf out; printf err >&2; exit 3"))
    assert (answer.rc, answer.stdout, answer.stderr) == (3, b"out", b"err")
    assert (await site.place(noisy.host)).base.startswith("/")
    assert await site.jobs(noisy.host) == ()


async def test_arguments_arrive_exactly(noisy: Server, sites: Sites) -> None:
    (answer,) = await sites(noisy).query(noisy.host, asks("printf", "[%s]", *AWKWARD))
    assert answer.stdout == "".join(f"[{word}]" for word in AWKWARD).encode()


async def test_a_login_that_runs_nothing_is_told_with_its_own_words(farm: Farm, sites: Sites) -> None:
    server = farm.server("shut", shell="false")
    site = sites(server)
    with pytest.raises(GarbledError) as error:
        await site.query(server.host, asks("true"))
    assert "nothing came back" in str(error.value)
    with pytest.raises(GarbledError):
        await site.jobs(server.host)


async def test_each_question_of_a_batch_has_its_own_answer(server: Server, sites: Sites) -> None:
    commands = (
        asks("echo", "one"),
        asks("sh", "-c", "printf two; echo err >&2; exit 3"),
        asks("sleep", "600", deadline=0.2),
        asks("no-such-command"),
        asks("cat"),
        asks("sh", "-c", "kill -TERM $$"),
        asks("readlink", "/proc/self/fd/0"),
        asks("printf", "\n\nseven\n\n"),
    )
    answers = await sites(server).query(server.host, *commands)
    assert tuple(answer.command for answer in answers) == commands
    assert [(answer.rc, answer.stdout) for answer in answers] == [
        (0, b"one\n"),
        (3, b"two"),
        (124, b""),
        (127, b""),
        (0, b""),
        (143, b""),
        (0, b"/dev/null\n"),
        (0, b"\n\nseven\n\n"),
    ]
    assert [answer.timed_out for answer in answers] == [False, False, True, *[False] * 5]
    assert [answer.stderr for answer in answers][:2] == [b"", b"err\n"]
    assert b"no-such-command" in answers[3].stderr


async def test_a_deadline_ends_even_what_ignores_it(
    server: Server, sites: Sites, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(question, "KILL_AFTER", 0.3)
    stubborn = asks("sh", "-c", "trap '' TERM; sleep 700 & sleep 701; sleep 702", deadline=0.2)
    (answer,) = await sites(server).query(server.host, stubborn)
    assert (answer.rc, answer.timed_out) == (137, True)
    await until(lambda: not server.processes("sleep 70"))


async def test_a_question_lost_with_its_connection_is_asked_again_only_when_it_has_ended(
    server: Server, sites: Sites
) -> None:
    site = sites(server)
    directory = server.account.directory("lost-question")
    go, asked_twice = directory / "go", directory / "asked"
    script = f'echo asked >>"{asked_twice}"; while [ ! -e "{go}" ]; do sleep 0.02; done; echo done'
    command = asks("sh", "-c", script)
    asked = asyncio.create_task(site.query(server.host, command))
    await until(asked_twice.exists)
    server.kill_sessions()
    with pytest.raises(AnswerLostError) as lost:
        await asked
    assert lost.value.command == command.text
    for _ in range(3):
        with pytest.raises(StillAskedError):
            await site.query(server.host, command)
    assert asked_twice.read_text() == "asked\n"
    # another question is not held up by it, and neither is the other one of a batch run
    assert (await site.query(server.host, asks("true")))[0].rc == 0
    go.touch()
    await until(lambda: not server.processes("lost-question"))
    (answer,) = await site.query(server.host, command)
    assert (answer.rc, answer.stdout, asked_twice.read_text()) == (0, b"done\n", "asked\nasked\n")


async def test_a_question_whose_deadline_passes_here_is_not_asked_twice(
    server: Server, sites: Sites, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The host does not keep the deadline, so patience ends here, and the question lives on there."""
    monkeypatch.setattr(live, "NETWORK_SECONDS", -question.KILL_AFTER + 0.4)
    site = sites(server)
    await site.place(server.host)
    go = server.account.directory("deadline-here") / "go"
    slow = asks("sh", "-c", f'while [ ! -e "{go}" ]; do sleep 0.02; done', deadline=0.0)  # to `timeout` 0 is none
    with pytest.raises(AnswerLostError, match=r"within 0\.4 s"):
        await site.query(server.host, slow)
    with pytest.raises(StillAskedError):
        await site.query(server.host, slow)
    go.touch()
    await until(lambda: not server.processes("deadline-here"))
    assert (await site.query(server.host, slow))[0].rc == 0


async def test_a_large_answer_arrives_whole(server: Server, sites: Sites) -> None:
    script = "head -c 5000000 /dev/zero >&2 & head -c 30000000 /dev/zero; wait; exit 4"
    answer, after = await sites(server).query(server.host, asks("sh", "-c", script), asks("echo", "after"))
    assert (answer.rc, len(answer.stdout), len(answer.stderr)) == (4, 30_000_000, 5_000_000)
    assert (after.rc, after.stdout) == (0, b"after\n")


async def test_an_answer_that_is_too_large_is_told_and_ends_nothing(
    server: Server, sites: Sites, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(live, "ANSWER_LIMIT", 1 << 20)
    site = sites(server)
    with pytest.raises(GarbledError, match="larger than can be kept") as error:
        await site.query(server.host, asks("sh", "-c", "head -c 12000000 /dev/zero"))
    assert len(str(error.value)) < 2000
    assert site.fleet.status(server.host).state is LinkState.UP
    assert (await site.query(server.host, asks("true")))[0].rc == 0


async def test_a_hundred_megabytes_of_complaints_cost_neither_the_answer_nor_memory(
    server: Server, sites: Sites
) -> None:
    flood = "echo first >&2; head -c 100000000 /dev/zero >&2; echo last >&2; echo whole; exit 3"
    answer, after = await sites(server).query(server.host, asks("sh", "-c", flood), asks("echo", "after"))
    assert (answer.rc, answer.stdout) == (3, b"whole\n")
    assert answer.stderr.startswith(b"first\n")
    assert answer.stderr.endswith(b"last\n")
    assert b"bytes are left out here" in answer.stderr
    assert len(answer.stderr) < STDERR_KEPT + 100
    assert (after.rc, after.stdout) == (0, b"after\n")


async def test_what_came_instead_of_an_answer_is_quoted_in_short(
    server: Server, sites: Sites, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(live, "question_script", lambda *_args, **_options: "head -c 50000 /dev/zero >&2; echo >&2")
    with pytest.raises(GarbledError) as error:
        await sites(server).query(server.host, asks("true"))
    assert "no answer came back, but" in str(error.value)
    assert len(str(error.value)) < 2000


async def test_bytes_that_are_no_text_survive(server: Server, sites: Sites) -> None:
    site = sites(server)
    (answer,) = await site.query(server.host, asks("printf", "\\377\\000\\200ok\\r"))
    assert answer.stdout == b"\xff\x00\x80ok\r"
    assert site.fleet.status(server.host).state is LinkState.UP
