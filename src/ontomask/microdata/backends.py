"""One class per dataframe library: encode its columns, and build columns from codes and cells."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from ontomask.microdata.cells import Encoded, alphabetical, extend_categories, fit_cells, plain_cell

__all__ = ["BACKENDS", "Keep", "drop_polars_columns", "polars_column", "take_arrow_rows"]

# The records whose texts are listed first when texts are encoded.
_BLOCK = 1 << 16

# Whether to keep a category that no record has.
Keep = Callable[[object], bool]


def _family(values: Any) -> str:
    """The family of types that `fit_cells` chooses from."""
    import narwhals as nw

    dtype = nw.from_native(values, series_only=True).dtype
    families = {
        "integer": dtype.is_integer(),
        "float": dtype.is_float(),
        "decimal": dtype.is_decimal(),
        "boolean": dtype == nw.Boolean,
        "text": dtype in (nw.String, nw.Categorical, nw.Enum),
    }
    return next((family for family, fits in families.items() if fits), "other")


class _Backend(Protocol):
    def encode(self, values: Any) -> Encoded:
        """Encode a column."""

    def make(self, own: Any, target: str, cells: Sequence[object]) -> Any:
        """An array of cells, of the type ``own`` or of the library's type for ``target``."""

    def take(self, made: Any, codes: NDArray[Any]) -> Any:
        """Cells of an array, record by record."""

    def replace(self, values: Any, cells: Sequence[object], codes: NDArray[Any], keep: Keep) -> Any:
        """A column with its cells replaced."""

    def tidy(self, values: Any) -> Any:
        """A categorical column without unused categories, sorted if they have no order."""

    def put(self, frame: Any, name: str, values: Any) -> Any:
        """A table with one column replaced."""

    def build(self, made: Mapping[str, Any]) -> Any:
        """A table made of columns."""


class _Pandas:
    def encode(self, values: Any) -> Encoded:
        import pandas as pd

        if isinstance(values.dtype, pd.ArrowDtype):
            return BACKENDS["pyarrow"].encode(_arrow_of(values))
        if isinstance(values.dtype, pd.CategoricalDtype):
            return Encoded(values.cat.codes.to_numpy(), values.cat.categories.tolist, False)
        codes, distinct = pd.factorize(values)
        held = pd.api.types.infer_dtype(values, skipna=True) if values.dtype == "object" else ""
        # A nullable float may be missing in two ways.
        if held in ("", "string") and values.dtype != "Float64" and values.dtype != "Float32":
            return Encoded.in_order(codes, distinct)
        cells = distinct.tolist()
        if held in ("mixed", "mixed-integer"):
            _separate_booleans(values, codes, cells)
        return Encoded(codes, lambda: cells, False)

    def make(self, own: Any, target: str, cells: Sequence[object]) -> Any:
        import pandas as pd

        if target == "own" or own == "object":
            return pd.Series(cells, dtype=own)
        if target == "inferred":
            return pd.Series(cells)
        types = {"integer": "Int64", "float": "float64", "boolean": "boolean", "text": pd.Series(["text"]).dtype}
        return pd.Series(cells, dtype=types[target])

    def take(self, made: Any, codes: NDArray[Any]) -> Any:
        import pandas as pd

        return pd.Series(made.array.take(codes), dtype=made.dtype)

    def replace(self, values: Any, cells: Sequence[object], codes: NDArray[Any], keep: Keep) -> Any:
        import pandas as pd

        own = values.dtype
        if isinstance(own, pd.ArrowDtype):
            replaced = BACKENDS["pyarrow"].replace(_arrow_of(values), cells, codes, keep)
            return pd.Series(pd.arrays.ArrowExtensionArray(replaced))
        if isinstance(own, pd.CategoricalDtype):
            return self._recategorise(own, cells, codes, keep)
        made, _ = fit_cells(self._family(values), cells, partial(self.make, own))
        taken = self.take(made, codes)
        return self._keep_missing(values, cells, codes, taken) if own == "object" and None in cells else taken

    def _family(self, values: Any) -> str:
        import pandas as pd

        if values.dtype != "object":
            return _family(values)
        held = pd.api.types.infer_dtype(values, skipna=True)
        families = {"string": "text", "empty": "text", "integer": "integer", "floating": "float", "boolean": "boolean"}
        return families.get(held, "other")

    def _recategorise(self, own: Any, cells: Sequence[object], codes: NDArray[Any], keep: Keep) -> Any:
        import pandas as pd

        listed, family = own.categories, self._family(pd.Series(own.categories))
        made, recode, gained = extend_categories(self, listed.dtype, family, listed.tolist(), cells, keep)
        dtype = pd.CategoricalDtype(pd.Index(made, dtype=made.dtype), ordered=own.ordered and not gained)
        return pd.Series(pd.Categorical.from_codes(recode[codes], dtype=dtype))

    def tidy(self, values: Any) -> Any:
        import pandas as pd

        if isinstance(values.dtype, pd.ArrowDtype):
            return pd.Series(pd.arrays.ArrowExtensionArray(BACKENDS["pyarrow"].tidy(_arrow_of(values))))
        used = values.cat.remove_unused_categories()
        if used.cat.ordered:
            return used
        listed = used.cat.categories.tolist()
        return used.cat.reorder_categories([listed[i] for i in alphabetical(listed)])

    def _keep_missing(self, values: Any, cells: Sequence[object], codes: NDArray[Any], taken: Any) -> Any:
        """Object columns have several missing values. A missing cell keeps its own; new ones get the first of them."""
        import pandas as pd

        was, now = values.isna().to_numpy(), np.array([cell is None for cell in cells], dtype=bool)[codes]
        objects = taken.to_numpy(copy=True)
        objects[now] = values.to_numpy()[was][0] if was.any() else None
        objects[now & was] = values.to_numpy()[now & was]
        return pd.Series(objects, dtype=object)

    def put(self, frame: Any, name: str, values: Any) -> Any:
        import pandas as pd

        # Before pandas 3, which copies on write, a shallow copy would share its cells with the input.
        result = frame.copy(deep=int(pd.__version__.split(".")[0]) < 3)
        result[name] = pd.Series(values.array, index=frame.index, dtype=values.dtype)
        return result

    def build(self, made: Mapping[str, Any]) -> Any:
        import pandas as pd

        return pd.DataFrame(dict(made))


