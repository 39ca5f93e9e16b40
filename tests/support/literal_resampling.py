"""Resampling as in Martínez 2012, Algorithms 1, 5 and 6, record by record: slow, but easy to check."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from support.literal_operators import least

Record = tuple[Any, ...]
Distance = Callable[[Record, Record], float]
Centroid = Callable[[Sequence[Record]], Record]


def extreme(records: Sequence[Record], distance: Distance, centroid: Centroid) -> Record:
    """Martínez 2012, Algorithm 1, lines 1–2; of several the first."""
    centre = centroid(records)
    return least(sorted(records), lambda r: -distance(r, centre))[0]


def sort_records(records: Sequence[Record], f: Record, distance: Distance, *, own: bool) -> list[Record]:
    """Martínez 2012, Algorithm 1, lines 3–6, ties by tuple; f is one of the records, or that of a whole table."""
    left = sorted(records)
    done = []
    if own:
        # All records that are like f: a measure may put others at distance 0 too.
        done = [r for r in left if r == f]
        left = [r for r in left if r != f]
    while left:
        r = least(left, lambda r: distance(r, f))[0]
        done.append(r)
        left.remove(r)
    return done


def sort_sample(
    sample: Sequence[Record], table: Sequence[Record], distance: Distance, centroid: Centroid, reference: str
) -> list[Record]:
    """A sample by its own extreme, or by that of the table."""
    own = reference == "sample"
    return sort_records(sample, extreme(sample if own else table, distance, centroid), distance, own=own)


def sk_resampling(
    samples: Sequence[Sequence[Record]],
    remaining: Sequence[Record],
    distance: Distance,
    centroid: Centroid,
    reference: str,
    choose: Callable[[Record, list[int]], int],
) -> list[tuple[Record, Record]]:
    """Martínez 2012, Algorithm 6 from line 2 on: each record with the centroid that replaces it."""
    table = [r for sample in samples for r in sample] + list(remaining)
    in_order = [sort_sample(sample, table, distance, centroid, reference) for sample in samples]
    sets = [[sample[i] for sample in in_order] for i in range(len(samples[0]))]
    centres = [centroid(members) for members in sets]
    joining = [(choose(r, least(range(len(sets)), lambda i, r=r: distance(r, centres[i]))), r) for r in remaining]
    for i, r in joining:
        sets[i].append(r)
    return [(r, centroid(members)) for members in sets for r in members]


def heers_resampling(
    samples: Sequence[Sequence[Record]],
    table: Sequence[Record],
    distance: Distance,
    centroid: Centroid,
    reference: str,
) -> list[tuple[Record, Record]]:
    """Martínez 2012, Algorithm 5 from line 2 on: the i-th average goes to the i-th record of the sorted original."""
    in_order = [sort_sample(sample, table, distance, centroid, reference) for sample in samples]
    averages = [centroid([sample[i] for sample in in_order]) for i in range(len(table))]
    return list(zip(sort_sample(table, table, distance, centroid, reference), averages, strict=True))
