"""Ending in order, however often one is told to."""

from __future__ import annotations

import asyncio
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from tui.exits import Exit
from tui.running import run_to_exit


def test_a_full_disk_below_the_output_is_no_error_of_the_programs_own() -> None:
    code = (
        "import tui.running as r\nasync def w():\n    print('x' * 100000)\n    return r.Exit.DONE\nr.run_to_exit(w())"
    )
    with Path("/dev/full").open("w") as full:
        done = subprocess.run([sys.executable, "-c", code], stdout=full, stderr=subprocess.PIPE, text=True, check=False)
    assert (done.returncode, done.stderr) == (1, "restripe: No space left on device: not all could be printed\n")


@pytest.mark.parametrize("first", [signal.SIGTERM, signal.SIGHUP])
@pytest.mark.parametrize("second", [signal.SIGTERM, signal.SIGHUP])
def test_a_second_signal_disturbs_no_end_that_has_begun(first: signal.Signals, second: signal.Signals) -> None:
    done: list[str] = []

    async def work() -> Exit:
        try:
            os.kill(os.getpid(), first)
            await asyncio.Event().wait()
        except asyncio.CancelledError:
            os.kill(os.getpid(), second)
            for _ in range(10):
                await asyncio.sleep(0.001)  # a while in which connections and files are closed
            done.append("closed")
        return Exit.INTERRUPTED

    with pytest.raises(SystemExit) as ended:
        run_to_exit(work())
    assert ended.value.code == 130
    assert done == ["closed"]
