"""Intruders who know the method attack each stratum by itself, where the method masked strata by themselves.

The columns that divide the table are released, so an intruder knows the stratum of every record.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import nan, sqrt
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from ontomask.base.arrays import IntArray, mean_of
from ontomask.evaluation.attacks.downcoding import Downcoding, downcode
from ontomask.evaluation.attacks.informed import BASES, Informed, know_method
from ontomask.evaluation.attacks.ranks import RankIntersection, intersect_ranks
from ontomask.evaluation.pairing import Pairing
from ontomask.masking import Method
from ontomask.masking.parts import Stratum, strata_of_data
from ontomask.microdata import Microdata

__all__ = ["downcode_strata", "intersect_ranks_of_strata", "know_method_of_strata"]

T = TypeVar("T")
Found = list[tuple[Stratum, T]]


def know_method_of_strata(
    data: Microdata,
    pairing: Pairing,
    method: Method,
    *,
    units: IntArray | None = None,
    runs: int | None = None,
    seed: int = 0,
) -> Informed:
    """`know_method`, in each stratum by itself if the method masks strata."""
    if not method.by:
        return know_method(data, pairing, method, units=units, runs=runs, seed=seed)

    def attack(part: Microdata, pairs: Pairing, alone: Method, inside: NDArray[np.bool_]) -> Informed:
        of_part = None if units is None else units[inside[pairing.by_record.rows]]
        return know_method(part, pairs, alone, units=of_part, runs=runs, seed=seed)

    found = _each(data, pairing, method, attack)
    linked, recovered = (np.zeros(len(pairing.by_record.tuples)) for _ in range(2))
    for stratum, one in found:
        linked[stratum.rows], recovered[stratum.rows] = one.linked_records, one.recovered_records
    parts = [one for _, one in found]
    shares = [len(stratum.data) / len(data) for stratum, _ in found]
    uniques = [int((stratum.data.table.counts == 1).sum()) for stratum, _ in found]
    of_uniques = sum(n * one.linked_uniques for n, one in zip(uniques, parts, strict=True) if one.linked_uniques)
    return Informed(
        100 * mean_of(linked, data.row_records),
        of_uniques / sum(uniques) if any(uniques) else None,
        100 * mean_of(recovered, data.row_records),
        sum(share * one.mode for share, one in zip(shares, parts, strict=True)),
        {least: _confident(least, parts, shares) for least in parts[0].confident},
        max((one.basis for one in parts), key=BASES.index),
        max(one.runs for one in parts),
        {
            name: sqrt(sum((share * one.error[name]) ** 2 for share, one in zip(shares, parts, strict=True)))
            for name in parts[0].error
        },
        linked,
        recovered,
        max(one.parts for one in parts),
    )


def _confident(least: float, parts: Sequence[Informed], shares: Sequence[float]) -> tuple[float, float]:
    """The percentage of records with a confident guess, and of these guesses that are right."""
    sure = [share * one.confident[least][0] for share, one in zip(shares, parts, strict=True)]
    right = sum(s * one.confident[least][1] for s, one in zip(sure, parts, strict=True) if s)
    return sum(sure), right / sum(sure) if sum(sure) else nan


def intersect_ranks_of_strata(data: Microdata, pairing: Pairing, method: Method) -> RankIntersection | None:
    """`intersect_ranks`, in each stratum by itself. ``None`` if a stratum cannot be attacked."""
    if not method.by:
        return intersect_ranks(data, pairing, method)
    found = _each(data, pairing, method, lambda *part: intersect_ranks(*part[:3]))
    records = len(pairing.by_record.tuples)
    sizes, inside = np.zeros(records, dtype=np.int64), np.zeros(records, dtype=bool)
    for stratum, one in found:
        if one is None:
            return None
        sizes[stratum.rows], inside[stratum.rows] = one.sizes, one.found
    return RankIntersection.of(sizes, inside, data.row_records)


def downcode_strata(data: Microdata, pairing: Pairing, method: Method | None) -> Downcoding | None:
    """`downcode`, in each stratum by itself."""
    if method is None or not method.by:
        return downcode(pairing, method)
    found = [one for _, one in _each(data, pairing, method, lambda *part: downcode(*part[1:3])) if one]
    if not found:
        return None
    cells = sum(one.cells for one in found)
    certain, guessed, base = (
        sum(one.cells * getattr(one, name) for one in found) / max(cells, 1) for name in ("certain", "guessed", "base")
    )
    return Downcoding(cells, certain, guessed, base)


def _each(
    data: Microdata,
    pairing: Pairing,
    method: Method,
    attack: Callable[[Microdata, Pairing, Method, NDArray[np.bool_]], T],
) -> Found[T]:
    """Attack each stratum as the table that the method masked. The last argument says which records are in it."""
    found = []
    for stratum in strata_of_data(data, method.by):
        inside = np.zeros(len(pairing.by_record.tuples), dtype=bool)
        inside[stratum.rows] = True
        found.append((stratum, attack(stratum.data, pairing.part(inside)[0], method._for_part(stratum.rows), inside)))
    return found
