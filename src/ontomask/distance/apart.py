"""A distance with further concepts that are far from all others, such as the one for missing cells."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ontomask.base.arrays import IntArray
from ontomask.distance.base import Distance, FloatArray
from ontomask.taxonomy import Taxonomy

__all__ = ["WithApart"]


class WithApart(Distance):
    """A distance in which some concepts are as far as possible from all others.

    Distances between the other concepts are those of the taxonomy without them: depths, counts and information content
    do not change.

    Parameters
    ----------
    taxonomy
        The taxonomy of the distance with further concepts.
    within
        The distance over the taxonomy without them.
    apart
        The ids of the further concepts.
    """

    # Leaves below the root have the same links, but are nearer to each other.
    links_only = False

    def __init__(self, taxonomy: Taxonomy, within: Distance, apart: Sequence[str]) -> None:
        super().__init__(taxonomy)
        self.within, self.apart = within, tuple(apart)
        self.name, self.is_metric = within.name, within.is_metric  # type: ignore[misc]
        self.is_monotone = within.is_monotone  # type: ignore[misc]
        self.raw = bool(getattr(within, "raw", False))
        self._far = 2 * taxonomy.graph.max_depth if self.raw else 1
        is_apart = np.zeros(len(taxonomy), dtype=bool)
        is_apart[taxonomy.codes(apart)] = True
        self._others = np.flatnonzero(~is_apart)
        # The code of each concept in the taxonomy without the further ones; -1 for these.
        self._code = np.where(is_apart, -1, np.cumsum(~is_apart) - 1).astype(np.int32)

    def options(self) -> dict[str, Any]:
        """The options of the distance between the other concepts."""
        return self.within.options()

    def _row(self, a: int, dtype: np.dtype[Any]) -> FloatArray:
        row = np.full(len(self.taxonomy), self._far, dtype=dtype)
        if self._code[a] >= 0:
            row[self._others] = self.within._row(int(self._code[a]), dtype)
        row[a] = 0
        return row

    def _matrix(self, rows: IntArray, columns: IntArray, dtype: np.dtype[Any]) -> FloatArray:
        out = np.full((len(rows), len(columns)), self._far, dtype=dtype)
        left, right = self._code[rows], self._code[columns]
        inside = np.ix_(left >= 0, right >= 0)
        out[inside] = self.within._matrix(left[left >= 0], right[right >= 0], dtype)
        for i in np.flatnonzero(left < 0).tolist():
            out[i, columns == rows[i]] = 0
        return out

    def _pairs(self, a: IntArray, b: IntArray) -> NDArray[np.float64]:
        left, right = self._code[a], self._code[b]
        inside = (left >= 0) & (right >= 0)
        out = np.where(a == b, 0.0, float(self._far))
        out[inside] = self.within._pairs(left[inside], right[inside])
        return out
