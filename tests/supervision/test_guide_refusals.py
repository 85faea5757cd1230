"""What must stop a walk, each as one bent answer of a recorded one: before anything runs, or at once afterwards."""

from __future__ import annotations

import re

import msgspec
import pytest

from remote.events import Acknowledged, Event, Launching
from remote.jobs import JobState, JobStatus
from supervision.migration import Ending
from tests.supervision.guided import STEPS, At, Edit, bent, walk_over, walked, with_job_ends
from tests.supervision.seed import CHANGING, of_kind


@pytest.fixture(scope="module", autouse=True)
def _recorded() -> None:
    """Walk once, before any test has a loop."""
    walked()


def on(name: str, old: str, new: str, since: At, *, host: str = "pollux1") -> Edit:
    """Replace text in each answer of one command on one host from a point of the walk on."""

    def edit(where: At, asked: str, command: str, out: bytes) -> bytes:
        if (asked, command) != (host, name) or where.order < since.order:
            return out
        return re.sub(old.encode(), new.encode(), out)

    return edit


def everything(*edits: Edit) -> Edit:
    def edit(where: At, host: str, command: str, out: bytes) -> bytes:
        for each in edits:
            out = each(where, host, command, out)
        return out

    return edit


BEFORE_MMCRNSD = At("mmcrnsd", after=False)
AFTER_MMCRNSD = At("mmcrnsd", after=True)
AFTER_MMADDDISK = At("mmadddisk", after=True)
AFTER_MMCHDISK = At("mmchdisk", after=True)
AFTER_RESTRIPE = At("mmrestripefs", after=True)


