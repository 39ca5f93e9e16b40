"""The index of tuples that the microaggregation kernels work on: nodes, coordinates, and distances between nodes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ontomask.base.arrays import IntArray
from ontomask.base.progress import with_progress
from ontomask.distance.ties import TIE
from ontomask.masking.set_index import IndexedSets, set_index
from ontomask.masking.temporary import room_for
from ontomask.microdata.tuples import Tuples
from ontomask.operators.line import NumericSpace
from ontomask.operators.ranges import is_off_line
from ontomask.operators.set_space import ConceptSetSpace
from ontomask.operators.space import Points, Space
from ontomask.taxonomy.graph import Graph, gather

__all__ = ["cluster_index"]

# Distances that are computed at a time (32 MiB).
_AT_ONCE = 2**22
# By the number of attributes that a grid divides: the blocks of each attribute, and the bits below each attribute's
# block in the number of a cell. There are at most 4,096 cells.
_BLOCKS = (1, 64, 64, 16)
_SHIFTS = ((0, 0), (0, 0), (6, 0), (8, 4))


def cluster_index(tuples: Tuples, *, strategy: str = "semantic", equality: bool = False) -> Any:
    """Build the index of tuples without kept cells.

    Parameters
    ----------
    tuples
        The tuples.
    strategy
        How a centroid is chosen: ``semantic``, ``lcs`` or ``mode``.
    equality
        Whether tuples are compared by equality.
    """
    from ontomask.masking.kernels import running_centroid
    from ontomask.masking.kernels.set_index import SetAim

    scale = _scale(tuples)
    columns = [
        (space, points, indices, share * scale)
        for space, points, indices, share in zip(
            tuples.spaces, tuples.points, tuples.indices.T, tuples.shares, strict=True
        )
    ]
    concepts = [_Concepts.of(space, *rest) for space, *rest in columns if space.domain is not None]
    numbers = [
        _Numbers.of(space, *rest, ranges=strategy == "lcs")
        for space, *rest in columns
        if isinstance(space, NumericSpace)
    ]
    sets = [IndexedSets.of(space, *rest) for space, *rest in columns if isinstance(space, ConceptSetSpace)]
    attributes: list[_Concepts | _Numbers | IndexedSets] = [*concepts, *numbers, *sets]
    nodes = _Nodes(concepts, equality=equality)
    spread = [*map(nodes.spread, range(len(concepts))), *(n.spread for n in numbers)]
    sides = [j for j in np.argsort(-np.array(spread), kind="stable").tolist() if spread[j] > 0][:3]
    block, low, high = nodes.blocks(_BLOCKS[len(sides)])
    starts = np.cumsum([0, *map(len, attributes)]).astype(np.int32)
    kinds = [running_centroid.centre_kind(n.centre, is_line=n.is_line) for n in numbers]
    indexed = set_index(attributes, int(starts[len(concepts) + len(numbers)]))
    return running_centroid.ClusterIndex(
        nominal=len(concepts),
        single=len(concepts) + len(numbers),
        node=np.stack([a.number for a in attributes], axis=1) + starts[:-1],
        coordinate=np.stack([a.coordinate for a in attributes], axis=1),
        counts=tuples.counts,
        first=starts[:-1],
        kind=np.array(
            [running_centroid.NOMINAL] * len(concepts) + kinds + [running_centroid.SET] * len(sets), dtype=np.int8
        ),
        longest=np.array([*nodes.longest, *(n.far for n in numbers), *(s.reach for s in sets)]).astype(np.int64),
        one=np.array([a.reach for a in attributes]).astype(np.int64),
        slack=TIE * np.array([a.reach for a in attributes]),
        parent_start=nodes.parent_start,
        parent=nodes.parent,
        depth=_joined([c.graph.depth[c.codes] for c in concepts], np.int32),
        row_at=nodes.row_at,
        row=nodes.row,
        meant=nodes.meant,
        position=np.concatenate(
            [
                np.zeros(nodes.number, dtype=np.int64),
                *(n.positions for n in numbers),
                np.zeros(sum(map(len, sets)), dtype=np.int64),
            ]
        ),
        sides=np.array([*sides, -1, -1, -1][:3]),
        shift=np.array(_SHIFTS[len(sides)]),
        block=block,
        low=low,
        high=high,
        unit=1 / scale,
        tie=max(1, int(TIE * scale)),
        equality=equality,
        strategy={"semantic": running_centroid.SEMANTIC, "lcs": running_centroid.LCS, "mode": running_centroid.MODE}[
            strategy
        ],
        sets=indexed,
        room=None if indexed is None else SetAim.empty(indexed).room,
    )


def _scale(tuples: Tuples) -> float:
    """The integer that stands for 1: the sum of distances over all records must fit into 64 bits."""
    longest = max([1, *(space.longest for space in tuples.spaces)])
    return float(2 ** min(50, 60 - int(tuples.counts.sum()).bit_length() - longest.bit_length()))


@dataclass(frozen=True, eq=False)
class _Numbers:
    """A numeric or ordinal attribute.

    Attributes
    ----------
    reach, far
        The integers that stand for a distance of 1, and for the largest distance on the line.
    centre, is_line
        What the centroid is, ``mean``, ``median`` or ``range``; and whether all values are on the line.
    coordinate, number
        The coordinate of each tuple, and the number of its value.
    positions
        The coordinates of all values, unless the centroid is the mean of values on the line.
    """

    reach: float
    far: int
    centre: str
    is_line: bool
    coordinate: NDArray[np.int64]
    number: IntArray
    positions: NDArray[np.int64]

    @classmethod
    def of(cls, space: NumericSpace, points: Points, indices: IntArray, reach: float, *, ranges: bool) -> _Numbers:
        """From the attribute's points and the index of each tuple's point."""
        far, off, at = round(space.largest * reach), is_off_line(points), space.coordinates(points)
        positions = np.where(off, at * (far + 1), np.rint(at * (space.largest * reach))).astype(np.int64)
        centre, is_line = "range" if ranges else space.centre, not off.any()
        own = positions[:0] if centre == "mean" and is_line else positions
        return cls(reach, far, centre, is_line, positions[indices], indices, own)

    def __len__(self) -> int:
        return len(self.positions)

    @property
    def spread(self) -> float:
        """Mean distance of the tuples to the middle: the larger, the better the attribute separates tuples.

        A grid cannot divide an attribute with values off the line.
        """
        return 0.0 if not self.is_line else float(np.abs(self.coordinate - self.coordinate.mean()).mean())


@dataclass(frozen=True, eq=False)
class _Concepts:
    """A nominal attribute: its values and all their subsumers.

    Attributes
    ----------
    space, graph, reach
        The attribute, its taxonomy, and the integer that stands for a distance of 1.
    codes
        The concepts.
    number
        The number of each tuple's value among them.
    """

    space: Space
    graph: Graph
    reach: float
    codes: IntArray
    number: IntArray

    @classmethod
    def of(cls, space: Space, points: Points, indices: IntArray, reach: float) -> _Concepts:
        """From the attribute's points and the index of each tuple's point."""
        assert space.domain is not None, "the attribute holds concepts"
        graph = space.domain.graph
        codes = graph.ancestors(points[np.unique(indices)])
        return cls(space, graph, reach, codes, np.searchsorted(codes, points[indices]).astype(np.int32))

    def __len__(self) -> int:
        return len(self.codes)

    @property
    def coordinate(self) -> NDArray[np.int64]:
        """Concepts have none."""
        return np.zeros(len(self.number), dtype=np.int64)

    @property
    def often(self) -> NDArray[np.int64]:
        """The number of tuples with each concept."""
        return np.bincount(self.number, minlength=len(self))


class _Nodes:
    """The concepts of all nominal attributes in one array, with the links and the distances between them."""

    def __init__(self, concepts: Sequence[_Concepts], *, equality: bool) -> None:
        self._concepts = concepts
        sizes = [len(c) for c in concepts]
        self._starts = np.cumsum([0, *sizes])
        self.number = int(self._starts[-1])
        links = [_links(c) for c in concepts]
        self.parent_start = np.cumsum(np.concatenate([[0], *(often for often, _ in links)])).astype(np.int32)
        self.parent = _joined([above + at for at, (_, above) in zip(self._starts, links, strict=False)], np.int32)
        self._ends = np.cumsum([0, *(size**2 for size in sizes)])
        self.row_at = _joined(
            [at + size * np.arange(size) for at, size in zip(self._ends, sizes, strict=False)], np.int64
        )
        self.meant = room_for(int(self._ends[-1]), np.dtype(np.int64))
        self.row = room_for(int(self._ends[-1]), np.dtype(np.int64)) if equality else self.meant
        self.longest = [self._fill(j, c, equality=equality) for j, c in enumerate(concepts)]

    def _fill(self, j: int, concepts: _Concepts, *, equality: bool) -> int:
        """Compute the distances between an attribute's concepts; return the longest."""
        longest = round(concepts.reach)
        at, size = int(self._ends[j]), len(concepts)
        step = max(1, _AT_ONCE // size)
        for start in with_progress("Computing distances", range(0, size, step)):
            some = concepts.codes[start : start + step]
            block = np.rint(concepts.space.matrix(some, concepts.codes) * concepts.reach)
            self.meant[at : at + block.size] = block.ravel()
            if equality:
                self.row[at : at + block.size] = np.not_equal.outer(some, concepts.codes).ravel() * longest
            else:
                longest = max(longest, int(block.max()))
            at += block.size
        return longest

    def _distances(self, j: int) -> NDArray[np.int64]:
        size = len(self._concepts[j])
        return self.row[self._ends[j] : self._ends[j + 1]].reshape(size, size)

    def spread(self, j: int) -> float:
        """Mean distance of the tuples to the most frequent value. A large one separates tuples well."""
        often = self._concepts[j].often
        return float(self._distances(j)[int(often.argmax())] @ (often / often.sum()))

    def blocks(self, most: int) -> tuple[IntArray, NDArray[np.int64], NDArray[np.int64]]:
        """Blocks of neighbours in taxonomy order, of about equal size, and bounds of the distances to them."""
        blocks = np.zeros(self.number, dtype=np.int32)
        low, high = np.zeros((2, self.number, most), dtype=np.int64)
        for j, concepts in enumerate(self._concepts):
            at, size = int(self._starts[j]), len(concepts)
            block = np.arange(size)
            if size > most:
                middle = np.cumsum(concepts.often) - concepts.often / 2
                raw = np.minimum(middle * most // concepts.often.sum(), most - 1)
                block = np.unique(raw, return_inverse=True)[1].ravel()
            starts = np.flatnonzero(np.diff(block, prepend=-1))
            step = max(1, _AT_ONCE // size)
            for i in range(0, size, step):
                distances = self._distances(j)[i : i + step]
                rows = slice(at + i, at + i + len(distances))
                low[rows, : len(starts)] = np.minimum.reduceat(distances, starts, axis=1)
                high[rows, : len(starts)] = np.maximum.reduceat(distances, starts, axis=1)
            blocks[at : at + size] = block
        return blocks, low, high


def _links(concepts: _Concepts) -> tuple[NDArray[np.integer], NDArray[np.integer]]:
    """The number of parents of each concept, and the parents' indices: all of them are among the concepts."""
    graph = concepts.graph
    parents = gather(graph.parent_start, graph.parent, concepts.codes)
    return np.diff(graph.parent_start)[concepts.codes], np.searchsorted(concepts.codes, parents)


def _joined(parts: Sequence[NDArray[Any]], dtype: Any) -> NDArray[Any]:
    return np.concatenate([np.empty(0, dtype=dtype), *parts]).astype(dtype)
