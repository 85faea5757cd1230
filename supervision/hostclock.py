"""How far a host's clock is from the Site's, as far as the host has told."""

from __future__ import annotations

from collections.abc import Mapping

from remote.linux.host_time import HostTime
from supervision.facts import Fact

EXACT = 2.0
"""Seconds that two clocks may seem to differ only because hosts tell whole seconds, and the answer takes a while."""


def ahead(facts: Mapping[str, Fact], host: str) -> float:
    """Seconds that a host's clock is ahead of the Site's (negative: behind); 0 where nothing is known of it."""
    fact = facts.get(f"time {host}")
    told = fact.parsed.model if fact and fact.parsed else None
    if fact is None or not isinstance(told, HostTime):
        return 0.0
    seconds = told.epoch - (fact.at + fact.took / 2)
    return seconds if abs(seconds) > EXACT + fact.took / 2 else 0.0
