"""Records marks as fast as it can until it is killed; says on stdout which are certainly on the disk."""

from __future__ import annotations

import itertools
import sys
from pathlib import Path

from remote.events import Marked
from remote.recording import Writer
from tests.recording.test_recording_round_trip import HEADER


def main(path: str) -> None:
    """Record for ever."""
    writer = Writer(Path(path), HEADER)
    for number in itertools.count():
        writer.write(Marked(float(number), f"mark {number} " + "é" * (number % 200)))
        if number % 50 == 0:
            writer.sync_now()
            sys.stdout.write(f"{number}\n")
            sys.stdout.flush()


if __name__ == "__main__":
    main(sys.argv[1])
