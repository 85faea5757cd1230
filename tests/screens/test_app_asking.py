"""What the application asks and sends at a person's word: nothing twice at once, nothing to a host that is silent."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import pytest
from textual.pilot import Pilot

from remote.events import Header
from remote.recorder import RecordingSite
from remote.recording import VERSION
from screens.cluster import ClusterScreen
from screens.intents import LaunchJob, StartProbe
from supervision.gpfs import GpfsFileSystem
from supervision.journal import Journal
from supervision.session import Session
from supervision.store import Store
from supervision.supervisor import Supervisor
from supervision.watching import Watch
from tests.screens.snap import text_of
from tests.supervision.scripted_site import ScriptedSite
from tests.waiting import until
from tui.app import RestripeApp
from tui.carrying import LAUNCH, REFRESH

DEAR = ("mmdf fs1", "mmgetstate -a", "mmlsnsd -X", "mmlsmount fs1 -L")


@asynccontextmanager
async def shown(site: ScriptedSite) -> AsyncIterator[tuple[RestripeApp, Pilot[int], Supervisor]]:
    header = Header(VERSION, "0", 0.0, 1000.0, "fs1", site.hosts, site.hosts[0])
    journal = Journal(Store(header))
    fs = GpfsFileSystem("fs1", site.hosts[0])
    async with Supervisor(RecordingSite(site, journal.emit), journal, fs="fs1", entry=site.hosts[0]) as supervisor:
        watch = Watch(supervisor, fs)
        await watch.begin()
        app = RestripeApp(Session(journal.store, fs, supervisor=supervisor, watch=watch))
        async with app.run_test(size=(120, 40)) as pilot:
            await until(lambda: isinstance(app.screen, ClusterScreen))
            yield app, pilot, supervisor


@pytest.mark.parametrize(("key", "dear"), [("r", False), ("R", True)])
async def test_a_key_that_repeats_asks_once_and_only_the_capital_asks_what_is_dear(key: str, dear: bool) -> None:
    site = ScriptedSite("n1")
    async with shown(site) as (app, pilot, supervisor):
        before = site.asked.copy()
        site.gate.clear()
        await pilot.press(*key * 15)
        await until(lambda: "being asked already" in text_of(app))
        site.gate.set()
        await until(lambda: not supervisor.runs(REFRESH))
        asked = site.asked - before  # by now it is known that this release has no -Y
        assert asked["n1", "mmlsdisk fs1"] == 1
        assert [asked["n1", text] for text in DEAR] == [int(dear)] * len(DEAR)


async def test_nothing_is_sent_to_a_host_that_does_not_answer_when_it_was_confirmed() -> None:
    site = ScriptedSite("n1", armed=True)
    async with shown(site) as (app, _pilot, _supervisor):
        site.away.add("n1")
        app.post_message(LaunchJob("n1", ("touch", "/tmp/x")))
        await until(lambda: "nothing was sent" in text_of(app))
        assert site.launched == []
        site.away.clear()
        app.post_message(LaunchJob("n1", ("touch", "/tmp/x")))
        await until(lambda: len(site.launched) == 1)
        assert site.launched[0].command.text == "touch /tmp/x"


async def test_a_probe_is_sent_to_a_host_that_answers_which_is_watched_from_then_on() -> None:
    site = ScriptedSite("n1", armed=True)
    async with shown(site) as (app, _pilot, _supervisor):
        app.post_message(StartProbe("login1", "gpfs/fs1"))
        await until(lambda: "not an absolute path" in text_of(app))
        site.away.add("login1")
        app.post_message(StartProbe("login1", "/gpfs/fs1/tmp", 10.0, 2.0))
        await until(lambda: "nothing was sent" in text_of(app))
        assert site.launched == []
        site.away.clear()
        app.post_message(StartProbe("login1", "/gpfs/fs1/tmp", 10.0, 2.0))
        await until(lambda: ("login1", f"job:{site.launched[0].id}" if site.launched else "") in site.followed)
        (spec,) = site.launched
        assert spec.command.text == f"sh /jobs/{spec.id}/run/probe.sh /gpfs/fs1/tmp 10 30 4 2419200 2"
        assert "login1" in site.hosts


async def test_an_unarmed_session_starts_no_probe() -> None:
    site = ScriptedSite("n1")
    async with shown(site) as (app, pilot, supervisor):
        app.post_message(StartProbe("n1", "/gpfs/fs1/tmp"))
        await pilot.pause()
        assert not supervisor.runs(LAUNCH)
        assert site.launched == []


async def test_a_look_after_the_last_screen_is_gone_finds_nothing_to_draw() -> None:
    async with shown(ScriptedSite("n1")) as (app, _pilot, _supervisor):
        app.exit(0)
    app._look()
    await asyncio.sleep(0)  # what a look would have posted has its turn
