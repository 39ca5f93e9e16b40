"""Compiled search for the records nearest to a record, or farthest from it.

Each attribute has its values in the order of their distance from the reference's value, and lists of the tuples with
each value. Tuples are visited value by value, each time from the attribute with the fewest. A tuple without any of the
visited values is at least as far as the next values together. The search ends when this is too far. The search for the
farthest is the same with negative distances.

The tuples of a list are in runs, which also have a value of a second attribute in common. The nearest run comes first,
and most of the others are then too far as a whole.

The part of a value in a distance is read from rows: of distances, or of coordinates on a line. Kept cells are so far
out on their line that the largest distance counts.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ontomask.base.bundles import Bundle
from ontomask.base.compiler import compiled_in_place, compiled_in_place_entry, compiled_inline
from ontomask.distance.ties import TIE
from ontomask.masking.kernels.distance_heap import lower

__all__ = ["Costs", "Lists", "Search", "below", "is_alone", "search", "set_reference"]

# The columns of Search.sight, which has a row for each attribute. Fixed: the first of its values among those of all
# attributes, their number, whether they lie on a line. Of the reference: its own value, the start of its distances. Of
# the search: the number of values to pass, the number passed, the number at the end of the level; the number of runs
# of its values, and whether all are counted; the next values below and above on a line.
BASE, SIZE, IS_LINE, OWN, AT, VALUES, PASSED, UNTIL, LOAD, IS_COMPLETE, LOW, HIGH = range(12)
# The columns of Search.gauge: the largest distance on a line, the reference's coordinate, the distances of the values
# of this level and of the next.
SHARE, X, LEVEL, NEXT = range(4)

# Records that are drawn at random before more runs than this are visited, and how often this is tried.
_TRIES = 12
_ROUNDS = 4
# Values of a level that are counted at first.
_GLANCE = 64
# The columns of Lists.runs: the first entry, the number of tuples and of their records, the value of the second
# attribute.
START, LENGTH, RECORDS, SECOND = range(4)


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
    """For each attribute a, the tuples with each value, in runs of equal values of a second attribute, ``mate[a]``.

    ``size`` is the number of tuples of a value v. Its runs are ``runs[first[v]]`` to ``runs[first[v + 1] - 1]``. Tuple
    t is at ``slot[a, t]`` of ``tuples[a]``, in the run ``run[a, t]``. ``values`` has the values of the tuples in the
    same order, which is faster to read, or is empty. ``ends`` are the first and the last value on a line that a tuple
    has. For other values, ``spent`` is the number of farthest values that no tuple has any more.
    """

    tuples: Any
    slot: Any
    run: Any
    values: Any
    size: Any
    first: Any
    runs: Any
    mate: Any
    ends: Any
    spent: Any


class Search(Bundle):
    """The work space and the results of a search.

    ``sight`` and ``gauge`` have a row for each attribute. ``wanted`` is an attribute and a value whose distances are
    missing. The results are the first ``sizes[0]`` of ``tuples``, each with its ``distance``. ``bound`` is the distance
    of the k-th nearest record: the top of a heap of ``sizes[1]`` entries and ``sizes[2]`` records. ``runs``, ``least``
    and ``until`` are work space: runs, lower bounds of their distances, and cumulative numbers of their records.
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
    runs: Any
    least: Any
    until: Any


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
def search(indices, costs, lists, found, weight, own, k, sign, start, members, rng):
    """Find all tuples at most as far as the k-th nearest record that counts; ``found.bound`` is its distance.

    ``weight`` is the number of records of each tuple that count; in the tuple ``own``, one less does. With ``sign`` −1
    the farthest record is searched for. A random draw may find one: its number is returned, else −1. The records of
    tuple t that count are listed in ``members`` from ``start[t]`` on.
    """
    sight, gauge = found.sight, found.gauge
    m = len(sight)
    found.sizes[:] = 0
    found.bound[0] = np.inf
    for a in range(m):
        _begin(costs.order, sight, lists.size, lists.ends, lists.spent, a, sign)
        _next_level(costs, sight, gauge, lists, a, sign, _GLANCE)
    rounds = _ROUNDS
    while True:
        unseen = 0.0
        for a in range(m):
            unseen += gauge[a, LEVEL]
        wanting = found.bound[0] + TIE - unseen
        if wanting < 0:
            return -1
        a = _cheapest(sight, gauge, wanting)
        while not sight[a, IS_COMPLETE]:
            _next_level(costs, sight, gauge, lists, a, sign, sight[a, SIZE])
            a = _cheapest(sight, gauge, wanting)
        listed, best, pool = _list_runs(costs, lists, found, a, sign, unseen)
        # Often many records are as far as possible. Then a few draws find one of them, all equally likely: they are in
        # the first runs, unless a visited tuple is as far.
        if sign < 0 and rounds and pool > _TRIES and found.bound[0] > unseen + 2 * TIE:
            rounds -= 1
            for _ in range(_TRIES):
                t, record = _draw(lists.tuples[a], lists.runs, found, weight, start, members, listed, rng)
                if -_distance(indices, costs.rows, sight, gauge, t) <= unseen + TIE:
                    return record
        _visit(indices, costs.rows, lists, found, weight, own, k, sign, a, listed, best)
        if gauge[a, NEXT] == np.inf:
            return -1
        _next_level(costs, sight, gauge, lists, a, sign, _GLANCE)


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
def _next_level(costs, sight, gauge, lists, a, sign, most):
    """Find the next level of an attribute: its values, the number of their runs, and the distance after it.

    A level ends between values at different distances. Levels grow with the number of values passed, so that there are
    few. At most ``most`` values are counted; then the level is incomplete and the next distance unknown.
    """
    rows, order, size, first = costs.rows, costs.order, lists.size, lists.first
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
        if size[base + v]:
            part = sign * min(abs(rows[at + v] - x), share)
            if level == np.inf:
                level = part
            elif part > last + TIE and passed > enough:
                next_level = part
                break
            last = part
            load += min(size[base + v], first[base + v + 1] - first[base + v])
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
def _list_runs(costs, lists, found, a, sign, unseen):
    """List the runs of attribute a's level that are not too far, each with a lower bound of its distances.

    Returns their number, the place of the nearest, and the number of records of those that may be at the distance
    ``unseen``.
    """
    sight, gauge, rows, runs = found.sight, found.gauge, costs.rows, lists.runs
    base, at, x, share = sight[a, BASE], sight[a, AT], gauge[a, X], gauge[a, SHARE]
    low, high = sight[a, LOW], sight[a, HIGH]
    others = 0.0
    for c in range(len(sight)):
        others += gauge[c, LEVEL]
    others -= gauge[a, LEVEL]
    b, at_b, level_b, x_b, share_b = np.int64(lists.mate[a]), np.int64(0), 0.0, 0.0, np.inf
    if b >= 0:
        at_b, level_b, x_b, share_b = sight[b, AT], gauge[b, LEVEL], gauge[b, X], gauge[b, SHARE]
    # Sums in another order may differ in their last bits.
    most = found.bound[0] + 2 * TIE
    listed, best, pool = 0, 0, 0
    for passed in range(sight[a, PASSED], sight[a, UNTIL]):
        if sight[a, IS_LINE]:
            v = _at_end(rows, at, x, low, high, sight[a, SIZE], sign)
            if v == low:
                low -= sign
            else:
                high += sign
        else:
            v = np.int64(costs.order[at + (passed if sign > 0 else sight[a, VALUES] - 1 - passed)])
        part = sign * min(abs(rows[at + v] - x), share) + others
        if lists.size[base + v] == 0 or part > most:
            continue
        part -= level_b
        for r in range(lists.first[base + v], lists.first[base + v + 1]):
            if runs[r, LENGTH] == 0:
                continue
            second = level_b
            if b >= 0:
                second = sign * min(abs(rows[at_b + runs[r, SECOND]] - x_b), share_b)
                # Nearer ones were visited with this value.
                if second < level_b:
                    continue
            if part + second > most:
                continue
            found.runs[listed], found.least[listed] = r, part + second
            if part + second < found.least[best]:
                best = listed
            if part + second <= unseen + TIE:
                pool += runs[r, RECORDS]
            found.until[listed] = pool
            listed += 1
    sight[a, PASSED], sight[a, LOW], sight[a, HIGH] = sight[a, UNTIL], low, high
    return listed, best, pool


