"""The is-a graph on integers: concepts are 0 … n−1, the root is 0, parents come before children.

The graph is stored in arrays: a taxonomy of 350,000 concepts takes a few megabytes, and a sweep over it is one pass
through memory. Labels are in `ontomask.taxonomy.labels`.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ontomask.base.arrays import IntArray

__all__ = [
    "DEEPEST",
    "CyclicGraphError",
    "DeepGraphError",
    "Graph",
    "first_of_each",
    "gather",
    "group_by",
    "group_starts",
]

DEEPEST = 5000
"""The longest chain of links allowed. Ontologies have 10 to 50 levels. Work on subsumers grows with the depth."""

# Memory for a search for common subsumers, in bytes.
_MOST_BYTES = 1 << 25


class CyclicGraphError(ValueError):
    """Internal signal: the links contain cycles (lists of codes in the caller's numbering)."""

    def __init__(self, cycles: list[list[int]]) -> None:
        super().__init__("The is-a links contain a cycle.")
        self.cycles = cycles


class DeepGraphError(ValueError):
    """Internal signal: a chain of links is longer than `DEEPEST`."""


def group_starts(keys: NDArray[np.integer], groups: int) -> IntArray:
    """The start of each group when rows are sorted by ``keys`` (CSR row pointers, length groups + 1)."""
    starts = np.zeros(groups + 1, dtype=np.int32)
    np.cumsum(np.bincount(keys, minlength=groups), out=starts[1:])
    return starts


def group_by(keys: NDArray[np.integer], values: NDArray[np.int32], groups: int) -> tuple[IntArray, IntArray]:
    """Values grouped by their keys, in CSR form: the start of each group, and the values in order of their groups."""
    return group_starts(keys, groups), values[_stable_order(keys)]


def first_of_each(keys: NDArray[np.int64]) -> IntArray:
    """The positions where each key occurs first, ascending."""
    order = _stable_order(keys)
    ordered = keys[order]
    first: IntArray = order[np.diff(ordered, prepend=ordered[:1] - 1) != 0]
    first.sort()
    return first


def _stable_order(keys: NDArray[np.integer]) -> IntArray:
    """The stable order of non-negative keys."""
    bits = len(keys).bit_length()
    if not len(keys) or int(keys.max()).bit_length() + bits > 63:
        return np.argsort(keys, kind="stable").astype(np.int32)
    # Sorting numbers that hold key and position is many times as fast as np.argsort.
    held = keys.astype(np.int64) << bits
    held |= np.arange(len(keys))
    held.sort()
    held &= (1 << bits) - 1
    return held.astype(np.int32)


def gather(starts: NDArray[np.integer], values: IntArray, rows: NDArray[np.integer]) -> IntArray:
    """Concatenate the CSR rows ``rows``."""
    counts = starts[rows + 1] - starts[rows]
    ends = np.cumsum(counts)
    within = np.arange(ends[-1] if len(ends) else 0) - np.repeat(ends - counts, counts)
    picked: IntArray = values[np.repeat(starts[rows], counts) + within]
    return picked


@dataclass(frozen=True, eq=False)
class Graph:
    """A rooted DAG. Codes ascend by depth, so that arrays over codes can be swept from the root downwards.

    Attributes
    ----------
    parent_start, parent
        CSR: the parents of ``c`` are ``parent[parent_start[c]:parent_start[c + 1]]``, ascending.
    depth
        Number of links on the longest path from the root.
    """

    parent_start: IntArray
    parent: IntArray
    depth: IntArray

    def __post_init__(self) -> None:
        for array in (self.parent_start, self.parent, self.depth):
            array.setflags(write=False)

    @classmethod
    def build(cls, ids: Sequence[str] | Sequence[int], child: IntArray, parent: IntArray) -> tuple[Graph, IntArray]:
        """Order concepts linked child → parent. Exactly one of them must have no parent. Links must be unique.

        Codes go by depth, then by the lowest code of a parent, then by id. They do not depend on the order of the
        concepts and links. Returns the graph and ``order``: ``order[code]`` is the caller's number of
        the concept, its index in ``ids``.
        """
        n = len(ids)
        child_start, children = group_by(parent, child, n)
        waiting = np.bincount(child, minlength=n).astype(np.int32)
        depth = np.full(n, -1, dtype=np.int32)
        # Each round takes the concepts whose parents all have a depth. The number of the round is the longest path.
        frontier = np.flatnonzero(waiting == 0).astype(np.int32)
        level = 0
        while frontier.size:
            depth[frontier] = level
            reached, times = np.unique(gather(child_start, children, frontier), return_counts=True)
            waiting[reached] -= times.astype(np.int32)
            frontier = reached[waiting[reached] == 0]
            level += 1
            if level > DEEPEST and frontier.size:
                raise DeepGraphError(f"A chain of links is longer than {DEEPEST:,}.")
        if (depth < 0).any():
            raise CyclicGraphError(_cycles(child, parent, depth < 0))

        parent_start, parents = group_by(child, parent, n)
        order = _order_by_depth(depth, parent_start, parents, ids)
        code = np.empty(n, dtype=np.int32)
        code[order] = np.arange(n, dtype=np.int32)
        links = code[child].astype(np.int64) * n + code[parent]
        links.sort()
        return cls(group_starts(links // n, n), (links % n).astype(np.int32), depth[order]), order

    def __len__(self) -> int:
        return len(self.depth)

    @property
    def links(self) -> tuple[IntArray, IntArray]:
        """``parent_start`` and ``parent``."""
        return self.parent_start, self.parent

    @cached_property
    def _children(self) -> tuple[IntArray, IntArray]:
        child = np.repeat(np.arange(len(self), dtype=np.int32), np.diff(self.parent_start))
        starts, children = group_by(self.parent, child, len(self))
        starts.setflags(write=False)
        children.setflags(write=False)
        return starts, children

    @property
    def child_start(self) -> IntArray:
        """CSR row pointers of `child`."""
        return self._children[0]

    @property
    def child(self) -> IntArray:
        """Children of every concept, ascending, in CSR order."""
        return self._children[1]

    @cached_property
    def level_start(self) -> IntArray:
        """Codes ``level_start[d] … level_start[d + 1] − 1`` have depth ``d``."""
        return group_starts(self.depth, int(self.depth[-1]) + 1)

    @cached_property
    def max_depth(self) -> int:
        """Number of links on the longest path from the root to any concept."""
        return int(self.depth[-1])

    @cached_property
    def height(self) -> IntArray:
        """Number of links on the longest path from each concept downwards. A leaf has 0."""
        height = np.zeros(len(self), dtype=np.int32)
        for low, high in pairwise(self.level_start[:0:-1]):
            rows = np.arange(high, low)
            np.maximum.at(height, self.parents_of(rows), np.repeat(height[rows] + 1, np.diff(self.parent_start)[rows]))
        height.setflags(write=False)
        return height

    def parents(self, c: int) -> IntArray:
        """Direct parents of ``c``, ascending."""
        return self.parent[self.parent_start[c] : self.parent_start[c + 1]]

    def parents_of(self, codes: IntArray) -> IntArray:
        """Direct parents of several concepts, concatenated."""
        return gather(*self.links, codes)

    def children(self, c: int) -> IntArray:
        """Direct children of ``c``, ascending."""
        return self.child[self.child_start[c] : self.child_start[c + 1]]

    def distances_up(self, c: int) -> dict[int, int]:
        """Every subsumer of ``c``, including itself, with the number of links on the shortest path up to it."""
        links = {c: 0}
        frontier = [c]
        steps = 0
        while frontier:
            steps += 1
            above: list[int] = []
            for b in frontier:
                for p in self.parents(b).tolist():
                    if p not in links:
                        links[p] = steps
                        above.append(p)
            frontier = above
        return links

    def ancestors(self, codes: Iterable[int]) -> IntArray:
        """All subsumers of the given concepts, including the concepts themselves, ascending."""
        return self._reachable(np.unique(np.fromiter(codes, dtype=np.int32)), *self.links)

    def descendants(self, c: int) -> IntArray:
        """``c`` and everything below it, ascending."""
        return self._reachable(np.array([c], dtype=np.int32), *self._children)

    def _reachable(self, frontier: IntArray, starts: IntArray, links: IntArray) -> IntArray:
        """Every concept that can be reached from ``frontier`` along the CSR links, ascending."""
        seen = np.zeros(len(self), dtype=bool)
        while frontier.size:
            seen[frontier] = True
            found = gather(starts, links, frontier)
            frontier = np.unique(found[~seen[found]])
        return np.flatnonzero(seen).astype(np.int32)

    def common_subsumers(self, codes: Sequence[int]) -> list[int]:
        """Concepts that subsume all of ``codes``, ascending."""
        values = np.unique(np.asarray(codes, dtype=np.int32))
        candidates = np.array(sorted(self.distances_up(int(values[0]))), dtype=np.int32)
        above = self.ancestors(values)
        # In blocks, to limit the memory for concepts with very many ancestors.
        blocks = np.array_split(candidates, 1 + len(candidates) * len(above) // _MOST_BYTES)
        return [c for block in blocks for c in block[self._subsume_all(block, values, above)].tolist()]

    def _subsume_all(self, candidates: IntArray, values: IntArray, above: IntArray) -> NDArray[np.bool_]:
        """Which of the candidates subsume all values. ``above`` are the values' ancestors."""
        every: NDArray[np.bool_] = np.logical_and.reduce(self.subsumers_of(above, values, candidates), axis=0)
        return every

    def subsumers_of(self, above: IntArray, values: IntArray, candidates: IntArray) -> NDArray[np.bool_]:
        """For each value, which of the candidates subsume it. ``above`` are the values' ancestors.

        ``subsumed[i, j]`` says whether candidate j subsumes ancestor i. It is passed from parents to children. The work
        is linear in the links, for any number of values.
        """
        local = np.full(len(self), -1, dtype=np.int32)
        local[above] = np.arange(len(above), dtype=np.int32)
        subsumed = np.zeros((len(above), len(candidates)), dtype=bool)
        subsumed[local[candidates], np.arange(len(candidates))] = True
        bounds = np.searchsorted(self.depth[above], np.arange(1, self.max_depth + 2))
        for low, high in pairwise(bounds):
            if low == high:
                continue
            rows = above[low:high]
            sizes = self.parent_start[rows + 1] - self.parent_start[rows]
            parents = local[self.parents_of(rows)]
            subsumed[low:high] |= np.logical_or.reduceat(subsumed[parents], np.cumsum(sizes) - sizes)
        of_values: NDArray[np.bool_] = subsumed[local[values]]
        return of_values

    def lcs_pair(self, a: int, b: int) -> int:
        """Deepest common subsumer of two concepts. Ties: shortest joint path, then lowest code."""
        from_a, from_b = self.distances_up(a), self.distances_up(b)
        return min((c for c in from_a if c in from_b), key=lambda c: (-self.depth[c], from_a[c] + from_b[c], c))

    def lcs(self, codes: Sequence[int]) -> int:
        """Deepest common subsumer of a set. Ties: smallest sum of shortest paths, then lowest code."""
        distinct = sorted(set(codes))
        if len(distinct) == 1:
            return distinct[0]
        if len(distinct) == 2:
            return self.lcs_pair(*distinct)
        common = self.common_subsumers(distinct)
        bottom = max(self.depth[c] for c in common)
        deepest = [c for c in common if self.depth[c] == bottom]
        if len(deepest) == 1:
            return deepest[0]
        total = dict.fromkeys(deepest, 0)
        for value in distinct:
            links = self.distances_up(value)
            for c in deepest:
                total[c] += links[c]
        return min(deepest, key=lambda c: (total[c], c))

    def between(self, codes: Sequence[int], top: int) -> IntArray:
        """Concepts on the paths from ``codes`` up to ``top``, ascending."""
        below = np.zeros(len(self), dtype=bool)
        below[self.descendants(top)] = True
        above = self.ancestors(codes)
        return above[below[above]]

    def with_child_of_root(self) -> tuple[Graph, int]:
        """The graph with one more child of the root, and its code. Codes from that one on are one higher than here."""
        new = int(np.searchsorted(self.depth, 2))
        first = int(self.parent_start[new])
        parent = np.insert(self.parent + (self.parent >= new), first, 0).astype(np.int32)
        start = np.concatenate([self.parent_start[: new + 1], self.parent_start[new:] + 1]).astype(np.int32)
        return Graph(start, parent, np.insert(self.depth, new, 1)), new

    def restrict(self, keep: IntArray, ids: Sequence[str] | None = None) -> tuple[Graph, IntArray]:
        """The subgraph induced by ``keep``, which must have a single root. Codes and depths are new.

        ``ids`` are those of the concepts of this graph; without them, codes take their place. Also returns ``order``:
        ``order[new code]`` is the code in this graph.
        """
        kept: list[int] = keep.tolist()
        local = np.full(len(self), -1, dtype=np.int32)
        local[keep] = np.arange(len(keep), dtype=np.int32)
        sizes = self.parent_start[keep + 1] - self.parent_start[keep]
        child = np.repeat(np.arange(len(keep), dtype=np.int32), sizes)
        parent = local[self.parents_of(keep)]
        inside = parent >= 0
        graph, order = Graph.build(kept if ids is None else [ids[c] for c in kept], child[inside], parent[inside])
        return graph, keep[order]


def _order_by_depth(depth: IntArray, parent_start: IntArray, parents: IntArray, ids: Sequence[Any]) -> IntArray:
    """The concepts by depth, then by the lowest code of a parent, then by id.

    Siblings then have neighbouring codes, so that a sweep reads their parents in order from memory.
    """
    code = np.zeros(len(depth), dtype=np.int32)
    order = _stable_order(depth)
    bounds = group_starts(depth, int(depth.max()) + 1)
    for low, high in pairwise(bounds[1:]):
        rows = order[low:high]
        sizes = parent_start[rows + 1] - parent_start[rows]
        firsts = np.cumsum(sizes) - sizes
        main = np.minimum.reduceat(code[gather(parent_start, parents, rows)], firsts)
        by_main = _stable_order(main)
        siblings = rows[by_main].tolist()
        # Only siblings are compared as texts. Sorting all ids would take several times as long.
        ends = np.flatnonzero(np.diff(main[by_main], append=-1)) + 1
        for start, end in pairwise([0, *ends.tolist()]):
            if end - start > 1:
                siblings[start:end] = sorted(siblings[start:end], key=ids.__getitem__)
        order[low:high] = siblings
        code[order[low:high]] = np.arange(low, high, dtype=np.int32)
    return order


def _cycles(child: IntArray, parent: IntArray, stuck: NDArray[np.bool_], most: int = 5) -> list[list[int]]:
    """Up to ``most`` disjoint cycles among the ``stuck`` concepts, which no path from a root leads to."""
    parents_of: dict[int, list[int]] = {}
    inside = stuck[child] & stuck[parent]
    for c, p in zip(child[inside].tolist(), parent[inside].tolist(), strict=True):
        parents_of.setdefault(c, []).append(p)
    found: list[list[int]] = []
    done: set[int] = set()
    for start in np.flatnonzero(stuck).tolist():
        # Every stuck concept has a stuck parent. So a walk upwards must return to a concept of the walk, unless it
        # enters a cycle that was found before.
        walk: list[int] = []
        position: dict[int, int] = {}
        c = start
        while c not in done and c not in position:
            position[c] = len(walk)
            walk.append(c)
            c = parents_of[c][0]
        if c in position:
            found.append([*walk[position[c] :], c])
        done.update(walk)
        if len(found) == most:
            break
    return found
