"""Plans: what is written is read again, and whatever else a file holds is refused in words."""

from __future__ import annotations

import contextlib

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from supervision.footprint import Assumptions, Sizing
from supervision.pins import PinnedAt
from supervision.plan import (
    LARGEST,
    OldDisk,
    Options,
    Plan,
    PlanError,
    PlannedDevice,
    Stanzas,
    Told,
    decode,
    digest,
    encode,
)

STANZA = "%nsd: device=sdg nsd=foo1_ssd1 servers=foo1 usage=metadataOnly failureGroup=1 pool=system\n"
PLAN = Plan(
    id="mss1-20130606T152114",
    recipe="metadata-to-ssd",
    kind="gpfs",
    goal="all metadata of mss1 on 1 SSD",
    cluster="mss.example.com",
    file_system="mss1",
    host="pollux1",
    made=1370557274.0,
    by="root@admin1",
    nodes=("foo1", "pollux2", "pollux3"),
    options=Options(metadata_only=True),
    sizing=Sizing(floor_kb=88772608, low_kb=177545216, plan_kb=443863040, high_kb=3000514150, usable_kb=1168834560),
    stanzas=Stanzas(new=STANZA, old="%nsd: nsd=foo1_vd1 usage=dataOnly\n", back="%nsd: nsd=foo1_vd1\n"),
    devices=(
        PlannedDevice(
            nsd="foo1_ssd1",
            identity="wwn:55cd2e404b7d1a31",
            size_bytes=781422768 * 512,
            model="INTEL SSDSC2BA40",
            serial="BTTV1",
            servers=("foo1",),
            failure_group="1",
            pool="system",
            at=(PinnedAt("pollux1", "pollux1.example.com", "sdg", "c0ffee"),),
        ),
    ),
    old_disks=(
        OldDisk(nsd="foo1_vd1", servers=("foo1", "pollux2"), usage="dataAndMetadata", failure_group="1", pool="system"),
    ),
    facts=(Told(command="mmlsdisk mss1 -L", host="pollux1", at=1370557270.0, sha256="0" * 64),),
)
TEXT = encode(PLAN)

lines = st.text(st.characters(exclude_categories=("C", "Z"), include_characters=" \"'\\#=[]"), max_size=30)
words = st.text("abcXYZ019_.-", min_size=1, max_size=12)
numbers = st.integers(0, 2**62)
places = st.builds(PinnedAt, words, words, words, words)
devices = st.builds(
    PlannedDevice,
    nsd=words,
    identity=words,
    size_bytes=st.integers(1, 2**62),
    model=lines,
    serial=lines,
    servers=st.lists(words, max_size=3).map(tuple),
    failure_group=words,
    pool=words,
    at=st.lists(places, min_size=1, max_size=2).map(tuple),
)
stanzas = st.lists(lines, max_size=3).map("\n".join)
plans = st.builds(
    Plan,
    version=st.just(1),
    id=words.filter(lambda word: word[0] not in "_.-"),
    recipe=words,
    kind=words,
    goal=lines,
    cluster=words,
    file_system=words,
    host=words,
    made=st.floats(0, 4e9),
    by=lines,
    nodes=st.lists(words, max_size=3).map(tuple),
    options=st.builds(
        Options,
        metadata_only=st.booleans(),
        assumptions=st.builds(Assumptions, snapshots_kb=numbers, growth=st.floats(0, 1)),
    ),
    sizing=st.builds(Sizing, floor_kb=numbers, low_kb=numbers, plan_kb=numbers, high_kb=numbers, usable_kb=numbers),
    stanzas=st.builds(Stanzas, new=stanzas, old=stanzas, back=stanzas),
    devices=st.lists(devices, min_size=1, max_size=3, unique_by=(lambda d: d.nsd, lambda d: d.identity)).map(tuple),
    old_disks=st.just(()),
    facts=st.lists(
        st.builds(Told, command=lines, host=words, at=st.floats(0, 4e9), sha256=words), max_size=2
    ).map(tuple),
)  # fmt: skip


@settings(max_examples=20, deadline=None)
@given(plans)
def test_a_plan_that_was_written_is_read_again(plan: Plan) -> None:
    text = encode(plan)
    assert decode(text) == plan
    assert encode(decode(text)) == text
    assert digest(decode(text)) == digest(plan)


