"""The configuration file: what it may say, how a mistake is told, what goes before what, and what it costs."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from remote.gpfs.commands import mmdf, mmlsdisk
from supervision.supervisor import Cadence
from tests.tui.program import environment, no_traceback, restripe
from tui.settings import Probe, Refresh, Settings, SettingsError, load
from tui.using import check_keys, slowed, way


@pytest.fixture
def config(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The file, not there yet, in a home of its own."""
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path))
    path = tmp_path / "restripe" / "config.toml"
    path.parent.mkdir()
    return path


def told(config: Path, text: str | bytes) -> list[str]:
    """What is wrong with a file, without its path, a line each."""
    config.write_bytes(text if isinstance(text, bytes) else text.encode())
    with pytest.raises(SettingsError) as caught:
        check_keys(load(environ={}))
    return [line.removeprefix(str(config)).lstrip(":") for line in str(caught.value).splitlines()]


def loaded(config: Path, text: str) -> Settings:
    config.write_text(text, encoding="utf-8")
    return load(environ={})


def test_flags_go_before_the_environment_before_the_file_before_the_default(config: Path) -> None:
    settings = load(environ={})
    assert (settings.config.theme, settings.origin("theme")) == ("dark", "default")
    config.write_text('# mine\ntheme = "light"\n', encoding="utf-8")
    settings = load(environ={})
    assert (settings.config.theme, settings.origin("theme")) == ("light", "line 2")
    settings = load(environ={"RESTRIPE_THEME": "ansi", "RESTRIPE_REFRESH_DRAWS": "2", "RESTRIPE_MOUSE": "off"})
    assert (settings.config.theme, settings.origin("theme")) == ("ansi", "RESTRIPE_THEME")
    assert (settings.config.refresh.draws, settings.config.mouse) == (2.0, False)
    settings = load({"theme": "dark", "mouse": False}, {"RESTRIPE_THEME": "ansi"})
    assert (settings.config.theme, settings.origin("theme")) == ("dark", "--theme")
    assert (settings.config.mouse, settings.origin("mouse")) == (False, "--no-mouse")


@pytest.mark.parametrize(
    ("text", "line", "words"),
    [
        ('thema = "dark"', 1, "thema: no such setting; did you mean theme?"),
        ('\n\ntheme = "pink"', 3, 'theme: \'pink\' cannot be meant; allowed: "dark", "light" or "ansi"'),
        ("mouse = 1", 1, "mouse: 1 cannot be meant; allowed: true or false"),
        ("refresh = 5", 1, "refresh: it is a table: write [refresh]"),
        ("[refresh]\nroutine = -1", 2, "refresh.routine: -1 cannot be meant; allowed: seconds, 0 to 86400"),
        ("[refresh]\nroutine = nan", 2, "refresh.routine: nan"),
        ("[refresh]\ncostly = true", 2, "refresh.costly: true"),
        ("refresh = { draws = 99 }", 1, "refresh.draws: 99"),
        ("[hosts.h]\nreadonly = true", 2, "hosts.h.readonly: no such setting; did you mean read-only?"),
        ('[hosts."h.example.org"]\n\nfs = ""', 3, 'hosts."h.example.org".fs'),
        ('[hosts.h]\nfs = "a\\u001bb"', 2, "hosts.h.fs: 'a\\x1bb' cannot be meant"),
        ("[hosts.h.example.org]\nsudo = true", 1, 'stands in quotes: [hosts."a.example.org"]'),
        ("[sites]\nnorth = 5", 2, 'sites.north: 5 cannot be meant; allowed: a list of names of nodes, as in ["nsd1"'),
        ("[sites]\nnorth = []", 2, "sites.north: [] cannot be meant"),
        ('[sites]\nnorth = ["a", ""]', 2, "sites.north: ['a', ''] cannot be meant"),
        ('[sites]\nnorth = ["a\\u001b"]', 2, "sites.north: ['a\\x1b'] cannot be meant"),
        ('[sites]\nnorth.hall = ["a"]', 1, "sites.north: {'hall': ['a']} cannot be meant"),
        ('[sites]\n"" = ["a"]', 2, "a site needs a name that can be shown"),
        ('[sites]\nnorth = ["a", "b"]\nsouth = ["c", "B."]', 3, "sites.south: B. is at north already"),
        ("sites = 1", 1, "sites: it is a table: write [sites]"),
        ("[[hosts]]", 1, "hosts: it is a table"),
        (
            '[probe]\ndirectory = "tmp"',
            2,
            "probe.directory: 'tmp' cannot be meant; allowed: an absolute path on that host",
        ),
        ("[probe]\ninterval = 0.5", 2, "probe.interval: 0.5 cannot be meant; allowed: seconds, 1 to 60"),
        ("[hosts.h.probe]\nbudget = 0", 2, "hosts.h.probe.budget: 0 cannot be meant; allowed: a factor, 1 to 1000"),
        ("[hosts.h]\nprobe = 3", 2, "hosts.h.probe: it is a table"),
        ("[brake]\nfloor = 0", 2, "brake.floor: 0 cannot be meant; allowed: IOPS, 1 to 1000000"),
        ("[probe]\ndirektory = 1", 2, "probe.direktory: no such setting; did you mean directory?"),
        ("[keys]\ngrid.sort = 5", 2, "a key or a list of keys"),
        ('[keys]\n"grid.srt" = "x"', 2, "did you mean grid.sort?"),
        ('[keys]\ngrid.sort = "hyperspace"', 2, "'hyperspace' is no key"),
        ("[keys]\ngrid.sort = []", 2, "no key is given"),
        ('[keys]\ngrid.sort = "ctrl+q"', 2, "ctrl+q always quits"),
        ('[keys]\ngrid.sort = "q"', 2, 'q is app.quit already ("quit")'),
        ('[keys]\ngrid.sort = "S"\ngrid.export = "S"', 2, "S is grid.sort already"),
        ('[keys]\nmigrate.run = "P"', 2, "P is replay.play already"),
        ("theme = ", 1, "it is not TOML"),
        ("a = 1\na = 2", 2, "it is not TOML"),
        (b"theme = '\xff'", 1, "it is not UTF-8"),
        (b"\xff\xfet\0", 1, "it is not UTF-8"),
    ],
)
def test_a_mistake_is_told_with_its_line_its_key_and_what_is_allowed(
    config: Path, text: str | bytes, line: int, words: str
) -> None:
    (problem,) = told(config, text)
    assert problem.startswith(f"{line}: ") or (f"{line + 1}: " in problem and "already" in problem), problem
    assert words in problem


