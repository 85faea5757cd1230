"""What the screen Migrate says of a step in each state, and what to do next: without a host."""

from __future__ import annotations

from typing import cast

import pytest
from rich.cells import cell_len

from remote.checked import Check, Outcome
from remote.events import Acknowledged
from screens.migrate_lines import count_text, list_line, step_lines, window
from screens.migrate_next import fill_text, next_text
from supervision.filesystem import Fill
from supervision.guide_view import Shown
from supervision.leading import Leading
from supervision.recipe import StepSpec

NOW = 1_370_500_000.0
SPEC = StepSpec(
    "mmadddisk", "add the disks", "Because. And because.", "They are there.", "a minute", "mmdeldisk", "From now on."
)
LOOK = StepSpec("look", "look", "To know. Before.", "Nothing has changed.", "minutes", acts=False)


class Led:
    """As much of a Leading as the line of what is next looks at."""

    def __init__(self, current: int | None = 5, doing: str = "", running: int | None = None) -> None:
        self.current = current
        self.doing = doing
        self.running = running


def check(
    outcome: Outcome, key: str = "quorum", *, read: str = "2 of 3 are up", advice: str = "start the third"
) -> Check:
    return Check(key, f"About {key}", outcome, read, advice, NOW - 8, "mmgetstate -a")


def step(
    state: str, *checks: Check, spec: StepSpec | None = SPEC, seen: tuple[str, ...] = (), back: bool = False
) -> Shown:
    return Shown(
        5,
        "mmadddisk",
        "add the disks",
        state,
        "what there is to say" if state in ("blocked", "failed", "unknown", "done", "running") else "",
        spec=spec,
        back=back,
        checks=checks,
        acknowledged={key: Acknowledged(NOW - 60, 5, key, "ada@desk") for key in seen},
        command="mmadddisk fs1 -F new.stanza",
        host="n1",
        files=(("new.stanza", "%nsd: nsd=a\n"),),
    )


def told(shown: Shown, width: int = 78) -> str:
    return "\n".join(line.plain for line in step_lines(shown, width, NOW, 0))


def after(shown: Shown, *, armed: bool = True, simulated: bool = False, led: Led | None = None) -> str:
    return next_text((shown,), shown, cast("Leading", led or Led()), armed=armed, simulated=simulated)


@pytest.mark.parametrize(
    ("shown", "wanted"),
    [
        (step("waiting"), "c checks step 5"),
        (step("blocked", check(Outcome.BLOCK)), "one check stops step 5"),
        (step("blocked", check(Outcome.BLOCK), check(Outcome.UNKNOWN, "disks")), "2 checks stop step 5"),
        (step("blocked", check(Outcome.WARNING)), "a acknowledges this warning, once you have read it: About quorum"),
        (
            step("blocked", check(Outcome.WARNING), check(Outcome.WARNING, "users")),
            "a acknowledges this warning, once you have read it (1 of 2)",
        ),
        (step("blocked", check(Outcome.WARNING), seen=("quorum",)), "Step 5 was stopped"),
        (step("ready", check(Outcome.PASS)), "r runs step 5"),
        (step("ready", check(Outcome.WARNING), spec=LOOK, seen=("quorum",)), "c looks again and ends step 5"),
        (step("failed"), "r looks how it stands and may run it again; u takes steps back"),
        (step("unknown"), "r finds out how it stands: nothing is run twice"),
        (step("undone"), "c checks whether it can be done again"),
        (step("running"), "r follows step 5"),
        (step("blocked", check(Outcome.WARNING), back=True), "a acknowledges this warning"),
    ],
)
def test_the_line_beneath_the_steps_names_the_key_that_leads_on(shown: Shown, wanted: str) -> None:
    assert wanted in after(shown)


def test_it_says_so_when_another_step_is_next_all_are_done_or_nothing_may_be_run() -> None:
    assert after(step("done"), led=Led(6)) == "Step 6 is next: esc goes there"
    assert after(step("done"), led=Led(None)).startswith("All steps are done. w writes the report")
    assert after(step("waiting"), armed=False).startswith("Read-only")


