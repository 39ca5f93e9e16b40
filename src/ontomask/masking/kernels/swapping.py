"""Compiled loops of swapping between near records, from one reference to the next."""

from __future__ import annotations

from typing import Any

import numpy as np

from ontomask.base.bundles import Bundle
from ontomask.base.compiler import compiled_in_place, compiled_in_place_entry
from ontomask.distance.ties import TIE
from ontomask.masking.kernels.rank_swapping import shuffle
from ontomask.masking.kernels.record_search import LENGTH, RECORDS, START, below, is_alone, search, set_reference

__all__ = ["Neighbours", "State", "Table", "find_neighbours", "mark_values", "swap_records"]


# The columns of State.records: the number of unswapped values, the position among the open records of the tuple. From
# FROM on, for each attribute the record whose value it gets. After these, for each attribute the position among the
# records of the tuple whose value is unswapped.
TODO, SEAT, FROM = range(3)
# The rows of State.number and State.members: all records of a tuple, the open ones (with unswapped values), and from
# LEFT on, for each attribute the records whose value is unswapped.
ALL, OPEN, LEFT = range(3)
# The entries of State.tally: records that are done, turns, used entries of State.memory.
DONE, TURNS, TAKEN = range(3)
# The columns of Neighbours.span: the first neighbour, the number of nearer ones, the number that tie for the last rank.
BEGIN, NEARER, TIED = range(3)


class Neighbours(Bundle):
    """A cache of the tuples of the k records nearest to each tuple. It depends on no draw, so several runs share it.

    ``span`` has one row for each tuple. ``taken`` is the number of used entries of ``tuples``.
    """

    tuples: Any
    span: Any
    taken: Any


class Table(Bundle):
    """Distinct tuples: the indices of their values, the lists of tuples by value, the first record of each tuple."""

    indices: Any
    lists: Any
    bases: Any
    start: Any
    tuple_of: Any


class State(Bundle):
    """Which values are swapped.

    ``unswapped`` has a flag for each value, ``total`` the number of unswapped values of each attribute. ``number``
    counts records of each tuple, and ``members`` lists them, the counted ones first. ``lists`` has the tuples with open
    records. ``candidates[a, c]`` counts the draws from c values.
    ``turn`` is the turn in which a record was last in an interval.

    ``memory`` caches the tuples farthest from a tuple; ``recall`` has the first entry, the number of entries and the
    room for them. ``interval``, ``chosen`` and ``until`` are work space.
    """

    records: Any
    unswapped: Any
    turn: Any
    total: Any
    number: Any
    members: Any
    lists: Any
    candidates: Any
    tally: Any
    memory: Any
    recall: Any
    interval: Any
    chosen: Any
    until: Any
    neighbours: Any


@compiled_in_place_entry
def mark_values(possible, values, i, near):
    """Set the bits of the values that tuple i and the tuples ``near`` it can get from each other."""
    for t in near:
        for a in range(values.shape[1]):
            v = values[t, a]
            possible[i, v >> 3] |= np.uint8(128 >> (v & 7))
            v = values[i, a]
            possible[t, v >> 3] |= np.uint8(128 >> (v & 7))


@compiled_in_place_entry
def find_neighbours(table, costs, found, counts, k, begin, stop, tuples, span, rng):
    """Find the neighbours of the tuples ``begin`` to ``stop − 1``, until ``tuples`` is full. Returns the used entries.

    ``span`` gets the rows of `Neighbours`. Tuples whose distances are not computed, or whose copies fill the interval,
    are left out.
    """
    used = 0
    for own in range(begin, stop):
        if not set_reference(table.indices[own], costs, found) or (counts[own] > k and is_alone(costs, found)):
            continue
        search(table.indices, costs, table.lists, found, counts, own, k, np.int64(1), table.start, tuples, rng)
        inside = 0
        ties = 0
        for i in range(found.sizes[0]):
            inside += found.distance[i] < found.bound[0] - TIE
            ties += abs(found.distance[i] - found.bound[0]) <= TIE
        if used + inside + ties > len(tuples):
            break
        span[own, BEGIN], span[own, NEARER], span[own, TIED] = used, inside, ties
        near, tied = used, used + inside
        for i in range(found.sizes[0]):
            if found.distance[i] < found.bound[0] - TIE:
                tuples[near] = found.tuples[i]
                near += 1
            elif found.distance[i] <= found.bound[0] + TIE:
                tuples[tied] = found.tuples[i]
                tied += 1
        used = tied
    return used


