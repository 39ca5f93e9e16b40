"""Local generalisation by cost: groups of tuples whose records together lose as little as possible.

1. Combinations of levels, one level for each column, are tried in the order of their mean cost. On each, the tuples
   without a group that become equal are a group if they have k records. So tuples that k records share begin as groups
   of their own. If there are too many combinations, the cheapest are tried. If the tuples left have k records, they are
   one group, which step 2 divides. Otherwise each joins the group whose cost rises least.
2. In rounds, groups are divided, tuples move to other groups, and groups are dissolved, wherever the cost falls and all
   groups keep k records. A group that k records share already is changed only if all records together lose less by it.

Each group is released as the least common subsumer of its values in each column. So every step of the search compares
what would really be released. Nothing is random. Ties go to the first group.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ontomask.base.arrays import IntArray
from ontomask.base.progress import Pace, in_blocks, progress
from ontomask.distance.ties import levels_of
from ontomask.kinds.generalisations import deepest_parents
from ontomask.masking.generalisation_costs import CellCosts
from ontomask.masking.generalisation_paths import GeneralisationPaths
from ontomask.microdata.tuples import Tuples
from ontomask.operators.space import Sets
from ontomask.taxonomy.common_subsumers import lcs_of_sets
from ontomask.taxonomy.graph import Graph

__all__ = ["cheapest_combinations", "common_nodes", "least_cost_groups", "leave_out_costly"]

# Combinations of levels that are tried, and the tuples that are looked at in doing so.
_MOST_COMBINATIONS = 20_000
_MOST_LOOKS = 200_000_000
# Groups that are looked at when all tuples are compared with them.
_MOST_COMPARISONS = 50_000_000
# Up to this many nodes, the least common subsumers of all pairs are kept (16 MiB). Beyond it, a tree is climbed.
_MOST_NODES = 2048
# Rounds end when one lowers the cost by less than this share, and after this many.
_WORTHWHILE = 0.005
_MOST_ROUNDS = 10


def least_cost_groups(
    tuples: Tuples, paths: Sequence[GeneralisationPaths], costs: Sequence[CellCosts], k: int, spare: int = 0
) -> tuple[IntArray, int]:
    """The group of each tuple (−1: left out), and the number of rounds of the search.

    Parameters
    ----------
    tuples
        The tuples, with k records at least.
    paths, costs
        For each attribute what its values can be generalised to, and what they lose.
    k
        The least number of records in a group.
    spare
        Records that may be left out. One is left out only if the cost of its group falls by more than 1, the most that
        a record can lose.
    """
    group, rounds = _Search(tuples, paths, costs, k).run(spare)
    _, number = np.unique(group, return_inverse=True)
    return (number.ravel() - int((group < 0).any())).astype(np.int32), rounds


def leave_out_costly(
    tuples: Tuples,
    paths: Sequence[GeneralisationPaths],
    costs: Sequence[CellCosts],
    group: IntArray,
    k: int,
    spare: int,
) -> tuple[IntArray, IntArray]:
    """Leave records out of given groups as `least_cost_groups` does.

    Returns the group of each tuple (−1: left out), and the node of each group in each attribute.
    """
    from ontomask.masking.kernels.least_cost_steps import leave_out

    search = _Search(tuples, paths, costs, k)
    p = search._partition(group.copy(), int(group.max()) + 1)
    leave_out(search.costs, p, k, spare, 1.0)
    node = np.empty_like(p.node)
    node[:, search.order] = p.node
    return p.group, node


def common_nodes(path: GeneralisationPaths, index: IntArray, group: IntArray) -> IntArray:
    """The least common subsumer of the values of each group (−1: none), given the value and the group of each tuple."""
    inside = np.flatnonzero(group >= 0)
    sets = Sets.of(group[inside], path.node[index[inside]])
    return lcs_of_sets(path.graph, sets.start, sets.index)


def cheapest_combinations(means: Sequence[NDArray[np.float64]], most: int) -> NDArray[np.int32]:
    """The cheapest combinations of levels, in the order of their cost; the first of equals comes first.

    ``means[j]`` has the cost of each level of column j.

    >>> cheapest_combinations([np.array([0.0, 0.3]), np.array([0.0, 0.1, 0.5])], most=4).tolist()
    [[0, 0], [0, 1], [1, 0], [1, 1]]
    """
    total, levels = np.zeros(1), np.zeros((1, 0), dtype=np.int32)
    for mean in means:
        # What is not among the cheapest so far cannot become one of them.
        sums = np.add.outer(total, mean).ravel()
        best = np.argsort(levels_of(sums)[0], kind="stable")[:most]
        before, level = np.divmod(best, len(mean))
        total, levels = sums[best], np.column_stack([levels[before], level.astype(np.int32)])
    return np.ascontiguousarray(levels[np.lexsort((*levels.T[::-1], levels_of(total)[0]))])


class _Search:
    """The search in the form that the kernels use: attributes in which tuples differ most come first."""

    def __init__(
        self, tuples: Tuples, paths: Sequence[GeneralisationPaths], costs: Sequence[CellCosts], k: int
    ) -> None:
        from ontomask.masking.kernels.least_cost import Costs

        self.k, self.tuples = k, tuples
        tables = [
            _Table(path, cost, share, points)
            for path, cost, share, points in zip(paths, costs, tuples.shares, tuples.points, strict=True)
        ]
        held = [
            np.bincount(index, tuples.counts, len(p)) for index, p in zip(tuples.indices.T, tuples.points, strict=True)
        ]
        self.means = [table.means(records / records.sum()) for table, records in zip(tables, held, strict=True)]
        self.order = order = sorted(range(len(tables)), key=lambda j: (-float(np.mean(self.means[j])), j))
        self.means = [self.means[j] for j in order]
        self.tables = tables = [tables[j] for j in order]
        self.paths = [paths[j] for j in order]
        self.values = np.ascontiguousarray(tuples.indices[:, order])
        first = np.cumsum([0, *(len(table.parent) for table in tables)])
        squares = np.cumsum([0, *(table.meet.size for table in tables)])
        starts = np.cumsum([0, *(table.lost.size for table in tables)])
        self.leaf = np.stack([path.node[self.values[:, j]] for j, path in enumerate(self.paths)], axis=1)
        self.row = np.stack([starts[j] + table.row[self.values[:, j]] for j, table in enumerate(tables)], axis=1)
        self.costs = Costs(
            first=first.astype(np.int64),
            parent=np.concatenate([table.parent for table in tables]),
            depth=np.concatenate([table.depth for table in tables]),
            meet=np.concatenate([table.meet.ravel() for table in tables]),
            meet_start=np.where([table.meet.size > 0 for table in tables], squares[:-1], -1),
            lost=np.concatenate([table.lost for table in tables]),
            column=np.concatenate([table.column for table in tables]),
            lost_with=np.concatenate([table.lost_with for table in tables]),
        )

    def run(self, spare: int) -> tuple[IntArray, int]:
        """The group of each tuple, and the number of rounds."""
        from ontomask.masking.kernels import least_cost_steps as steps

        group, groups = self._sweep()
        left = np.flatnonzero(group < 0)
        if int(self.tuples.counts[left].sum()) >= self.k:
            group[left] = groups
            groups += 1
            left = left[:0]
        p = self._partition(group, groups)
        if len(left):
            steps.place(self.costs, p, self._index(p, groups), left)
        cost, rounds = p.cost[:groups].sum(), 0
        with progress("Improving groups"):
            while rounds < _MOST_ROUNDS:
                rounds += 1
                with progress(f"Round {rounds}"):
                    groups = self._split(p, groups)
                    # Results do not depend on where blocks end, because all blocks use the same index.
                    index = self._index(p, groups)
                    for part in in_blocks("Moving records", len(group)):
                        steps.reassign(self.costs, p, index, self.k, part.start, part.stop)
                    index = self._index(p, groups)
                    for part in in_blocks("Dissolving groups", groups):
                        steps.dissolve(self.costs, p, index, part.start, part.stop)
                before, cost = cost, p.cost[:groups].sum()
                if before - cost <= _WORTHWHILE * cost:
                    break
        if spare:
            steps.leave_out(self.costs, p, self.k, spare, 1.0)
        found: IntArray = p.group
        return found, rounds

    def _partition(self, group: IntArray, groups: int) -> Any:
        from ontomask.masking.kernels.least_cost import Partition, begin

        p = Partition.of(self.leaf, self.row, self.tuples.counts, group)
        begin(self.costs, p, groups)
        return p

    def _index(self, p: Any, groups: int) -> Any:
        """The groups by their nodes in the two attributes that exclude most of them from a search."""
        from ontomask.masking.kernels.least_cost import Index

        live = np.flatnonzero(p.size[:groups])
        typical = p.cost[live].sum() / p.size[live].sum()
        excluded = [t.share_beyond(typical, p.node[live, j], self.values[:, j]) for j, t in enumerate(self.tables)]
        known = [j for j, share in enumerate(excluded) if share >= 0]
        key, second = [*sorted(known, key=lambda j: -excluded[j]), -1, -1][:2]
        if key < 0:
            order, value = np.zeros((1, 1), dtype=np.int64), np.zeros(len(self.values), dtype=np.int32)
            start, group = np.array([0, len(live)]), live
        else:
            table, node = self.tables[key], p.node[live, key]
            order, value = table.order, self.values[:, key].copy()
            start = np.concatenate([[0], np.cumsum(np.bincount(node, minlength=len(table.parent)))])
            group = live[np.argsort(node, kind="stable")]
        position = np.zeros(groups, dtype=np.int64)
        position[group] = np.arange(len(group))
        return Index(
            key=key,
            start=start,
            group=group,
            order=order,
            value=value,
            second=second,
            second_node=p.node[group, second],
            position=position,
            most=max(_MOST_COMPARISONS // len(self.values), 100),
            moved=np.zeros(len(self.values) + 1, dtype=np.int32),
        )

    def _sweep(self) -> tuple[IntArray, int]:
        """Groups of tuples that are equal on some combination of levels; −1 for those in none."""
        from ontomask.masking.kernels.least_cost_steps import sweep

        levels = cheapest_combinations(self.means, _MOST_COMBINATIONS)
        level_start = np.cumsum([0, *(len(path.levels) for path in self.paths)])
        hashes = self._hashes(int(level_start[-1]))
        values, counts = self.values, self.tuples.counts
        left, group = np.arange(len(values)), np.full(len(values), -1, dtype=np.int32)
        at = np.array([len(values), 0, _MOST_LOOKS])
        size = 1 << (2 * len(values)).bit_length()
        table, held = np.zeros(size, dtype=np.uint64), np.zeros(size, dtype=np.int64)
        for part in in_blocks("Trying combinations of levels", len(levels), first=16):
            sweep(
                hashes, level_start, levels, values, counts, self.k, part.start, part.stop, left, group, at, table, held
            )
        return group, int(at[1])

    def _hashes(self, levels: int) -> NDArray[np.uint64]:
        """For each level of each column (row) a number for what each value is; equal ones have equal numbers."""
        rng = np.random.default_rng(0)
        out = np.zeros((levels, max(path.levels.shape[1] for path in self.paths)), dtype=np.uint64)
        row = 0
        for path in self.paths:
            points, code = np.unique(path.levels, return_inverse=True)
            drawn = rng.integers(2**64, size=len(points), dtype=np.uint64)
            out[row : row + len(path.levels), : path.levels.shape[1]] = drawn[code.reshape(path.levels.shape)]
            row += len(path.levels)
        return out

    def _split(self, p: Any, groups: int) -> int:
        from ontomask.masking.kernels.least_cost_steps import split

        pace, done = Pace(), 0
        with progress("Dividing groups"):
            while done < groups:
                stop = min(done + pace.steps, groups)
                with pace:
                    groups = split(self.costs, p, self.k, groups, done, stop)
                done = stop
        return int(groups)


class _Table:
    """The graph of one attribute, and what its values lose at the nodes above them."""

    def __init__(self, path: GeneralisationPaths, cost: CellCosts, share: float, points: NDArray[Any]) -> None:
        graph, node = path.graph, path.node
        self._path, self._cost, self._share, self._points = path, cost, share, points
        self.parent, self.depth = deepest_parents(graph), graph.depth
        if len(graph) <= _MOST_NODES:
            self.meet = meets(graph)
            self.column = np.arange(len(graph), dtype=np.int32)
            self.row = np.arange(len(node), dtype=np.int64) * len(graph)
            above = self.meet[node] == self.column
            value, ancestor = np.nonzero(above)
            lost = np.zeros(above.shape)
            lost[value, ancestor] = self._lost(value, ancestor)
            self.lost_with = np.take_along_axis(lost, self.meet[node], axis=1).ravel()
            self.lost = lost.ravel()
        else:
            self.meet = np.empty((0, 0), dtype=np.int32)
            self.column = self.depth
            self.row = np.concatenate([[0], np.cumsum(self.depth[node] + 1)])[:-1]
            self.lost = np.zeros(int((self.depth[node] + 1).sum()))
            value, at = np.arange(len(node)), node
            while len(value):
                self.lost[self.row[value] + self.depth[at]] = self._lost(value, at)
                value, at = value[at > 0], self.parent[at[at > 0]]
            self.lost_with = self.lost

    @cached_property
    def order(self) -> NDArray[np.int64]:
        """For each value the nodes, ascending by what it loses at its least common subsumer with them."""
        return np.argsort(self.lost_with.reshape(len(self.row), -1), axis=1, kind="stable")

    def share_beyond(self, lost: float, nodes: IntArray, values: IntArray) -> float:
        """The share of the nodes with which values lose at least so much; −1 if it is not known."""
        if not self.meet.size:
            return -1.0
        beyond = self.lost_with.reshape(len(self.row), -1) >= lost
        held, found = (
            np.bincount(codes, minlength=size) for codes, size in zip((values, nodes), beyond.shape, strict=True)
        )
        return float(held @ beyond @ found) / (len(values) * len(nodes))

    def means(self, shares: NDArray[np.float64]) -> NDArray[np.float64]:
        """The mean loss on each level, given the share of the records that each value has."""
        return np.array([shares @ self._share_of(self._cost.lost(self._points, level)) for level in self._path.levels])

    def _lost(self, value: NDArray[np.integer], node: NDArray[np.integer]) -> NDArray[np.float64]:
        return self._share_of(self._cost.lost(self._points[value], self._path.point[node]))

    def _share_of(self, lost: NDArray[np.float64]) -> NDArray[np.float64]:
        return self._share * lost


def meets(graph: Graph) -> IntArray:
    """The least common subsumer of every two nodes."""
    from ontomask.masking.kernels.generalisation import meet_all

    out = np.empty((len(graph), len(graph)), dtype=np.int32)
    meet_all(graph.parent_start, graph.parent, graph.depth, out)
    return out