@compiled_in_place
def _draw(tuples, runs, found, weight, start, members, listed, rng):
    """A random record that counts, of the runs that may be at the distance ``unseen``; and its tuple."""
    i = below(rng, found.until[listed - 1])
    at = np.searchsorted(found.until[:listed], i, side="right")
    i -= found.until[at - 1] if at else 0
    place = np.int64(runs[found.runs[at], START])
    while i >= weight[tuples[place]]:
        i -= weight[tuples[place]]
        place += 1
    t = np.int64(tuples[place])
    return t, np.int64(members[start[t] + i])


@compiled_in_place
def _visit(indices, rows, lists, found, weight, own, k, sign, a, listed, best):
    """Visit the tuples of the listed runs of attribute a, those of the run at the place ``best`` first."""
    if listed == 0:
        return
    bound = _visit_run(indices, rows, lists, found, weight, own, k, sign, a, found.runs[best], found.bound[0])
    for i in range(listed):
        if found.least[i] <= bound + 2 * TIE and i != best:
            bound = _visit_run(indices, rows, lists, found, weight, own, k, sign, a, found.runs[i], bound)
    found.bound[0] = bound


@compiled_inline
def _visit_run(indices, rows, lists, found, weight, own, k, sign, a, r, bound):
    """Visit the tuples of a run. Returns the new bound."""
    sight, gauge, sizes, tuples, begin = found.sight, found.gauge, found.sizes, lists.tuples[a], lists.runs[r, START]
    for i in range(begin, begin + lists.runs[r, LENGTH]):
        values = lists.values[a, i] if lists.values.shape[1] else indices[tuples[i]]
        distance = 0.0
        is_new = True
        for b in range(len(values)):
            part = sign * min(abs(rows[sight[b, AT] + values[b]] - gauge[b, X]), gauge[b, SHARE])
            if part < gauge[b, LEVEL]:
                # It was visited with this value.
                is_new = False
                break
            distance += part
        if not is_new or distance > bound + TIE:
            continue
        t = tuples[i]
        records = weight[t] - (t == own)
        if records == 0:
            continue
        found.tuples[sizes[0]] = t
        found.distance[sizes[0]] = distance
        sizes[0] += 1
        if distance < bound:
            bound = lower(sizes, found.heap, found.often, distance, records, k, bound)
    return bound
