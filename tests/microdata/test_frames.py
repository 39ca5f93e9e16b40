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

KINDS = ("pandas", "polars", "pyarrow")
PANDAS_3 = int(pd.__version__.split(".")[0]) >= 3


def pandas_of(dtype):
    def make(cells):
        index = pd.MultiIndex.from_arrays([[7] * len(cells), range(len(cells))], names=["ward", None])
        frame = pd.DataFrame({"n": range(len(cells)), "x": pd.Series(cells, dtype=dtype)}).set_index(index)
        frame.attrs = {"source": "survey"}
        return frame

    return make


def polars_of(dtype):
    return lambda cells: pl.DataFrame({"n": range(len(cells)), "x": pl.Series(cells, dtype=dtype)})


def arrow_of(dtype):
    def make(cells):
        half = len(cells) // 2
        # Dictionaries that differ between chunks
        parts = [pa.array(cells[:half], pa.string()), pa.array(cells[half:], pa.string())]
        if pa.types.is_dictionary(dtype):
            column = pa.chunked_array([part.dictionary_encode().cast(dtype) for part in parts])
        else:
            column = pa.chunked_array([part.cast(dtype) for part in parts])
        schema = pa.schema(
            [pa.field("n", pa.int64()), pa.field("x", dtype, metadata={"unit": "none"})], metadata={"source": "survey"}
        )
        return pa.table([pa.array(range(len(cells)), pa.int64()), column], schema=schema)

    return make


def category_of(cells):
    return pd.CategoricalDtype(["unused", *sorted({cell for cell in cells if cell is not None})])


TEXT = {
    "pandas object": pandas_of(object),
    "pandas default": pandas_of(None if not PANDAS_3 else "str"),
    "pandas string[python]": pandas_of("string[python]"),
    "pandas string[pyarrow]": pandas_of("string[pyarrow]"),
    "pandas arrow": pandas_of(pd.ArrowDtype(pa.string())),
    "pandas arrow dictionary": pandas_of(pd.ArrowDtype(pa.dictionary(pa.int32(), pa.string()))),
    "pandas category": lambda cells: pandas_of(category_of(cells))(cells),
    "polars": polars_of(pl.String),
    "polars categorical": polars_of(pl.Categorical),
    "polars enum": lambda cells: polars_of(pl.Enum(category_of(cells).categories.tolist()))(cells),
    "pyarrow": arrow_of(pa.string()),
    "pyarrow large": arrow_of(pa.large_string()),
    "pyarrow view": arrow_of(pa.string_view()),
    "pyarrow dictionary": arrow_of(pa.dictionary(pa.int8(), pa.string())),
}


@pytest.fixture(scope="module", params=TEXT, ids=lambda name: name.replace(" ", "-"))
def text(request):
    return TEXT[request.param]


@pytest.fixture(scope="module", params=KINDS)
def kind(request):
    return request.param


def same(a, b):
    """Equal in cells, types, order, index and metadata."""
    if isinstance(a, pd.DataFrame):
        pd.testing.assert_frame_equal(a, b)
        assert a.attrs == b.attrs
    elif isinstance(a, pl.DataFrame):
        polars.testing.assert_frame_equal(a, b, categorical_as_str=True)
        assert a.schema == b.schema
    else:
        assert a.schema.equals(b.schema, check_metadata=True)
        assert a.to_pylist() == b.to_pylist() or a.equals(b)


def cells_of(frame, column="x"):
    codes, cells = frames.factorise(frame, column)
    return [cells[code] for code in codes]


def replaced(frame, cells, **options):
    """The column with these cells, record by record."""
    distinct = list(dict.fromkeys((type(cell), cell) for cell in cells))
    codes = np.array([distinct.index((type(cell), cell)) for cell in cells], dtype=np.int32)
    return frames.replace_column(frame, "x", [cell for _, cell in distinct], codes, **options)


def dtype_of(frame):
    return frame.schema.field("x").type if isinstance(frame, pa.Table) else frame["x"].dtype


# Tables


def test_kind_columns_and_length(kind):
    frame = frames.from_columns({"a": ["x", None], "b": [1, 2]}, kind)
    assert frames.kind(frame) == kind
    assert frames.columns(frame) == ["a", "b"]
    assert frames.length(frame) == 2
    assert cells_of(frame, "a") == ["x", None]


