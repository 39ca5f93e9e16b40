"""Delimited files as people have them: each is read as they expect, or refused with its line and what to do."""

from __future__ import annotations

import gzip

import polars as pl
import pytest

import ontomask as om
from ontomask.errors import TableError
from ontomask.microdata.decimals import number_columns

from support.errors import raises


def read(tmp_path, content, name="table.csv", **options):
    path = tmp_path / name
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return om.read_table(path, **options).to_dict(as_series=False)


PAIRS = {"a": ["1", "3"], "b": ["2", "4"]}


@pytest.mark.parametrize(
    "content",
    [
        "\ufeffa,b\n1,2\n3,4\n",
        "a,b\r\n1,2\r\n3,4\r\n",
        "a,b\r1,2\r3,4\r",
        "a,b\n1,2\r\n3,4\r",
        "\n\na,b\n\n1,2\n   \n3,4\n\n",
        " a ,\tb\n 1,2 \n3 , 4\n",
        '"a",b\n"1",2\n3,"4"\n',
        "a,b,\n1,2,\n3,4,\n",
        "a,b\n1,2,\n3,4,\n",
        "a,b,,,\n1,2,,,\n3,4,,,\n",
        "a,b, ,\n1,2,,\n3,4, , \n",
        "sep=;\na;b\n1;2\n3;4\n",
        '"sep=|"\r\na|b\r\n1|2\r\n3|4\r\n',
        "a;b\n1;2\n3;4",
    ],
    ids=[
        "byte order mark",
        "CRLF",
        "CR",
        "mixed line ends",
        "blank lines",
        "blanks around cells",
        "mixed quoting",
        "trailing delimiters",
        "trailing delimiters below the header",
        "empty columns",
        "blank columns",
        "declared delimiter",
        "declared delimiter in quotes",
        "semicolons, no last line end",
    ],
)
def test_read_as_expected(tmp_path, content):
    assert read(tmp_path, content) == PAIRS
    assert read(tmp_path, gzip.compress(content.encode()), "table.csv.gz") == PAIRS


@pytest.mark.parametrize(
    ("content", "line"),
    [
        (b"a,b\n1,2\n3,4,5\n", 3),
        (b"a,b\n1,2\n3\n", 3),
        (b"a,b\n1,2,\n3,4\n", 2),
        (b"a,b\n1,2\n3,4,\n", 3),
        (b"a, a\n1,2\n", 1),
        (b"a,b,,\n1,2,3,\n4,5,,6\n", 1),
        (b"a,b\n1,2\n3,\xe9\n", 3),
        ("a,b\n1,é\n".encode("utf-16"), 1),
        (b'a,b\n1,2\n"3,4\n', 3),
    ],
    ids=[
        "too many cells",
        "too few cells",
        "one trailing delimiter",
        "another one",
        "equal names",
        "cells without a name",
        "Latin-1 bytes",
        "UTF-16",
        "open quote",
    ],
)
def test_refused_with_the_line(tmp_path, content, line):
    with raises(TableError, line=line, path=tmp_path / "table.csv"):
        read(tmp_path, content)


def test_the_encoding_is_suggested(tmp_path):
    with raises(TableError, line=1, parameter="encoding", settings={"encoding": ("utf-16",)}):
        read(tmp_path, "a,b\n1,é\n".encode("utf-16"))
    with raises(TableError, line=2, parameter="encoding", settings={"encoding": ("latin-1", "cp1252")}):
        read(tmp_path, b"a\n\xe9\n")


def test_one_column_without_a_name_is_read_if_it_has_cells(tmp_path):
    assert read(tmp_path, ",a\n1,x\n2,y\n") == {"": ["1", "2"], "a": ["x", "y"]}
    assert read(tmp_path, "a,\nx,1\ny,\n") == {"a": ["x", "y"], "": ["1", None]}


def test_cells_of_blanks_are_missing(tmp_path):
    assert read(tmp_path, 'a,b\n  ,x\n" ",\u00a0y\n') == {"a": [None, None], "b": ["x", "y"]}


# Without a header


def test_without_a_header_columns_are_numbered(tmp_path):
    assert read(tmp_path, "1,x\n\n2,\n", header=False) == {"column_1": ["1", "2"], "column_2": ["x", None]}
    assert read(tmp_path, "sep=;\n1;x\n", header=False) == {"column_1": ["1"], "column_2": ["x"]}
    assert read(tmp_path, "1,x\n2,y\n", header=False, text=["column_2"]) == {"column_1": [1, 2], "column_2": ["x", "y"]}
    assert read(tmp_path, '5" x,1\n6,2\n', header=False) == {"column_1": ['5" x', "6"], "column_2": ["1", "2"]}
    with raises(TableError, line=2):
        read(tmp_path, "1,x\n2\n", header=False)


