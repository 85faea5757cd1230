"""The schedule of limits on a host whose clock, whose `sleep` and whose mmchqos are the test's: no time passes."""

from __future__ import annotations

import calendar
import os
import shutil
import subprocess
from pathlib import Path

import pytest

from remote.command import Effect
from remote.gpfs import commands as gpfs
from remote.gpfs.schedule import SCRIPT, schedule, script

TIGHT = gpfs.mmchqos_enable("fs1", {"system": {"maintenance": "300IOPS"}, "data": {"maintenance": "300IOPS"}})
FREE = gpfs.mmchqos_enable("fs1", {"*": {"maintenance": "unlimited"}})
EARLIER = gpfs.mmchqos_enable("fs1", {"system": {"maintenance": "900IOPS"}})
OFF = gpfs.mmchqos_disable("fs1")
SHELLS = {"dash": "dash", "bash": "bash", "mksh": "mksh", "busybox": "busybox sh"}
MONDAY, SATURDAY = "2013-06-10", "2013-06-15"


class Host:
    """A host: each pause of the schedule ends at the next of `moments`, at which something may be done first."""

    def __init__(self, directory: Path, shell: str = "dash") -> None:
        words = SHELLS[shell].split()
        path = shutil.which(words[0])
        if path is None:
            pytest.skip(f"{words[0]} is not installed")  # `make test-deps` installs it
        self._shell = [path, *words[1:]]
        self.directory = directory
        self.job = directory / "job"
        self.scan = directory / "scan"
        self._bin = directory / "bin"
        for each in (self.job / "run", self.scan, self._bin):
            each.mkdir(parents=True)
        (self.job / "run" / SCRIPT).write_text(script())
        self.tool("date", 'exec /usr/bin/date -u -d "@$(cat "$HOME/clock")" "$@"')
        self.tool(
            "mmchqos", 'echo "$*" >>"$HOME/ran"; [ ! -e "$HOME/refuses" ] || { echo "mmchqos: busy" >&2; exit 1; }'
        )
        # the pause is over at the next moment; after the last one nothing is left but to end
        self.tool("sleep", 'IFS= read -r line <"$HOME/moments" || { kill -KILL $PPID; exit; }\n'
                  'sed -i 1d "$HOME/moments"; echo "${line%% *}" >"$HOME/clock"; eval "${line#* }"')  # fmt: skip
        self.watched = str(self.scan)
        self.root = ""
        self.begin(MONDAY, "06:50")

    def tool(self, name: str, text: str) -> None:
        path = self._bin / name
        path.write_text(f"#!/bin/sh\n{text}\n")
        path.chmod(0o755)

    def begin(self, day: str, time: str) -> None:
        (self.directory / "clock").write_text(str(moment(day, time)))

    def run(self, *moments: tuple[str, str, str], lease: int = 24 * 3600, earlier: tuple[int, ...] = ()) -> list[str]:
        """Let it keep `Mon-Fri 07:00-19:00`; the moments are day, time, and what is done then. Its lines, undated."""
        lines = [f"{moment(day, time)} {what or ':'}\n" for day, time, what in moments]
        (self.directory / "moments").write_text("".join(lines))
        command = schedule(
            str(self.job / "run" / SCRIPT), "fs1", self.watched, days="12345", begin=7 * 60, end=19 * 60,
            tight=TIGHT, free=FREE, earlier=(EARLIER, OFF) if earlier else (EARLIER,), lease=lease,
        )  # fmt: skip
        env = {"PATH": f"{self._bin}:/usr/bin:/bin", "HOME": str(self.directory), "SCAN": str(self.scan)}
        env |= {"RESTRIPE_SYSROOT": self.root} if self.root else {}
        argv = [*self._shell, *command.argv[1:]]
        done = subprocess.run(argv, env=env, capture_output=True, text=True, timeout=60, check=False)
        assert done.stderr == ""
        self.rc = done.returncode
        return [line[20:] for line in done.stdout.splitlines()]

    @property
    def ran(self) -> list[str]:
        """Every mmchqos that was run."""
        path = self.directory / "ran"
        return path.read_text().splitlines() if path.exists() else []


def moment(day: str, time: str) -> int:
    """UNIX seconds of a time in the zone of the host, which is UTC."""
    year, month, date = (int(word) for word in day.split("-"))
    hour, minute = (int(word) for word in time.split(":"))
    return calendar.timegm((year, month, date, hour, minute, 0))


ENDED = ': >"$SCAN/rc.0.1"'
WATCHED = 'date +%s >"$HOME/job/renewed"'


@pytest.mark.parametrize("shell", SHELLS)
def test_it_is_tight_in_office_hours_free_else_and_as_before_when_the_scan_has_ended(
    tmp_path: Path, shell: str
) -> None:
    host = Host(tmp_path, shell)
    told = host.run(
        (MONDAY, "06:59", ""),
        (MONDAY, "07:00", ""),
        (MONDAY, "08:08", ""),
        (MONDAY, "18:59", ""),
        (MONDAY, "19:00", ""),
        (MONDAY, "19:01", ENDED),
    )
    assert host.rc == 0
    assert host.ran == [
        command.text.removeprefix("mmchqos ").replace("'", "") for command in (FREE, TIGHT, FREE, EARLIER)
    ]
    assert [line.partition(": ")[0] for line in told] == [
        "free (outside the hours)",
        "tight (within the hours)",
        "free (outside the hours)",
        "restored (the scan has ended)",
    ]
    assert told[1].endswith("mmchqos fs1 --enable pool=system,maintenance=300IOPS pool=data,maintenance=300IOPS")


