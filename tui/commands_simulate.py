"""The simulated cluster, and what can happen to it.

Only click is imported here: everything heavy stands inside the command that uses it.
"""

from __future__ import annotations

from pathlib import Path

import click


@click.group(invoke_without_command=True)
@click.option("--scenario", default="seed", show_default=True, metavar="NAME", help="Which cluster; see above.")
@click.option(
    "--dir",
    "directory",
    type=click.Path(file_okay=False, path_type=Path),
    help="A new or empty directory for it, emptied at the end; without it one of the user's own below /tmp.",
)
@click.option("--speed", type=click.FloatRange(0.01, 1_000_000), default=600.0, show_default=True, metavar="N")
@click.option("--hosts", type=click.IntRange(min=1), metavar="N", help="Hosts of scenario big.")
@click.option("--disks", type=click.IntRange(min=1), metavar="M", help="Disks of scenario big, or of scale.")
@click.pass_context
def simulate(
    context: click.Context,
    *,
    scenario: str,
    directory: Path | None,
    speed: float,
    hosts: int | None,
    disks: int | None,
) -> None:
    """Keep a simulated cluster running, to be reached over SSH, until ctrl-C.

    Scenarios: seed (three servers, GPFS 3.5; seed-4.2, seed-5.2 and seed-6.0 are the same cluster in later
    releases), scale (22 hosts, 128 NSDs behind multipath), big (as large as asked for). --speed is the number of
    simulated seconds that pass in a real one.
    """
    if context.invoked_subcommand is None:
        from tui.running import run_to_exit
        from tui.simulate import run

        run_to_exit(run(scenario, directory, speed, hosts, disks))
    context.obj = directory


@simulate.command()
@click.option(
    "--dir",
    "directory",
    type=click.Path(file_okay=False, path_type=Path),
    help="The directory of the cluster; without it that of `restripe simulate` without --dir.",
)
@click.argument("op")
@click.argument("arguments", nargs=-1, metavar="[KEY=VALUE]...")
@click.pass_context
def ctl(context: click.Context, *, directory: Path | None, op: str, arguments: tuple[str, ...]) -> None:
    """Let something happen to a simulated cluster, or ask what is so; the answer is JSON.

    OP is facts, history, environment, set_policy, reboot, power_off, power_on, cut, freeze, slow, disk, daemon,
    manager, quorum, job_disk, fill, occupy, qos, outsider, start_over, stall, pace, users, waiter, config, snapshot,
    log, rotate, set_device, nsddevices or shutdown. A VALUE is JSON or a plain word: `ctl reboot host=pollux2`,
    `ctl set_policy conflict=terminate`, `ctl stall seconds=1800`.
    """
    from tui.running import run_to_exit
    from tui.simulate import request

    run_to_exit(request(directory or context.obj, op, arguments))
