"""Compiled loops: the centroid of a set of records that grows and shrinks, and distances.

Concepts are *nodes*: the values of all nominal attributes and their subsumers, numbered attribute by attribute in
taxonomy order, so that parents come first and ties go to the lowest. Numbers and ranks are *coordinates*; for medians
and ranges, their values are numbered after the nodes. A range lies at its middle. Sets of concepts come last: see
`ontomask.masking.kernels.set_index`.

Distances are integers, so that sums do not depend on their order and what was added can be subtracted exactly. They
count in a unit so small (2⁻⁴² for 100,000 records) that the tolerance for ties is thousands of them.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from ontomask.base.bundles import Bundle
from ontomask.base.compiler import compiled_in_place, compiled_in_place_entry, compiled_inner
from ontomask.distance.kernels.climbing import climb
from ontomask.masking.kernels.line_centre import (
    MEAN,
    MEDIAN,
    MIXED,
    RANGE,
    centre_kind,
    extremes_of,
    median_of,
    mixed_centre,
)
from ontomask.masking.kernels.set_index import SET, SetAim, between_sets, change_sums, medoid

__all__ = [
    "FAR",
    "LCS",
    "MEAN",
    "MEDIAN",
    "MODE",
    "NOMINAL",
    "RANGE",
    "SEMANTIC",
    "SET",
    "ClusterIndex",
    "RunningCentroid",
    "add",
    "apart",
    "centre",
    "centre_kind",
    "centre_of",
    "remove",
    "reset",
    "to_point",
]

NOMINAL = 0
SEMANTIC, LCS, MODE = 0, 1, 2
# Larger than any distance; three times as much still fits into 64 bits.
FAR = 2**61


class ClusterIndex(Bundle):
    """The tuples, the nodes and the distances between them. They do not change.

    Nominal attributes come first, attributes that hold sets last.

    Attributes
    ----------
    nominal, single
        The number of nominal attributes, and of all attributes that hold no sets.
    node, coordinate, counts
        One row per tuple, one column per attribute; and the records of each tuple.
    first, kind, longest, one, slack
        The first node and the kind of each attribute, the longest distance it can add (on the line, for numbers), what
        a distance of 1 adds, and the tolerance for ties in it.
    parent_start, parent, depth
        The is-a links between nodes, and the number of links on the longest path from the root.
    row_at, row, meant
        The distances from node v to all nodes of its attribute begin at ``row[row_at[v]]``; those that centroids follow
        from, which differ where tuples are compared by equality, in the same places of ``meant``.
    position
        The coordinate of each number that is numbered.
    sides, shift
        The attributes that grids divide space by (−1: none), and the bits below each one's block in a cell's number.
    block, low, high
        The block of each node in a grid, and the least and the largest distance from each node to each block.
    unit, tie
        What one is worth, as a part of 1, and the tolerance for ties.
    equality
        Whether numbers are compared by equality.
    strategy
        What a centroid is: `SEMANTIC`, `LCS` or `MODE`.
    sets, room
        The sets, if an attribute holds sets, and working space to compare two of them.
    """

    nominal: Any
    single: Any
    node: Any
    coordinate: Any
    counts: Any
    first: Any
    kind: Any
    longest: Any
    one: Any
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
    sets: Any
    room: Any

    def for_another_thread(self):
        """The same index with a working space of its own."""
        return self if self.sets is None else replace(self, room=SetAim.empty(self.sets).room)


class RunningCentroid(Bundle):
    """A set of records, and the sums from which its centroid is computed.

    Attributes
    ----------
    records
        Their number; the tuple that was added with the most records, and their number.
    count, moment
        Records of each value; the sum of each attribute's coordinates.
    value, values, distinct
        The values that were added, each attribute's from its first node on; how many; and how many are still there.
    found, reached, below, links, total
        The same for the values' subsumers, ascending; how many values lie below each, the links up to it from all of
        them, and the sum of distances to it from all records.
    step, queue, inside
        Room for climbing.
    aim
        Room for the distances from one set to all elements.
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
    aim: Any

    @classmethod
    def empty(cls, index):
        """A set without records."""
        nodes, attributes = len(index.position), len(index.kind)
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
            aim=SetAim.empty(index.sets),
        )


