"""Saving a table: what the files hold, and that nothing is ever written over."""

from __future__ import annotations

import csv
import json
from pathlib import Path

import pytest

from screens.widgets.export import ExportError, free_name, save, to_csv, to_json
from supervision.tables import Cell, Column, Row, Severity, Table

TABLE = Table(
    (
        Column("nsd", "NSD"),
        Column("free", "Free", unit="kb"),
        Column("share", "%", unit="percent"),
        Column("full", "used", only="screen"),
        Column("group", "group"),
        Column("status", "status", only="file"),
    ),
    (
        Row(
            "a",
            (
                Cell('a,"b"', 'a,"b"'),
                Cell("5.41 TiB", 5_806_698_496),
                Cell("19 %", 18.59237),
                Cell("███░", 0.75),
                Cell("1", 1),
                Cell("ready", "ready"),
            ),
            Severity.BAD,
        ),
        Row("ü", (Cell("ü", "ü"), Cell("unknown"), Cell(""), Cell(""), Cell("1,0,1", "1,0,1"), Cell("odd"))),
    ),
    at=12.5,
    failure="mmdf: exit code 1",
)


def test_csv_has_numbers_as_numbers_with_their_units_and_nothing_that_is_drawn() -> None:
    assert list(csv.reader(to_csv(TABLE).splitlines())) == [
        ["severity", "nsd", "free_kb", "share_percent", "group", "status"],
        ["bad", 'a,"b"', "5806698496", "18.592", "1", "ready"],
        ["normal", "ü", "", "", "1,0,1", "odd"],
    ]


def test_json_has_the_same_with_nothing_for_what_is_unknown() -> None:
    told = json.loads(to_json(TABLE))
    assert (told["asked_at"], told["failure"]) == (12.5, "mmdf: exit code 1")
    assert [column["id"] for column in told["columns"]] == ["nsd", "free_kb", "share_percent", "group", "status"]
    assert told["columns"][1] == {"id": "free_kb", "title": "Free", "unit": "kb"}
    assert told["rows"][0] == {
        "key": "a",
        "severity": "bad",
        "cells": {"nsd": 'a,"b"', "free_kb": 5_806_698_496, "share_percent": 18.592, "group": 1, "status": "ready"},
    }
    assert told["rows"][1]["cells"]["free_kb"] is None


@pytest.mark.parametrize(
    ("text", "saved"),
    [
        ("=HYPERLINK(1)", "'=HYPERLINK(1)"),
        ("+1+cmd|x", "'+1+cmd|x"),
        ("-2+3", "'-2+3"),
        ("@SUM(A1)", "'@SUM(A1)"),
        (" =1", "' =1"),
        ("＝1", "'＝1"),
        ("-1", "-1"),
        ("-", "-"),
        ("a=1", "a=1"),
    ],
)
def test_remote_text_becomes_no_formula(text: str, saved: str) -> None:
    table = Table((Column("a", "A"),), (Row("a", (Cell(text),)),))
    assert list(csv.reader(to_csv(table).splitlines()))[1] == ["normal", saved]


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
