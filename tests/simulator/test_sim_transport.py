"""Sessions, shims and the life of the process: whole bytes, bounded memory, nothing left behind."""

from __future__ import annotations

import asyncio
import contextlib
import hashlib
import json
import os
import re
import shutil
import subprocess
from pathlib import Path

import asyncssh
import pytest

from simulator.client import SimulationError
from tests.simulator.far_side import FarSide, processes_of, until

MEGABYTES = 50
VARIABLES = (
    *("HOME", "LOGNAME", "PATH", "PWD", "RESTRIPE_BOOT_ID", "RESTRIPE_JOBS"),
    *("RESTRIPE_PROBE_HOOK", "RESTRIPE_SYSROOT", "SHELL"),
    *("SIM_HOST", "SIM_NAME", "SIM_PORT", "SIM_TOKEN", "TZ", "USER"),
)


def resident_kb(pid: int) -> int:
    """Resident memory of a process."""
    match = re.search(r"VmRSS:\s+(\d+)", Path(f"/proc/{pid}/status").read_text())
    assert match is not None
    return int(match[1])


async def test_fifty_megabytes_arrive_whole(far: FarSide) -> None:
    data = os.urandom(1 << 20)
    name = far.sim.directory / "hosts" / "pollux1" / "root" / "big"
    name.write_bytes(data * MEGABYTES)
    connection = await far.connection()
    digest = hashlib.sha256()
    async with connection.create_process("cat big; echo done >&2", encoding=None) as process:
        while piece := await process.stdout.read(1 << 16):
            digest.update(piece)
        await process.wait()
        assert process.exit_status == 0
    assert digest.hexdigest() == hashlib.sha256(data * MEGABYTES).hexdigest()


async def test_a_client_that_does_not_read_costs_no_memory(far: FarSide) -> None:
    connection = await far.connection()
    process = await connection.create_process("exec yes", encoding=None)
    await process.stdout.readexactly(1 << 20)
    before = resident_kb(far.sim.pid)
    # The program is stopped by its full pipe; other sessions go on meanwhile.
    sizes = []
    for _ in range(20):
        assert (await far.run("head -c 300000 /dev/zero | wc -c"))[1] == "300000\n"
        sizes.append(resident_kb(far.sim.pid))
    assert max(sizes) - before < 16 * 1024
    process.close()

    async def gone() -> bool:
        return not any("yes" in command for command in processes_of(far.sim.directory))

    await until(gone)


async def test_what_goes_in_comes_out(far: FarSide) -> None:
    data = os.urandom(5_000_000)
    connection = await far.connection()
    done = await connection.run("sha256sum", input=data, encoding=None)
    assert isinstance(done.stdout, bytes)
    assert done.stdout.split()[0].decode() == hashlib.sha256(data).hexdigest()


async def test_sessions_end_as_under_a_real_sshd(far: FarSide) -> None:
    connection = await far.connection()
    assert (await connection.run("exit 7")).exit_status == 7
    killed = await connection.run("kill -TERM $$")
    assert killed.exit_signal is not None
    assert killed.exit_signal[0] == "TERM"
    assert (await connection.run(input="echo $((6 * 7))\n")).stdout == "42\n"
    assert (await connection.run("nosuchcommand")).exit_status == 127
    environment = (await far.run("env"))[1].splitlines()
    names = sorted(line.partition("=")[0] for line in environment)
    assert names == sorted(VARIABLES)
    code, out, _ = await far.run(
        'dirname "$RESTRIPE_JOBS"; test -d "$(dirname "$RESTRIPE_JOBS")"; test -e "$RESTRIPE_JOBS"'
    )
    assert (code, out) == (1, f"{far.sim.directory}/hosts/pollux1/var/lib\n")


