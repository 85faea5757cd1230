"""The mm* commands: their words, their effects, and names that are refused."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from remote.command import Command, Effect
from remote.gpfs import commands


@pytest.mark.parametrize(
    ("command", "text", "effect"),
    [
        (commands.mmlscluster(), "mmlscluster", Effect.READS),
        (commands.mmlsfs("mss1"), "mmlsfs mss1", Effect.READS),
        (commands.mmlsdisk("mss1"), "mmlsdisk mss1", Effect.READS),
        (commands.mmdf("mss1"), "mmdf mss1", Effect.READS),
        (commands.mmdf("mss1", metadata_only=True), "mmdf mss1 -m", Effect.READS),
        (commands.mmlsnsd_devices(), "mmlsnsd -X", Effect.READS),
        (commands.mmcrnsd("/tmp/s.txt"), "mmcrnsd -F /tmp/s.txt", Effect.DESTROYS),
        (commands.mmadddisk("mss1", "/tmp/s.txt"), "mmadddisk mss1 -F /tmp/s.txt", Effect.DESTROYS),
        (commands.mmchdisk_change("mss1", "/tmp/s.txt"), "mmchdisk mss1 change -F /tmp/s.txt", Effect.CHANGES),
        (
            commands.mmrestripefs("mss1", ["foo1", "pollux2", "pollux3"]),
            "mmrestripefs mss1 -r -N foo1,pollux2,pollux3",
            Effect.CHANGES,
        ),
    ],
)
def test_commands(command: Command, text: str, effect: Effect) -> None:
    assert command.text == text
    assert command.effect is effect
    assert command.privileged
    assert command.deadline >= 60
    assert command.interruptible == (effect is Effect.READS or command.argv[0] == "mmrestripefs")
    assert command.line_buffered == (command.argv[0] == "mmrestripefs")


@pytest.mark.parametrize("name", ["", "-F", "a b", "a,b", "a\n", "a;b", "$x", "/dev/a", "a\0"])
@pytest.mark.parametrize(
    "build",
    [
        commands.mmlsfs,
        commands.mmlsdisk,
        commands.mmdf,
        lambda name: commands.mmadddisk(name, "/tmp/s"),
        lambda name: commands.mmchdisk_change(name, "/tmp/s"),
        lambda name: commands.mmrestripefs(name, ["n1"]),
        lambda name: commands.mmrestripefs("mss1", ["n1", name]),
    ],
)
def test_names_that_could_be_something_else(build: Callable[[str], Command], name: str) -> None:
    with pytest.raises(ValueError, match="not the name"):
        build(name)


@pytest.mark.parametrize("path", ["", "-v", "a b", "a\nb", "a;b", "`x`"])
def test_paths_that_could_be_something_else(path: str) -> None:
    with pytest.raises(ValueError, match="not a path"):
        commands.mmcrnsd(path)


def test_a_restripe_names_its_nodes() -> None:
    with pytest.raises(ValueError, match="at least one node"):
        commands.mmrestripefs("mss1", [])


def test_nodes_may_be_addresses() -> None:
    assert commands.mmrestripefs("mss1", ["10.1.2.11", "fd00::1"]).argv[-1] == "10.1.2.11,fd00::1"
