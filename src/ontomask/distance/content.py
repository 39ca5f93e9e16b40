"""Measures from information content: how much two concepts share is how informative their subsumer is (T 3.2.3)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from ontomask.base.arrays import IntArray
from ontomask.distance.base import Distance, FloatArray
from ontomask.distance.information import InformationContent, information_content
from ontomask.distance.subsumer import BestSubsumer, Scores
from ontomask.taxonomy import Taxonomy

__all__ = ["JiangConrath", "Lin", "Resnik"]


class _ContentMeasure(BestSubsumer):
    """Shared by the three: the most informative common subsumer.

    T speaks of the LCS as "the most concrete" common ancestor; in these measures concreteness is information
    content, so the subsumer is the one with the most of it (as Resnik defines it), not the deepest. In a tree both
    are the same.
    """

    measure: ClassVar[int]

    def __init__(self, taxonomy: Taxonomy, ic: InformationContent = "seco", smoothing: int = 1) -> None:
        super().__init__(taxonomy)
        self.ic = ic if isinstance(ic, str) else dict(ic) if isinstance(ic, Mapping) else ic
        self.smoothing = smoothing
        self.content = information_content(taxonomy, ic, smoothing)
        self.most = float(self.content.max())

    def _scores(self) -> Scores:
        contents, rank = np.unique(self.content, return_inverse=True)
        return Scores(rank, 0, 0, contents)

    def _levels(self, a: int) -> tuple[NDArray[np.integer], NDArray[np.float64]]:
        # The subsumer's content alone does not tell the distance.
        return Distance._levels(self, a)

    def _row(self, a: int, dtype: np.dtype[Any]) -> FloatArray:
        everything = np.arange(len(self.taxonomy), dtype=np.int32)
        return self._finish(super()._row(a, dtype)[None, :], np.array([a], dtype=np.int32), everything)[0]

    def _matrix(self, rows: IntArray, columns: IntArray, dtype: np.dtype[Any]) -> FloatArray:
        return self._finish(super()._matrix(rows, columns, dtype), rows, columns)

    def _finish(self, found: FloatArray, rows: IntArray, columns: IntArray) -> FloatArray:
        from ontomask.distance.kernels.features import content_matrix

        content_matrix(self.measure, self.content, self.most, rows, columns, found)
        return found

    def _pairs(self, a: IntArray, b: IntArray) -> NDArray[np.float64]:
        from ontomask.distance.kernels.features import content_pairs

        found = super()._pairs(a, b)
        content_pairs(self.measure, self.content, self.most, a, b, found)
        return found


class Resnik(_ContentMeasure):
    """Resnik's measure: ``1 − IC(L)/max IC``, L the most informative common subsumer (T eq. 3.11).

    The measure itself has no self-similarity of 1 (a concept is as similar to itself as its IC says); here
    d(c, c) = 0, as a distance demands. Concepts that share only a root of IC 0 are at distance 1. In a taxonomy
    where nothing is informative (one concept) all is at distance 0.
    """

    name = "resnik"
    measure = 0


class Lin(_ContentMeasure):
    """Lin's measure: ``1 − 2·IC(L)/(IC(a) + IC(b))`` (T eq. 3.12).

    Where both concepts have IC 0 the ratio is not defined: two such concepts share no information and are at
    distance 1 (0 if they are the same). NLTK raises an error or returns 0 there.
    """

    name = "lin"
    measure = 1


class JiangConrath(_ContentMeasure):
    """Jiang and Conrath's distance: ``(IC(a) + IC(b) − 2·IC(L)) / (2·max IC)`` (T eq. 3.13, scaled to [0, 1]).

    NLTK inverts it into a similarity and returns 1e300 for equal concepts; here it stays a distance.
    """

    name = "jiang_conrath"
    measure = 2
