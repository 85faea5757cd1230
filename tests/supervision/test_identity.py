"""One host's answers joined to devices: what identifies them, what uses them, and what cannot be known."""

from __future__ import annotations

import random

import msgspec
import pytest

from remote.linux.contents_parsing import parse_signatures
from remote.linux.inventory import BlockNode, Content, Contents, Inventory, Mount, Part, ReadState, Signature
from remote.linux.inventory_parsing import parse_devices
from remote.linux.lsblk import parse_lsblk
from remote.linux.models import BlockDevice, BlockDevices
from supervision.identity import HostLook, Seen, is_path, look
from supervision.uses import GPFS_PARTITION, UseKind
from tests.supervision.gpfs_states import block, blocks

LONG = "600508b1001c4d1a0000000000000001"


def seen_of(devices: BlockDevices, nodes: tuple[BlockNode, ...] = (), contents: tuple[Content, ...] = ()) -> HostLook:
    if contents and not nodes:
        nodes = tuple(BlockNode(each.kname) for each in devices.devices)
    inventory = Inventory("b1", nodes) if nodes else None
    return look("h", 1.0, devices, inventory, Contents(contents) if contents else None)


def one(whole: HostLook, name: str) -> Seen:
    found = whole.named(name)
    assert found is not None
    return found


def test_the_kernels_whole_wwn_goes_before_one_that_lsblk_cut() -> None:
    cut = block("sda", wwn="0x600508b1001c4d1a")
    told = seen_of(blocks(cut), (BlockNode("sda", wwid=f"naa.{LONG}"),))
    assert one(told, "sda").identity.text == f"wwn:{LONG}"
    assert one(told, "sda").doubt == ""
    alone = one(seen_of(blocks(cut)), "sda")
    assert "16 digits" in alone.doubt


def test_a_name_that_changed_hands_between_two_questions_is_doubted() -> None:
    told = seen_of(blocks(block("sda", wwn="0x5000c50000000001")), (BlockNode("sda", wwid="naa.5000c50000000002"),))
    assert one(told, "sda").doubt == "lsblk says wwn:5000c50000000001, the kernel wwn:5000c50000000002"
    size = seen_of(
        blocks(block("sda", wwn="0x5000c50000000001")), (BlockNode("sda", wwid="naa.5000c50000000001", size_bytes=7),)
    )
    assert "the kernel 7" in one(size, "sda").doubt


def test_a_device_without_wwn_and_serial_has_no_identity_and_says_so() -> None:
    bare = one(seen_of(blocks(block("sda"))), "sda")
    assert bare.identity.text == ""
    assert bare.doubt == "it has neither a WWN nor a serial number"


def test_two_devices_with_one_identity_are_both_doubted() -> None:
    told = seen_of(blocks(block("sda", "S"), block("sdb", "S"), block("sdc", "T")))
    assert ["same identity" in each.doubt for each in told.devices] == [True, True, False]


def test_an_nvme_is_known_by_its_eui() -> None:
    told = seen_of(blocks(block("nvme0n1")), (BlockNode("nvme0n1", wwid="eui.0025388B00C1D2E3"),))
    assert one(told, "nvme0n1").identity.text == "wwn:eui.0025388b00c1d2e3"


def test_the_hidden_paths_of_an_nvme_are_no_devices_that_share_its_identity() -> None:
    paths = (block("nvme0c0n1", wwn="eui.0025388b00c1d2e3"), block("nvme0c1n1", wwn="eui.0025388b00c1d2e3"))
    told = seen_of(blocks(block("nvme0n1"), *paths), (BlockNode("nvme0n1", wwid="eui.0025388b00c1d2e3"),))
    assert [(seen.name, seen.doubt) for seen in told.devices] == [("nvme0n1", "")]


def mapped(*wwids: str, dm_uuid: str = "") -> HostLook:
    paths = [block(f"sd{letter}", type="disk") for letter, _ in zip("ab", wwids, strict=False)]
    over = block("mpatha", kname="dm-0", type="mpath", parents=tuple(path.kname for path in paths))
    nodes = tuple(BlockNode(path.kname, wwid=wwid) for path, wwid in zip(paths, wwids, strict=True))
    return seen_of(blocks(*paths, over), (*nodes, BlockNode("dm-0", dm_uuid=dm_uuid)))


def test_a_map_takes_the_identity_of_its_paths_and_they_are_no_devices_of_their_own() -> None:
    told = mapped(f"naa.{LONG}", f"naa.{LONG}", dm_uuid=f"mpath-3{LONG}")
    assert one(told, "mapper/mpatha").identity.text == f"wwn:{LONG}"
    assert one(told, "dm-0").paths == ("sda", "sdb")
    assert {each.name for each in told.devices if is_path(each)} == {"sda", "sdb"}
    assert told.find(one(told, "dm-0").identity) == (one(told, "dm-0"),)
    assert one(told, "sda").unread == ""


