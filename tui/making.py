"""Plans that are made on the screens: of the devices that are marked there, and kept in a file."""

from __future__ import annotations

import asyncio
from pathlib import Path

import msgspec

from supervision.filesystem import Choosing
from supervision.filesystems import Sites
from supervision.gpfs_planning import PlanningError, Wish, make
from supervision.gpfs_selection import PATTERN
from supervision.migration import Ending, StopError
from supervision.plan import Plan, encode
from supervision.recipes.metadata_to_ssd import RECIPE
from supervision.supervisor import Supervisor
from tui.newfile import write_new
from tui.paths import plans_dir


class MetadataPlans:
    """Makes plans of metadata-to-ssd."""

    title = RECIPE.title

    def __init__(self, supervisor: Supervisor, *, by: str, sites: Sites | None = None, plan_id: str = "") -> None:
        """`plan_id` is what a plan is called instead of after its time, where that is settled."""
        self._supervisor = supervisor
        self._by = by
        self._sites = sites
        self._plan_id = plan_id

    async def make(self, choosing: Choosing) -> tuple[Plan, tuple[str, ...]]:
        """A plan of what the cluster has. Raises SiteError and StopError."""
        try:
            made = await make(self._supervisor, wish_of(choosing), by=self._by, sites=self._sites)
        except PlanningError as error:
            raise StopError(Ending.UNKNOWN if error.unread else Ending.REFUSED, str(error)) from None
        plan = msgspec.structs.replace(made.plan, id=self._plan_id) if self._plan_id else made.plan
        against = tuple(f"{check.title}: {check.read}" for check in made.checks if check.outcome.value == "warning")
        return plan, (*against, *made.warnings)

    async def keep(self, plan: Plan) -> str:
        """Write it among the program's own files; its path. Raises OSError."""
        path = plans_dir() / f"{plan.id}.toml"
        await asyncio.to_thread(_keep, path, encode(plan))
        return str(path)


def _keep(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    write_new(path, text)


def wish_of(choosing: Choosing) -> Wish:
    """What the marked devices mean: each by its identity, once. Raises StopError for one that has none."""
    marked = [key.partition(" ")[2] for key in choosing.marks]
    unproven = [key for key, what in zip(choosing.marks, marked, strict=True) if what.startswith("=")]
    if unproven:
        raise StopError(Ending.REFUSED, f"no identity proves {unproven[0]}: take its mark away on 3 Devices")
    return Wish(devices=tuple(dict.fromkeys(marked)), groups=choosing.answers, pattern=choosing.pattern or PATTERN)
