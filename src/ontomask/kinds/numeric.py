"""Numeric columns: numbers whose distances are shares of their range."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from functools import cached_property
from typing import Any, ClassVar, Literal

import numpy as np
from numpy.typing import NDArray

from ontomask.base.text import cell_text, is_comma_number, read_number
from ontomask.errors import Setting, TableError
from ontomask.kinds.base import Column, Release
from ontomask.kinds.ordered import OrderedColumn, OrderedKind
from ontomask.operators.line import NumericSpace

__all__ = ["Numeric", "NumericColumn"]

# A float does not distinguish all integers beyond this.
_EXACT = 2**53

_NUMBER = r"\s*(-?\d+(?:\.\d+)?)\s*"
_INTERVAL = re.compile(rf"\s*[\[(\]]?{_NUMBER}(?:;|-|–|\.\.){_NUMBER}[\])\[]?\s*")
# A comma between two numbers divides an interval only inside brackets: 20,5 is one number in many countries.
_IN_BRACKETS = re.compile(rf"\s*[\[(\]]{_NUMBER},{_NUMBER}[\])\[]\s*")


@dataclass(frozen=True)
class Numeric(OrderedKind):
    """A column of numbers. Distances are shares of the range; ``centre`` says what a group of numbers becomes.

    A mean is rounded to as many decimals as the column has, so that integers stay integers.
    """

    name: ClassVar[str] = "numeric"
    values_in_words: ClassVar[str] = "numbers"
    mismatch: ClassVar[str] = "not finite numbers, or too large to be exact"

    weight: float = 1.0
    centre: Literal["mean", "median"] = "mean"

    def __post_init__(self) -> None:
        self.check_weight()
        if self.centre not in ("mean", "median"):
            raise TableError(
                f"The 'centre' of Numeric must be 'mean' or 'median'. Got {self.centre!r} instead.", parameter="centre"
            )

    def mismatches(self, texts: Iterable[str]) -> list[str]:
        """The texts that are not finite numbers, or too large to be exact."""
        return [text for text in texts if not _is_exact(read_number(text))]

    def _encode_texts(self, name: str, texts: Sequence[str | None], **parts: Any) -> Column:
        hint = ["Declare tokens for missing cells in ", Setting("policies", "missing_tokens"), ", or another kind."]
        if any(text is not None and is_comma_number(text) for text in texts):
            decimal = Setting("input", "decimal", values=[","])
            hint += [" Some have a decimal comma: read the table with ", decimal, "."]
        self._check_texts(name, texts, *hint)
        point = np.array([read_number(text or "") for text in texts], dtype=np.float64)
        decimals = max(_decimals(number) for number in point.tolist())
        low, high = float(np.nanmin(point)), float(np.nanmax(point))
        return NumericColumn(name, self, point=point, low=low, high=high, decimals=decimals, **parts)


def _is_exact(number: float | None) -> bool:
    return number is not None and math.isfinite(number) and abs(number) <= _EXACT


def _decimals(number: float) -> int:
    """The number of decimal places."""
    if math.isnan(number) or number.is_integer():
        return 0
    return max(0, -int(Decimal(repr(number)).normalize().as_tuple().exponent))


@dataclass(frozen=True, eq=False, repr=False)
class NumericColumn(OrderedColumn):
    """Numbers; ``decimals`` is the greatest number of decimal places in the data."""

    kind: Numeric
    low: float
    high: float
    decimals: int

    @cached_property
    def space(self) -> NumericSpace:
        """Numbers on a line."""
        return NumericSpace(self.low, self.high, self.kind.weight, self.kind.centre)

    @property
    def holds_integers(self) -> bool:
        """Whether no number has decimals."""
        return self.decimals == 0

    def key(self, point: Any) -> float:
        """The number."""
        return float(point)

    def points_of_keys(self, keys: Sequence[Any]) -> NDArray[Any]:
        """The numbers."""
        return np.asarray(keys, dtype=np.float64)

    def release(self, spellings: Mapping[Any, object]) -> NumericRelease:  # noqa: ARG002
        """Numbers in the style of the data."""
        return NumericRelease(self)

    def meanings(self, text: str) -> Iterator[float]:
        """The number that the text is."""
        number = read_number(text)
        return iter(() if number is None else (number,))

    def middle(self, text: str) -> float | None:
        """The middle of an interval such as ``[20, 30)`` or ``20-30``."""
        interval = _INTERVAL.fullmatch(text) or _IN_BRACKETS.fullmatch(text)
        if not interval or float(interval[1]) > float(interval[2]):
            return None
        return (float(interval[1]) + float(interval[2])) / 2


class NumericRelease(Release):
    """Numbers rounded to the decimals of the data; integers stay integers.

    Where the data hold numbers as text, all are written in the commoner of two styles: with a fixed number of decimals
    (``2.50``) or without trailing zeros (``2.5``). A rare spelling of a number would point to its record.
    """

    _column: NumericColumn

    def __init__(self, column: NumericColumn) -> None:
        super().__init__(column)
        live = column.live
        self._cells = {float(column.point[i]): column.cells[i] for i in reversed(live)}
        self._is_text = any(isinstance(column.cells[i], str) for i in live)
        self._fixed = self._is_text and self._mostly_fixed(live)

    def _mostly_fixed(self, live: Sequence[int]) -> bool:
        column, votes = self._column, 0
        for i in live:
            fixed, short = (_format(float(column.point[i]), column.decimals, style) for style in (True, False))
            text = cell_text(column.cells[i])
            votes += int(column.counts[i]) * ((text == fixed) - (text == short))
        return votes > 0

    def _rounded(self, value: float) -> float:
        return value if value in self._cells else round(value, self._column.decimals)

    def cell(self, point: Any) -> object:
        """The number, rounded to the data's decimals."""
        decimals = self._column.decimals
        value = self._rounded(float(point))
        if self._is_text:
            return _format(value, decimals, self._fixed)
        return self._cells.get(value, int(value) if decimals == 0 else value)

    def find(self, text: str) -> float | None:
        """The number that the text is."""
        number = read_number(text)
        return number if number is not None and math.isfinite(number) else None

    def released(self, points: NDArray[Any]) -> NDArray[Any]:
        """The numbers, rounded to the data's decimals."""
        return np.array([self._rounded(float(point)) for point in points], dtype=np.float64) + 0.0


def _format(value: float, decimals: int, fixed: bool) -> str:
    """A number as text, with all decimals or without trailing zeros.

    >>> _format(2.5, 2, fixed=True), _format(2.5, 2, fixed=False), _format(3.0, 2, fixed=False)
    ('2.50', '2.5', '3')
    """
    text = format(value + 0.0, f".{decimals}f")  # no sign on a zero
    return text if fixed or "." not in text else text.rstrip("0").rstrip(".")
