"""Disk counters of hosts: rates between looks, what has moved since a time, and None where that cannot be told."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from remote.events import Answered, Asked, Exact, Header, Reply
from remote.linux.commands import disk_counters
from supervision.io_history import NEWEST
from supervision.io_rates import DiskRate, Moved, moved, rates
from supervision.state import State
from supervision.store import Store

T0 = 1_370_520_000.0
HOST = "pollux1"


class Session:
    """A state that grows by looks at a host's disks."""

    def __init__(self) -> None:
        self.store = Store(Header(1, "0", T0, 0.0, "fs1", (HOST,), HOST))
        self.n = 0

    @property
    def state(self) -> State:
        return self.store.state

    def look(self, seconds: float, boot: str = "one", **disks: tuple[int, int]) -> None:
        """Sectors read and written of each disk, so many seconds after the start."""
        lines = "".join(f"disk {name} {read} {written} 1\n" for name, (read, written) in disks.items())
        text = f"restripe-io 1\nboot {boot}\nnow 1\n{lines}end\n"
        self.answer(seconds, text)

    def answer(self, seconds: float, text: str) -> None:
        """Any answer."""
        self.n += 1
        self.store.apply(Asked(T0 + seconds, self.n, HOST, (disk_counters(),)))
        self.store.apply(Answered(T0 + seconds, self.n, (Reply(0, Exact(text.encode())),)))


def test_rates_are_megabytes_a_second_between_the_last_two_looks() -> None:
    session = Session()
    assert rates(session.state, HOST) == ()
    session.look(0, sda=(0, 0))
    assert rates(session.state, HOST) == (DiskRate("sda", None, None, 1),)
    session.look(100, sda=(2_000_000, 500_000), sdb=(7, 7))
    session.look(200, sda=(2_000_000, 1_500_000), sdb=(7, 7))
    assert rates(session.state, HOST) == (DiskRate("sda", 0.0, 5.12, 1), DiskRate("sdb", 0.0, 0.0, 1))


def test_what_has_moved_is_counted_from_the_last_look_before_a_time() -> None:
    session = Session()
    session.look(0, sda=(0, 0), sdb=(0, 0))
    assert moved(session.state, HOST, ["sda"], T0) is None
    session.look(120, sda=(10, 0), sdb=(0, 5))
    session.look(240, sda=(30, 0), sdb=(0, 5))
    since = moved(session.state, HOST, ["sda", "sdb"], T0 + 130)
    assert since == Moved(20 * 512, 0, T0 + 120, T0 + 240)
    assert moved(session.state, HOST, ["sda", "sdb"], T0 - 100) == Moved(30 * 512, 5 * 512, T0, T0 + 240)
    assert moved(session.state, HOST, ["sdb"], T0 + 500) == Moved(0, 0, T0 + 120, T0 + 240)
    assert moved(session.state, HOST, ["sda", "sdz"], T0) is None
    assert moved(session.state, "pollux2", ["sda"], T0) is None


def test_a_boot_and_a_disk_that_was_changed_are_not_known_and_never_nothing() -> None:
    session = Session()
    session.look(0, sda=(1000, 1000))
    session.look(120, boot="two", sda=(2000, 2000))
    assert rates(session.state, HOST) == (DiskRate("sda", None, None, 1),)
    assert moved(session.state, HOST, ["sda"], T0) is None
    session.look(240, boot="two", sda=(2500, 2000))
    assert moved(session.state, HOST, ["sda"], T0 + 150) == Moved(500 * 512, 0, T0 + 120, T0 + 240)
    session.look(360, boot="two", sda=(100, 2000))
    assert moved(session.state, HOST, ["sda"], T0 + 250) is None


def test_a_counter_of_32_bits_goes_on_over_its_end() -> None:
    session = Session()
    session.look(0, sda=(2**32 - 100, 0), sdb=(2**33, 0))
    session.look(120, sda=(100, 0), sdb=(100, 0))
    assert moved(session.state, HOST, ["sda"], T0) == Moved(200 * 512, 0, T0, T0 + 120)
    assert moved(session.state, HOST, ["sdb"], T0) is None


def test_an_answer_that_is_not_whole_is_left_out() -> None:
    session = Session()
    session.look(0, sda=(0, 0))
    session.answer(60, "restripe-io 1\nboot one\nnow 1\ndisk sda 5 5 1\n")
    session.answer(90, "restripe-io 1\nboot one\nstate absent\n")
    session.look(120, sda=(8, 0))
    assert moved(session.state, HOST, ["sda"], T0 + 60) == Moved(8 * 512, 0, T0, T0 + 120)


@given(st.lists(st.integers(1, 5000), min_size=1, max_size=300))
def test_looks_are_bounded_and_the_oldest_is_kept(steps: list[int]) -> None:
    session = Session()
    seconds = 0
    for number, step in enumerate(steps):
        session.look(seconds, sda=(number, 0))
        seconds += step
    looks = session.state.disk_counters[HOST]
    assert looks[0].at == T0
    assert [look.at for look in looks] == sorted({look.at for look in looks})
    # two for each doubling of the age, from some seconds to 5000 s x 300
    assert len(looks) <= NEWEST + 2 * 21
    assert looks[-1].disks["sda"].read == len(steps) - 1


def test_of_a_day_a_few_looks_are_kept_and_none_is_twice_as_old_as_asked_for() -> None:
    session = Session()
    for number in range(24 * 30 + 1):
        session.look(number * 120, sda=(number, 0))
    assert len(session.state.disk_counters[HOST]) <= 6 + 2 * 8
    for hours in (1, 2, 5, 11):
        told = moved(session.state, HOST, ["sda"], T0 + 86400 - hours * 3600)
        assert told is not None
        assert hours * 3600 <= told.until - told.since <= 2 * hours * 3600
        assert told.read == (told.until - told.since) / 120 * 512
