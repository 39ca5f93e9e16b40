from __future__ import annotations

import datetime
import math
import subprocess
import sys
from decimal import Decimal

import narwhals as nw
import numpy as np
import pandas as pd
import polars as pl
import polars.testing
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ontomask.errors import TableError
from ontomask.microdata import frames

from support.errors import raises
from support.frame_kinds import cells_of, dtype_of, replaced, same

# Tables


def test_kind_columns_and_length(kind):
    frame = frames.from_columns({"a": ["x", None], "b": [1, 2]}, kind)
    assert frames.kind(frame) == kind
    assert frames.columns(frame) == ["a", "b"]
    assert frames.length(frame) == 2
    assert cells_of(frame, "a") == ["x", None]


@pytest.mark.parametrize(
    ("frame", "fields"),
    [
        (pl.LazyFrame({"a": [1]}), {"values": ("LazyFrame",), "parameter": "frame"}),
        (pd.Series([1]), {"values": ("Series",), "parameter": "frame"}),
        (pl.Series([1]), {"values": ("Series",), "parameter": "frame"}),
        ({"a": [1]}, {"values": ("dict",), "parameter": "frame"}),
        ([1], {"values": ("list",), "parameter": "frame"}),
        ("table.csv", {"values": ("str",), "parameter": "frame"}),
        (np.zeros((2, 2)), {"values": ("ndarray",), "parameter": "frame"}),
        (nw.from_native(pl.DataFrame({"a": [1]})), {"values": ("DataFrame",), "parameter": "frame"}),
        (pa.record_batch({"a": [1]}), {"values": ("RecordBatch",), "parameter": "frame"}),
        (None, {"values": ("NoneType",), "parameter": "frame"}),
    ],
)
def test_what_is_no_table_is_told(frame, fields):
    for function in (frames.kind, frames.columns, frames.length):
        with raises(TableError, **fields) as caught:
            function(frame)
        assert "pandas DataFrame, a polars DataFrame or a pyarrow Table" in str(caught.value)


def test_columns_that_cannot_be_told_apart_are_listed():
    with raises(TableError, column="a", values=("a", "b"), code="names-not-unique"):
        frames.columns(pd.DataFrame([[1, 2, 3, 4, 5]], columns=["a", "b", "a", "b", "c"]))
    with raises(TableError, column="a", values=("a",), code="names-not-unique"):
        frames.columns(pa.table([[1], [2]], names=["a", "a"]))


def test_column_names_must_be_texts():
    with raises(TableError, values=("0", "1"), code="names-not-text"):
        frames.columns(pd.DataFrame([[1, 2]]))
    with raises(TableError, values=("2024",), code="names-not-text"):
        frames.columns(pd.DataFrame({"a": [1], 2024: [2]}))


def test_an_unknown_column_is_named_with_those_there_are(kind):
    frame = frames.from_columns({"a": [1], "b": [1]}, kind)
    for ask in (
        lambda: frames.factorise(frame, "c"),
        lambda: frames.drop_columns(frame, ["c"]),
        lambda: frames.replace_column(frame, "c", [1], np.zeros(1, dtype=np.int32)),
    ):
        with raises(TableError, column="c"):
            ask()


def test_from_columns_names_the_kinds_there_are(monkeypatch):
    with raises(TableError, values=("spark",), code="unknown-library"):
        frames.from_columns({}, "spark")
    monkeypatch.setattr(frames, "find_spec", lambda name: None)
    with raises(TableError, values=("pandas",), code="not-installed"):
        frames.from_columns({}, "pandas")


