"""`restripe report`: what became of a migration, from its recording, as Markdown or JSON. It asks no host."""

from __future__ import annotations

import sys
from pathlib import Path

import msgspec

from remote.recording import RecordingError
from remote.text import one_line
from supervision.report import report
from supervision.report_model import Report
from supervision.report_text import markdown
from tui.exits import Exit
from tui.newfile import is_there, write_new


def run(recording: Path, output: Path | None, *, as_json: bool) -> Exit:
    """Print the report of a recording, or write it to a new file."""
    if output and is_there(output):
        return _say(f"{output} is there already: a report is never written over anything", Exit.USAGE)
    try:
        made = report(recording)
    except RecordingError as error:
        return _say(str(error), Exit.USAGE)
    except OSError as error:
        return _say(f"{recording}: {error.strerror or error}", Exit.USAGE)
    text = msgspec.json.format(msgspec.json.encode(made), indent=2).decode() + "\n" if as_json else as_text(made)
    if output is None:
        sys.stdout.write(text)
        return Exit.DONE
    try:
        write_new(output, text)
    except OSError as error:
        return _say(f"{output}: {error.strerror or error}", Exit.FAILED)
    sys.stderr.write(f"{one_line(str(output))}: {made.result}\n")
    return Exit.DONE


def write_both(recording: Path, path: Path) -> str:
    """Write the report of a recording as Markdown, and beside it as JSON; what came of it, in a line."""
    beside = path.with_suffix(".json")
    if is_there(path) or is_there(beside) or path == beside:
        return f"{path if is_there(path) else beside} is there already: a report is never written over anything"
    try:
        made = report(recording)
        write_new(path, as_text(made))
        write_new(beside, msgspec.json.format(msgspec.json.encode(made), indent=2).decode() + "\n")
    except (RecordingError, OSError) as error:
        return f"no report: {getattr(error, 'strerror', None) or error}"
    return f"the report is in {one_line(str(path.absolute()))}, and as JSON in {one_line(beside.name)}"


def as_text(made: Report) -> str:
    """A report as Markdown, with what watches its file system from now on."""
    from supervision import gpfs_cron

    watch = ""
    if made.kind == "gpfs" and made.filled and made.file_system:
        try:
            watch = gpfs_cron.line(made.file_system)
        except ValueError:
            watch = ""  # of a recording that names no file system
    return markdown(made, watch)


def _say(text: str, ends: Exit) -> Exit:
    sys.stderr.write(f"restripe report: {one_line(text)}\n")
    return ends
