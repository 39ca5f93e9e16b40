"""Groups of tuples for generalisation by cost, in compiled code: what they are released as, and what they cost.

A group is released as the least common subsumers of its tuples, one node for each attribute. Its cost is what its
records lose by that.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ontomask.base.bundles import Bundle
from ontomask.base.compiler import compiled, compiled_in_place, compiled_inline
from ontomask.distance.ties import TIE

__all__ = [
    "Costs",
    "Index",
    "Partition",
    "begin",
    "common_node",
    "cost_of",
    "fall_of",
    "join",
    "link",
    "lost_at",
    "lost_with_node",
    "refresh",
    "rise_of",
    "unlink",
]


class Costs(Bundle):
    """The graphs of all attributes, and what values lose at the nodes above them.

    Attributes
    ----------
    first
        Attribute j has the nodes ``first[j] … first[j + 1] − 1`` of ``parent``, ``depth`` and ``column``; elsewhere its
        nodes are numbered from 0.
    parent, depth
        One parent of each node, so that the nodes are a tree, and the depth in it.
    meet, meet_start
        The least common subsumer of nodes a and b is ``meet[meet_start[j] + a · nodes + b]``. If ``meet_start[j]`` is
        −1, it is the one in the tree.
    lost, column
        A value whose losses begin at ``row`` loses ``lost[row + column[first[j] + node]]`` at a node above it.
    lost_with
        What it loses at its least common subsumer with any node: ``lost_with[row + node]``, only if there is ``meet``.
    """

    first: Any
    parent: Any
    depth: Any
    meet: Any
    meet_start: Any
    lost: Any
    column: Any
    lost_with: Any


class Partition(Bundle):
    """Tuples in groups.

    Attributes
    ----------
    leaf, row
        For each tuple and attribute the node of its value, and where its losses begin.
    count
        The records of each tuple.
    group
        The group of each tuple (−1: left out).
    head, after, before
        The tuples of each group as a list.
    node, cost
        For each group and attribute the node that it is released as, and what its records lose.
    size
        The records of each group.
    """

    leaf: Any
    row: Any
    count: Any
    group: Any
    head: Any
    after: Any
    before: Any
    node: Any
    cost: Any
    size: Any

    @classmethod
    def of(cls, leaf, row, count, group):
        """Tuples in the given groups. `begin` must link them."""
        tuples, attributes = leaf.shape
        return cls(
            leaf=np.ascontiguousarray(leaf, dtype=np.int32),
            row=np.ascontiguousarray(row, dtype=np.int64),
            count=np.asarray(count, dtype=np.int64),
            group=group.astype(np.int32),
            head=np.full(tuples + 1, -1, dtype=np.int32),
            after=np.full(tuples, -1, dtype=np.int32),
            before=np.full(tuples, -1, dtype=np.int32),
            node=np.zeros((tuples + 1, attributes), dtype=np.int32),
            cost=np.zeros((tuples + 1, attributes)),
            size=np.zeros(tuples + 1, dtype=np.int64),
        )


class Index(Bundle):
    """Groups by their node in one attribute, and then in a second, so that a search need not look at all of them.

    Attributes
    ----------
    key
        The attribute; −1 if there is none, and all groups are at node 0.
    start, group
        The groups of each node: ``group[start[node] : start[node + 1]]``.
    order
        For each value of the attribute the nodes, ascending by what it loses at its least common subsumer with them.
    value
        The value of each tuple.
    second, second_node, position
        The attribute that excludes most groups after the key (−1 if there is none; nodes are then not used). Group g is
        at ``group[position[g]]``, and its node in that attribute is ``second_node[position[g]]``.
    most
        The number of groups that a search looks at.
    moved
        The number of groups that a tuple has left since the index was made, and these groups: they may be elsewhere.
    """

    key: Any
    start: Any
    group: Any
    order: Any
    value: Any
    second: Any
    second_node: Any
    position: Any
    most: Any
    moved: Any


@compiled
def begin(f, p, groups):
    """Link the tuples of each group, and compute its nodes and cost."""
    for t in range(len(p.group) - 1, -1, -1):
        if p.group[t] >= 0:
            link(p, t, p.group[t])
    for g in range(groups):
        refresh(f, p, g)


@compiled_inline
def common_node(f, j, a, b):
    """The least common subsumer of two nodes."""
    start = f.meet_start[j]
    if start >= 0:
        return f.meet[start + np.int64(a) * (f.first[j + 1] - f.first[j]) + b]
    first = f.first[j]
    while a != b:
        if f.depth[first + a] >= f.depth[first + b]:
            a = f.parent[first + a]
        else:
            b = f.parent[first + b]
    return a


@compiled_inline
def lost_at(f, p, t, j, node):
    """What a record of tuple t loses at a node above it."""
    return f.lost[p.row[t, j] + f.column[f.first[j] + node]]


@compiled_inline
def lost_with_node(f, p, t, j, node):
    """What a record of tuple t loses at its least common subsumer with any node."""
    if f.meet_start[j] >= 0:
        return f.lost_with[p.row[t, j] + node]
    return lost_at(f, p, t, j, common_node(f, j, node, p.leaf[t, j]))


@compiled_in_place
def lost_by(f, p, g, j, node):
    """What all records of a group lose at a node above them."""
    total = 0.0
    t = p.head[g]
    while t >= 0:
        total += p.count[t] * lost_at(f, p, t, j, node)
        t = p.after[t]
    return total


@compiled_in_place
def cost_of(p, g):
    """What all records of a group lose in all attributes."""
    total = 0.0
    for j in range(p.leaf.shape[1]):
        total += p.cost[g, j]
    return total


@compiled_in_place
def link(p, t, g):
    """Put a tuple into the list of a group."""
    h = p.head[g]
    p.after[t] = h
    p.before[t] = -1
    if h >= 0:
        p.before[h] = t
    p.head[g] = t
    p.group[t] = g
    p.size[g] += p.count[t]


@compiled_in_place
def unlink(p, t):
    """Remove a tuple from the list of its group."""
    g = p.group[t]
    if p.before[t] >= 0:
        p.after[p.before[t]] = p.after[t]
    else:
        p.head[g] = p.after[t]
    if p.after[t] >= 0:
        p.before[p.after[t]] = p.before[t]
    p.size[g] -= p.count[t]
    p.group[t] = -1


@compiled_in_place
def refresh(f, p, g):
    """Compute the nodes and the cost of a group from its tuples."""
    t = p.head[g]
    for j in range(p.leaf.shape[1]):
        p.cost[g, j] = 0.0
        if t >= 0:
            p.node[g, j] = p.leaf[t, j]
    while t >= 0:
        for j in range(p.leaf.shape[1]):
            p.node[g, j] = common_node(f, j, p.node[g, j], p.leaf[t, j])
        t = p.after[t]
    for j in range(p.leaf.shape[1]):
        p.cost[g, j] = lost_by(f, p, g, j, p.node[g, j])


@compiled_in_place
def join(f, p, t, g):
    """Put a tuple without a group into one. Returns by how much the cost of the group rises."""
    rise = 0.0
    link(p, t, g)
    for j in range(p.leaf.shape[1]):
        before = p.cost[g, j]
        node = common_node(f, j, p.node[g, j], p.leaf[t, j])
        if node == p.node[g, j]:
            p.cost[g, j] += p.count[t] * lost_at(f, p, t, j, node)
        else:
            p.node[g, j] = node
            p.cost[g, j] = lost_by(f, p, g, j, node)
        rise += p.cost[g, j] - before
    return rise


@compiled_in_place
def rise_of(f, p, t, g, most):
    """By how much the cost of a group rises if a tuple joins it. If it exceeds ``most``, it is only a part of it."""
    total = 0.0
    for j in range(p.leaf.shape[1]):
        total += p.count[t] * lost_with_node(f, p, t, j, p.node[g, j])
    for j in range(p.leaf.shape[1]):
        if total > most + TIE:
            return total
        node = common_node(f, j, p.node[g, j], p.leaf[t, j])
        if node != p.node[g, j]:
            total += lost_by(f, p, g, j, node) - p.cost[g, j]
    return total


@compiled_in_place
def fall_of(f, p, t, nodes):
    """By how much the cost of its group falls if a tuple leaves it; ``nodes`` become those of the others."""
    g = p.group[t]
    x = p.head[g] if p.head[g] != t else p.after[t]
    for j in range(p.leaf.shape[1]):
        nodes[j] = p.leaf[x, j]
    while x >= 0:
        if x != t:
            for j in range(p.leaf.shape[1]):
                nodes[j] = common_node(f, j, nodes[j], p.leaf[x, j])
        x = p.after[x]
    fall = 0.0
    for j in range(p.leaf.shape[1]):
        own = p.count[t] * lost_at(f, p, t, j, nodes[j]) if nodes[j] == p.node[g, j] else 0.0
        if nodes[j] != p.node[g, j]:
            own = p.cost[g, j]
            x = p.head[g]
            while x >= 0:
                if x != t:
                    own -= p.count[x] * lost_at(f, p, x, j, nodes[j])
                x = p.after[x]
        fall += own
    return fall
