"""Passwords and challenges: asked of one person, one at a time, who may take long and may not know."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator, Sequence
from pathlib import Path

import asyncssh
import pytest

from remote.errors import Trouble, UnreachableError
from remote.fleet import Fleet, LinkState
from remote.secret import TRIES, SecretKind, SecretQuestion
from remote.ssh.connector import HANDSHAKES
from remote.ssh.settings import SshSettings
from tests.hostile import Process, describe, ssh_host
from tests.waiting import until

RIGHT = "rîght horse"


class Person:
    """Somebody who answers what they are told to, in order, and remembers what was asked."""

    def __init__(self, *answers: str | None) -> None:
        self.answers = list(answers)
        self.asked: list[SecretQuestion] = []
        self.thinking = 0
        self.most_at_once = 0
        self.may_answer = asyncio.Event()
        self.may_answer.set()

    async def __call__(self, question: SecretQuestion) -> str | None:
        """The next answer; the last one is for all that follows."""
        self.asked.append(question)
        self.thinking += 1
        self.most_at_once = max(self.most_at_once, self.thinking)
        try:
            await self.may_answer.wait()
            await asyncio.sleep(0)
        finally:
            self.thinking -= 1
        return self.answers.pop(0) if len(self.answers) > 1 else self.answers[0]


class Wants(asyncssh.SSHServer):
    """A server that wants a password, and counts how often it was told a wrong one."""

    wrong = 0

    def password_auth_supported(self) -> bool:
        """Yes."""
        return True

    def validate_password(self, username: str, password: str) -> bool:
        """Whether it is the right one."""
        type(self).wrong += password != RIGHT
        return password == RIGHT


class Challenges(asyncssh.SSHServer):
    """A server that asks a password and a code, keyboard-interactive."""

    def kbdint_auth_supported(self) -> bool:
        """Yes."""
        return True

    def get_kbdint_challenge(
        self, username: str, lang: str, submethods: str
    ) -> tuple[str, str, str, list[tuple[str, bool]]]:
        """Two prompts; the second may be seen, and holds what must not reach a terminal."""
        return "", "", "", [("Password: ", False), ("\x1b[31mCode: ", True)]

    def validate_kbdint_response(self, username: str, responses: Sequence[str]) -> bool:
        """Whether they are right."""
        return list(responses) == [RIGHT, "123456"]


async def answers(process: Process) -> None:
    await process.stdin.read()
    process.stdout.write(b"in\n")
    process.exit(0)


@contextlib.asynccontextmanager
async def fleet_of(
    person: Person, directory: Path, server: type[asyncssh.SSHServer], *hosts: str, seconds: float = 5.0
) -> AsyncIterator[Fleet]:
    """Connections to hosts that are one server, for that person."""
    async with ssh_host(answers, server) as (port, key):
        for host in hosts:
            describe(directory / "config", directory / "known_hosts", host, port, key)
        settings = SshSettings(config_files=(directory / "config",), ask_secret=person, connect_seconds=seconds)
        async with Fleet(settings) as fleet:
            yield fleet


async def enter(fleet: Fleet, host: str) -> bytes:
    """Get in."""
    return (await fleet.run(host, "true\n", deadline=20.0, limit=100, what="true")).stdout


async def refused(fleet: Fleet, host: str) -> UnreachableError:
    """Why nobody gets in."""
    with pytest.raises(UnreachableError) as error:
        await enter(fleet, host)
    assert error.value.trouble is Trouble.AUTHENTICATION
    assert fleet.status(host).state is LinkState.REFUSED
    return error.value


async def test_a_password_is_asked_once_for_an_account_and_kept(tmp_path: Path) -> None:
    person = Person(RIGHT)
    async with fleet_of(person, tmp_path, Wants, "nsd1") as fleet:
        assert await enter(fleet, "nsd1") == b"in\n"
        fleet.drop("nsd1")
        await until(lambda: fleet.status("nsd1").state is not LinkState.UP)
        assert await enter(fleet, "nsd1") == b"in\n"
    assert person.asked == [SecretQuestion(SecretKind.PASSWORD, "nsd1", "password for somebody@nsd1")]


async def test_a_wrong_password_is_asked_again(tmp_path: Path) -> None:
    person = Person("wrong", "still wrong", RIGHT)
    async with fleet_of(person, tmp_path, Wants, "nsd1") as fleet:
        assert await enter(fleet, "nsd1") == b"in\n"
    assert [question.again for question in person.asked] == [False, True, True]


@pytest.mark.parametrize("known", [(), ("wrong",)])
async def test_nobody_who_knows_is_the_end_until_somebody_says_so(tmp_path: Path, known: tuple[str, ...]) -> None:
    person = Person(*known, None)
    async with fleet_of(person, tmp_path, Wants, "nsd1") as fleet:
        await refused(fleet, "nsd1")
        await refused(fleet, "nsd1")
        assert len(person.asked) == len(known) + 1
        # what was wrong is not tried again by itself: accounts are locked for that
        person.answers = [RIGHT]
        wrong = Wants.wrong
        fleet.retry("nsd1")
        await until(lambda: fleet.status("nsd1").state is LinkState.UP)
        assert Wants.wrong == wrong


async def test_nobody_may_go_on_guessing(tmp_path: Path) -> None:
    person = Person("wrong")
    async with fleet_of(person, tmp_path, Wants, "nsd1") as fleet:
        await refused(fleet, "nsd1")
        await refused(fleet, "nsd1")  # and nothing goes on by itself
        assert len(person.asked) == TRIES


async def test_a_challenge_is_asked_prompt_by_prompt(tmp_path: Path) -> None:
    person = Person(RIGHT, "000000", "123456")
    async with fleet_of(person, tmp_path, Challenges, "nsd1") as fleet:
        person.answers = [RIGHT, "000000", RIGHT, "123456"]
        assert await enter(fleet, "nsd1") == b"in\n"
    kinds = [(question.kind, question.again, question.echo) for question in person.asked]
    assert kinds == [
        (SecretKind.PASSWORD, False, False),
        (SecretKind.CHALLENGE, False, True),
        (SecretKind.PASSWORD, True, False),
        (SecretKind.CHALLENGE, True, True),
    ]


async def test_a_challenge_that_nobody_answers_is_asked_once(tmp_path: Path) -> None:
    person = Person(None)
    async with fleet_of(person, tmp_path, Challenges, "nsd1") as fleet:
        await refused(fleet, "nsd1")
    assert len(person.asked) == 1


async def test_one_question_at_a_time_and_no_deadline_for_a_person(tmp_path: Path) -> None:
    """Many hosts that want a password; somebody who takes longer than any connect may; and others that want none."""
    person = Person(RIGHT)
    person.may_answer.clear()
    slow = [f"slow-{number}" for number in range(HANDSHAKES + 4)]

    class Open(asyncssh.SSHServer):
        """Lets everybody in."""

        def begin_auth(self, username: str) -> bool:
            """Without a question."""
            return False

    async with (
        ssh_host(answers, Open) as (port, key),
        fleet_of(person, tmp_path, Wants, *slow, seconds=1.0) as fleet,
    ):
        others = [f"open-{number}" for number in range(4)]
        for host in others:
            describe(tmp_path / "config", tmp_path / "known_hosts", host, port, key)
        waiting = [asyncio.create_task(enter(fleet, host)) for host in slow]
        await until(lambda: person.thinking)
        assert await asyncio.gather(*(enter(fleet, host) for host in others)) == [b"in\n"] * 4
        loop = asyncio.get_running_loop()
        ends = loop.time() + 1.5
        await until(lambda: loop.time() > ends)  # longer than a connect may take
        assert not any(task.done() for task in waiting)
        person.may_answer.set()
        assert await asyncio.gather(*waiting) == [b"in\n"] * len(slow)
    assert person.most_at_once == 1
    assert sorted(question.host for question in person.asked) == sorted(slow)


async def test_closing_while_a_person_thinks_leaves_nothing(tmp_path: Path) -> None:
    before = asyncio.all_tasks()
    person = Person(RIGHT)
    person.may_answer.clear()
    async with fleet_of(person, tmp_path, Wants, "nsd1", "nsd2") as fleet:
        asked = [asyncio.create_task(enter(fleet, host)) for host in ("nsd1", "nsd2")]
        await until(lambda: person.thinking)
        await fleet.close()
        errors = await asyncio.gather(*asked, return_exceptions=True)
    assert all(isinstance(error, UnreachableError) for error in errors)
    await until(lambda: asyncio.all_tasks() - before == set())
    assert person.thinking == 0
