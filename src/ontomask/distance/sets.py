"""Sets of features of concepts, and the size of their overlaps.

Subsumer sets are not stored: a sweep over the graph counts their overlaps. Words, parts and definitions are sparse and
stored as lists in both directions: features by concept and concepts by feature.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ontomask.base.arrays import IntArray
from ontomask.distance.base import FloatArray
from ontomask.taxonomy import Taxonomy
from ontomask.taxonomy.graph import group_by, group_starts
from ontomask.taxonomy.labels import normalise

__all__ = [
    "Ends",
    "Matrix",
    "Pairs",
    "Row",
    "Sets",
    "SubsumerSets",
    "gloss_words",
    "part_sets",
    "word_sets",
]


class SubsumerSets:
    """T(c): the subsumers of each concept, including the concept itself."""

    def __init__(self, taxonomy: Taxonomy) -> None:
        self._graph = taxonomy.graph

    @cached_property
    def size(self) -> IntArray:
        """|T(c)| of every concept."""
        from ontomask.distance.kernels.climbing import subsumer_counts

        counts = np.empty(len(self._graph), dtype=np.int32)
        subsumer_counts(*self._graph.links, counts)
        return counts

    @cached_property
    def _extra(self) -> tuple[NDArray[np.int64], IntArray]:
        from ontomask.distance.kernels.common import extra_subsumers

        start, extra = extra_subsumers(*self._graph.links, self.size)
        return start, extra

    def common_row(self, a: int) -> NDArray[np.integer]:
        """Number of subsumers that a shares with every concept."""
        from ontomask.distance.kernels.common import common_row

        count = np.empty(len(self._graph), dtype=np.int32)
        common_row(*self._graph.links, *self._extra, a, count)
        return count

    def common_matrix(self, rows: IntArray, columns: IntArray) -> NDArray[np.integer]:
        """Number of subsumers that each row shares with each column."""
        from ontomask.distance.kernels.common import common_matrix

        most = int(self.size[rows].max(initial=0))
        out = np.empty((len(rows), len(columns)), dtype=np.int16 if most < 2**14 else np.int32)
        common_matrix(*self._graph.links, *self._extra, rows, columns, out)
        return out

    def common_pairs(self, a: IntArray, b: IntArray) -> NDArray[np.integer]:
        """Number of subsumers that a[i] and b[i] share."""
        from ontomask.distance.kernels.common import common_pairs

        count = np.empty(len(a), dtype=np.int32)
        common_pairs(*self._graph.links, a, b, count)
        return count


class FeatureSets:
    """Sparse sets, given as two parallel arrays: concept and feature (integers from 0)."""

    def __init__(self, n: int, concept: NDArray[np.integer], feature: NDArray[np.integer]) -> None:
        features = int(feature.max(initial=-1)) + 1
        # Each member once, sorted by concept and then by feature, so that two sets can be merged.
        members = np.unique(concept.astype(np.int64) * max(features, 1) + feature)
        owner = (members // max(features, 1)).astype(np.int32)
        self._feature = (members % max(features, 1)).astype(np.int32)
        self._start = group_starts(owner, n)
        self._holder_start, self._holder = group_by(self._feature, owner, features)
        self.size: IntArray = np.diff(self._start)

    def common_row(self, a: int) -> NDArray[np.integer]:
        """Number of features that a shares with every concept."""
        from ontomask.distance.kernels.features import overlap_row

        count = np.zeros(len(self.size), dtype=np.int32)
        overlap_row(self._start, self._feature, self._holder_start, self._holder, a, count)
        return count

    def common_matrix(self, rows: IntArray, columns: IntArray) -> NDArray[np.integer]:
        """Number of features that each row shares with each column."""
        from ontomask.distance.kernels.features import overlap_matrix

        out = np.zeros((len(rows), len(columns)), dtype=np.int16)
        overlap_matrix(self._start, self._feature, self._holder_start, self._holder, rows, columns, out)
        return out

    def common_pairs(self, a: IntArray, b: IntArray) -> NDArray[np.integer]:
        """Number of features that a[i] and b[i] share."""
        from ontomask.distance.kernels.features import overlap_pairs

        count = np.zeros(len(a), dtype=np.int32)
        overlap_pairs(self._start, self._feature, a, b, count)
        return count


Sets = SubsumerSets | FeatureSets
"""One set per concept: its size, and the number of members that two sets share."""


class _Ends:
    """The concepts to compare: every ``a`` with its ``b``, as arrays that broadcast against each other."""

    def __init__(self, a: IntArray, b: IntArray) -> None:
        self.a, self.b = a, b
        self.shape = np.broadcast_shapes(a.shape, b.shape)


class Matrix(_Ends):
    """Compare every row with every column."""

    def __init__(self, rows: IntArray, columns: IntArray) -> None:
        super().__init__(rows[:, None], columns[None, :])
        self.rows, self.columns = rows, columns

    def common(self, sets: Sets) -> NDArray[np.integer]:
        """Number of members that the sets of both concepts share."""
        return sets.common_matrix(self.rows, self.columns)

    def tversky(self, shared: NDArray[np.integer], size: IntArray, depth: IntArray, dtype: np.dtype[Any]) -> FloatArray:
        """Tversky's ratio of both concepts' sets."""
        from ontomask.distance.kernels.features import tversky_matrix

        out = np.empty(self.shape, dtype=dtype)
        tversky_matrix(shared, size, depth, self.rows, self.columns, out)
        return out


class Row(Matrix):
    """Compare one concept with all: a matrix of one row, computed by a faster sweep."""

    def __init__(self, a: int, everything: IntArray) -> None:
        super().__init__(np.array([a], dtype=np.int32), everything)

    def common(self, sets: Sets) -> NDArray[np.integer]:
        """Number of members that the sets of both concepts share."""
        return sets.common_row(int(self.rows[0]))[None, :]


class Pairs(_Ends):
    """Compare ``a[i]`` with ``b[i]``."""

    def common(self, sets: Sets) -> NDArray[np.integer]:
        """Number of members that the sets of both concepts share."""
        return sets.common_pairs(self.a, self.b)

    def tversky(self, shared: NDArray[np.integer], size: IntArray, depth: IntArray, dtype: np.dtype[Any]) -> FloatArray:
        """Tversky's ratio of both concepts' sets."""
        from ontomask.distance.kernels.features import tversky_pairs

        out = np.empty(self.shape, dtype=dtype)
        tversky_pairs(shared, size, depth, self.a, self.b, out)
        return out


Ends = Matrix | Pairs


def word_sets(taxonomy: Taxonomy) -> FeatureSets:
    """The labels of each concept, in normal form."""
    return _of_texts(len(taxonomy), taxonomy.texts.entries()[1], taxonomy.texts.normalised())


def gloss_words(taxonomy: Taxonomy) -> FeatureSets:
    """The words of each concept's definition, without words of up to three letters (articles, prepositions)."""
    glosses = taxonomy.annotations.glosses or {}
    codes: list[int] = []
    words: list[str] = []
    for concept, text in glosses.items():
        if concept in taxonomy:
            found = [word for word in normalise(text).split(" ") if len(word) > 3]
            words += found
            codes += [taxonomy.code(concept)] * len(found)
    return _of_texts(len(taxonomy), np.array(codes, dtype=np.int32), words)


def part_sets(taxonomy: Taxonomy) -> FeatureSets:
    """The parts and the wholes of each concept. The sets are empty if the source was read without them."""
    pairs = [
        (taxonomy.code(whole), taxonomy.code(part))
        for whole, parts in (taxonomy.annotations.parts or {}).items()
        if whole in taxonomy
        for part in parts
        if part in taxonomy
    ]
    links = np.array(pairs, dtype=np.int32).reshape(-1, 2)
    whole, part = links[:, 0], links[:, 1]
    return FeatureSets(len(taxonomy), np.concatenate([whole, part]), np.concatenate([part, whole]))


def _of_texts(n: int, codes: IntArray, texts: Iterable[str]) -> FeatureSets:
    number: dict[str, int] = {}
    features = np.array([number.setdefault(text, len(number)) for text in texts], dtype=np.int64)
    return FeatureSets(n, codes, features)
