"""The commands that ask hosts, without screens.

Only click is imported here: everything heavy stands inside the command that uses it.
"""

from __future__ import annotations

from pathlib import Path

import click

from tui import options


@click.command()
@click.argument("destination", metavar="[USER@]HOST")
@click.argument("job", required=False, default="")
@options.file_system("The file system; unsaid, that of the newest scan of HOST.")
@click.option("--log", "log", metavar="PATH", help="Instead of a JOB: the log of a scan that others started, on HOST.")
@click.option("--pid", type=click.IntRange(min=1), metavar="PID", help="The process that the log is of.")
@click.option("--until", type=click.Choice(["done"]), help="done: end when the scan ends; usual with JOB and --log.")
@click.option("--notify", metavar="CMD", help="Run CMD on an end, a stall, a budget exceeded, a forecast that moved.")
@click.option("--each-line", is_flag=True, help="A line whenever lines of progress came, not only for each change.")
@click.option("--json", "as_json", is_flag=True, help="One JSON object a line.")
@options.way
@click.option("--sudo/--no-sudo", default=None, help="Run mm commands, and look at processes, under sudo -n.")
@click.option("--record", type=click.Path(dir_okay=False, path_type=Path), help="Record into this new file.")
def watch(
    *,
    destination: str,
    job: str,
    fs: str | None,
    gfs2: str | None,
    log: str | None,
    pid: int | None,
    until: str | None,
    notify: str | None,
    each_line: bool,
    as_json: bool,
    config: Path | None,
    jump: str | None,
    through: str | None,
    sudo: bool | None,
    record: Path | None,
) -> None:
    """Watch a restripe without a screen: one line a change, fit for a log or a chat bridge.

    JOB is a job of restripe, --log what somebody else's restripe writes (tee, screen -L, nohup); without either it is
    the newest scan, whoever started it. Nothing is changed, and everything is recorded. With JOB, --log or --until done
    it ends when the scan has ended; else it goes on with the next one, until ctrl-C.

    CMD is run without a shell, with two more arguments: a word (finish, failure, unknown, stall, over-budget, forecast)
    and a text; both are in RESTRIPE_EVENT and RESTRIPE_TEXT, too. Exit status: 0 finished, 6 finished by its last lines
    alone (nobody knows the exit code of what others started), 1 failed, 5 unknown, 3 could not connect.
    """
    if job and log:
        raise click.UsageError("JOB or --log, not both")
    if pid and not log:
        raise click.UsageError("--pid goes with --log")
    if log and not log.startswith("/"):
        raise click.UsageError("--log needs an absolute path on HOST")
    from tui.notifying import Notifier, NotifyError, words_of
    from tui.running import run_to_exit
    from tui.using import settings_or_exit, way
    from tui.watch import Wanted, run

    try:
        notifier = Notifier(words_of(notify)) if notify is not None else None
    except NotifyError as error:
        raise click.UsageError(str(error)) from None
    settings = settings_or_exit()
    target, name = way(settings, destination, fs, gfs2=gfs2, config=config, jump=jump, through=through, sudo=sudo)
    wanted = Wanted(job, log or "", pid, until == "done", as_json, each_line)
    run_to_exit(run(target, name, wanted, notifier=notifier, record=record, settings=settings))


@click.command()
@click.argument("kind", type=click.Choice(["cluster", "disks", "nsds", "df", "devices", "jobs"]))
@click.argument("destination", metavar="[USER@]HOST")
@options.file_system("The file system; needed for disks and df.")
@options.way
@click.option("--sudo/--no-sudo", default=None, help="Run mm commands under sudo -n.")
@click.option("--servers", is_flag=True, help="devices, jobs: on every NSD server of the cluster, not only on HOST.")
@click.option("--json", "as_json", is_flag=True, help="One JSON object instead of a table.")
def show(
    *,
    kind: str,
    destination: str,
    fs: str | None,
    gfs2: str | None,
    config: Path | None,
    jump: str | None,
    through: str | None,
    sudo: bool | None,
    servers: bool,
    as_json: bool,
) -> None:
    """Show what a cluster says of itself: its nodes, disks, NSDs, space, devices or jobs. Nothing is changed.

    Of a GFS2, cluster tells where it is mounted, and df its resource groups by how full they are.
    """
    if gfs2 and (servers or kind == "nsds"):
        raise click.UsageError("GFS2 has neither NSDs nor servers of them")
    if servers and kind not in ("devices", "jobs"):
        raise click.UsageError("--servers goes with devices and jobs")
    from tui.using import settings_or_exit, way

    target, name = way(
        settings_or_exit(), destination, fs, gfs2=gfs2, config=config, jump=jump, through=through, sudo=sudo
    )
    if kind in ("disks", "df") and not name:
        raise click.UsageError(f"show {kind} needs --fs NAME")
    from tui.running import run_to_exit
    from tui.show import run

    run_to_exit(run(kind, target, name, servers=servers, as_json=as_json))