def field(key: str, new: str, kname: str = "sdg") -> Edit:
    """Let pollux1 tell one device with another value of one of lsblk's columns, and tell the same of its kernel."""
    listed = on("lsblk", rf'(KNAME="{kname}" .*? {key}=")[^"]*"', rf'\g<1>{new}"', BEFORE_MMCRNSD)
    if key not in ("WWN", "SIZE"):
        return listed
    name, value = ("wwid", f"naa.{new[2:]}") if key == "WWN" else ("sectors", str(int(new) // 512))
    known = rf"(?m)(^device {kname}$(?:\n(?!device ).*)*?\n{name}) .*$"
    return everything(listed, on("restripe-devices", known, rf"\g<1> {value}", BEFORE_MMCRNSD))


def row(nsd: str, old: str, new: str) -> tuple[str, str]:
    """A row of mmlsdisk in which one word is another."""
    return rf"(?m)^({nsd} .*){old}", rf"\g<1>{new}"


REFUSED: dict[str, tuple[Edit, str]] = {
    "the SSD is gone": (field("WWN", "0x1"), "pollux1 does not see wwn:55cd2e404b7d1a3b (was sdg)"),
    "the SSD has another size": (field("SIZE", "512"), "has 512 bytes, not 199,481,098,240"),
    "the SSD is used": (field("FSTYPE", "ext4"), "ext4"),
    "a second path of it came up": (
        field("WWN", "0x55cd2e404b7d1a3b", "sdh"),
        "wwn:55cd2e404b7d1a3b is seen 2 times: sdg, sdh",
    ),
    "a disk is down": (on("mmlsdisk", *row("foo2_nsd3", "up  ", "down"), BEFORE_MMCRNSD), "foo2_nsd3"),
    "an answer is in another language": (
        on("mmlsdisk", r"(?s)\A.*\Z", "Datenträger\n", BEFORE_MMCRNSD),
        "mmlsdisk",
    ),
    "a line is torn": (
        on("mmlsdisk", r"(?m)^foo2_nsd2 .*$", "foo2_nsd2    nsd         512", BEFORE_MMCRNSD),
        "was not understood",
    ),
}


@pytest.mark.parametrize(("edit", "why"), REFUSED.values(), ids=REFUSED.keys())
async def test_what_is_not_as_it_was_chosen_blocks_the_first_change(edit: Edit, why: str) -> None:
    outcome = await walk_over(bent(edit))
    assert outcome.ending is Ending.REFUSED
    assert why in outcome.why
    assert outcome.launched == []
    assert outcome.states["mmcrnsd"] == "blocked"
    assert outcome.states["mmadddisk"] == "waiting"


async def test_a_device_that_was_renamed_meanwhile_is_called_by_its_new_name() -> None:
    """pollux1 calls its boot disk sdg and its new disk sde now; the strict far side takes no other stanza."""

    def renamed(answer: bytes) -> bytes:
        return re.sub(rb"\bsd([eg])(\d*)\b", lambda m: (b"sdg" if m[1] == b"e" else b"sde") + m[2], answer)

    def edit(where: At, host: str, command: str, out: bytes) -> bytes:
        looked = command in ("lsblk", "restripe-devices", "restripe-signatures", "mmdevdiscover")
        if host == "pollux1" and looked and where.order >= BEFORE_MMCRNSD.order:
            return renamed(out)
        if command == "mmlsnsd":
            return re.sub(rb"(foo1_ssd1 +\S+ +)/dev/sdg", rb"\g<1>/dev/sde", out)
        return out

    events: list[Event] = []
    for event in bent(edit):
        told = event
        if isinstance(event, Launching) and event.spec.command.argv[0] == "mmcrnsd":
            (name, text), *others = event.spec.files
            assert "device=sdg nsd=foo1_ssd1" in text
            files = ((name, text.replace("device=sdg nsd=foo1_ssd1", "device=sde nsd=foo1_ssd1")), *others)
            told = msgspec.structs.replace(event, spec=msgspec.structs.replace(event.spec, files=files))
        events.append(told)
    outcome = await walk_over(events)
    assert (outcome.ending, outcome.why) == (Ending.DONE, "")
    assert outcome.launched == list(CHANGING)


PROMISES: dict[str, tuple[Edit, str, str]] = {
    "an NSD leads elsewhere": (
        on("mmlsnsd", r"(foo3_ssd1 +\S+ +)/dev/sde", r"\g<1>/dev/sdg", AFTER_MMCRNSD),
        "mmcrnsd",
        "foo3_ssd1 is /dev/sdg on pollux3.example.com",
    ),
    "an NSD is on another node": (
        on("mmlsnsd", r"(foo3_ssd1 .*)pollux3", r"\g<1>pollux2", AFTER_MMCRNSD),
        "mmcrnsd",
        "foo3_ssd1",
    ),
    "an NSD never shows up": (
        on("mmlsnsd", r"(?m)^.* foo2_ssd2 .*\n", "", AFTER_MMCRNSD),
        "mmcrnsd",
        "foo2_ssd2",
    ),
    "a disk was not added": (on("mmlsdisk", r"(?m)^foo2_ssd2 .*\n", "", AFTER_MMADDDISK), "mmadddisk", "foo2_ssd2"),
    "a disk is not up": (
        on("mmlsdisk", *row("foo2_ssd2", "up  ", "down"), AFTER_MMADDDISK),
        "mmadddisk",
        "foo2_ssd2",
    ),
    "a disk holds data too": (
        on("mmlsdisk", *row("foo2_ssd2", "Yes      No ", "Yes      Yes"), AFTER_MMADDDISK),
        "mmadddisk",
        "foo2_ssd2",
    ),
    "a disk is in another group": (
        on("mmlsdisk", *row("foo2_ssd2", "  2 ", "  3 "), AFTER_MMADDDISK),
        "mmadddisk",
        "foo2_ssd2",
    ),
    "an old disk is as it was": (
        on("mmlsdisk", *row("foo3_nsd2", "No       Yes", "Yes      Yes"), AFTER_MMCHDISK),
        "mmchdisk",
        "foo3_nsd2 is dataAndMetadata",
    ),
    "no restripe is due": (
        on("mmlsdisk", r"(?s)\nAttention.*\Z", "\n", AFTER_MMCHDISK),
        "mmchdisk",
        'does not say "no longer properly replicated"',
    ),
    "a restripe is still due": (
        on(
            "mmlsdisk",
            r"\Z",
            "Attention: Due to an earlier configuration change the file system\nis no longer properly replicated.\n",
            AFTER_RESTRIPE,
        ),
        "mmrestripefs",
        'still says "no longer properly replicated"',
    ),
}


@pytest.mark.parametrize(("edit", "step", "why"), PROMISES.values(), ids=PROMISES.keys())
async def test_exit_code_0_is_not_enough(edit: Edit, step: str, why: str) -> None:
    outcome = await walk_over(bent(edit))
    assert outcome.ending is Ending.FAILED
    assert f"{step} ended with exit code 0, but " in outcome.why
    assert why in outcome.why
    assert outcome.launched[-1] == step
    assert outcome.states[step] == "failed"
    assert outcome.states[STEPS[STEPS.index(step) + 1]] == "waiting"
    assert outcome.guide.results[-1].rc == 0


async def test_a_command_that_fails_is_told_with_its_last_words_and_what_the_tables_show() -> None:
    fails = with_job_ends(
        lambda status: msgspec.structs.replace(status, rc=1) if status.rc == 0 else status, "mmchdisk"
    )
    outcome = await walk_over(fails)
    assert (outcome.ending, outcome.launched[-1]) == (Ending.FAILED, "mmchdisk")
    assert "ended with exit code 1" in outcome.why
    assert "affected nodes. This is an asynchronous process." in outcome.why
    assert "The cluster's tables show that it happened all the same" in outcome.why
    assert outcome.guide.results[-1].rc == 1


async def test_a_lost_job_that_the_tables_do_not_show_is_said_to_have_not_happened() -> None:
    def lost(status: JobStatus) -> JobStatus:
        if status.state is not JobState.FINISHED:
            return status
        return msgspec.structs.replace(status, state=JobState.LOST, rc=None)

    gone = on("mmlsdisk", r"(?m)^foo[123]_ssd. .*\n", "", AFTER_MMADDDISK)
    told = {id(event): event for event in bent(gone)}
    both = [
        change if isinstance(change, type(kept)) and type(kept).__name__ in ("JobChanged", "JobsListed") else kept
        for kept, change in zip(told.values(), with_job_ends(lost, "mmadddisk"), strict=True)
    ]
    outcome = await walk_over(both)
    assert (outcome.ending, outcome.launched) == (Ending.FAILED, ["mmcrnsd", "mmadddisk"])
    assert "The cluster's tables show that it did not happen: it may be run again" in outcome.why


async def test_a_job_that_was_sealed_was_never_started() -> None:
    sealed = with_job_ends(lambda status: JobStatus(status.id, JobState.SEALED, command=status.command), "mmadddisk")
    outcome = await walk_over(sealed)
    assert (outcome.ending, outcome.states["mmadddisk"]) == (Ending.REFUSED, "blocked")
    assert "was not started, and that job never will be" in outcome.why


async def test_a_walk_over_its_own_recording_runs_the_same_and_acknowledges_nothing_that_was_no_warning() -> None:
    outcome = await walk_over()
    assert (outcome.ending, set(outcome.states.values())) == (Ending.DONE, {"done"})
    specs = [event.spec for event in of_kind(outcome.events, Launching)]
    assert specs == [event.spec for event in of_kind(walked().events, Launching)]
    assert of_kind(outcome.events, Acknowledged) == of_kind(walked().events, Acknowledged)