def test_while_something_is_done_it_says_what_and_that_a_long_command_needs_nobody() -> None:
    long = step("running", spec=StepSpec("r", "restripe", "Why. So.", "Moved.", "hours: long"))
    led = Led(doing="step 5 is under way", running=5)
    assert "q leaves, and it goes on" in after(long, led=led)
    assert "q leaves" not in after(long, simulated=True, led=led)  # the cluster would end with the program
    assert "its result is read back" in after(step("running"), led=led)
    assert "what speaks for and against step 5 is asked" in after(step("checking"), led=Led(doing="checking"))


@pytest.mark.parametrize(
    ("outcome", "word"),
    [
        (Outcome.PASS, "ok"),
        (Outcome.NOTE, "note"),
        (Outcome.WARNING, "WARN"),
        (Outcome.BLOCK, "BLOCK"),
        (Outcome.UNKNOWN, "unknown"),
    ],
)
def test_a_check_stands_with_a_word_what_was_read_its_age_its_source_and_what_to_do(
    outcome: Outcome, word: str
) -> None:
    lines = told(step("blocked", check(outcome)), 120).splitlines()
    (line,) = [line for line in lines if "About quorum" in line]
    assert line == f"{word:<8} About quorum: 2 of 3 are up [mmgetstate -a, 8 s ago]"
    assert ("do       start the third" in lines) == (outcome is not Outcome.PASS)


def test_who_acknowledged_a_warning_and_when_stands_beside_it() -> None:
    text = told(step("ready", check(Outcome.WARNING), seen=("quorum",)), 120)
    assert "seen     About quorum" in text
    assert "acknowledged by ada@desk at 06:25:40" in text


def test_what_speaks_against_a_step_stands_before_its_command_and_what_is_well_behind_it() -> None:
    text = told(step("blocked", check(Outcome.PASS, "fine"), check(Outcome.BLOCK)))
    assert text.index("About quorum") < text.index("runs     mmadddisk") < text.index("About fine")
    for part in ("why      Because.", "then     They are there.", "takes    a minute", "undo     mmdeldisk"):
        assert part in text
    assert "mind     From now on." in text
    assert "with new.stanza, 1 line (f shows it)" in text
    assert count_text(step("blocked", check(Outcome.PASS, "fine"), check(Outcome.BLOCK)), NOW) == (
        "2 checks: 1 BLOCK, 1 ok; the oldest was asked 8 s ago"
    )


@pytest.mark.parametrize("state", ["waiting", "checking", "blocked", "ready", "running", "done", "failed", "unknown"])
def test_a_state_is_a_word_in_a_line_that_fits_whatever_the_width(state: str) -> None:
    for width in (40, 77, 200):
        line = list_line(step(state), width, here=True)
        assert cell_len(line.plain) <= width
        assert state in line.plain
    assert all(cell_len(line.plain) <= 60 for line in step_lines(step(state, check(Outcome.BLOCK)), 60, NOW, 0))


def test_of_many_steps_those_around_the_cursor_are_shown() -> None:
    steps = [Shown(number, "s", "t", "waiting") for number in range(1, 12)]
    assert [each.number for each in window(steps, 11, 4)] == [8, 9, 10, 11]
    assert [each.number for each in window(steps, 1, 4)] == [1, 2, 3, 4]
    assert [each.number for each in window(steps, 6, 20)] == list(range(1, 12))


def test_disks_that_fill_are_told_of_from_85_per_cent_of_the_forecast_on() -> None:
    assert fill_text([Fill("ssd1", 100, 1000, 849)], "E: the way out") == ""
    text = fill_text([Fill("ssd1", 100, 1000, 850), Fill("ssd2", 100, 1000, 900)], "E: the way out")
    assert text.startswith("!! ssd2 and 1 more: 90% full by the forecast.")
    assert text.endswith("E: the way out")
