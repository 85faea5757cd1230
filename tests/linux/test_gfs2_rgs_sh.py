"""`rgs.sh` in every shell: the lines of `gfs2_edit -p rgs` that are needed, and its exit code."""

from __future__ import annotations

from remote.gfs2 import commands as gfs2
from remote.gfs2.parsers import parse_rgs
from remote.text import decode
from tests.gfs2.gfs2texts import TEXTS, told
from tests.remote.local_host import HOST, LocalHost

DEVICE = "/dev/vg0/data"


def tool(host: LocalHost, text: str) -> None:
    """A gfs2_edit that takes no other words than these."""
    host.tool("gfs2_edit", f'[ "$*" = "-p rgs {DEVICE}" ] || exit 99\n{text}')


async def test_every_shell_tells_the_same_groups_in_fewer_lines(host: LocalHost) -> None:
    tool(host, f"cat {TEXTS}/rgs_350.txt")
    (got,) = await host.site.query(HOST, gfs2.rgs(DEVICE))
    assert (got.rc, got.stderr) == (0, b"")
    parsed = parse_rgs(decode(got.stdout))
    assert (parsed.notes, parsed.problems) == ((), ())
    assert parsed.model == parse_rgs(told("rgs_350")).model
    assert decode(got.stdout).count("\n") == 1 + 9 * 5


async def test_a_tool_that_fails_keeps_its_exit_code_and_its_words(host: LocalHost) -> None:
    tool(host, "echo \"Failed to open '$3': No such file or directory\" >&2; exit 5")
    (got,) = await host.site.query(HOST, gfs2.rgs(DEVICE))
    assert (got.rc, got.stdout) == (5, b"")
    assert decode(got.stderr) == f"Failed to open '{DEVICE}': No such file or directory\n"


async def test_a_tool_that_is_stopped_in_the_middle_is_no_whole_list(dash: LocalHost) -> None:
    tool(dash, f"head -n 60 {TEXTS}/rgs_350.txt; kill -KILL $$")
    (got,) = await dash.site.query(HOST, gfs2.rgs(DEVICE))
    assert got.rc == 128 + 9
    assert parse_rgs(decode(got.stdout)).model.saved_at_least is None
