"""Feature-based distances: they compare sets of subsumers, words, parts and definitions.

Martínez 2012, section 3.2.2.
"""

from __future__ import annotations

from abc import abstractmethod
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ontomask.base.arrays import IntArray
from ontomask.distance.base import Distance, FloatArray
from ontomask.distance.sets import Ends, Matrix, Pairs, Row, Sets, SubsumerSets, gloss_words, part_sets, word_sets
from ontomask.distance.ties import levels_of
from ontomask.errors import DistanceError, Setting, given
from ontomask.taxonomy import Taxonomy

__all__ = ["LogSC", "Rodriguez", "Tversky", "XSimilarity"]

# A larger table of distances does not fit into the processor's cache, and is slower than computing them.
_TABLE_LIMIT = 2**20


class LogSC(Distance):
    """The logarithmic distance of subsumer sets: ``log2(1 + (|A∪B| − |A∩B|)/|A∪B|)`` (Martínez 2012, eq. 3.9).

    A and B are the sets of all subsumers of the two concepts, including the concepts themselves. All parents of a
    concept count. Concepts that share only the root come close to 1 but never reach it. Martínez 2012 masks with this
    distance, which is by Batet 2011 and Sánchez 2012. It is a metric: a concave function of the Jaccard distance, which
    is one.
    """

    name = "log_sc"
    is_metric = True
    is_monotone = True
    links_only = True

    def __init__(self, taxonomy: Taxonomy) -> None:
        super().__init__(taxonomy)
        self._sets = SubsumerSets(taxonomy)

    @cached_property
    def _tables(self) -> tuple[FloatArray, FloatArray] | None:
        """The distance by |A| + |B| and |A∩B|, in both precisions. ``None`` if the table would be too large."""
        most = int(self._sets.size.max())
        if 2 * (most + 1) ** 2 > _TABLE_LIMIT:
            return None
        both, common = np.mgrid[0 : 2 * most + 1, 0 : most + 1]
        table = _log_sc(common, both)
        return table.astype(np.float32), table

    def _row(self, a: int, dtype: np.dtype[Any]) -> FloatArray:
        if self._tables is None:
            return _log_sc(self._sets.common_row(a), self._sets.size[a] + self._sets.size).astype(dtype)
        return self._look_up(a, self._tables[dtype == np.float64])

    def _look_up(self, a: int, table: NDArray[Any]) -> NDArray[Any]:
        """The table's entry for ``a`` and every concept."""
        from ontomask.distance.kernels.common import look_up_row

        out = np.empty(len(self.taxonomy), dtype=table.dtype)
        look_up_row(self._sets.common_row(a), self._sets.size, a, table, out)
        return out

    @cached_property
    def _level_table(self) -> tuple[NDArray[np.int32], NDArray[np.float64]] | None:
        if self._tables is None:
            return None
        level, distances = levels_of(self._tables[1])
        return level.reshape(self._tables[1].shape), distances

    def _levels(self, a: int) -> tuple[NDArray[np.integer], NDArray[np.float64]]:
        if self._level_table is None:
            return super()._levels(a)
        level, distances = self._level_table
        return self._look_up(a, level), distances

    def _matrix(self, rows: IntArray, columns: IntArray, dtype: np.dtype[Any]) -> FloatArray:
        from ontomask.distance.kernels.common import look_up_matrix

        common = self._sets.common_matrix(rows, columns)
        size = self._sets.size
        if self._tables is None:
            return _log_sc(common, size[rows][:, None] + size[columns]).astype(dtype)
        out = np.empty(common.shape, dtype=dtype)
        look_up_matrix(common, size[rows], size[columns], self._tables[dtype == np.float64], out)
        return out

    def _pairs(self, a: IntArray, b: IntArray) -> NDArray[np.float64]:
        return _log_sc(self._sets.common_pairs(a, b), self._sets.size[a] + self._sets.size[b])


def _log_sc(common: NDArray[np.integer], both: NDArray[np.integer]) -> NDArray[np.float64]:
    union = np.maximum(both - common, 1)
    return np.log2(1 + np.clip(union - common, 0, None) / union)


class _SetMeasure(Distance):
    """Base class for distances from overlaps of sets. A subclass computes the similarity from the overlaps.

    Overlaps are an array over (rows, columns) or over pairs. A single row is a matrix with one row.
    """

    def _row(self, a: int, dtype: np.dtype[Any]) -> FloatArray:
        everything = np.arange(len(self.taxonomy), dtype=np.int32)
        return self._distance(Row(a, everything), dtype)[0]

    def _matrix(self, rows: IntArray, columns: IntArray, dtype: np.dtype[Any]) -> FloatArray:
        return self._distance(Matrix(rows, columns), dtype)

    def _pairs(self, a: IntArray, b: IntArray) -> NDArray[np.float64]:
        return self._distance(Pairs(a, b), np.dtype(np.float64)).astype(np.float64, copy=False)

    def _distance(self, ends: Ends, dtype: np.dtype[Any]) -> FloatArray:
        similarity = self._similarity(ends, dtype)
        distance = np.subtract(1, similarity, out=similarity)
        distance[ends.a == ends.b] = 0
        return distance

    @abstractmethod
    def _similarity(self, ends: Ends, dtype: np.dtype[Any]) -> FloatArray: ...


