"""Compiled loops of rank swapping: along one ranking, and from one reference to the next."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from ontomask.base.compiler import compiled, compiled_in_place
from ontomask.distance.ties import TIE
from ontomask.masking.kernels.record_search import below, is_alone, search, stand_at

__all__ = ["Neighbours", "State", "Table", "mark_values", "swap_by_rank", "swap_records"]


@compiled
def swap_by_rank(ranked, k, unswapped_only, rng, source, candidates):
    """Swap each value with an unswapped one of the k ranks that follow it (Rodriguez-Garcia 2019, Algorithm 1).

    ``ranked`` are records by rank, ``source`` says whose value a record gets, ``candidates[c]`` counts the draws from
    c values. With ``unswapped_only`` the k unswapped ranks that follow are drawn from. Either way the pool only takes
    in ranks at its end, so the cost follows the records whatever k is.
    """
    n = len(ranked)
    pool = np.empty(n, dtype=np.int32)
    place = np.full(n, -1, dtype=np.int32)
    swapped = np.zeros(n, dtype=np.bool_)
    size = 0
    ahead = 1
    left = n
    for i in range(n):
        if unswapped_only and left <= k + 1:
            break
        if place[i] >= 0:
            size = _leave(pool, place, size, i)
        while ahead < n and (size < k if unswapped_only else ahead <= i + k):
            place[ahead] = size
            pool[size] = ahead
            size += 1
            ahead += 1
        if swapped[i]:
            continue
        candidates[size] += 1
        swapped[i] = True
        left -= 1
        if size:
            j = np.int64(pool[below(rng, size)])
            size = _leave(pool, place, size, j)
            swapped[j] = True
            left -= 1
            source[ranked[i]] = ranked[j]
            source[ranked[j]] = ranked[i]
    if unswapped_only:
        rest = ranked[~swapped]
        dealt = rest.copy()
        _shuffle(dealt, rng)
        source[rest] = dealt
        candidates[left if left > 1 else 0] += left


@compiled_in_place
def _leave(pool, place, size, i):
    """Take one out of the pool: the last takes its place."""
    last = pool[size - 1]
    pool[place[i]] = last
    place[last] = place[i]
    place[i] = -1
    return size - 1


@compiled_in_place
def _shuffle(records, rng):
    """The last values of an attribute, too few to draw k others from, go to their records in any order."""
    for i in range(len(records) - 1, 0, -1):
        j = below(rng, i + 1)
        records[i], records[j] = records[j], records[i]


# The columns of a record: how many of its values are unswapped, its place among those waiting and among the open ones
# of its tuple; from FROM on for each attribute whose value it gets; and after these its place among those of its tuple
# that have the value unswapped.
TODO, QUEUE, SEAT, FROM = range(4)
# The rows of State.number and State.members: all records of a tuple, those with unswapped values (open), and from LEFT
# on those whose value of one attribute is unswapped.
ALL, OPEN, LEFT = range(3)
# What State.tally counts: records that are done, turns, how much memory is taken.
DONE, TURNS, TAKEN = range(3)
# What Neighbours.span has for a tuple: where its neighbours begin, how many are nearer than the last, how many tie.
BEGIN, NEARER, TIED = range(3)


class Neighbours(NamedTuple):
    """The tuples of the k records nearest to each tuple, as far as they were looked for and there is room for them.

    They depend on nothing that is drawn, so that several runs over one table share them. ``span`` has one row a tuple,
    ``taken`` is how much of ``tuples`` is in use.
    """

    tuples: Any
    span: Any
    taken: Any


class Table(NamedTuple):
    """Distinct tuples: the places of their values, the lists of these, from where on their records lie; and back."""

    places: Any
    lists: Any
    bases: Any
    start: Any
    tuple_of: Any


class State(NamedTuple):
    """What is swapped and what is not.

    ``unswapped`` says it value by value, ``total`` for how many of an attribute. Records with such values are the
    first of those ``waiting``. ``number`` counts the records of each tuple, and ``members`` names them, the counted
    ones first. ``lists`` hold the tuples with open records. ``candidates[a, c]`` counts the draws from c values,
    ``turn`` is the one in which a record was last in an interval.

    ``memory`` holds tuples that were farthest from a tuple: ``recall`` says where they begin, how many they are, and
    for how many there is room. ``interval``, ``chosen`` and ``until`` are room.
    """

    records: Any
    unswapped: Any
    turn: Any
    total: Any
    waiting: Any
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


@compiled_in_place
def mark_values(possible, values, i, near):
    """Note that tuple i and each of the tuples ``near`` it can get each other's values: one bit a value."""
    for t in near:
        for a in range(values.shape[1]):
            v = values[t, a]
            possible[i, v >> 3] |= np.uint8(128 >> (v & 7))
            v = values[i, a]
            possible[t, v >> 3] |= np.uint8(128 >> (v & 7))