@compiled_inner
def add(f, centroid, t, records):
    """Add records of tuple t to the set."""
    centroid.records[0] += records
    if records > centroid.records[2] or (records == centroid.records[2] and t < centroid.records[1]):
        centroid.records[1] = t
        centroid.records[2] = records
    for j in range(len(f.kind)):
        if f.kind[j] == MEAN:
            centroid.moment[j] += records * f.coordinate[t, j]
            continue
        v = f.node[t, j]
        first = f.first[j]
        new = centroid.count[v] == 0
        centroid.count[v] += records
        if new:
            centroid.value[first + centroid.values[j]] = v
            centroid.values[j] += 1
            centroid.distinct[j] += 1
        if f.kind[j] == SET:
            change_sums(f, centroid, j, v, records, new)
        if f.kind[j] >= MEDIAN:
            continue
        at = f.row_at[v] - first
        for i in range(first, first + centroid.reached[j]):
            b = centroid.found[i]
            centroid.total[b] += records * f.meant[at + b]
        if not new:
            continue
        for q in range(climb(f.parent_start, f.parent, v, centroid.step, centroid.queue)):
            b = centroid.queue[q]
            if centroid.below[b] == 0:
                # A new subsumer: insert it in order among those found.
                total = np.int64(0)
                for i in range(first, first + centroid.values[j]):
                    total += centroid.count[centroid.value[i]] * f.meant[f.row_at[centroid.value[i]] - first + b]
                centroid.total[b] = total
                centroid.links[b] = 0
                i = first + centroid.reached[j]
                centroid.reached[j] += 1
                while i > first and centroid.found[i - 1] > b:
                    centroid.found[i] = centroid.found[i - 1]
                    i -= 1
                centroid.found[i] = b
            centroid.below[b] += 1
            centroid.links[b] += centroid.step[b]
            centroid.step[b] = -1


@compiled_inner
def remove(f, centroid, t, records):
    """Remove records of tuple t from the set. A value that is gone must not come back."""
    centroid.records[0] -= records
    for j in range(len(f.kind)):
        if f.kind[j] == MEAN:
            centroid.moment[j] -= records * f.coordinate[t, j]
            continue
        v = f.node[t, j]
        first = f.first[j]
        centroid.count[v] -= records
        gone = centroid.count[v] == 0
        if gone:
            centroid.distinct[j] -= 1
        if f.kind[j] == SET:
            change_sums(f, centroid, j, v, -records, False)
        if f.kind[j] >= MEDIAN:
            continue
        at = f.row_at[v] - first
        for i in range(first, first + centroid.reached[j]):
            b = centroid.found[i]
            centroid.total[b] -= records * f.meant[at + b]
        if gone:
            for q in range(climb(f.parent_start, f.parent, v, centroid.step, centroid.queue)):
                b = centroid.queue[q]
                centroid.below[b] -= 1
                centroid.links[b] -= centroid.step[b]
                centroid.step[b] = -1


@compiled_inner
def reset(first, centroid):
    """Empty the set, in time proportional to its values."""
    centroid.records[0] = 0
    centroid.records[2] = 0
    for j in range(len(first)):
        for i in range(first[j], first[j] + centroid.values[j]):
            centroid.count[centroid.value[i]] = 0
        for i in range(first[j], first[j] + centroid.reached[j]):
            centroid.below[centroid.found[i]] = 0
        centroid.values[j] = 0
        centroid.distinct[j] = 0
        centroid.reached[j] = 0
        centroid.moment[j] = 0


