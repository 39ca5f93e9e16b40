"""Numbers with a decimal comma, read and written."""

from __future__ import annotations

import polars as pl
import pytest

import ontomask as om
from ontomask.errors import TableError
from ontomask.microdata.decimals import number_columns

from support.errors import raises

TEXT = "bmi;code;list;size\n27,9;250.10;1,5;-1,25\n30;038;x1;2\nNA;1.2;2,5;\n"


@pytest.fixture
def table(tmp_path):
    path = tmp_path / "table.csv"
    path.write_text(TEXT)
    return path


def test_numbers_with_commas_are_read_with_points_and_codes_are_left_alone(table):
    frame = om.read_table(table, decimal=",")
    assert frame.to_dict(as_series=False) == {
        "bmi": ["27.9", "30", "NA"],
        "code": ["250.10", "038", "1.2"],
        "list": ["1,5", "x1", "2,5"],
        "size": ["-1.25", "2", None],
    }
    assert number_columns(om.read_table(table)) == ["bmi", "size"]


def test_types_are_inferred_where_they_are_asked_for(table):
    frame = om.read_table(table, decimal=",", text=["code"])
    assert frame["size"].to_list() == [-1.25, 2.0, None]
    assert frame["bmi"].to_list() == ["27.9", "30", "NA"]


def test_what_was_read_is_written_as_it_was(table):
    again = table.with_name("again.csv")
    om.write_table(om.read_table(table, decimal=","), again, delimiter=";", decimal=",", numbers=["bmi", "size"])
    assert again.read_text() == TEXT


def test_columns_of_numbers_get_the_mark_without_being_named(tmp_path):
    om.write_table(pl.DataFrame({"a": [1.5, 2.25], "b": ["1.5", "2"]}), tmp_path / "a.csv", decimal=",")
    assert (tmp_path / "a.csv").read_text() == 'a,b\n"1,5",1.5\n"2,25",2\n'


@pytest.mark.parametrize(
    ("name", "parameter", "value"),
    [
        ("a.csv", "decimal", ";"),
        ("a.parquet", "decimal", ","),
        ("a.tsv", "delimiter", ";"),
        ("a.csv", "delimiter", ";;"),
    ],
)
def test_what_cannot_be_written(tmp_path, name, parameter, value):
    with pytest.raises(TableError) as caught:
        om.write_table(pl.DataFrame({"a": [1.5]}), tmp_path / name, **{parameter: value})
    assert (caught.value.path, caught.value.parameter) == (tmp_path / name, parameter)
    assert not list(tmp_path.iterdir())


def test_a_numeric_column_with_commas_is_refused_with_a_hint():
    frame = pl.DataFrame({"bmi": ["27,9", "30,1"]})
    settings = {"missing_tokens": (), "decimal": (",",)}
    with raises(TableError, column="bmi", values=("27,9", "30,1"), settings=settings):
        om.Microdata(frame, {"bmi": om.Numeric()})
    with raises(TableError, values=("odd",), settings={"missing_tokens": ()}):
        om.Microdata(pl.DataFrame({"bmi": ["odd", "30"]}), {"bmi": om.Numeric()})


def test_a_numeric_column_with_separated_thousands_is_refused_with_a_hint():
    settings = {"missing_tokens": (), "thousands": ()}
    with raises(TableError, column="cost", values=("1.234,50",), settings=settings):
        om.Microdata(pl.DataFrame({"cost": ["1.234,50", "25"]}), {"cost": om.Numeric()})
