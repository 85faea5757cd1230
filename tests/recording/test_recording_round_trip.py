"""What was recorded is read back exactly, whatever it was."""

from __future__ import annotations

import itertools
import json
import os
import stat
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from remote.command import Command, Effect
from remote.events import Answered, Asked, Event, Exact, Header, Marked, Reply, decode, encode
from remote.recording import VERSION, Recording, RecordingError, Writer
from tests.recording.any_events import BY_KIND, EVENTS

HEADER = Header(
    VERSION,
    "0.1.0",
    1.5,
    1370557203.25,
    "mss1",
    ("pollux1", "pollux2"),
    "pollux1",
    "ops@desk",
    True,
    600.0,
    -25200,
    "p",
)
MMLSDISK = Command(("mmlsdisk", "mss1"), Effect.READS)
MMDF = Command(("mmdf", "mss1"), Effect.READS)

_numbers = itertools.count()


def recorded(path: Path, *events: Event) -> Path:
    """A recording of these events."""
    writer = Writer(path, HEADER)
    for event in events:
        writer.write(event)
    writer.close()
    assert writer.failure == ""
    return path


@pytest.mark.parametrize("kind", BY_KIND, ids=lambda kind: kind.__name__)
def test_each_kind_of_event_is_one_line_and_comes_back_equal(kind: type) -> None:
    @settings(max_examples=60, deadline=None)
    @given(BY_KIND[kind])
    def holds(event: Event) -> None:
        line = encode(event)
        assert b"\n" not in line
        assert decode(line) == event
        assert type(decode(line)) is kind

    holds()


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(events=st.lists(EVENTS, max_size=12))
def test_any_session_comes_back_as_it_was(tmp_path: Path, events: list[Event]) -> None:
    recording = Recording(recorded(tmp_path / f"{next(_numbers)}.jsonl", *events))
    assert recording.header == HEADER
    assert list(recording) == events
    assert (recording.torn, recording.skipped) == (False, 0)


def test_the_header_is_the_first_line_and_text_is_kept_as_text(tmp_path: Path) -> None:
    path = recorded(tmp_path / "r.jsonl", Answered(2.0, 1, (Reply(0, Exact("NSD é\n".encode()), Exact(b"\xff")),)))
    first, second = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    assert first["restripe"] == 1
    assert first["hosts"] == ["pollux1", "pollux2"]
    assert second["replies"] == [{"rc": 0, "out": "NSD é\n", "err": {"b64": "/w=="}}]


@pytest.mark.parametrize("umask", [0o000, 0o022, 0o077, 0o277, 0o777])
def test_only_the_owner_can_read_it_whatever_the_umask(tmp_path: Path, umask: int) -> None:
    before = os.umask(umask)
    try:
        writer = Writer(tmp_path / "r.jsonl", HEADER)
    finally:
        os.umask(before)
    writer.close()
    assert stat.S_IMODE((tmp_path / "r.jsonl").stat().st_mode) == 0o600


def test_an_existing_file_is_never_touched(tmp_path: Path) -> None:
    path = tmp_path / "r.jsonl"
    path.write_text("precious")
    with pytest.raises(RecordingError, match=r"r\.jsonl: the recording cannot be created: File exists"):
        Writer(path, HEADER)
    assert path.read_text() == "precious"


def test_a_link_to_nothing_is_an_existing_file_too(tmp_path: Path) -> None:
    """Following it would write a recording wherever somebody wants it."""
    path = tmp_path / "r.jsonl"
    path.symlink_to(tmp_path / "elsewhere")
    with pytest.raises(RecordingError, match="File exists"):
        Writer(path, HEADER)
    assert not (tmp_path / "elsewhere").exists()


def test_a_directory_that_cannot_be_made_is_a_recording_error(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(RecordingError, match=r"sub/r\.jsonl: the recording cannot be created"):
        Writer(tmp_path / "file" / "sub" / "r.jsonl", HEADER)


def test_text_that_is_no_unicode_is_recorded_with_its_bytes_visible(tmp_path: Path) -> None:
    """Arguments and user names that are no UTF-8 come into Python as lone surrogates."""
    path = recorded(tmp_path / "r.jsonl", Marked(1.0, os.fsdecode(b"caf\xe9 1")))
    assert list(Recording(path)) == [Marked(1.0, "caf\\udce9 1")]


def test_an_answer_that_did_not_change_is_in_the_file_once(tmp_path: Path) -> None:
    same, other = Exact(b"BODY-OF-MMLSDISK\n"), Exact(b"ANOTHER\n")
    events: list[Event] = []
    for n, out in enumerate((same, same, other, same, same), 1):
        events += [
            Asked(float(n), n, "pollux1", (MMLSDISK, MMDF)),
            Answered(n + 0.5, n, (Reply(0, out, Exact(b"w\xff")), Reply(0, Exact(b"SPACE\n")))),
        ]
    path = recorded(tmp_path / "r.jsonl", *events)
    # told when it is new: at first, after the other one, and never again
    assert path.read_bytes().count(b"BODY-OF-MMLSDISK") == 2
    assert path.read_bytes().count(b"SPACE") == 1
    assert list(Recording(path)) == events


@pytest.mark.parametrize("rc", [0, 1])
def test_the_same_bytes_with_another_exit_code_or_host_are_another_answer(tmp_path: Path, rc: int) -> None:
    events: list[Event] = [
        Asked(1.0, 1, "pollux1", (MMLSDISK,)),
        Answered(1.5, 1, (Reply(rc, Exact(b"SAID")),)),
        Asked(2.0, 2, "pollux1", (MMLSDISK,)),
        Answered(2.5, 2, (Reply(1 - rc, Exact(b"SAID")),)),
        Asked(3.0, 3, "pollux2", (MMLSDISK,)),
        Answered(3.5, 3, (Reply(1 - rc, Exact(b"SAID")),)),
    ]
    path = recorded(tmp_path / "r.jsonl", *events)
    assert path.read_bytes().count(b"SAID") == 3
    assert list(Recording(path)) == events