@compiled_inner
def centre(f, centroid, node, coordinate):
    """The centroid of the set, attribute by attribute (Martínez 2012, eq. 4.6–4.7), or its most frequent tuple."""
    for j in range(len(f.kind)):
        if f.strategy == MODE:
            node[j] = f.node[centroid.records[1], j]
            coordinate[j] = f.coordinate[centroid.records[1], j]
        elif f.kind[j] == MEAN:
            node[j] = -1
            coordinate[j] = centroid.moment[j] // centroid.records[0]
        elif f.kind[j] == MEDIAN:
            values = centroid.value[f.first[j] : f.first[j] + centroid.values[j]]
            node[j] = median_of(values, centroid.count, centroid.records[0])
            coordinate[j] = f.position[node[j]]
        elif f.kind[j] == SET:
            node[j] = medoid(f, centroid, j)
        elif f.kind[j] == RANGE:
            node[j] = -1
            low, high = extremes_of(centroid.value[f.first[j] : f.first[j] + centroid.values[j]], centroid.count)
            coordinate[j] = (f.position[low] + f.position[high]) // 2
        elif f.kind[j] > MIXED:
            values = centroid.value[f.first[j] : f.first[j] + centroid.values[j]]
            slack = np.int64(f.slack[j] * centroid.records[0])
            node[j], coordinate[j] = mixed_centre(
                f.kind[j] - MIXED,
                values,
                centroid.count,
                f.position,
                centroid.records[0],
                f.longest[j],
                f.one[j],
                slack,
            )
        elif centroid.values[j] == 1:
            node[j] = centroid.value[f.first[j]]
        else:
            node[j] = _middle(f, centroid, j)


@compiled_inner
def _middle(f, centroid, j):
    """The concept of H(V) with the least sum of distances (eq. 4.6), or the values' least common subsumer."""
    first = f.first[j]
    last = first + centroid.reached[j]
    top = -1
    for i in range(first, last):
        b = centroid.found[i]
        centroid.inside[b] = False
        if centroid.below[b] == centroid.distinct[j] and (
            top < 0
            or f.depth[b] > f.depth[top]
            or (f.depth[b] == f.depth[top] and centroid.links[b] < centroid.links[top])
        ):
            top = b
    if f.strategy == LCS:
        return top
    least = np.int64(FAR)
    for i in range(first, last):
        b = centroid.found[i]
        if centroid.below[b] > 0:
            inside = b == top
            for q in range(f.parent_start[b], f.parent_start[b + 1]):
                inside = inside or centroid.inside[f.parent[q]]
            centroid.inside[b] = inside
            if inside:
                least = min(least, centroid.total[b])
    # The tolerance is for mean distances, and these are sums.
    least += np.int64(f.slack[j] * centroid.records[0])
    for i in range(first, last):
        b = centroid.found[i]
        if centroid.inside[b] and centroid.total[b] <= least:
            return b
    return -1


@compiled_inner
def centre_of(f, centroid, member, records, node, coordinate):
    """The centroid of tuples with their numbers of records, and the sum of squared distances to it."""
    reset(f.first, centroid)
    for i in range(len(member)):
        add(f, centroid, member[i], records[i])
    centre(f, centroid, node, coordinate)
    squares = 0.0
    for i in range(len(member)):
        squares += records[i] * (to_point(f, member[i], node, coordinate) * f.unit) ** 2
    return squares


@compiled_in_place_entry
def to_point(f, t, node, coordinate):
    """The distance from tuple t to a point."""
    d = np.int64(0)
    for j in range(f.nominal):
        d += f.row[f.row_at[node[j]] - f.first[j] + f.node[t, j]]
    for j in range(f.nominal, f.single):
        d += apart(f.coordinate[t, j], coordinate[j], f.longest[j], f.one[j], f.equality)
    return d + between_sets(f, t, node)


@compiled_in_place
def apart(x, y, longest, one, equality):
    """The distance between two numbers."""
    d = abs(x - y)
    # The mean of equal numbers may differ by one.
    if equality:
        return one * np.int64(d > 1)
    # Values off the line are at distance 1.
    return one if d > longest + 1 else d
