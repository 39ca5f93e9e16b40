"""Numeric columns: numbers whose distances are shares of their spread."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from decimal import ROUND_CEILING, ROUND_FLOOR, Decimal
from functools import cached_property
from typing import Any, ClassVar, Literal

import numpy as np
from numpy.typing import NDArray

from ontomask.base.frozen import set_fields
from ontomask.base.text import cell_text, is_comma_number, is_grouped_number, read_number
from ontomask.errors import LISTED, Setting, TableError
from ontomask.kinds.grids import check_grid, read_grid
from ontomask.kinds.intervals import (
    Bounds,
    Edges,
    aligned_intervals,
    check_intervals,
    intervals_between,
    read_bounds,
    round_width,
    widths_for,
)
from ontomask.kinds.ordered import OrderedRelease
from ontomask.kinds.public import LineDomain, PublicDomain, grid_points
from ontomask.kinds.scales import Scale, ScaledColumn, ScaledKind
from ontomask.operators.ranges import ends_of, make_ranges
from ontomask.operators.space import Points

__all__ = ["Numeric", "NumericColumn"]

# A float does not distinguish all integers beyond this.
_EXACT = 2**53
# Numbers with up to this many steps of their decimals can be distinguished safely, also after some arithmetic.
_STEPS = 10**14
_WIDTH = "±"
_STARRED = re.compile(r"(\d+)(\*+)", re.ASCII)
_BRACKETS = ("{", "[", "(")


@dataclass(frozen=True)
class Numeric(ScaledKind):
    """A column of numbers.

    Parameters
    ----------
    weight
        The attribute's weight in distances between records.
    centre
        What a group of numbers becomes: the ``mean``, rounded to as many decimals as the column has, so that integers
        stay integers; or the lower ``median``.
    intervals
        What numbers are generalised to. A list of edges: the first interval goes from the first edge to below the
        second, and wider levels merge neighbours. Or several such lists, from narrow to wide, whose intervals nest.
        Every value must lie between the first and the last edge. By default intervals are built from the data, with
        round ends. Above all intervals is a cell that may be any number.
    top
        The text for a cell that may be any value; by default ``*``.
    scale
        What distances are divided by: two standard deviations (``sd``), 1.5 interquartile ranges (``iqr``), or the
        ``range``. With ``range`` no distance is above 1, but a single outlier makes all other distances small. With the
        others, distances may be above 1. ``*`` is at distance 1 from every number in any case.
    grid
        The numbers that the column can be released as, where a method needs a public domain (`MetricPrivacy`): the
        lowest, the highest and the step, such as ``[0, 120, 5]``. State it without looking at the data.

    Examples
    --------
    >>> import ontomask as om, pandas as pd
    >>> frame = pd.DataFrame({"age": [17, 19, 34, 38, 61, 90]})
    >>> data = om.Microdata(frame, {"age": om.Numeric(intervals=[0, 18, 40, 65, 120])})
    >>> om.Generalisation(k=2, mode="full_domain").mask(data).frame["age"].tolist()
    ['0-39', '0-39', '0-39', '0-39', '40-119', '40-119']
    """

    name: ClassVar[str] = "numeric"
    values_in_words: ClassVar[str] = "numbers"
    mismatch: ClassVar[str] = "not finite numbers, or too large to be exact"

    weight: float = 1.0
    centre: Literal["mean", "median"] = "mean"
    intervals: Sequence[float] | Sequence[Sequence[float]] | None = None
    top: str | None = None
    scale: Scale = "sd"
    grid: Sequence[float] | None = None

    def __post_init__(self) -> None:
        super().__post_init__()
        set_fields(self, intervals=check_intervals(self.intervals), grid=check_grid(self.grid))

    def mismatches(self, texts: Iterable[str]) -> list[str]:
        """The texts that are not finite numbers, or too large to be exact."""
        return [text for text in texts if not _is_exact(read_number(text))]

    def _encode_texts(self, name: str, texts: Sequence[str | None], **parts: Any) -> NumericColumn:
        hint = ["Declare tokens for missing cells in ", Setting("policies", "missing_tokens"), ", or another kind."]
        if any(text is not None and is_comma_number(text) for text in texts):
            decimal = Setting("input", "decimal", values=[","])
            hint += [" Some have a decimal comma: read the table with ", decimal, "."]
        if any(text is not None and is_grouped_number(text) and read_number(text) is None for text in texts):
            hint += [" Some have a mark between thousands: say which in ", Setting("input", "thousands"), "."]
        self._check_texts(name, texts, *hint)
        point = np.array([read_number(text or "") for text in texts], dtype=np.float64)
        self._check_inside(name, texts, point)
        decimals = max(_decimals(number) for number in point.tolist())
        return NumericColumn(name, self, point=point, decimals=decimals, **self._spread(texts, point, parts), **parts)

    def _check_inside(self, name: str, texts: Sequence[str | None], point: NDArray[np.float64]) -> None:
        """Raise an error if values lie outside the given intervals."""
        edges = self.edges
        outside = [] if edges is None else [t for t, x in zip(texts, point, strict=True) if _is_outside(x, edges[0])]
        if outside:
            raise TableError(
                f"{len(outside):,} distinct values of the column {name!r} lie outside its intervals. The first edge "
                f"must not be above the smallest value, and the last must be above the largest: extend ",
                Setting("columns", name, "intervals"),
                ". ",
                LISTED,
                column=name,
                parameter="intervals",
                values=[text or "" for text in outside],
            )

    @property
    def edges(self) -> Edges | None:
        """The given intervals, level by level."""
        return self.intervals  # type: ignore[return-value]


def _is_exact(number: float | None) -> bool:
    return number is not None and math.isfinite(number) and abs(number) <= _EXACT


def _is_outside(number: float, edges: Sequence[float]) -> bool:
    return number < edges[0] or number >= edges[-1]


def _decimals(number: float) -> int:
    """The number of decimal places."""
    if math.isnan(number) or number.is_integer():
        return 0
    return max(0, -int(Decimal(repr(number)).normalize().as_tuple().exponent))


@dataclass(frozen=True, eq=False, repr=False)
class NumericColumn(ScaledColumn):
    """Numbers; ``decimals`` is the largest number of decimal places in the data."""

    kind: Numeric
    decimals: int

    @property
    def holds_integers(self) -> bool:
        """Whether no number has decimals."""
        return self.decimals == 0

    @cached_property
    def has_steps(self) -> bool:
        """Whether floats can distinguish all numbers of these decimals.

        Then ``[30, 40)`` means the numbers from 30 to 39.9, if the column has one decimal. Otherwise it is not known
        whether the end of an interval belongs to it, and intervals are released with both ends.
        """
        return self.decimals <= 14 and max(abs(self.low), abs(self.high)) * 10**self.decimals <= _STEPS

    @cached_property
    def _widths(self) -> list[Decimal]:
        return widths_for(self.values, Decimal(1).scaleb(-self.decimals) if self.has_steps else Decimal(0))

    def _ends(self, points: Points) -> list[tuple[NDArray[np.float64], NDArray[np.float64]]]:
        """The ends of the intervals of points, level by level."""
        edges = self.kind.edges
        if edges is None:
            return [aligned_intervals(points, width) for width in self._widths]
        return [intervals_between(points, level) for level in edges]

    def _ranges(self, points: Points) -> list[Points]:
        return [self._closed(low, high) for low, high in self._ends(points)]

    def _closed(self, low: NDArray[np.float64], high: NDArray[np.float64]) -> Points:
        """Intervals from ``low`` to below ``high`` as ranges of the numbers in them."""
        if not self.has_steps:
            return make_ranges(low, high)
        scale = 10.0**self.decimals
        first, after = (np.ceil(end * scale - 4 * np.spacing(np.abs(end * scale))) for end in (low, high))
        return make_ranges(first / scale + 0.0, (after - 1) / scale + 0.0)

    @cached_property
    def outer_ends(self) -> tuple[float, float]:
        """Round ends around all numbers."""
        ends = np.array([self.low, self.high])
        if self.kind.edges is not None:
            low, high = np.array([self.kind.edges[-1][0]]), np.array([self.kind.edges[-1][-1]])
        else:
            low, high = aligned_intervals(ends, self._widths[-1] if self._widths else round_width(self.high - self.low))
        ((first, *_), (*_, last)) = ends_of(self._closed(low[:1], high[-1:]))
        return float(first), float(last)

    @cached_property
    def known_ends(self) -> dict[complex, tuple[float, float]]:
        """The ends of the intervals that the column's values are generalised to."""
        found: dict[complex, tuple[float, float]] = {}
        for low, high in self._ends(self.values):
            found |= zip(self._closed(low, high).tolist(), zip(low.tolist(), high.tolist(), strict=True), strict=True)
        return found

    def public_domain(self, distance: Any) -> PublicDomain:  # noqa: ARG002
        """The numbers of the grid that the user stated."""
        steps, points, decimals = read_grid(grid_points(self, self.kind.grid))
        # Whether the table has numbers or texts is a part of its schema. The grid says how they are written.
        release = NumericRelease(replace(self, decimals=decimals))
        release.forget_cells()
        return LineDomain(self.name, points, release, "share of the grid", True, positions=steps)

    def line_key(self, point: Any) -> str | float:
        """The number; a range as its middle and half its width."""
        number = complex(point)
        return f"{number.real!r}{_WIDTH}{number.imag!r}" if number.imag else number.real

    def line_point(self, key: Any) -> float | complex:
        """The number or range."""
        middle, is_wide, half = str(key).partition(_WIDTH)
        return complex(float(middle), float(half)) if is_wide else float(key)

    def release(self, spellings: Mapping[Any, object]) -> NumericRelease:  # noqa: ARG002
        """Numbers in the style of the data."""
        return NumericRelease(self)

    def meanings(self, text: str) -> Iterator[float]:
        """The number that the text is."""
        number = read_number(text)
        return iter(() if number is None else (number,))

    def range_of(self, bounds: Bounds) -> complex | None:
        """The range of the column's numbers between bounds; ``None`` if it is empty."""
        low, high = bounds.ends(*map(_decimal, self.outer_ends))
        if max(abs(low), abs(high)) > _EXACT:
            return None
        if self.has_steps:
            first, last = _steps(low, self.decimals, ROUND_CEILING), _steps(high, self.decimals, ROUND_FLOOR)
            first += not bounds.low_inside and first == low.scaleb(self.decimals)
            last -= not bounds.high_inside and last == high.scaleb(self.decimals)
            if first <= last:
                return complex(make_ranges(first / 10**self.decimals, last / 10**self.decimals))
        is_empty = low == high and not (bounds.low_inside and bounds.high_inside)
        return None if is_empty else complex(make_ranges(float(low), float(high)))


