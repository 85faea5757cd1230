"""What a person types is nowhere but in memory: no argument, environment, log, error, event or recording holds it."""

from __future__ import annotations

import asyncio
import logging
import os
import traceback
from collections.abc import Sequence
from pathlib import Path

import asyncssh
import pytest

from remote.clock import WallClock
from remote.errors import SiteError
from remote.events import Event, Header
from remote.live import LiveOptions, LiveSite
from remote.recorder import RecordingSite
from remote.recording import VERSION, Writer
from remote.secret import SecretQuestion
from remote.ssh.settings import SshSettings
from tests.hostile import Process, asks, describe, ssh_host
from tests.processes import command_line, environ, every_pid
from tests.remote.test_secrets_keys import Locked, locked
from tests.waiting import until

pytestmark = pytest.mark.openssh

__all__ = ["locked"]  # a fixture

SENTINEL = "Xyzzy-7f3a-Plugh"


class WantsAll(asyncssh.SSHServer):
    """Wants a password in a challenge, then a code, and is not content at first."""

    def __init__(self) -> None:
        self.rounds = 0

    def kbdint_auth_supported(self) -> bool:
        """Yes."""
        return True

    def password_auth_supported(self) -> bool:
        """Yes."""
        return True

    def validate_password(self, username: str, password: str) -> bool:
        """Never."""
        return False

    def get_kbdint_challenge(
        self, username: str, lang: str, submethods: str
    ) -> tuple[str, str, str, list[tuple[str, bool]]]:
        """What is asked."""
        return "", "", "", [("Password: ", False), ("Code: ", True)]

    def validate_kbdint_response(self, username: str, responses: Sequence[str]) -> bool:
        """Not at first."""
        self.rounds += 1
        return self.rounds > 1


async def answers(process: Process) -> None:
    await process.stdin.read()
    process.exit(1)


def everywhere(log: str, errors: list[BaseException], events: list[Event], files: list[Path]) -> dict[str, str]:
    """All that anybody could read."""
    texts = {
        "log": log,
        "errors": "".join(f"{error!r}{error}{vars(error)}" for error in errors)
        + "".join("".join(traceback.format_exception(error)) for error in errors),
        "events": repr(events),
        "environment": repr(dict(os.environ)),
        "processes": "".join(command_line(pid) + repr(environ(pid)) for pid in every_pid()),
    }
    return {**texts, **{str(path): path.read_text(errors="replace") for path in files}}


@pytest.mark.parametrize("kind", ["password", "passphrase"])
async def test_a_secret_is_nowhere_to_be_read(
    kind: str, locked: Locked, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    asked: list[SecretQuestion] = []

    async def person(question: SecretQuestion) -> str:
        asked.append(question)
        return f"{SENTINEL}{len(asked)}"

    caplog.set_level(logging.DEBUG)
    asyncssh.set_debug_level(2)
    errors: list[BaseException] = []
    events: list[Event] = []
    try:
        async with ssh_host(answers, WantsAll) as (port, key):
            if kind == "password":
                describe(locked.config, tmp_path / "known_hosts", "host", port, key)
            else:
                locked.passphrase = f"{SENTINEL}3"  # told at the third try
                locked.start(1)
                locked.config.write_text(locked.config.read_text().replace(f"Host {locked.hosts[0]}", "Host host"))
            ssh = SshSettings(config_files=(locked.config,), ask_secret=person)
            inner = LiveSite(["host"], WallClock(), options=LiveOptions(ssh=ssh))
            now = inner.clock.now()
            writer = Writer(tmp_path / "recording.jsonl", Header(VERSION, "look", now, now, "fs1", ("host",), "host"))

            def emit(event: Event) -> None:
                events.append(event)
                writer.write(event)

            site = RecordingSite(inner, emit, writer)
            for _ in range(2):
                try:
                    await site.query("host", asks("true"))
                except SiteError as error:
                    errors.append(error)
            during = everywhere(caplog.text, errors, events, [tmp_path / "recording.jsonl"])
            await site.close()
            await asyncio.to_thread(writer.close)
    finally:
        asyncssh.set_debug_level(1)
    assert len(asked) >= 3
    await until(lambda: len(asyncio.all_tasks()) == 1)
    after = everywhere(caplog.text, errors, events, [tmp_path / "recording.jsonl"])
    assert "asyncssh" in after["log"] or caplog.records
    for texts in (during, after):
        for where, text in texts.items():
            assert SENTINEL not in text, where
    assert SENTINEL not in repr(inner.fleet.__dict__)
    assert SENTINEL not in repr(vars(inner.fleet.connector))
