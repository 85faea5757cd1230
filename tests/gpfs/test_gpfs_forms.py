"""Which form to ask for: `-Y` first, and when to fall back to the human form."""

from __future__ import annotations

import msgspec
import pytest

from remote.command import Command
from remote.gpfs import commands, parsers
from remote.gpfs.dialects import forms, machine_form, machine_refused
from tests.gpfs.told import TAIL, told


@pytest.mark.parametrize(
    ("command", "text"),
    [
        (commands.mmlscluster(), "mmlscluster -Y"),
        (commands.mmgetstate(quorum=True), "mmgetstate -a -Y"),
        (commands.mmlsfs("all"), "mmlsfs all -Y"),
        (commands.mmlsdisk("fs1", long=True), "mmlsdisk fs1 -Y"),
        (commands.mmdf("fs1"), "mmdf fs1 -Y"),
        (commands.mmdf("fs1", metadata_only=True), "mmdf fs1 -m -Y"),
        (commands.mmlsnsd(long=True), "mmlsnsd -a -Y"),
        (commands.mmlsnsd_devices(), "mmlsnsd -X -Y"),
        (commands.mmlsmount("fs1"), "mmlsmount fs1 -Y"),
        (commands.mmlsmgr(), "mmlsmgr -Y"),
        (commands.mmlsconfig("pagepool"), "mmlsconfig pagepool -Y"),
        (commands.mmlsqos("fs1"), "mmlsqos fs1 --seconds 60 -Y"),
        (commands.mmdiag_waiters(), "mmdiag --waiters -Y"),
        (commands.mmhealth(), "mmhealth node show -Y"),
        (commands.mmlssnapshot("fs1"), "mmlssnapshot fs1 -Y"),
    ],
)
def test_the_machine_readable_form_is_asked_first(command: Command, text: str) -> None:
    machine, human = forms(command)
    assert machine.text == text
    assert human is command
    assert msgspec.structs.replace(machine, argv=human.argv) == human


@pytest.mark.parametrize(
    "command",
    [
        commands.mmlspool("fs1"),
        commands.mmdf("fs1", data_only=True),  # fails where pool system is apart
        commands.mmdf("fs1", block_size="1T"),
        commands.mmlsdisk("fs1", not_ready=True),
        commands.mmgetstate(summary=True),
        commands.mmcrnsd("/tmp/s"),
        commands.mmrestripefs("fs1", ["n1"]),
    ],
)
def test_what_has_no_machine_readable_form(command: Command) -> None:
    assert machine_form(command) is None
    assert forms(command) == (command,)


@pytest.mark.parametrize(
    ("rc", "stdout", "stderr", "refused"),
    [
        (0, told("mmlsnsd_y_50"), "", False),
        (0, told("mmlsnsd_y_50").split("\n")[0] + "\n", "", False),
        (1, told("mmlsnsd_y_50"), "mmlsnsd: a node did not answer\n", False),
        (0, told("mmlsnsd_42"), "", True),
        (1, "", "mmlsnsd: Incorrect option: -Y\nUsage:\n  mmlsnsd [-a | -F]\n", True),
        (1, "Usage: mmlsnsd [-a | -F]\n", "", True),
        (1, "", "mmlsqos: Unrecognized option -Y\n", True),
        (0, "", "", True),
        (0, "", "mmlsnsd: [I] No disks were found.\n", False),
        (1, "", f"mmlsdisk: File system nope is not known to the GPFS cluster.\nmmlsdisk: {TAIL}\n", False),
        (124, "", "", False),
        (127, "", "bash: mmlsnsd: command not found\n", False),
        (-9, "", "", False),
    ],
)
def test_a_refusal_is_told_from_a_failure(rc: int, stdout: str, stderr: str, refused: bool) -> None:
    assert machine_refused(rc, stdout, stderr) is refused


def test_falling_back_gives_the_same_model() -> None:
    answers = {
        "mmlsnsd -a -Y": (1, "", "mmlsnsd: Incorrect option: -Y\nUsage: mmlsnsd [-a]\n"),
        "mmlsnsd -a": (0, told("mmlsnsd_l_42"), ""),
    }
    for form in forms(commands.mmlsnsd(long=False)):
        rc, stdout, stderr = answers[form.text]
        if not machine_refused(rc, stdout, stderr):
            break
    assert form.text == "mmlsnsd -a"
    assert parsers.parse(form.argv, stdout, stderr).model == parsers.parse_mmlsnsd(told("mmlsnsd_y_50")).model
