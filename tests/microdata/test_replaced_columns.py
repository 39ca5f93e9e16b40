from __future__ import annotations

import datetime
import math
from decimal import Decimal

import narwhals as nw
import numpy as np
import pandas as pd
import polars as pl
import polars.testing
import pyarrow as pa
import pytest

from ontomask.errors import TableError
from ontomask.microdata import frames

from support.errors import raises
from support.frame_kinds import KINDS, arrow_of, cells_of, dtype_of, replaced, same

# Replacing


def test_unchanged_cells_give_an_equal_table(text):
    frame = text(["c", "a", None, "c", "b", None])
    codes, cells = frames.factorise(frame, "x")
    same(frames.replace_column(frame, "x", cells, codes), frame)


def test_released_texts_keep_the_type_and_everything_else(text):
    frame = text(["c", "a", None, "c"])
    before = text(["c", "a", None, "c"])
    result = replaced(frame, ["new", None, None, "a"])
    assert cells_of(result) == ["new", None, None, "a"]
    assert frames.columns(result) == ["n", "x"]
    assert cells_of(result, "n") == [0, 1, 2, 3]
    same(frame, before)
    if isinstance(frame, pd.DataFrame):
        assert result.index.equals(frame.index)
        assert result.index.names == frame.index.names
        assert result.attrs == frame.attrs
        if not isinstance(frame["x"].dtype, pd.CategoricalDtype):
            assert result["x"].dtype == frame["x"].dtype
    elif isinstance(frame, pl.DataFrame):
        assert frame["x"].dtype == pl.Enum or result["x"].dtype == frame["x"].dtype
    else:
        assert result.schema.equals(frame.schema, check_metadata=True)


def test_other_cells_become_text_in_a_column_of_text(text):
    frame = text(["c", "a", "b", "c"])
    assert cells_of(replaced(frame, [1, 2.5, 3.0, "c"])) == ["1", "2.5", "3", "c"]


def test_nothing_done_to_the_result_reaches_the_table_given(kind):
    frame = frames.from_columns({"n": [1, 2, 3], "x": ["a", "b", "c"], "y": [1.0, 2.0, 3.0]}, kind)
    codes, cells = frames.factorise(frame, "x")
    results = [
        frames.replace_column(frame, "x", cells, codes),
        frames.take_rows(frame, np.arange(3)),
        frames.drop_columns(frame, []),
        frames.drop_columns(frame, ["y"]),
    ]
    codes[:] = 0
    cells[0] = "other"
    if kind == "pandas":
        for result in results:
            result.iloc[0, 0] = 99
            result.iloc[0, 1] = "changed"
    assert cells_of(frame, "n") == [1, 2, 3]
    assert cells_of(frame) == ["a", "b", "c"]
    assert kind == "pandas" or cells_of(results[0]) == ["a", "b", "c"]


@pytest.mark.parametrize("codes", [[0, 1], [0, 1, 2], [0, -1, 0]])
def test_codes_that_do_not_fit_are_refused(kind, codes):
    frame = frames.from_columns({"x": ["a", "b", "c"]}, kind)
    with raises(TableError, column="x"):
        frames.replace_column(frame, "x", ["a", "b"], np.array(codes, dtype=np.int32))


def test_a_cell_that_no_record_gets_has_no_say(kind):
    frame = frames.from_columns({"x": [1, 2, 3]}, kind)
    result = frames.replace_column(frame, "x", [None, "text", 5, 6], np.array([2, 3, 2], dtype=np.int32))
    assert dtype_of(result) == dtype_of(frame)
    assert cells_of(result) == [5, 6, 5]


INTEGERS = {
    "pandas": lambda cells: pd.DataFrame({"x": pd.Series(cells, dtype="int16")}),
    "pandas nullable": lambda cells: pd.DataFrame({"x": pd.Series(cells, dtype="Int16")}),
    "pandas arrow": lambda cells: pd.DataFrame({"x": pd.Series(cells, dtype=pd.ArrowDtype(pa.int16()))}),
    "pandas object": lambda cells: pd.DataFrame({"x": pd.Series(cells, dtype=object)}),
    "polars": lambda cells: pl.DataFrame({"x": pl.Series(cells, dtype=pl.Int16)}),
    "pyarrow": lambda cells: pa.table({"x": pa.array(cells, type=pa.int16())}),
}


