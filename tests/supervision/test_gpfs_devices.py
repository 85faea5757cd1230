"""The table of devices: roles that are matched by what devices are, verdicts in a word, and work in short steps."""

from __future__ import annotations

import msgspec
import pytest

from remote.events import LinkChanged
from remote.jobs import Place
from remote.linux.inventory import Content, ReadState
from remote.linux.models import BlockDevices
from remote.parsed import Parsed, Problem
from supervision.gpfs_devices import devices, steps
from supervision.gpfs_site import site_of
from supervision.gpfs_view import Memo, View
from supervision.sightings import noted
from supervision.tables import Row, Table
from tests.supervision import devicefacts as servers


def table(**changes: object) -> Table:
    return servers.file_system().devices(servers.state(servers.facts(**changes)))  # type: ignore[arg-type]


def told(whole: Table, *ids: str) -> list[tuple[str, ...]]:
    return [tuple(row.cells[whole.column(id_)].text for id_ in ids) for row in whole.rows]


def row_of(whole: Table, host: str, name: str) -> Row:
    at = whole.column("host"), whole.column("name")
    return next(row for row in whole.rows if (row.cells[at[0]].text, row.cells[at[1]].text) == (host, name))


def test_devices_of_one_role_stand_together_whatever_they_are_called() -> None:
    whole = table()
    assert told(whole, "role", "host", "name", "verdict", "drift")[:6] == [
        ("SSD 186 GiB #1", "pollux1", "sdg", "+ free", "≠ name"),
        ("SSD 186 GiB #1", "pollux2", "sdg", "+ free", "≠ name"),
        ("SSD 186 GiB #1", "pollux3", "sde", "+ free", "≠ name"),
        ("SSD 186 GiB #2", "pollux1", "sdh", "+ free", "≠ name"),
        ("SSD 186 GiB #2", "pollux2", "sdh", "+ free", "≠ name"),
        ("SSD 186 GiB #2", "pollux3", "sdf", "+ free", "≠ name"),
    ]
    assert len({row.key for row in whole.rows}) == len(whole.rows) == 18


def test_roles_are_counted_by_slot_where_that_is_known() -> None:
    crossed = {**servers.NAMES, "pollux2": ("sda", "sdb", "sdh", "sdg", "sde", "sdf")}
    rows = told(table(names=crossed), "role", "host", "name")
    assert ("SSD 186 GiB #1", "pollux2", "sdh") in rows
    assert ("SSD 186 GiB #2", "pollux2", "sdg") in rows


def test_nothing_is_called_free_that_was_not_read_or_is_not_empty() -> None:
    unread = table(read=False)
    assert {text for (text,) in told(unread, "verdict") if "free" in text} == set()
    changed = {
        "BTWA101": Content("", ReadState.READ, nonzero=9),
        "BTWA102": Content("", ReadState.HANGS),
        "BTWA301": Content("", ReadState.READ, nonzero=9, sector2=f"0a00010f{servers.NSD_MADE:08x}"),
    }
    whole = table(changed=changed)
    verdicts = {(host, name): text for host, name, text in told(whole, "host", "name", "verdict")}
    assert verdicts["pollux1", "sdg"] == "! not empty"
    assert verdicts["pollux1", "sdh"] == "? unread"
    assert verdicts["pollux3", "sde"] == "! an NSD"
    assert verdicts["pollux2", "sdg"] == "+ free"
    roles = {role for role, host, name in told(whole, "role", "host", "name") if name in ("sdg", "sde")}
    assert roles == {"SSD 186 GiB #1", "boot 224 GiB #1"}  # what lies on it makes it no other kind of disk


def test_a_detail_tells_everything_of_a_device() -> None:
    changed = {"BTWA301": Content("", ReadState.READ, nonzero=9, sector2=f"0a00010f{servers.NSD_MADE:08x}")}
    whole = table(changed=changed)
    detail = dict(row_of(whole, "pollux3", "sde").detail)
    assert detail["device"] == "sde on pollux3 in this boot"
    assert detail["identity"] == f"wwn:{servers.wwn('BTWA301')}"
    assert detail["volume id"] == "0A00010F507CC5D0: written by 10.0.1.15 on 2012-10-16 02:26:24 UTC"
    assert detail["block"].startswith("sector 2 may hold the NSD volume id")
    assert detail["first 64 sectors"] == "9 bytes not zero"
    assert detail["model"] == "ATA INTEL SSDSC2BA20, firmware 5DV12270"
    assert (detail["write cache"], detail["place"]) == ("write through", "slot 3, HCTL 0:0:0:0")
    assert detail["boot"] == "boot-pollux3-1"
    assert detail["same role"] == "sde on pollux3, sdg on pollux[1-2]"
    free = dict(row_of(whole, "pollux1", "sdg").detail)
    assert "first 64 sectors are zero" in free["free"]


