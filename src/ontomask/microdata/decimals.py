"""Decimal commas: which columns of a delimited file have them, and how they become points and commas again."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

from ontomask.base.text import COMMA_NUMBER
from ontomask.microdata.backends import polars_column

__all__ = ["comma_columns", "with_commas", "with_points"]

_POINT = r"^\s*[+-]?\d+\.\d+(?:[eE][+-]?\d+)?\s*$"
_WHOLE = r"^\s*[+-]?\d+\s*$"


def comma_columns(frame: Any) -> list[str]:
    """The text columns of a polars frame with a decimal comma in some cell, and with no other cells that have digits.

    So a token for a missing cell does not make a column of numbers one of texts, and a list of codes is left alone.
    """
    import polars as pl

    texts = [name for name, dtype in frame.schema.items() if dtype == pl.String]
    return [
        name
        for name in texts
        if (column := polars_column(frame, name).unique()).str.contains(COMMA_NUMBER).any()
        and column.filter(column.str.contains(r"\d")).str.contains(f"{COMMA_NUMBER}|{_WHOLE}").all()
    ]


def with_points(frame: Any, columns: Collection[str]) -> Any:
    """The numbers in columns of texts with a decimal point instead of a comma."""
    return _exchange(frame, columns, COMMA_NUMBER, ",", ".")


def with_commas(frame: Any, columns: Collection[str]) -> Any:
    """The numbers in columns of texts with a decimal comma instead of a point."""
    return _exchange(frame, columns, _POINT, ".", ",")


def _exchange(frame: Any, columns: Collection[str], number: str, old: str, new: str) -> Any:
    import polars as pl

    made = []
    for name in columns:
        if frame.schema.get(name) == pl.String:
            text = polars_column(frame, name)
            is_number = text.str.contains(number).fill_null(False)
            made.append(text.str.replace(old, new, literal=True).zip_with(is_number, text).alias(name))
    return frame.with_columns(made)
