"""What people are shown of a job's command: the tool's words, without the attached script that runs it."""

from __future__ import annotations

import pytest

from remote.jobs import JobState, JobStatus

SCRIPT = "/var/lib/restripe/data-1/run/guarded.sh"
TOOL = "gfs2_edit savemeta -z1 /dev/vg0/data /var/tmp/data.gz"


@pytest.mark.parametrize(
    ("command", "shown"),
    [
        (f"sh {SCRIPT} --new=/var/tmp/data.gz -- {TOOL}", TOOL),
        (f"sudo -n sh {SCRIPT} -- fsck.gfs2 -n '/dev/a b'", "fsck.gfs2 -n '/dev/a b'"),
        (TOOL, TOOL),
        (f"sh {SCRIPT} /data", f"sh {SCRIPT} /data"),
        (f"sh /home/ops/run/guarded.sh -- {TOOL}", f"sh /home/ops/run/guarded.sh -- {TOOL}"),
        (f"rm -- {SCRIPT}", f"rm -- {SCRIPT}"),
        ("echo 'open", "echo 'open"),
        ("", ""),
    ],
)
def test_what_an_attached_script_runs_is_shown_without_it_and_all_else_as_it_is(command: str, shown: str) -> None:
    assert JobStatus("data-1", JobState.RUNNING, command=command).shown == shown
