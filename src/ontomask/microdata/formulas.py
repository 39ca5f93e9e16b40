"""Escape cells that a spreadsheet would run as formulas, and read them back.

A spreadsheet runs a cell that begins with ``=``, ``+``, ``-`` or ``@`` as a formula, also after white space and in
full-width characters. An apostrophe in front makes it text. Plain numbers are not escaped. A cell that already has
apostrophes before such a character gets one more, so that reading back loses nothing.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, get_args

if TYPE_CHECKING:
    import polars as pl

__all__ = ["FORMULAS", "Formulas", "escape_formulas", "unescape_formulas"]

Formulas = Literal["escape", "as_is"]
FORMULAS = get_args(Formulas)

_FORMULA = "^'*(?:\\s*[=+\\-@\uff1d\uff0b\uff0d\uff20]|[\\t\\r\\n])"
_NUMBER = r"^ *[+\-]?[\d.,]*(?:[eE][+\-]?\d+)? *%? *$"
_ESCAPED = f"^'{_FORMULA[1:]}"


def escape_formulas(frame: pl.DataFrame) -> tuple[pl.DataFrame, int]:
    """Escape cells and column names that look like formulas. Returns the table and how many were escaped.

    >>> import polars as pl
    >>> escaped, number = escape_formulas(pl.DataFrame({"=A1": ["+1+2", "-3", "a=b", "'@x"]}))
    >>> escaped.to_dict(as_series=False), number
    ({"'=A1": ["'+1+2", '-3', 'a=b', "''@x"]}, 3)
    """
    import polars as pl

    number, made = 0, []
    for name in _texts(frame):
        column = frame[name].cast(pl.String)
        formula = (column.str.contains(_FORMULA) & ~column.str.contains(_NUMBER)).fill_null(False)
        if formula.any():
            number += int(formula.sum())
            made.append(pl.select(pl.when(formula).then("'" + column).otherwise(column).alias(name)).to_series())
    names = pl.Series(frame.columns, dtype=pl.String)
    formula = names.str.contains(_FORMULA)
    headers = [f"'{name}" if is_formula else name for name, is_formula in zip(names, formula, strict=True)]
    return _renamed(frame.with_columns(made), headers), number + int(formula.sum())


def unescape_formulas(frame: pl.DataFrame) -> pl.DataFrame:
    """Undo `escape_formulas`."""
    import polars as pl

    made = []
    for name in _texts(frame):
        column = frame[name].cast(pl.String)
        escaped = column.str.contains(_ESCAPED).fill_null(False)
        if escaped.any():
            plain = column.str.slice(1)
            made.append(pl.select(pl.when(escaped).then(plain).otherwise(column).alias(name)).to_series())
    names = pl.Series(frame.columns, dtype=pl.String)
    return _renamed(
        frame.with_columns(made),
        [name[1:] if escaped else name for name, escaped in zip(names, names.str.contains(_ESCAPED), strict=True)],
    )


def _texts(frame: pl.DataFrame) -> list[str]:
    import polars as pl

    return [name for name, dtype in frame.schema.items() if dtype in (pl.String, pl.Categorical, pl.Enum)]


def _renamed(frame: pl.DataFrame, names: list[str]) -> pl.DataFrame:
    renamed = frame.clone()
    renamed.columns = names
    return renamed
