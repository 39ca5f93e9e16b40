"""Decimal commas and thousands separators in delimited files: which columns have them, and conversion to and fro."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any, Literal, get_args

from ontomask.microdata.backends import polars_column

__all__ = ["THOUSANDS", "Thousands", "number_columns", "with_commas", "with_points"]

Thousands = Literal[",", ".", " ", "'"]
THOUSANDS = get_args(Thousands)
"""The marks that can separate thousands. A blank may be a non-breaking one, and an apostrophe a typographic one."""

_MARKS = {",": ",", ".": r"\.", " ": "[ \u00a0\u2009\u202f]", "'": "['\u2019]"}
_POINT = r"^\s*[+-]?\d+\.\d+(?:[eE][+-]?\d+)?\s*$"


def _number(whole: str, decimals: str) -> str:
    """The pattern of a number, from those of its digits before and after the decimal mark."""
    return rf"^\s*[+-]?{whole}{decimals}(?:[eE][+-]?\d+)?\s*$"


def _patterns(decimal: str, thousands: str | None) -> tuple[str, str]:
    """The pattern of any number, and that of one with a decimal comma or a thousands separator."""
    after = rf"{_MARKS[decimal]}\d+"
    grouped = rf"\d{{1,3}}(?:{_MARKS[thousands]}\d{{3}})+" if thousands else ""
    whole = rf"(?:{grouped}|\d+)" if grouped else r"\d+"
    marked = [_number(grouped, f"(?:{after})?")] if grouped else []
    marked += [_number(whole, after)] if decimal == "," else []
    return _number(whole, f"(?:{after})?"), "|".join(marked)


def number_columns(frame: Any, decimal: str = ",", thousands: str | None = None) -> list[str]:
    """The text columns of a polars frame that hold numbers, at least one with a decimal comma or separated thousands.

    All cells with digits must be numbers: tokens for missing cells are ignored, and lists of codes are not mistaken for
    numbers.

    >>> import polars as pl
    >>> frame = pl.DataFrame({"cost": ["1,234.5", "7", "?"], "codes": ["250,401", "250", "1,2"]})
    >>> number_columns(frame, ".", ",")
    ['cost']
    """
    import polars as pl

    any_number, marked = _patterns(decimal, thousands)
    texts = [name for name, dtype in frame.schema.items() if dtype == pl.String]
    return [
        name
        for name in texts
        if marked
        and (column := polars_column(frame, name).unique()).str.contains(marked).any()
        and column.filter(column.str.contains(r"\d")).str.contains(any_number).all()
    ]


def with_points(frame: Any, columns: Collection[str], decimal: str = ",", thousands: str | None = None) -> Any:
    """Write the numbers of text columns with a decimal point, and without a mark between thousands."""
    marked = _patterns(decimal, thousands)[1]
    for name in columns:
        texts = polars_column(frame, name)
        plain = texts.str.replace_all(_MARKS[thousands], "") if thousands else texts
        plain = plain.str.replace(",", ".", literal=True) if decimal == "," else plain
        frame = _replace(frame, name, texts, plain, marked)
    return frame


def with_commas(frame: Any, columns: Collection[str]) -> Any:
    """Replace the decimal point by a comma in text columns."""
    import polars as pl

    for name in columns:
        if frame.schema.get(name) == pl.String:
            texts = polars_column(frame, name)
            frame = _replace(frame, name, texts, texts.str.replace(".", ",", literal=True), _POINT)
    return frame


def _replace(frame: Any, name: str, texts: Any, changed: Any, pattern: str) -> Any:
    """Replace the cells that match a pattern."""
    is_number = texts.str.contains(pattern).fill_null(False)
    return frame.with_columns(changed.zip_with(is_number, texts).alias(name))