async def test_no_terminal_no_files_no_forwarding_no_strangers(far: FarSide) -> None:
    connection = await far.connection()
    for refused in (
        connection.create_process("true", term_type="xterm"),
        connection.start_sftp_client(),
        connection.open_connection("127.0.0.1", 9),
    ):
        with pytest.raises(asyncssh.ChannelOpenError):
            await refused
    assert (await far.run("echo still here"))[1] == "still here\n"
    port = connection.get_extra_info("peername")[1]
    stranger = asyncssh.generate_private_key("ssh-ed25519")
    with pytest.raises(asyncssh.PermissionDenied):
        await asyncssh.connect(
            "127.0.0.1", port, username="root", known_hosts=None, client_keys=[stranger], config=None, agent_path=None
        )


async def test_a_closed_channel_does_not_kill_the_shell(far: FarSide) -> None:
    connection = await far.connection()
    process = await connection.create_process("trap '' PIPE; cat; echo ended > mark", encoding=None)
    process.stdin.write(b"x")
    assert await process.stdout.readexactly(1) == b"x"
    process.close()

    async def marked() -> bool:
        return (await far.run("cat mark 2>/dev/null"))[1] == "ended\n"

    await until(marked)


ODD = [
    "plain",
    "two words",
    "",
    "it's",
    'say "hi"',
    "line\nbreak",
    "$HOME `id` $(id)",
    "*",
    "?[a-z]",
    "\\",
    "-x=~",
    "é€😀",
    "\t",
]


async def test_arguments_arrive_as_they_were(far: FarSide) -> None:
    words = " ".join("'" + word.replace("'", "'\\''") + "'" for word in ODD)
    code, _, err = await far.run(f"mmlsdisk mss1 {words}")
    assert code == 1
    assert err.startswith("mmlsdisk: Incorrect option: -x=~\n")
    history = (await far.sim.control("history"))["commands"]
    assert history[-1]["argv"] == ["mmlsdisk", "mss1", *ODD]
    assert history[-1]["host"] == "pollux1"
    await far.run("mmlsdisk $'bad\\xff'; mmlsdisk \"$(printf 'a\\377b')\"")
    assert (await far.sim.control("history"))["commands"][-1]["argv"][1] == "a\udcffb"


async def test_files_are_found_from_the_commands_directory(far: FarSide) -> None:
    text = "%nsd: device=sdg nsd=foo1_ssd1 servers=foo1 usage=metadataOnly failureGroup=1\n"
    await far.run("mkdir -p 'a b'")
    await far.put("'a b/c d.txt'", text)
    code, _, err = await far.run("cd 'a b' && mmcrnsd -F 'c d.txt' && head -1 'c d.txt'")
    assert (code, err) == (0, "")
    # A pipe would hold up the simulator; a file on stdin is as good as its name.
    assert "cannot be read" in (await far.run("mkfifo p; mmadddisk mss1 -F p"))[2]
    assert (await far.run("mmadddisk mss1 -F /dev/stdin < 'a b/c d.txt'"))[0] == 0


async def test_output_that_nobody_reads_ends_the_command(far: FarSide) -> None:
    code, out, err = await far.run("mmlsdisk mss1 | head -1")
    assert (code, out.split()[0], err) == (0, "disk", "")
    assert (await far.run("mmlsdisk mss1 > /dev/null; echo $?"))[1] == "0\n"
    _, out, _ = await far.run(
        "mmdf nosuch 2>&1 >/dev/null | wc -l; stdbuf -oL mmdf mss1 -F | wc -l; timeout 5 mmdf mss1 -F | wc -l"
    )
    assert out == "2\n6\n6\n"


