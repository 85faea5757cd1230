"""`probe.sh` in every shell: what it measures, what it says of probes that hang, and what it leaves behind."""

from __future__ import annotations

import importlib.resources
import os
import signal
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from supervision.probing import Outcome, Told, read_line, read_setup
from tests.processes import command_line
from tests.remote.local_host import LocalHost
from tests.waiting import until_now

SCRIPT = importlib.resources.files("remote").joinpath("linux", "probe.sh").read_text(encoding="utf-8")
HANGS = 'h() {{ while [ "$1" = create ] && [ -e {0}/hang ]; do sleep 0.02; done; }}; h'
"""A hook that hangs at the first step while `hang` is there."""


class Running:
    """The script at work, its output a file, as a job's log is one."""

    def __init__(self, host: LocalHost, text: str = SCRIPT) -> None:
        self.host = host
        self.place = host.directory / "users"
        self.place.mkdir()
        self.file = host.directory / "probe.sh"
        self.file.write_text(text, encoding="utf-8")
        self.out = host.directory / "out"
        self.env = {"RESTRIPE_PROBE_SHELL": "this one"}
        self.process: subprocess.Popen[bytes] | None = None

    def start(self, *words: str, hook: str = "") -> None:
        """Begin; `words` are the mean, the deadline, the most and the lifetime."""
        env = self.host.env | ({"RESTRIPE_PROBE_HOOK": hook} if hook else {}) | self.env
        with self.out.open("ab") as out:
            self.process = subprocess.Popen(
                [self.host.bin / "sh", self.file, self.place, *words], stdout=out, stderr=out, env=env
            )

    def told(self) -> list[Told]:
        """The lines so far; every one of them is whole and understood."""
        lines = self.out.read_text(encoding="utf-8").split("\n")[:-1]
        told = [read_line(line) for line in lines]
        assert None not in told, lines
        return [each for each in told if each]

    def wait(
        self, outcome: Outcome, *, of: int | None = None, accept: Callable[[Told], bool] = lambda _told: True
    ) -> Told:
        """The first line of that outcome, of that probe, that is accepted, once it is there."""

        def found() -> list[Told]:
            lines = [told for told in self.told() if told.outcome is outcome and accept(told)]
            return [told for told in lines if of is None or told.number == of]

        return until_now(found)[0]

    def stop(self) -> int:
        """Ask it to end; its exit code."""
        assert self.process
        self.process.send_signal(signal.SIGTERM)
        return self.process.wait(20)

    def left(self) -> list[Path]:
        """What lies in the directory that it was given."""
        return sorted(self.place.rglob("*"))


@pytest.fixture
def probe(host: LocalHost) -> Iterator[Running]:
    """In each shell."""
    yield from ended(Running(host))


@pytest.fixture
def in_dash(dash: LocalHost) -> Iterator[Running]:
    """In dash, for what does not depend on the shell."""
    yield from ended(Running(dash))


def ended(running: Running) -> Iterator[Running]:
    yield running
    if running.process:
        running.process.kill()
        running.process.wait()


def test_what_hangs_is_told_at_once_holds_up_nobody_and_is_told_again_when_it_ends(probe: Running) -> None:
    hang = probe.host.directory / "hang"
    probe.start("0.05", "0.3", "2", "600", "3", hook=HANGS.format(probe.host.directory))
    begin = probe.wait(Outcome.BEGIN)
    setup = read_setup(begin.text)
    assert (setup.mean, setup.deadline, setup.budget) == (0.05, 0.3, 3.0)
    assert Path(setup.directory).parent == probe.place
    first = probe.wait(Outcome.OK)
    assert None not in (first.create, first.stat, first.unlink)
    hang.touch()
    probe.wait(Outcome.HANGS, accept=lambda told: told.outstanding == 2)  # as many as there may be
    hung = [told.number for told in probe.told() if told.outcome is Outcome.HANGS][-2:]
    hang.unlink()
    late = [probe.wait(Outcome.LATE, of=number) for number in hung]
    assert None not in {step for told in late for step in (told.create, told.stat, told.unlink)}
    probe.wait(Outcome.OUTSTANDING, accept=lambda told: told.outstanding == 0)
    probe.wait(Outcome.OK, accept=lambda told: (told.number or 0) > max(number or 0 for number in hung))
    assert probe.stop() == 0
    end = probe.told()[-1]
    assert (end.outcome, end.outstanding) == (Outcome.END, 0)
    assert probe.left() == []


