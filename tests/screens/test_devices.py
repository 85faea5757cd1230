"""The devices on the screen: roles, the trap of going by names, marks that follow identities, and what they become."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

import msgspec
import pytest
from textual.pilot import Pilot

from remote.events import Header, LinkChanged
from remote.linux.inventory import Content, ReadState
from remote.parsed import Parsed
from screens import devices as screen_module
from screens import devices_judging as judging
from screens.devices import DevicesScreen
from screens.devices_preview import PreviewScreen
from screens.dialogs import AskText
from screens.intents import Refresh
from screens.widgets import clipboard
from screens.widgets.device_matrix import VIEWS, turned
from supervision.facts import Fact
from supervision.gpfs import GpfsFileSystem
from supervision.sightings import Sighting, noted
from supervision.state import State
from supervision.tables import Cell, Column, Row, Severity, Table
from tests.screens.deviceapp import DeviceApp, go_to, ready
from tests.screens.seedapp import SeedApp, seed_session
from tests.screens.snap import assert_snapshot, text_of
from tests.supervision import devicefacts as servers
from tests.supervision import gpfs_states as made
from tests.waiting import until

SNAPSHOTS = "snapshots_devices"
SIZES = [(80, 24), (120, 40)]
FIRST, SECOND = "SSD 186 GiB #1", "SSD 186 GiB #2"
OLD = Content("", ReadState.READ, nonzero=60, sector2=f"0a00010f{servers.NSD_MADE:08x}" + "0" * 112)


def known(**changes: object) -> State:
    return servers.state(servers.facts(**changes))  # type: ignore[arg-type]


def marks(screen: DevicesScreen) -> set[str]:
    return set(screen.choosing.marks)


def key(host: str, serial: str) -> str:
    return f"{host} wwn:{servers.wwn(serial)}"


SSDS = {key(f"pollux{host}", f"BTWA{host}0{slot}") for host in (1, 2, 3) for slot in (1, 2)}


# turning


@pytest.mark.parametrize("size", SIZES)
async def test_how_each_view_looks(size: tuple[int, int]) -> None:
    app = DeviceApp(known())
    async with app.run_test(size=size) as pilot:
        for view in VIEWS:
            screen = await ready(pilot, view)
            screen.say("")
            await pilot.pause()
            assert_snapshot(app, SNAPSHOTS, f"{view}-{size[0]}x{size[1]}", only="#body")
            await pilot.press("t")
        await ready(pilot, "role")


async def test_by_name_the_trap_is_seen() -> None:
    async with DeviceApp(known()).run_test(size=(80, 24)) as pilot:
        await ready(pilot)
        await pilot.press("t")
        await ready(pilot, "name")
        line = next(line for line in text_of(pilot.app).splitlines() if " sdg " in line)
        assert line.removeprefix(">").split() == [
            "!!",
            "sdg",
            "DIFFERS",
            "+SSD",
            "free",
            "+SSD",
            "free",
            "!BOOT",
            "DISK",
        ]


async def test_how_the_recorded_seed_looks() -> None:
    session = seed_session(0.0)
    assert session.player
    session.player.seek(next(mark.t for mark in session.player.replay.marks if mark.label.startswith("step 3")))
    async with SeedApp(DevicesScreen, session).run_test(size=(80, 24)) as pilot:
        app = pilot.app
        assert isinstance(app, SeedApp)
        await until(lambda: bool(app.shown.grid.view.shown))
        await pilot.pause()
        shown = text_of(app)
        assert "+sdg free" in shown
        assert "+sde≠free" in shown
        assert "!sdg≠boot disk" in shown


def test_a_table_of_other_columns_stays_as_it_is() -> None:
    other = Table((Column("x", "X"),), (Row("1", (Cell("1"),)),))
    assert all(turned(other, view).table is other for view in VIEWS)


def test_names_of_other_sizes_are_a_warning_and_of_other_uses_worse() -> None:
    ids = ("role", "host", "name", "drift", "verdict", "size", "kind", "model")

    def device(host: str, name: str, role: str, size: str) -> Row:
        return Row(f"{host} {name}", tuple(Cell(text) for text in (role, host, name, "", "+ free", size, "SSD", "M")))

    table = Table(
        tuple(Column(name, name) for name in ids),
        (
            device("a", "sda", "SSD 1 GiB #1", "1 GiB"),
            device("b", "sda", "SSD 2 GiB #1", "2 GiB"),
            device("a", "sdb", "SSD 1 GiB #2", "1 GiB"),
            device("b", "sdb", "boot 1 GiB #1", "1 GiB"),
            device("a", "sdc", "SSD 1 GiB #3", "1 GiB"),
        ),
    )
    rows = turned(table, "name").table.rows
    assert [row.severity for row in rows] == [Severity.WARNING, Severity.BAD, Severity.NORMAL]
    assert [cell.text for cell in rows[0].cells] == ["sda", "DIFFERS", "+SSD 1 GiB free", "+SSD 2 GiB free"]
    assert [cell.text for cell in rows[2].cells] == ["sdc", "same", "+SSD free", "-"]


def test_a_name_that_means_another_shared_disk_is_a_warning_and_disks_of_their_own_are_none() -> None:
    ids = ("role", "host", "name", "drift", "verdict", "size", "kind", "model", "identity")

    def device(host: str, name: str, disk: str) -> Row:
        cells = ("NSD 9 TiB #1", host, name, "", f"= {disk}", "9 TiB", "HDD", "M", f"wwn:{disk}")
        return Row(f"{host} {name}", tuple(Cell(text) for text in cells))

    table = Table(
        tuple(Column(name, name) for name in ids),
        (
            device("a", "mpatha", "lun1"),
            device("b", "mpatha", "lun2"),
            device("a", "mpathb", "lun2"),
            device("b", "mpathb", "lun1"),
            device("a", "sda", "own1"),
            device("b", "sda", "own2"),
        ),
    )
    rows = turned(table, "name").table.rows
    told = {row.cells[0].text: (row.severity, row.cells[2].text) for row in rows}
    assert told == {
        "mpatha": (Severity.WARNING, "=HDD lun1"),
        "mpathb": (Severity.WARNING, "=HDD lun2"),
        "sda": (Severity.NORMAL, "=HDD own1"),
    }


async def test_turning_marks_nothing_as_changed() -> None:
    async with DeviceApp(known()).run_test(size=(80, 24)) as pilot:
        screen = await ready(pilot)
        await pilot.press("space", *"t" * len(VIEWS))
        await ready(pilot)
        assert not screen.grid.view.changes
        assert not screen.grid.view.gone


async def test_nothing_is_known_at_the_beginning() -> None:
    async with SeedApp(DevicesScreen, seed_session(0.0)).run_test(size=(80, 24)) as pilot:
        await until(lambda: "nothing is known yet" in text_of(pilot.app))
        await pilot.press("t", "t", "space", "a", "asterisk", "v", "u", "c", "escape", "enter", "escape")
        assert pilot.app.is_running


# the cell under the cursor


async def test_the_detail_is_that_of_the_chosen_host() -> None:
    async with DeviceApp(known()).run_test(size=(120, 40)) as pilot:
        await ready(pilot)
        await pilot.press("enter")
        await until(lambda: "left and right choose a host" in text_of(pilot.app))
        await pilot.press("right", "right", "right", "right")
        await until(lambda: "sde on pollux3 in this boot" in text_of(pilot.app))
        assert "BTWA301" in text_of(pilot.app)
        await pilot.press("left")
        await until(lambda: "sdg on pollux2 in this boot" in text_of(pilot.app))


def grown(count: int) -> State:
    """So many servers with one SSD each."""
    hosts = tuple(f"server{number:02}" for number in range(1, count + 1))
    told = {f"devices {host}": made.blocks(made.block("sda", f"S{host}")) for host in hosts}
    facts = {name: Fact(name, name.split()[-1], "", servers.NOW, 0.0, Parsed(model)) for name, model in told.items()}
    return State(Header(1, "0", servers.NOW, 0.0, "fs1", hosts, hosts[0]), at=servers.NOW, facts=facts)


async def test_hosts_that_do_not_fit_are_said_and_reached() -> None:
    state = grown(12)
    app = DeviceApp(state, GpfsFileSystem("fs1", "server01", state.header.hosts))
    async with app.run_test(size=(80, 24)) as pilot:
        screen = await ready(pilot)
        await until(lambda: " columns →" in text_of(app))
        assert "server12" not in text_of(app)
        await pilot.press(*["right"] * 13)
        await until(lambda: "server12" in text_of(app) and " columns ←" in text_of(app))
        assert screen.grid.chosen_column == "on server12"


# marks


async def test_the_verdict_on_the_marked_is_read_where_their_servers_do_not_fit() -> None:
    async with DeviceApp(known()).run_test(size=(60, 24)) as pilot:
        await ready(pilot)
        await pilot.press("a")
        await until(lambda: " - ok " in text_of(pilot.app))
        assert "failure groups 1, 2, 3 - ok" not in text_of(pilot.app)
        assert " * 6 marked: 6 NSDs" in text_of(pilot.app)


async def test_space_in_a_role_marks_that_role_on_every_host_and_again_unmarks_it() -> None:
    async with DeviceApp(known()).run_test(size=(80, 24)) as pilot:
        screen = await ready(pilot)
        await pilot.press("space")
        assert marks(screen) == {key("pollux1", "BTWA101"), key("pollux2", "BTWA201"), key("pollux3", "BTWA301")}
        assert "marked pollux1 sdg, pollux2 sdg, pollux3 sde" in text_of(pilot.app)
        assert "*sdg free" in text_of(pilot.app)
        await pilot.press("up", "space")
        assert marks(screen) == set()


async def test_space_in_a_cell_marks_that_device_alone_even_one_in_use() -> None:
    async with DeviceApp(known()).run_test(size=(80, 24)) as pilot:
        await ready(pilot)
        screen = await go_to(pilot, "boot 224 GiB #1", "pollux3")
        await pilot.press("space")
        assert marks(screen) == {key("pollux3", "BOOT31")}
        await until(lambda: "BLOCKED (1): sdg on pollux3" in text_of(pilot.app))


async def test_a_row_without_anything_free_is_not_marked_by_accident() -> None:
    async with DeviceApp(known()).run_test(size=(80, 24)) as pilot:
        await ready(pilot)
        screen = await go_to(pilot, "boot 224 GiB #1")
        await pilot.press("space")
        assert marks(screen) == set()
        assert "nothing in this row is free" in text_of(pilot.app)


async def test_a_marks_all_free_ones_like_it_and_u_none() -> None:
    async with DeviceApp(known()).run_test(size=(80, 24)) as pilot:
        screen = await ready(pilot)
        await pilot.press("a")
        assert marks(screen) == SSDS
        await until(lambda: "6 marked: 6 NSDs on foo[1-3], failure groups 1, 2, 3 - ok" in text_of(pilot.app))
        await pilot.press("u")
        assert marks(screen) == set()
        assert "6 NSDs" not in text_of(pilot.app)
        await pilot.press("asterisk")
        assert marks(screen) == SSDS


RENAMED = {**servers.NAMES, "pollux2": ("sda", "sdb", "sdf", "sde", "sdg", "sdh")}


async def test_marks_follow_the_identity_through_a_refresh_a_reboot_and_every_view() -> None:
    async with DeviceApp(known()).run_test(size=(80, 24)) as pilot:
        app = pilot.app
        assert isinstance(app, DeviceApp)
        screen = await ready(pilot)
        await pilot.press("a")
        before = marks(screen)
        app.become(known(names=RENAMED, boots={"pollux2": "boot-2"}))
        await pilot.pause()
        assert marks(screen) == before == SSDS
        assert "*sdf≠free" in text_of(app)
        await pilot.press("t")
        await ready(pilot, "name")
        line = next(line for line in text_of(app).splitlines() if " sdg " in line)
        assert line.split()[3:] == ["*SSD", "free", "!BOOT", "DISK", "!BOOT", "DISK"]
        await pilot.press("v")
        await until(lambda: "device=sdf nsd=foo2_ssd1 servers=foo2" in text_of(app))
        assert "device=sdg nsd=foo2" not in text_of(app)


async def test_a_marked_device_that_goes_away_blocks() -> None:
    async with DeviceApp(known()).run_test(size=(80, 24)) as pilot:
        app = pilot.app
        assert isinstance(app, DeviceApp)
        screen = await ready(pilot)
        await pilot.press("a")
        facts = servers.facts()
        seen = facts["devices pollux1"].parsed
        assert seen is not None
        left = tuple(device for device in seen.model.devices if device.kname != "sdg")
        parsed = Parsed(msgspec.structs.replace(seen.model, devices=left))
        facts["devices pollux1"] = msgspec.structs.replace(facts["devices pollux1"], parsed=parsed)
        app.become(servers.state(facts))
        await pilot.pause()
        assert marks(screen) == SSDS
        await until(lambda: "BLOCKED (1): pollux1 wwn:" in text_of(app))


async def test_a_host_of_a_marked_device_that_goes_away_is_told_where_no_answer_has_changed() -> None:
    links = {"pollux3": LinkChanged(1.0, "pollux3", "down")}
    async with DeviceApp(known()).run_test(size=(80, 24)) as pilot:
        app = pilot.app
        assert isinstance(app, DeviceApp)
        await ready(pilot)
        await pilot.press("a")
        await until(lambda: "failure groups 1, 2, 3 - ok" in text_of(app))
        app.become(msgspec.structs.replace(app.store.state, links=links))
        await until(lambda: "failure groups 1, 2, 3 - 1 warning" in text_of(app))
        await pilot.press("v")
        await until(lambda: "pollux3 is not connected" in text_of(app))


async def test_nothing_is_made_for_a_file_system_that_did_not_tell_of_itself() -> None:
    facts = servers.facts()
    why = "exit code 1: File system mss1 is not known to the GPFS cluster."
    facts["disks mss1"] = Fact("disks mss1", "pollux1", "mmlsdisk mss1", failure=why)
    async with DeviceApp(servers.state(facts)).run_test(size=(80, 24)) as pilot:
        await ready(pilot)
        await pilot.press("a")
        await until(lambda: "BLOCKED (1): mmlsdisk mss1: exit code 1" in text_of(pilot.app))


async def test_nothing_like_an_unread_device_is_marked_in_its_name() -> None:
    async with DeviceApp(known(read=False)).run_test(size=(80, 24)) as pilot:
        screen = await ready(pilot)
        await pilot.press("a")
        assert marks(screen) == set()
        assert "nothing like sdg on pollux1 is known to be free" in text_of(pilot.app)


async def test_the_cursor_stays_on_its_device_when_the_table_is_turned() -> None:
    async with DeviceApp(known()).run_test(size=(80, 24)) as pilot:
        await ready(pilot)
        screen = await go_to(pilot, "boot 224 GiB #1", "pollux3")
        await pilot.press("t")
        await ready(pilot, "name")
        row = screen.grid.row
        assert row is not None
        assert row.key == "name sdg"
        assert screen.grid.chosen_column == "on pollux3"
        await pilot.press("t", "t")
        await ready(pilot, "host")
        row = screen.grid.row
        assert row is not None
        assert row.key == key("pollux3", "BOOT31")


async def test_r_looks_at_the_devices_again() -> None:
    app = DeviceApp(known())
    async with app.run_test(size=(80, 24)) as pilot:
        screen = await ready(pilot)
        screen.action_refresh()
        await until(lambda: bool(app.intents))
        intent = app.intents[0]
        assert isinstance(intent, Refresh)
        assert (intent.devices, intent.costly) == (True, False)


async def test_many_marks_are_judged_apart_from_the_screen(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(judging, "AT_ONCE", 1)
    async with DeviceApp(known()).run_test(size=(80, 24)) as pilot:
        await ready(pilot)
        await pilot.press("a")
        await until(lambda: "6 NSDs on foo[1-3]" in text_of(pilot.app))


async def test_work_that_takes_longer_than_a_turn_is_done_in_the_turns_that_follow(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(screen_module, "BUDGET", 0.0)
    async with DeviceApp(known()).run_test(size=(80, 24)) as pilot:
        await ready(pilot)
        assert "+sdg free" in text_of(pilot.app)


# what they would become


async def preview(pilot: Pilot[int]) -> PreviewScreen:
    await pilot.press("v")
    await until(lambda: isinstance(pilot.app.screen, PreviewScreen))
    await pilot.pause()
    assert isinstance(pilot.app.screen, PreviewScreen)
    return pilot.app.screen


@pytest.mark.parametrize("size", SIZES)
async def test_how_the_preview_looks(size: tuple[int, int]) -> None:
    async with DeviceApp(known()).run_test(size=size) as pilot:
        await ready(pilot)
        await pilot.press("a")
        await preview(pilot)
        await pilot.pause()
        assert_snapshot(pilot.app, SNAPSHOTS, f"preview-{size[0]}x{size[1]}")


@pytest.mark.parametrize("size", SIZES)
async def test_how_a_preview_that_blocks_looks(size: tuple[int, int]) -> None:
    async with DeviceApp(known(changed={"BTWA101": OLD})).run_test(size=size) as pilot:
        await ready(pilot)
        await go_to(pilot, FIRST, "pollux1")
        await pilot.press("space")
        await preview(pilot)
        await pilot.pause()
        assert_snapshot(pilot.app, SNAPSHOTS, f"preview-blocked-{size[0]}x{size[1]}")


async def test_a_block_leaves_nothing_to_copy_or_save(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    async with DeviceApp(known(read=False)).run_test(size=(80, 24)) as pilot:
        await ready(pilot)
        await pilot.press("space")
        await until(lambda: "not known to be free" in text_of(pilot.app))
        await preview(pilot)
        assert "%nsd" not in text_of(pilot.app)
        for pressed in ("y", "e"):
            await pilot.press(pressed)
            assert "there is no file while something blocks" in text_of(pilot.app)
        assert list(tmp_path.iterdir()) == []


async def test_the_file_is_saved_once_and_nothing_is_written_over(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    async with DeviceApp(known()).run_test(size=(80, 24)) as pilot:
        await ready(pilot)
        await pilot.press("a")
        await preview(pilot)
        await pilot.press("e", "enter")
        await until(lambda: "saved" in text_of(pilot.app))
        saved = (tmp_path / "nsd.stanza").read_text()
        assert [line.split()[1] for line in saved.splitlines()] == [
            "device=sdg", "device=sdh", "device=sdg", "device=sdh", "device=sde", "device=sdf"
        ]  # fmt: skip
        (tmp_path / "nsd-2.stanza").write_text("mine")
        await pilot.press("e", *["backspace"] * len("nsd-3.stanza"), *"nsd-2", "full_stop", *"stanza", "enter")
        await until(lambda: "it is there already" in text_of(pilot.app))
        assert (tmp_path / "nsd-2.stanza").read_text() == "mine"


async def test_the_file_is_copied(monkeypatch: pytest.MonkeyPatch) -> None:
    copied: list[str] = []

    async def copy(_app: object, text: str, **_more: object) -> str:
        copied.append(text)
        return "copied it"

    monkeypatch.setattr(clipboard, "copy", copy)
    async with DeviceApp(known()).run_test(size=(80, 24)) as pilot:
        await ready(pilot)
        await pilot.press("a")
        await preview(pilot)
        await pilot.press("y")
        await until(lambda: "copied it" in text_of(pilot.app))
    assert copied[0].count("%nsd:") == 6


async def answered(pilot: Pilot[int], *typed: str) -> None:
    """Type into the dialog that has opened, once it hears."""
    await until(lambda: isinstance(pilot.app.screen, AskText))
    dialog = pilot.app.screen
    assert isinstance(dialog, AskText)
    dialog._deaf_until = 0.0
    await pilot.press(*typed, "enter")
    await pilot.pause()


async def test_a_failure_group_that_nothing_tells_is_asked_for() -> None:
    async with DeviceApp(known(groups={"foo2_nsd2": "22"})).run_test(size=(80, 24)) as pilot:
        await ready(pilot)
        await pilot.press("a")
        await until(lambda: "failure group of pollux2?" in text_of(pilot.app))
        await preview(pilot)
        assert "%nsd" not in text_of(pilot.app)
        assert "the disks of pollux2 are in failure groups 2, 22" in " ".join(
            text_of(pilot.app).replace("│", " ").split()
        )
        await pilot.press("g")
        await answered(pilot, *"22")
        await until(lambda: "failure groups 1, 3, 22" in text_of(pilot.app))
        assert "failureGroup=22" in text_of(pilot.app)


async def test_names_are_made_of_another_pattern() -> None:
    async with DeviceApp(known()).run_test(size=(120, 40)) as pilot:
        await ready(pilot)
        await pilot.press("a")
        screen = await preview(pilot)
        await pilot.press("n")
        await answered(pilot, *["backspace"] * len("{server}_ssd{n}"), *"{rack}")
        assert "only {server}" in text_of(pilot.app)
        await answered(pilot, *["backspace"] * len("{rack}"), *"meta{n}")
        await until(lambda: pilot.app.screen is screen)
        await until(lambda: "nsd=meta6" in text_of(pilot.app))


# earlier looks


def looked(*states: tuple[float, Mapping[str, Sequence[str]], str]) -> State:
    """The last of some looks, each at a time, with the names on the hosts, and pollux2's boot."""
    histories: dict[str, tuple[Sighting, ...]] = {}
    for at, names, boot in states:
        facts = servers.facts(names=names, boots={"pollux2": boot}, at=at)
        for host in servers.HOSTS:
            histories[host] = noted(histories.get(host, ()), host, facts, at)
    return msgspec.structs.replace(servers.state(facts, at=at), sightings=histories)


