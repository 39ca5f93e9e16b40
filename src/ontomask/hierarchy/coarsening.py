"""Level by level up the tree of values: the next level is the one of its size that loses least.

A level is a set of nodes of the tree, and every group of the level below goes to the nearest of them above it, or stays
where it is. Of all levels with the number of groups asked for, the one is taken whose greatest loss of any value is
least, and of these the one with the least mean loss of a record; or the latter at once.

The least greatest loss: a group that may climb no higher than some node needs a node on its way there. Going up from
the deepest groups and placing a node only where one of them cannot go on gives the fewest nodes that hold all groups to
a limit, so a search finds the least limit that the number of groups allows. The least mean: see `choosing`.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ontomask.base.arrays import IntArray
from ontomask.distance.ties import TIE
from ontomask.hierarchy.choosing import Part, exact, relaxed
from ontomask.hierarchy.value_tree import ValueTree

__all__ = ["EXACT", "Groups", "coarsen"]

Floats = NDArray[np.float64]

EXACT = 20_000_000
"""Groups × groups of the next level × depth, up to which the least mean is found exactly."""


@dataclass(frozen=True, eq=False)
class Groups:
    """The groups of one level.

    Attributes
    ----------
    tree
        The tree of values.
    node
        The node of each group, ascending and without repetition.
    of
        The group of each value.
    total, worst
        For each group (row) the sum over records, and the greatest over values, of the loss when it goes to the node
        above it at each depth (column). Losses never fall on the way up; they are infinite where the group cannot go:
        below its own depth, and to nodes that a group stood at on a lower level and left. Else a label would stand
        for one set of values on one level, and for quite another on a later one.
    """

    tree: ValueTree
    node: IntArray
    of: IntArray
    total: Floats
    worst: Floats

    @classmethod
    def of_values(cls, tree: ValueTree, loss: Floats, counts: NDArray[np.integer]) -> Groups:
        """The values themselves: ``loss[i, t]`` is that of value i at the node above it at depth t."""
        order = np.argsort(tree.leaf)
        of = np.argsort(order).astype(np.int32)
        weight = np.where(np.isfinite(loss), counts[:, None], 1)
        return cls(tree, tree.leaf[order], of, (loss * weight)[order], loss[order])

    def __len__(self) -> int:
        return len(self.node)

    def here(self, table: Floats) -> Floats:
        """For each group its entry of ``total`` or ``worst`` where it is."""
        entries: Floats = table[np.arange(len(self)), self.tree.depth[self.node]]
        return entries

    def moved(self, to: IntArray) -> Groups:
        """The groups after each of these has gone to a node at or above its own."""
        node, group = np.unique(to, return_inverse=True)
        order = np.argsort(group, kind="stable")
        firsts = np.searchsorted(group[order], np.arange(len(node)))
        total = np.add.reduceat(self.total[order], firsts, axis=0)
        worst = np.maximum.reduceat(self.worst[order], firsts, axis=0)
        left = np.zeros(len(self.tree.parent), dtype=bool)
        left[self.node] = True
        left[node] = False
        ways = self.tree.ways(node)
        closed = (ways < 0) | left[ways]
        total[closed] = worst[closed] = np.inf
        return Groups(self.tree, node.astype(np.int32), group[self.of].astype(np.int32), total, worst)


def coarsen(groups: Groups, k: int, objective: str) -> Groups:
    """The next level: exactly k groups, less than there are.

    ``objective`` is ``max`` (the greatest loss of a value, then the mean loss of a record) or ``mean`` (that alone).
    """
    part, nodes = _above(groups)
    cost = groups.total
    if objective == "max":
        cost = np.where(groups.worst <= _least_limit(groups, part, k) + TIE, cost, np.inf)
    find = exact if len(groups) * k * cost.shape[1] <= EXACT else relaxed
    to = part.nearest(find(part, cost, k).chosen)
    return groups.moved(nodes[_fill(groups, part, to, k)])


def _above(groups: Groups) -> tuple[Part, IntArray]:
    """The part of the tree at and above the groups, and which nodes these are."""
    tree = groups.tree
    kept = np.zeros(len(tree.parent), dtype=bool)
    kept[groups.node] = True
    above = groups.node
    while len(above):
        above = np.unique(tree.parent[above])
        above = above[above >= 0]
        above = above[~kept[above]]
        kept[above] = True
    nodes = np.flatnonzero(kept).astype(np.int32)
    place = (np.cumsum(kept) - 1).astype(np.int32)
    parent = np.where(nodes == 0, -1, place[tree.parent[nodes]]).astype(np.int32)
    return Part(parent, tree.depth[nodes], place[groups.node]), nodes


def _least_limit(groups: Groups, part: Part, k: int) -> float:
    """The least loss to which k nodes can hold all groups."""
    finite = groups.worst[np.isfinite(groups.worst)]
    limits = np.unique(finite[finite >= groups.here(groups.worst).max()])
    low, high = 0, len(limits) - 1
    while low < high:
        middle = (low + high) // 2
        if _fewest(groups, part, float(limits[middle])) <= k:
            high = middle
        else:
            low = middle + 1
    return float(limits[low])


def _fewest(groups: Groups, part: Part, limit: float) -> int:
    """How many nodes it takes to hold all groups to a limit."""
    # The depth of the highest node that each group may go to.
    highest = np.full(len(part), -1, dtype=np.int64)
    highest[part.at] = np.argmax(groups.worst <= limit + TIE, axis=1)
    placed = 0
    for depth in range(len(part.layers) - 1, -1, -1):
        layer = part.layers[depth]
        stops = highest[layer] == depth
        placed += int(stops.sum())
        if depth:
            np.maximum.at(highest, part.parent[layer], np.where(stops, -1, highest[layer]))
    return placed


def _fill(groups: Groups, part: Part, to: IntArray, k: int) -> IntArray:
    """Where the groups go when more of them stay where they are until there are k: those that gain most first."""
    depth = part.depth
    while True:
        # Alone at a node above, a group would lose without being hidden among others.
        to = np.where(np.bincount(to, minlength=len(part))[to] == 1, part.at, to).astype(np.int32)
        missing = k - len(np.unique(to))
        if missing == 0:
            return to
        # A group stays behind alone if nothing below it goes the same way; that would have to stay with it.
        reach = np.full(len(part), np.iinfo(np.int32).max, dtype=np.int32)
        reach[part.at] = depth[to]
        below = np.full_like(reach, np.iinfo(np.int32).max)
        for layer in reversed(part.layers[1:]):
            np.minimum.at(below, part.parent[layer], np.minimum(reach[layer], below[layer]))
        may = np.flatnonzero((to != part.at) & (below[part.at] >= depth[part.at]))
        gain = groups.total[may, depth[to[may]]] - groups.total[may, depth[part.at[may]]]
        stay = may[np.argsort(-gain, kind="stable")[:missing]]
        to[stay] = part.at[stay]
