"""Compiled loops of the evaluation."""

from __future__ import annotations

import numpy as np

from ontomask.base.compiler import compiled
from ontomask.base.kernels import order_of

__all__ = ["link_along_lines", "link_by_blocks", "link_by_comparing_all", "link_to_nearest", "ward"]


@compiled
def link_to_nearest(distance, start, size, near, bucket, second, inside, masked, counts, rows, tie, least, linked):
    """For each original tuple the smallest distance to a masked one, and how many masked records tie with it.

    ``least`` initially has each tuple's own distance: that to the nearest record made from it. If another masked tuple
    is nearer, no record of the tuple can be found, and the search ends with that distance and ``linked`` 1.

    ``distance`` holds the attributes' matrices one after another, each from the values of the originals (``rows``) to
    all values. The masked tuples are in buckets by their value in the first attribute, and ``near`` lists these values
    nearest first. Once the distance in the first attribute is too large, no later bucket can have a match. In a bucket,
    tuples are sorted by their value in the ``second`` attribute: group g is ``inside[g]`` to ``inside[g + 1]``.
    """
    attributes = len(size)
    for i in range(len(rows)):
        best = least[i]
        enough = best - tie
        own = start[0] + rows[i, 0] * size[0]
        # The least distance must be known before anything is counted as a tie with it.
        for counting in range(2):
            total = np.int64(0)
            for rank in range(size[0]):
                value = near[rows[i, 0], rank]
                first = distance[own + value]
                if first > best + tie or best < enough:
                    break
                for g in range(bucket[value], bucket[value + 1]):
                    both = first + distance[start[1] + rows[i, 1] * size[1] + second[g]]
                    if both > best + tie:
                        continue
                    for t in range(inside[g], inside[g + 1]):
                        d = both
                        for j in range(2, attributes):
                            d += distance[start[j] + rows[i, j] * size[j] + masked[t, j]]
                        if counting:
                            if d <= best + tie:
                                total += counts[t]
                        elif d < best:
                            best = d
                    if best < enough:
                        break
            linked[i] = total if best >= enough else 1
            if best < enough:
                break
        least[i] = best


@compiled
def link_along_lines(here, there, distance, start, size, near, bucket, rows, values, counts, tie, least, linked):
    """`link_to_nearest` for buckets whose masked tuples are sorted along a line, ``there[:, 0]``, ascending.

    Within a bucket, an original tuple is compared with masked tuples in order of their distance on the line, in both
    directions. Once this distance is too large, no later tuple can match. Further columns of ``here`` and ``there`` are
    positions on other lines. The first column of ``rows`` and ``values`` defines the buckets, and all of them are
    compared by matrices.
    """
    for i in range(len(here)):
        best = least[i]
        enough = best - tie
        x = here[i, 0]
        # The least distance must be known before anything is counted as a tie with it.
        for counting in range(2):
            total = np.int64(0)
            for rank in range(size[0]):
                value = near[rows[i, 0], rank]
                first = distance[rows[i, 0] * size[0] + value]
                if first > best + tie or best < enough:
                    break
                begin, end = bucket[value], bucket[value + 1]
                high = begin + np.searchsorted(there[begin:end, 0], x)
                low = high - 1
                while low >= begin or high < end:
                    if high == end or (low >= begin and x - there[low, 0] < there[high, 0] - x):
                        t = low
                        low -= 1
                    else:
                        t = high
                        high += 1
                    d = first + abs(x - there[t, 0])
                    if d > best + tie:
                        break
                    for c in range(1, here.shape[1]):
                        d += abs(here[i, c] - there[t, c])
                    for j in range(1, len(size)):
                        if d > best + tie:
                            break
                        d += distance[start[j] + rows[i, j] * size[j] + values[t, j]]
                    if counting:
                        if d <= best + tie:
                            total += counts[t]
                    elif d < best:
                        best = d
                        if best < enough:
                            break
            linked[i] = total if best >= enough else 1
            if best < enough:
                break
        least[i] = best


