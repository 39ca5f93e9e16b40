"""Compiled loops of the evaluation."""

from __future__ import annotations

import numpy as np

from ontomask.compiled import compiled

__all__ = ["link_to_nearest"]


@compiled
def link_to_nearest(distance, start, size, near, bucket, second, inside, masked, counts, rows, tie, least, linked):
    """For each original tuple the least distance to a masked one, and how many masked records tie with it.

    ``distance`` holds the attributes' matrices one after another, each from the values of the originals (``rows``) to
    all values. The masked tuples lie in buckets by their value in the first attribute, and ``near`` lists those values
    nearest first: once the first attribute alone is too far, no bucket that follows can hold anything. In a bucket,
    tuples lie together by their value in the ``second`` attribute: those from ``inside[g]`` to ``inside[g + 1]``.
    ``least`` comes with a bound for each tuple.
    """
    attributes = len(size)
    for i in range(len(rows)):
        best = least[i]
        own = start[0] + rows[i, 0] * size[0]
        # The least distance must be known before anything is counted as a tie with it.
        for counting in range(2):
            total = np.int64(0)
            for rank in range(size[0]):
                value = near[rows[i, 0], rank]
                first = distance[own + value]
                if first > best + tie:
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
            linked[i] = total
        least[i] = best
