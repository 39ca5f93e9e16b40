"""What a table has besides its columns: an index, attributes, schema metadata. None of it has a role.

An index can identify persons, so a custom index is an error. Metadata is dropped: a description of a column can quote
records, and a released file must hold only its columns.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ontomask.base.notes import Note
from ontomask.errors import TableError
from ontomask.microdata import frames

__all__ = ["check_index", "dropped_metadata", "find_metadata", "is_custom_metadata", "strip_metadata"]

# Prefixes of metadata that libraries write themselves, to describe types.
_STRUCTURAL = (b"pandas", b"ARROW:", b"_PL_")


def check_index(frame: Any) -> None:
    """Reject a pandas table with a custom index, which may identify persons and has no role.

    >>> import pandas as pd
    >>> check_index(pd.DataFrame({"job": ["clerk"]}, index=[7]))
    Traceback (most recent call last):
    ontomask.errors.TableError: The table has a custom index, ...
    """
    if frames.kind(frame) != "pandas" or _is_default(frame.index):
        return
    named = [str(name) for name in frame.index.names if name is not None]
    called = f" ({', '.join(map(repr, named))})" if named else ""
    raise TableError(
        f"The table has a custom index{called}, and an index has no role. A filtered table has one too: its labels "
        f"show which rows were left out. Remove it with frame.reset_index(drop=True), or make it a column with "
        f"frame.reset_index() and give that column a role.",
        values=named,
        code="custom-index",
    )


def _is_default(index: Any) -> bool:
    """Whether an index only numbers the rows from 0."""
    if index.nlevels > 1 or index.name is not None:
        return False
    if len(index) == 0:
        return True
    return index.dtype.kind in "iu" and bool((index.to_numpy() == np.arange(len(index))).all())


def find_metadata(frame: Any) -> tuple[str, ...]:
    """Names of the kinds of metadata that a table has, without those that only describe types."""
    kind = frames.kind(frame)
    if kind == "pandas":
        found = {"attributes of the frame (attrs)": frame.attrs, "the name of the column index": frame.columns.name}
    elif kind == "pyarrow":
        about = [key for field in frame.schema for key in field.metadata or {}]
        found = {
            "schema metadata": any(map(is_custom_metadata, frame.schema.metadata or {})),
            "column metadata": any(map(is_custom_metadata, about)),
        }
    else:
        return ()
    return tuple(what for what, value in found.items() if value)


def is_custom_metadata(key: bytes) -> bool:
    """Whether a metadata key was written by a user, not by a library."""
    return not key.startswith(_STRUCTURAL)


def strip_metadata(frame: Any) -> Any:
    """The same columns without metadata. The given table does not change."""
    kind = frames.kind(frame)
    if kind == "pandas":
        return _strip_pandas(frame)
    return _strip_arrow(frame) if kind == "pyarrow" else frame


def _strip_pandas(frame: Any) -> Any:
    import pandas as pd

    plain = isinstance(frame.index, pd.RangeIndex) and _is_default(frame.index) and type(frame.columns) is pd.Index
    if plain and not find_metadata(frame):
        return frame
    stripped = frame.copy(deep=False)
    stripped.attrs = {}
    stripped.index = pd.RangeIndex(len(frame))
    # A categorical column index would still list names of removed columns.
    stripped.columns = pd.Index(list(frame.columns))
    return stripped


def _strip_arrow(frame: Any) -> Any:
    import pyarrow as pa

    schema = pa.schema([_bare_field(field) for field in frame.schema])
    # A nested type holds metadata of its own fields.
    columns = [
        column if column.type.equals(field.type, check_metadata=True) else column.cast(field.type)
        for column, field in zip(frame.columns, schema, strict=True)
    ]
    return pa.Table.from_arrays(columns, schema=schema)


def _bare_field(field: Any) -> Any:
    import pyarrow as pa

    return pa.field(field.name, _bare_type(field.type), field.nullable)


def _bare_type(type_: Any) -> Any:
    import pyarrow as pa

    if pa.types.is_struct(type_):
        return pa.struct([_bare_field(field) for field in type_])
    if pa.types.is_map(type_):
        return pa.map_(_bare_field(type_.key_field), _bare_field(type_.item_field), type_.keys_sorted)
    if pa.types.is_fixed_size_list(type_):
        return pa.list_(_bare_field(type_.value_field), type_.list_size)
    if pa.types.is_list(type_):
        return pa.list_(_bare_field(type_.value_field))
    if pa.types.is_large_list(type_):
        return pa.large_list(_bare_field(type_.value_field))
    return type_


def dropped_metadata(kinds: Sequence[str]) -> Note:
    """A note on the metadata that is not released."""
    return Note.of(
        "metadata-dropped",
        "The table has metadata, which is dropped because it has no role: {kinds}.",
        kinds=", ".join(kinds),
    )
