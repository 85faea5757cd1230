"""metadata-to-ssd: all metadata of a GPFS file system onto new SSDs, the procedure of 2013 with each of its traps.

Look; find the SSDs by identity; see whether it fits; make them NSDs; add them as metadataOnly; turn the old disks
dataOnly; restripe; look again. What takes it back runs the other way.
"""

from __future__ import annotations

from remote.checked import Check, Outcome
from remote.command import Command
from remote.gpfs import commands as gpfs
from remote.gpfs.models import Managers, NodeStates
from supervision import gpfs_preflight
from supervision.gpfs_hosts import hosts_of
from supervision.plan import Plan
from supervision.recipe import GuidedStep, Recipe
from supervision.recipes.metadata_to_ssd.adding import AddDisks, DeleteDisks
from supervision.recipes.metadata_to_ssd.base import UnreadError, need, view_of
from supervision.recipes.metadata_to_ssd.changing import ChangeBack, ChangeOldDisks
from supervision.recipes.metadata_to_ssd.looking import Devices, Look, Size
from supervision.recipes.metadata_to_ssd.making import CreateNsds, DeleteNsds
from supervision.recipes.metadata_to_ssd.restriping import Proof, RestripeAll
from supervision.state import State

NAME = "metadata-to-ssd"


class MetadataToSsd:
    """The recipe."""

    name = NAME
    title = "all metadata to the new SSDs"

    def steps(self, plan: Plan) -> tuple[GuidedStep, ...]:
        """The eight steps."""
        back, out, off = ChangeBack(), DeleteDisks(), DeleteNsds()
        return (
            Look(),
            Devices(),
            Size(),
            CreateNsds((off,)),
            AddDisks((out, off)),
            ChangeOldDisks((back, out, off)),
            RestripeAll((back, out, off)),
            Proof((back, out, off)),
        )

    def hosts(self, state: State, plan: Plan) -> tuple[str, ...]:
        """The servers of the old and the new disks, and the manager."""
        names = [server for disk in plan.devices for server in disk.servers]
        names += [server for disk in plan.old_disks for server in disk.servers]
        view = view_of(state, plan)
        managers = view.facts.get(Managers)
        manager = managers.of(view.name) if managers else None
        names += [manager.node or manager.address] if manager else []
        return tuple(dict.fromkeys((*hosts_of(view, plan.host, names), *gpfs_preflight.hosts(view, plan))))

    def tables(self, plan: Plan) -> tuple[Command, ...]:
        """The cluster's own tables, and the threads of a restripe that may still be at work."""
        fs = plan.file_system
        tables = (gpfs.mmlscluster(), gpfs.mmlsfs(fs), gpfs.mmlsdisk(fs), gpfs.mmlsnsd_devices(), gpfs.mmdf(fs))
        return (*tables, gpfs.mmdiag_waiters())

    def down_questions(self, plan: Plan) -> tuple[Command, ...]:
        """Which daemons are up."""
        return (gpfs.mmgetstate(),)

    def is_down(self, state: State, plan: Plan, host: str, since: float) -> Check:
        """Whether GPFS says that the daemon of a host does not take part any more."""
        key, title, source = "host-down", f"{host} takes no part in the cluster any more", "mmgetstate -a"
        view = view_of(state, plan)
        try:
            states = need(view, NodeStates, since)
        except UnreadError as error:
            return Check(key, title, Outcome.UNKNOWN, str(error), "Ask again", None, source)
        node = view.node_of(host)
        mine = [each for each in states.nodes if node is not None and view.node(each.name) is node]
        at = view.at(NodeStates)
        if not mine:
            return Check(key, title, Outcome.UNKNOWN, f"{host} is not in the list", "See mmgetstate -a", at, source)
        if mine[0].state == "active":
            advice = "It cannot be reached from here, but may run the command: reach it, or see that it is down"
            return Check(key, title, Outcome.BLOCK, f"{mine[0].name} is active", advice, at, source)
        return Check(key, title, Outcome.PASS, f"{mine[0].name} is {mine[0].state}", "", at, source)


RECIPE: Recipe = MetadataToSsd()