@pytest.fixture(scope="module", params=INTEGERS, ids=lambda name: name.replace(" ", "-"))
def integers(request):
    return INTEGERS[request.param]


@pytest.mark.parametrize("cells", [[4, 5, 4], ["4", "-5", 4], [4.0, 5, Decimal(6)]])
def test_whole_numbers_stay_what_they_were(integers, cells):
    frame = integers([1, 2, 3])
    result = replaced(frame, cells)
    assert dtype_of(result) == dtype_of(frame)
    assert cells_of(result) == [int(cell) for cell in cells]


def test_a_number_too_large_widens_the_column(integers):
    result = replaced(integers([1, 2, 3]), [40_000, 2, 3])
    assert cells_of(result) == [40_000, 2, 3]
    assert "int64" in str(dtype_of(result)).lower() or dtype_of(result) == "object"


def test_a_fraction_makes_whole_numbers_floats(integers):
    result = replaced(integers([1, 2, 3]), [1.5, 2, "3"])
    assert cells_of(result) == [1.5, 2.0, 3.0]
    assert nw.from_native(result)["x"].dtype == nw.Float64 or dtype_of(result) == "object"


@pytest.mark.parametrize("code", ["038", "250.10", "V58", "250.1", "1_0", " 1", "+1"])
def test_codes_that_are_no_whole_numbers_make_the_column_text(integers, code):
    result = replaced(integers([1, 2, 3]), [code, 2, 3])
    assert cells_of(result) == [code, "2", "3"]
    floats = replaced(frames.from_columns({"x": [1.0, 2.5, 250.0]}, frames.kind(result)), [code, 2.5, 250.0])
    assert cells_of(floats) == [code, "2.5", "250"]


def test_whole_numbers_can_be_suppressed(integers):
    result = replaced(integers([1, 2, 3]), [None, 2, 3])
    assert cells_of(result) == [None, 2, 3]
    assert [type(cell) for cell in frames.factorise(result, "x")[1]] == [type(None), int, int]


FLOATS = {
    "pandas": lambda cells: pd.DataFrame({"x": pd.Series(cells, dtype="float32")}),
    "pandas nullable": lambda cells: pd.DataFrame({"x": pd.Series(cells, dtype="Float32")}),
    "pandas arrow": lambda cells: pd.DataFrame({"x": pd.Series(cells, dtype=pd.ArrowDtype(pa.float32()))}),
    "polars": lambda cells: pl.DataFrame({"x": pl.Series(cells, dtype=pl.Float32)}),
    "pyarrow": lambda cells: pa.table({"x": pa.array(cells, type=pa.float32())}),
}


@pytest.mark.parametrize("name", FLOATS)
def test_floats_stay_what_they_were(name):
    frame = FLOATS[name]([1.5, 2.5, None])
    result = replaced(frame, [0.1, "4", 7])
    assert dtype_of(result) == dtype_of(frame)
    assert cells_of(result) == pytest.approx([0.1, 4.0, 7.0])
    wide = replaced(frame, [1e300, 1.5, None])
    assert cells_of(wide) == [1e300, 1.5, None]
    # A whole number that a float cannot hold is a code, not a quantity.
    assert cells_of(replaced(frame, ["12345678901234567891", 1.5, 2.0])) == ["12345678901234567891", "1.5", "2"]


def test_nan_and_null_stay_what_they_were():
    for kind in ("polars", "pyarrow"):
        frame = frames.from_columns({"x": [1.0, math.nan, None, 2.0]}, kind)
        column = replaced(frame, [None, None, None, 3.0])["x"]
        cells = column.to_list() if kind == "polars" else column.to_pylist()
        assert cells[0] is None
        assert math.isnan(cells[1])
        assert cells[2:] == [None, 3.0]