def test_a_map_whose_paths_disagree_has_no_identity() -> None:
    told = mapped("naa.5000c50000000001", "naa.5000c50000000002")
    assert one(told, "mpatha").identity.text == ""
    assert "different identities" in one(told, "mpatha").doubt


@pytest.mark.parametrize(
    ("dm_uuid", "wwid", "identity"),
    [
        (f"mpath-3{LONG}", f"naa.{LONG}", f"wwn:{LONG}"),
        ("mpath-35000C50000000001", "naa.5000c50000000001", "wwn:5000c50000000001"),
        ("mpath-20017380000cb0a61", "eui.0017380000cb0a61", "wwn:eui.0017380000cb0a61"),
        ("mpath-eui.0025388b00c1d2e3", "eui.0025388b00c1d2e3", "wwn:eui.0025388b00c1d2e3"),
        ("mpath-nvme.8086-5331-58-00000001", "nvme.8086-5331-58-00000001", "wwn:nvme.8086-5331-58-00000001"),
        ("mpath-uuid.6a3f2c1e-77d0-4c1b", "uuid.6a3f2c1e-77d0-4c1b", "wwn:uuid.6a3f2c1e-77d0-4c1b"),
    ],
)
def test_a_map_has_one_identity_whether_its_id_or_its_paths_tell_it(dm_uuid: str, wwid: str, identity: str) -> None:
    for told in (mapped("", "", dm_uuid=dm_uuid), mapped(wwid, wwid), mapped(wwid, wwid, dm_uuid=dm_uuid)):
        assert one(told, "mpatha").identity.text == identity
        assert one(told, "mpatha").doubt == ""


def test_the_id_of_a_map_by_vendor_tells_no_wwn() -> None:
    told = mapped("", "", dm_uuid="mpath-SATA_disk_1")
    assert one(told, "mpatha").doubt == "neither the map nor its paths tell a WWN or serial number"


def test_a_map_that_disagrees_with_its_paths_is_doubted() -> None:
    told = mapped("naa.5000c50000000001", "naa.5000c50000000001", dm_uuid="mpath-35000c50000000002")
    assert "the map says" in one(told, "mpatha").doubt


def kinds(
    *devices: BlockDevice, contents: tuple[Content, ...] = (), nodes: tuple[BlockNode, ...] = ()
) -> list[UseKind]:
    return list(dict.fromkeys(use.kind for use in one(seen_of(blocks(*devices), nodes, contents), "sda").uses))


@pytest.mark.parametrize(
    ("changes", "kind"),
    [
        ({"mountpoint": "/"}, UseKind.BOOT),
        ({"mountpoint": "/boot/efi"}, UseKind.BOOT),
        ({"mountpoint": "/data"}, UseKind.MOUNTED),
        ({"mountpoint": "[SWAP]"}, UseKind.SWAP),
        ({"fstype": "swap"}, UseKind.SWAP),
        ({"fstype": "LVM2_member"}, UseKind.SIGNATURE),
        ({"label": "old"}, UseKind.SIGNATURE),
        ({"fstype": "mpath_member"}, UseKind.PATH),
        ({"read_only": True}, UseKind.STATE),
        ({"state": "offline"}, UseKind.STATE),
        ({"partlabel": "GPFS: x"}, UseKind.NSD),
    ],
)
def test_what_lsblk_tells_of_a_disk_itself(changes: dict[str, object], kind: UseKind) -> None:
    assert kinds(block("sda", "S", **changes)) == [kind]


def test_what_lies_above_is_followed_to_its_end() -> None:
    part = block("sda1", type="part", parents=("sda",), fstype="linux_raid_member")
    array = block("md0", type="raid1", parents=("sda1",), mountpoint="/")
    assert kinds(block("sda", "S"), part, array) == [
        UseKind.BOOT, UseKind.PARTITIONED, UseKind.SIGNATURE, UseKind.HELD
    ]  # fmt: skip


def test_a_partition_of_gpfs_is_an_nsd() -> None:
    part = block("sda1", type="part", parents=("sda",), parttype=GPFS_PARTITION)
    assert kinds(block("sda", "S"), part) == [UseKind.NSD]


def test_a_holder_that_only_sysfs_knows_counts() -> None:
    assert kinds(block("sda", "S"), nodes=(BlockNode("sda", holders=("dm-7",)),)) == [UseKind.HELD]


def test_what_was_read_of_a_disk_counts_and_what_was_not_is_never_free() -> None:
    disk = block("sda", "S")
    read = Content("sda", ReadState.READ, nonzero=0)
    assert one(seen_of(blocks(disk), contents=(read,)), "sda").free
    for content, kind in (
        (msgspec.structs.replace(read, nonzero=9), UseKind.BYTES),
        (msgspec.structs.replace(read, signatures=(Signature("xfs", "filesystem"),)), UseKind.SIGNATURE),
        (msgspec.structs.replace(read, signatures=(Signature("gpt", "partition-table"),)), UseKind.PARTITIONED),
        (msgspec.structs.replace(read, partitions=(GPFS_PARTITION,)), UseKind.NSD),
    ):
        assert kinds(disk, contents=(content,)) == [kind]
    assert not one(seen_of(blocks(disk)), "sda").free
    for state in (ReadState.DENIED, ReadState.HANGS, ReadState.STILL, ReadState.FAILED):
        told = one(seen_of(blocks(disk), contents=(Content("sda", state),)), "sda")
        assert state.value in told.unread
        assert not told.free


