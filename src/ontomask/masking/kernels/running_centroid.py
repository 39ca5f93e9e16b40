"""Compiled loops on sets of records: the centroid of one that grows and shrinks, and distances.

Concepts are *nodes*: the values of all nominal attributes and their subsumers, numbered attribute by attribute, within
one in taxonomy order, so that parents come first and ties go to the lowest. Numbers and places in an order are
*coordinates*; where their median is wanted, their values are numbered behind the nodes.

Distances are whole numbers, so that sums do not depend on their order and what was added can be taken out exactly. They
count in a unit so small (2⁻⁴² for 100,000 records) that the tolerance for ties is thousands of them.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from ontomask.base.compiler import compiled

__all__ = [
    "FAR",
    "LCS",
    "MEAN",
    "MEDIAN",
    "MODE",
    "NOMINAL",
    "SEMANTIC",
    "Bag",
    "Field",
    "add",
    "apart",
    "centre",
    "centre_of",
    "remove",
    "reset",
    "to_point",
]

NOMINAL, MEAN, MEDIAN = 0, 1, 2
SEMANTIC, LCS, MODE = 0, 1, 2
# Farther than anything, and three times as much is still a number of 64 bits.
FAR = 2**61


class Field(NamedTuple):
    """What stays as it is: the tuples, the nodes and the distances between them. Nominal attributes come first.

    Attributes
    ----------
    nominal
        How many attributes are nominal.
    node, coordinate, counts
        A row a tuple, a column an attribute; and the records of each tuple.
    first, kind, longest, slack
        The first node and the kind of each attribute, the longest distance it can add, the tolerance for ties in it.
    parent_start, parent, depth
        The is-a links between nodes, and links on the longest way from the root.
    row_at, row, meant
        The distances from node v to all nodes of its attribute begin at ``row[row_at[v]]``; those that centroids follow
        from, which differ where tuples are compared by equality, in the same places of ``meant``.
    position
        The coordinate of each number that is numbered.
    sides, shift
        The attributes that grids divide space by (−1: none), and the bits below each one's block in a cell's number.
    block, low, high
        The block of each node in a grid, and the least and the greatest distance from each node to each block.
    unit, tie
        What one is worth, as a part of 1, and the tolerance for ties.
    equality
        Whether numbers are compared by equality.
    strategy
        What a centroid is: `SEMANTIC`, `LCS` or `MODE`.
    """

    nominal: Any
    node: Any
    coordinate: Any
    counts: Any
    first: Any
    kind: Any
    longest: Any
    slack: Any
    parent_start: Any
    parent: Any
    depth: Any
    row_at: Any
    row: Any
    meant: Any
    position: Any
    sides: Any
    shift: Any
    block: Any
    low: Any
    high: Any
    unit: Any
    tie: Any
    equality: Any
    strategy: Any


class Bag(NamedTuple):
    """A set of records and what its centroid follows from.

    Attributes
    ----------
    records
        How many there are; the tuple that was added with most of them, and with how many.
    count, moment
        Records of each value; the sum of each attribute's coordinates.
    value, values, distinct
        The values that were added, each attribute's from its first node on; how many; and how many are still there.
    found, reached, below, links, total
        The same for the values' subsumers, ascending; how many values lie below each, the links up to it from all of
        them, and the sum of distances to it from all records.
    step, queue, inside
        Room for climbing.
    """

    records: Any
    count: Any
    moment: Any
    value: Any
    values: Any
    distinct: Any
    found: Any
    reached: Any
    below: Any
    links: Any
    total: Any
    step: Any
    queue: Any
    inside: Any

    @classmethod
    def empty(cls, field):
        """A bag without records."""
        nodes, attributes = len(field.position), len(field.kind)
        return cls(
            records=np.zeros(3, dtype=np.int64),
            count=np.zeros(nodes, dtype=np.int64),
            moment=np.zeros(attributes, dtype=np.int64),
            value=np.zeros(nodes, dtype=np.int32),
            values=np.zeros(attributes, dtype=np.int64),
            distinct=np.zeros(attributes, dtype=np.int64),
            found=np.zeros(nodes, dtype=np.int32),
            reached=np.zeros(attributes, dtype=np.int64),
            below=np.zeros(nodes, dtype=np.int32),
            links=np.zeros(nodes, dtype=np.int64),
            total=np.zeros(nodes, dtype=np.int64),
            step=np.full(nodes, -1, dtype=np.int32),
            queue=np.zeros(nodes, dtype=np.int32),
            inside=np.zeros(nodes, dtype=np.bool_),
        )


@compiled
def _climb(parent_start, parent, step, queue, v):
    """Breadth-first from v to the top: the links to each subsumer in ``step``, the subsumers in ``queue``."""
    step[v] = 0
    queue[0] = v
    reached = 1
    head = 0
    while head < reached:
        b = queue[head]
        head += 1
        for q in range(parent_start[b], parent_start[b + 1]):
            a = parent[q]
            if step[a] < 0:
                step[a] = step[b] + 1
                queue[reached] = a
                reached += 1
    return reached


@compiled
def add(f, bag, t, records):
    """Put so many records of tuple t into a bag."""
    bag.records[0] += records
    if records > bag.records[2] or (records == bag.records[2] and t < bag.records[1]):
        bag.records[1] = t
        bag.records[2] = records
    for j in range(len(f.kind)):
        if f.kind[j] == MEAN:
            bag.moment[j] += records * f.coordinate[t, j]
            continue
        v = f.node[t, j]
        first = f.first[j]
        new = bag.count[v] == 0
        bag.count[v] += records
        if new:
            bag.value[first + bag.values[j]] = v
            bag.values[j] += 1
            bag.distinct[j] += 1
        if f.kind[j] == MEDIAN:
            continue
        at = f.row_at[v] - first
        for i in range(first, first + bag.reached[j]):
            b = bag.found[i]
            bag.total[b] += records * f.meant[at + b]
        if not new:
            continue
        for q in range(_climb(f.parent_start, f.parent, bag.step, bag.queue, v)):
            b = bag.queue[q]
            if bag.below[b] == 0:
                # It lies above a value for the first time: it takes its place among those found, in order.
                total = np.int64(0)
                for i in range(first, first + bag.values[j]):
                    total += bag.count[bag.value[i]] * f.meant[f.row_at[bag.value[i]] - first + b]
                bag.total[b] = total
                bag.links[b] = 0
                i = first + bag.reached[j]
                bag.reached[j] += 1
                while i > first and bag.found[i - 1] > b:
                    bag.found[i] = bag.found[i - 1]
                    i -= 1
                bag.found[i] = b
            bag.below[b] += 1
            bag.links[b] += bag.step[b]
            bag.step[b] = -1


@compiled
def remove(f, bag, t, records):
    """Take so many records of tuple t out of a bag; a value that has left it whole must not come back."""
    bag.records[0] -= records
    for j in range(len(f.kind)):
        if f.kind[j] == MEAN:
            bag.moment[j] -= records * f.coordinate[t, j]
            continue
        v = f.node[t, j]
        first = f.first[j]
        bag.count[v] -= records
        gone = bag.count[v] == 0
        if gone:
            bag.distinct[j] -= 1
        if f.kind[j] == MEDIAN:
            continue
        at = f.row_at[v] - first
        for i in range(first, first + bag.reached[j]):
            b = bag.found[i]
            bag.total[b] -= records * f.meant[at + b]
        if gone:
            for q in range(_climb(f.parent_start, f.parent, bag.step, bag.queue, v)):
                b = bag.queue[q]
                bag.below[b] -= 1
                bag.links[b] -= bag.step[b]
                bag.step[b] = -1


@compiled
def reset(first, bag):
    """Empty a bag, at the cost of what was in it."""
    bag.records[0] = 0
    bag.records[2] = 0
    for j in range(len(first)):
        for i in range(first[j], first[j] + bag.values[j]):
            bag.count[bag.value[i]] = 0
        for i in range(first[j], first[j] + bag.reached[j]):
            bag.below[bag.found[i]] = 0
        bag.values[j] = 0
        bag.distinct[j] = 0
        bag.reached[j] = 0
        bag.moment[j] = 0


@compiled
def centre(f, bag, node, coordinate):
    """The centroid of a bag's records, attribute by attribute (T eq. 4.6–4.7), or its most frequent tuple."""
    for j in range(len(f.kind)):
        if f.strategy == MODE:
            node[j] = f.node[bag.records[1], j]
            coordinate[j] = f.coordinate[bag.records[1], j]
        elif f.kind[j] == MEAN:
            node[j] = -1
            coordinate[j] = bag.moment[j] // bag.records[0]
        elif f.kind[j] == MEDIAN:
            node[j] = _median(bag.value[f.first[j] : f.first[j] + bag.values[j]], bag.count, bag.records[0])
            coordinate[j] = f.position[node[j]]
        elif bag.values[j] == 1:
            node[j] = bag.value[f.first[j]]
        else:
            node[j] = _middle(f, bag, j)


