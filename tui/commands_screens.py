"""The commands with screens.

Only click is imported here: everything heavy stands inside the command that uses it.
"""

from __future__ import annotations

from pathlib import Path

import click

from tui import options
from tui.loading import loading


@click.command()
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
@options.on_screens
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

    if plain or as_json or not options.on_terminal():
        from tui.demo import run

        run_to_exit(run(speed=speed, as_json=as_json, record=record))
    loading()
    from tui.showing import demo as show_demo
    from tui.using import settings_or_exit

    settings = settings_or_exit(theme=theme, mouse=mouse)
    run_to_exit(show_demo(speed=speed, record=record, auto=auto, settings=settings))


@click.command()
@click.argument("file", required=False, type=click.Path(exists=True, dir_okay=False, path_type=Path))
@click.option("--plain", is_flag=True, help="Lines of text instead of screens; usual where stdout is no terminal.")
@click.option(
    "--speed",
    type=click.FloatRange(min=0, min_open=True),
    metavar="N",
    help="Play N times as fast as it was; without it lines come at once, and screens play at 60.",
)
@click.option("--from", "start", metavar="TIME", help="Begin at HH:MM:SS, at +MINUTES, or at a mark's first words.")
@options.on_screens
def replay(
    *, file: Path | None, plain: bool, speed: float | None, start: str | None, theme: str | None, mouse: bool | None
) -> None:
    """Replay a recorded session, the newest of yours without FILE. Nothing is asked of any host."""
    from tui.paths import newest_recording
    from tui.running import run_to_exit

    file = file or newest_recording()
    if file is None:
        raise click.UsageError("you have recorded nothing yet: name a FILE (restripe recordings lists some)")

    if plain or not options.on_terminal():
        from tui.replay import run

        run_to_exit(run(file, speed=speed, start=start))
    loading()
    from tui.showing import replay as show_replay
    from tui.using import settings_or_exit

    settings = settings_or_exit(theme=theme, mouse=mouse)
    run_to_exit(show_replay(file, speed=speed, start=start, settings=settings))


@click.command()
@click.argument("destination", metavar="[USER@]HOST")
@options.file_system("The file system.")
@click.option("--write", is_flag=True, help="Arm it: without this nothing can be changed, whatever key is pressed.")
@options.way
@click.option("--sudo/--no-sudo", default=None, help="Run mm commands under sudo -n.")
@click.option("--record", type=click.Path(dir_okay=False, path_type=Path), help="Record into this new file.")
@click.option(
    "--plan",
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    help="Go on with the migration of this plan, wherever it stands.",
)
@options.on_screens
def connect(
    *,
    destination: str,
    fs: str | None,
    gfs2: str | None,
    write: bool,
    config: Path | None,
    jump: str | None,
    through: str | None,
    sudo: bool | None,
    record: Path | None,
    plan: Path | None,
    theme: str | None,
    mouse: bool | None,
) -> None:
    """Watch a cluster on the screens. Read-only unless --write; everything is recorded.

    What is not given here may stand in the configuration file, for this host: see `restripe info`.
    """
    if not options.on_terminal():
        raise click.UsageError("connect needs a terminal; `restripe show` does without")
    loading()
    from tui.running import run_to_exit
    from tui.showing import connect as show_cluster
    from tui.using import settings_or_exit, way

    settings = settings_or_exit(theme=theme, mouse=mouse)
    target, name = way(settings, destination, fs, gfs2=gfs2, config=config, jump=jump, through=through, sudo=sudo)
    if not name:
        raise click.UsageError(
            "name the file system: --fs NAME, --gfs2 DEVICE, or fs for this host in the configuration file"
        )
    locked = settings.read_only(destination) if write else ""
    if locked:
        click.echo(f"--write has no effect: {locked}", err=True)
    armed = write and not locked
    run_to_exit(show_cluster(target, name, armed=armed, record=record, settings=settings, locked=locked, plan=plan))
