"""`restripe show` for a file system of any kind but the first: what its kind says of it, as tables or as JSON."""

from __future__ import annotations

from collections.abc import Callable

from supervision import filesystems
from supervision.filesystem import FileSystem
from supervision.state import State
from supervision.supervisor import Supervisor
from supervision.tables import Line, Severity, Table
from tui.show_view import NothingError, View
from tui.tables import table as lines_of

Part = Callable[[FileSystem, State, View], None]


async def show(kind: str, supervisor: Supervisor, view: View) -> None:
    """Ask what tells it, and take in one of KINDS. Raises SiteError, and NothingError where nothing was told."""
    fs = filesystems.file_system(supervisor.store.state.header)
    await supervisor.ask(supervisor.entry, *fs.questions(), *fs.costly())
    KINDS[kind](fs, supervisor.store.state, view)
    state = supervisor.store.state
    wrong = [line for line in fs.problems(state) if line.severity >= Severity.WARNING]
    view.warnings += [f"{line.label}: {line.value}. {line.advice}" for line in wrong]
    if not view.lines:
        raise NothingError(f"{supervisor.entry}: nothing was told of {fs.name}")


def _cluster(fs: FileSystem, state: State, view: View) -> None:
    _facts(fs.facts(state), view)
    _table("nodes", "Nodes", fs.nodes(state), view)
    _df(fs, state, view)


def _disks(fs: FileSystem, state: State, view: View) -> None:
    _table("disks", "", fs.disks(state), view)


def _df(fs: FileSystem, state: State, view: View) -> None:
    _table("space", fs.words.pools, fs.pools(state), view)


KINDS: dict[str, Part] = {"cluster": _cluster, "disks": _disks, "df": _df}


def _facts(facts: tuple[Line, ...], view: View) -> None:
    width = max((len(line.label) for line in facts), default=0)
    view.lines += [f"{line.label:{width}}  {line.value}" for line in facts]
    view.data["facts"] = {line.label: line.value for line in facts}


def _table(name: str, title: str, told: Table, view: View) -> None:
    """A table with its title; what there is none of is said, and what is not known is no empty table."""
    columns = [(index, column) for index, column in enumerate(told.columns) if not column.wide]
    view.data[name] = [
        {
            column.saved_as: cell.text if cell.value is None else cell.value
            for column, cell in zip(told.columns, row.cells, strict=True)
        }
        for row in told.rows
    ]
    if told.failure:
        view.warnings.append(told.failure)
    if told.at is None and not told.absent:
        return
    view.lines += ["", title] if title and view.lines else [title] if title else []
    if told.absent:
        view.lines.append(told.absent)
        return
    right = tuple(at for at, (_, column) in enumerate(columns) if column.right)
    rows = [tuple(row.cells[index].text for index, _ in columns) for row in told.rows]
    view.lines += lines_of(tuple(column.title for _, column in columns), rows, right=right)