async def test_sudo_and_date(far: FarSide) -> None:
    assert (await far.run("sudo -n true"))[0] == 0
    assert (await far.run("sudo -n mmlsdisk mss1 | wc -l; sudo -n sh -c 'exit 5'; echo $?"))[1] == "15\n5\n"
    code, _, err = await far.run("sudo true")
    assert (code, err.splitlines()[-1]) == (1, "sudo: a password is required")
    assert (await far.run("sudo -n nosuch"))[2] == "sudo: nosuch: command not found\n"
    facts = await far.facts()
    _, out, _ = await far.run("date +%s; date; date -u +%Y; date '+%d %H'; date -d @0 +%s; date -s 0")
    seconds, full, year, _, zero = out.splitlines()
    assert 0 <= int(seconds) - facts["now"] < 20_000 * 20
    assert re.fullmatch(r"\w{3} \w{3} [ \d]\d \d\d:\d\d:\d\d MST 2013", full)
    assert (year, zero) == ("2013", "0")
    assert (await far.run("date 01010101"))[2] == "date: cannot set date: Operation not permitted\n"
    assert (await far.run("hostname; hostname -s; uname -n; uname -s"))[1].split() == [
        *("pollux1.example.com", "pollux1", "pollux1.example.com", "Linux"),
    ]


async def test_bad_requests_harm_nobody(far: FarSide) -> None:
    code, out, err = await far.run("SIM_TOKEN=wrong mmlsdisk mss1")
    assert (code, out, err) == (125, "", "mmlsdisk: the simulated cluster is gone\n")
    assert (await far.run("SIM_TOKEN=wrong date"))[0] == 125
    assert (await far.run("SIM_PORT=1 mmdf mss1"))[::2] == (125, "mmdf: the simulated cluster is gone\n")
    _, port, _ = await far.run("echo $SIM_PORT")
    token = (await far.run("echo $SIM_TOKEN"))[1].strip()
    for garbage in (
        b"",
        b"\xff" * 1000,
        b"x" * 300_000,
        b"run\0wrong\0key\0",
        f"run\0{token}\0k\0nohost\0001\0/\0001\0mmdf\0".encode(),
        f"run\0{token}\0k\0pollux1\0001\0/\000-1\0mmdf\0".encode(),
        f"run\0{token}\0k\0pollux1\0one\0/\0001\0mmdf\0".encode(),
        f"fly\0{token}\0k\0".encode(),
    ):
        reader, writer = await asyncio.open_connection("127.0.0.1", int(port))
        async with asyncio.timeout(10):
            # It may be closed while there is still more of the garbage to send or to read.
            with contextlib.suppress(OSError):
                writer.write(garbage)
                writer.write_eof()
                assert await reader.read() == b""
        writer.close()

    async def counted() -> bool:
        return bool((await far.facts())["refused"] >= 9)

    await until(counted)
    assert (await far.run("mmlsdisk mss1 | wc -l"))[1] == "15\n"


async def test_bad_control_requests_are_answered(far: FarSide) -> None:
    for op, arguments in (("fly", {}), ("set_policy", {"client_death": "maybe"}), ("set_policy", {"colour": 1})):
        with pytest.raises(SimulationError, match="control"):
            await far.sim.control(op, **arguments)
    reader, writer = await asyncio.open_unix_connection(far.sim.control_socket)
    writer.write(b"nonsense\n[1]\n" + json.dumps({"op": "facts"}).encode() + b"\n")
    assert "error" in json.loads(await reader.readline())
    assert "error" in json.loads(await reader.readline())
    assert json.loads(await reader.readline())["result"]["fs"] == "mss1"
    writer.write(b"x" * 200_000 + b"\n")
    async with asyncio.timeout(10):
        with contextlib.suppress(ConnectionError):
            assert await reader.read() == b""
    writer.close()
    assert (await far.facts())["fs"] == "mss1"


@pytest.mark.skipif(shutil.which("ssh") is None, reason="needs the OpenSSH client")
@pytest.mark.parametrize("name", ["pollux1", "foo3.example.com"])
async def test_the_real_ssh_can_use_it(far: FarSide, name: str) -> None:
    process = await asyncio.create_subprocess_exec(
        *("ssh", "-F", str(far.sim.ssh_config), name, "mmlsdisk mss1; exit 3"),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    out, err = await process.communicate()
    assert (process.returncode, err) == (3, b"")
    assert out.count(b"foo") == 12
