"""Persons with several records, person by person: sets of released records, and linkage of whole sets."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Hashable, Sequence
from itertools import permutations
from math import isclose, prod

from support.literal_evaluation import TIE, Record, RecordDistance


def sets_of(units: Sequence[Hashable], records: Sequence[Hashable]) -> dict[Hashable, frozenset[tuple[Hashable, int]]]:
    """For each pseudonym its records, and how often it has each."""
    found: dict[Hashable, Counter[Hashable]] = defaultdict(Counter)
    for unit, record in zip(units, records, strict=True):
        found[unit][record] += 1
    return {unit: frozenset(counts.items()) for unit, counts in found.items()}


def holders(
    units: Sequence[Hashable], records: Sequence[Hashable], persons: Sequence[Hashable]
) -> dict[frozenset[tuple[Hashable, int]], set[Hashable]]:
    """For each set of records the persons that have it under one of their pseudonyms."""
    sets, found = sets_of(units, records), defaultdict(set)
    for unit, person in zip(units, persons, strict=True):
        found[sets[unit]].add(person)
    return dict(found)


def link_sets(
    original: Sequence[Record],
    masked: Sequence[Record],
    kept: Sequence[Hashable],
    units: Sequence[Hashable],
    distance: RecordDistance,
    key: dict[Record, Hashable],
) -> list[float]:
    """For each record the probability that its person is linked to its pseudonym.

    Candidates are the pseudonyms with the same kept values, equally often. ``key`` sorts the records inside them.
    """
    members: dict[Hashable, list[int]] = defaultdict(list)
    for record, unit in enumerate(units):
        members[unit].append(record)
    before = {u: sorted((kept[r], key[original[r]], original[r]) for r in rows) for u, rows in members.items()}
    after = {u: sorted((kept[r], key[masked[r]], masked[r]) for r in rows) for u, rows in members.items()}
    risk = [0.0] * len(units)
    for unit, rows in members.items():
        own = [value for value, _, _ in before[unit]]
        candidates = [u for u in members if [value for value, _, _ in after[u]] == own]
        away = {
            u: sum(distance(a, b) for (_, _, a), (_, _, b) in zip(before[unit], after[u], strict=True)) / len(rows)
            for u in candidates
        }
        nearest = [u for u in candidates if away[u] <= min(away.values()) + TIE]
        for record in rows:
            risk[record] = 1 / len(nearest) if unit in nearest else 0.0
    return risk


def link_by_chances(
    original: Sequence[Hashable],
    masked: Sequence[Hashable],
    units: Sequence[Hashable],
    chance: Callable[[Hashable, Hashable], float],
) -> list[float]:
    """For each record the probability that its person is linked, by the posterior of whole sets of records.

    Every way to pair the records of a person with the rows under a pseudonym is counted.
    """
    members: dict[Hashable, list[int]] = defaultdict(list)
    for record, unit in enumerate(units):
        members[unit].append(record)

    def likelihood(person: Hashable, unit: Hashable) -> float:
        rows = permutations([masked[r] for r in members[unit]])
        return sum(prod(chance(original[r], y) for r, y in zip(members[person], ys, strict=True)) for ys in rows)

    risk = [0.0] * len(units)
    for person, records in members.items():
        candidates = [u for u in members if len(members[u]) == len(records)]
        score = {u: likelihood(person, u) / sum(likelihood(other, u) for other in candidates) for u in candidates}
        best = max(score.values())
        nearest = [u for u in candidates if isclose(score[u], best, rel_tol=1e-7)]
        for record in records:
            risk[record] = 1 / len(nearest) if person in nearest else 0.0
    return risk
