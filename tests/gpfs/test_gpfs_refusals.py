"""Words of refusals, and callbacks: texts that were published or that the manual shows."""

from __future__ import annotations

from remote.gpfs.models import Callback, Guest
from remote.gpfs.parsers import parse_mmauth, parse_mmlscallback
from remote.gpfs.refusals import pit_limit, understood
from tests.gpfs.told import told

PIT = """mmrestripefs: The total number of PIT worker threads of all participating nodes
has been exceeded to safely restripe the file system. The total number of
PIT worker threads of all participating nodes cannot exceed 31.
"""


def test_the_refusal_for_too_many_worker_threads_is_understood_though_it_is_wrapped() -> None:
    assert pit_limit(PIT) == 31
    assert pit_limit(PIT.replace("31", "63")) == 63
    assert pit_limit("Scan completed successfully.") is None
    (refusal,) = understood(PIT.splitlines())
    assert "more than 31 worker threads" in refusal.says
    assert "pitWorkerThreadsPerNode" in refusal.advice


def test_other_refusals_are_told_with_what_to_do() -> None:
    told_lines = [
        "Terminating mmrestripefs on fs1 because a conflicting program mmdeldisk is running.",
        "mmcrnsd: Disk device sdb refers to an existing NSD",
        "The file system must contain at least one disk for metadata.",
    ]
    assert [refusal.says for refusal in understood(told_lines)] == [
        "another command has the file system to itself",
        "the device carries an NSD already",
        "the file system would be left without a disk for data or for metadata",
    ]
    assert understood(["Scan completed successfully."]) == ()


def test_callbacks_are_read_with_their_commands_and_events() -> None:
    parsed = parse_mmlscallback(told("mmlscallback"))
    assert parsed.ok
    assert [callback.events for callback in parsed.model.callbacks] == [
        ("lowDiskSpace", "noDiskSpace"),
        ("quorumLoss",),
    ]
    fields = {"command": "/usr/local/sbin/tell", "event": "quorumLoss"}
    assert parsed.model.callbacks[1] == Callback("tellUs", "/usr/local/sbin/tell", ("quorumLoss",), fields)


def test_that_there_is_no_callback_is_an_answer_and_nothing_at_all_is_none() -> None:
    none = parse_mmlscallback("", "mmlscallback: No callback identifiers were found.\n")
    assert (none.ok, none.model.callbacks) == (True, ())
    assert not parse_mmlscallback("").ok


def test_the_clusters_that_may_mount_a_file_system_are_read() -> None:
    parsed = parse_mmauth(told("mmauth"))
    assert (parsed.ok, parsed.notes) == (True, ())
    assert parsed.model.guests == (Guest("hpc.example.org", ("mss1", "scratch")),)
    assert (parsed.model.of("mss1"), parsed.model.of("other")) == (("hpc.example.org",), ())
    assert not parse_mmauth("").ok
