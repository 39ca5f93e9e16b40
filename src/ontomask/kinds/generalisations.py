"""`Generalisations`: what the values of a column can be generalised to, step by step up to a top that says nothing."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from ontomask.base.arrays import IntArray
from ontomask.operators.space import Points
from ontomask.taxonomy.graph import Graph

__all__ = ["Generalisations", "deepest_parents"]


@dataclass(frozen=True, eq=False, repr=False)
class Generalisations:
    """What some values of a column can be generalised to.

    Attributes
    ----------
    graph
        The values and everything above them, the top first.
    node
        The node of each value.
    point
        The point that each node is released as.
    levels
        For each level (row) the point that each value is released as. Level 0 has the values themselves.

    Examples
    --------
    >>> ages = Generalisations.of_levels(np.array([[31, 38, 44], [34.5 + 4.5j, 34.5 + 4.5j, 44.5 + 4.5j], [0] * 3]))
    >>> ages.height, len(ages.graph), ages.graph.depth[ages.node].tolist()
    (2, 6, [2, 2, 2])
    """

    graph: Graph
    node: IntArray
    point: Points
    levels: Points

    @property
    def height(self) -> int:
        """The highest level."""
        return len(self.levels) - 1

    @property
    def is_nested(self) -> bool:
        """Whether values that are equal on a level are equal on all levels above it."""
        pairs = (np.unique(self.levels[low : low + 2].T, axis=0)[:, 0] for low in range(self.height))
        return all(len(np.unique(lower)) == len(lower) for lower in pairs)

    @classmethod
    def of_levels(cls, levels: Points) -> Generalisations:
        """From the levels, of which the highest has one point. Levels on which a value stays the same are one step."""
        above = np.zeros(levels.shape[1], dtype=np.int64)
        point, parent = [levels[-1, :1]], [np.zeros(0, dtype=np.int64)]
        number = 1
        for lower, higher in zip(levels[-2::-1], levels[:0:-1], strict=True):
            moved = np.flatnonzero(lower != higher)
            values, code = np.unique(lower[moved], return_inverse=True)
            # A node is a point below a node: a tree, even if the levels are not nested.
            key, first, new = np.unique(above[moved] * len(values) + code, return_index=True, return_inverse=True)
            point.append(lower[moved[first]])
            parent.append(above[moved[first]])
            above[moved] = number + new
            number += len(key)
        child = np.arange(1, number, dtype=np.int32)
        graph, order = Graph.build(range(number), child, np.concatenate(parent).astype(np.int32))
        node = np.empty(number, dtype=np.int32)
        node[order] = np.arange(number, dtype=np.int32)
        return cls(graph, node[above], np.concatenate(point)[order], levels)

    @classmethod
    def only_top(cls, top: Any) -> Generalisations:
        """The generalisations of a column without values: the top alone."""
        alone = cls.of_levels(np.array([[top], [top]]))
        return replace(alone, node=alone.node[:0], levels=alone.levels[:, :0])

    @classmethod
    def over_graph(cls, domain: Graph, points: IntArray) -> Generalisations:
        """Along the is-a links of a taxonomy, of which the points are codes.

        Levels cut the taxonomy by depth: level l replaces each deeper value by its subsumer l links above the deepest
        value. A value with several parents follows the deepest parent, the first of equals, so that it passes through
        every depth above it once.
        """
        graph, order = domain.restrict(domain.ancestors(points))
        local = np.zeros(len(domain), dtype=np.int32)
        local[order] = np.arange(len(order), dtype=np.int32)
        above = deepest_parents(graph)
        levels = [local[points]]
        for depth in range(int(graph.depth[levels[0]].max()) - 1, -1, -1):
            levels.append(np.where(graph.depth[levels[-1]] > depth, above[levels[-1]], levels[-1]))
        return cls(graph, local[points], order, order[np.stack(levels)])


def deepest_parents(graph: Graph) -> IntArray:
    """For each concept its deepest parent, the first of equals; for the root itself. Depths stay the same."""
    out = np.zeros(len(graph), dtype=np.int32)
    for c in range(1, len(graph)):
        parents = graph.parents(c)
        out[c] = parents[np.argmax(graph.depth[parents])]
    return out