def _arrow_of(values: Any) -> Any:
    """The pyarrow column inside a pandas column of an ArrowDtype."""
    import pyarrow as pa

    array = pa.array(values.array)
    return array if isinstance(array, pa.ChunkedArray) else pa.chunked_array([array])


def _separate_booleans(values: Any, codes: NDArray[Any], cells: list[object]) -> None:
    """Give booleans their own codes: pandas encodes True as 1 and False as 0."""
    for code, cell in enumerate(list(cells)):
        if not isinstance(cell, str) and cell in (0, 1):
            rows = np.flatnonzero(codes == code)
            booleans = values.iloc[rows].map(type).isin([bool, np.bool_]).to_numpy()
            others = rows[booleans != booleans[0]]
            if len(others):
                codes[others] = len(cells)
                cells.append(values.iloc[others[0]])


def polars_column(frame: Any, name: str) -> Any:
    """A column of a polars frame, without its name: many polars methods read a name such as ^a$ as a pattern."""
    return frame[name].alias("")


def drop_polars_columns(frame: Any, names: Sequence[str]) -> Any:
    """A polars frame without these columns, even if a name looks like a pattern."""
    import polars.selectors as cs

    return frame.drop(cs.by_name(*names))


def _as_enum(values: Any, listed: Any) -> Encoded:
    """Encode texts that repeat, given the distinct texts of the first records: an Enum finds them by hashing once."""
    import polars as pl

    coded = values.cast(pl.Enum(listed), strict=False)
    if coded.null_count() > values.null_count():
        listed = listed.append(values.filter(coded.is_null() & values.is_not_null()).unique(maintain_order=True))
        coded = values.cast(pl.Enum(listed))
    return Encoded.in_order(coded.to_physical().cast(pl.Int32).fill_null(-1).to_numpy(writable=True), listed)


