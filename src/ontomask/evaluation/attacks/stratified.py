"""Intruders who know the method attack each stratum by itself, where the method masked strata by themselves.

The columns that divide the table are released, so an intruder knows the stratum of every record.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from math import nan, sqrt
from typing import TypeVar

import numpy as np

from ontomask.base.grouping import count_holders, group_rows
from ontomask.evaluation.attacks.downcoding import Downcoding, downcode
from ontomask.evaluation.attacks.informed import BASES, Informed, know_method
from ontomask.evaluation.attacks.ranks import RankIntersection, intersect_ranks
from ontomask.evaluation.pairing import Pairing
from ontomask.masking import Method
from ontomask.masking.parts import Stratum, strata_of_data
from ontomask.microdata import Microdata
from ontomask.microdata.masked import MaskedData

__all__ = ["downcode_strata", "intersect_ranks_of_strata", "know_method_of_strata", "know_persons"]

T = TypeVar("T")
Found = list[tuple[Stratum, T]]


def know_method_of_strata(
    data: Microdata, pairing: Pairing, method: Method, *, runs: int | None = None, seed: int = 0
) -> Informed:
    """`know_method`, in each stratum by itself if the method masks strata."""
    if not method.by:
        return know_method(data, pairing, method, runs=runs, seed=seed)
    found = _each(data, pairing, method, lambda *part: know_method(*part, runs=runs, seed=seed))
    linked, recovered = np.zeros(len(data)), np.zeros(len(data))
    for stratum, one in found:
        linked[stratum.rows], recovered[stratum.rows] = one.linked_records, one.recovered_records
    parts = [one for _, one in found]
    shares = [len(stratum.rows) / len(data) for stratum, _ in found]
    uniques = [int((stratum.data.table.counts == 1).sum()) for stratum, _ in found]
    of_uniques = sum(n * one.linked_uniques for n, one in zip(uniques, parts, strict=True) if one.linked_uniques)
    return Informed(
        100 * float(linked.mean()),
        of_uniques / sum(uniques) if any(uniques) else None,
        100 * float(recovered.mean()),
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


def know_persons(found: Informed, pairing: Pairing, masked: MaskedData, *, in_groups: bool) -> Informed:
    """What the intruder finds who also knows which records are under the same pseudonym.

    A person is linked by the record that is linked most easily. If the method releases groups of equal sets of records
    (``in_groups``), the intruder knows who is in which group.
    """
    if masked.units is None or not len(masked):
        return found
    unit = group_rows([masked.units], [int(masked.units.max()) + 1])[0]
    best = np.zeros(int(unit.max()) + 1)
    np.maximum.at(best, unit, found.linked_records[masked.rows])
    linked = found.linked_records.copy()
    linked[masked.rows] = best[unit]
    if in_groups:
        pseudonyms = count_holders(masked.groups, int(masked.groups.max()) + 1, unit)
        linked[masked.rows] = np.maximum(linked[masked.rows], 1 / pseudonyms[masked.groups])
    unique = pairing.original.counts[pairing.by_record.tuples] == 1
    of_uniques = 100 * float(linked[unique].mean()) if unique.any() else None
    return replace(found, linked=100 * float(linked.mean()), linked_uniques=of_uniques, linked_records=linked)


def intersect_ranks_of_strata(data: Microdata, pairing: Pairing, method: Method) -> RankIntersection | None:
    """`intersect_ranks`, in each stratum by itself. ``None`` if a stratum cannot be attacked."""
    if not method.by:
        return intersect_ranks(data, pairing, method)
    found = _each(data, pairing, method, intersect_ranks)
    sizes, inside = np.zeros(len(data), dtype=np.int64), np.zeros(len(data), dtype=bool)
    for stratum, one in found:
        if one is None:
            return None
        sizes[stratum.rows], inside[stratum.rows] = one.sizes, one.found
    return RankIntersection.of(sizes, inside)


def downcode_strata(data: Microdata, pairing: Pairing, method: Method | None) -> Downcoding | None:
    """`downcode`, in each stratum by itself."""
    if method is None or not method.by:
        return downcode(pairing, method)
    found = [one for _, one in _each(data, pairing, method, lambda _, part, alone: downcode(part, alone)) if one]
    if not found:
        return None
    cells = sum(one.cells for one in found)
    certain, guessed, base = (
        sum(one.cells * getattr(one, name) for one in found) / max(cells, 1) for name in ("certain", "guessed", "base")
    )
    return Downcoding(cells, certain, guessed, base)


def _each(
    data: Microdata, pairing: Pairing, method: Method, attack: Callable[[Microdata, Pairing, Method], T]
) -> Found[T]:
    """Attack each stratum as the table that the method masked."""
    found = []
    for stratum in strata_of_data(data, method.by):
        inside = np.zeros(len(data), dtype=bool)
        inside[stratum.rows] = True
        found.append((stratum, attack(stratum.data, pairing.part(inside)[0], method._for_part(stratum.rows))))
    return found
