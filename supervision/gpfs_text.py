"""Words of GPFS as people read them, and the figures of every kind. KB are 1024 bytes, as in every mm* command."""

from __future__ import annotations

from functools import lru_cache

from remote.gpfs.models import Usage
from remote.names import fold
from supervision.figures import UNKNOWN, natural, percent_text, share, size_text

__all__ = ["UNKNOWN", "USAGE_WORDS", "folded", "natural", "percent_text", "share", "size_text"]

USAGE_WORDS = {
    Usage.DATA_AND_METADATA: "data+metadata",
    Usage.METADATA_ONLY: "metadata",
    Usage.DATA_ONLY: "data",
    Usage.DESC_ONLY: "descriptor",
    Usage.LOCAL_CACHE: "local cache",
}
"""What a disk may hold, short enough for a column; `Usage.value` is the stanza's own word."""


@lru_cache(maxsize=4096)
def folded(names: tuple[str, ...]) -> str:
    """Names as one short text; remembered, for it takes a millisecond and the same servers have many disks."""
    return fold(names)
