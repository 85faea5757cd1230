"""Stanza files: every layout is read, one is written, and no value can break out of its clause."""

from __future__ import annotations

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from remote.gpfs.models import Usage
from remote.gpfs.stanza import NsdStanza, Stanza, nsd_stanzas, parse_stanzas, write_nsd_stanzas

SSD = NsdStanza("sdg", "foo1_ssd1", ("foo1",), Usage.METADATA_ONLY, "1", "system")
ONE_LINE = "%nsd: device=sdg nsd=foo1_ssd1 servers=foo1 usage=metadataOnly failureGroup=1 pool=system\n"
BLOCK = "%nsd:\n  device=sdg\n  nsd=foo1_ssd1\n  servers=foo1\n  usage=metadataOnly\n  failureGroup=1\n  pool=system\n"
MIXED = "%nsd: device=sdg\nnsd=foo1_ssd1 servers=foo1\nusage=metadataOnly # fast\n# slow\nFailureGroup=1 pool=system\n"


def read(text: str) -> tuple[NsdStanza, ...]:
    stanzas = parse_stanzas(text)
    assert stanzas.ok
    disks = nsd_stanzas(stanzas.model)
    assert disks.ok
    return disks.model


@pytest.mark.parametrize("text", [ONE_LINE, BLOCK, MIXED, BLOCK.replace("\n", "\r\n")])
def test_all_layouts_say_the_same(text: str) -> None:
    assert read(text) == (SSD,)


def test_attributes_get_ibms_spelling_and_keep_their_order() -> None:
    parsed = parse_stanzas("\n%NSD: FAILUREGROUP=01 Nsd=a\n\n%pool: pool=p layoutmap=cluster custom=1\n")
    assert parsed.model == (
        Stanza("nsd", (("failureGroup", "01"), ("nsd", "a")), 2),
        Stanza("pool", (("pool", "p"), ("layoutMap", "cluster"), ("custom", "1")), 4),
    )


def test_where_a_stanza_ends() -> None:
    parsed = parse_stanzas("%nsd: nsd=a\n\nusage=dataOnly\n%nsd: nsd=b\nplain words\npool=p\n")
    assert [stanza.attributes for stanza in parsed.model] == [(("nsd", "a"),), (("nsd", "b"),)]
    assert [problem.line for problem in parsed.problems] == [3, 6]
    assert [note.line for note in parsed.notes] == [5]


def test_stanzas_run_together_on_one_line_are_read_and_told() -> None:
    parsed = parse_stanzas((ONE_LINE.strip() + " ") * 2)
    assert len(parsed.model) == 2
    assert nsd_stanzas(parsed.model).model == (SSD, SSD)
    assert [problem.line for problem in parsed.problems] == [1]


@pytest.mark.parametrize(
    "text",
    [
        "%nsd nsd=a\n",
        "%nsd:nsd=a\n",
        "%nsd: nsd=a device sdg servers=b\n",
        "%nsd: nsd=a nsd=b\n",
        "%nsd: =a\n",
        "nsd=a\n",
        "",
        "gpfs1nsd:::dataAndMetadata:01::system\n",
    ],
)
def test_what_is_not_right_is_told(text: str) -> None:
    assert not parse_stanzas(text).ok


def test_defaults_are_those_of_mmcrnsd() -> None:
    assert read("%nsd: nsd=a\n%nsd: nsd=b pool=sas servers=n1,n2\n%vdisk: vdiskName=v\n") == (
        NsdStanza("", "a", (), Usage.DATA_AND_METADATA, "-1", "system"),
        NsdStanza("", "b", ("n1", "n2"), Usage.DATA_ONLY, "-1", "sas"),
    )


@pytest.mark.parametrize(
    "clauses",
    [
        "usage=cache nsd=a",
        "usage=localCache nsd=a failureGroup=1",
        "device=sdb",
        "nsd=a failureGroup=x",
        "nsd=a pool=sas usage=metadataOnly",
    ],
)
def test_disks_that_cannot_be_meant_are_told_with_their_line(clauses: str) -> None:
    parsed = nsd_stanzas(parse_stanzas(f"# first\n%nsd: {clauses}\n").model)
    assert parsed.model == ()
    assert [problem.line for problem in parsed.problems] == [2]


def test_what_is_written() -> None:
    disk = NsdStanza("", "foo1_nsd1", ("foo1", "foo2"), Usage.DATA_ONLY, "1", "system")
    assert write_nsd_stanzas([disk], comment="one\n\ntwo") == (
        "# one\n#\n# two\n%nsd: nsd=foo1_nsd1 servers=foo1,foo2 usage=dataOnly failureGroup=1 pool=system\n"
    )
    assert write_nsd_stanzas([SSD]) == (
        "%nsd: device=sdg nsd=foo1_ssd1 servers=foo1 usage=metadataOnly failureGroup=1 pool=system\n"
    )


