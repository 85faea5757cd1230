"""`nightly.sh` on files of a host: crontabs, scripts that they call, units of timers."""

from __future__ import annotations

import os
import shutil
import subprocess
from importlib.resources import files
from pathlib import Path

import pytest

from remote.linux.nightly import Nightly, NightlyJobs, parse_nightly

SCRIPT = str(files("remote") / "linux" / "nightly.sh")
SHELLS = [shell for shell in ("dash", "bash", "mksh", "ksh", "busybox") if shutil.which(shell)]


def write(root: Path, name: str, text: str) -> None:
    path = root / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")


def look(root: Path, shell: str = "dash") -> NightlyJobs:
    words = ["busybox", "sh"] if shell == "busybox" else [shell]
    env = {"PATH": os.environ["PATH"], "RESTRIPE_SYSROOT": str(root)}
    done = subprocess.run([*words, SCRIPT], env=env, capture_output=True, text=True, timeout=60, check=True)
    parsed = parse_nightly(done.stdout, done.stderr)
    assert (parsed.problems, parsed.notes) == ((), ())
    return parsed.model


@pytest.fixture
def host(tmp_path: Path) -> Path:
    """A host with a snapshot at night, a backup behind a script, a timer for policies, and what is no matter."""
    write(tmp_path, "etc/crontab", "# mmfsck fs1 is no job\n17 * * * * root run-parts /etc/cron.hourly\n")
    write(tmp_path, "etc/cron.d/snap", "0 1 * * * root /usr/lpp/mmfs/bin/mmcrsnapshot fs1 daily\n")
    write(tmp_path, "var/spool/cron/root", "0 2 * * * /usr/local/sbin/save.sh >/dev/null\n5 5 * * * /bin/true\n")
    write(tmp_path, "usr/local/sbin/save.sh", "#!/bin/sh\n# mmfsck is not meant\nmmbackup /gpfs -t incremental\n")
    write(tmp_path, "etc/cron.weekly/quota", "#!/bin/sh\nmmcheckquota fs1\n")
    write(tmp_path, "etc/systemd/system/policy.timer", "[Timer]\nOnCalendar=daily\nUnit=ilm.service\n")
    write(tmp_path, "etc/systemd/system/ilm.service", "[Service]\nExecStart=/usr/lpp/mmfs/bin/mmapplypolicy fs1 -P p\n")
    write(tmp_path, "etc/systemd/system/alone.service", "[Service]\nExecStart=/usr/lpp/mmfs/bin/mmbackup /gpfs\n")
    return tmp_path


@pytest.mark.parametrize("shell", SHELLS)
def test_what_would_meet_a_restripe_is_found_in_crontabs_scripts_and_timers(host: Path, shell: str) -> None:
    assert look(host, shell).jobs == (
        Nightly("/etc/cron.d/snap", "0 1 * * * root /usr/lpp/mmfs/bin/mmcrsnapshot fs1 daily"),
        Nightly(
            "/var/spool/cron/root",
            "0 2 * * * /usr/local/sbin/save.sh >/dev/null: mmbackup /gpfs -t incremental",
            through_script=True,
        ),
        Nightly("/etc/cron.weekly/quota", "mmcheckquota fs1"),
        Nightly("/etc/systemd/system/ilm.service", "ExecStart=/usr/lpp/mmfs/bin/mmapplypolicy fs1 -P p"),
    )


def test_a_host_with_none_is_told_as_such(tmp_path: Path) -> None:
    write(tmp_path, "etc/crontab", "17 * * * * root run-parts /etc/cron.hourly\n")
    assert look(tmp_path) == NightlyJobs()


def test_a_host_with_too_many_says_that_there_are_more(tmp_path: Path) -> None:
    write(tmp_path, "etc/crontab", "".join(f"{n} 1 * * * root mmcrsnapshot fs1 s{n}\n" for n in range(70)))
    told = look(tmp_path)
    assert (len(told.jobs), told.cut) == (60, True)


def test_an_answer_that_is_cut_off_is_not_whole_and_control_characters_are_made_visible() -> None:
    assert [problem.line for problem in parse_nightly("restripe-nightly 1\nline =/etc/crontab\n").problems] == [0]
    parsed = parse_nightly("restripe-nightly 1\nline =/etc/x\ntext x6d6d1b5b\nunread =/var/spool/cron\nend\n")
    assert parsed.ok
    assert parsed.model == NightlyJobs((Nightly("/etc/x", "mm\ufffd["),), ("/var/spool/cron",))
