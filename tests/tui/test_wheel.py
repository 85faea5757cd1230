"""What is installed is whole: the shell side of the jobs, the shipped recordings, every room of the house."""

from __future__ import annotations

import subprocess
import sys
import zipfile
from importlib.resources import files
from pathlib import Path

import pytest

from tests.tui.program import environment, restripe

ROOT = Path(__file__).parents[2]
ROOMS = ("tui", "screens", "supervision", "remote", "simulator", "recordings")


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The wheel, built and unpacked."""
    made = tmp_path_factory.mktemp("wheel")
    done = subprocess.run(
        [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(made)],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
    )
    assert done.returncode == 0, done.stderr
    (file,) = made.glob("restripe-*.whl")
    with zipfile.ZipFile(file) as archive:
        archive.extractall(made / "unpacked")
    return made / "unpacked"


def kept(directory: Path) -> set[str]:
    """The files of a tree that belong into a package."""
    return {
        str(path.relative_to(directory))
        for path in directory.rglob("*")
        if path.is_file() and "__pycache__" not in path.parts
    }


@pytest.mark.parametrize("room", ROOMS)
def test_the_wheel_holds_every_file_of_every_room(wheel: Path, room: str) -> None:
    packed = kept(wheel / room)
    assert packed == kept(ROOT / room)
    assert "py.typed" in packed
    assert "__init__.py" in packed


def test_what_is_no_python_is_in_it_too_and_no_test_is(wheel: Path) -> None:
    assert (wheel / "remote" / "job.sh").read_bytes() == (ROOT / "remote" / "job.sh").read_bytes()
    shipped = [path.name for path in (wheel / "recordings").glob("*.jsonl")]
    assert "seed-3.5.jsonl" in shipped
    assert not (wheel / "tests").exists()
    (metadata,) = wheel.glob("*.dist-info/entry_points.txt")
    assert "restripe = tui.cli:main" in metadata.read_text()


def test_the_wheel_replays_its_own_recording(wheel: Path, tmp_path: Path) -> None:
    """Run away from the sources, with nothing but the wheel in front of what it needs."""
    code = (
        "import sys; from importlib.resources import files; import tui.cli, remote.jobs\n"
        f"assert tui.cli.__file__.startswith({str(wheel)!r}), tui.cli.__file__\n"
        "assert files('remote').joinpath('job.sh').read_text().startswith('#')\n"
        "sys.argv = ['restripe', 'replay', str(files('recordings') / 'seed-3.5.jsonl')]\n"
        "tui.cli.main()"
    )
    done = subprocess.run(
        [sys.executable, "-c", code],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        encoding="utf-8",
        check=False,
        timeout=60,
        env=environment(tmp_path, PYTHONPATH=str(wheel), PYTHONSAFEPATH="1"),
    )
    assert (done.returncode, done.stderr) == (0, "")
    assert "407,779,968 KB of metadata on the SSDs" in done.stdout


def test_an_editable_install_finds_its_recordings_too(tmp_path: Path) -> None:
    shipped = files("recordings") / "seed-3.5.jsonl"
    assert shipped.is_file()
    done = restripe(tmp_path, "replay", str(shipped), "--from", "step 7")
    assert done.returncode == 0
    assert "407,779,968 KB" in done.stdout
