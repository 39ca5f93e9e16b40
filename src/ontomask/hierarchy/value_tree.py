"""One way up for every value: a tree of the concepts at which values meet, out of a taxonomy with many parents.

Of H(V), the concepts between the values and their least common subsumer (T Def. 5), only those matter at which values
meet: a concept with one branch below it groups nothing that the branch does not group, and loses more. Deepest first,
each concept takes all that lies below it and was not taken before, if that is two branches or more. Values thus meet at
the deepest concept they share, where Wu and Palmer's distance is least. Where the taxonomy is a tree nothing is lost by
this; in a polyhierarchy it is the choice of one parent, and of two concepts equally deep the one with more records
below it chooses first.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from ontomask.base.arrays import IntArray
from ontomask.taxonomy.graph import Graph, gather

__all__ = ["ValueTree", "value_tree"]


@dataclass(frozen=True, eq=False)
class ValueTree:
    """A tree whose leaves are values. Nodes ascend by depth, siblings side by side; the root is 0.

    Attributes
    ----------
    parent
        The node above each node; −1 above the root.
    depth
        Links to the root.
    concept
        The code of each node's concept; a leaf has that of its value, also where the node above it has the same.
    leaf
        The node of each value.
    """

    parent: IntArray
    depth: IntArray
    concept: IntArray
    leaf: IntArray

    def ways(self, nodes: IntArray) -> IntArray:
        """The node at or above each given one (row) at each depth (column); −1 below it."""
        way = np.full((len(nodes), int(self.depth[-1]) + 1), -1, dtype=np.int32)
        node = nodes.copy()
        for depth in range(way.shape[1] - 1, -1, -1):
            here = self.depth[node] == depth
            way[here, depth] = node[here]
            node[here] = self.parent[node[here]]
        return way


def value_tree(graph: Graph, points: Sequence[int], counts: Sequence[int]) -> ValueTree:
    """The tree above at least two values, given by the codes of their concepts (which may repeat) and their counts."""
    within = graph.between(points, graph.lcs(points))
    above = _parents_within(graph, within)
    # What each concept has below it: at first the values themselves, known by their places.
    below: list[list[int]] = [[] for _ in above]
    for value, place in enumerate(np.searchsorted(within, points).tolist()):
        below[place].append(value)
    parent, weight = [-1] * len(points), list(counts)
    meeting_point: list[int] = []

    def free(place: int) -> list[int]:
        """What lies below a concept and was not taken by another; each node once."""
        return [node for node in dict.fromkeys(below[place]) if parent[node] < 0]

    bounds = np.searchsorted(graph.depth[within], np.arange(graph.max_depth + 2))
    for first, last in pairwise(bounds[::-1].tolist()):
        layer = range(last, first)
        meeting = {place: sum(weight[n] for n in nodes) for place in layer if len(nodes := free(place)) > 1}
        for place in sorted(meeting, key=lambda place: (-meeting[place], place)):
            nodes = free(place)
            if len(nodes) > 1:
                for node in nodes:
                    parent[node] = len(parent)
                below[place] = [len(parent)]
                parent.append(-1)
                weight.append(sum(weight[node] for node in nodes))
                meeting_point.append(place)
        for place in layer:
            for node in free(place):
                for higher in above[place]:
                    below[higher].append(node)
    concept = np.concatenate([np.asarray(points, dtype=np.int32), within[meeting_point]])
    return _by_depth(np.array(parent, dtype=np.int32), concept, len(points))


def _parents_within(graph: Graph, within: IntArray) -> list[list[int]]:
    """For each of some concepts, ascending, the places among them of its parents."""
    sizes = graph.parent_start[within + 1] - graph.parent_start[within]
    parents = gather(graph.parent_start, graph.parent, within)
    place = np.minimum(np.searchsorted(within, parents), len(within) - 1)
    bounds = np.concatenate([[0], np.cumsum(sizes)]).tolist()
    places = np.where(within[place] == parents, place, -1).tolist()
    return [[p for p in places[first:last] if p >= 0] for first, last in pairwise(bounds)]


def _by_depth(parent: IntArray, concept: IntArray, leaves: int) -> ValueTree:
    """Number the nodes by depth, and beside their siblings. They come with every node before the one above it."""
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
