"""Questions by way of the admin node, on real OpenSSH: the host takes only the admin node's key."""

from __future__ import annotations

import asyncio
import signal
from collections.abc import AsyncIterator, Callable
from typing import Any

import asyncssh
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from remote import live
from remote.command import Command, Effect
from remote.errors import AnswerLostError, StillAskedError, Trouble, UnreachableError
from remote.fleet import RELAYED, LinkState
from remote.live import LiveSite
from remote.relay import REACHED
from remote.ssh.settings import CHANNELS
from tests.conftest import Sites
from tests.openssh import Farm, Server
from tests.processes import send
from tests.remote.admin_node import AdminNode
from tests.waiting import until

pytestmark = pytest.mark.openssh

TRUE = Command(("true",), Effect.READS)


def asks(*argv: str, deadline: float = 60.0, privileged: bool = False) -> Command:
    """A reading command."""
    return Command(argv, Effect.READS, deadline=deadline, privileged=privileged)


class Cluster:
    """An admin node, and two hosts behind it."""

    def __init__(self, farm: Farm) -> None:
        self.admin = AdminNode(farm, "admin", "mksh")
        self.first = self.admin.target("relayed-1", address="127.0.0.31")
        self.second = self.admin.target("relayed-2", address="127.0.0.32")


@pytest.fixture(scope="module")
def cluster(farm: Farm) -> Cluster:
    return Cluster(farm)


@pytest.fixture
async def site(cluster: Cluster) -> AsyncIterator[LiveSite]:
    made = cluster.admin.site("relayed-1", "relayed-2")
    yield made
    await made.close()


async def test_a_host_that_refuses_our_key_is_reached_with_the_admin_nodes(
    cluster: Cluster, site: LiveSite, sites: Sites
) -> None:
    with pytest.raises(UnreachableError) as error:
        await sites(cluster.first).query("relayed-1", TRUE)
    assert error.value.trouble is Trouble.AUTHENTICATION
    before = cluster.admin.server.connections()
    for server in (cluster.first, cluster.second):
        (answer,) = await site.query(server.host, asks("sh", "-c", "echo $RESTRIPE_TEST; echo err >&2; exit 3"))
        assert (answer.rc, answer.stdout, answer.stderr) == (3, f"{server.directory}\n".encode(), b"err\n")
        assert (await site.place(server.host)).base.startswith(str(server.account.home))
        assert isinstance(await site.jobs(server.host), tuple)
        assert site.fleet.status(server.host).state is LinkState.UP
    assert cluster.admin.server.connections() - before == 1


async def test_what_tells_that_the_host_was_reached_is_no_part_of_the_answer(site: LiveSite) -> None:
    output = await site.fleet.run("relayed-1", "echo out", deadline=20.0, limit=1000)
    assert output.stdout == b"out\n"
    assert REACHED.encode() not in output.stderr


WORDS = st.lists(st.text(st.characters(codec="utf-8", exclude_characters="\0")), min_size=1, max_size=40)


@settings(max_examples=3, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(WORDS, min_size=1, max_size=8))
def test_arguments_survive_two_shells(cluster: Cluster, questions: list[list[str]]) -> None:
    """Several questions a connection, for that is what takes the time."""

    async def ask() -> list[bytes]:
        site = cluster.admin.site("relayed-1")
        try:
            answers = await site.query("relayed-1", *(asks("printf", "[%s]", *words) for words in questions))
        finally:
            await site.close()
        return [answer.stdout for answer in answers]

    assert asyncio.run(ask()) == ["".join(f"[{word}]" for word in words).encode() for words in questions]


