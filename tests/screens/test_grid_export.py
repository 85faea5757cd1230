"""Saving a table: what the files hold, and that nothing is ever written over."""

from __future__ import annotations

import csv
import json
from pathlib import Path

import pytest

from screens.widgets.export import ExportError, free_name, save, to_csv, to_json
from supervision.tables import Cell, Column, Row, Severity, Table

TABLE = Table(
    (Column("nsd", "NSD"), Column("free", "Free")),
    (
        Row("a", (Cell('a,"b"', 'a,"b"'), Cell("5.41 TiB", 5_806_698_496)), Severity.BAD),
        Row("ü", (Cell("ü", "ü"), Cell("unknown"))),
    ),
    at=12.5,
    failure="mmdf: exit code 1",
)


def test_csv_holds_what_is_shown() -> None:
    assert list(csv.reader(to_csv(TABLE).splitlines())) == [
        ["severity", "NSD", "Free"],
        ["bad", 'a,"b"', "5.41 TiB"],
        ["normal", "ü", "unknown"],
    ]


def test_json_holds_the_exact_values_and_the_age_too() -> None:
    told = json.loads(to_json(TABLE))
    assert (told["asked_at"], told["failure"]) == (12.5, "mmdf: exit code 1")
    assert told["columns"] == [{"id": "nsd", "title": "NSD"}, {"id": "free", "title": "Free"}]
    assert told["rows"][0] == {
        "key": "a",
        "severity": "bad",
        "cells": {"nsd": 'a,"b"', "free": "5.41 TiB"},
        "values": {"free": 5_806_698_496},
    }
    assert told["rows"][1]["values"] == {}


@pytest.mark.parametrize("name", ["t.csv", "t.JSON"])
def test_files_are_for_their_owner_and_never_written_over(tmp_path: Path, name: str) -> None:
    path = tmp_path / name
    assert save(TABLE, f" {path} ") == f"saved 2 rows to {path}"
    assert path.stat().st_mode & 0o777 == 0o600
    before = path.read_bytes()
    with pytest.raises(ExportError, match="it is there already"):
        save(Table(()), str(path))
    assert path.read_bytes() == before


def test_a_link_is_not_followed(tmp_path: Path) -> None:
    (tmp_path / "link.csv").symlink_to(tmp_path / "elsewhere")
    with pytest.raises(ExportError, match="it is there already"):
        save(TABLE, str(tmp_path / "link.csv"))
    assert not (tmp_path / "elsewhere").exists()


@pytest.mark.parametrize(
    ("typed", "why"),
    [
        ("", "no name"),
        ("table.txt", r"must end in \.csv or \.json"),
        ("nowhere/table.csv", "No such file"),
        ("bad\0name.csv", "null"),
        ("~nobody-of-this-name/x.csv", "home"),
    ],
)
def test_what_cannot_be_saved_is_said(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, typed: str, why: str) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(ExportError, match=why):
        save(TABLE, typed)
    assert not list(tmp_path.iterdir())


def test_the_name_that_is_offered_is_free(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert free_name("../mss1 [x]") == "mss1--x.csv"
    assert free_name("disks") == "disks.csv"
    (tmp_path / "disks.csv").touch()
    (tmp_path / "disks-2.csv").symlink_to("nowhere")
    assert free_name("disks") == "disks-3.csv"