def test_an_nsd_tells_its_volume_id_and_is_judged_by_nobody() -> None:
    detail = dict(row_of(table(), "pollux2", "sda").detail)
    assert detail["NSD"] == "foo2_nsd1"
    assert detail["volume id"].startswith("0A000002507CC5D0: written by 10.0.0.2")
    assert "block" not in detail


def test_whoever_stops_in_the_middle_of_the_work_goes_on_there() -> None:
    view = View(servers.state(servers.facts()), servers.FS, servers.HOSTS, Memo())
    turns = 0
    while turns < 100:
        work = steps(view)
        more = next(work, "ended") != "ended"
        del work  # which ends it
        turns += more
        if not more:
            break
    assert len(servers.HOSTS) + 3 < turns < 100
    assert len(devices(view).rows) == 18


def test_rows_are_the_same_while_nothing_of_the_devices_is_different() -> None:
    fs, facts = servers.file_system(), servers.facts()
    first = fs.devices(servers.state(facts))
    later = fs.devices(servers.state({**facts, "disks mss1": servers.facts()["disks mss1"]}))
    assert later.rows is first.rows


def test_models_of_one_size_are_no_role_together() -> None:
    facts = servers.facts()
    disks = servers.blocks_of(servers.disks_of(2), servers.NAMES["pollux2"])
    other = tuple(msgspec.structs.replace(each, model="X5") if each.kname == "sdg" else each for each in disks.devices)
    facts["devices pollux2"] = msgspec.structs.replace(facts["devices pollux2"], parsed=Parsed(BlockDevices(other)))
    whole = servers.file_system().devices(servers.state(facts))
    roles = {(host, name): role for host, name, role in told(whole, "host", "name", "role")}
    assert roles["pollux2", "sdg"] == "SSD 186 GiB X5 #1"
    assert roles["pollux1", "sdg"] == "SSD 186 GiB INTEL SSDSC2BA20 #1"


MOVED = {**servers.NAMES, "pollux2": ("sdh", "sda", "sdf", "sdg", "sdb", "sde")}
"""After a boot sdb is a boot disk and sda the second NSD."""


def rebooted(*, read: bool = True, asked_again: bool = False) -> Table:
    """The third look: pollux2 came back with other names; mmlsnsd was asked before that, or again since."""
    before, after = servers.facts(read=read), servers.facts(names=MOVED, boots={"pollux2": "b2"}, read=read)
    at = servers.NOW + 3600
    facts = {**before, **{key: fact for key, fact in after.items() if key.endswith(" pollux2")}}
    later = {key: msgspec.structs.replace(fact, at=at) for key, fact in facts.items() if key.endswith(" pollux2")}
    if asked_again:
        later["nsd devices"] = msgspec.structs.replace(after["nsd devices"], at=at + 60)
    history = noted(noted((), "pollux2", before, servers.NOW), "pollux2", {**facts, **later}, at)
    state = servers.state({**facts, **later}, at=at + 60)
    return servers.file_system().devices(msgspec.structs.replace(state, sightings={"pollux2": history}))


def test_names_that_mmlsnsd_told_before_a_boot_make_no_boot_disk_an_nsd() -> None:
    whole = rebooted()
    verdicts = {name: text for host, name, text in told(whole, "host", "name", "verdict") if host == "pollux2"}
    assert verdicts == {
        "sda": "= foo2_nsd2", "sdh": "= foo2_nsd1", "sdb": "! boot disk", "sde": "! boot disk",
        "sdf": "+ free", "sdg": "+ free",
    }  # fmt: skip
    detail = [text for label, text in row_of(whole, "pollux2", "sdb").detail if label == "not read"]
    assert detail == ["mmlsnsd -X was asked before 2 of its devices got other names: it must be asked again"]


def test_without_what_lies_on_them_such_names_tell_nothing() -> None:
    whole = rebooted(read=False)
    verdicts = {name: text for host, name, text in told(whole, "host", "name", "verdict") if host == "pollux2"}
    assert (verdicts["sda"], verdicts["sdh"], verdicts["sdb"]) == ("? unread", "? unread", "! boot disk")


