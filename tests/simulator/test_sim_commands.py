"""What the commands print and refuse, word for word; the state behind them is checked too."""

from __future__ import annotations

import pytest

from simulator.lsblk import lsblk
from simulator.usage import CommandError
from tests.simulator.inside import ONE, Inside, refused


async def test_mmlsdisk(inside: Inside) -> None:
    lines = (await inside.run("mmlsdisk", "/dev/mss1")).out.splitlines()
    assert lines[1] == "name         type       size   group metadata data  status        availability pool"
    assert lines[2] == "------------ -------- ------ ------- -------- ----- ------------- ------------ ------------"
    assert lines[3] == ("foo1_nsd1    nsd         512       1 Yes      Yes   ready         up           system       ")
    names = [line.split()[0] for line in lines[3:]]
    assert names == [f"foo{host}_nsd{disk}" for host in (1, 2, 3) for disk in (1, 2, 3)] + [
        f"foo{host}_nsd4" for host in (1, 2, 3)
    ]
    long = (await inside.run("mmlsdisk", "mss1", "-L")).out.splitlines()
    assert long[3].endswith("up                 1 system        desc     ")
    assert long[-3:] == ["Number of quorum disks: 3 ", "Read quorum value:      2", "Write quorum value:     2"]
    assert "All disks up and ready" in (await inside.run("mmlsdisk", "mss1", "-e")).out
    some = (await inside.run("mmlsdisk", "mss1", "-d", "foo2_nsd4;foo1_nsd1")).out.splitlines()[3:]
    assert [line.split()[0] for line in some] == ["foo1_nsd1", "foo2_nsd4"]


async def test_mmlscluster_and_mmgetstate(inside: Inside) -> None:
    text = (await inside.run("mmlscluster")).out
    assert "  GPFS cluster name:         pollux.example.com\n" in text
    assert "  Primary server:    foo1.example.com\n  Secondary server:  foo2.example.com\n" in text
    assert "   3   pollux3.example.com  140.252.28.11  foo3.example.com  quorum-manager\n" in text
    inside.world.policies.change("down_nodes", ["pollux2"], {"pollux2"})
    rows = (await inside.run("mmgetstate", "-a")).out.splitlines()[3:]
    assert [row.split() for row in rows] == [
        ["1", "pollux1", "active"],
        ["2", "pollux2", "down"],
        ["3", "pollux3", "active"],
    ]
    assert (await inside.run("mmgetstate", "-aL")).rc == 1
    assert "quorum node" in (await inside.run("mmgetstate", "-a", "-L")).out
    assert "pollux3" in (await inside.run("mmgetstate", host="pollux3")).out
    refused(await inside.run("mmdf", "mss1", host="pollux2"), "mmdf", _daemon_down())


def _daemon_down() -> str:
    return "Failed to connect to file system daemon: Connection refused"


async def test_mmlsfs(inside: Inside) -> None:
    lines = (await inside.run("mmlsfs", "mss1")).out.splitlines()
    assert lines[0] == "flag                value                    description"
    assert " -i                 512                      Inode size in bytes" in lines
    assert " -m                 2                        Default number of metadata replicas" in lines
    assert " -R                 2                        Maximum number of data replicas" in lines
    assert " -B                 2097152                  Block size" in lines
    assert " --inode-limit      146903040                Maximum number of inodes" in lines
    assert len(lines) == 34
    two = (await inside.run("mmlsfs", "mss1", "-m", "-i")).out.splitlines()
    assert [line.split()[0] for line in two[2:]] == ["-i", "-m"]
    assert "File system attributes for /dev/mss1:" in (await inside.run("mmlsfs", "all")).out


async def test_mmlsnsd(inside: Inside) -> None:
    header, _, first = (await inside.run("mmlsnsd")).out.splitlines()[1:4]
    assert header.split() == ["File", "system", "Disk", "name", "NSD", "servers"]
    assert first.split() == ["mss1", "foo1_nsd1", "pollux1.example.com"]
    extended = (await inside.run("mmlsnsd", "-X")).out.splitlines()
    assert extended[2] == "-" * 99
    assert extended[3].split() == [
        *("foo1_nsd1", "8CFC1C05507CC5D0", "/dev/sda", "generic", "pollux1.example.com", "server", "node"),
    ]
    assert "8CFC1C0B5122CB3C" in (await inside.run("mmlsnsd", "-L")).out.splitlines()[-1]
    empty = await inside.run("mmlsnsd", "-F")
    assert (empty.rc, empty.out, empty.err) == (0, "", "mmlsnsd: No disks were found.\n")
    assert (await inside.run("mmlsnsd", "-d", "nothing")).rc == 0
    await inside.run("mmcrnsd", "-F", inside.write(ONE))
    assert (await inside.run("mmlsnsd", "-F")).out.splitlines()[3].split() == [
        *("(free", "disk)", "foo1_ssd1", "pollux1.example.com"),
    ]