@pytest.mark.parametrize(
    ("frame", "hint"),
    [
        (pl.LazyFrame({"a": [1]}), r"LazyFrame instead. Call .collect\(\)"),
        (pd.Series([1]), r"Series instead. Call .to_frame\(\)"),
        (pl.Series([1]), r"Call .to_frame\(\)"),
        ({"a": [1]}, r"dict instead. Make a frame"),
        ([1], "list instead"),
        ("table.csv", "read_table"),
        (np.zeros((2, 2)), "named columns"),
        (nw.from_native(pl.DataFrame({"a": [1]})), r"to_native\(\)"),
        (pa.record_batch({"a": [1]}), "from_batches"),
        (None, "NoneType instead.$"),
    ],
)
def test_what_is_no_table_is_told(frame, hint):
    for function in (frames.kind, frames.columns, frames.length):
        with pytest.raises(TableError, match=hint) as caught:
            function(frame)
        assert "pandas DataFrame, a polars DataFrame or a pyarrow Table" in str(caught.value)


def test_columns_that_cannot_be_told_apart_are_listed():
    with pytest.raises(TableError, match="more than once: 'a', 'b'"):
        frames.columns(pd.DataFrame([[1, 2, 3, 4, 5]], columns=["a", "b", "a", "b", "c"]))
    with pytest.raises(TableError, match="more than once: 'a'"):
        frames.columns(pa.table([[1], [2]], names=["a", "a"]))


def test_column_names_must_be_texts():
    with pytest.raises(TableError, match=r"0, 1 are not. Rename the columns"):
        frames.columns(pd.DataFrame([[1, 2]]))
    with pytest.raises(TableError, match=r"2024 is not"):
        frames.columns(pd.DataFrame({"a": [1], 2024: [2]}))


def test_an_unknown_column_is_named_with_those_there_are(kind):
    frame = frames.from_columns({"a": [1], "b": [1]}, kind)
    for ask in (
        lambda: frames.factorise(frame, "c"),
        lambda: frames.numbers(frame, "c"),
        lambda: frames.drop_columns(frame, ["c"]),
        lambda: frames.replace_column(frame, "c", [1], np.zeros(1, dtype=np.int32)),
    ):
        with pytest.raises(TableError, match=r"no column 'c'. It has 'a', 'b'"):
            ask()


def test_from_columns_names_the_kinds_there_are(monkeypatch):
    with pytest.raises(TableError, match=r"'pandas', 'polars', 'pyarrow'. Got 'spark'"):
        frames.from_columns({}, "spark")
    monkeypatch.setattr(frames, "find_spec", lambda name: None)
    with pytest.raises(TableError, match="pip install pandas"):
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
    with pytest.raises(TableError, match="column 'x' holds lists"):
        frames.factorise(frame, "x")


def test_columns_of_nothing():
    for frame in (pl.DataFrame({"x": [None, None]}), pa.table({"x": pa.nulls(2)})):
        codes, cells = frames.factorise(frame, "x")
        assert (codes.tolist(), cells) == ([0, 0], [None])
        same(frames.replace_column(frame, "x", cells, codes), frame)
        assert cells_of(replaced(frame, ["a", None])) == ["a", None]


# Numbers


@pytest.mark.parametrize(
    "cells",
    [[1, 2, None], [1.5, None, math.nan], [Decimal("1.50"), None], ["1", " 2.5 ", "-3e2", None, ""]],
    ids=["integers", "floats", "decimals", "text"],
)
def test_numbers(kind, cells):
    found = frames.numbers(frames.from_columns({"x": cells}, kind), "x")
    assert found.dtype == np.float64
    wanted = [math.nan if cell in (None, "") else float(cell) for cell in cells]
    np.testing.assert_array_equal(found, wanted)


@pytest.mark.parametrize(
    ("cells", "count"),
    [
        (["1", "secret", "secret", "x", None], "3 cells that are no numbers"),
        (["1,5", "2"], "1 cell that is no number"),
        (["1_000", "nan", "inf", "2"], "3 cells"),
        ([True, False, True], "3 cells"),
        ([1.0, math.inf, -math.inf], "2 cells"),
        ([datetime.date(2020, 1, 1)], "1 cell"),
    ],
)
def test_what_is_no_number_is_counted_and_not_shown(kind, cells, count):
    with pytest.raises(TableError, match=count) as caught:
        frames.numbers(frames.from_columns({"x": cells}, kind), "x")
    assert "secret" not in str(caught.value)


def test_numbers_of_nullable_mixed_and_categorical_columns():
    mixed = pd.Series(["1", 2, 3.5, Decimal("4"), None], dtype=object)
    np.testing.assert_array_equal(frames.numbers(pd.DataFrame({"x": mixed}), "x"), [1, 2, 3.5, 4, math.nan])
    nullable = pd.DataFrame({"x": pd.Series([1, None], dtype="Int8")})
    np.testing.assert_array_equal(frames.numbers(nullable, "x"), [1, math.nan])
    category = pd.DataFrame({"x": pd.Categorical([2, None, 2])})
    np.testing.assert_array_equal(frames.numbers(category, "x"), [2, math.nan, 2])


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
    with pytest.raises(TableError, match="one code a record, from 0 to 1"):
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
