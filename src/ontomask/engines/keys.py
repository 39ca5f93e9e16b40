"""The column that identifies the rows of a table in an engine."""

from __future__ import annotations

from collections.abc import Iterable

from ontomask.errors import TableError

__all__ = ["check_key", "check_size", "check_unique"]


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


def check_size(key: str, bounds: Iterable[int | None]) -> None:
    """Refuse a key whose least or greatest integer needs more than 64 bits with a sign."""
    if any(bound is not None and not -(2**63) <= bound < 2**63 for bound in bounds):
        raise TableError(
            f"The column {key!r} has integers of more than 64 bits with a sign. Give the key as texts.",
            column=key,
            parameter="key",
            code="key-too-large",
        )
