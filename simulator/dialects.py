"""The releases the simulator speaks, and what tells them apart.

What a release prints or accepts is asked of `Dialect.at_least` where it is printed; here stands what is more than
one comparison. Sources are IBM's manuals of the releases and public outputs of them; where a release between two
known ones was not seen, the later of the two forms is used from the release that changed most (5.0).
"""

from __future__ import annotations

from dataclasses import dataclass

_Y_ON_3_5 = frozenset({"mmlsfs", "mmlsdisk", "mmdf", "mmlssnapshot"})
_Y_SINCE_4_2 = frozenset({"mmlscluster", "mmgetstate", "mmlsconfig", "mmlsmgr", "mmlsmount", "mmhealth"})
_Y_SINCE_5 = frozenset({"mmlsnsd", "mmlsqos", "mmdiag"})
_NEW_IN_4_2 = frozenset({"mmlsqos", "mmchqos", "mmhealth"})


@dataclass(frozen=True)
class Dialect:
    """One release. `version` is what `mmlsfs -V` tells; `lsblk` the util-linux release of its hosts."""

    name: str
    release: tuple[int, int]
    version: str
    lsblk: tuple[int, int]

    def at_least(self, *release: int) -> bool:
        """Whether this release is that one or later."""
        return self.release >= release

    def has(self, command: str) -> bool:
        """Whether the release has a command at all."""
        return command not in _NEW_IN_4_2 or self.at_least(4, 2)

    def has_y(self, command: str) -> bool:
        """Whether a command knows -Y in this release."""
        return (
            command in _Y_ON_3_5
            or (command in _Y_SINCE_4_2 and self.at_least(4, 2))
            or (command in _Y_SINCE_5 and self.at_least(5, 0))
        )

    @property
    def failure_tail(self) -> str:
        """The last line of a command that failed, after its name."""
        gap = " " if self.at_least(4, 2) else "  "
        return f"Command failed.{gap}Examine previous error messages to determine cause."

    def propagating(self, command: str) -> str:
        """What a command says when it has changed the configuration."""
        if self.at_least(6, 0):
            return f"{command}: mmsdrfs propagation completed.\n"
        return (
            f"{command}: Propagating the cluster configuration data to all\n"
            "  affected nodes.  This is an asynchronous process.\n"
        )

    @property
    def suspended(self) -> str:
        """The status of a disk after `mmchdisk suspend`; from 4.1.1 on that is the same as `empty`."""
        return "to be emptied" if self.at_least(4, 2) else "suspended"


DIALECTS = {
    dialect.name: dialect
    for dialect in (
        Dialect("3.5", (3, 5), "13.23 (3.5.0.7)", (2, 23)),
        Dialect("4.2", (4, 2), "17.00 (4.2.3.0)", (2, 23)),
        Dialect("5.2", (5, 2), "35.00 (5.2.1.0)", (2, 32)),
        Dialect("6.0", (6, 0), "38.00 (6.0.0.0)", (2, 37)),
    )
}
"""By name."""
