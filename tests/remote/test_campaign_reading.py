"""Many hosts at once: their configuration is read one by one, or the event loop would wait for every thread of it."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import pytest
from asyncssh.config import SSHClientConfig

from remote.errors import Trouble, UnreachableError
from remote.ssh.connector import Connector
from remote.ssh.settings import SshSettings


async def test_one_configuration_is_read_at_a_time(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    config = tmp_path / "config"
    config.write_text("Host *\n  HostName 127.0.0.1\n  Port 1\n")
    connector = Connector(SshSettings(config_files=(config,)))
    read = connector._options
    reading = most = 0

    async def counting(*args: Any, **options: Any) -> dict[str, Any]:
        nonlocal reading, most
        reading += 1
        most = max(most, reading)
        try:
            return await read(*args, **options)
        finally:
            reading -= 1

    monkeypatch.setattr(connector, "_options", counting)
    tried = await asyncio.gather(*(connector.connect(f"host{n}") for n in range(20)), return_exceptions=True)
    assert {error.trouble for error in tried if isinstance(error, UnreachableError)} == {Trouble.REFUSED}
    assert most == 1


async def test_waiting_for_ones_turn_is_no_part_of_the_connects_deadline(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    connector = Connector(SshSettings(config_files=(), connect_seconds=0.2))
    read = connector._options

    async def slow(*args: Any, **options: Any) -> dict[str, Any]:
        await asyncio.sleep(0.1)  # the slowness under test
        return {**await read(*args, **options), "port": 1}

    monkeypatch.setattr(connector, "_options", slow)
    tried = await asyncio.gather(*(connector.connect("127.0.0.1") for _ in range(5)), return_exceptions=True)
    assert {error.trouble for error in tried if isinstance(error, UnreachableError)} == {Trouble.REFUSED}


@pytest.mark.parametrize(
    ("text", "times"),
    [
        ("Host a\n  HostName 127.0.0.1\n  Port 1\n", 1),
        ("Host a\n  HostName 127.0.0.1\nMatch final\n  Port 1\n", 3),
    ],
    ids=["plain", "final"],
)
async def test_a_configuration_is_parsed_once_unless_it_waits_for_the_final_name(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, text: str, times: int
) -> None:
    config = tmp_path / "config"
    config.write_text(text)
    parsed: list[Path] = []
    parse = SSHClientConfig.parse

    def counting(self: SSHClientConfig, path: Path) -> None:
        parsed.append(path)
        parse(self, path)

    monkeypatch.setattr(SSHClientConfig, "parse", counting)
    with pytest.raises(UnreachableError) as error:
        await Connector(SshSettings(config_files=(config,))).connect("a")
    assert error.value.trouble is Trouble.REFUSED  # so it went to the port that the configuration names
    assert len(parsed) == times
