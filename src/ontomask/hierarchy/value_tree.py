"""A tree above the values: the concepts at which values meet, with one parent each.

The minimum subsumer hierarchy of the values, H(V), holds the concepts between the values and their least common
subsumer (Martínez 2012, Def. 5). Only concepts at which values meet matter: a concept with one branch below it groups
no more values than that branch, and loses more. Concepts are visited from the deepest up. Each takes all free branches
below it, if there are at least two. So values meet at the deepest concept that they share, where Wu and Palmer's
distance is smallest. In a taxonomy that is a tree, nothing is lost. In a polyhierarchy, this chooses one parent; among
concepts of equal depth, the one with more records below it chooses first.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from ontomask.base.arrays import IntArray
from ontomask.taxonomy.graph import Graph

__all__ = ["ValueTree", "value_tree"]


@dataclass(frozen=True, eq=False)
class ValueTree:
    """A tree with the values as leaves. Nodes are numbered by depth, siblings next to each other; the root is 0.

    Attributes
    ----------
    parent
        The parent of each node; −1 for the root.
    depth
        Number of links to the root.
    concept
        The code of each node's concept. A leaf has the concept of its value, which its parent may have too.
    leaf
        The node of each value.
    """

    parent: IntArray
    depth: IntArray
    concept: IntArray
    leaf: IntArray

    def paths(self, nodes: IntArray) -> IntArray:
        """The ancestor of each given node (row), itself included, at each depth (column); −1 below the node."""
        path = np.full((len(nodes), int(self.depth[-1]) + 1), -1, dtype=np.int32)
        node = nodes.copy()
        for depth in range(path.shape[1] - 1, -1, -1):
            here = self.depth[node] == depth
            path[here, depth] = node[here]
            node[here] = self.parent[node[here]]
        return path


def value_tree(graph: Graph, points: Sequence[int], counts: Sequence[int]) -> ValueTree:
    """The tree above two or more values, given by the codes of their concepts (which may repeat) and their counts."""
    within = graph.between(points, graph.lcs(points))
    above = _parents_within(graph, within)
    # The nodes below each concept, at first the values.
    below: list[list[int]] = [[] for _ in above]
    for value, index in enumerate(np.searchsorted(within, points).tolist()):
        below[index].append(value)
    parent, weight = [-1] * len(points), list(counts)
    meeting_points: list[int] = []

    def free(index: int) -> list[int]:
        """The distinct nodes below a concept that have no parent yet."""
        return [node for node in dict.fromkeys(below[index]) if parent[node] < 0]

    bounds = np.searchsorted(graph.depth[within], np.arange(graph.max_depth + 2))
    for first, last in pairwise(bounds[::-1].tolist()):
        layer = range(last, first)
        records = {index: sum(weight[n] for n in nodes) for index in layer if len(nodes := free(index)) > 1}
        for index in sorted(records, key=lambda index: (-records[index], index)):
            nodes = free(index)
            if len(nodes) > 1:
                for node in nodes:
                    parent[node] = len(parent)
                below[index] = [len(parent)]
                parent.append(-1)
                weight.append(sum(weight[node] for node in nodes))
                meeting_points.append(index)
        for index in layer:
            for node in free(index):
                for higher in above[index]:
                    below[higher].append(node)
    concept = np.concatenate([np.asarray(points, dtype=np.int32), within[meeting_points]])
    return _by_depth(np.array(parent, dtype=np.int32), concept, len(points))


def _parents_within(graph: Graph, within: IntArray) -> list[list[int]]:
    """For each of the given ascending concepts, the indices of its parents among them."""
    sizes = graph.parent_start[within + 1] - graph.parent_start[within]
    parents = graph.parents_of(within)
    index = np.minimum(np.searchsorted(within, parents), len(within) - 1)
    bounds = np.concatenate([[0], np.cumsum(sizes)]).tolist()
    indices = np.where(within[index] == parents, index, -1).tolist()
    return [[i for i in indices[first:last] if i >= 0] for first, last in pairwise(bounds)]


def _by_depth(parent: IntArray, concept: IntArray, leaves: int) -> ValueTree:
    """Number the nodes by depth and next to their siblings. Each node comes in before its parent."""
    depth = np.zeros(len(parent), dtype=np.int32)
    for node in range(len(parent) - 2, -1, -1):
        depth[node] = depth[parent[node]] + 1
    by_depth = np.argsort(depth, kind="stable")
    bounds = np.searchsorted(depth[by_depth], np.arange(int(depth.max()) + 2))
    number = np.zeros(len(parent), dtype=np.int32)
    order = by_depth.copy()
    for first, last in pairwise(bounds[1:].tolist()):
        layer = by_depth[first:last]
        order[first:last] = layer[np.argsort(number[parent[layer]], kind="stable")]
        number[order[first:last]] = np.arange(first, last, dtype=np.int32)
    above = np.where(parent[order] < 0, -1, number[parent[order]]).astype(np.int32)
    return ValueTree(above, depth[order], concept[order], number[:leaves])
