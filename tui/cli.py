"""The command line. Only click is imported here: everything heavy stands inside the command that uses it."""

from __future__ import annotations

import click

from tui import commands_files, commands_hosts, commands_plan, commands_screens
from tui.commands_simulate import simulate

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


@click.group(context_settings={"help_option_names": ["-h", "--help"]}, epilog=EXITS)
@click.version_option(package_name="restripe", prog_name="restripe")
def cli() -> None:
    """Supervise the migration and restripe of a live cluster file system, over SSH."""


for _command in (
    commands_screens.demo,
    commands_screens.replay,
    commands_screens.connect,
    commands_hosts.watch,
    commands_hosts.show,
    commands_hosts.verify,
    commands_hosts.probe,
    commands_plan.plan,
    commands_plan.migrate,
    commands_plan.report,
    commands_files.parse,
    commands_files.eta,
    simulate,
    commands_files.recordings,
    commands_files.completion,
    commands_files.info,
):
    cli.add_command(_command)


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
