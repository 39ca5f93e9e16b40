"""Mask persons with all their records: persons with equally many records are masked as one record each.

If the records of a person are released under one pseudonym, an intruder sees all of them. So the whole set of released
records has to be shared by k persons. For that, the columns of a person's records are put side by side, and a method
masks these wide records.

A number of records that fewer than k persons have would identify them. Such persons get several pseudonyms, each for
as many records as k persons have.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from ontomask.base.arrays import IntArray
from ontomask.base.grouping import count_holders, group_rows, group_sets
from ontomask.base.notes import Cells, Note
from ontomask.base.text import cell_text, rounded
from ontomask.errors import MaskingError
from ontomask.masking.parts import combine_details, combine_notes
from ontomask.masking.rare_kept import RareKept
from ontomask.masking.requirements import ColumnsK
from ontomask.masking.results import Planned
from ontomask.microdata import Microdata, frames
from ontomask.microdata.joined import JoinedPlan, Outcomes, join_outcomes
from ontomask.microdata.strata_plan import StrataPlan
from ontomask.microdata.tuples import Tuples
from ontomask.microdata.wide import WideMicrodata, widen

if TYPE_CHECKING:
    from ontomask.masking.anonymous import PromisesK

__all__ = ["divide_persons", "plan_persons", "rank_tuples"]


def plan_persons(method: PromisesK, data: Microdata, rng: np.random.Generator) -> Planned:
    """Plan the records of each person together, so that at least k persons share each released set of records."""
    # A requirement of a larger k needs as many persons with equally many records.
    k = max([method.k, *(asked.k for asked in method.require if isinstance(asked, ColumnsK))])
    rare = RareKept.of(data, k)
    if not rare.records:
        return _plan_persons(method, data, k, rng)
    if data.rare_kept == "error":
        method._check_rare(rare)
    part, stay, note = rare.solve()
    planned = _plan_persons(method, part, k, rng)
    plan = planned.plan
    assert isinstance(plan, JoinedPlan)
    assert plan.units is not None
    outcomes = Outcomes.of(plan, part, stay, rng)
    units = np.zeros(len(data), dtype=np.int32)
    units[stay] = plan.units
    left_out = np.setdiff1d(np.arange(len(data)), stay)
    nothing = np.zeros((len(left_out), len(outcomes.values)), dtype=np.int32)
    gone = Outcomes(left_out, outcomes.values, nothing, np.ones(len(left_out), dtype=bool))
    plan = join_outcomes(data, [outcomes, gone], promise=plan.promise, units=units)
    details = dict(planned.details)
    if "suppressed" in details:
        details["suppressed"] = int(details["suppressed"]) + len(left_out)
    return Planned(plan, (*planned.notes, note), details)


def _plan_persons(method: PromisesK, data: Microdata, k: int, rng: np.random.Generator) -> Planned:
    persons = data.persons
    assert persons is not None
    kinds, rank = _kept_cells(data), rank_tuples(data)[data.table.inverse]
    # Sorted, so that the order of the rows does not matter.
    order = np.lexsort((rank, _rank_persons(data)))
    units = np.empty(len(data), dtype=np.int32)
    units[order] = divide_persons(_number_by_first(persons[order]), kinds[order], k, rng)
    outcomes: list[Outcomes] = []
    found: list[Planned] = []
    for rows in _of_equal_kinds(units, kinds, rank):
        who = persons[rows[:, 0]]
        wide = widen(data, rows, who if len(np.unique(who)) < len(who) else None)
        planned = method._for_slots(wide.slots)._plan(wide, rng)
        found.append(_without_slots(planned, wide))
        assert not isinstance(planned.plan, StrataPlan)
        outcomes += _of_slots(Outcomes.of(planned.plan, wide, np.arange(len(rows)), rng), rows)
    plan = join_outcomes(data, outcomes, promise=method._promise(data), units=units)
    details = combine_details([planned.details for planned in found])
    if "suppressed" in details:
        # Methods counted persons.
        details["suppressed"] = 0 if plan.suppressed is None else int(plan.suppressed.sum())
    notes = combine_notes([planned.notes for planned in found])
    pairs, _ = group_rows([persons, units], [int(persons.max()) + 1, int(units.max()) + 1])
    several = int((count_holders(persons, int(persons.max()) + 1, pairs) > 1).sum())
    if several:
        text = (
            "{persons:,} persons have more than one pseudonym: fewer than k = {k:,} persons have as many records as "
            "they have."
        )
        notes += (Note.of("persons-divided", text, persons=rounded(several), k=k),)
    return Planned(plan, notes, {**details, "pseudonyms": int(units.max()) + 1, "divided_persons": several})


def _of_slots(wide: Outcomes, rows: NDArray[np.integer]) -> Iterator[Outcomes]:
    """The outcomes of the first records of persons, of the second ones, and so on."""
    columns = len(wide.values) // rows.shape[1]
    for slot in range(rows.shape[1]):
        mine = slice(slot * columns, (slot + 1) * columns)
        yield Outcomes(rows[:, slot], wide.values[mine], wide.indices[:, mine], wide.suppressed)


def _without_slots(planned: Planned, wide: WideMicrodata) -> Planned:
    """Notes and figures by the columns of the table."""
    original = {slot: name for name, slots in wide.slots.items() for slot in slots}
    notes = []
    for note in planned.notes:
        if isinstance(note, Note):
            values = {
                name: Cells(original.get(value.column, value.column), value.values, most=value.most)
                if isinstance(value, Cells)
                else original.get(value, value)
                if isinstance(value, str)
                else value
                for name, value in note.values.items()
            }
            notes.append(Note.of(note.code, note.template, **values))
    details = dict(planned.details)
    for name, value in details.items():
        if isinstance(value, dict) and original.keys() >= value.keys():
            details[name] = combine_details([{original[slot]: number} for slot, number in value.items()])
    return Planned(planned.plan, tuple(notes), details)


def rank_tuples(data: Microdata) -> IntArray:
    """An order of the distinct tuples in which similar ones are near each other, to align the records of persons.

    Tuples are sorted by their distance to the one that is most distant from the most frequent one. The sorting operator
    of Martínez 2012 (Algorithm 1) takes the centroid instead of the most frequent tuple.
    """
    tuples = Tuples.of(data.table)
    first = int(tuples.distances_from(int(tuples.counts.argmax())).argmax())
    order = np.lexsort((np.arange(len(tuples)), tuples.distances_from(first).round(9)))
    rank = np.empty(len(tuples), dtype=np.int32)
    rank[order] = np.arange(len(tuples), dtype=np.int32)
    return rank


def _rank_persons(data: Microdata) -> IntArray:
    """The rank of each record's person by its identifier."""
    assert data.person is not None
    code, cells = frames.factorise(data.frame, data.person)
    texts = np.array([cell_text(cell) or "" for cell in cells], dtype=object)
    return np.unique(texts, return_inverse=True)[1].ravel().astype(np.int32)[code]


