"""Compiled loops: the centroid of sets of concepts by local search, and what sets have in common."""

from __future__ import annotations

import numpy as np

from ontomask.base.compiler import compiled, compiled_inner
from ontomask.base.kernels import sort
from ontomask.distance.kernels.climbing import collect, collect_all
from ontomask.distance.ties import TIE
from ontomask.operators.kernels.sets import matching_distance, nearest_elements

__all__ = ["generalise_sets", "improve"]

# Passes over all candidates. The search nearly always ends after two or three.
_MOST_PASSES = 10


@compiled
def improve(start, index, share, distances, own, chosen, is_matching, room):
    """Change a set of candidates, one at a time, as long as its mean distance to the given sets falls.

    Each candidate in turn is dropped if it is chosen; otherwise it is added, or takes the place of the chosen one that
    is nearest to it, whichever is better. The set never becomes empty, or larger than the largest given one.

    Parameters
    ----------
    start, index, share
        The given sets: columns of ``distances``; and their shares of the records.
    distances, own
        From each candidate (rows) to the elements of the given sets, then to the other candidates; and the column of
        each candidate.
    chosen
        Which candidates are in the set; it is changed.
    is_matching, room
        Whether sets are compared by matching, and working space for it.
    """
    most = np.max(start[1:] - start[:-1])
    elements = np.max(index) + 1
    to_near, weight = np.zeros((most + 1, len(own))), np.zeros((most + 1, elements))
    if not is_matching:
        _weigh(start, index, share, distances, to_near, weight)
    near = np.empty(elements)
    members = np.flatnonzero(chosen)
    trial = np.empty(most + 1, dtype=np.int64)
    now = _mean(members, start, index, share, distances, to_near, weight, near, is_matching, room)
    for _ in range(_MOST_PASSES):
        changed = False
        for e in range(len(own)):
            size = len(members)
            at = size
            if chosen[e]:
                if size == 1:
                    continue
                n = _without(members, e, trial)
                mean = _mean(trial[:n], start, index, share, distances, to_near, weight, near, is_matching, room)
            else:
                at = 0
                for i in range(1, size):
                    if distances[e, own[members[i]]] < distances[e, own[members[at]]] - TIE:
                        at = i
                n = size
                trial[:n] = members
                trial[at] = e
                mean = _mean(trial[:n], start, index, share, distances, to_near, weight, near, is_matching, room)
                if size < most:
                    trial[at] = members[at]
                    trial[n] = e
                    more = _mean(
                        trial[: n + 1], start, index, share, distances, to_near, weight, near, is_matching, room
                    )
                    if more < mean - TIE:
                        mean = more
                        n += 1
                    else:
                        trial[at] = e
            if mean < now - TIE:
                now = mean
                members = sort(trial[:n])
                chosen[:] = False
                chosen[members] = True
                changed = True
        if not changed:
            break


@compiled_inner
def _without(members, e, trial):
    n = 0
    for m in members:
        if m != e:
            trial[n] = m
            n += 1
    return n


@compiled_inner
def _weigh(start, index, share, distances, to_near, weight):
    """What a candidate and an element add to the average best match, for each size q of the set that is searched.

    A candidate adds ``to_near[q]``, its distances to the nearest elements of all given sets; an element adds
    ``weight[q]`` times its distance to the nearest member. Both are divided by the sizes of both sets.
    """
    for i in range(len(start) - 1):
        size = start[i + 1] - start[i]
        for p in range(start[i], start[i + 1]):
            for q in range(1, len(weight)):
                weight[q, index[p]] += share[i] / (q + size)
        for e in range(len(distances)):
            least = np.inf
            for p in range(start[i], start[i + 1]):
                least = min(least, distances[e, index[p]])
            for q in range(1, len(weight)):
                to_near[q, e] += share[i] * least / (q + size)


@compiled_inner
def _mean(members, start, index, share, distances, to_near, weight, near, is_matching, room):
    """The mean distance of a set of candidates to the given sets."""
    total = 0.0
    if is_matching:
        for i in range(len(start) - 1):
            total += share[i] * matching_distance(members, index[start[i] : start[i + 1]], distances, room)
        return total
    size = len(members)
    for m in members:
        total += to_near[size, m]
    nearest_elements(members, distances, near)
    mine = weight[size]
    for t in range(len(near)):
        total += mine[t] * near[t]
    return total


@compiled
def generalise_sets(parent_start, parent, depth, group, start, element, out_start, out):
    """For each group of sets the most specific concepts that hold for all of them and cover all their elements.

    Every element is replaced by the deepest concept above it that subsumes an element of each set of its group, the
    first of several.

    Parameters
    ----------
    parent_start, parent, depth
        The is-a links.
    group
        Group g has the sets ``group[g] … group[g + 1] − 1``.
    start, element
        The sets.
    out_start, out
        The concepts of each group, in CSR form.
    """
    n = len(parent_start) - 1
    stamp = np.full(n, -1, dtype=np.int64)
    count = np.zeros(n, dtype=np.int64)
    queue = np.empty(n, dtype=np.int32)
    seen = np.empty(n, dtype=np.int32)
    cover = np.zeros(n, dtype=np.bool_)
    mark = 0
    out_start[0] = 0
    for g in range(len(group) - 1):
        # How many sets of the group each concept holds for.
        reached = 0
        for s in range(group[g], group[g + 1]):
            size = collect_all(parent_start, parent, element[start[s] : start[s + 1]], mark, stamp, queue, 0)
            mark += 1
            for q in range(size):
                if count[queue[q]] == 0:
                    seen[reached] = queue[q]
                    reached += 1
                count[queue[q]] += 1
        sets = group[g + 1] - group[g]
        values = np.unique(element[start[group[g]] : start[group[g + 1]]])
        for i in range(len(values)):
            size = collect(parent_start, parent, values[i], mark, stamp, queue)
            mark += 1
            best = -1
            for q in range(size):
                c = queue[q]
                if count[c] == sets and (best < 0 or depth[c] > depth[best] or (depth[c] == depth[best] and c < best)):
                    best = c
            cover[best] = True
        at = out_start[g]
        for c in seen[:reached]:
            if cover[c]:
                out[at] = c
                at += 1
            count[c] = 0
            cover[c] = False
        out_start[g + 1] = at
