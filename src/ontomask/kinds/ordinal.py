"""Ordinal columns: categories in a given order."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar

import numpy as np

from ontomask.base.frozen import set_fields
from ontomask.base.text import join_some, read_number
from ontomask.errors import Setting, TableError
from ontomask.kinds.ordered import OrderedColumn, OrderedKind, OrderedRelease
from ontomask.kinds.public import LineDomain, PublicDomain
from ontomask.operators.line import OrdinalSpace
from ontomask.operators.ranges import ends_of, is_off_line, make_ranges
from ontomask.operators.space import Points

__all__ = ["Ordinal", "OrdinalColumn"]


@dataclass(frozen=True)
class Ordinal(OrderedKind):
    """A column of categories in the given order; a group of them becomes its lower median.

    Categories are generalised to ranges of two neighbours, of four, and so on, released as ``low – high``; finally to
    a cell that may be any category.

    Parameters
    ----------
    categories
        All categories, lowest first.
    weight
        The attribute's weight in distances between records.
    top
        The text for a cell that may be any value; by default ``*``.

    Examples
    --------
    >>> import ontomask as om, pandas as pd
    >>> frame = pd.DataFrame({"size": ["S", "M", "L", "XL"]})
    >>> data = om.Microdata(frame, {"size": om.Ordinal(["S", "M", "L", "XL"])})
    >>> om.Generalisation(k=2).mask(data).frame["size"].tolist()
    ['S – M', 'S – M', 'L – XL', 'L – XL']
    """

    name: ClassVar[str] = "ordinal"
    values_in_words: ClassVar[str] = "ordered categories"
    mismatch: ClassVar[str] = "not among its categories"

    categories: Sequence[str]
    weight: float = 1.0
    top: str | None = None

    def __post_init__(self) -> None:
        self.check_weight()
        self.check_top()
        given = list(self.categories) if not isinstance(self.categories, str) else []
        if len(given) < 2 or any(not isinstance(c, str) for c in given):
            raise TableError(
                f"The 'categories' of Ordinal must be a list of at least two texts, lowest first. "
                f"Got {self.categories!r} instead.",
                parameter="categories",
            )
        # Cells are compared without surrounding blanks.
        given = [category.strip() for category in given]
        twice = [c for i, c in enumerate(given) if c in given[:i]]
        if twice:
            raise TableError(
                f"The 'categories' of Ordinal name {join_some(twice)} more than once. Keep one of each.",
                parameter="categories",
                values=twice,
                code="not-unique",
            )
        set_fields(self, categories=tuple(given))

    def __repr__(self) -> str:
        # Categories are values of the column: they must not show in tracebacks and logs.
        return f"Ordinal(<{len(self.categories):,} categories>, weight={self.weight!r})"

    def mismatches(self, texts: Iterable[str]) -> list[str]:
        """The texts that are not categories."""
        return [text for text in texts if text not in self.categories]

    def _encode_texts(self, name: str, texts: Sequence[str | None], **parts: Any) -> OrdinalColumn:
        tokens = Setting("policies", "missing_tokens")
        self._check_texts(name, texts, "Add them to the categories, or declare them missing in ", tokens, ".")
        index = {category: i for i, category in enumerate(self.categories)}
        point = np.array([-1 if text is None else index[text] for text in texts], dtype=np.int32)
        return OrdinalColumn(name, self, point=point, **parts)


@dataclass(frozen=True, eq=False, repr=False)
class OrdinalColumn(OrderedColumn):
    """Categories in order; a point is the index of a category."""

    exact_type = np.int32

    kind: Ordinal

    @property
    def categories(self) -> tuple[str, ...]:
        """The categories, lowest first."""
        return tuple(self.kind.categories)

    @cached_property
    def space(self) -> OrdinalSpace:
        """Categories on a line."""
        return OrdinalSpace(len(self.categories), self.kind.weight, is_line=not self.has_off_line)

    @property
    def all_points(self) -> Points:
        """All categories: one that does not occur still lies between its neighbours."""
        categories, own = np.arange(len(self.categories)), self.point[~self.kept]
        return np.unique(np.concatenate([categories, own[is_off_line(own)]])) if self.has_off_line else categories

    @property
    def outer_ends(self) -> tuple[float, float]:
        """The lowest and the highest category."""
        return 0, len(self.categories) - 1

    def _ranges(self, points: Points) -> list[Points]:
        last = len(self.categories) - 1
        sizes = (2**level for level in range(1, last.bit_length()))
        return [make_ranges(points // n * n, np.minimum(points // n * n + n - 1, last)) for n in sizes]

    @cached_property
    def own_release(self) -> OrdinalRelease:
        """Categories and ranges as text."""
        return OrdinalRelease(self)

    def line_key(self, point: Any) -> str:
        """The category, or the range as text."""
        return str(self.own_release.cell(point)) if np.imag(point) else self.categories[int(np.real(point))]

    def line_point(self, key: Any) -> Any:
        """The index of a category, or a range of them."""
        return self.own_release.find_value(key)

    def public_domain(self, distance: Any) -> PublicDomain:  # noqa: ARG002
        """The categories that the user listed."""
        number = len(self.categories)
        release = OrdinalRelease(self)
        release.forget_cells()
        points = np.arange(number, dtype=np.int32)
        return LineDomain(
            self.name, points, release, "share of the range", True, positions=np.arange(number, dtype=np.int64)
        )

    def release(self, spellings: Mapping[Any, object]) -> OrdinalRelease:  # noqa: ARG002
        """Categories as they were declared."""
        return self.own_release


class OrdinalRelease(OrderedRelease):
    """Categories as they were declared; categories that are numbers in the data stay numbers.

    A range is written as ``low – high``. The dash is longer than any in a category, so the text has one meaning.
    """

    _column: OrdinalColumn

    def __init__(self, column: OrdinalColumn) -> None:
        super().__init__(column)
        self._index = {category: i for i, category in enumerate(column.categories)}
        self._numbers = {
            int(column.point[i].real): column.cells[i] for i in column.live if not isinstance(column.cells[i], str)
        }
        longest = max(
            (len(dashes) for category in column.categories for dashes in re.findall("–+", category)), default=0
        )
        self._dash = f" {'–' * (longest + 1)} "

    def forget_cells(self) -> None:
        """Write all categories alike, whether they occur or not: as numbers if the table has numbers."""
        numbers = [read_number(category) for category in self._column.categories] if self._numbers else []
        self._numbers = {
            i: int(number) if number.is_integer() else number for i, number in enumerate(numbers) if number is not None
        }

    @property
    def _taken(self) -> set[str | None]:
        return super()._taken | set(self._index)

    def exact_cell(self, value: Any) -> object:
        """The category."""
        return self._numbers.get(int(value), self._column.categories[int(value)])

    def exact_text(self, value: Any) -> str:
        """The category."""
        return self._column.categories[int(value)]

    def range_text(self, point: complex) -> str:
        """The lowest and the highest category."""
        low, high = (self._column.categories[int(end[0])] for end in ends_of(np.array([point])))
        return f"{low}{self._dash}{high}"

    def find_value(self, text: str) -> Any:
        """The index of the category, or the range of the two categories that the text names."""
        exact = self._index.get(text.strip())
        if exact is not None:
            return exact
        parts = text.split(self._dash)
        low, high = (self._index.get(part) for part in parts) if len(parts) == 2 else (None, None)
        return None if low is None or high is None or low >= high else complex(make_ranges(low, high))