class _Polars:
    def encode(self, values: Any) -> Encoded:
        import polars as pl

        if values.dtype.is_nested() or values.dtype == pl.Object:
            raise TypeError
        if values.dtype == pl.Enum:
            codes = values.to_physical().cast(pl.Int32).fill_null(-1)
            return Encoded(codes.to_numpy(), values.dtype.categories.to_list, False)
        listed = values.head(_BLOCK).drop_nulls().unique(maintain_order=True) if values.dtype == pl.String else ()
        if 0 < len(listed) < _BLOCK // 8:
            return _as_enum(values, listed)
        values = values.rechunk()
        # For each record the first one with an equal cell. A missing cell equals another.
        rows = pl.DataFrame({"cell": values.to_physical()}).with_row_index("row")
        first = rows.select(pl.col("row").first().over("cell")).to_series().to_numpy()
        is_new = first == np.arange(len(first), dtype=first.dtype)
        number = np.cumsum(is_new, dtype=np.int32)
        number -= 1
        distinct = values.gather(np.flatnonzero(is_new))
        has_nan = values.dtype.is_float() and bool(distinct.is_nan().any())
        return Encoded(number[first], distinct.to_list, not has_nan)

    def make(self, own: Any, target: str, cells: Sequence[object]) -> Any:
        import polars as pl

        if target == "inferred":
            return pl.Series(cells, strict=False)
        types = {"own": own, "integer": pl.Int64, "float": pl.Float64, "boolean": pl.Boolean, "text": pl.String}
        return pl.Series(cells, dtype=types[target])

    def take(self, made: Any, codes: NDArray[Any]) -> Any:
        return made.gather(codes)

    def replace(self, values: Any, cells: Sequence[object], codes: NDArray[Any], keep: Keep) -> Any:
        import polars as pl

        own = values.dtype
        if own == pl.Enum:
            own = pl.Enum(extend_categories(self, pl.String, "text", own.categories.to_list(), cells, keep)[0])
        made, _ = fit_cells(_family(values), cells, partial(self.make, own))
        taken = self.take(made, codes)
        if taken.dtype.is_float() and own.is_float() and None in cells:
            was_nan = values.is_nan().fill_null(False)
            return taken.zip_with(~(taken.is_null() & was_nan), values)
        return taken

    def tidy(self, values: Any) -> Any:
        import polars as pl

        if values.dtype != pl.Enum:
            # Its categories are renumbered when they are written.
            return values
        used = set(values.unique().to_list())
        return values.cast(pl.String).cast(pl.Enum([c for c in values.dtype.categories.to_list() if c in used]))

    def put(self, frame: Any, name: str, values: Any) -> Any:
        return frame.with_columns(values.alias(name))

    def build(self, made: Mapping[str, Any]) -> Any:
        import polars as pl

        return pl.DataFrame({name: values.alias(name) for name, values in made.items()})


def take_arrow_rows(frame: Any, positions: NDArray[np.int64]) -> Any:
    """Take rows. pyarrow cannot take from string views, so they are converted to plain strings and back."""
    import pyarrow as pa

    views = [field for field in frame.schema if pa.types.is_string_view(field.type)]
    if not views:
        return frame.take(positions)
    plain = frame.schema
    for field in views:
        plain = plain.set(plain.get_field_index(field.name), field.with_type(pa.large_string()))
    return frame.cast(plain).take(positions).cast(frame.schema)


