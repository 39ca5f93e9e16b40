"""Measures that compare sets: subsumers, words, parts and definitions (T 3.2.2)."""

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
from ontomask.errors import DistanceError
from ontomask.taxonomy import Taxonomy

__all__ = ["LogSC", "Rodriguez", "Tversky", "XSimilarity"]

# A table of all (size, size, common) values is worth its memory only while it stays in the cache.
_TABLE_LIMIT = 2**20


class LogSC(Distance):
    """Sánchez's logarithmic distance of subsumer sets: ``log2(1 + (|A∪B| − |A∩B|)/|A∪B|)`` (T eq. 3.9).

    A and B are all subsumers of the two concepts, themselves included, so every way up counts where concepts have
    several parents. Concepts that share only the root come near 1 but never reach it. T's choice for masking.
    """

    name = "log_sc"

    def __init__(self, taxonomy: Taxonomy) -> None:
        super().__init__(taxonomy)
        self._sets = SubsumerSets(taxonomy)

    @cached_property
    def _tables(self) -> tuple[FloatArray, FloatArray] | None:
        """The distance by |A| + |B| and |A∩B|, in both precisions; ``None`` where it would be too large."""
        most = int(self._sets.size.max())
        if 2 * (most + 1) ** 2 > _TABLE_LIMIT:
            return None
        both, common = np.mgrid[0 : 2 * most + 1, 0 : most + 1]
        table = _log_sc(common, both)
        return table.astype(np.float32), table

    def _row(self, a: int, dtype: np.dtype[Any]) -> FloatArray:
        from ontomask.distance.kernels.common import look_up_row

        common = self._sets.common_row(a)
        if self._tables is None:
            return _log_sc(common, self._sets.size[a] + self._sets.size).astype(dtype)
        out = np.empty(len(common), dtype=dtype)
        look_up_row(common, self._sets.size, a, self._tables[dtype == np.float64], out)
        return out

    @cached_property
    def _level_table(self) -> tuple[NDArray[np.int32], NDArray[np.float64]] | None:
        if self._tables is None:
            return None
        level, distances = levels_of(self._tables[1])
        return level.reshape(self._tables[1].shape), distances

    def _levels(self, a: int) -> tuple[NDArray[np.integer], NDArray[np.float64]]:
        from ontomask.distance.kernels.common import look_up_row

        if self._level_table is None:
            return super()._levels(a)
        level, distances = self._level_table
        common = self._sets.common_row(a)
        out = np.empty(len(common), dtype=np.int32)
        look_up_row(common, self._sets.size, a, level, out)
        return out, distances

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
    """A distance from the overlaps of sets, gathered once for a row, a matrix or pairs.

    Overlaps come as an array over (rows, columns), a row being a matrix of one, or over pairs. A measure says what
    sets it looks at and how similar two concepts with such overlaps are.
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
        distance[ends.equal()] = 0
        return distance

    @abstractmethod
    def _similarity(self, ends: Ends, dtype: np.dtype[Any]) -> FloatArray: ...


class Tversky(_SetMeasure):
    """Tversky's ratio model over the words and the taxonomic neighbours of concepts (T eq. 3.4–3.5).

    A concept's features are its words and its subsumers, itself included; what the two share counts against what
    each has alone, weighed by γ, the smaller depth's share of both depths (½ where both are the root). γ depends on the
    direction when depths differ: the distance is one minus the mean of both.
    """

    name = "tversky"

    def __init__(self, taxonomy: Taxonomy) -> None:
        super().__init__(taxonomy)
        self._subsumers, self._words = SubsumerSets(taxonomy), word_sets(taxonomy)

    def _similarity(self, ends: Ends, dtype: np.dtype[Any]) -> FloatArray:
        shared = ends.common(self._words, added_to=ends.common(self._subsumers))
        return ends.tversky(shared, self._subsumers.size + self._words.size, self.taxonomy.graph.depth, dtype)


class Rodriguez(_SetMeasure):
    """Rodríguez and Egenhofer's weighted sum over words, parts and neighbourhoods (T eq. 3.6).

    Each component is Tversky's ratio over one kind of set: the words of the concepts; their parts and wholes, where
    the source has them; their subsumers. A component on which neither concept has anything says nothing about the
    pair, and its weight goes to the others.

    Parameters
    ----------
    taxonomy
        The concepts.
    words, parts, neighbours
        The weights w, u and v; they need not add up to 1.
    """

    name = "rodriguez"

    def __init__(self, taxonomy: Taxonomy, words: float = 1.0, parts: float = 1.0, neighbours: float = 1.0) -> None:
        super().__init__(taxonomy)
        self.words, self.parts, self.neighbours = words, parts, neighbours
        weights = (words, parts, neighbours)
        numbers = all(isinstance(w, (int, float)) and not isinstance(w, bool) for w in weights)
        if not (numbers and min(weights) >= 0 and 0 < sum(weights) < np.inf):
            raise DistanceError(
                f"The weights of rodriguez must be ≥ 0 and not all 0. Got {words!r}, {parts!r}, {neighbours!r} instead."
            )
        if words == neighbours == 0 and taxonomy.annotations.parts is None:
            raise DistanceError(
                f"rodriguez was asked for parts alone, but {taxonomy!r} was read without them. Read the source with "
                f"parts=True, or give words and neighbours a weight."
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
            a, b = ends.both(sets.size)
            said = weight * ((a > 0) | (b > 0))
            total += said * ends.tversky(ends.common(sets), sets.size, self.taxonomy.graph.depth, dtype)
            weights += said
        return np.divide(total, weights, out=np.zeros_like(total), where=weights > 0)


class XSimilarity(_SetMeasure):
    """Petrakis's X-similarity: the best of several overlaps of words (T eq. 3.7–3.8).

    Concepts that share a word are the same (distance 0). Otherwise the similarity is the largest |A∩B|/|A∪B| over
    the neighbourhoods, the subsumers by is-a and the parts and wholes, and the words of the definitions.

    Parameters
    ----------
    taxonomy
        The concepts.
    parts, glosses
        Whether to use part-of links and definitions: ``None`` where the source has them, ``True`` to insist.

    Notes
    -----
    The embedded WordNet has neither; read a WNdb folder with ``parts=True, glosses=True`` to have both.
    """

    name = "x_similarity"

    def __init__(self, taxonomy: Taxonomy, parts: bool | None = None, glosses: bool | None = None) -> None:
        super().__init__(taxonomy)
        self.parts, self.glosses = parts, glosses
        have = taxonomy.annotations
        for wanted, source, what in ((parts, have.parts, "part-of links"), (glosses, have.glosses, "glosses")):
            if wanted and source is None:
                raise DistanceError(
                    f"x_similarity was asked for {what}, but {taxonomy!r} was read without them. Read the source with "
                    f"{'parts' if what.startswith('part') else 'glosses'}=True, or leave the option out."
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
            a, b = ends.both(sets.size)
            union = a + b - shared
            np.maximum(best, np.divide(shared, union, out=np.zeros_like(best), where=union > 0), out=best)
        best[ends.common(self._words) > 0] = 1
        return best
