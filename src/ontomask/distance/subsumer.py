"""Base class for distances that depend on the best common subsumer of two concepts."""

from __future__ import annotations

from abc import abstractmethod
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ontomask.base.arrays import IntArray
from ontomask.distance.base import Distance, FloatArray
from ontomask.distance.ties import levels_of

__all__ = ["BestSubsumer", "Scores"]


class Scores:
    """Scores of common subsumers, in the narrowest integer type that fits, and a table from score to result.

    Attributes
    ----------
    value, step
        The score of subsumer ``s`` of a and b is ``value[s] − step·(links a→s + links b→s)``.
    lowest
        The lowest possible score.
    table
        ``table[score − lowest]`` is the distance, or the subsumer's IC, for that score.
    """

    def __init__(self, value: NDArray[np.integer], step: int, lowest: int, table: NDArray[np.float64]) -> None:
        fits = np.int16 if value.max(initial=0) < 2**15 and lowest > -(2**15) else np.int32
        self.value = value.astype(fits)
        self.step = step
        # A number of another type than int would make each call of a compiled function slow.
        self.lowest = int(lowest)
        self.table = table
        self._narrow = table.astype(np.float32)

    @cached_property
    def levels(self) -> tuple[NDArray[np.int16], NDArray[np.float64]]:
        """The table as levels of equal numbers, and the number for each level, ascending."""
        level, numbers = levels_of(self.table)
        return level.astype(np.int16), numbers

    def table_of(self, dtype: np.dtype[Any]) -> FloatArray:
        """The table in the given precision."""
        return self._narrow if dtype == np.float32 else self.table


class BestSubsumer(Distance):
    """A distance computed from the score of the best common subsumer."""

    is_monotone = True

    @abstractmethod
    def _scores(self) -> Scores: ...

    @cached_property
    def scores(self) -> Scores:
        """The scores, computed at first use."""
        return self._scores()

    def _row(self, a: int, dtype: np.dtype[Any]) -> FloatArray:
        return self._look_up(a, self.scores.table_of(dtype))

    def _levels(self, a: int) -> tuple[NDArray[np.integer], NDArray[np.float64]]:
        table, distances = self.scores.levels
        if len(distances) > np.iinfo(np.int16).max:
            return super()._levels(a)
        return self._look_up(a, table), distances

    def _look_up(self, a: int, table: NDArray[Any]) -> NDArray[Any]:
        """The table's entry for the best score of ``a`` with every concept."""
        from ontomask.distance.kernels.best import best_row

        graph, scores = self.taxonomy.graph, self.scores
        out = np.empty(len(graph), dtype=table.dtype)
        best_row(*graph.links, scores.value, scores.step, a, scores.lowest, table, out)
        return out

    def _matrix(self, rows: IntArray, columns: IntArray, dtype: np.dtype[Any]) -> FloatArray:
        from ontomask.distance.kernels.best import best_matrix

        graph, scores = self.taxonomy.graph, self.scores
        out = np.empty((len(rows), len(columns)), dtype=dtype)
        table = scores.table_of(dtype)
        best_matrix(*graph.links, scores.value, scores.step, rows, columns, scores.lowest, table, out)
        return out

    def _pairs(self, a: IntArray, b: IntArray) -> NDArray[np.float64]:
        from ontomask.distance.kernels.best import best_pairs

        graph, scores = self.taxonomy.graph, self.scores
        key = np.empty(len(a), dtype=np.int32)
        best_pairs(*graph.links, scores.value, scores.step, a, b, key)
        found: NDArray[np.float64] = scores.table[key - scores.lowest]
        return found
