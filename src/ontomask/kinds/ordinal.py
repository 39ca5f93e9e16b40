"""Ordinal columns: categories in a given order."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from ontomask.base.text import join_some
from ontomask.errors import Setting, TableError
from ontomask.kinds.base import Column, Release
from ontomask.kinds.ordered import OrderedColumn, OrderedKind
from ontomask.operators.line import OrdinalSpace
from ontomask.operators.space import Points

__all__ = ["Ordinal", "OrdinalColumn"]


@dataclass(frozen=True)
class Ordinal(OrderedKind):
    """A column of categories in the given order; a group of them becomes its lower median."""

    name: ClassVar[str] = "ordinal"
    values_in_words: ClassVar[str] = "ordered categories"
    mismatch: ClassVar[str] = "not among its categories"

    categories: Sequence[str]
    weight: float = 1.0

    def __post_init__(self) -> None:
        self.check_weight()
        given = list(self.categories) if not isinstance(self.categories, str) else []
        if len(given) < 2 or any(not isinstance(c, str) for c in given):
            raise TableError(
                f"The 'categories' of Ordinal must be a list of at least two texts, lowest first. "
                f"Got {self.categories!r} instead.",
                parameter="categories",
            )
        twice = [c for i, c in enumerate(given) if c in given[:i]]
        if twice:
            raise TableError(
                f"The 'categories' of Ordinal name {join_some(twice)} more than once. Keep one of each.",
                parameter="categories",
            )
        object.__setattr__(self, "categories", tuple(given))

    def __repr__(self) -> str:
        # Categories are values of the column: they must not show in tracebacks and logs.
        return f"Ordinal(<{len(self.categories):,} categories>, weight={self.weight!r})"

    def mismatches(self, texts: Iterable[str]) -> list[str]:
        """The texts that are not categories."""
        return [text for text in texts if text not in self.categories]

    def _encode_texts(self, name: str, texts: Sequence[str | None], **parts: Any) -> Column:
        tokens = Setting("policies", "missing_tokens")
        self._check_texts(name, texts, "Add them to the categories, or declare them missing in ", tokens, ".")
        index = {category: i for i, category in enumerate(self.categories)}
        point = np.array([-1 if text is None else index[text] for text in texts], dtype=np.int32)
        return OrdinalColumn(name, self, point=point, **parts)


@dataclass(frozen=True, eq=False, repr=False)
class OrdinalColumn(OrderedColumn):
    """Categories in order; a point is the index of a category."""

    kind: Ordinal

    @property
    def categories(self) -> tuple[str, ...]:
        """The categories, lowest first."""
        return tuple(self.kind.categories)

    @cached_property
    def space(self) -> OrdinalSpace:
        """Categories on a line."""
        return OrdinalSpace(len(self.categories), self.kind.weight)

    @property
    def all_points(self) -> Points:
        """All categories: one that does not occur still lies between its neighbours."""
        return np.arange(len(self.categories))

    def key(self, point: Any) -> str:
        """The category."""
        return self.categories[int(point)]

    def points_of_keys(self, keys: Sequence[Any]) -> NDArray[Any]:
        """Indices of categories."""
        return np.array([self.categories.index(key) for key in keys], dtype=np.int32)

    def release(self, spellings: Mapping[Any, object]) -> OrdinalRelease:  # noqa: ARG002
        """Categories as they were declared."""
        return OrdinalRelease(self)


class OrdinalRelease(Release):
    """Categories as they were declared; categories that are numbers in the data stay numbers."""

    def __init__(self, column: OrdinalColumn) -> None:
        super().__init__(column)
        self._index = {category: i for i, category in enumerate(column.categories)}
        self._numbers = {
            int(column.point[i]): column.cells[i] for i in column.live if not isinstance(column.cells[i], str)
        }

    def cell(self, point: Any) -> object:
        """The category."""
        return self._numbers.get(int(point), self._column.categories[int(point)])

    def find(self, text: str) -> int | None:
        """The index of the category that the text is."""
        return self._index.get(text.strip())