def test_every_mistake_is_told_at_once(config: Path) -> None:
    assert len(told(config, 'mouse = "no"\n[refresh]\nroutine = "x"\nfast = 1\n[hosts.h]\nsudo = 0\n')) == 4


def test_a_directory_or_a_file_that_may_not_be_read_is_told(config: Path) -> None:
    config.mkdir()
    with pytest.raises(SettingsError, match="cannot be read"):
        load(environ={})


def test_a_bad_variable_is_named(config: Path) -> None:
    for name, value in (("RESTRIPE_THEME", "pink"), ("RESTRIPE_MOUSE", "2"), ("RESTRIPE_REFRESH_ROUTINE", "soon")):
        with pytest.raises(SettingsError, match=name):
            load(environ={name: value})
        assert load(environ={name: ""}).origin("theme") == "default"


def test_keys_may_be_swapped_and_listed_and_their_names_written_either_way(config: Path) -> None:
    settings = loaded(config, '[keys]\ngrid.sort = "e"\n"grid.export" = ["s", "ctrl+s", "+", ","]\n')
    with pytest.raises(SettingsError, match="replay"):  # + and , are the replay's
        check_keys(settings)
    settings = loaded(config, '[keys]\ngrid.sort = "e"\n"grid.export" = ["s", "ctrl+s", "?"]\napp.help = "f1"\n')
    assert check_keys(settings) == {"grid.sort": "e", "grid.export": "s,ctrl+s,question_mark", "app.help": "f1"}


def test_a_host_has_defaults_that_flags_override(config: Path) -> None:
    settings = loaded(
        config,
        '[hosts.pollux1]\nfs = "mss1"\nuser = "gpfs"\njump = "gate"\nthrough = "adm"\nsudo = true\n'
        '[hosts."root@Pollux1"]\nfs = "other"\n',
    )
    nothing = {"config": None, "jump": None, "through": None, "sudo": None}
    target, fs = way(settings, "POLLUX1.", None, **nothing)
    assert (fs, target.user, target.jump, target.through, target.sudo) == ("mss1", "gpfs", "gate", "adm", True)
    target, fs = way(settings, "me@pollux1", "mss2", config=None, jump="", through="x", sudo=False)
    assert (fs, target.user, target.jump, target.through, target.sudo) == ("mss2", "me", "", "x", False)
    target, fs = way(settings, "root@pollux1", None, **nothing)
    assert (fs, target.user, target.jump) == ("other", "root", "")
    assert way(settings, "pollux2", None, **nothing)[1] == ""


