"""Column names that polars would take for patterns are names like any other."""

from __future__ import annotations

import pytest

import ontomask as om
from ontomask.microdata import frames
from ontomask.microdata.decimals import number_columns, with_points
from ontomask.microdata.formulas import escape_formulas, unescape_formulas

NAMES = ("^a$", "*", "^.*$", "^(a|b)$")


@pytest.mark.parametrize("kind", ["polars", "pandas", "pyarrow"])
@pytest.mark.parametrize("name", NAMES)
def test_an_identifier_with_such_a_name_is_removed_and_no_other_column(name, kind):
    frame = frames.from_columns({name: ["Ann", "Bob"], "b": ["ache", "colic"], "a": [1, 2]}, kind)
    taxonomy = om.Taxonomy.from_edges([("ache", "pain"), ("colic", "pain")])
    data = om.Microdata(frame, {"b": om.Nominal(taxonomy)}, identifiers=[name], other=["a"])
    assert frames.columns(om.PRAM(stay=0.5).mask(data, seed=1).frame) == ["b", "a"]


@pytest.mark.parametrize("kind", ["polars", "pandas", "pyarrow"])
@pytest.mark.parametrize("name", NAMES)
def test_a_column_with_such_a_name_is_masked_and_measured(name, kind):
    frame = frames.from_columns({name: ["ache", "colic"] * 4, "a": [1, 2] * 4}, kind)
    taxonomy = om.Taxonomy.from_edges([("ache", "pain"), ("colic", "pain")])
    data = om.Microdata(frame, {name: om.Nominal(taxonomy)}, confidential=["a"])
    result = om.NaiveDistortion().mask(data, seed=1)
    assert frames.columns(result.frame) == [name, "a"]
    assert frames.factorise(result.frame, "a")[0].tolist() == [0, 1] * 4
    assert om.evaluate(data, result.frame).rmse[name] > 0


@pytest.mark.parametrize("ending", [".csv", ".tsv", ".parquet", ".xlsx"])
@pytest.mark.parametrize("name", NAMES)
def test_a_column_with_such_a_name_is_written_and_read(tmp_path, name, ending):
    frame = frames.from_columns({name: ["x", "y"], "b": [1.0, 2.0]}, "polars")
    path = tmp_path / f"table{ending}"
    om.write_table(frame, path)
    read = om.read_table(path)
    assert frames.columns(read) == [name, "b"]
    assert frames.factorise(read, name)[1] == ["x", "y"]


@pytest.mark.parametrize("name", NAMES)
def test_formulas_under_such_a_name(name):
    frame = frames.from_columns({name: ["=A1", None], "a": ["x", "y"]}, "polars")
    escaped, number = escape_formulas(frame)
    assert escaped.rows() == [("'=A1", "x"), (None, "y")]
    assert (escaped.columns, number) == ([name, "a"], 1)
    assert unescape_formulas(escaped).equals(frame)


@pytest.mark.parametrize("name", NAMES)
def test_decimal_commas_under_such_a_name(name):
    frame = frames.from_columns({name: ["1,5", None], "a": ["x", "2,5 or so"]}, "polars")
    assert number_columns(frame) == [name]
    assert with_points(frame, [name]).rows() == [("1.5", "x"), (None, "2,5 or so")]
