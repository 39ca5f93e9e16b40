"""Which k nodes of a tree lose least when every group goes to the nearest of them above it.

`exact` is a dynamic programme over (node, nearest chosen node above it, number of nodes chosen below it); its work
grows with groups × k × depth. `relaxed` lets a chosen node cost a price instead of counting it (Lagrange's relaxation):
the best choice for a price is one sweep over the tree, and the price is set so that at most k nodes are worth it. Where
no price makes it exactly k, it finds fewer; then a better choice of k may exist, but none that costs less than the
bound, which is that of the best price.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from ontomask.base.arrays import IntArray

__all__ = ["Choice", "Part", "exact", "relaxed"]

Floats = NDArray[np.float64]

# Halvings of the price: it is then known to the last digits of a float.
_HALVINGS = 50


@dataclass(frozen=True, eq=False)
class Part:
    """The part of a tree at and above some groups. Nodes ascend by depth, siblings side by side; the root is 0.

    Attributes
    ----------
    parent, depth
        Of each node.
    at
        The node of each group.
    """

    parent: IntArray
    depth: IntArray
    at: IntArray

    def __len__(self) -> int:
        return len(self.parent)

    @cached_property
    def layers(self) -> list[slice]:
        """The nodes of each depth."""
        bounds = np.searchsorted(self.depth, np.arange(int(self.depth[-1]) + 2)).tolist()
        return [slice(first, last) for first, last in pairwise(bounds)]

    @cached_property
    def children(self) -> list[range]:
        """The nodes below each node."""
        bounds = np.searchsorted(self.parent, np.arange(len(self) + 1)).tolist()
        return [range(first, last) for first, last in pairwise(bounds)]

    @cached_property
    def group(self) -> IntArray:
        """The group at each node; −1 where there is none."""
        group = np.full(len(self), -1, dtype=np.int32)
        group[self.at] = np.arange(len(self.at), dtype=np.int32)
        return group

    def nearest(self, chosen: NDArray[np.bool_]) -> IntArray:
        """For each group the nearest chosen node at or above it."""
        near = np.where(chosen, np.arange(len(self), dtype=np.int32), -1)
        for layer in self.layers[1:]:
            near[layer] = np.where(near[layer] < 0, near[self.parent[layer]], near[layer])
        return near[self.at].astype(np.int32)


@dataclass(frozen=True, eq=False)
class Choice:
    """The nodes chosen, and what no choice of so many nodes can undercut."""

    chosen: NDArray[np.bool_]
    bound: float


def exact(part: Part, cost: Floats, k: int) -> Choice:
    """The at most k nodes with the least sum of costs.

    ``cost[i, t]`` is that of group i at the node of depth t above it, infinite where it cannot go. A table of a
    node has a row for each depth at which the nearest chosen node can lie (the node itself included) and a last one for
    none, and a column for each number of chosen nodes below it. What a node hands up has no row for itself: it is
    chosen or not, whichever costs less.
    """
    handed: list[Floats] = [np.empty(0)] * len(part)
    for node in range(len(part) - 1, -1, -1):
        depth = int(part.depth[node])
        table = _of_group(part, cost, node)
        for child in part.children[node]:
            table = _together(table, handed[child], k)
        handed[node] = _with_or_without(np.delete(table, depth, axis=0), table[depth], k)

    number = int(np.argmin(handed[0][0]))
    choice = Choice(np.zeros(len(part), dtype=bool), float(handed[0][0, number]))
    # The same way down: a node, the row that its parent took of what it handed up, and how many are chosen there.
    todo = [(0, 0, number)]
    while todo:
        node, row, number = todo.pop()
        depth = int(part.depth[node])
        row = row if row < depth else depth + 1
        tables = _sums(part, cost, handed, node, row, k)
        with_itself = _sums(part, cost, handed, node, depth, k)
        if number and (number >= len(tables[-1]) or with_itself[-1][number - 1] < tables[-1][number]):
            choice.chosen[node] = True
            tables, row, number = with_itself, depth, number - 1
        for child, before in zip(reversed(part.children[node]), reversed(tables[:-1]), strict=True):
            after = handed[child][row]
            most = min(number, len(after) - 1)
            least = max(0, number - len(before) + 1)
            taken = least + int(np.argmin(before[number - most : number - least + 1][::-1] + after[least : most + 1]))
            todo.append((child, row, taken))
            number -= taken
    return choice


def _of_group(part: Part, cost: Floats, node: int) -> Floats:
    """The table of a node before anything below it counts: the cost of its own group."""
    rows = int(part.depth[node]) + 2
    if part.group[node] < 0:
        return np.zeros((rows, 1))
    return np.append(cost[part.group[node], : rows - 1], np.inf)[:, None]


def _sums(part: Part, cost: Floats, handed: Sequence[Floats], node: int, row: int, k: int) -> list[Floats]:
    """One row of a node's table: before its first child counts, then after each."""
    tables = [_of_group(part, cost, node)[row : row + 1]]
    for child in part.children[node]:
        tables.append(_together(tables[-1], handed[child][row : row + 1], k))
    return [table[0] for table in tables]