def test_times_are_exact_in_every_shell_even_where_numbers_have_32_bits(host: LocalHost) -> None:
    """The functions themselves, with a clock that is set by hand."""
    functions = SCRIPT.removesuffix('main "$@"\n')
    assert functions != SCRIPT
    looks = {
        ("1796067297", "999999", "1796067298", "000001"): ["2", "0"],  # the 7 µs that looking takes are more than that
        ("1796067297", "000008", "1796067297", "000099"): ["91", "84"],
        ("1796067297", "900000", "1796069297", "000000"): ["1999100000", "1999100000"],  # they make no difference
        ("1796067297", "000000", "1796087297", "500000"): ["20000000000", "20000000000"],
        ("1796067298", "000000", "1796067297", "000000"): [
            "-1000000",
            "0",
        ],  # the clock was set, which is told otherwise
    }
    text = functions + "clock() { S=$3 U=$4; }\nlap() {" + functions.partition("\nlap() {")[2].partition("\n}\n")[0]
    text = text.replace("    clock\n", '    clock "$@"\n') + '\n}\nS=$1 U=$2\nlap "$@"\nnet 7\necho "$LAP $NET"\n'
    for words, took in looks.items():
        done = subprocess.run(
            [host.bin / "sh", "-c", text, "sh", *words], capture_output=True, check=True, env=host.env, text=True
        )
        assert done.stdout.split() == took, words


def test_at_the_end_of_its_life_it_removes_what_it_made(in_dash: Running) -> None:
    in_dash.start("0.05", "5", "4", "0.5")
    assert in_dash.process
    assert in_dash.process.wait(20) == 0
    told = in_dash.told()
    assert [told[0].outcome, told[-1].outcome] == [Outcome.BEGIN, Outcome.END]
    assert {each.outcome for each in told[1:-1]} <= {Outcome.OK}
    assert in_dash.left() == []


def test_while_probes_hang_it_ends_all_the_same_and_says_what_it_leaves(in_dash: Running) -> None:
    """The worst that cannot be ended: a process that ignores TERM, as one in the kernel does."""
    hook = 'trap "" TERM; while :; do sleep 1; done; :'
    in_dash.start("0.05", "0.2", "2", "600", hook=hook)
    in_dash.wait(Outcome.HANGS, accept=lambda told: told.outstanding == 2)
    assert in_dash.stop() == 0
    assert in_dash.told()[-1].outstanding == 2
    assert in_dash.left() == []


def test_what_others_put_into_its_directory_stays_there(in_dash: Running) -> None:
    in_dash.start("0.05", "0.3", "2", "600")
    own = Path(read_setup(in_dash.wait(Outcome.BEGIN).text).directory)
    theirs = {own / "theirs": "", own / "7x": "", own / "999999": "keep"}
    for path, text in theirs.items():
        path.write_text(text, encoding="utf-8")
    assert in_dash.stop() == 3
    assert in_dash.told()[-1].text == f"left {own}"
    assert {path: path.read_text(encoding="utf-8") for path in own.iterdir()} == theirs


def test_a_directory_that_goes_away_is_told_and_never_made_again(in_dash: Running) -> None:
    in_dash.start("0.05", "5", "4", "600")
    in_dash.wait(Outcome.OK)
    in_dash.place.rename(in_dash.host.directory / "elsewhere")
    gone = in_dash.wait(Outcome.GONE, accept=lambda told: told.text == "create")
    assert (gone.create, gone.stat, gone.unlink) == (None, None, None)
    (in_dash.host.directory / "elsewhere").rename(in_dash.place)
    in_dash.wait(Outcome.OK, accept=lambda told: (told.number or 0) > (gone.number or 0))
    assert in_dash.stop() == 0
    assert in_dash.left() == []


@pytest.mark.parametrize(
    ("word", "outcome"),
    [("Disk quota exceeded", Outcome.FULL), ("No space left on device", Outcome.FULL), ("Stale", Outcome.FAILED)],
)
def test_why_a_step_failed_is_told(in_dash: Running, word: str, outcome: Outcome) -> None:
    in_dash.host.tool("rm", f"[ $# -lt 2 ] || {{ echo \"rm: cannot remove '$2': {word}\" >&2; exit 1; }}")
    in_dash.start("0.05", "5", "4", "600")
    assert in_dash.wait(outcome).text == f"unlink: {word}"