@compiled
def _median(values, count, records):
    """The smallest value with at least half of the records at or below it."""
    reached = np.int64(0)
    for v in np.sort(values):
        reached += count[v]
        if 2 * reached >= records:
            return v
    return -1


@compiled
def _middle(f, bag, j):
    """The concept of H(V) with the least sum of distances (T eq. 4.6), or the values' least common subsumer."""
    first = f.first[j]
    last = first + bag.reached[j]
    top = -1
    for i in range(first, last):
        b = bag.found[i]
        bag.inside[b] = False
        if bag.below[b] == bag.distinct[j] and (
            top < 0 or f.depth[b] > f.depth[top] or (f.depth[b] == f.depth[top] and bag.links[b] < bag.links[top])
        ):
            top = b
    if f.strategy == LCS:
        return top
    least = np.int64(FAR)
    for i in range(first, last):
        b = bag.found[i]
        if bag.below[b] > 0:
            inside = b == top
            for q in range(f.parent_start[b], f.parent_start[b + 1]):
                inside = inside or bag.inside[f.parent[q]]
            bag.inside[b] = inside
            if inside:
                least = min(least, bag.total[b])
    # The tolerance is one of mean distances, and these are sums.
    least += np.int64(f.slack[j] * bag.records[0])
    for i in range(first, last):
        b = bag.found[i]
        if bag.inside[b] and bag.total[b] <= least:
            return b
    return -1


@compiled
def centre_of(f, bag, member, records, node, coordinate):
    """The centroid of some tuples with so many records each, and their sum of squared distances to it."""
    reset(f.first, bag)
    for i in range(len(member)):
        add(f, bag, member[i], records[i])
    centre(f, bag, node, coordinate)
    squares = 0.0
    for i in range(len(member)):
        squares += records[i] * (to_point(f, member[i], node, coordinate) * f.unit) ** 2
    return squares


@compiled
def to_point(f, t, node, coordinate):
    """The distance from tuple t to a point."""
    d = np.int64(0)
    for j in range(f.nominal):
        d += f.row[f.row_at[node[j]] - f.first[j] + f.node[t, j]]
    for j in range(f.nominal, len(f.kind)):
        d += apart(f.coordinate[t, j], coordinate[j], f.longest[j], f.equality)
    return d


@compiled
def apart(x, y, longest, equality):
    """The distance between two numbers."""
    d = abs(x - y)
    # The mean of equal numbers may be one off.
    return longest * np.int64(d > 1) if equality else d
