"""Parser of `mmlsqos`, `-Y` and (unconfirmed) human; and its limits as numbers and as `mmchqos` takes them."""

from __future__ import annotations

import math
from collections.abc import Iterable

from remote.gpfs import unconfirmed
from remote.gpfs.machine import Table, is_machine, read_machine
from remote.gpfs.models import Qos, QosLimit, QosStat
from remote.gpfs.reading import Line, Reading, Steps, decimal, finish, whole, yes_no
from remote.parsed import Parsed

_STATS = ("pool", "class", "timeEpoch", "iops", "ioql", "qsdl", "et", "MBs")


def parse_mmlsqos(stdout: str, stderr: str = "") -> Parsed[Qos]:
    """Parse `mmlsqos`. Its figures may have decimal commas and `nan` whatever the locale of the question."""
    return finish(mmlsqos_steps(stdout, stderr))


def mmlsqos_steps(stdout: str, stderr: str = "") -> Steps[Qos]:
    """The steps of `parse_mmlsqos`."""
    reading = Reading(stdout, stderr)
    found = _Found(reading)
    if is_machine(stdout, "mmlsqos"):
        tables = {
            "status": Table(("enabled", "throttling", "monitoring"), found.status_record),
            "config": Table(("config_enc",), found.config_record),
            "values": Table(("values_enc",), found.values_record),
            "stats": Table(_STATS, found.stat_record),
        }
        yield from read_machine(reading, "mmlsqos", tables)
    else:
        yield from reading.each(found.line)
    reading.rest()
    if not found.understood:
        reading.missing("no word about QoS")
    return reading.result(Qos(*found.status, tuple(found.values or found.config), tuple(found.stats)))


class _Found:
    """What has been read so far. `status` is enabled, throttling, monitoring."""

    def __init__(self, reading: Reading) -> None:
        self.understood = False
        self.status: tuple[bool | None, bool | None, bool | None] = (None, None, None)
        self.config: list[QosLimit] = []
        self.values: list[QosLimit] = []
        self.stats: list[QosStat] = []
        self._reading = reading
        self._pool = ""

    def status_record(self, *words: str) -> str | None:
        """Read the row that tells what is switched on."""
        self.understood = True
        enabled, throttling, monitoring = (yes_no(word) for word in words)
        self.status = (enabled, throttling, monitoring)
        return "a status must be Yes or No" if None in self.status else None

    def config_record(self, text: str) -> str | None:
        """Read the limits that somebody set."""
        self.understood = True
        limits = read_limits(text)
        self.config += limits or []
        return "not limits of pools" if limits is None else None

    def values_record(self, text: str) -> str | None:
        """Read the limits that hold, pool by pool."""
        self.understood = True
        limits = read_limits(text)
        self.values += limits or []
        return "not limits of pools" if limits is None else None

    def stat_record(self, pool: str, name: str, epoch: str, *figures: str) -> str | None:
        """Read the figures of one interval."""
        self.understood = True
        if not pool or not name or whole(epoch) is None:
            return "figures need a pool, a class and a time"
        numbers = [decimal(figure.strip()) for figure in figures]
        known = all(
            n is not None or f.strip().lower() in ("", "nan", "-nan") for n, f in zip(numbers, figures, strict=True)
        )
        if not known:
            return "the figures are not numbers"
        iops, queued, delayed, seconds, mb_s = numbers
        self.stats.append(QosStat(pool, name, whole(epoch), iops, queued, delayed, seconds, mb_s))
        return None

    def line(self, line: Line) -> None:
        """Read a line of the human form."""
        text = line.text.strip()
        words = unconfirmed.qos_words(text)
        pool = unconfirmed.qos_pool(text)
        stat = unconfirmed.qos_stat(text)
        if words is not None:
            self._words(line, *words)
        elif pool is not None:
            self._pool = pool
        elif stat is not None and self._pool:
            self._stat(*stat)
        else:
            self._reading.note(line)

    def _words(self, line: Line, kind: str, text: str) -> None:
        self.understood = True
        enabled, throttling, monitoring = self.status
        if kind == "config":
            self.status = ({"enabled": True, "disabled": False}.get(text.split(maxsplit=1)[0]), throttling, monitoring)
        elif kind == "values":
            limits = read_limits(text)
            self.values += limits or []
            if limits is None:
                self._reading.problem(line, "not limits of pools")
        else:
            active = {words[0]: words[-1] == "active" for part in text.split(",") if (words := part.split())}
            self.status = (enabled, active.get("throttling"), active.get("monitoring"))

    def _stat(self, clock: str, name: str, figures: dict[str, str]) -> None:
        iops, queued, delayed, seconds, mb_s = (
            decimal(figures.get(key, "")) for key in ("iops", "ioql", "qsdl", "et", "MBs")
        )
        self.stats.append(QosStat(self._pool, name, None, iops, queued, delayed, seconds, mb_s, clock))


def read_limits(text: str) -> list[QosLimit] | None:
    """The limits of `pool=a,other=inf,maintenance/all_local=inf:pool=b,…`; None if they are none."""
    limits = []
    for part in text.split(":"):
        if not part.strip():
            continue
        pairs = [pair.partition("=") for pair in part.strip().split(",")]
        if pairs[0][0] != "pool" or not all(name and sign and value for name, sign, value in pairs):
            return None
        limits += [QosLimit(pairs[0][2], name, value) for name, _, value in pairs[1:]]
    return limits


def limits_text(limits: Iterable[QosLimit]) -> str:
    """Limits as `mmlsqos` prints them, which `read_limits` reads again."""
    pools: dict[str, list[str]] = {}
    for row in limits:
        pools.setdefault(row.pool, []).append(f"{row.name}={row.limit}")
    return ":".join(",".join((f"pool={pool}", *words)) for pool, words in pools.items())


def iops_of(limit: str) -> float | None:
    """A printed limit as a number: `inf` and `unlimited` are infinite; None for one that is not in IOPS."""
    text = limit.strip().lower()
    if text in ("inf", "unlimited"):
        return math.inf
    return decimal(text.removesuffix("iops"))


def as_given(limit: str) -> str:
    """A printed limit as `mmchqos` takes it: `unlimited`, `50000IOPS`; any other as it is."""
    number = iops_of(limit)
    if number is None:
        return limit
    return "unlimited" if number == math.inf else f"{number:.0f}IOPS"


def scope_of(name: str) -> tuple[str, str]:
    """A class as `mmlsqos` prints it, and the scope of its limit: `maintenance/all_local`; "" without one."""
    return unconfirmed.qos_scope(name)


def is_impossible(stdout: str, stderr: str) -> bool:
    """Whether a failed `mmlsqos` says that there can be no QoS on this file system."""
    return unconfirmed.qos_impossible(f"{stderr}\n{stdout}")