@compiled_in_place
def swap_records(table, costs, found, state, k, unswapped_only, reference, steps, rng):
    """Swap the values of one reference after another (Rodriguez-Garcia 2019, Algorithms 2 and 3), in at most
    this many ``steps``.

    Returns the next reference, −1 when no record is left, or −2 − reference when distances from its values are
    wanted: ``found.wanted`` says of which attribute and value.
    """
    records, unswapped, total, places = state.records, state.unswapped, state.total, table.places
    for _ in range(steps):
        own = np.int64(table.tuple_of[reference])
        if not stand_at(places[own], costs, found):
            return -2 - reference
        if not unswapped_only:
            _interval(table, costs, found, state, k, reference, own, rng)
        for a in range(places.shape[1]):
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
    """The k records nearest to the reference, swapped or not; of those that tie for the last places, some at random."""
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
    # Floyd's sample: each subset of the pool is as likely.
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
    """The tuples of the k records nearest to a tuple: those nearer than the last of the k, and those as far as it."""
    memory, known, taken = state.neighbours.tuples, state.neighbours.span[own], state.neighbours.taken
    if known[BEGIN] >= 0:
        tied = known[BEGIN] + known[NEARER]
        return memory[known[BEGIN] : tied], memory[tied : tied + known[TIED]]
    counts, nobody, tuples, nearer = state.number[ALL], state.waiting[:0], found.tuples, state.chosen
    search(table.places, costs, table.lists, found, counts, own, k, np.int64(1), table.tuple_of, nobody, rng)
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
    """Copy the first numbers of an array; an assignment to a slice would allocate."""
    for i in range(number):
        target[at + i] = source[i]


@compiled_in_place
def _tied(tuples, until, start, i, reference, own):
    """Record i of tied tuples, the reference left out; ``until`` adds up their records."""
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
    left, nobody = state.number[LEFT + a], state.waiting[:0]
    search(table.places, costs, state.lists, found, left, own, k, np.int64(1), table.tuple_of, nobody, rng)
    bound, tuples, distance = found.bound[0], found.tuples, found.distance
    inside = 0
    pool = 0
    for i in range(found.sizes[0]):
        number = left[tuples[i]] - (tuples[i] == own)
        if distance[i] < bound - TIE:
            inside += number
        elif distance[i] <= bound + TIE:
            pool += number
    # An interval takes all that are nearer and some of the tied at random: one draw says where the partner is.
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
            if t == own and at >= state.records[reference, FROM + table.places.shape[1] + a]:
                at += 1
            return np.int64(state.members[LEFT + a, at])
        j -= number
    return -1


@compiled_in_place
def _finish(table, state, a, rng):
    """Deal out the last values of an attribute, k + 1 at most."""
    unswapped, chosen = state.unswapped, state.chosen
    size = 0
    for record in range(len(unswapped)):
        if unswapped[record, a]:
            chosen[size] = record
            size += 1
    # No interval is open when values are dealt out.
    dealt = state.until[:size]
    for i in range(size):
        dealt[i] = chosen[i]
    _shuffle(dealt, rng)
    state.candidates[a, size if size > 1 else 0] += size
    for i in range(size):
        _close(table, state, a, np.int64(chosen[i]), dealt[i])


@compiled_in_place
def _close(table, state, a, record, source):
    """One value of a record is done; the record is, when all its values are; the tuple, when all its records are."""
    records, number, members, waiting = state.records, state.number, state.members, state.waiting
    t, m = table.tuple_of[record], table.places.shape[1]
    records[record, FROM + a] = source
    state.unswapped[record, a] = False
    state.total[a] -= 1
    if len(number) > LEFT:
        _remove(records, number[LEFT + a], members[LEFT + a], table.start[t], FROM + m + a, t, record)
    records[record, TODO] -= 1
    if records[record, TODO]:
        return
    state.tally[DONE] += 1
    last = waiting[len(records) - state.tally[DONE]]
    waiting[records[record, QUEUE]] = last
    records[last, QUEUE] = records[record, QUEUE]
    _remove(records, number[OPEN], members[OPEN], table.start[t], SEAT, t, record)
    if number[OPEN, t] == 0:
        _strike(table.places, table.bases, state.lists, t)


@compiled_in_place
def _remove(records, number, members, start, seat, t, record):
    """Take a record out of those of its tuple that count: the last of them takes its place."""
    number[t] -= 1
    last = members[start + number[t]]
    members[records[record, seat]] = last
    records[last, seat] = records[record, seat]


@compiled_in_place
def _strike(places, bases, lists, t):
    """Take a tuple out of the lists of its values."""
    for a in range(places.shape[1]):
        v = bases[a] + places[t, a]
        lists.size[v] -= 1
        last = lists.tuples[a, lists.start[v] + lists.size[v]]
        lists.tuples[a, lists.place[a, t]] = last
        lists.place[a, last] = lists.place[a, t]


@compiled_in_place
def _next_reference(table, costs, found, state, own, rng):
    """The record most distant from the reference, among those that are not done.

    Who was most distant from a tuple still is, as long as any of them has records that are not done.
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
    waiting = state.waiting[: len(state.records) - state.tally[DONE]]
    nobody, one, farthest = np.int64(-1), np.int64(1), np.int64(-1)
    record = search(
        table.places, costs, state.lists, found, opened, nobody, one, farthest, table.tuple_of, waiting, rng
    )
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
    return _waiting(table.start, state.members[OPEN], tuples, until[:ties], below(rng, pool))


@compiled_in_place
def _waiting(start, members, tuples, until, i):
    """Record i of those of some tuples that are not done."""
    at = np.searchsorted(until, i, side="right")
    return np.int64(members[start[tuples[at]] + i - (until[at - 1] if at else 0)])