def _decimal(number: float) -> Decimal:
    return Decimal(repr(number))


def _steps(number: Decimal, decimals: int, rounding: str) -> int:
    """The number in steps of the last decimal."""
    return int(number.scaleb(decimals).to_integral_value(rounding))


class NumericRelease(OrderedRelease):
    """Numbers rounded to the decimals of the data; integers stay integers.

    Where the data hold numbers as text, all are written in the commoner of two styles: with a fixed number of decimals
    (``2.50``) or without trailing zeros (``2.5``). A rare spelling of a number would point to its record.

    Ranges of integers are written as ``30-39``, with both ends inside; as ``[-5, -1]`` if some may be negative. Ranges
    of numbers with decimals are written as ``[30, 40)``, without the upper end.
    """

    _column: NumericColumn

    def __init__(self, column: NumericColumn) -> None:
        super().__init__(column)
        live = column.live
        self._cells = {float(column.point[i].real): column.cells[i] for i in reversed(live)}
        self._is_text = any(isinstance(column.cells[i], str) for i in live)
        self._fixed = self._is_text and self._mostly_fixed(live)

    def forget_cells(self) -> None:
        """Write all numbers alike, whether they occur or not."""
        self._cells, self._fixed = {}, True

    def _mostly_fixed(self, live: Sequence[int]) -> bool:
        column, votes = self._column, 0
        for i in live:
            fixed, short = (_format(float(column.point[i].real), column.decimals, style) for style in (True, False))
            text = cell_text(column.cells[i])
            votes += int(column.counts[i]) * ((text == fixed) - (text == short))
        return votes > 0

    def exact_cell(self, value: Any) -> object:
        """The number, rounded to the data's decimals."""
        decimals = self._column.decimals
        value = value if value in self._cells else round(float(value), decimals)
        if self._is_text:
            return _format(value, decimals, self._fixed)
        return self._cells.get(value, int(value) if decimals == 0 else value)

    def range_text(self, point: complex) -> str:
        """The range in the style of the column."""
        column = self._column
        (low,), (high,) = ends_of(np.array([point]))
        if not column.has_steps:
            low, high = column.known_ends.get(point, (low, high))
            return f"[{_plain(float(low))}, {_plain(float(high))}]"
        first, last = (round(end * 10**column.decimals) for end in (low, high))
        if column.decimals:
            ends = (Decimal(step).scaleb(-column.decimals) for step in (first, last + 1))
            return "[{}, {})".format(*map(_plain, ends))
        return f"{first}-{last}" if self._is_never_negative else f"[{first}, {last}]"

    @property
    def _is_never_negative(self) -> bool:
        edges = self._column.kind.edges
        return self._column.low >= 0 and (edges is None or edges[-1][0] >= 0)

    def find_value(self, text: str) -> Any:
        """The number that the text is, or the range that it describes."""
        number = read_number(text)
        if number is not None:
            return number if math.isfinite(number) else None
        bounds = read_bounds(text)
        found = None if bounds is None else self._column.range_of(bounds)
        return found.real if found is not None and not found.imag else found

    def find_foreign(self, text: str) -> Any:
        """The range of a list such as ``{37, 44}``, or of digits and stars: ``4*`` stands for 40 to 49."""
        digits = _STARRED.fullmatch(text)
        if digits and self._column.holds_integers:
            first, size = int(digits[1]), 10 ** len(digits[2])
            return complex(make_ranges(first * size, (first + 1) * size - 1))
        # Without brackets, a comma may be a decimal one, or divide thousands.
        return self._range_of_list(text) if text.strip()[:1] in _BRACKETS or "," not in text else None


def _plain(number: float | Decimal) -> str:
    """A number without exponent and trailing zeros.

    >>> _plain(1e-7), _plain(Decimal("40.0"))
    ('0.0000001', '40')
    """
    text = format(_decimal(number) if isinstance(number, float) else number, "f")
    return text.rstrip("0").rstrip(".") if "." in text else text


def _format(value: float, decimals: int, fixed: bool) -> str:
    """A number as text, with all decimals or without trailing zeros.

    >>> _format(2.5, 2, fixed=True), _format(2.5, 2, fixed=False), _format(3.0, 2, fixed=False)
    ('2.50', '2.5', '3')
    """
    text = format(value + 0.0, f".{decimals}f")  # no sign on a zero
    return text if fixed or "." not in text else text.rstrip("0").rstrip(".")