class _Arrow:
    def encode(self, values: Any) -> Encoded:
        import pyarrow as pa
        import pyarrow.compute as pc

        if pa.types.is_null(values.type):
            return Encoded(np.full(len(values), -1, dtype=np.int32), list, False)
        is_listed = pa.types.is_dictionary(values.type)
        if not is_listed:
            try:
                values = values.dictionary_encode()
            except NotImplementedError:
                raise TypeError from None
        codes = [np.zeros(0, dtype=np.int32)]
        dictionaries: list[Any] = []
        start = 0
        for chunk in values.chunks:
            # Each chunk may have its own dictionary.
            if not dictionaries or not chunk.dictionary.equals(dictionaries[-1]):
                start = sum(map(len, dictionaries))
                dictionaries.append(chunk.dictionary)
            own = chunk.indices.cast(pa.int32()).fill_null(-1).to_numpy()
            codes.append(np.where(own < 0, own, own + np.int32(start)) if start else own)
        joined = np.concatenate(codes)
        if is_listed or len(dictionaries) != 1:
            return Encoded(joined, lambda: [cell for part in dictionaries for cell in part.to_pylist()], False)
        if pa.types.is_floating(dictionaries[0].type) and pc.is_nan(dictionaries[0]).to_numpy(False).any():
            return Encoded(joined, dictionaries[0].to_pylist, False)
        return Encoded.in_order(joined, dictionaries[0])

    def make(self, own: Any, target: str, cells: Sequence[object]) -> Any:
        import pyarrow as pa

        types = {"own": own, "integer": pa.int64(), "float": pa.float64(), "boolean": pa.bool_(), "text": pa.string()}
        return pa.array(cells, type=types.get(target))

    def take(self, made: Any, codes: NDArray[Any]) -> Any:
        import pyarrow as pa

        # In blocks, because an array of text holds at most 2 GiB.
        blocks = [codes[start : start + (1 << 20)] for start in range(0, len(codes), 1 << 20)]
        array = made.cast(pa.large_string()) if pa.types.is_string_view(made.type) else made
        return pa.chunked_array([array.take(pa.array(block)).cast(made.type) for block in blocks], type=made.type)

    def replace(self, values: Any, cells: Sequence[object], codes: NDArray[Any], keep: Keep) -> Any:
        import pyarrow as pa
        import pyarrow.compute as pc

        own = values.type
        if pa.types.is_dictionary(own):
            return self._recategorise(values, cells, codes, keep)
        made, _ = fit_cells(_family(values), cells, partial(self.make, own))
        taken = self.take(made, codes)
        if pa.types.is_floating(taken.type) and pa.types.is_floating(own) and None in cells:
            was_nan = pc.fill_null(pc.is_nan(values), False)
            return pc.if_else(pc.and_(pc.is_null(taken), was_nan), values.cast(taken.type), taken)
        return taken

    def _recategorise(self, values: Any, cells: Sequence[object], codes: NDArray[Any], keep: Keep) -> Any:
        import pyarrow as pa

        own = values.type
        listed = dict.fromkeys(plain_cell(cell) for chunk in values.chunks for cell in chunk.dictionary.to_pylist())
        listed.pop(None, None)
        family = _family(pa.chunked_array([], type=own.value_type))
        made, recode, gained = extend_categories(self, own.value_type, family, list(listed), cells, keep)
        codes = recode[codes]
        # A narrow index type may be too small for the new categories.
        narrow = len(made) > np.iinfo(own.index_type.to_pandas_dtype()).max
        index = pa.array(codes, mask=codes < 0).cast(pa.int32() if narrow else own.index_type, safe=False)
        ordered = own.ordered and not gained
        return pa.chunked_array([pa.DictionaryArray.from_arrays(index, made.combine_chunks(), ordered=ordered)])

    def tidy(self, values: Any) -> Any:
        import pyarrow as pa

        one = values.unify_dictionaries().combine_chunks()
        one = one if isinstance(one, pa.DictionaryArray) else one.chunk(0)
        index, listed = one.indices, one.dictionary
        used = np.unique(index.drop_null().to_numpy())
        if not values.type.ordered:
            used = used[alphabetical(listed.take(pa.array(used)).to_pylist())]
        recode = np.full(len(listed) + 1, -1, dtype=np.int64)
        recode[used] = np.arange(len(used))
        codes = recode[index.cast(pa.int64()).fill_null(len(listed)).to_numpy()]
        fresh = pa.array(codes, mask=codes < 0).cast(index.type)
        return pa.chunked_array(
            [pa.DictionaryArray.from_arrays(fresh, listed.take(pa.array(used)), ordered=values.type.ordered)]
        )

    def put(self, frame: Any, name: str, values: Any) -> Any:
        position = frame.column_names.index(name)
        field = frame.schema.field(position).with_type(values.type)
        # polars stores the former categories in this metadata.
        about = {key: note for key, note in (field.metadata or {}).items() if not key.startswith(b"_PL_")}
        field = field.with_metadata(about or None).with_nullable(field.nullable or values.null_count > 0)
        return frame.set_column(position, field, values)

    def build(self, made: Mapping[str, Any]) -> Any:
        import pyarrow as pa

        return pa.table(dict(made))


BACKENDS: dict[str, _Backend] = {"pandas": _Pandas(), "polars": _Polars(), "pyarrow": _Arrow()}
