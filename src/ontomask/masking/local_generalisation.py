"""Local generalisation: groups by cost, or the smallest group merged with the nearest (Martínez 2012, 8.4.2)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ontomask.base.arrays import IntArray
from ontomask.base.progress import Pace, progress
from ontomask.errors import MaskingError
from ontomask.masking.anonymous import KAnonymous
from ontomask.masking.generalisation_costs import CellCosts, Objective
from ontomask.masking.generalisation_paths import GeneralisationPaths
from ontomask.masking.groups import Groups
from ontomask.masking.least_cost import common_nodes, least_cost_groups, leave_out_costly
from ontomask.masking.results import Planned, Requirement
from ontomask.masking.sizes import allowed
from ontomask.microdata import Microdata
from ontomask.microdata.plan import SUPPRESSED
from ontomask.microdata.tuples import Tuples
from ontomask.operators.space import Space

__all__ = ["Steps", "group_by_cost", "merge_best_first"]

Steps = Literal["values", "records"]


def merge_best_first(
    data: Microdata,
    k: int,
    rng: np.random.Generator,
    *,
    paths: Mapping[str, GeneralisationPaths],
    steps: Steps,
    suppression: float = 0.0,
    require: Sequence[Requirement] = (),
) -> Planned:
    """Merge the smallest group with the one that needs the fewest generalisation steps, until all have k records.

    Both groups are generalised to their least common subsumer in each attribute. Steps are the links that either of
    them moves up, summed over the attributes by their weights. Among equally small groups the first is merged first.
    Among partners that need equally many steps, the one with the fewest records is chosen, then the nearest one in the
    attribute that divides the tuples best, then the first. Nothing is random.

    Parameters
    ----------
    paths
        What the values of each column can be generalised to.
    steps
        ``values``: a step counts once, however many records take it. ``records``: it counts for each record.
    suppression
        The share of records that may be left out. A record is left out only if the others of its group lose so much
        less that all together gain, where a record left out loses everything. Losses are those of `group_by_cost`.
    require
        Requirements on combinations of columns that groups are merged for.
    """
    return _BestFirst(k, paths, suppression, _costs(data, paths, "balanced"), steps, require=require)._plan(data, rng)


def group_by_cost(
    data: Microdata,
    k: int,
    rng: np.random.Generator,
    *,
    paths: Mapping[str, GeneralisationPaths],
    objective: Objective,
    suppression: float = 0.0,
    require: Sequence[Requirement] = (),
) -> Planned:
    """Form groups of at least k records that lose as little as possible; see `ontomask.masking.least_cost`.

    The parameters are those of `merge_best_first`, and how losses are measured.
    """
    costs = _costs(data, paths, objective)
    planned = _ByCost(k, paths, suppression, costs, require=require)._plan(data, rng)
    loss = planned.details["loss"] / len(data)
    return replace(planned, details={**planned.details, "objective": objective, "loss": loss})


def _costs(data: Microdata, paths: Mapping[str, GeneralisationPaths], objective: Objective) -> dict[str, CellCosts]:
    return {name: CellCosts(data.quasi_identifiers[name], path, objective) for name, path in paths.items()}


@dataclass(frozen=True, repr=False)
class _Local(KAnonymous):
    """Groups that are released as least common subsumers. What values can be generalised to depends on the data."""

    paths: Mapping[str, GeneralisationPaths]
    suppression: float
    costs: Mapping[str, CellCosts]

    def _find(self, data: Microdata, rows: IntArray, free: list[int], rng: np.random.Generator) -> Groups:
        try:
            return super()._find(data, rows, free, rng)
        except MaskingError:
            # The records left out may belong to the very persons that the other groups lack.
            if not self.suppression:
                raise
            return replace(self, suppression=0.0)._find(data, rows, free, rng)

    @property
    def _aligns_columns(self) -> bool:
        return True

    def _paths_of(self, tuples: Tuples) -> list[GeneralisationPaths]:
        return [self.paths[name] for name in tuples.names]

    def _represent(self, tuples: Tuples, members: IntArray) -> list[Any]:
        """The least common subsumers of tuples whose groups are merged for another reason."""
        indices = tuples.indices[members]
        return [
            path.point[path.graph.lcs(path.node[indices[:, j]].tolist())]
            for j, path in enumerate(self._paths_of(tuples))
        ]


@dataclass(frozen=True, repr=False)
class _ByCost(_Local):
    """The grouping of `group_by_cost`."""

    def _find(self, data: Microdata, rows: IntArray, free: list[int], rng: np.random.Generator) -> Groups:
        found = super()._find(data, rows, free, rng)
        # What records lose in the end: groups may have been merged for persons or requirements.
        tuples, inside = Tuples.of(data.table, rows, free), np.flatnonzero(found.group != SUPPRESSED)
        lost = np.ones(len(tuples))
        lost[inside] = 0.0
        shares = {column.name: column.space.weight for column in data.table.columns}
        for name, points, values, index in zip(
            tuples.names, found.points, tuples.points, tuples.indices.T, strict=True
        ):
            share = shares[name] / sum(shares.values())
            lost[inside] += share * self.costs[name].lost(values[index[inside]], points[found.group[inside]])
        return replace(found, details={**found.details, "loss": float(lost @ tuples.counts)})

    def _group(self, tuples: Tuples, rng: np.random.Generator) -> Groups:  # noqa: ARG002
        paths, costs = self._paths_of(tuples), [self.costs[name] for name in tuples.names]
        spare = allowed(self.suppression, int(tuples.counts.sum()))
        group, rounds = least_cost_groups(tuples, paths, costs, self.k, spare)
        points = [path.point[common_nodes(path, tuples.indices[:, j], group)] for j, path in enumerate(paths)]
        details = {"rounds": rounds, "suppressed": int(tuples.counts[group < 0].sum())}
        return Groups(np.where(group < 0, SUPPRESSED, group).astype(np.int32), points, details=details)


@dataclass(frozen=True, repr=False)
class _BestFirst(_Local):
    """The grouping of `merge_best_first`."""

    steps: Steps

    def _group(self, tuples: Tuples, rng: np.random.Generator) -> Groups:  # noqa: ARG002
        paths = self._paths_of(tuples)
        forest = _Forest.of(paths)
        nodes = np.stack([path.node[tuples.indices[:, j]] for j, path in enumerate(paths)], axis=1) + forest.first[:-1]
        merging = _Merging(forest, nodes.astype(np.int32), tuples.counts.copy(), tuples.spaces)
        merging.run(self.k, by_records=self.steps == "records")
        released, number = np.unique(merging.roots(), return_inverse=True)
        group: IntArray = number.astype(np.int32)
        released_nodes = merging.nodes[released] - forest.first[:-1]
        spare = allowed(self.suppression, int(tuples.counts.sum()))
        if spare:
            costs = [self.costs[name] for name in tuples.names]
            kept, nodes = leave_out_costly(tuples, paths, costs, group, self.k, spare)
            changed = np.unique(group[kept < 0])
            released_nodes[changed], group = nodes[changed], kept
        points = [path.point[released_nodes[:, j]] for j, path in enumerate(paths)]
        details = {"mergers": merging.mergers, "suppressed": int(tuples.counts[group < 0].sum())}
        return Groups(np.where(group < 0, SUPPRESSED, group).astype(np.int32), points, details=details)


class _Forest(NamedTuple):
    """The graphs of all attributes in one array: attribute j has the nodes ``first[j] … first[j + 1] − 1``."""

    parent_start: IntArray
    parent: IntArray
    depth: IntArray
    first: IntArray

    @classmethod
    def of(cls, paths: Sequence[GeneralisationPaths]) -> _Forest:
        """Concatenate the graphs."""
        graphs = [path.graph for path in paths]
        first = np.cumsum([0, *map(len, graphs)]).astype(np.int32)
        links = np.cumsum([0, *(len(graph.parent) for graph in graphs)])
        return cls(
            np.concatenate(
                [graph.parent_start[:-1] + at for graph, at in zip(graphs, links, strict=False)] + [links[-1:]]
            ).astype(np.int32),
            np.concatenate([graph.parent + at for graph, at in zip(graphs, first, strict=False)]).astype(np.int32),
            np.concatenate([graph.depth for graph in graphs]),
            first,
        )


class _Merging:
    """Groups that are being merged: their nodes, their records, and the group that each was merged into."""

    def __init__(self, forest: _Forest, nodes: IntArray, counts: NDArray[np.int64], spaces: Sequence[Space]) -> None:
        self.forest = forest
        weights = np.array([space.weight for space in spaces])
        # Equal weights become 1, so that steps are counted exactly.
        self.weights = weights / weights.min()
        self.nodes = np.ascontiguousarray(nodes)
        self.counts = counts
        self.into: IntArray = np.arange(len(nodes), dtype=np.int32)
        self.mergers = 0

    def run(self, k: int, *, by_records: bool) -> None:
        """Merge until all groups have k records."""
        from ontomask.masking.kernels.generalisation import list_groups, merge_rarest

        groups = len(self.nodes)
        # The attribute that divides the groups into the shortest lists: the fewest pairs of groups share a list.
        key = int(np.argmin([(np.bincount(column).astype(np.float64) ** 2).sum() for column in self.nodes.T]))
        head = np.full(int(self.forest.first[-1]), -1, dtype=np.int32)
        after, before = np.empty((2, groups), dtype=np.int32)
        list_groups(self.nodes, key, head, after, before)
        below = int(self.counts[self.counts < k].sum())
        at = np.array([0, groups, below], dtype=np.int64)
        pace = Pace()
        with progress("Generalising", below) as advance:
            while at[2] > 0:
                left = int(at[2])
                options = (key, by_records, k, pace.steps)
                groups_now = (self.nodes, self.counts, self.into)
                with pace:
                    self.mergers += merge_rarest(
                        *self.forest, self.weights, *options, *groups_now, head, after, before, at
                    )
                advance(left - int(at[2]))

    def roots(self) -> IntArray:
        """For each original group the group that it is now part of."""
        root = self.into
        while (root[root] != root).any():
            root = root[root]
        return root
