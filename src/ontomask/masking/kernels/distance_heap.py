"""A compiled heap of distances: its top is the distance of the k-th nearest record."""

from __future__ import annotations

from ontomask.base.compiler import compiled_in_place

__all__ = ["lower"]


@compiled_in_place
def lower(sizes, heap, often, distance, records, k, bound):
    """Put a tuple on the heap of the nearest. Returns its top: the distance of the k-th nearest record."""
    i = sizes[1]
    sizes[1] += 1
    sizes[2] += records
    while i > 0 and heap[(i - 1) // 2] < distance:
        heap[i] = heap[(i - 1) // 2]
        often[i] = often[(i - 1) // 2]
        i = (i - 1) // 2
    heap[i] = distance
    often[i] = records
    while sizes[2] - often[0] >= k:
        _drop_top(sizes, heap, often)
    return heap[0] if sizes[2] >= k else bound


@compiled_in_place
def _drop_top(sizes, heap, often):
    sizes[1] -= 1
    sizes[2] -= often[0]
    last = sizes[1]
    distance, records = heap[last], often[last]
    i = 0
    while 2 * i + 1 < last:
        child = 2 * i + 1
        if child + 1 < last and heap[child + 1] > heap[child]:
            child += 1
        if heap[child] <= distance:
            break
        heap[i] = heap[child]
        often[i] = often[child]
        i = child
    heap[i] = distance
    often[i] = records