def test_a_disk_that_became_a_path_between_two_questions_is_never_free() -> None:
    """lsblk did not see the map, and what lies on a path is not read: it is on the map."""
    path = Content("sda", ReadState.PATH)
    assert kinds(block("sda", "S"), contents=(path,)) == [UseKind.PATH]
    told = one(seen_of(blocks(block("sda", "S")), contents=(path,)), "sda")
    assert not told.free
    assert is_path(told)


def test_a_disk_of_which_sysfs_was_not_read_is_never_free() -> None:
    """What holds it or is mounted may be told nowhere else."""
    contents = Contents((Content("sda", ReadState.READ, nonzero=0),))
    for inventory in (None, Inventory("b1", (BlockNode("sdb"),))):
        told = one(look("h", 1.0, blocks(block("sda", "S")), inventory, contents), "sda")
        assert told.unread == "what the kernel tells of it (/sys) was not read"
        assert not told.free


@pytest.mark.parametrize("told", ["cciss/c0d1", "cciss!c0d1"])
def test_a_device_whose_name_has_a_slash_is_the_same_in_all_answers(told: str) -> None:
    """lsblk writes cciss/c0d1 or, of old, cciss!c0d1; sysfs and the scripts that read it cciss!c0d1."""
    lsblk = f'NAME="{told}" KNAME="{told}" TYPE="disk" SIZE="512000" RO="0" SERIAL="S1"\n'
    lsblk += f'NAME="{told}p1" KNAME="{told}p1" PKNAME="{told}" TYPE="part" SIZE="512" RO="0"\n'
    sysfs = "restripe-devices 1\nboot b\ndevice cciss!c0d1\nnumber 104:16\nsectors 1000\nholder dm-7\n"
    sysfs += "part cciss!c0d1p1 104:17\nmount 25 1 104:17 / / rw - xfs /dev/root rw\nnsddevices absent\nend\n"
    lying = "restripe-signatures 1\ndevice cciss!c0d1\nstate hangs\nend\n"
    inventory = parse_devices(sysfs)
    assert inventory.problems == ()
    whole = look("h", 1.0, parse_lsblk(lsblk).model, inventory.model, parse_signatures(lying).model)
    (seen,) = whole.devices
    assert (seen.name, seen.called("/dev/cciss/c0d1")) == ("cciss/c0d1", True)
    assert [use.text for use in seen.uses] == [
        "cciss/c0d1p1 mounted on /",
        "has partition cciss/c0d1p1",
        "held by dm-7",
    ]
    assert seen.unread == "what lies on it could not be read: hangs"


def test_the_order_in_which_a_host_lists_its_devices_changes_nothing() -> None:
    listed = [block(f"sd{letter}", f"S{letter}") for letter in "abcd"]
    listed += [block("sda1", type="part", parents=("sda",), mountpoint="/")]
    first = seen_of(blocks(*listed))
    shuffled = list(listed)
    for seed in range(10):
        random.Random(seed).shuffle(shuffled)
        assert seen_of(blocks(*shuffled)).devices == first.devices


def test_what_the_kernel_says_is_mounted_counts_where_lsblk_is_silent() -> None:
    """lsblk tells one mount of a device, none of a btrfs of several, nothing of partitions that it lacks."""
    devices = blocks(block("sda", "S"), block("sdb", "T"), block("sdc", "U"), block("sdd", "V"))
    nodes = (
        BlockNode("sda", "8:0", parts=(Part("sda1", "8:1"),)),
        BlockNode("sdb", "8:16"),
        BlockNode("sdc", "8:32"),
        BlockNode("sdd", "8:48"),
    )
    mounts = (
        Mount("8:1", "/", "xfs", "/dev/root"),
        Mount("8:16", "/scratch", "xfs", "/dev/sdb"),
        Mount("0:42", "/home", "btrfs", "/dev/sdc"),
    )
    told = look("h", 1.0, devices, Inventory("b1", nodes, mounts, ("/dev/sdd", "/swapfile")), None)
    uses = {seen.name: [(use.kind, use.text) for use in seen.uses] for seen in told.devices}
    assert uses == {
        "sda": [(UseKind.BOOT, "sda1 mounted on /"), (UseKind.PARTITIONED, "has partition sda1")],
        "sdb": [(UseKind.MOUNTED, "mounted on /scratch")],
        "sdc": [(UseKind.MOUNTED, "mounted on /home")],
        "sdd": [(UseKind.SWAP, "swap")],
    }
