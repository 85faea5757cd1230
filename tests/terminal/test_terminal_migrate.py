"""`restripe migrate` on a terminal, to the end, by a program that is killed on the way and called again."""

from __future__ import annotations

import signal
from pathlib import Path

from supervision.plan import decode
from tests.terminal.cluster import ENTRY, FS, Cluster, simulated
from tests.terminal.terminal import Terminal, terminal
from tests.tui.program import restripe
from tests.waiting import until_now

CHANGING = ("mmcrnsd", "mmadddisk", "mmchdisk", "mmrestripefs")
YES = tuple(word for name in CHANGING for word in ("--yes-to", name))


def killed_while_it_stands(cluster: Cluster, window: Terminal, command: str) -> None:
    """Kill the program once a command runs, and let that go on."""
    until_now(lambda: command in cluster.ctl("facts")["held"], 90, every=0.1)
    window.wait_for(command)
    window.signal(signal.SIGKILL)
    assert window.wait_end() == -signal.SIGKILL
    cluster.ctl("hold", release=True)


def test_a_migration_is_walked_to_its_end_by_three_programs_of_which_two_were_killed(tmp_path: Path) -> None:
    with simulated(tmp_path, speed=2000) as cluster:
        cluster.ctl("pace", factor=10)  # the restripe of four hours lasts less than a second
        file, config = tmp_path / "plan.toml", ("-F", str(cluster.config))
        made = restripe(tmp_path, "plan", "metadata-to-ssd", ENTRY, "--fs", FS, "-o", str(file), *config)
        assert made.returncode == 0, made.stderr
        plan = decode(file.read_text())

        cluster.ctl("hold", command="mmcrnsd", at="begin")
        with terminal(tmp_path, "migrate", str(file), *YES, *config, size=(120, 40)) as first:
            killed_while_it_stands(cluster, first, "mmcrnsd")

        cluster.ctl("hold", command="mmrestripefs", at="begin")
        with terminal(tmp_path, "migrate", str(file), *YES, *config, size=(120, 40)) as second:
            killed_while_it_stands(cluster, second, "mmrestripefs")

        # as on another machine, which has no file of it
        (tmp_path / "elsewhere").mkdir()
        with terminal(tmp_path / "elsewhere", "migrate", plan.id, ENTRY, *YES, *config, size=(120, 40)) as third:
            third.wait_for("Done, and every result was read back.", 90)
            assert third.wait_end() == 0
        facts = cluster.ctl("facts")
        ran = [(command["argv"][0], command["rc"]) for command in cluster.ctl("history")["commands"]]
    assert [(name, rc) for name, rc in ran if name in CHANGING] == [(name, 0) for name in CHANGING]
    assert (facts["metadata_left_on_rotating_kb"], facts["properly_replicated"], facts["destroyed"]) == (0, True, [])