@pytest.mark.parametrize("destination", ["pollux1", "POLLUX1.", "root@pollux1", "me@pollux1"])
def test_read_only_holds_for_the_host_whoever_one_is_there(config: Path, destination: str) -> None:
    settings = loaded(config, '[hosts."root@pollux1"]\nread-only = true\n[hosts.pollux1]\nread-only = false\n')
    assert settings.read_only(destination) == f'read-only for "root@pollux1" in {config}:2'
    assert not settings.read_only("pollux2")


def test_sites_have_nodes_and_there_are_none_by_default(config: Path) -> None:
    assert load(environ={}).config.sites == {}
    settings = loaded(config, '[sites]\nnorth = ["foo1", "10.0.0.2"]\n"south hall" = ["foo3"]\n')
    assert settings.config.sites == {"north": ["foo1", "10.0.0.2"], "south hall": ["foo3"]}


def test_a_probe_is_as_a_host_says_and_else_as_all_do(config: Path) -> None:
    assert load(environ={}).probe("pollux1") == Probe()
    settings = loaded(
        config,
        '[probe]\nbudget = 3\ninterval = 10\n[hosts.pollux1.probe]\ndirectory = "/gpfs/mss1/tmp"\nhost = "login1"\n'
        "budget = 2.5\n",
    )
    assert settings.probe("root@POLLUX1") == Probe("/gpfs/mss1/tmp", "login1", 10.0, 2.5)
    assert settings.probe("other") == Probe(interval=10.0, budget=3.0)


def test_limits_only_ever_ask_less() -> None:
    often = Cadence("disks", 120.0, "h", (mmlsdisk("fs"),))
    dear = Cadence("space", 900.0, "h", (mmdf("fs"),))
    slow = slowed((often, dear), (mmdf("fs"),), Refresh(routine=300, costly=60))
    assert [cadence.seconds for cadence in slow] == [300, 900]
    slow = slowed((often, dear), (mmdf("fs"),), Refresh(routine=10, costly=3600))
    assert [cadence.seconds for cadence in slow] == [120, 3600]


def test_info_tells_each_value_its_origin_and_the_file(tmp_path: Path) -> None:
    file = tmp_path / ".config" / "restripe" / "config.toml"
    done = restripe(tmp_path, "info")
    assert f"{file}  (does not exist)" in done.stdout
    file.parent.mkdir(parents=True)
    file.write_text(
        'theme = "light"\n[keys]\ngrid.sort = "S"\n[hosts.h]\nread-only = true\n[sites]\nn = ["a", "b"]\n'
        '[probe]\nbudget = 3\n[hosts.h.probe]\ndirectory = "/gpfs"\n'
    )
    done = restripe(tmp_path, "info", RESTRIPE_MOUSE="no")
    assert (done.returncode, done.stderr) == (0, "")
    rows = [line.split() for line in done.stdout.splitlines()]
    for row in (
        ["theme", "light", "(line", "1)"],
        ["mouse", "false", "(RESTRIPE_MOUSE)"],
        ["refresh.draws", "10", "(default)"],
        ['keys."grid.sort"', "S", "(line", "3)"],
        ["hosts.h.read-only", "true", "(line", "5)"],
        ["probe.budget", "3", "(line", "9)"],
        ["hosts.h.probe.directory", "/gpfs", "(line", "11)"],
        ["sites.n", "a,", "b", "(line", "7)"],
    ):
        assert row in rows
    keys = restripe(tmp_path, "info", "--keys").stdout
    assert ["grid.sort", "S", "sort"] in [line.split() for line in keys.splitlines()]
    assert ["app.quit", "q", "quit"] in [line.split() for line in keys.splitlines()]


def test_a_wrong_file_ends_with_status_2_and_no_traceback_and_only_where_it_is_read(tmp_path: Path) -> None:
    file = tmp_path / ".config" / "restripe" / "config.toml"
    file.parent.mkdir(parents=True)
    file.write_text('colour = "\\u001b[31m"\n"\\u001b]0;x" = 1\n', encoding="utf-8")
    for words in (("info",), ("show", "cluster", "localhost")):
        done = restripe(tmp_path, *words)
        assert done.returncode == 2
        assert f"{file}:1: colour: no such setting" in done.stderr
        assert "\x1b" not in done.stderr
        assert no_traceback(done.stdout + done.stderr)
    assert restripe(tmp_path, "recordings").returncode == 0


def test_commands_that_need_no_settings_do_not_load_them(tmp_path: Path) -> None:
    code = (
        "import sys\nfrom tui.cli import cli\n"
        "try: cli(['connect', '--help'], prog_name='restripe')\nexcept SystemExit: pass\n"
        "sys.exit(len({'tomllib', 'msgspec', 'tui.settings', 'textual'} & set(sys.modules)))"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, check=False, timeout=30, env=environment(tmp_path)
    )
    assert done.returncode == 0
