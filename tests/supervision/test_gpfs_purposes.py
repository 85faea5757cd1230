"""Stanza files with disks for several purposes: only those of one purpose are compared with each other."""

from __future__ import annotations

import msgspec

from remote.gpfs.models import Usage
from remote.gpfs.stanza import NsdStanza
from supervision.gpfs_stanzacheck import judge_stanzas
from supervision.verdicts import UNFIT, UNLIKE, Level
from tests.supervision.test_gpfs_proof import SIZE, disk, look, site, stanza

LARGE = 8 * SIZE


def found(*stanzas: NsdStanza) -> list[tuple[Level, str, str]]:
    """What is told above a note: each server has two SSDs, sdg and sdh, and sda and sdb of eight times the size."""
    looks = []
    for number, host in enumerate(("pollux1", "pollux2"), 1):
        small = [disk(name, f"wwn:5{number}{name}", host, rotational=False) for name in ("sdg", "sdh")]
        large = [disk(name, f"wwn:5{number}{name}", host, LARGE, rotational=True) for name in ("sda", "sdb")]
        looks.append(look(host, *small, *large))
    return [(v.level, v.kind, v.text) for v in judge_stanzas(stanzas, site(*looks)).verdicts if v.level > Level.NOTE]


def of(usage: Usage, device: str, nsd: str, server: str, group: str, pool: str = "system") -> NsdStanza:
    return msgspec.structs.replace(stanza(device, nsd, server, group=group), usage=usage, pool=pool)


METADATA = tuple(of(Usage.METADATA_ONLY, "sdg", f"m{n}", f"foo{n}", str(n)) for n in (1, 2))
DATA = tuple(of(Usage.DATA_ONLY, "sda", f"d{n}", f"foo{n}", str(n), "data") for n in (1, 2))


def test_disks_for_data_need_not_be_like_those_for_metadata() -> None:
    assert found(*METADATA, *DATA) == []
    one_more = of(Usage.DATA_ONLY, "sdb", "d3", "foo1", "1", "data")
    ((level, kind, text),) = found(*METADATA, *DATA, one_more)
    assert (level, kind) == (Level.WARNING, UNLIKE)
    assert text.startswith(f"failure group 2 has {LARGE:,} bytes, another {2 * LARGE:,}")


def test_disks_for_one_purpose_must_be_alike() -> None:
    mixed = of(Usage.METADATA_ONLY, "sda", "m3", "foo1", "1")
    kinds = {kind for _, kind, _ in found(*METADATA, mixed)}
    assert kinds == {UNLIKE}


def test_disks_that_hold_no_replicas_do_not_count_for_failure_groups() -> None:
    third = of(Usage.DESC_ONLY, "sdh", "desc1", "foo1", "3")
    cache = of(Usage.LOCAL_CACHE, "sdh", "cache2", "foo2", "-1")
    assert found(*METADATA, third, cache) == []
    ((level, kind, text),) = found(*METADATA, of(Usage.METADATA_ONLY, "sdh", "m3", "foo1", "3"))[:1]
    assert (level, kind) == (Level.BLOCK, UNFIT)
    assert text == "failure groups 1, 3 share server foo1: its loss would take both"
