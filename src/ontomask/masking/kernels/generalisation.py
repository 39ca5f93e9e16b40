"""Compiled loops of local generalisation: groups of tuples are merged at their least common subsumers.

The graphs of all attributes are in one array: the nodes of attribute j are ``first[j] … first[j + 1] − 1``, parents
before children. A group has one node in each attribute. Groups are listed by their node in one attribute, the ``key``.
A search starts with groups that are near in the key, and ends when no other group can be nearer.
"""

from __future__ import annotations

import numpy as np

from ontomask.base.compiler import compiled, compiled_inner
from ontomask.distance.kernels.climbing import climb
from ontomask.distance.ties import TIE

__all__ = ["list_groups", "meet_all", "merge_rarest"]


@compiled
def list_groups(nodes, key, head, after, before):
    """Put every group into the list of its node."""
    for g in range(len(nodes) - 1, -1, -1):
        _enter(nodes[g, key], g, head, after, before)


@compiled
def merge_rarest(
    parent_start,
    parent,
    depth,
    first,
    weight,
    key,
    by_records,
    k,
    most,
    nodes,
    counts,
    into,
    head,
    after,
    before,
    at,
):
    """Merge the rarest group with the group that needs the fewest steps to their least common subsumers.

    A step in attribute j counts ``weight[j]``.

    There are at most ``most`` mergers; their number is returned. ``into[g]`` becomes the group that g was merged into.
    ``at`` has the position of the search for the rarest group (a number of records, the index of a group) and the
    number of records in groups below k. Merging ends when there are none.
    """
    attributes = nodes.shape[1]
    size = len(depth)
    meet = np.empty(size, dtype=np.int32)
    mine = np.empty(size, dtype=np.int32)
    theirs = np.empty(size, dtype=np.int32)
    links = np.full(size, -1, dtype=np.int32)
    queue = np.empty(size, dtype=np.int32)
    order = np.empty(first[key + 1] - first[key], dtype=np.int32)
    deepest = 0
    for node in range(size):
        deepest = max(deepest, depth[node])
    order_start = np.zeros(2 * deepest + 2, dtype=np.int32)
    swept = np.full(attributes, -1, dtype=np.int32)
    merged = 0
    while at[2] > 0 and merged < most:
        a = _next_rarest(counts, into, at)
        for j in range(attributes):
            if nodes[a, j] != swept[j]:
                swept[j] = nodes[a, j]
                _meet(parent_start, parent, depth, first[j], first[j + 1], swept[j], meet, mine, theirs, links, queue)
                if j == key:
                    _sort_by_steps(first[j], first[j + 1], mine, theirs, order, order_start)
        b = _cheapest(a, weight, key, by_records, nodes, counts, head, after, mine, theirs, order, order_start)
        _leave(nodes[a, key], a, head, after, before)
        _leave(nodes[b, key], b, head, after, before)
        for j in range(attributes):
            nodes[b, j] = meet[nodes[b, j]]
        _unite(a, b, k, counts, into, at)
        twin = _equal(b, nodes, key, head, after)
        if twin >= 0:
            _leave(nodes[twin, key], twin, head, after, before)
            _unite(twin, b, k, counts, into, at)
        _enter(nodes[b, key], b, head, after, before)
        merged += 1
    return merged


@compiled
def meet_all(parent_start, parent, depth, out):
    """The least common subsumer of every two nodes of one graph."""
    size = len(depth)
    mine = np.empty(size, dtype=np.int32)
    theirs = np.empty(size, dtype=np.int32)
    links = np.full(size, -1, dtype=np.int32)
    queue = np.empty(size, dtype=np.int32)
    for a in range(size):
        _meet(parent_start, parent, depth, 0, size, a, out[a], mine, theirs, links, queue)


@compiled_inner
def _next_rarest(counts, into, at):
    """The first group with the fewest records. Merged groups have more, so each number of records needs one pass."""
    while True:
        for g in range(at[1], len(counts)):
            if into[g] == g and counts[g] == at[0]:
                at[1] = g + 1
                return g
        at[0] = counts.sum()
        at[1] = 0
        for g in range(len(counts)):
            if into[g] == g and counts[g] < at[0]:
                at[0] = counts[g]