async def test_awkward_login_shells_on_both_hosts(farm: Farm) -> None:
    admin = AdminNode(farm, "admin-tcsh", "tcsh")
    admin.target("relayed-tcsh", shell="tcsh")
    site = admin.site("relayed-tcsh")
    words = ("it's", "!!", "wow!'!", "$HOME", "`id`", "\n", "a\n\nb", "é€😀", "", "\\", "{a,b}", "x" * 5000)
    try:
        (answer,) = await site.query("relayed-tcsh", asks("printf", "[%s]", *words))
        assert answer.stdout == "".join(f"[{word}]" for word in words).encode()
        assert (await site.place("relayed-tcsh")).base.startswith("/")
    finally:
        await site.close()


async def test_eight_channels_in_all_and_few_for_one_host(
    cluster: Cluster, site: LiveSite, monkeypatch: pytest.MonkeyPatch
) -> None:
    counts = []
    create = asyncssh.SSHClientConnection.create_process

    async def counting(connection: Any, *args: Any, **options: Any) -> asyncssh.SSHClientProcess[bytes]:
        process: asyncssh.SSHClientProcess[bytes] = await create(connection, *args, **options)
        counts.append((len(connection._channels), len(cluster.admin.inner("relayed-1"))))
        return process

    monkeypatch.setattr(asyncssh.SSHClientConnection, "create_process", counting)
    before = cluster.admin.server.connections()
    hosts = ["relayed-1"] * 8 + ["relayed-2"] * 8 + ["admin"] * 30
    questions = (site.query(host, asks("sh", "-c", f"sleep 0.1; echo {number}")) for number, host in enumerate(hosts))
    answers = await asyncio.gather(*questions)
    assert [answer.stdout for (answer,) in answers] == [f"{number}\n".encode() for number in range(len(hosts))]
    assert len(counts) == len(hosts)
    assert max(channels for channels, _ in counts) <= CHANNELS
    assert max(inner for _, inner in counts) <= RELAYED
    assert cluster.admin.server.connections() - before == 1


def cut_admin(cluster: Cluster, _server: Server) -> None:
    cluster.admin.server.kill_sessions()


def cut_inner(cluster: Cluster, server: Server) -> None:
    send(cluster.admin.inner(server.host), signal.SIGKILL)


def cut_inner_politely(cluster: Cluster, server: Server) -> None:
    send(cluster.admin.inner(server.host), signal.SIGTERM)


def cut_target(_cluster: Cluster, server: Server) -> None:
    server.kill_sessions()


@pytest.mark.parametrize(
    ("cut", "output"), [(cut_inner, ""), (cut_inner_politely, "echo before; "), (cut_admin, ""), (cut_target, "")]
)
async def test_an_answer_lost_on_the_way_is_lost_and_not_asked_twice(
    cluster: Cluster, site: LiveSite, cut: Callable[[Cluster, Server], None], output: str
) -> None:
    server = cluster.first
    name = f"{cut.__name__}-{len(output)}"
    directory = server.account.directory(name)
    go, counter = directory / "go", directory / "counter"
    script = f'{output}echo ran >>"{counter}"; while [ ! -e "{go}" ]; do sleep 0.02; done; echo done'
    command = asks("sh", "-c", script)
    asked = asyncio.create_task(site.query(server.host, command))
    await until(counter.exists)
    cut(cluster, server)
    with pytest.raises(AnswerLostError) as lost:
        await asked
    assert (lost.value.host, lost.value.command) == (server.host, command.text)
    assert lost.value.advice
    for _ in range(2):
        with pytest.raises(StillAskedError):
            await site.query(server.host, command)
    assert (await site.query(server.host, TRUE))[0].rc == 0  # another question is not held up
    assert (await site.query(cluster.second.host, TRUE))[0].rc == 0
    go.touch()
    await until(lambda: not server.processes(name))
    (answer,) = await site.query(server.host, command)
    assert (answer.rc, answer.stdout.endswith(b"done\n"), counter.read_text()) == (0, True, "ran\nran\n")


