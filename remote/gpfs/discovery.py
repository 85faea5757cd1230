"""Parser of `mmdevdiscover`: the devices that GPFS finds on a node. A node without any is an answer, too."""

from __future__ import annotations

from remote.gpfs import unconfirmed
from remote.gpfs.models import Discovery
from remote.gpfs.reading import Line, Reading, Steps, finish
from remote.parsed import Parsed


def parse_mmdevdiscover(stdout: str, stderr: str = "") -> Parsed[Discovery]:
    """Parse `mmdevdiscover`, and what `nsddevices` prints."""
    return finish(mmdevdiscover_steps(stdout, stderr))


def mmdevdiscover_steps(stdout: str, stderr: str = "") -> Steps[Discovery]:
    """The steps of `parse_mmdevdiscover`."""
    reading = Reading(stdout, stderr)
    devices: dict[str, str] = {}

    def row(text: str) -> bool:
        found = unconfirmed.discovered(text.strip())
        if found:
            devices.setdefault(*found)
        return found is not None

    def otherwise(line: Line) -> None:
        if line.text:
            reading.broken(line, "not a device and its type")

    yield from reading.rows(row, otherwise)
    reading.rest()
    return reading.result(Discovery(tuple(devices.items())))
