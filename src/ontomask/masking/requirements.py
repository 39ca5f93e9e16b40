"""Requirements on the output besides k: diversity and closeness of a confidential column, and k over some columns."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from numbers import Real
from typing import TYPE_CHECKING, Literal

import numpy as np
from numpy.typing import NDArray

from ontomask.base.frozen import set_fields
from ontomask.base.notes import join_names
from ontomask.base.text import join_some
from ontomask.distance.ties import TIE
from ontomask.errors import MaskingError, given
from ontomask.masking.whole_rows import count_columns
from ontomask.microdata import Microdata
from ontomask.privacy.closeness import MOST_ORDERED_WITH_MISSING
from ontomask.privacy.confidential import Confidential
from ontomask.privacy.grouped import Grouped

if TYPE_CHECKING:
    from ontomask.masking.results import Result

__all__ = ["Closeness", "ColumnsK", "Diversity"]


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
                "The 'kind' parameter of Diversity must be distinct or entropy. Got ",
                given(self.kind),
                " instead.",
                parameter="kind",
            )
        is_number = isinstance(self.l, Real) and not isinstance(self.l, bool)
        if not is_number or not 1 < self.l < math.inf or (self.kind == "distinct" and self.l != int(self.l)):
            wanted = "an int ≥ 2" if self.kind == "distinct" else "a number > 1"
            message = f"The 'l' parameter of Diversity must be {wanted}. Got "
            raise MaskingError(message, given(self.l), " instead.", parameter="l")

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

    def for_slots(self, slots: Mapping[str, Sequence[str]]) -> list[Diversity]:
        """The same for a table in which several columns take the place of each."""
        return [replace(self, column=slot) for slot in slots[self.column]]

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
            message = "The 't' parameter of Closeness must be a number from 0 to 1. Got "
            raise MaskingError(message, given(self.t), " instead.", parameter="t")

    def check(self, data: Microdata) -> None:
        """Refuse a column that is not confidential, has distances above 1, or is a long order with missing cells."""
        values = Confidential.of(data, self.column)
        column = data.confidential_columns.get(self.column)
        if column is not None and column.is_ordered and values.ground != "ordered":
            raise MaskingError(
                f"The column {self.column!r} has missing cells, and too many different values for closeness with "
                f"missing cells: at most {MOST_ORDERED_WITH_MISSING:,}. Leave out the records without a value (missing "
                f"= 'drop'), or group the values into ranges.",
                column=self.column,
                parameter="require",
            )
        distances = values.distances
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


@dataclass(frozen=True)
class ColumnsK:
    """At least k records (or persons) share each released combination of some columns.

    It asks for more than the k of a method if its k is larger, or if it names kept columns. If it names
    quasi-identifiers only, Microaggregation, Generalisation and Recoding release groups with the same values in these
    columns until it holds. For others it is verified on the output.

    Parameters
    ----------
    k
        The size of the smallest group.
    columns
        Released columns that are not confidential: quasi-identifiers, and columns that are kept (``other``).

    Examples
    --------
    >>> import ontomask as om, pandas as pd
    >>> frame = pd.DataFrame({"age": [30, 30, 34, 34, 50, 50, 50], "ward": [1, 1, 2, 2, 3, 3, 3]})
    >>> data = om.Microdata(frame, {"age": om.Numeric(), "ward": om.Numeric()})
    >>> om.Microaggregation(k=2).mask(data).frame["age"].tolist()
    [30, 30, 34, 34, 50, 50, 50]
    >>> om.Microaggregation(k=2, require=[om.ColumnsK(3, ["age"])]).mask(data).frame["age"].tolist()
    [32, 32, 32, 32, 50, 50, 50]
    """

    k: int
    columns: Sequence[str]

    def __post_init__(self) -> None:
        if isinstance(self.k, bool) or not isinstance(self.k, int) or self.k < 2:
            message = "The 'k' parameter of ColumnsK must be an int ≥ 2. Got "
            raise MaskingError(message, given(self.k), " instead.", parameter="k")
        names = self.columns
        if isinstance(names, str) or not isinstance(names, Sequence) or not names or len(set(names)) < len(names):
            message = "The 'columns' parameter of ColumnsK must be a list of distinct names. Got "
            raise MaskingError(message, given(names), " instead.", parameter="columns")
        set_fields(self, columns=tuple(names))

    def check(self, data: Microdata) -> None:
        """Refuse columns that are not released or are confidential, and a k that no table of this size can have."""
        known = (*data.quasi_identifiers, *data.other)
        wrong = [name for name in self.columns if name not in known]
        if wrong:
            raise MaskingError(
                f"k is counted over released columns that are not confidential: {join_some(known, 30)}. Got "
                f"{join_some(wrong)} instead.",
                column=wrong[0],
                parameter="require",
            )
        if self.k > data.holders:
            unit = "records" if data.person is None else "persons"
            message = f"The data have {data.holders:,} {unit}, so there is no {self.text}. Use a smaller k."
            raise MaskingError(message, parameter="require")

    def verify(self, data: Microdata, result: Result) -> None:
        """Refuse a result that falls short."""
        found = count_columns(data, result.data, self.columns)
        if found is not None and found.k < self.k:
            kept = [name for name in self.columns if name in data.other]
            advice = f"make {join_some(kept)} a quasi-identifier, or " if kept else ""
            raise MaskingError(
                f"The output has k = {found.k:,} over {join_names(self.columns)}, and k = {self.k:,} is required. Ask "
                f"for less, {advice}use a method that merges groups: Microaggregation, Recoding or Generalisation.",
                parameter="require",
            )

    def for_slots(self, slots: Mapping[str, Sequence[str]]) -> list[ColumnsK]:
        """The same for a table in which several columns take the place of each; nothing if it lacks some of these."""
        if any(name not in slots for name in self.columns):
            return []
        return [ColumnsK(self.k, [slot for name in self.columns for slot in slots[name]])]

    @property
    def text(self) -> str:
        """The requirement as text."""
        return f"k = {self.k:,} over {join_names(self.columns)}"