EARLIER = ((servers.NOW, servers.NAMES, "b1b1b1b1"), (servers.NOW + 3600, RENAMED, "c2c2c2c2"))


@pytest.mark.parametrize("size", SIZES)
async def test_what_changed_since_an_earlier_look(size: tuple[int, int]) -> None:
    async with DeviceApp(looked(*EARLIER)).run_test(size=size) as pilot:
        await ready(pilot)
        await pilot.press("c")
        await until(lambda: "rebooted" in text_of(pilot.app))
        await pilot.pause()
        assert_snapshot(pilot.app, SNAPSHOTS, f"since-{size[0]}x{size[1]}")
        await pilot.press("up")
        await until(lambda: "nothing is different" in text_of(pilot.app))
        await pilot.press("escape")
        await ready(pilot)


async def test_the_detail_tells_under_which_names_a_device_was_seen() -> None:
    async with DeviceApp(looked(*EARLIER)).run_test(size=(120, 40)) as pilot:
        await ready(pilot)
        await go_to(pilot, FIRST, "pollux2")
        await pilot.press("enter")
        await until(lambda: "sdf since 2013-06-06 13:00:00 (boot c2c2c2c2); sdg before" in text_of(pilot.app))


# hostile text


async def test_remote_text_steers_nothing_and_is_no_markup(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    facts = servers.facts()
    bad = "[red]\x1b[31mX\u202e[/]"
    fact = facts["devices pollux1"]
    assert fact.parsed is not None
    disks = tuple(
        msgspec.structs.replace(
            disk, model=bad, serial=f"{bad}1", name="sd\x1b]0;x\x07g" if disk.kname == "sdg" else disk.name
        )
        for disk in fact.parsed.model.devices
    )
    parsed = Parsed(msgspec.structs.replace(fact.parsed.model, devices=disks))
    facts["devices pollux1"] = msgspec.structs.replace(fact, parsed=parsed)
    async with DeviceApp(servers.state(facts)).run_test(size=(120, 40)) as pilot:
        await ready(pilot)
        for view in VIEWS:
            await ready(pilot, view)
            await pilot.press("right", "right", "enter", "space")
            await pilot.pause()
            assert not {"\x1b", "\x07", "\u202e"} & set(text_of(pilot.app))
            await pilot.press("escape", "t")
        await ready(pilot)
        await pilot.press("v")
        await pilot.pause()
        assert "\x1b" not in text_of(pilot.app)
        await pilot.press("escape", "c")
        await pilot.pause()
        assert pilot.app.is_running
