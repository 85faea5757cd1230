"""The mm* commands: their words, their effects, and names that are refused."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from remote.command import Command, Effect
from remote.gpfs import commands, parsers
from remote.gpfs.commands import DiskVerb, Restripe


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


@pytest.mark.parametrize(
    ("command", "text"),
    [
        (commands.mmgetstate(), "mmgetstate -a"),
        (commands.mmgetstate(quorum=True, summary=True, nodes=["n1", "n2"]), "mmgetstate -N n1,n2 -L -s"),
        (commands.mmlsfs("all"), "mmlsfs all"),
        (commands.mmlsdisk("mss1", long=True), "mmlsdisk mss1 -L"),
        (commands.mmlsdisk("mss1", not_ready=True), "mmlsdisk mss1 -e"),
        (commands.mmdf("mss1", data_only=True), "mmdf mss1 -d"),
        (commands.mmdf("mss1", inodes_only=True), "mmdf mss1 -F"),
        (commands.mmdf("mss1", pool="system", block_size="1T"), "mmdf mss1 -P system --block-size 1T"),
        (commands.mmlsnsd(), "mmlsnsd -a"),
        (commands.mmlsnsd(free=True), "mmlsnsd -F"),
        (commands.mmlsnsd(fs="mss1", long=True), "mmlsnsd -f mss1 -L"),
        (commands.mmlsnsd_map(), "mmlsnsd -m"),
        (commands.mmlsmount("mss1"), "mmlsmount mss1 -L"),
        (commands.mmlsmgr(), "mmlsmgr"),
        (commands.mmlsconfig(), "mmlsconfig"),
        (commands.mmlsconfig("pagepool", "adminMode"), "mmlsconfig pagepool,adminMode"),
        (commands.mmlsqos("mss1"), "mmlsqos mss1 --seconds 60"),
        (commands.mmdiag_waiters(), "mmdiag --waiters"),
        (commands.mmhealth(), "mmhealth node show"),
        (commands.mmlspool("mss1"), "mmlspool mss1"),
        (commands.mmlssnapshot("mss1"), "mmlssnapshot mss1"),
    ],
)
def test_commands_that_read(command: Command, text: str) -> None:
    assert command.text == text
    assert (command.effect, command.interruptible, command.privileged) == (Effect.READS, True, True)
    assert command.deadline >= 60
    assert command.argv[0] in parsers.STEPS


@pytest.mark.parametrize(
    ("command", "text", "effect"),
    [
        (
            commands.mmadddisk("mss1", "/s", rebalance=True, nodes=["n1"]),
            "mmadddisk mss1 -F /s -r -N n1",
            Effect.DESTROYS,
        ),
        (commands.mmdelnsd(["a", "b"]), "mmdelnsd 'a;b'", Effect.DESTROYS),
        (commands.mmrpldisk("mss1", "a", "/s", nodes=["n1"]), "mmrpldisk mss1 a -F /s -N n1", Effect.DESTROYS),
        (
            commands.mmchdisk("mss1", DiskVerb.SUSPEND, disks=["a", "b"]),
            "mmchdisk mss1 suspend -d 'a;b'",
            Effect.CHANGES,
        ),
        (commands.mmchdisk("mss1", DiskVerb.RESUME, all_disks=True), "mmchdisk mss1 resume -a", Effect.CHANGES),
        (commands.mmchdisk("mss1", DiskVerb.STOP, disks=["a"]), "mmchdisk mss1 stop -d a", Effect.CHANGES),
        (commands.mmchdisk("mss1", DiskVerb.EMPTY, stanza_path="/s"), "mmchdisk mss1 empty -F /s", Effect.CHANGES),
        (
            commands.mmchdisk("mss1", DiskVerb.START, all_disks=True, nodes=["n1"], qos="other"),
            "mmchdisk mss1 start -a -N n1 --qos other",
            Effect.CHANGES,
        ),
        (
            commands.mmchqos_enable("mss1", {"*": {"maintenance": "300IOPS", "other": "unlimited"}}),
            "mmchqos mss1 --enable 'pool=*,maintenance=300IOPS,other=unlimited'",
            Effect.CHANGES,
        ),
        (commands.mmchqos_disable("mss1"), "mmchqos mss1 --disable", Effect.CHANGES),
    ],
)
def test_commands_that_change_the_configuration_run_to_their_end(command: Command, text: str, effect: Effect) -> None:
    assert (command.text, command.effect, command.interruptible) == (text, effect, False)
    assert command.privileged
    assert command.deadline >= 3600
    assert command.argv[0] in parsers.STEPS


@pytest.mark.parametrize(
    ("command", "text"),
    [
        (commands.mmdeldisk("mss1", ["a", "b"], nodes=["n1"], qos="other"), "mmdeldisk mss1 'a;b' -N n1 --qos other"),
        (commands.mmrestripefs("mss1", ["n1"], Restripe.CRITICAL), "mmrestripefs mss1 -m -N n1"),
        (commands.mmrestripefs("mss1", ["n1"], Restripe.PLACEMENT), "mmrestripefs mss1 -p -N n1"),
        (commands.mmrestripefs("mss1", ["n1"], Restripe.COMPRESSION), "mmrestripefs mss1 -z -N n1"),
        (commands.mmrestripefs("mss1", ["n1"], Restripe.REBALANCE, strict=True), "mmrestripefs mss1 -b --strict -N n1"),
        (
            commands.mmrestripefs("mss1", ["n1"], Restripe.COMPARE, read_only=True),
            "mmrestripefs mss1 -c --read-only -N n1",
        ),
        (
            commands.mmrestripefs(
                "mss1", ["n1"], Restripe.REPLICATION, pool="data", qos="maintenance", inode_criteria="/c",
                result_file="/o", metadata_only=True, go_on_after_errors=True,
            ),
            (
                "mmrestripefs mss1 -R -N n1 -o /o -P data --inode-criteria /c --qos maintenance --metadata-only "
                "--pit-continues-on-error"
            ),
        ),
    ],
)  # fmt: skip
def test_commands_that_move_data_may_be_stopped(command: Command, text: str) -> None:
    assert (command.text, command.interruptible, command.line_buffered) == (text, True, True)
    assert command.deadline == 30 * 86400
    assert command.effect is (Effect.DESTROYS if command.argv[0] == "mmdeldisk" else Effect.CHANGES)


@pytest.mark.parametrize(
    ("build", "why"),
    [
        (lambda: commands.mmchdisk("mss1", DiskVerb.STOP), "one of them"),
        (lambda: commands.mmchdisk("mss1", DiskVerb.STOP, disks=["a"], stanza_path="/s"), "one of them"),
        (lambda: commands.mmchdisk("mss1", DiskVerb.STOP, all_disks=True), "nothing to stop"),
        (lambda: commands.mmchdisk("mss1", DiskVerb.CHANGE, disks=["a"]), "stanza file"),
        (lambda: commands.mmdf("mss1", metadata_only=True, inodes_only=True), "one of them"),
        (lambda: commands.mmlsnsd(fs="mss1", free=True), "no file system"),
        (lambda: commands.mmlsqos("mss1", 0), "999"),
        (lambda: commands.mmdeldisk("mss1", []), "no NSD"),
        (lambda: commands.mmdeldisk("mss1", ["a;b"]), "not the name"),
        (lambda: commands.mmdelnsd(["-p"]), "not the name"),
        (lambda: commands.mmrestripefs("mss1", ["n1"], Restripe.CRITICAL, metadata_only=True), "metadata"),
        (lambda: commands.mmrestripefs("mss1", ["n1"], strict=True), "rebalance"),
        (lambda: commands.mmrestripefs("mss1", ["n1"], read_only=True), "comparison"),
        (lambda: commands.mmchqos_enable("mss1", {"a,b=c": {"other": "inf"}}), "not the name"),
        (lambda: commands.mmchqos_enable("mss1", {"a": {"other": "1,pool=b"}}), "not a limit"),
        (lambda: commands.mmlsconfig("a,b"), "not the name"),
        (lambda: commands.mmdf("mss1", block_size="-Y"), "not a block size"),
    ],
)
def test_what_makes_no_sense_is_not_built(build: Callable[[], Command], why: str) -> None:
    with pytest.raises(ValueError, match=why):
        build()


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