def test_at_the_weekend_it_is_free_all_day(tmp_path: Path) -> None:
    host = Host(tmp_path)
    host.begin(SATURDAY, "06:50")
    assert [line.split()[0] for line in host.run((SATURDAY, "12:00", ""), (SATURDAY, "13:00", ENDED))] == [
        "free",
        "restored",
    ]


def test_when_nobody_has_watched_for_the_lease_it_is_tight_whatever_the_hour(tmp_path: Path) -> None:
    host = Host(tmp_path)
    host.begin(SATURDAY, "06:00")
    told = host.run(
        (SATURDAY, "06:29", WATCHED),
        (SATURDAY, "06:58", ""),
        (SATURDAY, "07:00", ""),  # 31 minutes without a sign
        (SATURDAY, "08:00", WATCHED),
        (SATURDAY, "08:01", ENDED),
        lease=1800,
    )
    assert [line.partition(": ")[0] for line in told] == [
        "free (outside the hours)",
        "tight (nobody has watched for more than 1800 s)",
        "free (outside the hours)",
        "restored (the scan has ended)",
    ]


def test_told_to_end_it_brings_back_what_was_before_in_both_commands(tmp_path: Path) -> None:
    host = Host(tmp_path)
    told = host.run((MONDAY, "06:51", "kill -TERM $PPID"), earlier=(1,))
    assert host.rc == 0
    assert host.ran[-2:] == ["fs1 --enable pool=system,maintenance=900IOPS", "fs1 --disable"]
    assert told[-1] == "restored (told to end): mmchqos fs1 --disable"


def test_what_was_refused_is_said_and_tried_again(tmp_path: Path) -> None:
    host = Host(tmp_path)
    (tmp_path / "refuses").touch()
    told = host.run((MONDAY, "06:51", 'rm "$HOME/refuses"'), (MONDAY, "06:52", ENDED))
    assert (
        told[0] == "FAILED free (outside the hours): mmchqos fs1 --enable pool=*,maintenance=unlimited: mmchqos: busy"
    )
    assert [line.split()[0] for line in told] == ["FAILED", "free", "restored"]


def test_what_cannot_be_restored_is_given_up_in_the_end_and_said(tmp_path: Path) -> None:
    host = Host(tmp_path)
    (tmp_path / "refuses").touch()
    told = host.run((MONDAY, "06:51", ENDED), *((MONDAY, "06:52", ""),) * 30)
    assert host.rc == 1
    assert told[-1] == "GAVE UP: the earlier settings could not be restored"


def test_it_ends_with_the_process_of_a_scan_without_an_exit_code(tmp_path: Path) -> None:
    host = Host(tmp_path)
    stat = Path(f"/proc/{os.getpid()}/stat").read_text()
    (host.scan / "child").write_text(stat)
    gone = f"sed -i 's/^{os.getpid()} /4194999 /' \"$SCAN/child\""
    told = host.run((MONDAY, "06:51", ""), (MONDAY, "06:52", gone))
    assert [line.partition(": ")[0] for line in told][-1] == "restored (the scan has ended)"
    assert len(host.ran) == 2


@pytest.mark.parametrize("simulated", [False, True])
def test_it_ends_with_the_process_of_a_scan_that_somebody_else_started_and_not_before(
    tmp_path: Path, simulated: bool
) -> None:
    """A simulated host has a /proc of its own, without its processes."""
    host = Host(tmp_path)
    host.root = str(tmp_path) if simulated else ""
    with subprocess.Popen(["sleep", "600"]) as scan:  # it ends below; the schedule waits for that
        began = Path(f"/proc/{scan.pid}/stat").read_text().rpartition(") ")[2].split()[19]
        host.watched = f"pid:{scan.pid}:{began}"
        host.run((MONDAY, "07:00", ""), (MONDAY, "07:01", f"kill {scan.pid}"), (MONDAY, "07:02", ""))
    assert host.rc == 0
    assert host.ran == [command.text.removeprefix("mmchqos ").replace("'", "") for command in (FREE, TIGHT, EARLIER)]


def test_only_changes_of_limits_of_one_file_system_are_scheduled() -> None:
    usual = {"days": "12345", "begin": 420, "end": 1140, "tight": TIGHT, "free": FREE, "earlier": (EARLIER,)}
    command = schedule("/j/run/s.sh", "fs1", "/j/scan", **usual)  # type: ignore[arg-type]
    assert command.argv[:8] == ("sh", "/j/run/s.sh", "fs1", "/j/scan", "1800", "12345", "0700", "1900")
    assert command.effect is Effect.CHANGES
    for wrong in (
        {"days": "0"}, {"begin": 1140, "end": 420}, {"tight": gpfs.mmchqos_disable("fs2")}, {"earlier": ()},
        {"tight": gpfs.mmlsdisk("fs1")},
    ):  # fmt: skip
        with pytest.raises(ValueError, match=r"\w"):
            schedule("/j/run/s.sh", "fs1", "/j/scan", **{**usual, **wrong})  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="not a job's directory"):
        schedule("/j/run/s.sh", "fs1", "scan; rm", **usual)  # type: ignore[arg-type]
