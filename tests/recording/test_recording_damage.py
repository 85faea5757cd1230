"""What a crash, a bad disk or another program left behind is read as far as it can be trusted, and no further."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from remote.events import Answered, Asked, Decided, Event, Exact, Marked, Reply, Unanswered, encode
from remote.recording import LONGEST_HEADER, Recording, RecordingError
from tests.recording.test_recording_round_trip import HEADER, MMDF, MMLSDISK, recorded


def answers(*bodies: bytes) -> list[Event]:
    """One question asked again and again, and what it was answered each time."""
    events: list[Event] = []
    for n, body in enumerate(bodies, 1):
        events += [Asked(float(n), n, "pollux1", (MMLSDISK,)), Answered(n + 0.5, n, (Reply(0, Exact(body)),))]
    return events


def test_the_last_line_may_be_torn_at_any_byte(tmp_path: Path) -> None:
    events: list[Event] = [Marked(1.0, "first"), Decided(2.0, "ops", 'é and € and \\ and "quotes"')]
    path = recorded(tmp_path / "r.jsonl", *events)
    whole = path.read_bytes()
    start = whole[:-1].rindex(b"\n") + 1
    assert start > whole.index(b"\n")
    for cut in range(start + 1, len(whole)):
        path.write_bytes(whole[:cut])
        recording = Recording(path)
        assert list(recording) == events[:1], cut
        assert (recording.torn, recording.skipped) == (True, 0), cut
    path.write_bytes(whole[:start])
    recording = Recording(path)
    assert (list(recording), recording.torn) == (events[:1], False)
    path.write_bytes(whole)
    assert list(recording) == events
    assert not recording.torn


@pytest.mark.parametrize(
    "broken",
    [
        b"",
        b"{",
        b"\x00" * 100,
        b"\xff\xfe",
        b"null",
        b'"text"',
        b'{"k":"mark","t":1.0}',
        b'{"k":"mark","t":"soon","label":"x"}',
        b'{"k":"log","t":1.0,"host":"h","source":"job:x","offset":0,"data":{"b64":"***"}}',
        b'{"k":"of a later version","t":1.0}',
        b'{"k":"ask","t":1.0,"n":1,"host":"h","commands":[{"argv":["/bin/sh"],"effect":"reads"}]}',
        b'{"k":"mark","t":1.0,"label":"x","more":' + b'{"a":' * 200_000,
    ],
    ids=lambda line: line[:24].decode("ascii", "replace"),
)
def test_a_broken_line_is_left_out_and_counted(tmp_path: Path, broken: bytes) -> None:
    path = recorded(tmp_path / "r.jsonl", Marked(1.0, "before"), Marked(2.0, "after"))
    header, before, after = path.read_bytes().splitlines(keepends=True)
    path.write_bytes(header + before + broken + b"\n" + after)
    recording = Recording(path)
    assert list(recording) == [Marked(1.0, "before"), Marked(2.0, "after")]
    assert (recording.torn, recording.skipped) == (False, 1)


def test_a_key_that_is_not_known_yet_does_no_harm(tmp_path: Path) -> None:
    path = recorded(tmp_path / "r.jsonl", Marked(1.0, "x"))
    header, line = path.read_bytes().splitlines(keepends=True)
    path.write_bytes(header + line.replace(b'"label"', b'"colour":[1,2],"label"'))
    recording = Recording(path)
    assert (list(recording), recording.skipped) == ([Marked(1.0, "x")], 0)


def without_line(path: Path, mark: bytes) -> None:
    """Spoil the only line that holds `mark`."""
    lines = path.read_bytes().splitlines(keepends=True)
    (hit,) = [line for line in lines if mark in line]
    path.write_bytes(b"".join(b"{spoilt\n" if line is hit else line for line in lines))


def test_a_lost_answer_is_never_replaced_by_an_older_one(tmp_path: Path) -> None:
    """The third answer refers to the second. With that gone, the first would be a lie: the disks were up then."""
    events = answers(b"UP", b"DOWN", b"DOWN", b"UP")
    path = recorded(tmp_path / "r.jsonl", *events)
    without_line(path, b"DOWN")
    recording = Recording(path)
    seen = list(recording)
    assert seen[:3] == events[:3]
    assert seen[3] == events[4]
    assert isinstance(seen[4], Unanswered)
    assert (seen[4].t, seen[4].n) == (3.5, 3)
    assert seen[5:] == events[6:]
    assert recording.skipped == 2


def test_an_answer_whose_question_is_lost_refers_to_nothing(tmp_path: Path) -> None:
    events = answers(b"UP", b"UP")
    path = recorded(tmp_path / "r.jsonl", *events)
    without_line(path, encode(events[2]))
    seen = list(Recording(path))
    assert seen[:2] == events[:2]
    assert len(seen) == 3
    assert isinstance(seen[2], Unanswered)


def test_a_question_given_up_is_the_same_to_writer_and_reader(tmp_path: Path) -> None:
    """An answer that comes after all belongs to no question; neither side may take it for the last full one."""
    events: list[Event] = [
        *answers(b"UP"),
        Asked(3.0, 2, "pollux1", (MMLSDISK,)),
        Unanswered(3.5, 2, "given up"),
        Answered(4.0, 2, (Reply(0, Exact(b"LATE")),)),
        Asked(5.0, 3, "pollux1", (MMLSDISK,)),
        Answered(5.5, 3, (Reply(0, Exact(b"UP")),)),
    ]
    assert list(Recording(recorded(tmp_path / "r.jsonl", *events))) == events


def test_more_or_fewer_replies_than_questions_are_kept_as_they_came(tmp_path: Path) -> None:
    events: list[Event] = [
        Asked(1.0, 1, "pollux1", (MMLSDISK, MMDF)),
        Answered(1.5, 1, (Reply(0, Exact(b"ONE")),)),
        Asked(2.0, 2, "pollux1", (MMLSDISK,)),
        Answered(2.5, 2, (Reply(0, Exact(b"ONE")), Reply(0, Exact(b"TWO")))),
    ]
    assert list(Recording(recorded(tmp_path / "r.jsonl", *events))) == events


def test_a_newer_format_is_refused_by_its_number_whatever_else_its_header_holds(tmp_path: Path) -> None:
    path = tmp_path / "r.jsonl"
    ours = json.loads(encode(HEADER))
    for header in (ours | {"restripe": 2}, {"restripe": 2, "hosts": {"a": 1}, "program": None}):
        path.write_text(json.dumps(header) + "\n")
        with pytest.raises(RecordingError) as refused:
            Recording(path)
        assert str(path) in str(refused.value)
        assert "format 2" in str(refused.value)
        assert "use a newer restripe" in str(refused.value)


NOT_RECORDINGS = {
    "empty": b"",
    "newline": b"\n",
    "binary": bytes(range(256)) * 100,
    "json of something else": b'{"version": 2, "width": 80, "height": 24}\n',
    "list": b"[1, 2]\n",
    "number": b"7\n",
    "text": "Grüße\n".encode("latin-1"),
    "torn header": encode(HEADER)[:-20],
    "wrong types": b'{"restripe":1,"program":2,"created":"x","began":0}\n',
    "version as text": b'{"restripe":"1","program":"x","created":0,"began":0}\n',
    "deep": b'{"restripe":1,"x":' + b'{"a":' * 200_000 + b"\n",
    "no line end": b"x" * (LONGEST_HEADER + 10),
}


@pytest.mark.parametrize("content", NOT_RECORDINGS.values(), ids=NOT_RECORDINGS.keys())
def test_what_is_no_recording_is_refused_in_words(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "r.jsonl"
    path.write_bytes(content)
    with pytest.raises(RecordingError, match=r"r\.jsonl: this is not a recording of restripe"):
        Recording(path)


@settings(max_examples=200, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(content=st.one_of(st.binary(max_size=80), st.binary(max_size=40).map(lambda tail: encode(HEADER) + tail)))
def test_no_content_raises_anything_else(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "any.jsonl"
    path.write_bytes(content)
    try:
        recording = Recording(path)
    except RecordingError:
        return
    assert list(recording) == []


def test_an_endless_file_is_not_read_to_its_end() -> None:
    """/dev/zero has no end of line either; without a limit it would fill the memory."""
    with pytest.raises(RecordingError, match="not a recording"):
        Recording(Path("/dev/zero"))


def test_a_directory_and_nothing_are_recording_errors(tmp_path: Path) -> None:
    with pytest.raises(RecordingError, match="Is a directory"):
        Recording(tmp_path)
    with pytest.raises(RecordingError, match="No such file"):
        Recording(tmp_path / "none.jsonl")


def test_a_file_that_goes_away_between_header_and_events_is_a_recording_error(tmp_path: Path) -> None:
    path = recorded(tmp_path / "r.jsonl", Marked(1.0, "x"))
    recording = Recording(path)
    path.unlink()
    with pytest.raises(RecordingError, match="No such file"):
        list(recording)