def test_a_hook_that_fails_is_a_step_that_fails(in_dash: Running) -> None:
    in_dash.start("0.05", "5", "4", "600", hook="test stat !=")
    told = in_dash.wait(Outcome.FAILED)
    assert (told.text, told.create is None, told.stat) == ("stat", False, None)
    assert in_dash.stop() == 0
    assert in_dash.left() == []


def test_a_directory_that_cannot_be_made_is_refused_and_one_that_hangs_is_a_finding(in_dash: Running) -> None:
    in_dash.place.rmdir()
    in_dash.start("1", "5", "4", "600")
    assert in_dash.process
    assert in_dash.process.wait(20) == 1
    assert [(told.outcome, told.text) for told in in_dash.told()] == [(Outcome.REFUSED, "No such file or directory")]
    in_dash.place.mkdir()
    hang = in_dash.host.directory / "hang"
    hang.touch()
    in_dash.host.tool("mkdir", f'while [ -e {hang} ]; do sleep 0.02; done; exec /bin/mkdir "$@"')
    in_dash.start("0.05", "0.2", "4", "600")
    hangs = in_dash.wait(Outcome.HANGS)
    assert (hangs.number, hangs.outstanding) == (0, 1)
    hang.unlink()
    in_dash.wait(Outcome.OK)
    assert in_dash.stop() == 0
    assert in_dash.left() == []


def test_a_directory_that_is_there_already_is_not_taken(in_dash: Running) -> None:
    """Its name holds the number of the process, so only one that a killed probe left can be."""
    text = SCRIPT.replace("$host-$$", "$host-one")
    in_dash.file.write_text(text, encoding="utf-8")
    other = in_dash.place / f".restripe-probe-{os.uname().nodename}-one"
    other.mkdir()
    in_dash.start("1", "5", "4", "600")
    assert in_dash.process
    assert in_dash.process.wait(20) == 1
    assert in_dash.told()[-1].text == "File exists"
    assert in_dash.left() == [other]


def test_without_a_fine_clock_it_measures_in_hundredths_and_says_so(in_dash: Running) -> None:
    assert SCRIPT.count("command -p date +%s%N") == 2
    in_dash.file.write_text(SCRIPT.replace("command -p date +%s%N", "echo 1796067297%N"), encoding="utf-8")
    in_dash.env["EPOCHREALTIME"] = "1796067297.000000"  # no clock of this shell's
    in_dash.start("0.05", "5", "4", "600")
    assert read_setup(in_dash.wait(Outcome.BEGIN).text).clock == "uptime"
    told = in_dash.wait(Outcome.OK)
    assert {(step or 0) % 10_000 for step in (told.create, told.stat, told.unlink)} == {0}


def test_it_goes_on_in_a_shell_with_a_fine_clock_as_the_same_process(in_dash: Running) -> None:
    in_dash.env.clear()
    in_dash.start("0.05", "5", "4", "600")
    setup = read_setup(in_dash.wait(Outcome.BEGIN).text)
    assert in_dash.process
    assert setup.clock in ("shell", "seconds")
    assert setup.directory.endswith(f"-{in_dash.process.pid}")
    assert command_line(in_dash.process.pid).split()[1:] == [
        str(in_dash.file),
        str(in_dash.place),
        "0.05",
        "5",
        "4",
        "600",
    ]
    assert in_dash.stop() == 0
    assert in_dash.left() == []


@pytest.mark.parametrize(
    "words",
    [("1", "5", "4"), ("0", "5", "4", "9"), ("1", "5", "0", "9"), ("1", "5", "4", "1e9"), ("1", "5", "4", "99999999")],
)
def test_what_cannot_be_meant_is_refused_before_anything_is_made(in_dash: Running, words: tuple[str, ...]) -> None:
    in_dash.start(*words)
    assert in_dash.process
    assert in_dash.process.wait(20) == 2
    assert [told.outcome for told in in_dash.told()] == [Outcome.REFUSED]
    assert in_dash.left() == []