def test_truths_stay_truths(kind):
    frame = frames.from_columns({"x": [True, False, True]}, kind)
    result = replaced(frame, ["False", True, "True"])
    assert dtype_of(result) == dtype_of(frame)
    assert cells_of(result) == [False, True, True]
    assert cells_of(replaced(frame, [None, True, False])) == [None, True, False]
    assert cells_of(replaced(frame, ["yes", True, False])) == ["yes", "True", "False"]


def test_dates_stay_dates_or_become_text(kind):
    days = [datetime.date(2020, 1, 2), datetime.date(2021, 1, 2), None]
    frame = frames.from_columns({"x": days}, kind)
    result = replaced(frame, [days[1], days[1], None])
    assert dtype_of(result) == dtype_of(frame)
    assert cells_of(result) == [days[1], days[1], None]
    if kind != "pandas":
        assert cells_of(replaced(frame, ["2020s", days[1], None])) == ["2020s", "2021-01-02", None]


def test_times_of_pandas_survive():
    frame = pd.DataFrame(
        {"x": pd.to_datetime(["2020-01-02 03:04:05.000000001", None, "2019-01-01 00:00:00.0"]).tz_localize("UTC")}
    )
    codes, cells = frames.factorise(frame, "x")
    same(frames.replace_column(frame, "x", cells, codes), frame)


def test_decimals_stay_decimals_as_far_as_their_scale_goes():
    for frame in (
        pl.DataFrame({"x": pl.Series([Decimal("1.50"), Decimal("2.00")], dtype=pl.Decimal(10, 2))}),
        pa.table({"x": pa.array([Decimal("1.50"), Decimal("2.00")], type=pa.decimal128(10, 2))}),
    ):
        result = replaced(frame, [1.25, "7"])
        assert dtype_of(result) == dtype_of(frame)
        assert cells_of(result) == [Decimal("1.25"), Decimal("7.00")]
        assert cells_of(replaced(frame, [1.255, 7])) == [1.255, 7.0]
        assert cells_of(replaced(frame, ["x", Decimal("1.50")])) == ["x", "1.50"]


# Categories


def test_categories_of_pandas_keep_their_order_and_gain_released_ones():
    frame = pd.DataFrame({"x": pd.Categorical(["b", "a", None], categories=["b", "a", "c"], ordered=True)})
    kept = replaced(frame, ["c", None, "a"])
    assert kept["x"].dtype == frame["x"].dtype
    gained = replaced(frame, ["z", "a", "y"])
    assert gained["x"].cat.categories.tolist() == ["b", "a", "c", "z", "y"]
    assert gained["x"].tolist() == ["z", "a", "y"]
    assert not gained["x"].cat.ordered
    pruned = replaced(frame, ["z", "a", None], keep_categories=False)
    assert pruned["x"].cat.categories.tolist() == ["a", "z"]
    ordered = replaced(frame, ["c", "a", "b"], keep_categories=False)
    assert ordered["x"].dtype == frame["x"].dtype


def test_categories_that_are_numbers():
    frame = pd.DataFrame({"x": pd.Categorical([3, 1, None, 3])})
    result = replaced(frame, ["7", 1, None, 3])
    assert result["x"].cat.categories.tolist() == [1, 3, 7]
    assert result["x"].cat.categories.dtype == frame["x"].cat.categories.dtype
    text = replaced(frame, ["V7", 1, None, 3])
    assert text["x"].cat.categories.tolist() == ["1", "3", "V7"]
    assert cells_of(text) == ["V7", "1", None, "3"]


def test_an_enum_of_polars_is_extended():
    frame = pl.DataFrame({"x": pl.Series(["b", "a", None], dtype=pl.Enum(["b", "a", "c"]))})
    assert replaced(frame, ["c", None, "a"])["x"].dtype == frame["x"].dtype
    gained = replaced(frame, ["z", "a", 5])["x"]
    assert gained.dtype == pl.Enum(["b", "a", "c", "z", "5"])
    assert gained.to_list() == ["z", "a", "5"]
    assert replaced(frame, ["z", "a", None], keep_categories=False)["x"].dtype == pl.Enum(["a", "z"])