@compiled
def link_by_blocks(distance, start, size, low, low_start, edges, masked, counts, rows, tie, least, linked):
    """`link_to_nearest` for many attributes: masked tuples are in blocks, and most blocks are excluded as a whole.

    Block b has the masked tuples ``edges[b]`` to ``edges[b + 1] − 1``. ``low`` has, for each attribute and value of
    the originals, the least distance to a value in each block. The sum over the attributes is a bound for the block.
    Tuples that follow each other may have the values of the last attributes in common, and the sums over these, too.
    """
    attributes, blocks = len(size), len(edges) - 1
    sums = np.zeros((attributes + 1, blocks))
    bound = sums[0]
    tied, away = np.empty(len(masked), dtype=np.int64), np.empty(len(masked))
    for i in range(len(rows)):
        best = least[i]
        enough = best - tie
        same = attributes
        while i > 0 and same > 0 and rows[i, same - 1] == rows[i - 1, same - 1]:
            same -= 1
        for j in range(same - 1, -1, -1):
            at = low_start[j] + rows[i, j] * blocks
            for b in range(blocks):
                sums[j, b] = sums[j + 1, b] + low[at + b]
        first = 0
        for b in range(1, blocks):
            if bound[b] < bound[first]:
                first = b
        ties = 0
        for turn in range(-1, blocks):
            b = first if turn < 0 else turn
            if turn == first or bound[b] > best + tie:
                continue
            for t in range(edges[b], edges[b + 1]):
                d = 0.0
                for j in range(attributes):
                    d += distance[start[j] + rows[i, j] * size[j] + masked[t, j]]
                    if d > best + tie:
                        break
                if d <= best + tie:
                    best = min(best, d)
                    tied[ties], away[ties] = t, d
                    ties += 1
                    if best < enough:
                        break
            if best < enough:
                break
        linked[i] = 1
        if best >= enough:
            total = np.int64(0)
            for x in range(ties):
                # The least may have fallen, by less than a tie, since a tuple was found.
                if away[x] <= best + tie:
                    total += counts[tied[x]]
            linked[i] = total
        least[i] = best


@compiled
def link_by_comparing_all(here, there, distance, start, size, rows, values, counts, begin, end, tie, least, linked):
    """`link_to_nearest` with masked tuples ``begin[i] … end[i] − 1`` only for original tuple i.

    Distances are those of `link_along_lines`: positions on lines, and matrices. Without an index: for short ranges.
    """
    for i in range(len(rows)):
        best = least[i]
        enough = best - tie
        # The least distance must be known before anything is counted as a tie with it.
        for counting in range(2):
            total = np.int64(0)
            for t in range(begin[i], end[i]):
                d = 0.0
                for c in range(here.shape[1]):
                    d += abs(here[i, c] - there[t, c])
                for j in range(len(size)):
                    d += distance[start[j] + rows[i, j] * size[j] + values[t, j]]
                if counting:
                    if d <= best + tie:
                        total += counts[t]
                elif d < best:
                    best = d
                    if best < enough:
                        break
            linked[i] = total if best >= enough else 1
            if best < enough:
                break
        least[i] = best


@compiled
def ward(distance, clusters):
    """Ward's clustering of a distance matrix (overwritten): the cluster of every object, for a number of clusters.

    Merges are found along chains of nearest neighbours, which gives the same tree as always taking the closest pair,
    and applied in order of height. Distances between clusters follow Lance and Williams.
    """
    n = len(distance)
    size = np.ones(n)
    alive = np.ones(n, dtype=np.bool_)
    chain = np.empty(n, dtype=np.int64)
    length = 0
    left = np.empty(n - 1, dtype=np.int64)
    right = np.empty(n - 1, dtype=np.int64)
    height = np.empty(n - 1)
    for step in range(n - 1):
        if length == 0:
            first = 0
            while not alive[first]:
                first += 1
            chain[0] = first
            length = 1
        while True:
            x = chain[length - 1]
            # Among equals, the previous object of the chain is preferred, so that the chain ends.
            nearest = chain[length - 2] if length > 1 else -1
            least = distance[x, nearest] if length > 1 else np.inf
            for y in range(n):
                if alive[y] and y != x and distance[x, y] < least:
                    least = distance[x, y]
                    nearest = y
            if length > 1 and nearest == chain[length - 2]:
                break
            chain[length] = nearest
            length += 1
        x, y = chain[length - 1], chain[length - 2]
        length -= 2
        left[step], right[step], height[step] = x, y, least
        total = size[x] + size[y]
        for z in range(n):
            if alive[z] and z != x and z != y:
                d = (
                    (size[x] + size[z]) * distance[x, z] ** 2
                    + (size[y] + size[z]) * distance[y, z] ** 2
                    - size[z] * least**2
                ) / (total + size[z])
                distance[x, z] = np.sqrt(max(d, 0.0))
                distance[z, x] = distance[x, z]
        size[x] = total
        alive[y] = False
    # The objects of a merge may have been merged before, so their clusters are looked up.
    parent = np.arange(n)
    order = order_of(height)
    for step in order[: n - clusters]:
        a, b = left[step], right[step]
        while parent[a] != a:
            a = parent[a]
        while parent[b] != b:
            b = parent[b]
        parent[b] = a
    label = np.empty(n, dtype=np.int64)
    for i in range(n):
        a = i
        while parent[a] != a:
            a = parent[a]
        label[i] = a
    return label