def test_importing_the_package_imports_no_dataframe_library():
    code = (
        "import sys, ontomask, ontomask.microdata.frames, ontomask.microdata.files;"
        "print([name for name in ('narwhals', 'pandas', 'polars', 'pyarrow') if name in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


# Rows and columns


def test_rows_are_taken_with_their_index(text):
    frame = text(["a", None, "b", "a"])
    taken = frames.take_rows(frame, np.array([3, 1]))
    assert cells_of(taken) == ["a", None]
    assert cells_of(taken, "n") == [3, 1]
    assert dtype_of(taken) == dtype_of(frame)
    if isinstance(frame, pd.DataFrame):
        assert taken.index.tolist() == [(7, 3), (7, 1)]
        assert taken.index.names == ["ward", None]
        assert taken.attrs == frame.attrs
    if isinstance(frame, pa.Table):
        assert taken.schema.equals(frame.schema, check_metadata=True)
    assert frames.length(frames.take_rows(frame, np.zeros(0, dtype=np.int64))) == 0


def test_columns_are_dropped_and_the_rest_stays(text):
    frame = text(["a", None, "b", "a"])
    rest = frames.drop_columns(frame, ["n"])
    assert frames.columns(rest) == ["x"]
    assert cells_of(rest) == ["a", None, "b", "a"]
    assert frames.columns(frame) == ["n", "x"]
    same(frames.drop_columns(frame, []), frame)


# Factorising


def test_distinct_cells_come_in_order_of_first_appearance(text):
    codes, cells = frames.factorise(text(["c", "a", None, "c", "b", None]), "x")
    assert codes.dtype == np.int32
    assert codes.tolist() == [0, 1, 2, 0, 3, 2]
    assert cells == ["c", "a", None, "b"]
    assert [type(cell) for cell in cells] == [str, str, type(None), str]


def test_a_table_without_records(text):
    frame = text([])
    codes, cells = frames.factorise(frame, "x")
    assert codes.tolist() == []
    assert codes.dtype == np.int32
    assert cells == []
    same(frames.replace_column(frame, "x", [], codes), frame)


def test_a_column_without_values(text):
    frame = text([None, None])
    codes, cells = frames.factorise(frame, "x")
    assert (codes.tolist(), cells) == ([0, 0], [None])
    same(frames.replace_column(frame, "x", cells, codes), frame)


def test_order_of_appearance_across_blocks(kind):
    cells = [f"v{i % 7}" for i in range(70_000)] + ["late"] + [f"w{i}" for i in range(70_000)]
    codes, distinct = frames.factorise(frames.from_columns({"x": cells}, kind), "x")
    assert distinct == list(dict.fromkeys(cells))
    assert [distinct[code] for code in codes] == cells


@pytest.mark.parametrize(
    "cells",
    [
        [3, 1, None, 3],
        [2.5, None, 1.0, 2.5],
        [True, False, None, True],
        [datetime.date(2020, 1, 2), None, datetime.date(2019, 1, 2)],
        [Decimal("1.50"), None, Decimal("2.00"), Decimal("1.50")],
        [b"x", None, b"y"],
    ],
    ids=lambda cells: type(cells[0]).__name__,
)
def test_cells_of_all_types(kind, cells):
    frame = frames.from_columns({"x": cells}, kind)
    codes, distinct = frames.factorise(frame, "x")
    assert distinct == list(dict.fromkeys(cells))
    assert [distinct[code] for code in codes] == cells
    same(frames.replace_column(frame, "x", distinct, codes), frame)


def test_nan_is_missing_and_one_cell_with_null(kind):
    frame = frames.from_columns({"x": [1.0, math.nan, None, -0.0, 0.0]}, kind)
    codes, cells = frames.factorise(frame, "x")
    assert (codes.tolist(), cells) == ([0, 1, 1, 2, 2], [1.0, None, 0.0])


def test_mixed_objects_keep_text_numbers_and_truths_apart():
    values = ["1", 1, 1.0, True, np.int64(1), None, math.nan, pd.NA, pd.NaT, False, 0, "True", np.True_, np.str_("1")]
    frame = pd.DataFrame({"x": pd.Series(values, dtype=object)})
    codes, cells = frames.factorise(frame, "x")
    assert codes.tolist() == [0, 1, 1, 2, 1, 3, 3, 3, 3, 4, 5, 6, 2, 0]
    assert [(type(cell), cell) for cell in cells] == [
        (str, "1"),
        (int, 1),
        (bool, True),
        (type(None), None),
        (bool, False),
        (int, 0),
        (str, "True"),
    ]
    again = frames.replace_column(frame, "x", cells, codes)["x"].tolist()
    assert again[5] is None
    assert math.isnan(again[6])
    assert again[7] is pd.NA
    assert again[8] is pd.NaT
    assert again[3] is True
    assert again[10] == 0


def test_nullable_and_categorical_numbers_of_pandas():
    frame = pd.DataFrame({"x": pd.Series([3, None, 1, 3], dtype="Int64"), "c": pd.Categorical([3, None, 1, 3])})
    for column in ("x", "c"):
        codes, cells = frames.factorise(frame, column)
        assert (codes.tolist(), cells) == ([0, 1, 2, 0], [3, None, 1])
        assert type(cells[0]) is int
        same(frames.replace_column(frame, column, cells, codes), frame)


def test_compound_cells_are_refused(kind):
    frame = frames.from_columns({"x": [[1], [2]]}, kind)
    with raises(TableError, column="x"):
        frames.factorise(frame, "x")


def test_columns_of_nothing():
    for frame in (pl.DataFrame({"x": [None, None]}), pa.table({"x": pa.nulls(2)})):
        codes, cells = frames.factorise(frame, "x")
        assert (codes.tolist(), cells) == ([0, 0], [None])
        same(frames.replace_column(frame, "x", cells, codes), frame)
        assert cells_of(replaced(frame, ["a", None])) == ["a", None]


# Round trips

CELLS = {
    "text": st.text(st.characters(codec="utf-8"), max_size=4),
    "integers": st.integers(-(2**63), 2**63 - 1),
    "floats": st.floats(allow_nan=False),
    "truths": st.booleans(),
    "dates": st.dates(datetime.date(1700, 1, 1), datetime.date(2200, 1, 1)),
}


def columns_of(cells):
    return st.lists(st.none() | cells, max_size=12)


@pytest.mark.parametrize("sort", CELLS)
@settings(max_examples=25)
@given(data=st.data())
def test_round_trip_of_any_column(kind, sort, data):
    cells = data.draw(columns_of(CELLS[sort]))
    frame = frames.from_columns({"n": list(range(len(cells))), "x": cells}, kind)
    codes, distinct = frames.factorise(frame, "x")
    same(frames.replace_column(frame, "x", distinct, codes), frame)
    assert len({(type(cell), cell) for cell in distinct}) == len(distinct)


@settings(max_examples=25)
@given(data=st.data())
def test_round_trip_of_any_text(text, data):
    cells = data.draw(columns_of(CELLS["text"]))
    frame = text(cells)
    codes, distinct = frames.factorise(frame, "x")
    assert [distinct[code] for code in codes] == cells
    assert distinct == list(dict.fromkeys(cells))
    same(frames.replace_column(frame, "x", distinct, codes), frame)


@given(
    st.lists(st.none() | st.text(max_size=2) | st.integers() | st.booleans() | st.floats(allow_nan=False), max_size=12)
)
def test_round_trip_of_mixed_objects(cells):
    frame = pd.DataFrame({"x": pd.Series(cells, dtype=object)})
    codes, distinct = frames.factorise(frame, "x")
    assert [distinct[code] for code in codes] == cells
    truths = [isinstance(cell, bool) for cell in cells]
    assert [isinstance(distinct[code], bool) for code in codes] == truths
    same(frames.replace_column(frame, "x", distinct, codes), frame)


@settings(max_examples=25)
@given(data=st.data())
def test_any_released_text_can_be_read_back(text, data):
    cells = data.draw(st.lists(st.none() | st.sampled_from("abc"), min_size=1, max_size=8))
    released = data.draw(st.lists(st.none() | st.text(max_size=3), min_size=len(cells), max_size=len(cells)))
    frame = text(cells)
    assert cells_of(replaced(frame, released)) == released
    assert cells_of(replaced(frame, released, keep_categories=False)) == released
    assert cells_of(frame) == cells