async def test_mmdf_options(inside: Inside) -> None:
    assert "Inode Information" not in (await inside.run("mmdf", "mss1", "-m")).out
    assert "(data)" not in (await inside.run("mmdf", "mss1")).out
    only = (await inside.run("mmdf", "mss1", "-F")).out
    assert only.startswith("Inode Information\n")
    assert "Total of Maximum number of inodes in all Inode spaces:    146903040\n" in only
    await inside.migrate()
    data = (await inside.run("mmdf", "mss1", "-d")).out
    assert "ssd" not in data
    assert " ".join(data.splitlines()[-3].split()) == "(metadata) 0 0 ( 0%) 0 ( 0%)"
    assert "Inode" not in data


@pytest.mark.parametrize(
    ("argv", "complaint"),
    [
        (["mmdf"], "Missing arguments."),
        (["mmdf", "mss1", "-m", "-d"], "Conflicting options: -d -m"),
        (["mmdf", "mss1", "--block-size", "7X"], "Incorrect block size: 7X"),
        (["mmdf", "mss1", "mss2"], "Incorrect extra argument: mss2"),
        (["mmlsnsd", "-X", "-Y"], "Incorrect option: -Y"),
        (["mmlscluster", "-Y"], "Incorrect option: -Y"),
        (["mmgetstate", "-a", "-Y"], "Incorrect option: -Y"),
        (["mmlsdisk", "mss1", "-e", "-Y"], "Conflicting options: -e -Y"),
        (["mmcrnsd"], "Missing arguments."),
        (["mmcrnsd", "-F"], "Option -F requires an argument."),
        (["mmcrnsd", "-F", "x", "-v", "maybe"], "Incorrect option: -v maybe"),
        (["mmadddisk", "mss1"], "Missing arguments."),
        (["mmchdisk", "mss1"], "Missing arguments."),
        (["mmchdisk", "mss1", "paint"], "Incorrect option: paint"),
        (["mmrestripefs", "mss1"], "Missing arguments."),
        (["mmrestripefs", "mss1", "-r", "-b"], "Conflicting options: -r -b"),
        (["mmrestripefs", "mss1", "-r", "--metadata-only"], "Incorrect option: --metadata-only"),
    ],
)
async def test_usage_errors(inside: Inside, argv: list[str], complaint: str) -> None:
    answer = await inside.run(*argv)
    assert (answer.rc, answer.out) == (1, "")
    first, usage, *_ = answer.err.splitlines()
    assert first == f"{argv[0]}: {complaint}"
    assert usage.startswith(f"Usage: {argv[0]} ")


@pytest.mark.parametrize("argv", [["mmlsdisk"], ["mmdf"], ["mmlsfs"], ["mmlsnsd", "-f"], ["mmrestripefs", "-r"]])
async def test_unknown_file_system(inside: Inside, argv: list[str]) -> None:
    refused(
        await inside.run(*argv, "other"), argv[0], f"{argv[0]}: File system other is not known to the GPFS cluster."
    )


async def test_lsblk(inside: Inside) -> None:
    host = inside.world.cluster.hosts["pollux3"]
    pairs = lsblk(host, ["-P", "-b", "-d", "-o", "NAME,SIZE,ROTA,MODEL,WWN,LOG-SEC"]).splitlines()
    assert len(pairs) == 8
    assert (
        'NAME="sde" SIZE="199481098240" ROTA="0" MODEL="INTEL SSDSC2BA200G3" WWN="0x55cd2e404b7d1a4f" LOG-SEC="512"'
        in pairs
    )
    assert any(line.startswith('NAME="sdg" SIZE="240057409536"') for line in pairs)
    wwns = [device.wwn for each in inside.world.cluster.hosts.values() for device in each.devices.values()]
    serials = [device.serial for each in inside.world.cluster.hosts.values() for device in each.devices.values()]
    assert len(set(wwns)) == len(set(serials)) == 24
    assert lsblk(host, ["-n", "-o", "NAME", "/dev/sda"]) == "sda\n"
    for arguments in (["-J"], ["--json"], ["-o", "NAME,PTTYPE"], ["/dev/sdz"], ["sda"]):
        with pytest.raises(CommandError):
            lsblk(host, arguments)


async def test_the_history_keeps_every_command(inside: Inside) -> None:
    await inside.run("mmlsdisk", "mss1")
    await inside.run("mmdf", "no")
    assert (await inside.run("mmfsck", "mss1")).rc == 127
    assert [(record.argv, record.rc) for record in inside.world.history] == [
        (["mmlsdisk", "mss1"], 0),
        (["mmdf", "no"], 1),
    ]
    assert not inside.world.running


async def test_policies_are_checked(inside: Inside) -> None:
    for name, value in (("colour", "red"), ("client_death", "maybe"), ("down_nodes", ["x"]), ("conflict", 1)):
        with pytest.raises(ValueError, match=r"policy|one of|list of"):
            inside.world.policies.change(name, value, {"pollux1"})
