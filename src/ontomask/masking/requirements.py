"""Requirements on the output besides k: diversity and closeness of a confidential column."""

from __future__ import annotations

import math
from dataclasses import dataclass
from numbers import Real
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from ontomask.distance.ties import TIE
from ontomask.errors import MaskingError
from ontomask.microdata import Microdata
from ontomask.privacy.confidential import Confidential
from ontomask.privacy.grouped import Grouped

__all__ = ["Closeness", "Diversity"]


@dataclass(frozen=True)
class Diversity:
    """l-diversity: every group of equal records has at least l confidential values.

    Parameters
    ----------
    column
        A confidential column. If it has an attribute, two spellings of one value are one value.
    l
        The number of values.
    kind
        ``distinct``: l different values. ``entropy``: as hard to guess as l equally frequent values; l need not be an
        integer.

    Examples
    --------
    >>> import ontomask as om, pandas as pd
    >>> frame = pd.DataFrame({"age": [30, 31, 40, 41, 42], "illness": ["flu", "flu", "flu", "gout", "gout"]})
    >>> data = om.Microdata(frame, {"age": om.Numeric()}, confidential=["illness"])
    >>> om.Microaggregation(k=2).mask(data).frame["age"].tolist()
    [30, 30, 41, 41, 41]
    >>> om.Microaggregation(k=2, require=[om.Diversity("illness", 2)]).mask(data).frame["age"].tolist()
    [37, 37, 37, 37, 37]
    """

    column: str
    l: float  # noqa: E741
    kind: Literal["distinct", "entropy"] = "distinct"

    def __post_init__(self) -> None:
        if self.kind not in ("distinct", "entropy"):
            raise MaskingError(
                f"The 'kind' parameter of Diversity must be distinct or entropy. Got {self.kind!r} instead.",
                parameter="kind",
            )
        is_number = isinstance(self.l, Real) and not isinstance(self.l, bool)
        if not is_number or not 1 < self.l < math.inf or (self.kind == "distinct" and self.l != int(self.l)):
            wanted = "an int ≥ 2" if self.kind == "distinct" else "a number > 1"
            message = f"The 'l' parameter of Diversity must be {wanted}. Got {self.l!r} instead."
            raise MaskingError(message, parameter="l")

    def check(self, data: Microdata) -> None:
        """Refuse a column that is not confidential, or has fewer values than l."""
        values = len(np.unique(Confidential.of(data, self.column).codes))
        if values < self.l:
            raise MaskingError(
                f"The column {self.column!r} has {values:,} values, so no group can have {self.text}. Use a smaller l.",
                column=self.column,
                parameter="require",
            )

    def short(self, grouped: Grouped) -> NDArray[np.bool_]:
        """Which groups have too few values."""
        found = grouped.diversity(self.column)
        if self.kind == "distinct":
            return found.distinct < self.l
        return found.entropy < self.l - TIE

    @property
    def text(self) -> str:
        """The requirement as text."""
        return f"{self.kind} {self.l:g}-diversity of {self.column!r}"


@dataclass(frozen=True)
class Closeness:
    """t-closeness: the confidential values of every group are distributed nearly as in the whole table.

    Distributions are compared by the earth mover's distance. The ground distance between two values depends on the
    column's attribute: the semantic distance for `Nominal`, the share of the order between them for `Numeric` and
    `Ordinal`, and 1 without an attribute (``confidential=[...]``).

    Parameters
    ----------
    column
        A confidential column.
    t
        The greatest distance allowed, from 0 to 1.

    Examples
    --------
    >>> import ontomask as om, pandas as pd
    >>> t = om.Taxonomy.from_edges([("ache", "pain"), ("colic", "pain"), ("pain", "symptom"), ("rash", "symptom")])
    >>> frame = pd.DataFrame({"age": [30, 31, 40, 41], "symptom": ["ache", "colic", "rash", "rash"]})
    >>> data = om.Microdata(frame, {"age": om.Numeric()}, confidential={"symptom": om.Nominal(t)})
    >>> om.Microaggregation(k=2, require=[om.Closeness("symptom", 0.2)]).mask(data).frame["age"].tolist()
    [36, 36, 36, 36]
    """

    column: str
    t: float

    def __post_init__(self) -> None:
        if isinstance(self.t, bool) or not isinstance(self.t, Real) or not 0 <= self.t <= 1:
            message = f"The 't' parameter of Closeness must be a number from 0 to 1. Got {self.t!r} instead."
            raise MaskingError(message, parameter="t")

    def check(self, data: Microdata) -> None:
        """Refuse a column that is not confidential, or has distances above 1."""
        distances = Confidential.of(data, self.column).distances
        if distances is not None and distances.max() > 1 + TIE:
            raise MaskingError(
                f"The distance of the column {self.column!r} counts links, and closeness needs a distance from 0 to 1. "
                f"Leave out raw, or use another distance.",
                column=self.column,
                parameter="require",
            )

    def short(self, grouped: Grouped) -> NDArray[np.bool_]:
        """Which groups are too far from the whole table."""
        return grouped.closeness(self.column).distances > self.t + TIE

    @property
    def text(self) -> str:
        """The requirement as text."""
        return f"{self.t:g}-closeness of {self.column!r}"
