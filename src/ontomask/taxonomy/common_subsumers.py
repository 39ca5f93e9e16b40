"""Least common subsumers of many sets at once."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ontomask.base.arrays import IntArray
from ontomask.taxonomy.graph import Graph, gather

__all__ = ["lcs_of_sets"]

# Matrices have at most this many bytes.
_ROOM = 2**26


def lcs_of_sets(graph: Graph, start: NDArray[np.integer], nodes: IntArray) -> IntArray:
    """`Graph.lcs` of each set; set i is ``nodes[start[i]:start[i + 1]]`` and is not empty.

    >>> graph = Graph.build("abcd", np.array([1, 2, 3], dtype=np.int32), np.array([0, 1, 1], dtype=np.int32))[0]
    >>> lcs_of_sets(graph, np.array([0, 2, 4]), np.array([2, 3, 0, 3], dtype=np.int32)).tolist()
    [1, 0]
    """
    found: IntArray = nodes[start[:-1]].copy()
    several = np.flatnonzero(np.diff(start) > 1)
    if not len(several):
        return found
    values, member = np.unique(gather(start, nodes, several), return_inverse=True)
    above = graph.ancestors(values)
    is_unsure = np.ones(len(several), dtype=bool)
    if len(above) ** 2 <= _ROOM:
        subsumes = graph.subsumers_of(above, values, above)
        sizes = np.diff(start)[several]
        ends, depth = np.cumsum(sizes), graph.depth[above]
        low = 0
        while low < len(several):
            # As many sets as fit, at least one.
            room = ends[low] - sizes[low] + _ROOM // len(above)
            high = max(low + 1, int(np.searchsorted(ends, room, side="right")))
            first = ends[low:high] - sizes[low:high]
            rows = subsumes[member[first[0] : ends[high - 1]]]
            common = np.logical_and.reduceat(rows, first - first[0], axis=0)
            # Codes ascend by depth, so the last common subsumer is a deepest one.
            last = len(above) - 1 - common[:, ::-1].argmax(axis=1)
            found[several[low:high]] = above[last]
            is_unsure[low:high] = (common & (depth == depth[last][:, None])).sum(axis=1) > 1
            low = high
    known: dict[bytes, int] = {}
    for i in several[is_unsure].tolist():
        own = nodes[start[i] : start[i + 1]]
        key = own.tobytes()
        if key not in known:
            known[key] = graph.lcs(own.tolist())
        found[i] = known[key]
    return found
