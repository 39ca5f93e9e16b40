"""Escape cells that a spreadsheet would run as formulas, and read them back.

A spreadsheet runs a cell that begins with ``=``, ``+``, ``-`` or ``@`` as a formula, also after white space and in
full-width characters. An apostrophe in front makes it text. Plain numbers are not escaped. A cell that already has
apostrophes before such a character gets one more, so that reading back loses nothing.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import TYPE_CHECKING, Literal, get_args

from ontomask.engines.base import Escape
from ontomask.microdata.backends import polars_column

if TYPE_CHECKING:
    import polars as pl

__all__ = ["ESCAPE", "FORMULAS", "Formulas", "escape_formulas", "unescape_formulas"]

Formulas = Literal["escape", "as_is"]
FORMULAS = get_args(Formulas)

_FORMULA = "^'*(?:\\s*[=+\\-@\uff1d\uff0b\uff0d\uff20]|[\\t\\r\\n])"
_NUMBER = r"^ *[+\-]?[\d.,]*(?:[eE][+\-]?\d+)? *%? *$"
_ESCAPED = f"^'{_FORMULA[1:]}"


ESCAPE = Escape(_FORMULA, _NUMBER, lambda name: f"'{name}" if re.match(_FORMULA, name) else name)
"""The same for engines."""


def escape_formulas(frame: pl.DataFrame) -> tuple[pl.DataFrame, int]:
    """Escape cells and column names that look like formulas. Returns the table and how many were escaped.

    >>> import polars as pl
    >>> escaped, number = escape_formulas(pl.DataFrame({"=A1": ["+1+2", "-3", "a=b", "'@x"]}))
    >>> escaped.to_dict(as_series=False), number
    ({"'=A1": ["'+1+2", '-3', 'a=b', "''@x"]}, 3)
    """
    return _rewrite(frame, _FORMULA, lambda texts: "'" + texts)


def unescape_formulas(frame: pl.DataFrame) -> pl.DataFrame:
    """Undo `escape_formulas`."""
    return _rewrite(frame, _ESCAPED, lambda texts: texts.str.slice(1))[0]


def _rewrite(frame: pl.DataFrame, pattern: str, change: Callable[[pl.Series], pl.Series]) -> tuple[pl.DataFrame, int]:
    """Change the cells and column names that match a pattern, except cells that are numbers. Returns how many."""
    import polars as pl
    import polars.selectors as cs

    number, made = 0, []
    for name in frame.select(cs.string() | cs.categorical() | cs.enum()).columns:
        texts = polars_column(frame, name).cast(pl.String)
        # Digits and letters begin no formula, and comparing texts is faster than searching for a pattern.
        others = texts.filter((texts < "0") | ((texts >= ":") & (texts < "A")) | (texts >= "\x7f"))
        if others.unique().str.contains(pattern).any():
            matches = (texts.str.contains(pattern) & ~texts.str.contains(_NUMBER)).fill_null(False)
            if matches.any():
                number += int(matches.sum())
                made.append(change(texts).zip_with(matches, texts).alias(name))
    names = pl.Series(frame.columns, dtype=pl.String)
    matches = names.str.contains(pattern)
    rewritten = frame.with_columns(made)
    rewritten.columns = change(names).zip_with(matches, names).to_list()
    return rewritten, number + int(matches.sum())
