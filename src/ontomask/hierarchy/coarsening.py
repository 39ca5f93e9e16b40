"""Coarsen a level: choose the next level with a given number of groups and the smallest loss.

A level is a set of nodes of the value tree. Every group of the level below moves to the nearest of these nodes above
it, or stays. Of all levels with the given number of groups, `coarsen` takes the one with the smallest maximum loss of
a value, and among these the smallest mean loss of a record; or the smallest mean loss at once.

The smallest maximum loss: a limit on the loss says how far up each group may move. Going up from the deepest groups,
and placing a node only where a group cannot go further, gives the fewest nodes that keep all groups within the limit. A
binary search finds the smallest limit that the number of groups allows.

The smallest mean loss: `choose_exactly` is a dynamic programme over (node, nearest chosen node above it, number of
nodes chosen below it). Its work grows with groups × k × depth. `choose_by_price` is a Lagrangian relaxation: each
chosen node costs a price instead of being counted. The best choice for a price is one sweep over the tree, and a search
finds the price at which at most k nodes pay off. If no price gives exactly k nodes, the result has fewer, and a better
choice of k nodes may exist.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from ontomask.base.arrays import IntArray
from ontomask.distance.ties import TIE
from ontomask.hierarchy.value_tree import ValueTree

__all__ = ["EXACT", "Groups", "Subtree", "choose_by_price", "choose_exactly", "coarsen"]

Floats = NDArray[np.float64]
Nodes = NDArray[np.bool_]

EXACT = 20_000_000
"""The largest groups × groups of the next level × depth for which the smallest mean is found exactly."""

# After this many halvings the price is known to the last digits of a float.
_HALVINGS = 50


@dataclass(frozen=True, eq=False)
class Groups:
    """The groups of one level.

    Attributes
    ----------
    tree
        The value tree.
    node
        The node of each group, distinct and ascending.
    group_of
        The group of each value.
    total, worst
        For each group (row), the sum over records and the maximum over values of the loss at the node above it at each
        depth (column). Losses never fall on the way up. They are infinite where the group cannot move: below its own
        depth, and to nodes that a group has left on a lower level. Otherwise a label could stand for one set of values
        on one level and for quite another on a later one.
    """

    tree: ValueTree
    node: IntArray
    group_of: IntArray
    total: Floats
    worst: Floats

    @classmethod
    def of_values(cls, tree: ValueTree, loss: Floats, counts: NDArray[np.integer]) -> Groups:
        """One group per value; ``loss[i, t]`` is the loss of value i at the node above it at depth t."""
        order = np.argsort(tree.leaf)
        group_of = np.argsort(order).astype(np.int32)
        weight = np.where(np.isfinite(loss), counts[:, None], 1)
        return cls(tree, tree.leaf[order], group_of, (loss * weight)[order], loss[order])

    def __len__(self) -> int:
        return len(self.node)

    def here(self, table: Floats) -> Floats:
        """The entry of ``total`` or ``worst`` of each group at its own node."""
        entries: Floats = table[np.arange(len(self)), self.tree.depth[self.node]]
        return entries

    def moved(self, to: IntArray) -> Groups:
        """The groups after each of these has moved to a node at or above its own."""
        node, group = np.unique(to, return_inverse=True)
        order = np.argsort(group, kind="stable")
        firsts = np.searchsorted(group[order], np.arange(len(node)))
        total = np.add.reduceat(self.total[order], firsts, axis=0)
        worst = np.maximum.reduceat(self.worst[order], firsts, axis=0)
        left = np.zeros(len(self.tree.parent), dtype=bool)
        left[self.node] = True
        left[node] = False
        paths = self.tree.paths(node)
        closed = (paths < 0) | left[paths]
        total[closed] = worst[closed] = np.inf
        return Groups(self.tree, node.astype(np.int32), group[self.group_of].astype(np.int32), total, worst)


@dataclass(frozen=True, eq=False)
class Subtree:
    """The part of a tree at and above given groups, numbered as the tree: by depth, siblings together, root 0.

    Attributes
    ----------
    parent, depth
        Parent and depth of each node.
    node
        The node of each group.
    """

    parent: IntArray
    depth: IntArray
    node: IntArray

    def __len__(self) -> int:
        return len(self.parent)

    @cached_property
    def layers(self) -> list[slice]:
        """The nodes of each depth."""
        bounds = np.searchsorted(self.depth, np.arange(int(self.depth[-1]) + 2)).tolist()
        return [slice(first, last) for first, last in pairwise(bounds)]

    @cached_property
    def children(self) -> list[range]:
        """The children of each node."""
        bounds = np.searchsorted(self.parent, np.arange(len(self) + 1)).tolist()
        return [range(first, last) for first, last in pairwise(bounds)]

    @cached_property
    def group(self) -> IntArray:
        """The group at each node, or −1."""
        group = np.full(len(self), -1, dtype=np.int32)
        group[self.node] = np.arange(len(self.node), dtype=np.int32)
        return group

    def nearest(self, chosen: Nodes) -> IntArray:
        """The nearest chosen node at or above each group."""
        near = np.where(chosen, np.arange(len(self), dtype=np.int32), -1)
        for layer in self.layers[1:]:
            near[layer] = np.where(near[layer] < 0, near[self.parent[layer]], near[layer])
        return near[self.node].astype(np.int32)


def coarsen(groups: Groups, k: int, objective: str) -> Groups:
    """The next level with exactly k groups, fewer than now.

    ``objective`` is ``max`` (the maximum loss of a value, then the mean loss of a record) or ``mean`` (only that).
    """
    tree, nodes = _subtree(groups)
    cost = groups.total
    if objective == "max":
        cost = np.where(groups.worst <= _least_limit(groups, tree, k) + TIE, cost, np.inf)
    choose = choose_exactly if len(groups) * k * cost.shape[1] <= EXACT else choose_by_price
    to = tree.nearest(choose(tree, cost, k))
    return groups.moved(nodes[_split_to_k(groups, tree, to, k)])


def _subtree(groups: Groups) -> tuple[Subtree, IntArray]:
    """The part of the tree at and above the groups, and its nodes in the tree."""
    tree = groups.tree
    nodes = np.unique(tree.paths(groups.node))
    nodes = nodes[nodes >= 0]
    parent = np.searchsorted(nodes, tree.parent[nodes]).astype(np.int32)
    parent[0] = -1
    return Subtree(parent, tree.depth[nodes], np.searchsorted(nodes, groups.node).astype(np.int32)), nodes


def _least_limit(groups: Groups, tree: Subtree, k: int) -> float:
    """The smallest loss that k nodes can guarantee for all groups."""
    finite = groups.worst[np.isfinite(groups.worst)]
    limits = np.unique(finite[finite >= groups.here(groups.worst).max()])
    low, high = 0, len(limits) - 1
    while low < high:
        middle = (low + high) // 2
        if _fewest_nodes(groups, tree, float(limits[middle])) <= k:
            high = middle
        else:
            low = middle + 1
    return float(limits[low])


def _fewest_nodes(groups: Groups, tree: Subtree, limit: float) -> int:
    """The fewest nodes that keep all groups within a limit."""
    # The depth of the highest node that each group may move to.
    highest = np.full(len(tree), -1, dtype=np.int64)
    highest[tree.node] = np.argmax(groups.worst <= limit + TIE, axis=1)
    placed = 0
    for depth in range(len(tree.layers) - 1, -1, -1):
        layer = tree.layers[depth]
        stops = highest[layer] == depth
        placed += int(stops.sum())
        if depth:
            np.maximum.at(highest, tree.parent[layer], np.where(stops, -1, highest[layer]))
    return placed


def _split_to_k(groups: Groups, tree: Subtree, to: IntArray, k: int) -> IntArray:
    """Let more groups stay at their node until there are k groups; those that gain most stay first."""
    depth = tree.depth
    while True:
        # A group alone at a higher node would lose meaning and hide nobody.
        to = np.where(np.bincount(to, minlength=len(tree))[to] == 1, tree.node, to).astype(np.int32)
        missing = k - len(np.unique(to))
        if missing == 0:
            return to
        # A group can stay alone only if no group below it passes through its node; that one would have to stay too.
        reach = np.full(len(tree), np.iinfo(np.int32).max, dtype=np.int32)
        reach[tree.node] = depth[to]
        below = np.full_like(reach, np.iinfo(np.int32).max)
        for layer in reversed(tree.layers[1:]):
            np.minimum.at(below, tree.parent[layer], np.minimum(reach[layer], below[layer]))
        movable = np.flatnonzero((to != tree.node) & (below[tree.node] >= depth[tree.node]))
        gain = groups.total[movable, depth[to[movable]]] - groups.total[movable, depth[tree.node[movable]]]
        stay = movable[np.argsort(-gain, kind="stable")[:missing]]
        to[stay] = tree.node[stay]


def choose_exactly(tree: Subtree, cost: Floats, k: int) -> Nodes:
    """The at most k nodes with the smallest total cost.

    ``cost[i, t]`` is the cost of group i at the node of depth t above it, infinite where the group cannot move. The
    table of a node has one row per depth of the nearest chosen node (the node itself included), a last row for none,
    and one column per number of chosen nodes below it. The table that a node passes up has no row for itself: it is
    chosen or not, whichever costs less.
    """
    passed: list[Floats] = [np.empty(0)] * len(tree)
    for node in range(len(tree) - 1, -1, -1):
        depth = int(tree.depth[node])
        table = _group_table(tree, cost, node)
        for child in tree.children[node]:
            table = _combine(table, passed[child], k)
        passed[node] = _with_or_without(np.delete(table, depth, axis=0), table[depth], k)

    number = int(np.argmin(passed[0][0]))
    chosen = np.zeros(len(tree), dtype=bool)
    # Backtrack: a node, the row of its table that the parent used, and the number of chosen nodes below.
    todo = [(0, 0, number)]
    while todo:
        node, row, number = todo.pop()
        depth = int(tree.depth[node])
        row = row if row < depth else depth + 1
        tables = _partial_rows(tree, cost, passed, node, row, k)
        with_itself = _partial_rows(tree, cost, passed, node, depth, k)
        if number and (number >= len(tables[-1]) or with_itself[-1][number - 1] < tables[-1][number]):
            chosen[node] = True
            tables, row, number = with_itself, depth, number - 1
        for child, before in zip(reversed(tree.children[node]), reversed(tables[:-1]), strict=True):
            after = passed[child][row]
            most = min(number, len(after) - 1)
            least = max(0, number - len(before) + 1)
            taken = least + int(np.argmin(before[number - most : number - least + 1][::-1] + after[least : most + 1]))
            todo.append((child, row, taken))
            number -= taken
    return chosen


def _group_table(tree: Subtree, cost: Floats, node: int) -> Floats:
    """The table of a node without its children: the cost of its own group."""
    rows = int(tree.depth[node]) + 2
    if tree.group[node] < 0:
        return np.zeros((rows, 1))
    return np.append(cost[tree.group[node], : rows - 1], np.inf)[:, None]


def _partial_rows(tree: Subtree, cost: Floats, passed: Sequence[Floats], node: int, row: int, k: int) -> list[Floats]:
    """One row of a node's table: without children, then after each child is added."""
    tables = [_group_table(tree, cost, node)[row : row + 1]]
    for child in tree.children[node]:
        tables.append(_combine(tables[-1], passed[child][row : row + 1], k))
    return [table[0] for table in tables]