async def test_a_host_is_not_called_up_while_the_admin_node_is_gone(farm: Farm) -> None:
    admin = AdminNode(farm, "admin-gone", "mksh")
    admin.target("relayed-gone")
    site = admin.site("relayed-gone")
    states: list[tuple[str, str]] = []
    try:
        await site.query("relayed-gone", TRUE)
        site.on_link = lambda link: states.append((link.host, link.state))
        admin.server.stop()
        await until(lambda: site.fleet.status("relayed-gone").state is LinkState.WAITING)
        assert "by way of admin-gone" in site.fleet.status("relayed-gone").detail
        await until(lambda: site.fleet.status("admin-gone").trouble is Trouble.REFUSED)
        with pytest.raises(UnreachableError) as error:
            await site.query("relayed-gone", TRUE)
        assert (error.value.host, error.value.trouble) == ("relayed-gone", Trouble.REFUSED)
        admin.server.start()
        site.fleet.retry("relayed-gone")
        await until(lambda: site.fleet.status("admin-gone").state is LinkState.UP)
        assert (await site.query("relayed-gone", TRUE))[0].rc == 0
        assert ("relayed-gone", "waiting") in states
        assert states[-1] == ("relayed-gone", "up")
    finally:
        await site.close()


async def test_a_frozen_host_takes_no_channel_from_the_others(
    cluster: Cluster, farm: Farm, monkeypatch: pytest.MonkeyPatch
) -> None:
    frozen = cluster.admin.target("relayed-frozen", address="127.0.0.33")
    site = cluster.admin.site("relayed-frozen", "relayed-2")
    try:
        await site.query(frozen.host, TRUE)
        monkeypatch.setattr(live, "NETWORK_SECONDS", -4.0)
        frozen.freeze()
        asked = [asyncio.create_task(site.query(frozen.host, asks("echo", str(n), deadline=1))) for n in range(20)]
        await until(lambda: len(cluster.admin.inner(frozen.host)) == RELAYED)
        monkeypatch.setattr(live, "NETWORK_SECONDS", 15.0)
        for number in range(10):
            (answer,) = await asyncio.wait_for(site.query("relayed-2", asks("echo", str(number))), 10)
            assert answer.stdout == f"{number}\n".encode()
        errors = await asyncio.gather(*asked, return_exceptions=True)
        assert {type(error) for error in errors} == {AnswerLostError}
        assert len(cluster.admin.inner(frozen.host)) <= RELAYED  # those given up still hold their places
    finally:
        frozen.thaw()
        await site.close()


async def test_sudo_on_the_far_host(cluster: Cluster) -> None:
    account = cluster.first.account
    tools = account.directory("relay-sudo")
    account.script("relay-sudo/sudo", '#!/bin/sh\n[ "$1" = -n ] || exit 1\nshift\necho by sudo\nexec "$@"\n')
    cluster.admin.target("relayed-sudo", env={"PATH": f"{tools}:/usr/bin:/bin"})
    site = cluster.admin.site("relayed-sudo", sudo=True)
    try:
        privileged, plain = await site.query(
            "relayed-sudo", asks("echo", "it's", privileged=True), asks("echo", "plain")
        )
    finally:
        await site.close()
    assert (privileged.stdout, plain.stdout) == (b"by sudo\nit's\n", b"plain\n")


async def test_closing_leaves_no_task_and_nobody_waiting(cluster: Cluster) -> None:
    before = asyncio.all_tasks()
    site = cluster.admin.site("relayed-1", "relayed-2")
    await site.query("relayed-1", TRUE)
    hosts = ("relayed-1", "relayed-2")
    asked = [asyncio.create_task(site.query(hosts[n % 2], asks("sleep", f"1.0{n}"))) for n in range(8)]
    await until(lambda: cluster.first.processes("sleep 1.0"))
    await site.close()
    answers = await asyncio.gather(*asked, return_exceptions=True)
    assert {type(answer) for answer in answers} <= {AnswerLostError, UnreachableError}
    await until(lambda: asyncio.all_tasks() - before == set())
