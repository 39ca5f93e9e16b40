"""Dataframes: pandas, polars and pyarrow. With `backends`, the only module that knows these libraries.

The output has the same kind as the input. narwhals covers what the libraries have in common. No dataframe library is
imported before a table is used.

A column is encoded as codes and distinct cells, so nothing here runs once per record. When the cells of a column are
replaced, its type follows these rules:

- Text stays the same type of text, and a pandas object column stays an object column.
- Numbers keep their type if the released cells are numbers, or texts that are the digits of an integer. A fraction
  turns integers into float64. Any other text turns the column into text: a released code ``038`` or ``250.10`` would be
  another code as a number. pandas integers and booleans become their nullable counterparts if a cell is missing.
- Categories keep their order, and new released values follow at the end. The rank of a new category is unknown, so
  ordered categories that gain one become unordered. (A polars Enum is defined by its list.)
- A missing cell that is released as missing does not change. Any other cell becomes missing in the column's own way.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from importlib.util import find_spec
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from ontomask.base.text import join_some
from ontomask.errors import TableError
from ontomask.microdata.backends import BACKENDS, Keep, drop_polars_columns, polars_column, take_arrow_rows
from ontomask.microdata.cells import Codes, Encoded, canonical_codes, to_text, used_cells

__all__ = [
    "Kind",
    "as_text",
    "check_installed",
    "columns",
    "compound_cells",
    "convert",
    "drop_columns",
    "factorise",
    "from_columns",
    "has_plain_cells",
    "is_categorical",
    "kind",
    "length",
    "new_column",
    "number_cells",
    "repeats",
    "replace_column",
    "take_rows",
    "tidy_categories",
]

Kind = Literal["pandas", "polars", "pyarrow"]

_HINTS = {
    "LazyFrame": "Call .collect() on it first.",
    "Series": "Call .to_frame() on it first.",
    "RecordBatch": "Wrap it: pyarrow.Table.from_batches([batch]).",
    "ChunkedArray": "Name it: pyarrow.table({'name': column}).",
    "dict": "Make a frame of it, for example with polars.DataFrame(...).",
    "list": "Make a frame of it, for example with polars.DataFrame(...).",
    "ndarray": "Make a frame with named columns of it, for example with polars.DataFrame(...).",
    "str": "Read a file with ontomask.read_table(path).",
    "PosixPath": "Read a file with ontomask.read_table(path).",
    "WindowsPath": "Read a file with ontomask.read_table(path).",
}


def kind(frame: Any) -> Kind:
    """The library of a frame; an error for anything that is not a table in memory."""
    from narwhals import dependencies as known

    name, hint = type(frame).__name__, _HINTS.get(type(frame).__name__, "")
    if type(frame).__module__.startswith("narwhals."):
        hint = "Call .to_native() on it first."
    elif known.is_pandas_dataframe(frame):
        return "pandas"
    elif known.is_polars_dataframe(frame):
        return "polars"
    elif known.is_pyarrow_table(frame):
        return "pyarrow"
    text = f"A table must be a pandas DataFrame, a polars DataFrame or a pyarrow Table. Got {name} instead. {hint}"
    raise TableError(text.strip(), parameter="frame", values=[name])


def columns(frame: Any) -> list[str]:
    """The column names, which must be unique strings."""
    names = list(frame.column_names if kind(frame) == "pyarrow" else frame.columns)
    other = [name for name in names if not isinstance(name, str)]
    if other:
        raise TableError(
            f"Column names must be strings, and {join_some(other)} {'is' if len(other) == 1 else 'are'} not. "
            f"Rename the columns, for example with frame.columns = [...].",
            values=map(str, other),
            code="names-not-text",
        )
    twice = [name for name, times in Counter(names).items() if times > 1]
    if twice:
        raise TableError(
            f"These column names occur more than once: {join_some(twice, 12)}. Rename or drop the copies.",
            column=twice[0],
            values=twice,
            code="names-not-unique",
        )
    return names


def length(frame: Any) -> int:
    """The number of records."""
    kind(frame)
    return len(frame)


def factorise(frame: Any, column: str) -> tuple[Codes, list[object]]:
    """Encode a column: a code per record, and the distinct cells in order of first appearance.

    Cells are plain Python objects. A missing cell of any kind (None, NaN, NaT, NA, null) is ``None``. Equal numbers are
    one cell (1 and 1.0), but text ("1") and booleans never equal a number.

    >>> import polars as pl
    >>> codes, cells = factorise(pl.DataFrame({"job": ["clerk", None, "nurse", "clerk"]}), "job")
    >>> codes.tolist(), cells
    ([0, 1, 2, 0], ['clerk', None, 'nurse'])
    """
    codes, cells, is_canonical = _encode(frame, column)
    return (codes, cells()) if is_canonical else canonical_codes(codes, cells())


def number_cells(frame: Any, column: str) -> tuple[Codes, int]:
    """The codes of `factorise`, and the number of distinct cells. The cells do not become Python objects."""
    codes, cells, is_canonical = _encode(frame, column)
    codes = codes if is_canonical else canonical_codes(codes, cells())[0]
    return codes, int(codes.max(initial=-1)) + 1


def repeats(frame: Any, column: str) -> bool:
    """Whether several records have the same cell. The column is not encoded."""
    import narwhals as nw

    values = nw.from_native(frame, eager_only=True).get_column(column)
    try:
        if kind(frame) == "polars" and (values.dtype == nw.String or values.dtype.is_integer()):
            # Record numbers often ascend: then nothing has to be hashed.
            ascends = values.head(len(values) - 1) < values.tail(len(values) - 1)
            if not values.null_count() and ascends.all():
                return False
        return bool(values.n_unique() < len(values))
    except Exception:  # each library has its own error for compound cells
        raise compound_cells(column) from None


def has_plain_cells(frame: Any, column: str) -> bool:
    r"""Whether all cells are integers, or texts of visible ASCII characters. Cells that differ then look different.

    ``False`` also if the library cannot tell without a loop over Python objects. Missing cells do not matter.

    >>> import polars as pl
    >>> frame = pl.DataFrame({"id": ["A-1", None], "name": ["Ada ", "Bob"]})
    >>> has_plain_cells(frame, "id"), has_plain_cells(frame, "name")
    (True, False)
    """
    import narwhals as nw

    values = nw.from_native(frame, eager_only=True).get_column(column)
    if values.dtype.is_integer():
        return True
    if values.dtype != nw.String or getattr(values.to_native(), "dtype", None) == "object":
        return False
    try:
        return not (values.str.contains(r"[^\x21-\x7e]") | (values == "")).any()
    except NotImplementedError:  # pyarrow does not search string views
        return False


def _encode(frame: Any, column: str) -> Encoded:
    try:
        return BACKENDS[kind(frame)].encode(_column(frame, column))
    except TypeError:
        raise compound_cells(column) from None


def compound_cells(column: str) -> TableError:
    """The error for a column of lists or structures."""
    text = f"The column {column!r} holds lists or other compound cells. Give every cell one value."
    return TableError(text, column=column)


def take_rows(frame: Any, positions: NDArray[np.int64]) -> Any:
    """The records at these positions, in this order. pandas keeps their index labels."""
    import narwhals as nw

    positions = np.asarray(positions, dtype=np.int64)
    if kind(frame) == "pyarrow":
        return take_arrow_rows(frame, positions)
    if kind(frame) == "polars":
        # From one piece, rows are taken many times faster.
        return frame.rechunk()[positions]
    return nw.from_native(frame, eager_only=True)[positions].to_native()


def drop_columns(frame: Any, names: Sequence[str]) -> Any:
    """The table without these columns."""
    import narwhals as nw

    for name in names:
        _column(frame, name)
    if kind(frame) == "polars":
        return drop_polars_columns(frame, names)
    return nw.from_native(frame, eager_only=True).drop(list(names)).to_native()


def replace_column(
    frame: Any, column: str, cells: Sequence[object], codes: Codes, *, keep_categories: bool | Keep = True
) -> Any:
    """A copy of the table whose column has ``cells[codes[i]]`` in record i.

    The docstring of this module has the rules for the type of the column. ``keep_categories=False`` drops unused
    categories, since a masked column would still list values of the original. A function decides for each category.

    >>> import polars as pl
    >>> frame = pl.DataFrame({"job": ["clerk", "nurse", "clerk"], "age": [30, 40, 50]})
    >>> replace_column(frame, "job", ["worker", "nurse"], np.array([0, 1, 0], dtype=np.int32))["job"].to_list()
    ['worker', 'nurse', 'worker']
    """
    values = _column(frame, column)
    codes = np.asarray(codes)
    if len(codes) != len(values) or (len(codes) and (codes.min() < 0 or codes.max() >= len(cells))):
        raise TableError(f"The column {column!r} needs a code per record, from 0 to {len(cells) - 1}.", column=column)
    keep: Keep = (lambda _: bool(keep_categories)) if isinstance(keep_categories, bool) else keep_categories
    backend = BACKENDS[kind(frame)]
    return backend.put(frame, column, backend.replace(values, *used_cells(cells, codes), keep))


def new_column(frame: Any, column: str, cells: Sequence[object], codes: Codes) -> Any:
    """As `replace_column`, with a type that follows from the cells, whatever type the column had."""
    backend = BACKENDS[kind(frame)]
    used, codes = used_cells(cells, np.asarray(codes))
    return backend.put(frame, column, backend.take(backend.make(None, "inferred", used), codes))


def is_categorical(frame: Any, column: str) -> bool:
    """Whether the type of a column lists its categories."""
    import narwhals as nw

    dtype = nw.from_native(frame, eager_only=True).get_column(column).dtype
    return dtype in (nw.Categorical, nw.Enum)


def tidy_categories(frame: Any) -> Any:
    """Remove unused categories, and sort categories that have no order.

    Categories are often listed in the order of their first record. That list would reveal the order of the records even
    after they are shuffled.

    >>> import pandas as pd
    >>> tidy_categories(pd.DataFrame({"x": pd.Categorical(["b", "a"], ["c", "b", "a"])}))["x"].cat.categories.tolist()
    ['a', 'b']
    """
    backend = BACKENDS[kind(frame)]
    for name in columns(frame):
        if is_categorical(frame, name):
            frame = backend.put(frame, name, backend.tidy(_column(frame, name)))
    return frame


def as_text(frame: Any, column: str, labels: Mapping[Any, str] | None = None) -> Any:
    """A copy of the table whose column is text: the label of each cell, or the cell itself as text."""
    codes, cells = factorise(frame, column)
    texts = [None if cell is None else (labels or {}).get(cell) or to_text(cell) for cell in cells]
    backend = BACKENDS[kind(frame)]
    made = backend.make(None, "text", texts)
    return backend.put(frame, column, backend.take(made, codes))


def from_columns(columns: Mapping[str, Sequence[object]], kind: Kind) -> Any:
    """A table of the given kind, with types inferred from the cells."""
    import narwhals as nw

    check_installed(kind)
    return nw.from_dict(dict(columns), backend=kind).to_native()


def convert(frame: Any, to: Kind) -> Any:
    """The same table as another kind. The index of a pandas frame is dropped, and mixed columns become text."""
    import narwhals as nw

    if kind(frame) == to:
        return frame
    check_installed(to)
    if find_spec("pyarrow"):
        eager = nw.from_native(frame, eager_only=True)
        try:
            if to == "pandas":
                return eager.to_pandas()
            return eager.to_polars() if to == "polars" else eager.to_arrow()
        except (TypeError, ValueError):  # pyarrow rejects columns of mixed types
            pass
    return _convert_by_column(frame, to)


def _convert_by_column(frame: Any, to: Kind) -> Any:
    backend = BACKENDS[to]
    made = {}
    for name in columns(frame):
        codes, cells = factorise(frame, name)
        types = {type(cell) for cell in cells if cell is not None}
        if str in types and len(types) > 1:
            cells = [None if cell is None else to_text(cell) for cell in cells]
        made[name] = backend.take(backend.make(None, "inferred", cells), codes)
    return backend.build(made)


def check_installed(name: str) -> None:
    """Raise an error unless tables of this kind can be made."""
    if name not in BACKENDS:
        raise TableError(
            f"The kind of a table must be one of {join_some(BACKENDS)}. Got {name!r} instead.",
            values=[str(name)],
            code="unknown-library",
        )
    if not find_spec(name):
        raise TableError(
            f"A {name} table needs {name}, which is not installed. Use: pip install {name}",
            values=[name],
            code="not-installed",
        )


def _column(frame: Any, name: str) -> Any:
    names = columns(frame)
    if name not in names:
        raise TableError(f"The table has no column {name!r}. It has {join_some(names, 30)}.", column=name)
    return polars_column(frame, name) if kind(frame) == "polars" else frame[name]
