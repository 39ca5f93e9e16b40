"""Small frames of every kind that can be read, and what they hold."""

from __future__ import annotations

import numpy as np
import pandas as pd
import polars as pl
import polars.testing
import pyarrow as pa

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