def _number_by_first(persons: IntArray) -> IntArray:
    """Numbers of persons in the order of their first records."""
    _, first, number = np.unique(persons, return_index=True, return_inverse=True)
    return np.argsort(np.argsort(first)).astype(np.int32)[number.ravel()]


def _kept_cells(data: Microdata) -> IntArray:
    """A number for each record. Records that keep the same cells have the same: only these can be in one group."""
    table = data.table
    codes = [
        np.where(values.kept, np.arange(len(values)) + 1, 0)[table.tuples[:, j]]
        for j, values in enumerate(table.values)
    ]
    return group_rows(codes, [len(values) + 1 for values in table.values])[0][table.inverse]


def divide_persons(persons: IntArray, kinds: IntArray, k: int, rng: np.random.Generator) -> IntArray:
    """The pseudonym of each record as a number.

    Each person has one, unless fewer than k persons have as many records of each kind. Such a person's records are
    divided: by kind, then into a part as large as the next smaller one that occurs, and the rest, until k persons have
    parts of each size. If too few single records are left over, records of other persons are taken out.

    Parameters
    ----------
    persons, kinds
        The person and the kind of each record, as numbers.
    k
        The least number of persons with equally many records of each kind.
    rng
        Draws the other persons.

    Examples
    --------
    >>> one = np.zeros(7, dtype=np.int32)
    >>> divide_persons(np.array([0, 1, 2, 2, 2, 3, 3]), one, 2, np.random.default_rng(0)).tolist()
    [0, 1, 2, 2, 4, 3, 3]
    """
    units = group_rows([persons], [int(persons.max()) + 1])[0]
    while True:
        # All units with the same kinds, equally often, are in one class.
        sets = group_sets(kinds, units)
        number = int(units.max()) + 1
        unit_class = np.full(number, len(sets), dtype=np.int64)
        np.minimum.at(unit_class, units, sets)
        unit_class = np.unique(unit_class, return_inverse=True)[1].ravel()
        person = np.empty(number, dtype=np.int64)
        person[units] = persons
        is_rare = (count_holders(unit_class, int(unit_class.max()) + 1, person) < k)[unit_class]
        if not is_rare.any():
            return units.astype(np.int32)
        size = np.bincount(units)
        mixed = np.zeros(number, dtype=bool)
        first = np.empty(number, dtype=np.int64)
        first[units] = kinds
        mixed[units[kinds != first[units]]] = True
        if (is_rare & mixed).any():
            parts = np.where((is_rare & mixed)[units], kinds + 1, 0)
        elif (is_rare & (size > 1)).any():
            parts = _cut(units, size, first, is_rare, mixed)
        else:
            parts = _take_out(units, size, kinds, first[is_rare], person, is_rare, k, rng)
        units = _renumber(units, parts)


