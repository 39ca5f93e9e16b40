"""Cells that a spreadsheet would run are written as text, and read back as they were."""

from __future__ import annotations

import zipfile

import pandas as pd
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

import ontomask as om
from ontomask.microdata.files import read_table, write_table
from ontomask.microdata.formulas import escape_formulas, unescape_formulas

FORMULAS = [
    "=1+1",
    "=cmd|' /C calc'!A0",
    "+1+2",
    "-2+3",
    "-A1",
    "@SUM(A1)",
    "\t=1",
    "\r=1",
    "\n=1",
    "  =1",
    "\u00a0=1",
    "\uff1d1+1",
    "\uff0b1",
    "\uff0d1",
    "\uff20x",
    "'=1",
    "''=1",
    "'-5",
    "=",
]
PLAIN = [
    "-5",
    "+5",
    "-5.25",
    "-5,25",
    "-1e-3",
    "-12 %",
    "-",
    "a=b",
    "38-40",
    "'quoted'",
    "'",
    "",
    " ",
    "250.10",
    "x\t=1",
]


@pytest.mark.parametrize("cell", FORMULAS)
def test_formulas_are_escaped(cell):
    escaped, number = escape_formulas(pl.DataFrame({"x": [cell, "plain", None]}))
    assert escaped["x"].to_list() == [f"'{cell}", "plain", None]
    assert number == 1
    assert unescape_formulas(escaped)["x"].to_list() == [cell, "plain", None]


def test_plain_cells_stay():
    frame = pl.DataFrame({"x": PLAIN})
    escaped, number = escape_formulas(frame)
    assert (escaped["x"].to_list(), number) == (PLAIN, 0)
    assert unescape_formulas(escaped).equals(frame)


@given(st.lists(st.text("'=+-@ \t\r\n0,.eE%a\uff1d", max_size=5) | st.none(), max_size=8))
def test_escaping_is_undone(cells):
    frame = pl.DataFrame({"x": pl.Series(cells, dtype=pl.String)})
    escaped, number = escape_formulas(frame)
    assert unescape_formulas(escaped).equals(frame)
    assert number == sum(a != b for a, b in zip(cells, escaped["x"].to_list(), strict=True))


def test_columns_of_every_kind():
    frame = pl.DataFrame(
        {
            "=n": [-1, 2],
            "f": [-1.5, 2.0],
            "c": pl.Series(["=a", "b"], dtype=pl.Categorical),
            "e": pl.Series(["b", "@a"], dtype=pl.Enum(["b", "@a"])),
            "d": pl.Series(["2020-01-01", None]).str.to_date(),
        }
    )
    escaped, number = escape_formulas(frame)
    assert number == 3
    assert escaped.columns == ["'=n", "f", "c", "e", "d"]
    assert escaped["'=n"].to_list() == [-1, 2]
    assert (escaped["c"].to_list(), escaped["e"].to_list()) == (["'=a", "b"], ["b", "'@a"])
    assert unescape_formulas(escaped).columns == frame.columns


@pytest.mark.parametrize("name", ["a.csv", "a.tsv", "a.csv.gz"])
@pytest.mark.parametrize("make", [pl.DataFrame, pd.DataFrame, lambda columns: pl.DataFrame(columns).to_arrow()])
def test_files(tmp_path, name, make):
    frame = make({"=h": FORMULAS, "plain": ["x"] * len(FORMULAS)})
    write_table(frame, tmp_path / name, formulas="escape")
    raw = read_table(tmp_path / name)
    assert raw.columns == ["'=h", "plain"]
    assert raw["'=h"].to_list() == [f"'{cell}" for cell in FORMULAS]
    again = read_table(tmp_path / name, formulas="escape")
    assert (again.columns, again["=h"].to_list()) == (["=h", "plain"], FORMULAS)
    write_table(frame, tmp_path / f"as-is-{name}")
    assert read_table(tmp_path / f"as-is-{name}")["=h"].to_list() == [cell.strip() for cell in FORMULAS]


def test_decimal_commas_go_with_it(tmp_path):
    frame = pl.DataFrame({"=x": ["-1.5", "2"], "y": ["=1", "b"]})
    write_table(frame, tmp_path / "a.csv", delimiter=";", decimal=",", numbers=["=x"], formulas="escape")
    assert (tmp_path / "a.csv").read_text() == "'=x;y\n-1,5;'=1\n2;b\n"
    again = read_table(tmp_path / "a.csv", delimiter=";", decimal=",", formulas="escape")
    assert again.equals(frame)


def test_wrong_options(tmp_path):
    frame = pl.DataFrame({"x": ["a"]})
    for attempt in (
        lambda: write_table(frame, tmp_path / "a.csv", formulas="quote"),
        lambda: write_table(frame, tmp_path / "a.parquet", formulas="escape"),
        lambda: read_table(tmp_path / "a.csv", formulas="quote"),
    ):
        with pytest.raises(om.TableError) as caught:
            attempt()
        assert caught.value.parameter == "formulas"
    assert not list(tmp_path.iterdir())


def test_excel_files_hold_text(tmp_path):
    pytest.importorskip("xlsxwriter")
    frame = pl.DataFrame({"=1+1": [*FORMULAS, "{=1}", "http://example.org"], "n": [-1] * (len(FORMULAS) + 2)})
    write_table(frame, tmp_path / "a.xlsx")
    with zipfile.ZipFile(tmp_path / "a.xlsx") as book:
        sheet = book.read("xl/worksheets/sheet1.xml").decode()
    assert "<f>" not in sheet
    assert "hyperlink" not in sheet
