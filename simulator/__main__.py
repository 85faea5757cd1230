"""`python -m simulator`: start, say so in one line of JSON, serve until stdin ends or a signal comes."""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import resource
import shutil
import signal
import sys
from pathlib import Path
from typing import NoReturn

from simulator.runtime import SetupError, Simulator, prepare
from simulator.scenarios import NAMES

MAX_FILES = 65536


class _Parser(argparse.ArgumentParser):
    def error(self, message: str) -> NoReturn:
        self.exit(2, f"simulator: {message}\n")


def _arguments() -> argparse.Namespace:
    parser = _Parser(prog="simulator", description="Simulate a cluster that can be reached over SSH.")
    parser.add_argument("--scenario", default="seed", help=f"one of: {', '.join(NAMES)}")
    parser.add_argument("--dir", required=True, type=Path, help="directory for everything; new or empty")
    parser.add_argument("--speed", default=600.0, type=float, help="simulated seconds a real second")
    parser.add_argument("--remove", action="store_true", help="remove the directory at the end")
    parser.add_argument("--hosts", type=int, help="hosts of scenario big")
    parser.add_argument("--disks", type=int, help="disks of scenario big, or of scale")
    return parser.parse_args()


def _more_files() -> None:
    """Allow as many open files as may be: a connection takes five, a session three, a command two."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = MAX_FILES if hard == resource.RLIM_INFINITY else min(hard, MAX_FILES)
    if soft != resource.RLIM_INFINITY and soft < wanted:
        resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, hard))


def _watch_stdin(stopped: asyncio.Event) -> None:
    """Set the event when stdin ends: whoever started us is gone."""
    loop = asyncio.get_running_loop()

    def readable() -> None:
        try:
            data = os.read(0, 65536)
        except BlockingIOError:
            return
        except OSError:
            data = b""
        if not data:
            loop.remove_reader(0)
            stopped.set()

    try:
        loop.add_reader(0, readable)
    except OSError:
        # A file or /dev/null cannot be waited for: it has ended already.
        stopped.set()


async def _serve(given: argparse.Namespace) -> None:
    simulator = Simulator(given.scenario, given.dir, given.speed, given.hosts, given.disks)
    simulator.directory = prepare(given.dir)
    _more_files()
    loop = asyncio.get_running_loop()
    for number in (signal.SIGTERM, signal.SIGINT):
        loop.add_signal_handler(number, simulator.stopped.set)
    try:
        await simulator.start()
        sys.stdout.write(json.dumps(simulator.ready) + "\n")
        sys.stdout.flush()
        _watch_stdin(simulator.stopped)
        await simulator.stopped.wait()
    finally:
        try:
            await simulator.stop()
        finally:
            if given.remove:
                shutil.rmtree(simulator.directory, ignore_errors=True)


def main() -> int:
    """Run; returns the exit status: 0 after an orderly end, 2 with a line on stderr otherwise."""
    given = _arguments()
    try:
        asyncio.run(_serve(given))
    except (SetupError, OSError) as problem:
        sys.stderr.write(f"simulator: {problem}\n")
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main())