def _renumber(units: IntArray, parts: NDArray[np.integer]) -> IntArray:
    """New units for parts of units. The first part of each unit keeps its number."""
    pair, firsts = group_rows([units, parts], [int(units.max()) + 1, int(parts.max()) + 1])
    is_first = np.ones(len(firsts), dtype=bool)
    is_first[1:] = units[firsts][1:] != units[firsts][:-1]
    number = np.where(is_first, units[firsts], 0)
    number[~is_first] = int(units.max()) + 1 + np.arange(int((~is_first).sum()))
    return number[pair].astype(np.int32)


def _cut(
    units: IntArray,
    size: NDArray[np.int64],
    kind: NDArray[np.int64],
    is_rare: NDArray[np.bool_],
    mixed: NDArray[np.bool_],
) -> NDArray[np.integer]:
    """Cut the largest rare units of each kind in two: the first part has the next smaller size that occurs."""
    cut = np.zeros(len(size), dtype=np.int64)
    for unit_kind in np.unique(kind[is_rare & (size > 1)]).tolist():
        mine = (kind == unit_kind) & ~mixed
        largest = int(size[mine & is_rare].max())
        smaller = size[mine & (size < largest)]
        cut[mine & (size == largest)] = int(smaller.max()) if len(smaller) else largest - 1
    order = np.argsort(units, kind="stable")
    within = np.empty(len(units), dtype=np.int64)
    within[order] = np.arange(len(units)) - np.repeat(np.cumsum(size) - size, size)
    return ((cut[units] > 0) & (within >= cut[units])).astype(np.int64)


def _take_out(
    units: IntArray,
    size: NDArray[np.int64],
    kinds: IntArray,
    rare_kinds: NDArray[np.int64],
    person: NDArray[np.int64],
    is_rare: NDArray[np.bool_],
    k: int,
    rng: np.random.Generator,
) -> NDArray[np.integer]:
    """Take records of other persons out of their units, for kinds of which too few single records are there."""
    parts = np.zeros(len(units), dtype=np.int64)
    for kind in np.unique(rare_kinds).tolist():
        have = np.unique(person[units[(kinds == kind) & is_rare[units]]])
        candidates = np.flatnonzero((kinds == kind) & ~np.isin(person[units], have))
        # From each person at most one record, from small units first.
        candidates = candidates[rng.permutation(len(candidates))]
        candidates = candidates[np.argsort(size[units[candidates]], kind="stable")]
        _, once = np.unique(person[units[candidates]], return_index=True)
        chosen = candidates[np.sort(once)][: k - len(have)]
        if len(chosen) + len(have) < k:
            message = f"Fewer than k = {k:,} persons have records that keep the same cells. Use a smaller k."
            raise MaskingError(message, parameter="k")
        parts[chosen] = 1
    return parts


def _of_equal_kinds(units: IntArray, kinds: IntArray, rank: IntArray) -> Iterator[NDArray[np.int64]]:
    """The units with equally many records of each kind: one row a unit, the positions of its records in order."""
    order = np.lexsort((np.arange(len(units)), rank, kinds, units))
    sets = group_sets(kinds, units)
    size = np.bincount(units)
    start = np.cumsum(size) - size
    unit_class = np.full(len(size), len(sets), dtype=np.int64)
    np.minimum.at(unit_class, units, sets)
    for number in np.unique(unit_class).tolist():
        mine = np.flatnonzero(unit_class == number)
        yield order[start[mine][:, None] + np.arange(size[mine[0]])]
