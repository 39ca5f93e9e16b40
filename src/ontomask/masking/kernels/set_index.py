"""Compiled loops: distances between sets of concepts, and the set in the middle of a growing and shrinking cluster.

Distances between elements are integers in units of 2⁻³¹, whose sums are exact. So the distance of two sets does not
depend on which of them it is measured from. While clusters are formed, the middle of sets is the medoid: the set of the
cluster with the least sum of distances to all. The centroid, which takes a search, is computed once at the end.

Without such attributes the index is None, and nothing of this is compiled.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ontomask.base.bundles import Bundle
from ontomask.base.compiler import compiled_if_given, compiled_in_place, compiled_inline
from ontomask.operators.kernels.sets import Matching, assign

__all__ = [
    "ONE",
    "SET",
    "SetAim",
    "SetIndex",
    "add_from_aim",
    "aim_at_sets",
    "between_sets",
    "change_sums",
    "medoid",
]

# The kind of an attribute that holds sets, beside those of `ontomask.masking.kernels.line_centre`.
SET = 16
# The integer that stands for a distance of 1 between elements.
ONE = 2**31
# With more sets than this to compare with, it pays to collect the distances from one set to all elements first.
_MANY = 64


class SetIndex(Bundle):
    """The sets of all attributes that hold sets. They are numbered after all other nodes, attribute by attribute.

    Attributes
    ----------
    first, start, element
        Node v has the elements ``element[start[v − first]] … element[start[v − first + 1] − 1]``.
    elements
        The first element of each attribute, and the number of all; 0 where an attribute holds no sets.
    row_at, row
        The distance between the elements e and e' of an attribute is ``row[row_at[e] + e']``.
    reach
        For each attribute the integer that stands for a distance of 1 between records.
    is_matching
        Whether sets of an attribute are compared by matching; otherwise by average best match.
    """

    first: Any
    start: Any
    element: Any
    elements: Any
    row_at: Any
    row: Any
    reach: Any
    is_matching: Any


class SetAim(Bundle):
    """The distances from one set of each attribute to all elements.

    Attributes
    ----------
    node
        The set of each attribute.
    near
        The distance from each element to the nearest one of the set.
    room
        Working space for matchings.
    """

    node: Any
    near: Any
    room: Any

    @classmethod
    def empty(cls, index):
        """Room for the sets of an index; None without an index."""
        if index is None:
            return None
        return cls(
            node=np.full(len(index.reach), -1, dtype=np.int64),
            near=np.zeros(len(index.row_at), dtype=np.uint32),
            room=Matching.room(int(np.diff(index.start).max(initial=0))),
        )


@compiled_in_place
def aim_at(s, aim, j, v):
    """Collect the distances from the elements of attribute j to the nearest one of set v."""
    if aim.node[j] == v:
        return
    aim.node[j] = v
    first, last = s.elements[j], s.elements[j + 1]
    near = aim.near[first:last]
    for e in range(len(near)):
        near[e] = ONE
    for p in range(s.start[v - s.first], s.start[v - s.first + 1]):
        at = s.row_at[s.element[p]]
        row = s.row[at + first : at + last]
        for e in range(len(near)):
            near[e] = min(near[e], row[e])


@compiled_inline
def from_aim(s, aim, j, u, bound):
    """The distance from the set aimed at to set u, or ``bound + 1`` if it exceeds the bound."""
    mine, theirs = aim.node[j] - s.first, u - s.first
    n, m = s.start[mine + 1] - s.start[mine], s.start[theirs + 1] - s.start[theirs]
    total = np.int64(0)
    least = np.int64(ONE)
    for q in range(s.start[theirs], s.start[theirs + 1]):
        near = np.int64(aim.near[s.element[q]])
        total += near
        least = min(least, near)
    # None of my elements is nearer to one of theirs than the nearest of theirs is to one of mine.
    if s.is_matching[j]:
        cost = np.float64(total if m <= n else n * least)
        part, whole = _matched(n, m, cost)
    else:
        part, whole = _averaged(n, m, total + n * least)
    if s.reach[j] * part > np.float64(bound + 1) * whole:
        return bound + 1
    if s.is_matching[j]:
        return set_distance(s, aim.room, j, aim.node[j], u)
    return _finish(s, j, mine, theirs, total, least, bound)


@compiled_in_place
def _finish(s, j, mine, theirs, total, least, bound):
    """The average best match, or ``bound + 1``; ``total`` is the sum over their elements, of which none is nearer than
    ``least`` to one of mine.
    """
    first, last = s.start[mine], s.start[mine + 1]
    number = last - first + s.start[theirs + 1] - s.start[theirs]
    most = np.float64(bound + 1) * np.float64(number * ONE) / s.reach[j]
    total += (last - first) * least
    for p in range(first, last):
        at = s.row_at[s.element[p]]
        nearest = np.uint32(ONE)
        for q in range(s.start[theirs], s.start[theirs + 1]):
            nearest = min(nearest, s.row[at + s.element[q]])
        total += np.int64(nearest) - least
        if np.float64(total) > most:
            return bound + 1
    return np.int64(np.rint(s.reach[j] * (np.float64(total) / np.float64(number * ONE))))


@compiled_in_place
def _best_matches(s, a, b):
    """The sum over set a of the distances to the nearest element of set b."""
    total = np.int64(0)
    for p in range(s.start[a], s.start[a + 1]):
        at = s.row_at[s.element[p]]
        nearest = np.uint32(ONE)
        for q in range(s.start[b], s.start[b + 1]):
            nearest = min(nearest, s.row[at + s.element[q]])
        total += nearest
    return total


@compiled_inline
def _averaged(n, m, total):
    """The average best match, as a fraction: the sum over both sets of the distances to the nearest element."""
    return np.float64(total), np.float64((n + m) * ONE)


@compiled_inline
def _matched(n, m, cost):
    """The matching distance, as a fraction."""
    return np.float64(abs(n - m) * ONE) + 2 * cost, np.float64(max(n, m) * ONE) + cost


@compiled_in_place
def set_distance(s, room, j, u, v):
    """The distance between two sets of attribute j."""
    if u == v:
        return np.int64(0)
    a, b = u - s.first, v - s.first
    n, m = s.start[a + 1] - s.start[a], s.start[b + 1] - s.start[b]
    if not s.is_matching[j]:
        part, whole = _averaged(n, m, _best_matches(s, a, b) + _best_matches(s, b, a))
        return np.int64(np.rint(s.reach[j] * (part / whole)))
    if n > m:
        a, b = b, a
        n, m = m, n
    for p in range(n):
        at = s.row_at[s.element[s.start[a] + p]]
        for q in range(m):
            room.cost[p, q] = s.row[at + s.element[s.start[b] + q]]
    part, whole = _matched(n, m, assign(room, n, m))
    return np.int64(np.rint(s.reach[j] * (part / whole)))


# The functions below take whole tuples, since taking them apart counts references to every array.


def _no_aim(_f, _g, _node):
    return


@compiled_if_given("sets", _no_aim)
def aim_at_sets(f, g, node):
    """Collect the distances from the sets of a point to all elements."""
    for j in range(f.single, len(f.kind)):
        aim_at(f.sets, g.sets, j, node[j])


def _no_more(_f, _g, _i, d, _bound):
    return d


@compiled_if_given("sets", _no_more)
def add_from_aim(f, g, i, d, bound):
    """Add to d the distances from the sets aimed at to those of item i, at least until the bound is exceeded."""
    for j in range(f.single, len(f.kind)):
        if d > bound:
            break
        if not f.equality:
            d += from_aim(f.sets, g.sets, j, g.node[i, j], bound - d)
        elif g.node[i, j] != g.sets.node[j]:
            d += f.one[j]
    return d


def _no_distance(_f, _t, _node):
    return np.int64(0)


@compiled_if_given("sets", _no_distance)
def between_sets(f, t, node):
    """The sum of distances between the sets of tuple t and those of a point."""
    d = np.int64(0)
    for j in range(f.single, len(f.kind)):
        if not f.equality:
            d += set_distance(f.sets, f.room, j, f.node[t, j], node[j])
        elif f.node[t, j] != node[j]:
            d += f.one[j]
    return d


def _no_sums(_f, _centroid, _j, _v, _records, _is_new):
    return


@compiled_if_given("sets", _no_sums)
def change_sums(f, centroid, j, v, records, is_new):
    """Add the distances of ``records`` records with set v (fewer, if negative) to the sums of all sets of a cluster.

    ``is_new``: the cluster did not have the set before, so that its own sum has to be computed.
    """
    own = np.int64(0)
    many = centroid.values[j] > _MANY
    if many:
        aim_at(f.sets, centroid.aim, j, v)
    for i in range(f.first[j], f.first[j] + centroid.values[j]):
        u = centroid.value[i]
        if u != v:
            if many:
                d = from_aim(f.sets, centroid.aim, j, u, np.int64(2**62))
            else:
                d = set_distance(f.sets, f.room, j, u, v)
            centroid.total[u] += records * d
            own += centroid.count[u] * d
    if is_new:
        centroid.total[v] = own


def _no_medoid(_f, _centroid, _j):
    return np.int32(-1)


@compiled_if_given("sets", _no_medoid)
def medoid(f, centroid, j):
    """The set of a cluster with the least sum of distances, the first of ties."""
    first, last = f.first[j], f.first[j] + centroid.values[j]
    least = np.int64(2**62)
    for i in range(first, last):
        if centroid.count[centroid.value[i]] > 0:
            least = min(least, centroid.total[centroid.value[i]])
    least += np.int64(f.slack[j] * centroid.records[0])
    got = np.int32(-1)
    for i in range(first, last):
        v = centroid.value[i]
        if centroid.count[v] > 0 and centroid.total[v] <= least and (got < 0 or v < got):
            got = v
    return got