def test_a_dictionary_of_pyarrow_is_extended():
    values = pa.DictionaryArray.from_arrays(pa.array([1, 0, None], pa.int8()), pa.array(["a", "b", "c"]), ordered=True)
    frame = pa.table({"x": values})
    kept = replaced(frame, ["c", None, "a"])["x"]
    assert kept.type == values.type
    assert kept.chunk(0).dictionary.to_pylist() == ["a", "b", "c"]
    gained = replaced(frame, ["z", "a", None])["x"]
    assert gained.chunk(0).dictionary.to_pylist() == ["a", "b", "c", "z"]
    assert not gained.type.ordered
    pruned = replaced(frame, ["z", "a", None], keep_categories=False)["x"]
    assert pruned.chunk(0).dictionary.to_pylist() == ["a", "z"]


def test_categories_that_polars_noted_in_a_field_go_with_them():
    frame = pl.DataFrame({"x": pl.Series(["rare", "b"], dtype=pl.Enum(["rare", "b"]))}).to_arrow()
    result = replaced(frame, ["b", "b"], keep_categories=False)
    assert "rare" not in str(result.schema)
    assert pl.DataFrame(result)["x"].to_list() == ["b", "b"]


def test_a_dictionary_with_more_categories_than_its_index_counts():
    cells = [f"v{i}" for i in range(200)]
    frame = arrow_of(pa.dictionary(pa.int8(), pa.string()))(["a"] * 200)
    result = replaced(frame, cells)
    assert cells_of(result) == cells
    assert result.schema.field("x").type.index_type == pa.int32()


def test_a_dictionary_with_repeated_and_missing_values():
    values = pa.DictionaryArray.from_arrays(pa.array([2, 0, 1, None, 3], pa.int8()), pa.array(["a", "a", None, "b"]))
    frame = pa.table({"x": values})
    codes, cells = frames.factorise(frame, "x")
    assert (codes.tolist(), cells) == ([0, 1, 1, 0, 2], [None, "a", "b"])
    assert cells_of(frames.replace_column(frame, "x", cells, codes)) == [None, "a", "a", None, "b"]


# Text and other kinds


def test_a_column_as_text(kind):
    frame = frames.from_columns({"x": [1.0, None, 2.5], "y": [1, 2, 3]}, kind)
    assert cells_of(frames.as_text(frame, "x")) == ["1", None, "2.5"]
    labelled = frames.as_text(frame, "y", {1: "yes", 2: "no"})
    assert cells_of(labelled, "y") == ["yes", "no", "3"]
    assert frames.columns(labelled) == ["x", "y"]


@pytest.mark.parametrize("with_pyarrow", [True, False])
@pytest.mark.parametrize("to", KINDS)
def test_conversion_keeps_the_cells(kind, to, with_pyarrow, monkeypatch):
    cells = {"t": ["038", None, ""], "n": [1, 2, 3], "f": [1.5, None, 2.0], "b": [True, False, True]}
    frame = frames.from_columns(cells, kind)
    if not with_pyarrow:
        monkeypatch.setattr(frames, "find_spec", lambda name: name != "pyarrow" or to == "pyarrow")
    result = frames.convert(frame, to)
    assert frames.kind(result) == to
    assert {name: cells_of(result, name) for name in frames.columns(result)} == cells
    assert (result is frame) == (kind == to)


@pytest.mark.parametrize("to", ["polars", "pyarrow"])
def test_mixed_columns_are_converted_as_text(to):
    frame = pd.DataFrame({"x": pd.Series(["V58", 250, 1.5, None], dtype=object), "n": [1, 2, 3, 4]})
    result = frames.convert(frame, to)
    assert cells_of(result) == ["V58", "250", "1.5", None]
    assert cells_of(result, "n") == [1, 2, 3, 4]
