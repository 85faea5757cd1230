"""Checks of settings that decide what happens when something fails: restripeOnDiskFailure, autoload, and health."""

from __future__ import annotations

from remote.gpfs.models import ClusterConfig, NodeHealth, NsdList
from supervision.gpfs_preflight_disks import names_text
from supervision.gpfs_preflight_grounds import Finding, Grounds, Rule, note, passed, warning
from supervision.gpfs_preflight_nodes import hosts_that_matter

_WELL = ("HEALTHY", "TIPS", "DISABLED", "CHECKING", "STARTING")
_LONG = 6
_FORCED = "fs_forced_unmount"


def _on_failure(grounds: Grounds) -> Finding:
    """With it GPFS suspends failed disks by itself, and ends a restripe that runs to begin its own."""
    value = (grounds.need(ClusterConfig).get("restripeOnDiskFailure") or "no").lower()
    if value == "yes":
        text = "restripeOnDiskFailure is yes"
        return warning(text, "When a disk fails GPFS suspends it, stops this restripe and begins its own: be prepared")
    return passed(f"restripeOnDiskFailure is {value}")


def _autoload(grounds: Grounds) -> Finding:
    config = grounds.need(ClusterConfig)
    value = (config.get("autoload") or "no").lower()
    apart = [entry for entry in config.overrides("autoload") if (entry.value or "no").lower() != "yes"]
    if value == "yes" and not apart:
        return passed("autoload is yes: a node that reboots comes back by itself")
    names = ", ".join(name for entry in apart for name in entry.nodes)
    text = f"autoload is {value}" + (f", and not yes for {names}" if names else "")
    return note(
        text, "After a reboot GPFS must be started there by hand (mmstartup), and its disks too (mmchdisk start)"
    )


def _health(grounds: Grounds) -> Finding:
    """What mmhealth finds wrong on the servers; it came with 4.2. One that does not answer is for a person, too."""
    found: list[str] = []
    hosts = hosts_that_matter(grounds.view, grounds.plan)
    lacking = [host for host in hosts if grounds.lacks(NodeHealth, host)]
    for host in (host for host in hosts if host not in lacking):
        told = grounds.may(NodeHealth, host)
        found += _unwell(told, host) if told else [f"mmhealth tells nothing on {host}"]
    if found:
        more = f" and {len(found) - _LONG} more" if found[_LONG:] else ""
        forced = any(text.startswith(_FORCED) for text in found)
        advice = (
            "A forced unmount means that files were cut off: find out why" if forced else "See mmhealth node show there"
        )
        return warning("; ".join(found[:_LONG]) + more, f"{advice}, and go on only when you know that it is no matter")
    if lacking and len(lacking) == len(hosts):
        return note(grounds.lacks(NodeHealth, lacking[0]), "Forced unmounts are in mmfs.log.latest alone: look there")
    return passed(f"mmhealth finds nothing wrong on {len(hosts)} hosts")


def _unwell(told: NodeHealth, host: str) -> list[str]:
    """What is not well on a host, in words: forced unmounts and components, else the node as a whole."""
    found = [f"{_FORCED} on {host}" for event in told.events if event.event == _FORCED][:1]
    found += [
        f"{state.component} is {state.status} on {host}"
        for state in told.states
        if state.kind == "NODE" and state.component != "NODE" and state.status not in _WELL
    ]
    return found or ([] if told.status in ("", *_WELL) else [f"{host} is {told.status}"])


def _thin(grounds: Grounds) -> Finding:
    """A restripe gives up the emergency space of thin disks, says a notice of IBM."""
    listed = grounds.need(NsdList)
    thin = [nsd.nsd for nsd in listed.nsds if nsd.fs == grounds.view.name and nsd.thin.lower() not in ("", "no")]
    if thin:
        text = f"{names_text(thin)} is thinly provisioned"
        return warning(
            text, "A restripe may take the space that is kept for emergencies: see that there is enough below"
        )
    return passed("no disk is told to be thinly provisioned")


THIN = Rule("thin-disks", "No disk is thinly provisioned", _thin)
ON_FAILURE = Rule("restripe-on-failure", "GPFS begins no restripe of its own", _on_failure)
AUTOLOAD = Rule("autoload", "Nodes come back by themselves", _autoload)
HEALTH = Rule("health", "mmhealth finds nothing wrong", _health)
