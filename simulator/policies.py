"""Switches for what public sources leave open. The first value of each is the default."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from typing import Any

CHOICES: Mapping[str, tuple[str, ...]] = {
    "client_death": ("abort", "continue"),
    "conflict": ("wait", "wait_silently", "terminate", "terminate_inode_space"),
    "progress_stream": ("stdout", "stderr"),
    "attention_stream": ("stdout", "stderr"),
    "buffering": ("line", "block", "block_always"),
    "messages": ("plain", "numbered"),
    "metadata_only_attention": ("stays", "goes"),
    "balance_attention": ("never", "after_add"),
    "qos_effect": ("slows", "nothing"),
    "command_waits": ("unseen", "seen"),
}
NUMBERS: Mapping[str, range] = {"pit_limit": range(10_001), "pit_threads_per_node": range(1, 65)}


@dataclass
class Policies:
    """All policies with their values."""

    client_death: str = "abort"
    """What a restripe does when its command is killed: `abort` within a minute, or `continue`."""
    conflict: str = "wait"
    """What a second command does while one has the file system to itself: `wait` (6027-2763), `wait_silently`,
    `terminate` (6027-2764) or `terminate_inode_space` (6027-2748)."""
    progress_stream: str = "stdout"
    """Where phases and percentages are printed."""
    attention_stream: str = "stdout"
    """Where `Attention:` sentences are printed."""
    buffering: str = "line"
    """`block`: a stdout that is no terminal is held back in blocks, unless `stdbuf -oL` was used;
    `block_always`: even then."""
    messages: str = "plain"
    """`numbered`: with the numbers of the message catalogue, as on AIX."""
    metadata_only_attention: str = "stays"
    """What `mmrestripefs -r --metadata-only` does to the `no longer properly replicated` sentence."""
    balance_attention: str = "never"
    """Whether mmlsdisk says `no longer properly balanced` after mmadddisk, until a `-b`."""
    qos_effect: str = "slows"
    """What a limit for the class `maintenance` does to a restripe; in 6.0 it may not bite on metadata.
    With `nothing` it goes on at its speed, and most of its rate is in the class `misc`."""
    command_waits: str = "unseen"
    """Whether the thread that waits for a restripe's helpers from its beginning to its end is among the waiters of
    the file system manager."""
    pit_limit: int = 0
    """Worker threads of all nodes of a restripe together that are refused beyond; 0 for no limit."""
    pit_threads_per_node: int = 16
    """`pitWorkerThreadsPerNode`."""
    down_nodes: list[str] = field(default_factory=list)
    """Hosts whose daemon is down."""

    def change(self, name: str, value: Any, hosts: Collection[str]) -> None:
        """Set one policy; ValueError for a name or value that does not exist."""
        if name in CHOICES:
            if value not in CHOICES[name]:
                raise ValueError(f"{name} is one of {', '.join(CHOICES[name])}")
        elif name in NUMBERS:
            numbers = NUMBERS[name]
            if not isinstance(value, int) or value not in numbers:
                raise ValueError(f"{name} is one of the whole numbers {numbers.start} to {numbers.stop - 1}")
        elif name != "down_nodes":
            raise ValueError(f"no policy {name!r}: {', '.join((*CHOICES, *NUMBERS))} or down_nodes")
        elif not isinstance(value, list) or not set(value) <= set(hosts):
            raise ValueError(f"down_nodes is a list of {', '.join(sorted(hosts))}")
        setattr(self, name, value)
