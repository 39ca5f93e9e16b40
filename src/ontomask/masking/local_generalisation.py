"""Local generalisation: the rarest group of tuples climbs to where it meets the nearest other (T 8.4.2)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from copy import copy
from dataclasses import dataclass, replace
from typing import Any, ClassVar, Literal, Self

import numpy as np
from numpy.typing import NDArray

from ontomask.base.arrays import IntArray
from ontomask.base.progress import progress
from ontomask.errors import MaskingError
from ontomask.masking.anonymous import Groups, KAnonymous
from ontomask.masking.base import Planned
from ontomask.masking.generalisation_paths import Ways
from ontomask.masking.sizes import allowed
from ontomask.microdata import Microdata
from ontomask.microdata.plan import SUPPRESSED
from ontomask.microdata.tuples import Tuples

__all__ = ["BestFirst", "Climb", "Steps"]

Steps = Literal["values", "records"]

# Mergers between two looks at the progress.
_AT_A_TIME = 1000


@dataclass(frozen=True)
class Climb:
    """How groups climb to where they meet.

    Attributes
    ----------
    ways
        By column, what its values climb in.
    steps
        ``values``: a step counts once, however many records take it. ``records``: it counts for every record.
    suppression
        The share of records that may be left out instead: merging ends when no more are in groups below k.
    """

    ways: Mapping[str, Ways]
    steps: Steps
    suppression: float = 0.0


@dataclass(frozen=True, repr=False)
class BestFirst(KAnonymous):
    """Merge the rarest group with the one that needs the fewest generalisation steps, until all have k records.

    Both climb, attribute by attribute, to their least common subsumer. Steps are the links that either of them climbs,
    over all attributes. The first of the rarest groups comes first; of partners that need as many steps the one with
    the fewest records is taken, then the one that is nearest in the attribute that tells tuples apart best, then the
    first: nothing is left to chance.
    """

    _climb: ClassVar[Climb | None] = None

    def _merged(self, data: Microdata, rng: np.random.Generator, climb: Climb) -> Planned:
        """The plan of groups that climb so."""
        return KAnonymous._plan(self._knowing(climb), data, rng)

    def _knowing(self, climb: Climb) -> Self:
        """What values climb in depends on the data, so a copy of the method knows it, not the method itself."""
        knowing = copy(self)
        object.__setattr__(knowing, "_climb", climb)
        return knowing

    def _find(self, data: Microdata, rows: IntArray, free: list[int], rng: np.random.Generator) -> Groups:
        try:
            return super()._find(data, rows, free, rng)
        except MaskingError:
            # What was left out may be the very persons that the others lack.
            if self._climb is None or not self._climb.suppression:
                raise
            return self._knowing(replace(self._climb, suppression=0.0))._find(data, rows, free, rng)

    def _ways_of(self, tuples: Tuples) -> list[Ways]:
        assert self._climb is not None
        return [self._climb.ways[name] for name in tuples.names]

    def _group(self, tuples: Tuples, rng: np.random.Generator) -> Groups:  # noqa: ARG002
        climb, ways = self._climb, self._ways_of(tuples)
        assert climb is not None
        forest = _Forest.of(ways)
        nodes = np.stack([way.node[tuples.places[:, j]] for j, way in enumerate(ways)], axis=1) + forest.first[:-1]
        merging = _Merging(forest, nodes.astype(np.int32), tuples.counts.copy())
        spare = allowed(climb.suppression, int(tuples.counts.sum()))
        merging.run(self.k, by_records=climb.steps == "records", spare=spare)
        root = merging.roots()
        keep = merging.counts[root] >= self.k
        released, group = np.unique(root[keep], return_inverse=True)
        out = np.full(len(tuples), SUPPRESSED, dtype=np.int32)
        out[keep] = group
        points = [way.point[merging.nodes[released, j] - forest.first[j]] for j, way in enumerate(ways)]
        details = {"mergers": merging.mergers, "suppressed": int(tuples.counts[~keep].sum())}
        return Groups(out, points, details=details)

    def _represent(self, tuples: Tuples, members: IntArray) -> list[Any]:
        """What tuples that are merged for another reason are released as: where all of them meet."""
        places = tuples.places[members]
        return [
            way.point[way.graph.lcs(way.node[places[:, j]].tolist())] for j, way in enumerate(self._ways_of(tuples))
        ]


@dataclass(frozen=True, eq=False)
class _Forest:
    """The graphs of all attributes in one line: those of attribute j are nodes ``first[j] … first[j + 1] − 1``."""

    parent_start: IntArray
    parent: IntArray
    depth: IntArray
    first: IntArray

    @classmethod
    def of(cls, ways: Sequence[Ways]) -> _Forest:
        """Put the graphs side by side."""
        first = np.cumsum([0, *(len(way.graph) for way in ways)]).astype(np.int32)
        links = np.cumsum([0, *(len(way.graph.parent) for way in ways)])
        return cls(
            np.concatenate(
                [way.graph.parent_start[:-1] + at for way, at in zip(ways, links, strict=False)] + [links[-1:]]
            ).astype(np.int32),
            np.concatenate([way.graph.parent + at for way, at in zip(ways, first, strict=False)]).astype(np.int32),
            np.concatenate([way.graph.depth for way in ways]),
            first,
        )


class _Merging:
    """Groups that are being merged: their nodes, their records, and what each was merged into."""

    def __init__(self, forest: _Forest, nodes: IntArray, counts: NDArray[np.int64]) -> None:
        self.forest = forest
        self.nodes = np.ascontiguousarray(nodes)
        self.counts = counts
        self.into: IntArray = np.arange(len(nodes), dtype=np.int32)
        self.mergers = 0

    def run(self, k: int, *, by_records: bool, spare: int) -> None:
        """Merge until no more than ``spare`` records are in groups below k."""
        from ontomask.masking.kernels.generalisation import list_groups, merge_rarest

        forest, groups = self.forest, len(self.nodes)
        # The attribute that splits the groups into the shortest lists: fewest pairs of groups share a list.
        key = int(np.argmin([(np.bincount(column).astype(np.float64) ** 2).sum() for column in self.nodes.T]))
        head = np.full(int(forest.first[-1]), -1, dtype=np.int32)
        after, before = np.empty((2, groups), dtype=np.int32)
        list_groups(self.nodes, key, head, after, before)
        below = int(self.counts[self.counts < k].sum())
        at = np.array([0, groups, below], dtype=np.int64)
        with progress("Generalising", below) as advance:
            while at[2] > spare:
                left = int(at[2])
                self.mergers += merge_rarest(
                    forest.parent_start,
                    forest.parent,
                    forest.depth,
                    forest.first,
                    key,
                    by_records,
                    k,
                    spare,
                    _AT_A_TIME,
                    self.nodes,
                    self.counts,
                    self.into,
                    head,
                    after,
                    before,
                    at,
                )
                advance(left - int(at[2]))

    def roots(self) -> IntArray:
        """For each of the groups at the start the one that it has become part of."""
        root = self.into
        while (root[root] != root).any():
            root = root[root]
        return root