def test_once_mmlsnsd_was_asked_again_its_names_count() -> None:
    whole = rebooted(read=False, asked_again=True)
    verdicts = {name: text for host, name, text in told(whole, "host", "name", "verdict") if host == "pollux2"}
    assert (verdicts["sda"], verdicts["sdh"], verdicts["sdb"]) == ("= foo2_nsd2", "= foo2_nsd1", "! boot disk")


@pytest.mark.parametrize("key", ["devices", "inventory", "contents"])
def test_nothing_is_free_on_a_host_whose_answer_was_not_wholly_understood(key: str) -> None:
    """The line that was not understood may be the mount or the holder."""
    facts = servers.facts()
    fact = facts[f"{key} pollux2"]
    assert fact.parsed is not None
    parsed = Parsed(fact.parsed.model, problems=(Problem(7, "mount \x1b odd", "not a line of mountinfo"),))
    facts[fact.key] = msgspec.structs.replace(fact, parsed=parsed)
    whole = servers.file_system().devices(servers.state(facts))
    free = {(host, name) for host, name, text in told(whole, "host", "name", "verdict") if text == "+ free"}
    assert {host for host, _ in free} == {"pollux1", "pollux3"}
    assert ("pollux2", "sdg", "? unread") in told(whole, "host", "name", "verdict")
    detail = dict(row_of(whole, "pollux2", "sdg").detail)
    assert detail["block"].startswith("ask was not wholly understood (not a line of mountinfo): mount \ufffd odd")


def test_a_table_of_nsds_that_was_not_wholly_understood_is_none() -> None:
    facts = servers.facts()
    fact = facts["nsd devices"]
    assert fact.parsed is not None
    parsed = Parsed(fact.parsed.model, problems=(Problem(3, "foo9_nsd1 ?", "an NSD needs a name"),))
    facts[fact.key] = msgspec.structs.replace(fact, parsed=parsed)
    assert site_of(View(servers.state(facts), servers.FS, servers.HOSTS, Memo())).nsds is None


def test_a_failure_is_told_once_a_host_and_by_the_program_alone() -> None:
    facts = servers.facts()
    for key in ("devices pollux2", "inventory pollux2"):
        facts[key] = msgspec.structs.replace(
            facts[key], failure="connection lost", command=f"{key.split()[0]} -P -o A,B"
        )
    whole = servers.file_system().devices(servers.state(facts))
    assert whole.failure == "pollux2: devices, inventory: connection lost"


def test_of_a_host_in_another_boot_than_it_was_looked_at_in_nothing_is_certain() -> None:
    place = Place("/var/lib/restripe", "b2")
    state = msgspec.structs.replace(servers.state(servers.facts()), places={"pollux2": place})
    whole = servers.file_system().devices(state)
    words = {(host, text) for host, text in told(whole, "host", "verdict") if text in ("+ free", "? rebooted")}
    assert words == {("pollux1", "+ free"), ("pollux2", "? rebooted"), ("pollux3", "+ free")}
    assert "another boot" in dict(row_of(whole, "pollux2", "sdg").detail)["stale"]


def test_a_host_that_is_not_connected_is_named() -> None:
    state = servers.state(servers.facts())
    links = {host: LinkChanged(1.0, host, "down" if host == "pollux2" else "up") for host in servers.HOSTS}
    whole = servers.file_system().devices(msgspec.structs.replace(state, links=links))
    assert whole.failure == "not connected to pollux2: what is shown was so when it was looked at"


def test_an_nsd_whose_volume_id_lies_on_a_device_is_not_missing_though_mmlsnsd_did_not_find_it() -> None:
    facts = servers.facts()
    table = facts["nsd devices"].parsed
    assert table is not None
    lost = tuple(
        msgspec.structs.replace(row, device="-", remarks="(not found) server node") if row.nsd == "foo2_nsd1" else row
        for row in table.model.rows
    )
    parsed = Parsed(msgspec.structs.replace(table.model, rows=lost))
    facts["nsd devices"] = msgspec.structs.replace(facts["nsd devices"], parsed=parsed)
    words = told(servers.file_system().devices(servers.state(facts)), "role", "verdict")
    assert ("NSD 29.1 TiB #1", "= foo2_nsd1") in words
    assert "NSD, no device" not in {role for role, _ in words}
