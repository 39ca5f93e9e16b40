"""Compiled search for the records nearest to a record, or farthest from it.

Each attribute has its values in order of their distance from the reference's, and lists of the tuples that have a
value. Tuples are looked at value by value, from whichever attribute offers the fewest, until those that have none of
the values seen so far cannot be near enough: they are at least as far as the next values together. Looking for the
farthest is the same with all distances negative.

What a value adds to a distance is read from rows: distances, or the coordinates of a line. Cells that are kept as
they stand lie so far out on their line that the greatest distance counts.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from ontomask.base.compiler import compiled_in_place
from ontomask.distance.ties import TIE

__all__ = ["Costs", "Lists", "Search", "below", "is_alone", "search", "stand_at"]

# The columns of what a search sees, one row an attribute. Fixed: where its values begin among those of all attributes,
# how many there are, whether they lie on a line. Of the reference: its value, where the distances from it begin. Of
# the search: how many values there are to pass, how many are passed, how many will be at the end of the level; how
# many tuples have a value of the level, and whether that is all of them; the two values next in line.
BASE, SIZE, IS_LINE, PLACE, AT, VALUES, PASSED, UNTIL, LOAD, IS_WHOLE, LOW, HIGH = range(12)
# And in numbers: the greatest distance on a line, where the reference lies on it, the distance of the values of this
# level, of the next.
SHARE, X, LEVEL, NEXT = range(4)

# So many records are drawn at random before more tuples than that are looked at.
_TRIES = 32
# So many values of a level are counted before there is need to know more.
_GLANCE = 64


class Costs(NamedTuple):
    """What values add to distances, their attribute's share of the whole included.

    The distances of value v (numbered through all attributes) begin at ``at[v]`` of ``rows``, −1 where they are not at
    hand; at the same place of ``order`` begin the values, nearest first. Where values lie on a line, ``at`` is where
    their coordinates begin, the same for all.
    """

    rows: Any
    order: Any
    at: Any


class Lists(NamedTuple):
    """For each attribute a the tuples that have a value, ``size`` of them from the value's ``start`` on.

    Tuple t stands in them at ``place[a, t]``. ``ends`` are the first and the last value on a line that tuples have;
    elsewhere ``spent`` says for each value how many of those farthest from it no tuple has any more.
    """

    tuples: Any
    place: Any
    start: Any
    size: Any
    ends: Any
    spent: Any


class Search(NamedTuple):
    """Room for a search, and what it has found.

    ``sight`` and ``gauge`` have a row for each attribute, ``wanted`` names the attribute and value whose distances are
    not at hand. Found are ``tuples`` at a ``distance``, so many as ``sizes[0]`` says; ``bound`` is the distance of the
    k-th nearest record, the top of a heap of ``sizes[1]`` places and ``sizes[2]`` records.
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
    """A whole number from 0 to n − 1, each as likely."""
    return np.int64(rng.random() * n)


@compiled_in_place
def stand_at(places, costs, found):
    """Look from a record with these values; whether all distances that this takes are at hand."""
    sight, gauge = found.sight, found.gauge
    for a in range(len(places)):
        sight[a, PLACE] = places[a]
        sight[a, AT] = costs.at[sight[a, BASE] + places[a]]
        if sight[a, AT] < 0:
            found.wanted[0] = a
            found.wanted[1] = places[a]
            return False
        gauge[a, X] = costs.rows[sight[a, AT] + places[a]] if sight[a, IS_LINE] else 0.0
    return True


@compiled_in_place
def is_alone(costs, found):
    """Whether no other tuple than the reference's can be at distance 0."""
    sight, rows = found.sight, costs.rows
    for a in range(len(sight)):
        at, v, size = sight[a, AT], sight[a, PLACE], sight[a, SIZE]
        if not sight[a, IS_LINE]:
            if size > 1 and rows[at + costs.order[at + 1]] <= TIE:
                return False
        elif (v > 0 and rows[at + v] - rows[at + v - 1] <= TIE) or (
            v + 1 < size and rows[at + v + 1] - rows[at + v] <= TIE
        ):
            return False
    return True