@compiled_in_place_entry
def swap_records(table, costs, found, state, k, unswapped_only, reference, steps, rng):
    """Swap the values of up to ``steps`` references, one after another (Rodriguez-Garcia 2019, Algorithms 2 and 3).

    Returns the next reference; −1 if no record is left; −2 − reference if distances are missing, whose attribute and
    value are in ``found.wanted``.
    """
    records, unswapped, total, indices = state.records, state.unswapped, state.total, table.indices
    for _ in range(steps):
        own = np.int64(table.tuple_of[reference])
        if not set_reference(indices[own], costs, found):
            return -2 - reference
        if not unswapped_only:
            _interval(table, costs, found, state, k, reference, own, rng)
        for a in range(indices.shape[1]):
            if not unswapped[reference, a]:
                continue
            if not unswapped_only:
                partner = _pick_inside(unswapped, state.interval, state.chosen, state.candidates, a, rng)
            elif total[a] > k + 1:
                partner = _pick_near(table, costs, found, state, k, reference, own, a, rng)
            else:
                _finish(table, state, a, rng)
                continue
            if partner >= 0:
                _close(table, state, a, reference, partner)
                _close(table, state, a, partner, reference)
            else:
                _close(table, state, a, reference, reference)
        if state.tally[DONE] == len(records):
            return -1
        reference = _next_reference(table, costs, found, state, own, rng)
    return reference


@compiled_in_place
def _interval(table, costs, found, state, k, reference, own, rng):
    """The k records nearest to the reference, swapped or not. Those that tie for the last ranks are drawn at random."""
    turns, start, interval, counts = state.turn, table.start, state.interval, state.number[ALL]
    tuples, until = found.tuples, state.until
    size = 0
    ties = 1
    if counts[own] > k and is_alone(costs, found):
        # Copies of the reference fill the interval.
        tuples[0] = own
    else:
        nearer, tuples = _neighbours(table, costs, found, state, k, own, rng)
        ties = len(tuples)
        for t in nearer:
            for record in range(start[t], start[t + 1]):
                if record != reference:
                    interval[size] = record
                    size += 1
    pool = 0
    for i in range(ties):
        pool += counts[tuples[i]] - (tuples[i] == own)
        until[i] = pool
    # Floyd's sample: all subsets of the pool are equally likely.
    state.tally[TURNS] += 1
    turn = state.tally[TURNS]
    for j in range(pool - (k - size), pool):
        record = _tied(tuples, until[:ties], start, below(rng, j + 1), reference, own)
        if turns[record] == turn:
            record = _tied(tuples, until[:ties], start, j, reference, own)
        turns[record] = turn
        interval[size] = record
        size += 1


@compiled_in_place
def _neighbours(table, costs, found, state, k, own, rng):
    """The tuples of the k records nearest to a tuple: those nearer than the k-th record, and those that tie with it."""
    memory, known, taken = state.neighbours.tuples, state.neighbours.span[own], state.neighbours.taken
    if known[BEGIN] >= 0:
        tied = known[BEGIN] + known[NEARER]
        return memory[known[BEGIN] : tied], memory[tied : tied + known[TIED]]
    counts, nobody, tuples, nearer = state.number[ALL], state.interval[:0], found.tuples, state.chosen
    search(table.indices, costs, table.lists, found, counts, own, k, np.int64(1), table.start, nobody, rng)
    bound = found.bound[0]
    inside = 0
    ties = 0
    for i in range(found.sizes[0]):
        if found.distance[i] < bound - TIE:
            nearer[inside] = tuples[i]
            inside += 1
        elif found.distance[i] <= bound + TIE:
            tuples[ties] = tuples[i]
            ties += 1
    if taken[0] + inside + ties <= len(memory):
        known[BEGIN], known[NEARER], known[TIED] = taken[0], inside, ties
        _copy(nearer, inside, memory, taken[0])
        _copy(tuples, ties, memory, taken[0] + inside)
        taken[0] += inside + ties
    return nearer[:inside], tuples[:ties]


@compiled_in_place
def _copy(source, number, target, at):
    """Copy the first entries of an array. An assignment to a slice would allocate memory."""
    for i in range(number):
        target[at + i] = source[i]


@compiled_in_place
def _tied(tuples, until, start, i, reference, own):
    """Record i of tied tuples without the reference; ``until`` has the cumulative number of their records."""
    at = np.searchsorted(until, i, side="right")
    t = tuples[at]
    record = start[t] + i - (until[at - 1] if at else 0)
    return record + 1 if t == own and record >= reference else record


@compiled_in_place
def _pick_inside(unswapped, interval, chosen, candidates, a, rng):
    """A record of the interval whose value is unswapped; −1 if there is none."""
    size = 0
    for record in interval:
        if unswapped[record, a]:
            chosen[size] = record
            size += 1
    candidates[a, size] += 1
    return np.int64(chosen[below(rng, size)]) if size else -1


