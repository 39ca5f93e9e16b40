"""The column that identifies the rows of a table in an engine."""

from __future__ import annotations

from ontomask.errors import TableError

__all__ = ["check_key", "check_unique"]


def check_key(key: str | None, table: str, *, is_usable: bool) -> str:
    """The name of the key column. It must be named, and hold integers or texts."""
    if key is None:
        raise TableError(
            f"The rows of a {table} have no order, so a column must identify them. Name it with key=.",
            parameter="key",
            code="no-key",
        )
    if not is_usable:
        raise TableError(
            f"The key must be a column of integers or texts, and {key!r} is none. Name another with key=.",
            column=key,
            parameter="key",
            code="no-key",
        )
    return key


def check_unique(key: str, rows: int, present: int, distinct: int) -> None:
    """Refuse a key with missing or equal cells."""
    if distinct < rows:
        raise TableError(
            f"The column {key!r} does not identify the {rows:,} rows: it has {distinct:,} distinct values, and "
            f"{rows - present:,} cells are missing. Name another column with key=.",
            column=key,
            parameter="key",
            code="key-not-unique",
        )