class Tversky(_SetMeasure):
    """Tversky's ratio model over the words and the taxonomic neighbours of concepts (Martínez 2012, eq. 3.4–3.5).

    The model is by Tversky 1977. A concept's features are its words and its subsumers, including itself. The ratio
    compares shared features with those of only one concept, weighted by γ: the smaller depth divided by the sum of both
    (½ if both are the root). If the depths differ, the ratio depends on the direction. The distance is one minus the
    mean of both directions.
    """

    name = "tversky"

    def __init__(self, taxonomy: Taxonomy) -> None:
        super().__init__(taxonomy)
        self._subsumers, self._words = SubsumerSets(taxonomy), word_sets(taxonomy)

    def _similarity(self, ends: Ends, dtype: np.dtype[Any]) -> FloatArray:
        shared = ends.common(self._subsumers)
        shared += ends.common(self._words)
        return ends.tversky(shared, self._subsumers.size + self._words.size, self.taxonomy.graph.depth, dtype)


class Rodriguez(_SetMeasure):
    """A weighted sum over words, parts and neighbourhoods (Rodríguez and Egenhofer 2003; Martínez 2012, eq. 3.6).

    Each component is Tversky's ratio over one kind of set: the words of the concepts; their parts and wholes, if the
    source has them; their subsumers. If both sets of a component are empty, its weight is distributed over the others.

    Parameters
    ----------
    taxonomy
        The concepts.
    words, parts, neighbours
        The weights w, u and v. They need not add up to 1.
    """

    name = "rodriguez"

    def __init__(self, taxonomy: Taxonomy, words: float = 1.0, parts: float = 1.0, neighbours: float = 1.0) -> None:
        super().__init__(taxonomy)
        self.words, self.parts, self.neighbours = words, parts, neighbours
        weights = (words, parts, neighbours)
        numbers = all(isinstance(w, (int, float)) and not isinstance(w, bool) for w in weights)
        if not (numbers and min(weights) >= 0 and 0 < sum(weights) < np.inf):
            raise DistanceError(
                "The weights of rodriguez must be ≥ 0, and one of them > 0. Got ",
                given(weights),
                " instead.",
                parameter="words",
            )
        if words == neighbours == 0 and taxonomy.annotations.parts is None:
            raise DistanceError(
                f"The distance 'rodriguez' needs part-of links if only 'parts' has a weight, but {_name(taxonomy)} was "
                f"read without them. Read it with ",
                Setting("ontologies", "NAME", "parts", values=[True]),
                ", or give words or neighbours a weight.",
                parameter="parts",
            )
        self._components = (
            (words, word_sets(taxonomy)),
            (parts, part_sets(taxonomy)),
            (neighbours, SubsumerSets(taxonomy)),
        )

    def _similarity(self, ends: Ends, dtype: np.dtype[Any]) -> FloatArray:
        total = np.zeros(ends.shape, dtype=dtype)
        weights = np.zeros(ends.shape, dtype=dtype)
        for weight, sets in self._components:
            used = weight * ((sets.size[ends.a] > 0) | (sets.size[ends.b] > 0))
            total += used * ends.tversky(ends.common(sets), sets.size, self.taxonomy.graph.depth, dtype)
            weights += used
        return np.divide(total, weights, out=np.zeros_like(total), where=weights > 0)


class XSimilarity(_SetMeasure):
    """X-similarity: the largest of several overlaps (Petrakis 2006; Martínez 2012, eq. 3.7–3.8).

    Concepts that share a word are at distance 0. Otherwise the similarity is the largest |A∩B|/|A∪B| over their
    subsumers, their parts and wholes, and the words of their definitions.

    Parameters
    ----------
    taxonomy
        The concepts.
    parts, glosses
        Whether to use part-of links and definitions. ``None``: if the source has them. ``True``: raise an error if it
        does not.

    Notes
    -----
    The embedded WordNet has neither. Read a WNdb folder with ``parts=True, glosses=True`` for both.
    """

    name = "x_similarity"

    def __init__(self, taxonomy: Taxonomy, parts: bool | None = None, glosses: bool | None = None) -> None:
        super().__init__(taxonomy)
        self.parts, self.glosses = parts, glosses
        have = taxonomy.annotations
        for option, wanted, source in (("parts", parts, have.parts), ("glosses", glosses, have.glosses)):
            if wanted and source is None:
                raise DistanceError(
                    f"The distance 'x_similarity' cannot use {option}: {_name(taxonomy)} was read without them. Read "
                    f"it with ",
                    Setting("ontologies", "NAME", option, values=[True]),
                    ", or leave the option out.",
                    parameter=option,
                )
        neighbourhoods: list[Sets] = [SubsumerSets(taxonomy)]
        if parts is not False and have.parts is not None:
            neighbourhoods.append(part_sets(taxonomy))
        if glosses is not False and have.glosses is not None:
            neighbourhoods.append(gloss_words(taxonomy))
        self._words, self._neighbourhoods = word_sets(taxonomy), tuple(neighbourhoods)

    def _similarity(self, ends: Ends, dtype: np.dtype[Any]) -> FloatArray:
        best = np.zeros(ends.shape, dtype=dtype)
        for sets in self._neighbourhoods:
            shared = ends.common(sets)
            union = sets.size[ends.a] + sets.size[ends.b] - shared
            np.maximum(best, np.divide(shared, union, out=np.zeros_like(best), where=union > 0), out=best)
        best[ends.common(self._words) > 0] = 1
        return best


def _name(taxonomy: Taxonomy) -> str:
    return taxonomy.annotations.name or "the ontology"
