"""The two scripts over a real OpenSSH server, by somebody who is not root."""

from __future__ import annotations

import pytest

from remote.linux.commands import devices, signatures
from remote.linux.contents_parsing import parse_signatures
from remote.linux.inventory import ReadState
from remote.linux.inventory_parsing import parse_devices
from tests.conftest import Sites
from tests.linux.sysroot import nsd_server
from tests.openssh import Farm

pytestmark = pytest.mark.openssh


async def test_without_root_the_kernel_is_asked_and_the_disks_are_denied(farm: Farm, sites: Sites) -> None:
    account = farm.account()
    tree = nsd_server(account.directory("far-devices") / "root")
    (tree.directory / "dev/nvme0n1").chmod(0)  # its owner may not read it either
    server = farm.server("far-devices", env=tree.env)
    first, second = await sites(server).query(server.host, devices(), signatures())
    assert (first.rc, second.rc) == (0, 0)
    told = parse_devices(first.stdout.decode(), first.stderr.decode())
    assert (told.problems, told.notes) == ((), ())
    assert len(told.model.nodes) == 11
    read = parse_signatures(second.stdout.decode(), second.stderr.decode())
    assert (read.problems, read.notes) == ((), ())
    denied = read.model.get("nvme0n1")
    assert denied is not None
    assert denied.state is ReadState.DENIED
    assert "Permission denied" in denied.detail
    assert {content.state for content in read.model.devices if content.kname in ("sda", "sdf", "dm-0", "dm-1")} == {
        ReadState.READ
    }