@compiled_in_place
def _pick_near(table, costs, found, state, k, reference, own, a, rng):
    """One of the k nearest records whose value is unswapped."""
    left, nobody = state.number[LEFT + a], state.interval[:0]
    search(table.indices, costs, state.lists, found, left, own, k, np.int64(1), table.start, nobody, rng)
    bound, tuples, distance = found.bound[0], found.tuples, found.distance
    inside = 0
    pool = 0
    for i in range(found.sizes[0]):
        number = left[tuples[i]] - (tuples[i] == own)
        if distance[i] < bound - TIE:
            inside += number
        elif distance[i] <= bound + TIE:
            pool += number
    # An interval has all nearer records and a random part of the tied ones: one draw gives the partner.
    j = below(rng, k)
    is_tied = j >= inside
    if is_tied:
        j = below(rng, pool)
    state.candidates[a, k] += 1
    for i in range(found.sizes[0]):
        t = tuples[i]
        if distance[i] > bound + TIE or (distance[i] >= bound - TIE) != is_tied:
            continue
        number = left[t] - (t == own)
        if j < number:
            at = table.start[t] + j
            if t == own and at >= state.records[reference, FROM + table.indices.shape[1] + a]:
                at += 1
            return np.int64(state.members[LEFT + a, at])
        j -= number
    return -1


@compiled_in_place
def _finish(table, state, a, rng):
    """Shuffle the last values of an attribute, at most k + 1, between their records."""
    unswapped, chosen = state.unswapped, state.chosen
    size = 0
    for record in range(len(unswapped)):
        if unswapped[record, a]:
            chosen[size] = record
            size += 1
    # ``until`` is free: there is no interval now.
    dealt = state.until[:size]
    for i in range(size):
        dealt[i] = chosen[i]
    shuffle(dealt, rng)
    state.candidates[a, size if size > 1 else 0] += size
    for i in range(size):
        _close(table, state, a, np.int64(chosen[i]), dealt[i])


@compiled_in_place
def _close(table, state, a, record, source):
    """Mark a value as swapped. If it was the last of its record, the record is done; likewise its tuple."""
    records, number, members = state.records, state.number, state.members
    t, m = table.tuple_of[record], table.indices.shape[1]
    records[record, FROM + a] = source
    state.unswapped[record, a] = False
    state.total[a] -= 1
    if len(number) > LEFT:
        _remove(records, number[LEFT + a], members[LEFT + a], table.start[t], FROM + m + a, t, record)
    records[record, TODO] -= 1
    if records[record, TODO]:
        return
    state.tally[DONE] += 1
    for b in range(m):
        state.lists.runs[state.lists.run[b, t], RECORDS] -= 1
    _remove(records, number[OPEN], members[OPEN], table.start[t], SEAT, t, record)
    if number[OPEN, t] == 0:
        _strike(table.indices, table.bases, state.lists, t)


@compiled_in_place
def _remove(records, number, members, start, seat, t, record):
    """Remove a record from the counted records of its tuple: the last one moves to its position."""
    number[t] -= 1
    last = members[start + number[t]]
    members[records[record, seat]] = last
    records[last, seat] = records[record, seat]


@compiled_in_place
def _strike(indices, bases, lists, t):
    """Remove a tuple from the lists of its values."""
    for a in range(indices.shape[1]):
        lists.size[bases[a] + indices[t, a]] -= 1
        run = lists.runs[lists.run[a, t]]
        run[LENGTH] -= 1
        slot, end = lists.slot[a, t], run[START] + run[LENGTH]
        last = lists.tuples[a, end]
        lists.tuples[a, slot] = last
        lists.slot[a, last] = slot
        if lists.values.shape[1]:
            for b in range(indices.shape[1]):
                lists.values[a, slot, b] = lists.values[a, end, b]


@compiled_in_place
def _next_reference(table, costs, found, state, own, rng):
    """A record most distant from the reference, among those that are not done.

    The most distant tuples are cached. They stay the most distant as long as one of them has records that are not done.
    """
    opened, until, memory, recall = state.number[OPEN], state.until, state.memory, state.recall[own]
    start, ties, pool = recall[0], 0, 0
    for i in range(start, start + recall[1]):
        if opened[memory[i]]:
            pool += opened[memory[i]]
            memory[start + ties] = memory[i]
            until[ties] = pool
            ties += 1
    recall[1] = ties
    if ties:
        return _waiting(table.start, state.members[OPEN], memory[start:], until[:ties], below(rng, pool))
    nobody, one, farthest, members = np.int64(-1), np.int64(1), np.int64(-1), state.members[OPEN]
    record = search(table.indices, costs, state.lists, found, opened, nobody, one, farthest, table.start, members, rng)
    if record >= 0:
        return record
    tuples = found.tuples
    for i in range(found.sizes[0]):
        if found.distance[i] <= found.bound[0] + TIE:
            pool += opened[tuples[i]]
            tuples[ties] = tuples[i]
            until[ties] = pool
            ties += 1
    if ties > recall[2] and state.tally[TAKEN] + ties <= len(memory):
        recall[0] = state.tally[TAKEN]
        recall[2] = ties
        state.tally[TAKEN] += ties
    if ties <= recall[2]:
        _copy(tuples, ties, memory, recall[0])
        recall[1] = ties
    return _waiting(table.start, members, tuples, until[:ties], below(rng, pool))


@compiled_in_place
def _waiting(start, members, tuples, until, i):
    """Record i of the records of tuples that are not done."""
    at = np.searchsorted(until, i, side="right")
    return np.int64(members[start[tuples[at]] + i - (until[at - 1] if at else 0)])