def _combine(a: Floats, b: Floats, k: int) -> Floats:
    """Row by row, the smallest sum of two tables for each total number of nodes."""
    if a.shape[1] < b.shape[1]:
        a, b = b, a
    out = np.full((len(a), min(k, a.shape[1] + b.shape[1] - 2) + 1), np.inf)
    for number in range(b.shape[1]):
        width = min(a.shape[1], out.shape[1] - number)
        block = out[:, number : number + width]
        np.minimum(block, a[:, :width] + b[:, number : number + 1], out=block)
    return out


def _with_or_without(without: Floats, itself: Floats, k: int) -> Floats:
    """Row by row, the smaller cost: the node is not chosen, or it is one of the chosen."""
    out = np.full((len(without), min(k, len(itself)) + 1), np.inf)
    out[:, : without.shape[1]] = without
    np.minimum(out[:, 1:], itself[: out.shape[1] - 1], out=out[:, 1:])
    return out


def choose_by_price(tree: Subtree, cost: Floats, k: int) -> Nodes:
    """At most k nodes, the best choice for some price per node; ``cost`` as in `choose_exactly`."""
    sums = _layer_costs(tree, cost)
    low, high = 0.0, 1 + float(cost[np.isfinite(cost)].sum())
    best = _choose_at_price(tree, sums, low)
    if best.sum() <= k:
        return best
    best = _choose_at_price(tree, sums, high)
    for _ in range(_HALVINGS):
        if best.sum() == k:
            break
        price = (low + high) / 2
        chosen = _choose_at_price(tree, sums, price)
        if chosen.sum() <= k:
            best, high = chosen, price
        else:
            low = price
    return best


