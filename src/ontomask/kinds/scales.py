"""What distances of numbers and dates are divided by: the column's range, or a width that outliers change less."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Literal, get_args

import numpy as np

from ontomask.base.grouping import count_codes
from ontomask.errors import TableError
from ontomask.kinds.ordered import OrderedColumn, OrderedKind
from ontomask.operators.line import NumericSpace
from ontomask.operators.space import Counts, Points

__all__ = ["Scale", "ScaledColumn", "ScaledKind", "width_of"]

Scale = Literal["sd", "iqr", "range"]

# A category of two equally frequent values has the distances 0 and 1. A number divided by two standard deviations
# varies as much, so equal weights mean the same (Gelman 2008). 1.5 interquartile ranges of a normal distribution are
# about as wide.
_DEVIATIONS, _QUARTILES = 2, 1.5
# The largest distance. Distances must fit into integers that have enough digits left to recognise ties.
_LARGEST = 1_000
_IN_WORDS = {
    "sd": "share of 2 standard deviations",
    "iqr": "share of 1.5 interquartile ranges",
    "range": "share of the range",
}


class ScaledKind(OrderedKind):
    """A kind whose distances are divided by a width that is computed from the column."""

    centre: Literal["mean", "median"]
    scale: Scale

    def __post_init__(self) -> None:
        self.check_weight()
        self.check_top()
        for name, known in (("centre", ("mean", "median")), ("scale", get_args(Scale))):
            if getattr(self, name) not in known:
                raise TableError(
                    f"The {name!r} of {type(self).__name__} must be one of {', '.join(known)}. "
                    f"Got {getattr(self, name)!r} instead.",
                    parameter=name,
                )

    def _spread(self, texts: Sequence[str | None], point: Points, parts: Mapping[str, Any]) -> dict[str, Any]:
        """The least and the greatest value, and what distances are divided by."""
        known = np.array([text is not None for text in texts])
        values, records = point[known], count_codes(parts["code"], len(texts), parts["records"])[known]
        # Sums are rounded, so the order of the rows must not matter.
        order = np.argsort(values, kind="stable")
        values, records = values[order], records[order]
        low, high = values.min().item(), values.max().item()
        return {"low": low, "high": high, "width": width_of(values, records, self.scale)}


def width_of(points: Points, counts: Counts, scale: str) -> float:
    """What distances between points with counts are divided by. It is positive.

    If most values are equal, so that both quartiles are the same, ``iqr`` means ``sd``.

    >>> ages, records = np.array([20, 30, 40, 900]), np.ones(4)
    >>> [round(width_of(ages, records, scale)) for scale in ("range", "sd", "iqr")]
    [880, 754, 30]
    """
    x, share = np.asarray(points, dtype=np.float64), np.asarray(counts) / np.sum(counts)
    span = float(np.ptp(x))
    if scale == "range" or not span:
        return span or 1.0
    width = 0.0
    if scale == "iqr":
        order = np.argsort(x)
        first, last = np.searchsorted(np.cumsum(share[order]), (0.25, 0.75))
        width = _QUARTILES * float(x[order[last]] - x[order[first]])
    if not width:
        width = _DEVIATIONS * float(np.sqrt(share @ (x - share @ x) ** 2))
    return max(width, span / _LARGEST)


@dataclass(frozen=True, eq=False, repr=False)
class ScaledColumn(OrderedColumn):
    """Values on a line, with the least and the greatest, and the ``width`` that distances are divided by."""

    kind: ScaledKind
    low: float
    high: float
    width: float

    @cached_property
    def space(self) -> NumericSpace:
        """The values on a line."""
        kind, is_line = self.kind, not self.has_off_line
        return NumericSpace(self.low, self.high, kind.weight, kind.centre, width=self.width, is_line=is_line)

    def describe_distance(self, may_name: Callable[[str], bool]) -> str:  # noqa: ARG002
        """The scale, and the largest distance. This is rounded up, since it depends on the extreme values."""
        words, largest = _IN_WORDS[self.kind.scale], self.space.largest
        bound = next(digit * 10**power for power in range(4) for digit in (1, 2, 5) if largest <= digit * 10**power)
        return words if self.kind.scale == "range" else f"{words}, at most {bound:,}"
