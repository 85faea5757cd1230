"""The commands about plans and what became of them.

Only click is imported here: everything heavy stands inside the command that uses it.
"""

from __future__ import annotations

from pathlib import Path

import click

from tui import options

_NEW = click.Path(dir_okay=False, path_type=Path)
_FILE = click.Path(exists=True, dir_okay=False, path_type=Path)


@click.command()
@click.argument("recipe", required=False, type=click.Choice(["metadata-to-ssd"]))
@click.argument("destination", required=False, metavar="[USER@]HOST")
@click.option(
    "--show", "shown", type=_FILE, metavar="FILE", help="Print this plan as a runbook (Markdown); ask no host."
)
@click.option("--fs", metavar="NAME", help="The file system.")
@click.option(
    "-o", "--output", type=click.Path(dir_okay=False, path_type=Path), help="Write this new file, not stdout."
)
@click.option(
    "--device", "devices", multiple=True, metavar="ID", help="A device, by WWN or serial number; unsaid, all free SSDs."
)
@click.option("--group", "groups", multiple=True, metavar="PLACE=GROUP", help="A failure group where none is certain.")
@click.option("-N", "--nodes", metavar="NODES", help="The nodes of the restripe, a,b,c; unsaid, the servers.")
@click.option("--names", metavar="PATTERN", help="Names of new NSDs: {server} {n} {group} {slot} {serial}.")
@click.option("--metadata-only", is_flag=True, help="Leave data out of the restripe, where the release can.")
@click.option(
    "--assume", "assumed", multiple=True, metavar="NAME=VALUE", help="Of the size: each_plan=4096, mounts=200."
)
@options.way
@click.option("--sudo/--no-sudo", default=None, help="Run mm commands, and read devices, under sudo -n.")
def plan(
    *,
    recipe: str | None,
    destination: str | None,
    shown: Path | None,
    fs: str | None,
    output: Path | None,
    devices: tuple[str, ...],
    groups: tuple[str, ...],
    nodes: str | None,
    names: str | None,
    metadata_only: bool,
    assumed: tuple[str, ...],
    config: Path | None,
    jump: str | None,
    through: str | None,
    sudo: bool | None,
) -> None:
    """Make a plan for a RECIPE from what a cluster tells, or --show one. Nothing is changed.

    The plan is a file that people read, change and keep: the devices by identity, the stanzas, the nodes, how much
    metadata there will be, and what all of it rests on. Exit status: 0 made, 6 made with warnings, 4 no plan can be
    made (the reason is told), 5 something could not be read.
    """
    from tui.planning import Asked, UsageError, run, show, wish
    from tui.running import run_to_exit

    if shown:
        if recipe or destination:
            raise click.UsageError("--show FILE prints a plan; RECIPE and HOST make one")
        raise SystemExit(show(shown))
    if not recipe or not destination:
        raise click.UsageError("name a RECIPE and a HOST, or --show FILE")
    from tui.using import settings_or_exit, way

    settings = settings_or_exit()
    target, name = way(settings, destination, fs, config=config, jump=jump, through=through, sudo=sudo)
    if not name:
        raise click.UsageError("a plan needs --fs NAME")
    try:
        wanted = wish(Asked(devices, groups, nodes or "", names or "", metadata_only, assumed))
    except UsageError as error:
        raise click.UsageError(str(error)) from None
    run_to_exit(run(target, name, wanted, output, sites=settings.config.sites))


@click.command()
@click.argument("recording", required=False, type=_FILE)
@click.option("--json", "as_json", is_flag=True, help="JSON instead of Markdown.")
@click.option("-o", "--output", type=_NEW, help="Write this new file, not stdout.")
def report(*, recording: Path | None, as_json: bool, output: Path | None) -> None:
    """Report on a RECORDING, the newest of yours without one, as Markdown for a ticket. Asks no host.

    What was done, when and by whom, each command with its files and exit code, the disks before and after, warnings and
    who acknowledged them, forecasts against the truth, the recording's checksum, and a line for cron that watches from
    now on. Of a session that goes on it tells what was recorded so far.
    """
    from tui.paths import newest_recording
    from tui.reporting import run

    found = recording or newest_recording()
    if found is None:
        raise click.UsageError("you have recorded nothing yet: name a RECORDING (restripe recordings lists some)")
    raise SystemExit(run(found, output, as_json=as_json))


@click.command()
@click.argument("plan", metavar="PLAN")
@click.argument("destination", required=False, metavar="[USER@]HOST")
@click.option("--yes-to", "steps", multiple=True, metavar="STEP", help="Confirm this step's command: mmcrnsd, ...")
@click.option(
    "--acknowledge", "keys", multiple=True, metavar="KEY", help="Take note of this warning. Never of a block."
)
@click.option(
    "--undo", metavar="STEP", help="Take back everything up to and with this step; what moves data is stopped."
)
@click.option("--way-out", is_flag=True, help="Of --undo only its first: old disks take metadata again.")
@click.option("--move", is_flag=True, help="Go on with HOST as the host of the commands, when the plan's is down.")
@click.option("--detach", is_flag=True, help="Leave once a job of hours runs; the same command follows it again.")
@click.option("--record", type=_NEW, help="Record into this new file.")
@options.way
@click.option("--sudo/--no-sudo", default=None, help="Run mm commands, and read devices, under sudo -n.")
def migrate(
    *,
    plan: str,
    destination: str | None,
    steps: tuple[str, ...],
    keys: tuple[str, ...],
    undo: str | None,
    way_out: bool,
    move: bool,
    detach: bool,
    record: Path | None,
    config: Path | None,
    jump: str | None,
    through: str | None,
    sudo: bool | None,
) -> None:
    """Go on with the migration of a PLAN: a file, or the id of one that was begun on HOST.

    Where it stands is found in the jobs on the hosts and in the cluster's own tables, so the same command goes on
    after anything. Without --yes-to it only looks. A step is confirmed by its name, a warning acknowledged by its key,
    a block by nothing. Exit status: 0 done, or left by --detach; 6 done with warnings; 4 blocked, or a step is not
    confirmed; 1 a step failed; 5 it is not known what a step did; 3 not reached.
    """
    from tui.migrate import Wanted, Way, go_on
    from tui.running import run_to_exit
    from tui.using import settings_or_exit

    if way_out and not undo:
        raise click.UsageError("--way-out goes with --undo STEP")
    wanted = Wanted(steps, keys, undo or "", way_out, move, detach)
    settings = settings_or_exit()
    flags = Way(config=config, jump=jump, through=through, sudo=sudo)
    run_to_exit(go_on(settings, plan, destination, wanted, flags, record=record))
