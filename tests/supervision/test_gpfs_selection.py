"""From marked devices to stanzas: whatever devices are called and in which order, the stanzas name the chosen ones."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import msgspec
from hypothesis import given, settings
from hypothesis import strategies as st

from remote.events import LinkChanged
from remote.gpfs.models import Usage
from remote.gpfs.stanza import nsd_stanzas, parse_stanzas
from remote.linux.inventory import Content, ReadState
from supervision.filesystem import Choosing
from supervision.gpfs_selection import Selection, build, peers_of
from supervision.gpfs_site import looks_of, site_of
from supervision.gpfs_stanzacheck import Site
from supervision.gpfs_view import View
from supervision.identity import HostLook, Identity
from supervision.tables import Severity
from supervision.verdicts import IDENTITY, IN_USE, NAME, UNREAD, Level
from tests.supervision import devicefacts as servers

LETTERS = "abcdefgh"


def view(**changes: object) -> View:
    return View(servers.state(servers.facts(**changes)), servers.FS, servers.HOSTS)  # type: ignore[arg-type]


def identity(serial: str) -> Identity:
    return Identity(f"wwn:{servers.wwn(serial)}", servers.SSD)


SSDS = {(host, identity(f"BTWA{number}0{slot}")) for number, host in enumerate(servers.HOSTS, 1) for slot in (1, 2)}
"""The new SSDs of the three servers."""


def meant(text: str, site: Site) -> set[tuple[str, Identity]]:
    """What a stanza file means: its names looked up on its first servers, by nothing of the code that made it."""
    found = set()
    for stanza in nsd_stanzas(parse_stanzas(text).model).model:
        node = site.table.resolve(stanza.servers[0])
        host = site.hosts[node.daemon_name]
        seen = [each for each in site.looks[host].devices if each.name == stanza.device]
        assert len(seen) == 1
        found.add((host, seen[0].identity))
    return found


names_of_hosts = st.fixed_dictionaries(
    {
        host: st.permutations(LETTERS).map(lambda order: tuple(f"sd{letter}" for letter in order[:6]))
        for host in servers.HOSTS
    }
)


@settings(max_examples=60, deadline=None)
@given(names_of_hosts, st.permutations(sorted(SSDS, key=str)), st.integers(1, 6))
def test_the_stanza_names_exactly_the_chosen_identities_whatever_the_order_of_devices(
    names: Mapping[str, Sequence[str]], order: Sequence[tuple[str, Identity]], count: int
) -> None:
    site = site_of(view(names=names))
    chosen = tuple(order[:count])
    built = build(Selection(chosen), site)
    assert built.text, [verdict.text for verdict in built.judged.verdicts if verdict.level is Level.BLOCK]
    assert meant(built.text, site) == set(chosen)


def test_every_device_gets_the_group_of_its_server_and_the_name_of_this_boot() -> None:
    built = build(Selection(tuple(sorted(SSDS, key=str))), site_of(view()))
    told = {(one.device, one.nsd, one.servers, one.failure_group) for one in built.stanzas}
    assert told == {
        ("sdg", "foo1_ssd1", ("foo1",), "1"), ("sdh", "foo1_ssd2", ("foo1",), "1"),
        ("sdg", "foo2_ssd1", ("foo2",), "2"), ("sdh", "foo2_ssd2", ("foo2",), "2"),
        ("sde", "foo3_ssd1", ("foo3",), "3"), ("sdf", "foo3_ssd2", ("foo3",), "3"),
    }  # fmt: skip


def test_a_boot_disk_is_blocked_and_there_is_no_file() -> None:
    boot = ("pollux3", Identity(f"wwn:{servers.wwn('BOOT31')}", servers.BOOT))
    built = build(Selection((boot,)), site_of(view()))
    blocks = [verdict for verdict in built.judged.verdicts if verdict.level is Level.BLOCK]
    assert [(verdict.kind, verdict.device) for verdict in blocks] == [(IN_USE, "sdg")]
    assert "BOOT DISK" in blocks[0].text
    assert built.text == ""


def test_what_was_not_read_is_no_file() -> None:
    built = build(Selection(tuple(SSDS)), site_of(view(read=False)))
    assert built.text == ""
    assert {verdict.kind for verdict in built.judged.verdicts if verdict.level is Level.BLOCK} == {UNREAD}


def test_a_server_with_two_groups_is_asked_about_once_and_the_answer_is_taken() -> None:
    site = site_of(view(groups={"foo2_nsd2": "22"}))
    chosen = tuple(sorted(SSDS, key=str))
    built = build(Selection(chosen), site)
    assert [(asked.place, asked.found) for asked in built.asked] == [("pollux2", ("2", "22"))]
    assert built.text == ""
    assert built.level is Level.BLOCK
    answered = build(Selection(chosen, groups={"pollux2": "22"}), site)
    assert {one.failure_group for one in answered.stanzas if one.servers == ("foo2",)} == {"22"}
    assert answered.text


def test_a_name_that_is_taken_is_counted_past() -> None:
    first = next(iter(sorted(SSDS, key=str)))
    built = build(Selection((first,), pattern="foo1_nsd{n}"), site_of(view()))
    assert [one.nsd for one in built.stanzas] == ["foo1_nsd3"]


def test_a_pattern_that_cannot_be_used_says_why() -> None:
    first = next(iter(sorted(SSDS, key=str)))
    for pattern, why in (("x{rack}", "{rack} is no field"), ("foo1_nsd1", "is taken"), ("gpfs{n}", "reserved")):
        built = build(Selection((first,), pattern=pattern), site_of(view()))
        blocks = [verdict for verdict in built.judged.verdicts if verdict.kind == NAME]
        assert why in blocks[0].text
        assert built.text == ""


def test_a_device_that_is_gone_is_told_and_not_guessed() -> None:
    built = build(Selection((("pollux1", Identity("wwn:5000000000000bad", servers.SSD)),)), site_of(view()))
    assert [verdict.kind for verdict in built.judged.verdicts if verdict.level is Level.BLOCK] == [IDENTITY]


def test_a_local_cache_has_no_group_so_nobody_is_asked_for_one() -> None:
    site = site_of(view(groups={"foo1_nsd2": "9"}))
    first = ("pollux1", identity("BTWA101"))
    assert build(Selection((first,)), site).asked
    assert not build(Selection((first,), usage=Usage.LOCAL_CACHE), site).asked


def test_peers_are_free_and_of_one_model_and_size() -> None:
    looks = looks_of(view())
    sdg = looks["pollux1"].named("sdg")
    assert sdg is not None
    assert set(peers_of(sdg, looks.values())) == SSDS


# as a preview


def keys(*pairs: tuple[str, Identity]) -> tuple[str, ...]:
    return tuple(f"{host} {identity.text}" for host, identity in pairs)


def test_the_preview_of_marks_tells_what_it_makes_and_that_nothing_blocks() -> None:
    fs, state = servers.file_system(), servers.state(servers.facts())
    made = fs.preview(state, Choosing(keys(*sorted(SSDS, key=str))))
    assert made is not None
    assert made.makes == "6 NSDs on foo[1-3], failure groups 1, 2, 3"
    assert made.text.count("%nsd:") == 6
    assert max(line.severity for line in made.lines) <= Severity.NOTE
    assert not made.by_hand


def test_a_mark_whose_device_is_gone_takes_the_file_away() -> None:
    fs, state = servers.file_system(), servers.state(servers.facts())
    made = fs.preview(state, Choosing((*keys(*SSDS), "pollux1 wwn:gone")))
    assert made is not None
    assert made.text == ""
    assert made.lines[0].value == "pollux1 wwn:gone is not seen any more"


OLD = Content("", ReadState.READ, nonzero=60, sector2=f"0a00010f{servers.NSD_MADE:08x}" + "0" * 112)


def test_an_old_nsd_id_is_blocked_and_only_told_how_a_person_may_end_it() -> None:
    fs, state = servers.file_system(), servers.state(servers.facts(changed={"BTWA101": OLD}))
    made = fs.preview(state, Choosing(keys(*sorted(SSDS, key=str))))
    assert made is not None
    assert made.text == ""
    told = {line.label: line for line in made.by_hand}
    assert told["by hand"].value == "mmcrnsd -F foo1_ssd1.stanza -v no"
    assert told["or"].value == "mmdelnsd -p 0A00010F507CC5D0 -N foo1"
    assert "device=sdg nsd=foo1_ssd1" in told["file"].value
    assert "another cluster on this SAN" in told["danger"].advice
    assert sum(line.label == "by hand" for line in made.by_hand) == 1


def test_no_exception_is_offered_for_anything_else_that_lies_there() -> None:
    for content in (
        Content("", ReadState.READ, nonzero=60),  # no id in it
        msgspec.structs.replace(OLD, state=ReadState.FAILED),
    ):
        fs, state = servers.file_system(), servers.state(servers.facts(changed={"BTWA101": content}))
        made = fs.preview(state, Choosing(keys(*SSDS)))
        assert made is not None
        assert made.text == ""
        assert made.by_hand == ()


def test_an_nsd_of_this_cluster_is_never_offered_to_be_overwritten() -> None:
    fs, state = servers.file_system(), servers.state(servers.facts())
    mine = Identity(f"wwn:{servers.wwn('H11')}", servers.HDD)
    made = fs.preview(state, Choosing(keys(("pollux1", mine))))
    assert made is not None
    assert made.text == ""
    assert made.by_hand == ()


def test_a_look_finds_by_identity_and_by_every_name() -> None:
    look = looks_of(view())["pollux3"]
    assert isinstance(look, HostLook)
    sde = look.named("/dev/sde")
    assert sde is not None
    assert look.named(f"/dev/disk/by-id/wwn-0x{servers.wwn('BTWA301')}") == look.named("sde") == sde
    assert look.find(identity("BTWA301")) == (sde,)
    assert look.named("sdz") is None


def test_a_host_that_is_away_is_no_quiet_ok() -> None:
    links = {"pollux2": LinkChanged(1.0, "pollux2", "down"), "pollux1": LinkChanged(1.0, "pollux1", "up")}
    state = msgspec.structs.replace(servers.state(servers.facts()), links=links)
    made = servers.file_system().preview(state, Choosing(keys(*SSDS)))
    assert made is not None
    assert [line.value for line in made.lines if line.severity is Severity.WARNING] == [
        "pollux2 is not connected: what is judged was so when it was looked at"
    ]
