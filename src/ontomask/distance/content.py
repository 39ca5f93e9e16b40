"""Distances from information content (IC): concepts are near if their common subsumer is informative.

Martínez 2012, section 3.2.3.
"""

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
    """Base class: finds the most informative common subsumer.

    Martínez 2012 takes the "most concrete" common ancestor. Here that is the one with the highest information content,
    as Resnik defines it, not the deepest one. In a tree both are the same.
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
        # Not from the table: the content of the subsumer alone does not determine the distance.
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
    """Resnik's measure: ``1 − IC(L)/max IC``, L the most informative common subsumer (Martínez 2012, eq. 3.11).

    In Resnik 1995, the similarity of a concept to itself is its IC, not 1. Here d(c, c) = 0, as a distance requires.
    Concepts that share only a root of IC 0 are at distance 1. In a taxonomy of one concept the distance is 0.
    """

    name = "resnik"
    measure = 0


class Lin(_ContentMeasure):
    """Lin's measure: ``1 − 2·IC(L)/(IC(a) + IC(b))`` (Lin 1998; Martínez 2012, eq. 3.12).

    If both concepts have IC 0 the ratio is undefined. Two such concepts share no information: they are at distance 1,
    or 0 if they are the same. NLTK raises an error or returns 0 there.
    """

    name = "lin"
    measure = 1


class JiangConrath(_ContentMeasure):
    """Jiang and Conrath's distance: ``(IC(a) + IC(b) − 2·IC(L)) / (2·max IC)`` (Martínez 2012, eq. 3.13).

    The division scales the distance of Jiang and Conrath 1997 to [0, 1]. NLTK inverts it into a similarity and returns
    1e300 for equal concepts.
    """

    name = "jiang_conrath"
    measure = 2
