"""Compiled search for the records nearest to a record, or farthest from it.

Each attribute has its values in the order of their distance from the reference's value, and lists of the tuples with
each value. Tuples are visited value by value, each time from the attribute with the fewest. A tuple without any of the
visited values is at least as far as the next values together. The search ends when this is too far. The search for the
farthest is the same with negative distances.

The part of a value in a distance is read from rows: of distances, or of coordinates on a line. Kept cells are so far
out on their line that the largest distance counts.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ontomask.base.bundles import Bundle
from ontomask.base.compiler import compiled_in_place, compiled_in_place_entry
from ontomask.distance.ties import TIE

__all__ = ["Costs", "Lists", "Search", "below", "is_alone", "search", "set_reference"]

# The columns of Search.sight, which has a row for each attribute. Fixed: the first of its values among those of all
# attributes, their number, whether they lie on a line. Of the reference: its own value, the start of its distances. Of
# the search: the number of values to pass, the number passed, the number at the end of the level; the number of tuples
# with a value of the level, and whether all are counted; the next values below and above on a line.
BASE, SIZE, IS_LINE, OWN, AT, VALUES, PASSED, UNTIL, LOAD, IS_COMPLETE, LOW, HIGH = range(12)
# The columns of Search.gauge: the largest distance on a line, the reference's coordinate, the distances of the values
# of this level and of the next.
SHARE, X, LEVEL, NEXT = range(4)

# Records that are drawn at random before more tuples than this are visited.
_TRIES = 32
# Values of a level that are counted at first.
_GLANCE = 64


class Costs(Bundle):
    """The parts of values in distances, weighted by their attributes.

    Values are numbered through all attributes. The distances from value v are ``rows`` from ``at[v]`` on (−1: not
    computed). ``order`` has the values in the same positions, the nearest first. For values on a line, ``at`` is the
    start of their coordinates, the same for all.
    """

    rows: Any
    order: Any
    at: Any


class Lists(Bundle):
    """For each attribute a, the tuples with each value: ``size`` of them from the value's ``start`` on.

    Tuple t is at ``slot[a, t]``. ``ends`` are the first and the last value on a line that a tuple has. For other
    values, ``spent`` is the number of farthest values that no tuple has any more.
    """

    tuples: Any
    slot: Any
    start: Any
    size: Any
    ends: Any
    spent: Any


class Search(Bundle):
    """The work space and the results of a search.

    ``sight`` and ``gauge`` have a row for each attribute. ``wanted`` is an attribute and a value whose distances are
    missing. The results are the first ``sizes[0]`` of ``tuples``, each with its ``distance``. ``bound`` is the distance
    of the k-th nearest record: the top of a heap of ``sizes[1]`` entries and ``sizes[2]`` records.
    """

    sight: Any
    gauge: Any
    wanted: Any
    tuples: Any
    distance: Any
    sizes: Any
    bound: Any
    heap: Any
    often: Any


@compiled_in_place
def below(rng, n):
    """A random integer from 0 to n − 1."""
    return np.int64(rng.random() * n)


@compiled_in_place_entry
def set_reference(indices, costs, found):
    """Make a record the reference. Returns whether all its distances are computed."""
    sight, gauge = found.sight, found.gauge
    for a in range(len(indices)):
        sight[a, OWN] = indices[a]
        sight[a, AT] = costs.at[sight[a, BASE] + indices[a]]
        if sight[a, AT] < 0:
            found.wanted[0] = a
            found.wanted[1] = indices[a]
            return False
        gauge[a, X] = costs.rows[sight[a, AT] + indices[a]] if sight[a, IS_LINE] else 0.0
    return True


@compiled_in_place_entry
def is_alone(costs, found):
    """Whether no other tuple can be at distance 0 from the reference."""
    sight, rows = found.sight, costs.rows
    for a in range(len(sight)):
        at, v, size = sight[a, AT], sight[a, OWN], sight[a, SIZE]
        if not sight[a, IS_LINE]:
            if size > 1 and rows[at + costs.order[at + 1]] <= TIE:
                return False
        elif (v > 0 and rows[at + v] - rows[at + v - 1] <= TIE) or (
            v + 1 < size and rows[at + v + 1] - rows[at + v] <= TIE
        ):
            return False
    return True


@compiled_in_place_entry
def search(indices, costs, lists, found, weight, own, k, sign, tuple_of, waiting, rng):
    """Find all tuples at most as far as the k-th nearest record that counts; ``found.bound`` is its distance.

    ``weight`` is the number of records of each tuple that count; in the tuple ``own``, one less does. With ``sign`` −1
    the farthest of the records ``waiting`` is searched for. A random draw may find one: its number is returned, else
    −1. ``tuple_of`` has the tuple of each record.
    """
    sight, gauge, rows = found.sight, found.gauge, costs.rows
    m = len(sight)
    found.sizes[:] = 0
    found.bound[0] = np.inf
    for a in range(m):
        _begin(costs.order, sight, lists.size, lists.ends, lists.spent, a, sign)
        _next_level(rows, costs.order, sight, gauge, lists.size, a, sign, _GLANCE)
    tries = 4
    while True:
        unseen = 0.0
        for a in range(m):
            unseen += gauge[a, LEVEL]
        wanting = found.bound[0] + TIE - unseen
        if wanting < 0:
            return -1
        a = _cheapest(sight, gauge, wanting)
        if tries and len(waiting) and (sight[a, LOAD] > _TRIES or not sight[a, IS_COMPLETE]):
            # Often most of the table is as far as possible. Then a few draws find such a record, all equally likely.
            tries -= 1
            for _ in range(_TRIES):
                record = np.int64(waiting[below(rng, len(waiting))])
                if sign * _distance(indices, rows, sight, gauge, tuple_of[record]) <= unseen + TIE:
                    return record
        while not sight[a, IS_COMPLETE]:
            _next_level(rows, costs.order, sight, gauge, lists.size, a, sign, sight[a, SIZE])
            a = _cheapest(sight, gauge, wanting)
        found.bound[0] = _visit(
            indices,
            rows,
            costs.order,
            sight,
            gauge,
            lists.tuples[a],
            lists.start,
            lists.size,
            weight,
            own,
            k,
            sign,
            a,
            found.tuples,
            found.distance,
            found.sizes,
            found.bound[0],
            found.heap,
            found.often,
        )
        if gauge[a, NEXT] == np.inf:
            return -1
        _next_level(rows, costs.order, sight, gauge, lists.size, a, sign, _GLANCE)


@compiled_in_place
def _begin(order, sight, list_size, ends, spent, a, sign):
    """Go to the first value of an attribute, and skip the farthest values that no tuple has any more."""
    base, at, size = sight[a, BASE], sight[a, AT], sight[a, SIZE]
    sight[a, PASSED] = 0
    sight[a, VALUES] = size
    if sign > 0:
        sight[a, LOW], sight[a, HIGH] = sight[a, OWN], sight[a, OWN] + 1
    elif sight[a, IS_LINE]:
        low, high = ends[a, 0], ends[a, 1]
        while low <= high and list_size[base + low] == 0:
            low += 1
        while low <= high and list_size[base + high] == 0:
            high -= 1
        ends[a, 0], ends[a, 1] = low, high
        sight[a, LOW], sight[a, HIGH], sight[a, VALUES] = low, high, high - low + 1
    else:
        passed = spent[base + sight[a, OWN]]
        while passed < size and list_size[base + order[at + size - 1 - passed]] == 0:
            passed += 1
        spent[base + sight[a, OWN]] = sight[a, PASSED] = passed


@compiled_in_place
def _next_level(rows, order, sight, gauge, list_size, a, sign, most):
    """Find the next level of an attribute: its values, the number of their tuples, and the distance after it.

    A level ends between values at different distances. Levels grow with the number of values passed, so that there are
    few. At most ``most`` values are counted; then the level is incomplete and the next distance unknown.
    """
    base, at, values, x, share = sight[a, BASE], sight[a, AT], sight[a, VALUES], gauge[a, X], gauge[a, SHARE]
    passed, low, high = sight[a, PASSED], sight[a, LOW], sight[a, HIGH]
    level = last = next_level = np.inf
    load = 0
    enough = passed + passed // 8
    end = min(values, passed + most)
    while passed < values and (passed < end or level == np.inf):
        if sight[a, IS_LINE]:
            v = _at_end(rows, at, x, low, high, sight[a, SIZE], sign)
        else:
            v = np.int64(order[at + (passed if sign > 0 else values - 1 - passed)])
        if list_size[base + v]:
            part = sign * min(abs(rows[at + v] - x), share)
            if level == np.inf:
                level = part
            elif part > last + TIE and passed > enough:
                next_level = part
                break
            last = part
            load += list_size[base + v]
        passed += 1
        if v == low:
            low -= sign
        else:
            high += sign
    sight[a, UNTIL], sight[a, LOAD] = passed, load
    sight[a, IS_COMPLETE] = next_level < np.inf or passed == values
    gauge[a, LEVEL], gauge[a, NEXT] = level, next_level


@compiled_in_place
def _at_end(rows, at, x, low, high, size, sign):
    """The next value on a line: the nearer of the next below and the next above, or the farther of the two ends."""
    if sign > 0:
        return low if high >= size or (low >= 0 and x - rows[at + low] <= rows[at + high] - x) else high
    return low if x - rows[at + low] >= rows[at + high] - x else high


@compiled_in_place
def _cheapest(sight, gauge, wanting):
    """The attribute whose level raises the lower bound of unvisited tuples most per tuple, up to what is wanted.

    An incomplete level can only be more expensive than its count.
    """
    best = 0
    price = np.inf
    for a in range(len(sight)):
        gain = min(gauge[a, NEXT] - gauge[a, LEVEL], wanting)
        this = sight[a, LOAD] / gain if gain < np.inf else sight[a, LOAD]
        if this < price:
            best, price = a, this
    return best


@compiled_in_place
def _distance(indices, rows, sight, gauge, t):
    """The distance from the reference to a tuple."""
    distance = 0.0
    for a in range(indices.shape[1]):
        distance += min(abs(rows[sight[a, AT] + indices[t, a]] - gauge[a, X]), gauge[a, SHARE])
    return distance


@compiled_in_place
def _visit(
    indices,
    rows,
    order,
    sight,
    gauge,
    tuples,
    start,
    size,
    weight,
    own,
    k,
    sign,
    a,
    found,
    distances,
    sizes,
    bound,
    heap,
    often,
):
    """Visit the tuples with a value of attribute a's level. Returns the new bound."""
    base, at, x, low, high = sight[a, BASE], sight[a, AT], gauge[a, X], sight[a, LOW], sight[a, HIGH]
    others = 0.0
    for b in range(indices.shape[1]):
        others += gauge[b, LEVEL]
    others -= gauge[a, LEVEL]
    for passed in range(sight[a, PASSED], sight[a, UNTIL]):
        if sight[a, IS_LINE]:
            v = _at_end(rows, at, x, low, high, sight[a, SIZE], sign)
            if v == low:
                low -= sign
            else:
                high += sign
        else:
            v = np.int64(order[at + (passed if sign > 0 else sight[a, VALUES] - 1 - passed)])
        # No tuple with this value is nearer than it and the levels of the other attributes together. Sums in another
        # order may differ in their last bits.
        if sign * min(abs(rows[at + v] - x), gauge[a, SHARE]) + others > bound + 2 * TIE:
            continue
        for i in range(start[base + v], start[base + v] + size[base + v]):
            t = tuples[i]
            distance = 0.0
            is_new = True
            for b in range(indices.shape[1]):
                part = sign * min(abs(rows[sight[b, AT] + indices[t, b]] - gauge[b, X]), gauge[b, SHARE])
                if part < gauge[b, LEVEL]:
                    # It was visited with this value.
                    is_new = False
                    break
                distance += part
            if not is_new or distance > bound + TIE:
                continue
            records = weight[t] - (t == own)
            if records == 0:
                continue
            found[sizes[0]] = t
            distances[sizes[0]] = distance
            sizes[0] += 1
            if distance < bound:
                bound = _lower(sizes, heap, often, distance, records, k, bound)
    sight[a, PASSED], sight[a, LOW], sight[a, HIGH] = sight[a, UNTIL], low, high
    return bound


@compiled_in_place
def _lower(sizes, heap, often, distance, records, k, bound):
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
