"""What a session is about becomes a part of names of files and jobs."""

from __future__ import annotations

import pytest

from remote.jobs import check_id
from remote.text import name_part


@pytest.mark.parametrize(
    ("text", "part"),
    [
        ("mss1", "mss1"),
        ("/dev/vg0/data", "dev-vg0-data"),
        ("/dev/mapper/vg0-a_b.c", "dev-mapper-vg0-a_b.c"),
        ("../../etc/passwd", "etc-passwd"),
        ("/", "x"),
        ("", "x"),
        ("a" * 200, "a" * 80),
    ],
)
def test_a_name_is_a_safe_part_of_a_file_s_name_and_of_a_job_s_id(text: str, part: str) -> None:
    assert name_part(text) == part
    assert check_id(f"{part}-probe-120000-ab12") == f"{part}-probe-120000-ab12"