def test_every_field_has_its_own_line_and_stanzas_stand_as_in_their_files() -> None:
    told = TEXT.splitlines()
    assert 'recipe = "metadata-to-ssd"' in told
    assert "made = 1370557274.0 # 2013-06-06 22:21:14+00:00" in told
    assert 'nodes = ["foo1", "pollux2", "pollux3"]' in told
    assert "each_plan = 2048" in told
    assert f'new = """{STANZA.rstrip()}' in told
    node = '{host = "pollux1", node = "pollux1.example.com", name = "sdg", boot_id = "c0ffee"},'
    assert f"    {node}" in told


def test_comments_and_layout_do_not_change_the_digest_but_each_value_does() -> None:
    lean = "\n".join(line for line in TEXT.splitlines() if line and not line.startswith("#"))
    assert digest(decode(lean)) == digest(PLAN)
    other = msgspec.structs.replace(PLAN, options=Options())
    assert digest(other) != digest(PLAN)


@pytest.mark.parametrize(
    ("old", "new", "told"),
    [
        ("size_bytes = 400088457216", 'size_bytes = "much"', ", devices[0].size_bytes: Expected `int`, got `str`"),
        ('model = "INTEL', 'modell = "INTEL', ", devices[0]: Object contains unknown field `modell`"),
        ("each_plan = 2048", "each_plan = 2", ", options.assumptions: each_low, each_plan and each_high must rise"),
        ("growth = 0.0", "growth = 1.5", ", options.assumptions: growth is a part, from 0 to 1"),
        ("growth = 0.0", "growth = nan", ", options.assumptions: growth is a part, from 0 to 1"),
        ("made = 1370557274.0", "made = inf", "made: it is no time"),
        ("made = ", "# made = ", "Object missing required field `made`"),
        ("version = 1", "version = 2", "it is of version 2; this program knows version 1"),
        ("version = 1", "", "it is no plan: it has no version"),
        ('id = "mss1-', 'id = "../', "id: '../20130606T152114' cannot begin the name of a job"),
        ('goal = "all', 'goal = "\\u001b[2J', "goal: it has characters that cannot be shown: '\\x1b[2J"),
        ('host = "pollux1"\nmade', 'host = ""\nmade', "host: it is empty"),
        ('identity = "wwn', 'identity = "" # ', "devices[0] (foo1_ssd1): it needs nsd, identity, size_bytes and at"),
        ('nsd = "foo1_vd1"', 'nsd = "foo1_ssd1"', "old_disks: foo1_ssd1 is one of the new devices, too"),
        ("[options]", "[options", "it is no TOML: "),
    ],
)  # fmt: skip
def test_what_is_wrong_with_a_plan_is_told(old: str, new: str, told: str) -> None:
    assert old in TEXT
    text = TEXT.replace(old, new, 1)
    with pytest.raises(PlanError) as found:
        decode(text)
    assert told in str(found.value)


def test_the_line_of_an_error_is_that_of_the_field_in_its_own_table() -> None:
    second = msgspec.structs.replace(PLAN.devices[0], nsd="foo1_ssd2", identity="wwn:55cd2e404b7d1a32")
    text = encode(msgspec.structs.replace(PLAN, devices=(*PLAN.devices, second)))
    before, _, after = text.rpartition("size_bytes = 400088457216")
    with pytest.raises(PlanError, match=rf"^line {before.count(chr(10)) + 1}, devices\[1\].size_bytes: "):
        decode(f"{before}size_bytes = true{after}")


def test_a_device_that_comes_twice_is_refused_by_name_and_by_identity() -> None:
    for change, told in (({"nsd": "foo1_ssd2"}, "identity"), ({"identity": "wwn:1"}, "name")):
        second = msgspec.structs.replace(PLAN.devices[0], **change)
        with pytest.raises(PlanError, match=rf"^devices\[1\] .*: the {told} comes twice"):
            encode(msgspec.structs.replace(PLAN, devices=(*PLAN.devices, second)))


@settings(max_examples=20, deadline=None)
@given(st.text(max_size=200) | st.integers(0, len(TEXT)).map(lambda end: TEXT[:end]))
def test_whatever_a_file_holds_it_is_read_or_refused_in_words(text: str) -> None:
    with contextlib.suppress(PlanError):
        assert decode(text) == PLAN


def test_a_text_that_is_too_large_is_neither_read_nor_written() -> None:
    stanzas = Stanzas(new=STANZA, old="#\n" * (LARGEST // 2))
    with pytest.raises(PlanError, match=r"^2 disks make 1,[0-9,]+ characters, and a job's file has at most 1,048,576"):
        encode(msgspec.structs.replace(PLAN, stanzas=stanzas))
    with pytest.raises(PlanError, match="larger than any plan"):
        decode(" " * (LARGEST + 1))