def _layer_costs(tree: Subtree, cost: Floats) -> list[Floats]:
    """For each depth, the cost of the groups of its nodes (rows), with the rows of `choose_exactly` as columns."""
    out = []
    for depth, layer in enumerate(tree.layers):
        own = np.zeros((layer.stop - layer.start, depth + 2))
        here = np.flatnonzero(tree.group[layer] >= 0)
        own[here, : depth + 1] = cost[tree.group[layer][here], : depth + 1]
        own[here, depth + 1] = np.inf
        out.append(own)
    return out


def _choose_at_price(tree: Subtree, own: Sequence[Floats], price: float) -> Nodes:
    """The choice with the smallest sum of costs and prices."""
    worth: list[Nodes] = [np.empty(0, dtype=bool)] * len(own)
    passed = np.empty((0, len(own) + 1))
    for depth in range(len(own) - 1, -1, -1):
        layer = tree.layers[depth]
        table = own[depth].copy()
        if len(passed):
            parents, firsts = np.unique(tree.parent[tree.layers[depth + 1]], return_index=True)
            table[parents - layer.start] += np.add.reduceat(passed, firsts, axis=0)
        itself = table[:, depth, None] + price
        without = np.delete(table, depth, axis=1)
        worth[depth] = itself < without
        passed = np.where(worth[depth], itself, without)
    chosen = np.zeros(len(tree), dtype=bool)
    # The depth of the nearest chosen node, or −1 for the last column (none).
    near = np.full(len(tree), -1, dtype=np.int32)
    for depth, layer in enumerate(tree.layers):
        above = np.full(1, -1) if depth == 0 else near[tree.parent[layer]]
        chosen[layer] = worth[depth][np.arange(len(above)), above]
        near[layer] = np.where(chosen[layer], depth, above)
    return chosen
