"""The command line. Only click is imported here: everything heavy stands inside the command that uses it."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

import click

from tui.loading import loading

EXITS = """\b
Exit statuses:
  0  done, and every result was verified
  1  failed
  2  wrong usage
  3  could not connect
  4  refused for safety
  5  unknown: the far side must be looked at
  6  done, with warnings
  130  interrupted from the keyboard
"""


Command = TypeVar("Command", bound=Callable[..., None])


def _on_screens(command: Command) -> Command:
    """What every command with screens can be told of them; unsaid, the environment and the file are asked."""
    themes = click.Choice(["dark", "light", "ansi"])
    command = click.option("--theme", type=themes, help="Colours; ansi: the terminal's own.")(command)
    return click.option("--mouse/--no-mouse", default=None, help="Whether the mouse is the program's.")(command)


@click.group(context_settings={"help_option_names": ["-h", "--help"]}, epilog=EXITS)
@click.version_option(package_name="restripe", prog_name="restripe")
def cli() -> None:
    """Supervise the migration and restripe of a live cluster file system, over SSH."""


@cli.command()
@click.option("--plain", is_flag=True, help="Lines of text instead of screens; usual where stdout is no terminal.")
@click.option("--auto", is_flag=True, help="On the screens: begin the migration without waiting for you.")
@click.option(
    "--speed",
    type=click.FloatRange(1, 100_000),
    default=600.0,
    show_default=True,
    metavar="N",
    help="Simulated seconds that pass in a real one.",
)
@click.option("--json", "as_json", is_flag=True, help="One JSON object on stdout at the end, all else on stderr.")
@click.option(
    "--record",
    type=click.Path(dir_okay=False, path_type=Path),
    help="Record into this new file instead of the usual place.",
)
@_on_screens
def demo(
    *,
    plain: bool,
    auto: bool,
    speed: float,
    as_json: bool,
    record: Path | None,
    theme: str | None,
    mouse: bool | None,
) -> None:
    """Migrate the metadata of a simulated 350 TB file system to SSDs.

    Real SSH to simulated hosts, detached jobs, everything recorded. It takes about a minute and needs nothing but
    this machine. On a terminal the screens open and wait for you; in a pipe, or with --plain, it runs by itself and
    tells of it in lines.
    """
    from tui.running import run_to_exit

    if plain or as_json or not _on_terminal():
        from tui.demo import run

        run_to_exit(run(speed=speed, as_json=as_json, record=record))
    loading()
    from tui.showing import demo as show_demo
    from tui.using import settings_or_exit

    settings = settings_or_exit(theme=theme, mouse=mouse)
    run_to_exit(show_demo(speed=speed, record=record, auto=auto, settings=settings))


@cli.command()
@click.argument("file", required=False, type=click.Path(exists=True, dir_okay=False, path_type=Path))
@click.option("--plain", is_flag=True, help="Lines of text instead of screens; usual where stdout is no terminal.")
@click.option(
    "--speed",
    type=click.FloatRange(min=0, min_open=True),
    metavar="N",
    help="Play N times as fast as it was; without it lines come at once, and screens play at 60.",
)
@click.option("--from", "start", metavar="TIME", help="Begin at HH:MM:SS, at +MINUTES, or at a mark's first words.")
@_on_screens
def replay(
    *, file: Path | None, plain: bool, speed: float | None, start: str | None, theme: str | None, mouse: bool | None
) -> None:
    """Replay a recorded session, the newest of yours without FILE. Nothing is asked of any host."""
    from tui.paths import newest_recording
    from tui.running import run_to_exit

    file = file or newest_recording()
    if file is None:
        raise click.UsageError("you have recorded nothing yet: name a FILE (restripe recordings lists some)")

    if plain or not _on_terminal():
        from tui.replay import run

        run_to_exit(run(file, speed=speed, start=start))
    loading()
    from tui.showing import replay as show_replay
    from tui.using import settings_or_exit

    settings = settings_or_exit(theme=theme, mouse=mouse)
    run_to_exit(show_replay(file, speed=speed, start=start, settings=settings))


@cli.command()
@click.argument("destination", metavar="[USER@]HOST")
@click.option("--fs", metavar="NAME", help="The file system.")
@click.option("--write", is_flag=True, help="Arm it: without this nothing can be changed, whatever key is pressed.")
@click.option("-F", "config", type=click.Path(exists=True, dir_okay=False, path_type=Path), help="SSH configuration.")
@click.option("-J", "jump", metavar="JUMP", help="Jump host, as in ssh: [USER@]HOST[:PORT].")
@click.option("--through", metavar="ADMIN", help="Reach every other host by ssh from this node.")
@click.option("--sudo/--no-sudo", default=None, help="Run mm commands under sudo -n.")
@click.option("--record", type=click.Path(dir_okay=False, path_type=Path), help="Record into this new file.")
@_on_screens
def connect(
    *,
    destination: str,
    fs: str | None,
    write: bool,
    config: Path | None,
    jump: str | None,
    through: str | None,
    sudo: bool | None,
    record: Path | None,
    theme: str | None,
    mouse: bool | None,
) -> None:
    """Watch a cluster on the screens. Read-only unless --write; everything is recorded.

    What is not given here may stand in the configuration file, for this host: see `restripe info`.
    """
    if not _on_terminal():
        raise click.UsageError("connect needs a terminal; `restripe show` does without")
    loading()
    from tui.running import run_to_exit
    from tui.showing import connect as show_cluster
    from tui.using import settings_or_exit, way

    settings = settings_or_exit(theme=theme, mouse=mouse)
    target, name = way(settings, destination, fs, config=config, jump=jump, through=through, sudo=sudo)
    if not name:
        raise click.UsageError("name the file system: --fs NAME, or fs for this host in the configuration file")
    locked = settings.read_only(destination) if write else ""
    if locked:
        click.echo(f"--write has no effect: {locked}", err=True)
    run_to_exit(show_cluster(target, name, armed=write and not locked, record=record, settings=settings, locked=locked))


@cli.command()
@click.argument("destination", metavar="[USER@]HOST")
@click.argument("job", required=False, default="")
@click.option("--fs", metavar="NAME", help="The file system; unsaid, that of the newest scan of HOST.")
@click.option("--log", "log", metavar="PATH", help="Instead of a JOB: the log of a scan that others started, on HOST.")
@click.option("--pid", type=click.IntRange(min=1), metavar="PID", help="The process that the log is of.")
@click.option("--until", type=click.Choice(["done"]), help="done: end when the scan ends; usual with JOB and --log.")
@click.option("--notify", metavar="CMD", help="Run CMD on an end, a stall, a budget exceeded, a forecast that moved.")
@click.option("--each-line", is_flag=True, help="A line whenever lines of progress came, not only for each change.")
@click.option("--json", "as_json", is_flag=True, help="One JSON object a line.")
@click.option("-F", "config", type=click.Path(exists=True, dir_okay=False, path_type=Path), help="SSH configuration.")
@click.option("-J", "jump", metavar="JUMP", help="Jump host, as in ssh: [USER@]HOST[:PORT].")
@click.option("--through", metavar="ADMIN", help="Reach every other host by ssh from this node.")
@click.option("--sudo/--no-sudo", default=None, help="Run mm commands, and look at processes, under sudo -n.")
@click.option("--record", type=click.Path(dir_okay=False, path_type=Path), help="Record into this new file.")
def watch(
    *,
    destination: str,
    job: str,
    fs: str | None,
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
    target, name = way(settings, destination, fs, config=config, jump=jump, through=through, sudo=sudo)
    wanted = Wanted(job, log or "", pid, until == "done", as_json, each_line)
    run_to_exit(run(target, name, wanted, notifier=notifier, record=record, settings=settings))


@cli.command()
@click.argument("kind", type=click.Choice(["cluster", "disks", "nsds", "df", "devices", "jobs"]))
@click.argument("destination", metavar="[USER@]HOST")
@click.option("--fs", metavar="NAME", help="The file system; needed for disks and df.")
@click.option("-F", "config", type=click.Path(exists=True, dir_okay=False, path_type=Path), help="SSH configuration.")
@click.option("-J", "jump", metavar="JUMP", help="Jump host, as in ssh: [USER@]HOST[:PORT].")
@click.option("--through", metavar="ADMIN", help="Reach every other host by ssh from this node.")
@click.option("--sudo/--no-sudo", default=None, help="Run mm commands under sudo -n.")
@click.option("--servers", is_flag=True, help="devices, jobs: on every NSD server of the cluster, not only on HOST.")
@click.option("--json", "as_json", is_flag=True, help="One JSON object instead of a table.")
def show(
    *,
    kind: str,
    destination: str,
    fs: str | None,
    config: Path | None,
    jump: str | None,
    through: str | None,
    sudo: bool | None,
    servers: bool,
    as_json: bool,
) -> None:
    """Show what a cluster says of itself: its nodes, disks, NSDs, space, devices or jobs. Nothing is changed."""
    if servers and kind not in ("devices", "jobs"):
        raise click.UsageError("--servers goes with devices and jobs")
    from tui.using import settings_or_exit, way

    target, name = way(settings_or_exit(), destination, fs, config=config, jump=jump, through=through, sudo=sudo)
    if kind in ("disks", "df") and not name:
        raise click.UsageError(f"show {kind} needs --fs NAME")
    from tui.running import run_to_exit
    from tui.show import run

    run_to_exit(run(kind, target, name, servers=servers, as_json=as_json))


@cli.command()
@click.argument("stanza", metavar="STANZA")
@click.argument("destination", metavar="[USER@]HOST")
@click.option("--fs", metavar="NAME", help="The file system that the disks are for: its groups and alignment count.")
@click.option("--pin", type=click.Path(dir_okay=False, path_type=Path), help="Write the identities to this new file.")
@click.option(
    "--against", type=click.Path(exists=True, dir_okay=False, path_type=Path), help="Compare with an earlier pin."
)
@click.option("-F", "config", type=click.Path(exists=True, dir_okay=False, path_type=Path), help="SSH configuration.")
@click.option("-J", "jump", metavar="JUMP", help="Jump host, as in ssh: [USER@]HOST[:PORT].")
@click.option("--through", metavar="ADMIN", help="Reach every other host by ssh from this node.")
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


@cli.command()
@click.argument("destination", metavar="[USER@]HOST")
@click.argument("directory", required=False)
@click.option("--interval", type=click.FloatRange(1, 60), metavar="SECONDS", help="Mean between two probes; 20.")
@click.option("--budget", type=click.FloatRange(1, 1000), metavar="N", help="How many times as long it may take; 3.")
@click.option("--write", is_flag=True, help="Start it; else only the command is shown.")
@click.option("--fs", metavar="NAME", help="The file system, for the job's name.")
@click.option("-F", "config", type=click.Path(exists=True, dir_okay=False, path_type=Path), help="SSH configuration.")
@click.option("-J", "jump", metavar="JUMP", help="Jump host, as in ssh: [USER@]HOST[:PORT].")
@click.option("--through", metavar="ADMIN", help="Reach every other host by ssh from this node.")
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


@cli.command()
@click.argument("command")
@click.argument("file", default="-")
def parse(command: str, file: str) -> None:
    """Turn the saved output of a COMMAND (mmlsdisk, mmdf, lsblk, restripe-devices, ...) into JSON.

    FILE is what it printed, or - for stdin: either form, of any release. Exit status 1 tells of problems in it; they
    stand in the JSON.
    """
    from tui.parse import run

    raise SystemExit(run(command, file))


@cli.command()
@click.argument("log", metavar="LOG")
@click.option(
    "--allocated-inodes",
    "allocated",
    type=click.IntRange(min=1),
    metavar="N",
    help="Allocated inodes of the file system, as mmdf tells them (not the used ones).",
)
@click.option(
    "--used-mb", type=click.IntRange(min=1), metavar="N", help="MB in use on the disks that hold data, as of mmdf."
)
@click.option("--snapshots", is_flag=True, help="The file system has snapshots: more inodes are passed than allocated.")
@click.option(
    "--saved-total",
    "saved",
    type=click.IntRange(min=1),
    metavar="N",
    help="Of gfs2_edit savemeta: blocks to be saved, at least, as the sum of rg_dinodes. Of restoremeta: those saved.",
)
@click.option(
    "--elapsed", metavar="TIME", help="How long gfs2_edit had run at the last line, as ps -o etime= tells: 5-21:01:53."
)
@click.option("--like", "kind", metavar="COMMAND", help="Learn from finished runs of this kind, as 'mmrestripefs -r';")
@click.option("--site", metavar="CLUSTER", help="of this cluster, by its name in mmlscluster. Both are given or none.")
@click.option("--keep", is_flag=True, help="Let this log, of a whole run, teach later ones of that kind and site.")
@click.option("--each-line", is_flag=True, help="What was to be said at each line of progress, not only at the last.")
@click.option("--json", "as_json", is_flag=True, help="JSON: one object, or with --each-line one for each line.")
def eta(
    *,
    log: str,
    allocated: int | None,
    used_mb: int | None,
    snapshots: bool,
    saved: int | None,
    elapsed: str | None,
    kind: str | None,
    site: str | None,
    keep: bool,
    each_line: bool,
    as_json: bool,
) -> None:
    """Tell from a saved LOG of mmrestripefs, mmdeldisk, mmdelsnapshot or gfs2_edit savemeta when it will be over.

    LOG is what tee or screen -L wrote, or - for stdin; no host is asked. The finish is a range that is meant to hold
    four ends of five, on the clock that the log prints. Exit status 1: the log holds no progress.

    savemeta prints no times: write its log through tr '\\r' '\\n' | ts, or tell --elapsed.
    """
    if (kind is None) != (site is None):
        raise click.UsageError("--like and --site go together: runs are alike by both")
    if keep and not (kind and site):
        raise click.UsageError("--keep needs --like and --site, to tell which runs this one is to teach")
    from remote.gfs2.reading import duration
    from tui.eta import Like, Totals, forecasters, run

    seconds = duration(elapsed.strip()) if elapsed is not None else None
    if elapsed is not None and not seconds:
        raise click.UsageError("--elapsed is a time such as 12:30, 21:01:53 or 5-21:01:53")
    like = Like.of(kind, site) if kind and site else None
    made = forecasters(Totals(allocated, used_mb, saved, seconds, snapshots), like)
    raise SystemExit(run(log, made, each_line=each_line, as_json=as_json, keep=like if keep else None))


@cli.group(invoke_without_command=True)
@click.option("--scenario", default="seed", show_default=True, metavar="NAME", help="Which cluster; see above.")
@click.option(
    "--dir",
    "directory",
    type=click.Path(file_okay=False, path_type=Path),
    help="A new or empty directory for it, emptied at the end; without it one of the user's own below /tmp.",
)
@click.option("--speed", type=click.FloatRange(0.01, 1_000_000), default=600.0, show_default=True, metavar="N")
@click.option("--hosts", type=click.IntRange(min=1), metavar="N", help="Hosts of scenario big.")
@click.option("--disks", type=click.IntRange(min=1), metavar="M", help="Disks of scenario big.")
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


@cli.command()
def recordings() -> None:
    """List the recorded sessions: yours, and those that came with the program."""
    from tui.recordings import lines

    for line in lines():
        click.echo(line)


@cli.command()
@click.argument("shell", type=click.Choice(["bash", "zsh", "fish"]))
def completion(shell: str) -> None:
    """Print the completion script for a SHELL: `eval "$(restripe completion bash)"`."""
    from click.shell_completion import get_completion_class

    found = get_completion_class(shell)
    assert found
    click.echo(found(cli, {}, "restripe", "_RESTRIPE_COMPLETE").source())


@cli.command()
@click.option("--host", "destination", metavar="[USER@]HOST", help="Show how this host would be reached instead.")
@click.option("-F", "config", type=click.Path(exists=True, dir_okay=False, path_type=Path), help="SSH configuration.")
@click.option("--keys", is_flag=True, help="List the names of all bindings with their keys instead.")
def info(*, destination: str | None, config: Path | None, keys: bool) -> None:
    """Versions, every path that the program uses, and every setting with where it comes from.

    With --host: where the SSH configuration leads, and each line of it that holds for the host and is not done
    here, with what that means. No connection is made.
    """
    if destination is None:
        if config:
            raise click.UsageError("-F goes with --host")
        from tui.info import key_lines, lines, setting_lines
        from tui.using import settings_or_exit

        for line in () if keys else lines():
            click.echo(line)
        settings = settings_or_exit()
        for line in key_lines(settings) if keys else setting_lines(settings):
            click.echo(line)
        return
    import asyncio

    from remote.errors import SiteError
    from tui.info import host_lines

    try:
        found = asyncio.run(host_lines(destination, config))
    except SiteError as error:
        click.echo(f"restripe info: {error}", err=True)
        raise SystemExit(2) from None
    for line in found:
        click.echo(line)


def _on_terminal() -> bool:
    """Whether screens can be shown: a person at a terminal that can move its cursor."""
    import os
    import sys

    return sys.stdin.isatty() and sys.stdout.isatty() and os.environ.get("TERM", "") not in ("", "dumb")


def main() -> None:
    """Run restripe. What cannot be printed is one line on stderr, never a traceback."""
    import os
    import sys

    for number, name in ((0, "stdin"), (1, "stdout"), (2, "stderr")):
        if getattr(sys, name) is None:  # closed by whoever called us; the number must not become another file
            file = os.open(os.devnull, os.O_RDWR)
            if file != number:
                os.dup2(file, number)
            setattr(sys, name, os.fdopen(number, "r" if number == 0 else "w", closefd=False))
    try:
        cli(prog_name="restripe")
    except OSError as error:
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)  # nor may the flush at exit complain again
        sys.stderr.write(f"restripe: {error.strerror or error}\n")
        sys.exit(1)


if __name__ == "__main__":
    main()
