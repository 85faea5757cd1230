"""What must stop the recipe, each as one bent answer of the recorded session: before anything runs, or at once."""

from __future__ import annotations

import re

import msgspec
import pytest

from remote.events import Decided, Event, Launching
from remote.jobs import JobState, JobStatus
from supervision.migration import Ending
from tests.supervision.seed import Edit, Outcome, answers_edited, of_kind, recorded, run_recipe, with_jobs, with_place

BOOT = "240057409536"
SSD = "199481098240"


def on(name: str, old: str, new: str, *, host: str = "pollux1", answers: tuple[int, ...] = ()) -> Edit:
    """Replace text in the answers (all, or by number) of one command on one host; `old` must be there."""

    def edit(asked: str, command: str, number: int, out: bytes) -> bytes:
        if (asked, command) != (host, name) or (answers and number not in answers):
            return out
        assert re.search(old.encode(), out), f"{old!r} is not in answer {number} of {command}"
        return re.sub(old.encode(), new.encode(), out)

    return edit


def field(kname: str, key: str, new: str, *, host: str = "pollux1", answers: tuple[int, ...] = ()) -> Edit:
    """Give one device of a host another value of one of lsblk's columns, and tell the same of its kernel."""
    listed = on("lsblk", rf'(KNAME="{kname}" .*? {key}=")[^"]*"', rf'\g<1>{new}"', host=host, answers=answers)
    if key not in ("WWN", "SIZE"):
        return listed
    name, value = {
        "WWN": ("wwid", f"naa.{new[2:]}"),
        "SIZE": ("sectors", str(int(new) // 512) if key == "SIZE" else ""),
    }[key]
    known = rf"(?m)(^device {kname}$(?:\n(?!device ).*)*?\n{name}) .*$"
    return everything(
        listed, on("restripe-devices", known, rf"\g<1> {value}" if new else r"\g<1>", host=host, answers=answers)
    )


def row(nsd: str, old: str, new: str) -> tuple[str, str]:
    """A row of mmlsdisk in which one word is another."""
    return rf"(?m)^({nsd} .*){old}", rf"\g<1>{new}"


def everything(*edits: Edit) -> Edit:
    def edit(host: str, command: str, number: int, out: bytes) -> bytes:
        for each in edits:
            out = each(host, command, number, out)
        return out

    return edit


REFUSED: dict[str, tuple[Edit, str, str]] = {
    "a disk is down": (on("mmlsdisk", *row("foo2_nsd3", "up  ", "down")), "look", "foo2_nsd3 is "),
    "a disk is suspended": (
        on("mmlsdisk", *row("foo1_nsd4", "ready    ", "suspended")),
        "look",
        "foo1_nsd4 is ",
    ),
    "a restripe is due already": (
        on(
            "mmlsdisk",
            r"\Z",
            "Attention: Due to an earlier configuration change the file system\nis no longer properly replicated.\n",
        ),
        "look",
        "not properly replicated now",
    ),
    "there are metadata disks": (
        on("mmlsdisk", r"(?m)^(foo1_nsd1 .*Yes      )Yes", r"\g<1>No ", answers=(1,)),
        "look",
        "none that hold metadata alone",
    ),
    "one failure group for two replicas": (
        on("mmlsdisk", r"(?m)^(foo._nsd. .* 512) +[123] ", r"\g<1>       1 "),
        "look",
        "1 failure groups cannot hold 2 replicas",
    ),
    "the number of replicas is not told": (
        on("mmlsfs", r"(?m)^(?: -m |.*:defaultMetadataReplicas:).*\n", ""),
        "look",
        "does not tell how many replicas",
    ),
    "a host is no node": (on("mmlscluster", "pollux3", "pollux9"), "look", "pollux3"),
    "an SSD is of another model": (field("sdg", "MODEL", "OTHER 9000"), "devices", "not of one kind"),
    "an SSD is of another size": (field("sdg", "SIZE", "199481098752"), "devices", "not of one kind"),
    "a host has one SSD fewer": (field("sdg", "ROTA", "1"), "devices", "equally many free disks (pollux1: 1"),
    "an SSD is in use": (field("sdh", "FSTYPE", "xfs"), "devices", "equally many"),
    "no host has any": (
        everything(*(on("lsblk", 'ROTA="0"', 'ROTA="1"', host=f"pollux{n}") for n in (1, 2, 3))),
        "devices",
        "no host has a free",
    ),
    "an SSD tells neither WWN nor serial": (
        everything(
            field("sdg", "WWN", ""), field("sdg", "SERIAL", ""), on("restripe-devices", r"(?m)^udev 8:96 .*\n", "")
        ),
        "devices",
        "pollux1: sdg looks free, but it has neither a WWN nor a serial number",
    ),
    "two paths of one SSD": (
        field("sdg", "WWN", "0x55cd2e404b7d1a40"),
        "devices",
        "pollux1: sdg looks free, but sdg, sdh have the same identity",
    ),
    "one SSD seen by two hosts": (
        field("sdg", "WWN", "0x55cd2e404b7d1a45"),
        "devices",
        "the same identity was seen twice: wwn:55cd2e404b7d1a45",
    ),
    "a disk has no server": (on("mmlsnsd", "foo1_nsd1", "foo1_nsd9"), "look", "foo1_nsd1 is served by nobody"),
    "a disk has a server that is no host of ours": (
        on("mmlsnsd", r"(foo3_nsd1 .*)pollux3", r"\g<1>pollux7"),
        "look",
        "foo3_nsd1: ",
    ),
    "the name of a new disk is taken": (
        on("mmlsnsd", r"\Z", " foo1_ssd1    8CFC1C05507CC5D9   -   -   (not found) server node\n", answers=(1,)),
        "devices",
        "mmlsnsd -X tells of foo1_ssd1",
    ),
    "the inodes do not fit": (
        on("mmdf", r"\b88772608\b", "988772608"),
        "devices",
        "the inodes alone need",
    ),
    "the SSD is gone when it is to be named": (
        field("sdg", "WWN", "0x1", answers=(2,)),
        "mmcrnsd",
        "pollux1 does not see wwn:55cd2e404b7d1a3b (was sdg); sdg is now INTEL SSDSC2BA200G3",
    ),
    "the SSD has another size when it is to be named": (
        field("sdg", "SIZE", "512", answers=(2,)),
        "mmcrnsd",
        "has 512 bytes, not 199,481,098,240",
    ),
    "the SSD is used when it is to be named": (
        field("sdg", "FSTYPE", "ext4", answers=(2,)),
        "mmcrnsd",
        "sdg on pollux1 (foo1_ssd1): ext4",
    ),
    "a second path comes up before it is named": (
        field("sdh", "WWN", "0x55cd2e404b7d1a3b", answers=(2,)),
        "mmcrnsd",
        "wwn:55cd2e404b7d1a3b is seen 2 times: sdg, sdh",
    ),
    "a device's name could end a stanza": (
        on("lsblk", '"sdg"', '"sdg nsd=boot"', answers=(2,)),
        "mmcrnsd",
        "sdg nsd=boot",
    ),
}


@pytest.mark.parametrize(("edit", "step", "why"), REFUSED.values(), ids=REFUSED.keys())
async def test_it_is_refused_before_anything_runs(edit: Edit, step: str, why: str) -> None:
    outcome = await run_recipe(answers_edited(edit))
    assert outcome.ending is Ending.REFUSED
    assert why in outcome.why
    assert outcome.launched == []
    assert outcome.steps[step] == "blocked"


async def test_a_place_that_no_command_can_name_is_refused() -> None:
    """A home directory with a blank: mm* commands would take it for two words."""
    outcome = await run_recipe(with_place("/home/a b/.local/state/restripe"))
    assert outcome.ending is Ending.REFUSED
    assert "/home/a b/" in outcome.why
    assert outcome.launched == []


NOT_UNDERSTOOD = {
    "a torn line": ("mmlsdisk", on("mmlsdisk", r"(?m)^foo2_nsd2 .*$", "foo2_nsd2    nsd         512")),
    "another language": ("mmlsdisk", on("mmlsdisk", r"(?s)\A.*\Z", "Datenträger\n")),
    "nothing": ("mmlsdisk", on("mmlsdisk", r"(?s)\A.*\Z", "")),
    "no disk size": ("mmdf", on("mmdf", r"(foo1_nsd3\b.*?)31251759104", r"\g<1>?")),
    "no devices": ("lsblk", on("lsblk", r"(?s)\A.*\Z", "lsblk: dm-0: failed\n")),
}


@pytest.mark.parametrize(("command", "edit"), NOT_UNDERSTOOD.values(), ids=NOT_UNDERSTOOD.keys())
async def test_nothing_is_decided_on_what_was_not_understood(command: str, edit: Edit) -> None:
    outcome = await run_recipe(answers_edited(edit))
    assert outcome.ending is Ending.FAILED
    assert command in outcome.why
    assert outcome.launched == []


async def test_the_boot_disks_are_never_chosen() -> None:
    """On pollux3 the names of the new disks are those that it boots from, and the other way round."""
    outcome = await run_recipe()
    chosen = [event.what for event in of_kind(outcome.events, Decided) if " = wwn:" in event.what]
    assert [re.sub(r" = \S+ on ", " on ", text) for text in chosen] == [
        "foo1_ssd1 on pollux1 (now called sdg)",
        "foo1_ssd2 on pollux1 (now called sdh)",
        "foo2_ssd1 on pollux2 (now called sdg)",
        "foo2_ssd2 on pollux2 (now called sdh)",
        "foo3_ssd1 on pollux3 (now called sde)",
        "foo3_ssd2 on pollux3 (now called sdf)",
    ]
    traps = [event.what for event in of_kind(outcome.events, Decided) if "means another device here" in event.what]
    assert [trap.partition(": this name")[0] for trap in traps] == [
        "drift: sde on pollux[1-2]",
        "drift: sdf on pollux[1-2]",
        "drift: sdg on pollux3",
        "drift: sdh on pollux3",
    ]
    assert all("BOOT DISK: md1 mounted on /" in trap for trap in traps)


async def test_a_boot_disk_that_looks_like_the_new_ones_is_not_taken_either() -> None:
    """The same model and size as the SSDs; what tells it apart is that it is in use."""

    def edit(host: str, command: str, number: int, out: bytes) -> bytes:
        del host, number
        if command != "lsblk":
            return out
        return out.replace(BOOT.encode(), SSD.encode()).replace(b"INTEL SSDSC2CW240A3", b"INTEL SSDSC2BA200G3")

    outcome = await run_recipe(answers_edited(edit))
    assert outcome.ending is Ending.DONE
    stanza = of_kind(outcome.events, Launching)[0].spec.files[0][1]
    assert re.findall(r"device=(\S+) nsd=foo3", stanza) == ["sde", "sdf"]


def renamed(answer: bytes) -> bytes:
    """pollux1 was rebooted: its boot disk sde and its new disk sdg have changed names."""
    return re.sub(rb"\bsd([eg])(\d*)\b", lambda m: (b"sdg" if m[1] == b"e" else b"sde") + m[2], answer)


async def test_a_device_that_was_renamed_meanwhile_is_called_by_its_new_name() -> None:
    """The strict far side takes no other stanza than the one that says sde, and mmlsnsd shows sde afterwards."""

    def edit(host: str, command: str, number: int, out: bytes) -> bytes:
        if host == "pollux1" and command in ("lsblk", "restripe-devices", "restripe-signatures") and number >= 2:
            return renamed(out)
        if command == "mmlsnsd":
            return re.sub(rb"(foo1_ssd1 +\S+ +)/dev/sdg", rb"\g<1>/dev/sde", out)
        return out

    events: list[Event] = []
    for event in answers_edited(edit):
        told = event
        if isinstance(event, Launching) and event.spec.command.argv[0] == "mmcrnsd":
            ((name, text),) = event.spec.files
            assert "device=sdg nsd=foo1_ssd1" in text
            files = ((name, text.replace("device=sdg nsd=foo1_ssd1", "device=sde nsd=foo1_ssd1")),)
            told = msgspec.structs.replace(event, spec=msgspec.structs.replace(event.spec, files=files))
        events.append(told)
    outcome = await run_recipe(events)
    assert (outcome.ending, outcome.why) == (Ending.DONE, "")
    assert any("now called sdg" in event.what for event in of_kind(outcome.events, Decided))


# what a command promised and did not do


async def bent(*edits: Edit) -> Outcome:
    return await run_recipe(answers_edited(everything(*edits)))


async def test_an_nsd_that_leads_elsewhere_stops_before_it_is_added() -> None:
    outcome = await bent(on("mmlsnsd", r"(foo3_ssd1 +\S+ +)/dev/sde", r"\g<1>/dev/sdg", answers=(2,)))
    assert outcome.ending is Ending.FAILED
    assert outcome.launched == ["mmcrnsd"]
    assert "foo3_ssd1 is /dev/sdg on pollux3.example.com" in outcome.why
    assert "Nothing has been added to the file system" in outcome.why


async def test_an_nsd_on_another_node_stops_before_it_is_added() -> None:
    outcome = await bent(on("mmlsnsd", r"(foo3_ssd1 .*)pollux3", r"\g<1>pollux2", answers=(2,)))
    assert (outcome.ending, outcome.launched) == (Ending.FAILED, ["mmcrnsd"])


async def test_nsds_that_never_show_up_stop_before_they_are_added() -> None:
    """Exit code 0, and four minutes later there is still no such NSD."""
    outcome = await bent(on("mmlsnsd", r"(?m)^ foo2_ssd2 .*\n", "", answers=(2,)))
    assert (outcome.ending, outcome.launched) == (Ending.FAILED, ["mmcrnsd"])
    assert "does not show foo2_ssd2" in outcome.why
    result = outcome.recipe.steps.results[-1]
    assert (result.name, result.rc) == ("mmcrnsd", 0)
    assert result.seconds > 240


PROMISES: dict[str, tuple[tuple[str, str], list[str]]] = {
    "a disk was not added": ((r"(?m)^foo2_ssd2 .*\n", ""), ["mmcrnsd", "mmadddisk"]),
    "a disk is not up": (row("foo2_ssd2", "up  ", "down"), ["mmcrnsd", "mmadddisk"]),
    "a disk holds data too": (row("foo2_ssd2", "Yes      No ", "Yes      Yes"), ["mmcrnsd", "mmadddisk"]),
    "a disk is in another failure group": (row("foo2_ssd2", "  2 ", "  3 "), ["mmcrnsd", "mmadddisk"]),
}


@pytest.mark.parametrize(("change", "launched"), PROMISES.values(), ids=PROMISES.keys())
async def test_exit_code_0_is_not_enough(change: tuple[str, str], launched: list[str]) -> None:
    outcome = await bent(on("mmlsdisk", *change, answers=(4,)))
    assert outcome.ending is Ending.FAILED
    assert "mmadddisk ended well, but foo2_ssd2 is" in outcome.why
    assert outcome.launched == launched
    assert outcome.steps["mmadddisk"] == "failed"
    assert outcome.steps["mmchdisk"] == "waiting"


ATTENTION = r"(?s)\nAttention.*\Z"


async def test_a_change_that_leaves_a_disk_as_it_was_is_a_failure() -> None:
    outcome = await bent(on("mmlsdisk", *row("foo3_nsd2", "No       Yes", "Yes      Yes"), answers=(6,)))
    assert (outcome.ending, outcome.launched[-1]) == (Ending.FAILED, "mmchdisk")
    assert "foo3_nsd2 is dataAndMetadata" in outcome.why


async def test_a_change_after_which_no_restripe_is_due_is_a_failure() -> None:
    outcome = await bent(on("mmlsdisk", ATTENTION, "\n", answers=(6,)))
    assert (outcome.ending, outcome.launched[-1]) == (Ending.FAILED, "mmchdisk")


async def test_a_restripe_after_which_one_is_still_due_is_a_failure() -> None:
    last = sum(command.argv[0] == "mmlsdisk" for event in recorded()[1] for command in getattr(event, "commands", ()))
    text = "Attention: Due to an earlier configuration change the file system\nis no longer properly replicated.\n"
    outcome = await bent(on("mmlsdisk", r"\Z", text, answers=(last - 1, last)))
    assert (outcome.ending, outcome.steps["mmrestripefs"]) == (Ending.FAILED, "failed")
    assert "still not properly replicated" in outcome.why


async def test_a_proof_that_shows_less_than_the_inodes_need_is_none() -> None:
    """(metadata) with nearly all free: the inodes alone are 88,772,608 KB."""

    def edit(host: str, command: str, number: int, out: bytes) -> bytes:
        del host
        if command != "mmdf" or number < 3:
            return out
        machine = re.sub(rb"(?m)^(mmdf:metadata:0.*:1168834560:)\d+(:\d+:)\d+", rb"\g<1>1145253888\g<2>33024", out)
        human = rb"(?m)^(\(metadata\) +1168834560 +)\d+( .*?)\d+( .*)$"
        return re.sub(human, rb"\g<1>1145253888\2    33024\3", machine)

    outcome = await run_recipe(answers_edited(edit))
    assert (outcome.ending, outcome.steps["proof"]) == (Ending.FAILED, "failed")
    assert "not all metadata has moved" in outcome.why


# how a job ended


async def test_a_command_that_fails_is_told_with_its_last_words() -> None:
    fails = with_jobs(lambda status: msgspec.structs.replace(status, rc=1) if status.rc == 0 else status, "mmchdisk")
    outcome = await run_recipe(fails)
    assert (outcome.ending, outcome.launched[-1]) == (Ending.FAILED, "mmchdisk")
    assert "ended with exit code 1" in outcome.why
    assert "affected nodes. This is an asynchronous process." in outcome.why
    assert outcome.recipe.steps.results[-1].rc == 1


@pytest.mark.parametrize("state", [JobState.LOST, JobState.REBOOTED, JobState.SEALED])
async def test_a_job_whose_end_is_not_known_ends_as_unknown_and_says_where_to_look(state: JobState) -> None:
    def lost(status: JobStatus) -> JobStatus:
        if status.state is not JobState.FINISHED:
            return status
        return msgspec.structs.replace(status, state=state, rc=None)

    outcome = await run_recipe(with_jobs(lost, "mmadddisk"))
    assert outcome.ending is Ending.UNKNOWN
    assert outcome.launched == ["mmcrnsd", "mmadddisk"]
    assert outcome.steps["mmadddisk"] == "unknown"
    assert JobStatus("x", state).meaning in outcome.why
    assert "Look at the cluster's own tables before anything is run again" in outcome.why
    assert re.search(r"its log is /\S+-4-mmadddisk-1\S*/log", outcome.why)
    assert outcome.recipe.steps.results[-1].rc is None


async def test_a_job_that_the_recording_does_not_hold_ends_as_unknown() -> None:
    events = [event for event in recorded()[1] if not (isinstance(event, Launching) and "mmchdisk" in event.spec.id)]
    outcome = await run_recipe(events)
    assert outcome.ending is Ending.UNKNOWN
    assert "mmrestripefs" not in outcome.launched