def _together(a: Floats, b: Floats, k: int) -> Floats:
    """Row by row the least sum for each number of nodes, shared out between two tables."""
    if a.shape[1] < b.shape[1]:
        a, b = b, a
    out = np.full((len(a), min(k, a.shape[1] + b.shape[1] - 2) + 1), np.inf)
    for number in range(b.shape[1]):
        width = min(a.shape[1], out.shape[1] - number)
        part = out[:, number : number + width]
        np.minimum(part, a[:, :width] + b[:, number : number + 1], out=part)
    return out


def _with_or_without(without: Floats, itself: Floats, k: int) -> Floats:
    """Row by row the lesser: the node is not chosen, or it is one of the chosen."""
    out = np.full((len(without), min(k, len(itself)) + 1), np.inf)
    out[:, : without.shape[1]] = without
    np.minimum(out[:, 1:], itself[: out.shape[1] - 1], out=out[:, 1:])
    return out


def relaxed(part: Part, cost: Floats, k: int) -> Choice:
    """At most k nodes, the best for some price of a node; ``cost`` as in `exact`."""
    sums = _layer_costs(part, cost)
    low, high = 0.0, 1 + float(cost[np.isfinite(cost)].sum())
    best, bound = _at_price(part, sums, low)
    if best.sum() <= k:
        return Choice(best, bound)
    best, bound = _at_price(part, sums, high)
    bound -= k * high
    for _ in range(_HALVINGS):
        if best.sum() == k:
            break
        price = (low + high) / 2
        chosen, value = _at_price(part, sums, price)
        bound = max(bound, value - k * price)
        if chosen.sum() <= k:
            best, high = chosen, price
        else:
            low = price
    return Choice(best, bound)


def _layer_costs(part: Part, cost: Floats) -> list[Floats]:
    """For the nodes of each depth what their own groups cost, with the rows of `exact` as columns."""
    out = []
    for depth, layer in enumerate(part.layers):
        own = np.zeros((layer.stop - layer.start, depth + 2))
        here = np.flatnonzero(part.group[layer] >= 0)
        own[here, : depth + 1] = cost[part.group[layer][here], : depth + 1]
        own[here, depth + 1] = np.inf
        out.append(own)
    return out


def _at_price(part: Part, own: Sequence[Floats], price: float) -> tuple[NDArray[np.bool_], float]:
    """The choice with the least sum of costs and prices, and that sum."""
    worth: list[NDArray[np.bool_]] = [np.empty(0, dtype=bool)] * len(own)
    handed = np.empty((0, len(own) + 1))
    for depth in range(len(own) - 1, -1, -1):
        layer = part.layers[depth]
        table = own[depth].copy()
        if len(handed):
            parents, firsts = np.unique(part.parent[part.layers[depth + 1]], return_index=True)
            table[parents - layer.start] += np.add.reduceat(handed, firsts, axis=0)
        itself = table[:, depth, None] + price
        without = np.delete(table, depth, axis=1)
        worth[depth] = itself < without
        handed = np.where(worth[depth], itself, without)
    chosen = np.zeros(len(part), dtype=bool)
    # The column of the nearest chosen node: its depth, or the last one where there is none.
    near = np.full(len(part), -1, dtype=np.int32)
    for depth, layer in enumerate(part.layers):
        above = np.full(1, -1) if depth == 0 else near[part.parent[layer]]
        chosen[layer] = worth[depth][np.arange(len(above)), above]
        near[layer] = np.where(chosen[layer], depth, above)
    return chosen, float(handed[0, 0])