@click.command()
@click.argument("stanza", metavar="STANZA")
@click.argument("destination", metavar="[USER@]HOST")
@click.option("--fs", metavar="NAME", help="The file system that the disks are for: its groups and alignment count.")
@click.option("--pin", type=click.Path(dir_okay=False, path_type=Path), help="Write the identities to this new file.")
@click.option(
    "--against", type=click.Path(exists=True, dir_okay=False, path_type=Path), help="Compare with an earlier pin."
)
@options.way
@click.option("--sudo/--no-sudo", default=None, help="Run mm commands, and read devices, under sudo -n.")
@click.option("--json", "as_json", is_flag=True, help="One JSON object instead of a table.")
def verify(
    *,
    stanza: str,
    destination: str,
    fs: str | None,
    pin: Path | None,
    against: Path | None,
    config: Path | None,
    jump: str | None,
    through: str | None,
    sudo: bool | None,
    as_json: bool,
) -> None:
    """Prove a STANZA file before mmcrnsd: which device is which on every server that it names.

    Every server is looked at; a device counts by WWN or serial number and size, never by its name. Nothing is changed,
    so it is fit for cron. Exit status: 0 all proven, 6 with warnings, 4 blocked, 5 something could not be read.
    """
    if pin and against:
        raise click.UsageError("--pin or --against, not both")
    from tui.running import run_to_exit
    from tui.using import settings_or_exit, way
    from tui.verify import run

    settings = settings_or_exit()
    target, name = way(settings, destination, fs, config=config, jump=jump, through=through, sudo=sudo)
    sites = settings.config.sites
    run_to_exit(run(stanza, target, name, pin=pin, against=against, as_json=as_json, sites=sites))


@click.command()
@click.argument("destination", metavar="[USER@]HOST")
@click.argument("directory", required=False)
@click.option("--interval", type=click.FloatRange(1, 60), metavar="SECONDS", help="Mean between two probes; 20.")
@click.option("--budget", type=click.FloatRange(1, 1000), metavar="N", help="How many times as long it may take; 3.")
@click.option("--write", is_flag=True, help="Start it; else only the command is shown.")
@click.option("--fs", metavar="NAME", help="The file system, for the job's name.")
@options.way
def probe(
    *,
    destination: str,
    directory: str | None,
    interval: float | None,
    budget: float | None,
    write: bool,
    fs: str | None,
    config: Path | None,
    jump: str | None,
    through: str | None,
) -> None:
    """Probe users' latency in a DIRECTORY of HOST: create, look at and remove a file every so often.

    It runs there as a detached job, before, during and after a restripe, and ends by itself after four weeks; `connect`
    shows what it tells, and stops it. What is not given may stand in the configuration file.
    """
    from supervision.probejob import MEAN, Wish
    from tui.probe import run
    from tui.running import run_to_exit
    from tui.using import settings_or_exit, way

    settings = settings_or_exit()
    target, name = way(settings, destination, fs, config=config, jump=jump, through=through, sudo=False)
    given = settings.probe(destination)
    where = directory or given.directory
    if not where:
        raise click.UsageError("name a directory, or set it for this host in the configuration file")
    locked = settings.read_only(destination) if write else ""
    if locked:
        click.echo(f"--write has no effect: {locked}", err=True)
    wish = Wish(where, target.host, interval or given.interval or MEAN, budget or given.budget)
    run_to_exit(run(target, name, wish, armed=write and not locked))