@compiled_inner
def _meet(parent_start, parent, depth, low, high, a, meet, mine, theirs, links, queue):
    """The least common subsumer of a and every node of its graph, and the steps up to it from both.

    For a subsumer of a it is the subsumer. For any other node it is that of its best parent: the one with the deepest
    common subsumer, then with the fewest steps, then the first.
    """
    reached = climb(parent_start, parent, a, links, queue)
    for v in range(low, high):
        if links[v] >= 0:
            meet[v] = v
            mine[v] = links[v]
            theirs[v] = 0
            continue
        best = parent[parent_start[v]]
        for i in range(parent_start[v] + 1, parent_start[v + 1]):
            p = parent[i]
            deeper = depth[meet[p]] - depth[meet[best]]
            longer = mine[p] + theirs[p] - mine[best] - theirs[best]
            if deeper > 0 or (deeper == 0 and (longer < 0 or (longer == 0 and meet[p] < meet[best]))):
                best = p
        meet[v] = meet[best]
        mine[v] = mine[best]
        theirs[v] = theirs[best] + 1
    for i in range(reached):
        links[queue[i]] = -1


@compiled_inner
def _sort_by_steps(low, high, mine, theirs, order, order_start):
    """Sort nodes by the steps of both to the common subsumer; ``order_start`` has the first of each number."""
    order_start[:] = 0
    for v in range(low, high):
        order_start[mine[v] + theirs[v]] += 1
    total = 0
    for s in range(len(order_start)):
        total += order_start[s]
        order_start[s] = total
    for v in range(high - 1, low - 1, -1):
        order_start[mine[v] + theirs[v]] -= 1
        order[order_start[mine[v] + theirs[v]]] = v


@compiled_inner
def _cheapest(a, weight, key, by_records, nodes, counts, head, after, mine, theirs, order, order_start):
    """The group that can be merged with a in the fewest steps, counted by the weights of their attributes.

    Of equals it is the one with the fewest records, then the one with the fewest steps in the key, then the first.
    """
    best = -1
    best_s = -1
    least = 0.0
    for s in range(len(order_start)):
        # No group has fewer records than a, so this is a lower bound for groups that are s steps away in the key.
        bound = s * weight[key] * (counts[a] if by_records else 1)
        if best >= 0 and (bound > least + TIE or (bound >= least - TIE and counts[best] == counts[a])):
            break
        end = order_start[s + 1] if s + 1 < len(order_start) else len(order)
        for i in range(order_start[s], end):
            g = head[order[i]]
            while g >= 0:
                if g != a:
                    up = 0.0
                    down = 0.0
                    for j in range(nodes.shape[1]):
                        up += weight[j] * mine[nodes[g, j]]
                        down += weight[j] * theirs[nodes[g, j]]
                    steps = counts[a] * up + counts[g] * down if by_records else up + down
                    less = best < 0 or steps < least - TIE
                    if not less and steps <= least + TIE:
                        less = counts[g] < counts[best] or (counts[g] == counts[best] and s == best_s and g < best)
                    if less:
                        best = g
                        best_s = s
                        least = steps
                g = after[g]
    return best


@compiled_inner
def _equal(b, nodes, key, head, after):
    """Another group with the same nodes as b; −1 if there is none."""
    g = head[nodes[b, key]]
    while g >= 0:
        same = g != b
        for j in range(nodes.shape[1]):
            same = same and nodes[g, j] == nodes[b, j]
        if same:
            return g
        g = after[g]
    return -1


@compiled_inner
def _unite(a, b, k, counts, into, at):
    """Make group a part of b."""
    into[a] = b
    for g in (a, b):
        if counts[g] < k:
            at[2] -= counts[g]
    counts[b] += counts[a]
    if counts[b] < k:
        at[2] += counts[b]


@compiled_inner
def _enter(node, g, head, after, before):
    """Put a group into the list of a node."""
    after[g] = head[node]
    before[g] = -1
    if head[node] >= 0:
        before[head[node]] = g
    head[node] = g


@compiled_inner
def _leave(node, g, head, after, before):
    """Remove a group from the list of a node."""
    if before[g] >= 0:
        after[before[g]] = after[g]
    else:
        head[node] = after[g]
    if after[g] >= 0:
        before[after[g]] = before[g]
