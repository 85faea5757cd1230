"""How a simulator starts, refuses to start, and ends without leaving anything behind."""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import asyncssh
import pytest

from simulator.__main__ import main
from simulator.client import Simulation, SimulationError
from tests.simulator.far_side import FarSide, processes_of, until


async def _detached(far: FarSide) -> None:
    """Leave processes that ignore everything but SIGKILL, in sessions of their own."""
    command = "setsid sh -c 'trap \"\" TERM HUP INT; while :; do sleep 100; done' > /dev/null 2>&1 < /dev/null &"
    assert (await far.run(command + command))[0] == 0
    assert (await far.run("setsid mmrestripefs mss1 -r > /dev/null 2>&1 < /dev/null &"))[0] == 0


async def test_nothing_is_left_after_the_end() -> None:
    async with Simulation.start(speed=600) as sim:
        far = FarSide(sim)
        await _detached(far)
        connection = await far.connection()
        hanging = await connection.create_process("cat", encoding=None)
        assert len(processes_of(sim.directory)) >= 4
    assert processes_of(sim.directory) == []
    assert not sim.directory.exists()
    assert not Path(f"/proc/{sim.pid}").exists()
    with contextlib.suppress(asyncssh.ConnectionLost):  # how the end shows depends on which of its packets came last
        assert await hanging.stdout.read() == b""
    await far.close()


@pytest.mark.parametrize("how", ["eof", "term", "int", "shutdown", "parent"])
async def test_every_way_to_end_it(tmp_path: Path, how: str) -> None:
    directory = Path(os.path.relpath(tmp_path / "s"))
    command = [sys.executable, "-m", "simulator", "--dir", str(directory), "--speed", "100"]
    if how == "parent":
        # A parent that dies without a word: its end of the pipe goes with it.
        script = (
            "import subprocess, sys, os\n"
            f"p = subprocess.Popen({command!r}, stdin=subprocess.PIPE, stdout=subprocess.PIPE)\n"
            "sys.stdout.write(p.stdout.readline().decode()); sys.stdout.flush()\n"
            "os.kill(os.getpid(), 9)\n"
        )
        command = [sys.executable, "-c", script]
    process = await asyncio.create_subprocess_exec(*command, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    assert process.stdout is not None
    assert process.stdin is not None
    ready = json.loads(await process.stdout.readline())
    assert ready["ready"] is True
    assert Path(ready["dir"]).stat().st_mode & 0o777 == 0o700
    assert (Path(ready["dir"]) / "id_ed25519").stat().st_mode & 0o777 == 0o600
    if how == "eof":
        process.stdin.close()
    elif how in ("term", "int"):
        process.send_signal(signal.SIGTERM if how == "term" else signal.SIGINT)
    elif how == "shutdown":
        reader, writer = await asyncio.open_unix_connection(ready["control"])
        writer.write(b'{"op": "shutdown"}\n')
        assert json.loads(await reader.readline()) == {"result": {}}
        writer.close()
    async with asyncio.timeout(20):
        assert await process.wait() == (-9 if how == "parent" else 0)

    async def ended() -> bool:
        return processes_of(tmp_path) == [] and not Path(ready["control"]).exists()

    await until(ended)
    assert (Path(ready["dir"]) / "ssh_config").exists()


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        (["--scenario", "nothing"], "no scenario 'nothing': seed"),
        (["--speed", "0"], "speed must be between"),
        (["--speed", "fast"], "argument --speed: invalid float value: 'fast'"),
        (["--dir", "/proc/nothing"], "/proc/nothing: No such file or directory"),
        (["--dir", "/usr"], "/usr: the directory is not empty"),
        (["--dir", f"/tmp/{'x' * 120}"], "the path is too long for a Unix socket"),
        (["--dir", __file__], "File exists"),
    ],
)
def test_it_says_why_it_does_not_start(
    tmp_path: Path,
    arguments: list[str],
    complaint: str,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setattr(sys, "argv", ["simulator", "--dir", str(tmp_path / "s"), *arguments])
    with pytest.raises(SystemExit) as ended:
        sys.exit(main())
    assert ended.value.code == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert err.startswith("simulator: ")
    assert complaint in err
    assert err.count("\n") == 1


async def test_a_client_that_is_killed_leaves_nothing() -> None:
    script = (
        "import asyncio, os\n"
        "from simulator.client import Simulation\n"
        "async def main():\n"
        "    async with Simulation.start() as sim:\n"
        "        print(sim.directory, flush=True)\n"
        "        os.kill(os.getpid(), 9)\n"
        "asyncio.run(main())\n"
    )
    process = await asyncio.create_subprocess_exec(sys.executable, "-c", script, stdout=subprocess.PIPE)
    out, _ = await process.communicate()
    directory = Path(out.decode().strip())

    async def gone() -> bool:
        return processes_of(directory) == [] and not directory.exists()

    await until(gone)


async def test_the_client_passes_on_why_it_does_not_start(tmp_path: Path) -> None:
    (tmp_path / "x").touch()
    with pytest.raises(SimulationError, match="the directory is not empty"):
        async with Simulation.start(directory=tmp_path):
            pass
    assert (tmp_path / "x").exists()


async def test_the_client_loads_nothing_heavy() -> None:
    code = "import sys, simulator.client; print('asyncssh' in sys.modules, 'simulator.state' in sys.modules)"
    process = await asyncio.create_subprocess_exec(sys.executable, "-c", code, stdout=subprocess.PIPE)
    out, _ = await process.communicate()
    assert out == b"False False\n"


async def test_cancelling_the_client_leaves_nothing() -> None:
    started: asyncio.Future[Simulation] = asyncio.get_running_loop().create_future()

    async def use() -> None:
        async with Simulation.start(speed=600) as sim:
            started.set_result(sim)
            await asyncio.Event().wait()

    task = asyncio.create_task(use())
    sim = await started
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert not Path(f"/proc/{sim.pid}").exists()
    assert not sim.directory.exists()


async def test_the_clock_is_the_machines(far: FarSide) -> None:
    clock = far.sim.clock
    before = clock.now()
    inside = (await far.facts())["now"]
    assert before <= inside <= clock.now()
    assert (far.sim.hosts, far.sim.entry, far.sim.fs) == (("pollux1", "pollux2", "pollux3"), "pollux1", "mss1")


async def test_commands_notice_that_the_simulator_was_killed(tmp_path: Path) -> None:
    async with Simulation.start(speed=600, directory=tmp_path / "s") as sim:
        far = FarSide(sim)
        await far.run("setsid sh -c 'mmrestripefs mss1 -r; echo $? > rc' > log 2>&1 < /dev/null &")

        async def running() -> bool:
            return (await far.facts())["restripe"] is not None

        await until(running)
        home = sim.directory / "hosts" / "pollux1" / "root"
        os.kill(sim.pid, signal.SIGKILL)

        async def noticed() -> bool:
            return (home / "rc").exists() and (home / "rc").read_text() == "125\n"

        await until(noticed)
        assert (home / "log").read_text().endswith("mmrestripefs: the simulated cluster is gone\n")
        await far.close()
    assert processes_of(tmp_path) == []