def test_an_excel_sheet_without_a_header(tmp_path):
    xlsxwriter = pytest.importorskip("xlsxwriter")
    with xlsxwriter.Workbook(tmp_path / "a.xlsx") as book:
        sheet = book.add_worksheet()
        sheet.write_row(0, 0, [" x ", 1])
        sheet.write_row(1, 0, ["y", 2])
    found = om.read_table(tmp_path / "a.xlsx", header=False).to_dict(as_series=False)
    assert found == {"column_1": ["x", "y"], "column_2": [1, 2]}
    assert om.read_table(tmp_path / "a.xlsx").columns == ["x", "1"]


# Numbers


@pytest.mark.parametrize(
    ("cells", "marks", "wanted"),
    [
        (["1,234.5", "12", "-1,234,567"], {"thousands": ","}, ["1234.5", "12", "-1234567"]),
        (["1.234,5", "0,5", "1.000"], {"thousands": ".", "decimal": ","}, ["1234.5", "0.5", "1000"]),
        (["1 234", "1\u00a0234,5", "1\u202f234"], {"thousands": " ", "decimal": ","}, ["1234", "1234.5", "1234"]),
        (["1'234", "1\u2019234.25", "7"], {"thousands": "'"}, ["1234", "1234.25", "7"]),
        (["1,234", "?", "n/a"], {"thousands": ","}, ["1234", "?", "n/a"]),
        (["1,234", "12,34", "5"], {"thousands": ","}, ["1,234", "12,34", "5"]),
        (["1,2345", "1"], {"thousands": ","}, ["1,2345", "1"]),
        (["250,401", "V58,401"], {"thousands": ","}, ["250,401", "V58,401"]),
    ],
)
def test_thousands_separators(tmp_path, cells, marks, wanted):
    frame = pl.DataFrame({"x": cells, "y": "a"})
    om.write_table(frame, tmp_path / "t.csv", delimiter=";")
    assert om.read_table(tmp_path / "t.csv", **marks)["x"].to_list() == wanted
    assert om.read_table(tmp_path / "t.csv", numbers=["y"], **marks)["x"].to_list() == cells
    assert (number_columns(frame, marks.get("decimal", "."), marks["thousands"]) == ["x"]) == (cells != wanted)


def test_separated_thousands_become_numbers_where_types_are_inferred(tmp_path):
    found = read(tmp_path, "x;code\n1,234;038\n7;1\n", thousands=",", text=["code"])
    assert found == {"x": [1234.0, 7.0], "code": ["038", "1"]}


@pytest.mark.parametrize(
    ("name", "options", "parameter"),
    [
        ("a.csv", {"thousands": "_"}, "thousands"),
        ("a.csv", {"thousands": ",", "decimal": ","}, "thousands"),
        ("a.csv", {"thousands": "."}, "thousands"),
        ("a.parquet", {"thousands": ","}, "thousands"),
        ("a.parquet", {"header": False}, "header"),
        ("a.csv", {"header": "no"}, "header"),
    ],
)
def test_options_that_cannot_be(tmp_path, name, options, parameter):
    with raises(TableError, parameter=parameter, path=tmp_path / name):
        om.read_table(tmp_path / name, **options)


# Output


def test_the_encoding_of_the_output(tmp_path):
    frame = pl.DataFrame({"straße": ["Müller", "Zoë"]})
    om.write_table(frame, tmp_path / "a.csv", encoding="latin-1")
    assert (tmp_path / "a.csv").read_bytes() == "straße\nMüller\nZoë\n".encode("latin-1")
    assert om.read_table(tmp_path / "a.csv", encoding="latin-1").equals(frame)
    om.write_table(frame, tmp_path / "b.csv", encoding="utf-8-sig")
    assert (tmp_path / "b.csv").read_bytes().startswith(b"\xef\xbb\xbfstra")
    assert om.read_table(tmp_path / "b.csv").equals(frame)
    om.write_table(frame, tmp_path / "c.tsv.gz", encoding="utf-16")
    assert om.read_table(tmp_path / "c.tsv.gz", encoding="utf-16").equals(frame)


@pytest.mark.parametrize("frame", [{"x": ["Łódź", "a"]}, {"Łódź": ["a", "b"]}], ids=["cell", "name"])
def test_characters_that_the_encoding_lacks(tmp_path, frame):
    with raises(TableError, column=next(iter(frame)), values=("Łódź",), parameter="encoding") as caught:
        om.write_table(pl.DataFrame(frame), tmp_path / "a.csv", encoding="latin-1")
    assert "x" not in frame or "Łódź" not in str(caught.value)
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize(("name", "encoding"), [("a.csv", "klingon"), ("a.parquet", "latin-1")])
def test_encodings_that_cannot_be(tmp_path, name, encoding):
    with raises(TableError, parameter="encoding", path=tmp_path / name):
        om.write_table(pl.DataFrame({"x": ["a"]}), tmp_path / name, encoding=encoding)
    assert not list(tmp_path.iterdir())