def test_names_of_gpfs_may_be_changed_but_not_made() -> None:
    old = NsdStanza("", "gpfs1nsd", (), Usage.DATA_ONLY, "01", "system")
    assert read(write_nsd_stanzas([old])) == (old,)
    with pytest.raises(ValueError, match="reserved"):
        write_nsd_stanzas([NsdStanza("sdb", "gpfs1nsd", (), Usage.DATA_ONLY, "01", "system")])


@pytest.mark.parametrize(
    "value", ["", " ", "a b", "a\nb", "a\n", "a#b", "a=b", "a\0", "a\tb", "\x1b[0m", "a,b", "$(x)", "-a"]
)
def test_no_value_can_break_out(value: str) -> None:
    plain = {"device": "sdg", "nsd": "a", "servers": ("n",), "failure_group": "1", "pool": "system"}
    for field in plain:
        if field == "device" and value == "":
            continue
        wrong = (value,) if field == "servers" else value
        disk = NsdStanza(usage=Usage.DATA_ONLY, **{**plain, field: wrong})  # type: ignore[arg-type]
        with pytest.raises(ValueError, match=r"\S"):
            write_nsd_stanzas([disk])


@pytest.mark.parametrize("comment", ["a\rb", "a\x1bb", "a\u2028b", "\0"])
def test_comments_must_be_printable(comment: str) -> None:
    with pytest.raises(ValueError, match="printable"):
        write_nsd_stanzas([SSD], comment=comment)


def test_limits() -> None:
    eight = tuple(f"n{number}" for number in range(8))
    write_nsd_stanzas([NsdStanza("sdg", "a", eight, Usage.DATA_ONLY, "1", "system")])
    with pytest.raises(ValueError, match="more than 8"):
        write_nsd_stanzas([NsdStanza("sdg", "a", (*eight, "n8"), Usage.DATA_ONLY, "1", "system")])
    with pytest.raises(ValueError, match="takes dataOnly"):
        write_nsd_stanzas([NsdStanza("sdg", "a", ("n",), Usage.DATA_AND_METADATA, "1", "sas")])


def test_nothing_comes_twice() -> None:
    with pytest.raises(ValueError, match="NSD foo1_ssd1 comes twice"):
        write_nsd_stanzas([SSD, SSD])
    with pytest.raises(ValueError, match="device /dev/sdg of foo1 comes twice"):
        write_nsd_stanzas([SSD, NsdStanza("/dev/sdg", "b", ("foo1",), Usage.DATA_ONLY, "1", "system")])
    other = NsdStanza("sdg", "b", ("foo2",), Usage.DATA_ONLY, "1", "system")
    assert read(write_nsd_stanzas([SSD, other])) == (SSD, other)


PATIENT = settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])

WORDS = st.text(st.sampled_from("abcXYZ019_"), min_size=1, max_size=12)
GROUPS = st.one_of(st.just("-1"), st.integers(0, 4000).map(str), st.just("01"), st.just("1,0,12"))


@st.composite
def disks(draw: st.DrawFn) -> NsdStanza:
    pool = draw(st.one_of(st.just("system"), WORDS))
    usage = draw(st.sampled_from(Usage)) if pool == "system" else Usage.DATA_ONLY
    return NsdStanza(
        device=draw(st.one_of(st.just(""), WORDS, WORDS.map("/dev/mapper/{}".format))),
        nsd="x" + draw(WORDS),
        servers=tuple(draw(st.lists(WORDS.map("{}.example.com".format), max_size=8))),
        usage=usage,
        failure_group="-1" if usage is Usage.LOCAL_CACHE else draw(GROUPS),
        pool=pool,
    )


@PATIENT
@given(st.lists(disks(), max_size=5, unique_by=(lambda disk: disk.nsd, lambda disk: disk.device or disk.nsd)))
def test_what_is_written_is_read_back(made: list[NsdStanza]) -> None:
    text = write_nsd_stanzas(made, comment="%nsd: nsd=none\nmade by a test")
    if made:
        assert read(text) == tuple(made)
    else:
        assert parse_stanzas(text).model == ()


HOSTILE = st.text(st.sampled_from("a1_ \n\r\t#=%:,/.-\0\x1b\u2028\u00e9$"), max_size=6)


@PATIENT
@given(HOSTILE, HOSTILE, st.lists(HOSTILE, max_size=3), HOSTILE, HOSTILE, HOSTILE)
def test_any_value_is_refused_or_read_back_unchanged(
    device: str, nsd: str, servers: list[str], group: str, pool: str, comment: str
) -> None:
    disk = NsdStanza(device, nsd, tuple(servers), Usage.DATA_ONLY, group, pool)
    try:
        text = write_nsd_stanzas([disk], comment=comment)
    except ValueError:
        return
    assert read(text) == (disk,)


@PATIENT
@given(device=HOSTILE, server=HOSTILE)
def test_any_device_and_server_is_refused_or_read_back_unchanged(device: str, server: str) -> None:
    disk = NsdStanza(device, "a", (server,), Usage.DATA_ONLY, "1", "system")
    try:
        text = write_nsd_stanzas([disk])
    except ValueError:
        return
    assert read(text) == (disk,)