@compiled_in_place
def search(places, costs, lists, found, weight, own, k, sign, tuple_of, waiting, rng):
    """Note all tuples at most as far as the k-th nearest record that counts; ``found.bound`` is its distance.

    ``weight`` says how many records of a tuple count, of the tuple ``own`` one less. With ``sign`` −1 it is the
    farthest of the records ``waiting`` that are looked for, and one may be found by chance: its number, else −1.
    ``tuple_of`` has the tuple of each record.
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
        if tries and len(waiting) and (sight[a, LOAD] > _TRIES or not sight[a, IS_WHOLE]):
            # Often most of the table is as far as can be. Then a record at random soon is, and each as likely.
            tries -= 1
            for _ in range(_TRIES):
                record = np.int64(waiting[below(rng, len(waiting))])
                if sign * _distance(places, rows, sight, gauge, tuple_of[record]) <= unseen + TIE:
                    return record
        while not sight[a, IS_WHOLE]:
            _next_level(rows, costs.order, sight, gauge, lists.size, a, sign, sight[a, SIZE])
            a = _cheapest(sight, gauge, wanting)
        found.bound[0] = _look_at(
            places,
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
    """Stand before the first value of an attribute; those farthest off that no tuple has any more are left for good."""
    base, at, size = sight[a, BASE], sight[a, AT], sight[a, SIZE]
    sight[a, PASSED] = 0
    sight[a, VALUES] = size
    if sign > 0:
        sight[a, LOW], sight[a, HIGH] = sight[a, PLACE], sight[a, PLACE] + 1
    elif sight[a, IS_LINE]:
        low, high = ends[a, 0], ends[a, 1]
        while low <= high and list_size[base + low] == 0:
            low += 1
        while low <= high and list_size[base + high] == 0:
            high -= 1
        ends[a, 0], ends[a, 1] = low, high
        sight[a, LOW], sight[a, HIGH], sight[a, VALUES] = low, high, high - low + 1
    else:
        passed = spent[base + sight[a, PLACE]]
        while passed < size and list_size[base + order[at + size - 1 - passed]] == 0:
            passed += 1
        spent[base + sight[a, PLACE]] = sight[a, PASSED] = passed


@compiled_in_place
def _next_level(rows, order, sight, gauge, list_size, a, sign, most):
    """Which values of an attribute come next: a level, how many tuples have them, what follows.

    A level ends between values at different distances; it has the more values, the more are passed, so that there are
    few. No more than ``most`` values are counted; then it is not known what follows.
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
    sight[a, IS_WHOLE] = next_level < np.inf or passed == values
    gauge[a, LEVEL], gauge[a, NEXT] = level, next_level


@compiled_in_place
def _at_end(rows, at, x, low, high, size, sign):
    """The next value on a line: the nearer of the next below and the next above, or the farther of the two ends."""
    if sign > 0:
        return low if high >= size or (low >= 0 and x - rows[at + low] <= rows[at + high] - x) else high
    return low if x - rows[at + low] >= rows[at + high] - x else high


@compiled_in_place
def _cheapest(sight, gauge, wanting):
    """The attribute whose level brings the unseen farther away for the fewest tuples; no farther than is wanted.

    A level that is not counted to its end cannot be cheaper than it looks.
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
def _distance(places, rows, sight, gauge, t):
    """The distance from the reference to a tuple."""
    distance = 0.0
    for a in range(places.shape[1]):
        distance += min(abs(rows[sight[a, AT] + places[t, a]] - gauge[a, X]), gauge[a, SHARE])
    return distance


@compiled_in_place
def _look_at(
    places,
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
    """Look at the tuples that have one of the values of attribute a's level; the bound that this leaves."""
    base, at, x, low, high = sight[a, BASE], sight[a, AT], gauge[a, X], sight[a, LOW], sight[a, HIGH]
    for passed in range(sight[a, PASSED], sight[a, UNTIL]):
        if sight[a, IS_LINE]:
            v = _at_end(rows, at, x, low, high, sight[a, SIZE], sign)
            if v == low:
                low -= sign
            else:
                high += sign
        else:
            v = np.int64(order[at + (passed if sign > 0 else sight[a, VALUES] - 1 - passed)])
        for i in range(start[base + v], start[base + v] + size[base + v]):
            t = tuples[i]
            distance = 0.0
            is_new = True
            for b in range(places.shape[1]):
                part = sign * min(abs(rows[sight[b, AT] + places[t, b]] - gauge[b, X]), gauge[b, SHARE])
                if part < gauge[b, LEVEL]:
                    # It was looked at with this value.
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
    """Put a tuple on the heap of the nearest; the distance of the k-th nearest record, its top."""
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
