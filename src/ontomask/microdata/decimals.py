"""Decimal commas in delimited files: which columns have them, and conversion to points and back."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

from ontomask.base.text import COMMA_NUMBER
from ontomask.microdata.backends import polars_column

__all__ = ["comma_columns", "with_commas", "with_points"]

_POINT = r"^\s*[+-]?\d+\.\d+(?:[eE][+-]?\d+)?\s*$"
_INTEGER = r"^\s*[+-]?\d+\s*$"


def comma_columns(frame: Any) -> list[str]:
    """The text columns of a polars frame whose cells with digits are numbers, at least one with a decimal comma.

    Tokens for missing cells are ignored, and lists of codes are not mistaken for numbers.
    """
    import polars as pl

    texts = [name for name, dtype in frame.schema.items() if dtype == pl.String]
    return [
        name
        for name in texts
        if (column := polars_column(frame, name).unique()).str.contains(COMMA_NUMBER).any()
        and column.filter(column.str.contains(r"\d")).str.contains(f"{COMMA_NUMBER}|{_INTEGER}").all()
    ]


def with_points(frame: Any, columns: Collection[str]) -> Any:
    """Replace the decimal comma by a point in text columns."""
    return _replace_mark(frame, columns, COMMA_NUMBER, ",", ".")


def with_commas(frame: Any, columns: Collection[str]) -> Any:
    """Replace the decimal point by a comma in text columns."""
    return _replace_mark(frame, columns, _POINT, ".", ",")


def _replace_mark(frame: Any, columns: Collection[str], number: str, old: str, new: str) -> Any:
    import polars as pl

    made = []
    for name in columns:
        if frame.schema.get(name) == pl.String:
            text = polars_column(frame, name)
            is_number = text.str.contains(number).fill_null(False)
            made.append(text.str.replace(old, new, literal=True).zip_with(is_number, text).alias(name))
    return frame.with_columns(made)
