"""`mmdevdiscover`: the devices that GPFS finds on a node."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from remote.command import Effect
from remote.gpfs.commands import mmdevdiscover
from remote.gpfs.models import Discovery
from remote.gpfs.parsers import parse_mmdevdiscover


def test_devices_with_their_types() -> None:
    parsed = parse_mmdevdiscover("mapper/lun0 dmm\nsdb generic\n\n/dev/dm-1  dmm\nsdb dmm\ncciss/c0d0p1 generic\n")
    assert parsed.ok
    assert parsed.model == Discovery(
        (("mapper/lun0", "dmm"), ("sdb", "generic"), ("dm-1", "dmm"), ("cciss/c0d0p1", "generic"))
    )
    assert parsed.model.type_of("dm-1") == "dmm"
    assert parsed.model.type_of("sdc") is None


def test_a_node_without_devices_is_an_answer() -> None:
    assert parse_mmdevdiscover("").ok
    assert parse_mmdevdiscover("").model == Discovery()


def test_what_is_no_device_is_a_problem_and_a_message_a_note() -> None:
    parsed = parse_mmdevdiscover("sdb generic\nls: cannot access /dev/mapper: No such file\n", "a word\n")
    assert parsed.model.devices == (("sdb", "generic"),)
    assert [problem.line for problem in parsed.problems] == [2]
    assert [note.text for note in parsed.notes] == ["a word"]


def test_it_reads_and_needs_root() -> None:
    command = mmdevdiscover()
    assert (command.text, command.effect, command.privileged) == ("mmdevdiscover", Effect.READS, True)


@given(st.text(), st.text())
def test_garbage(stdout: str, stderr: str) -> None:
    assert isinstance(parse_mmdevdiscover(stdout, stderr).model, Discovery)
