"""The commands that need no host: files, and the program itself.

Only click is imported here: everything heavy stands inside the command that uses it.
"""

from __future__ import annotations

from pathlib import Path

import click


@click.command()
@click.argument("command")
@click.argument("file", default="-")
def parse(command: str, file: str) -> None:
    """Turn the saved output of a COMMAND (mmlsdisk, mmdf, lsblk, restripe-devices, ...) into JSON.

    FILE is what it printed, or - for stdin: either form, of any release. Exit status 1 tells of problems in it; they
    stand in the JSON.
    """
    from tui.parse import run

    raise SystemExit(run(command, file))


@click.command()
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

    savemeta prints no times: write its log through stdbuf -oL tr '\\r' '\\n' | ts, or tell --elapsed.
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


@click.command()
def recordings() -> None:
    """List the recorded sessions: yours, and those that came with the program."""
    from tui.recordings import lines

    for line in lines():
        click.echo(line)


@click.command()
@click.argument("shell", type=click.Choice(["bash", "zsh", "fish"]))
def completion(shell: str) -> None:
    """Print the completion script for a SHELL: `eval "$(restripe completion bash)"`."""
    from click.shell_completion import get_completion_class

    found = get_completion_class(shell)
    assert found
    click.echo(found(click.get_current_context().find_root().command, {}, "restripe", "_RESTRIPE_COMPLETE").source())


@click.command()
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
