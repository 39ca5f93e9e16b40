"""Value frequencies before and after masking, binned so that no bar stands for fewer than ten original records.

Rare concepts are counted as “other”. If those are too few, the smallest bar is added to them.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ontomask.base.arrays import Records
from ontomask.base.grouping import count_codes, count_holders
from ontomask.kinds import Column, ConceptSet, ConceptSetColumn, DateColumn
from ontomask.microdata.disclosure_control import RARE, DisclosureControl
from ontomask.operators.ranges import ANY, is_off_line
from ontomask.report.bins import (
    ConceptBin,
    ConceptBins,
    Held,
    ranges_of_categories,
    ranges_of_dates,
    ranges_of_numbers,
)
from ontomask.report.contents import Distribution
from ontomask.taxonomy import Taxonomy

__all__ = ["ANY_VALUE", "KEPT", "MOST_BARS", "OTHER", "distribution"]

MOST_BARS = 12
OTHER = "other"
KEPT = "kept unchanged"
ANY_VALUE = "any value"

_VALUES = "Each bar counts a value."
_CONCEPTS = "Each bar counts a concept with all its narrower concepts."
_ALONE = " “Unspecified” counts a concept without its narrower concepts."
_OTHERS = f" “{OTHER}” counts the values that are too rare for a bar."
_ELEMENTS = "A record counts once for each of its elements."
_RANGES = f"Each range has at least {RARE} original records."
_MIDDLES = f" Released ranges count at their middle, and suppressed cells as “{ANY_VALUE}”."
_RELEASED_ONLY = "Suppressed records are not counted."
_NOTHING = f"Not shown: no group of values that may be named has {RARE} original records."


def distribution(
    before: Column, after: Column, control: DisclosureControl, rows: NDArray[np.int64] | None = None
) -> Distribution:
    """Count the values of one column before and after masking.

    ``rows`` are the original records that were released, or the distinct rows of the entries of ``after``. Suppressed
    records are not counted, because the difference between two bars would show their values. If all records were
    suppressed, all are counted.
    """
    persons = control.persons
    if rows is None or _records(after) in (0, _records(before)):
        return _count(before, after, control, persons)
    released = replace(before, code=before.code[rows], records=after.records)
    found = _count(released, after, control, None if persons is None else persons[rows])
    return replace(found, note=f"{found.note} {_RELEASED_ONLY}")


def _count(
    before: Column, after: Column, control: DisclosureControl, persons: NDArray[np.integer] | None
) -> Distribution:
    domain = before.space.domain
    if domain is not None:
        return _of_concepts(before, after, domain, control, persons)
    if isinstance(before, ConceptSetColumn) and isinstance(after, ConceptSetColumn):
        elements, record = before.by_element()
        # A record counts once as a holder of a bar, however many of its elements are in it.
        holders = record if persons is None else persons[record]
        found = _of_concepts(elements, after.by_element()[0], before.domain, control, holders)
        return replace(found, kind=before.kind.name, note=f"{found.note} {_ELEMENTS}")
    every, kind = _points(before), before.kind.name
    on_line = ~is_off_line(every)
    points = every[on_line].real
    of_entry, of_masked = _weights(before), _weights(after)
    records = None if of_entry is None else of_entry[on_line]
    if persons is not None:
        persons = persons[~before.kept[before.code]][on_line]
    if count_holders(np.zeros(len(points), dtype=np.int64), 1, persons, records)[0] < RARE:
        return Distribution(before.name, kind, (), (), (), _NOTHING)
    if before.categories:
        held = Held(points.astype(np.int64), persons, records)
        ranges = ranges_of_categories(held, before.categories, most=MOST_BARS)
    elif isinstance(before, DateColumn):
        ranges = ranges_of_dates(Held(points, persons, records), most=MOST_BARS)
    else:
        ranges = ranges_of_numbers(Held(points, persons, records), integers=before.holds_integers, most=MOST_BARS)
    masked = _points(after)
    is_known = ~is_off_line(masked)
    exact_or_range = before.space.middles(masked[is_known])
    sides = [
        ranges.count(points, records),
        ranges.count(exact_or_range, None if of_masked is None else of_masked[is_known]),
    ]
    bars = list(zip(ranges.names, *(side.tolist() for side in sides), strict=True))
    off_line = [(ANY_VALUE, ANY), *((value.text, value.point) for value in before.own.values())]
    counts = [(name, _sum(every == point, of_entry), _sum(masked == point, of_masked)) for name, point in off_line]
    bars += [bar for bar in counts if any(bar[1:])]
    note = _RANGES + (_MIDDLES if np.iscomplexobj(masked) else "")
    return _distribution(before.name, kind, [*bars, *_kept(before, after)], note)


def _of_concepts(
    before: Column,
    after: Column,
    domain: Taxonomy,
    control: DisclosureControl,
    persons: NDArray[np.integer] | None,
) -> Distribution:
    own = [count_codes(_points(column), len(domain), _weights(column)) for column in (before, after)]

    def may_name(code: int) -> bool:
        texts = domain.texts.first(code), domain.ids[code]
        if isinstance(before.kind, ConceptSet):
            return all(control.may_name(before.name, text) for text in texts)
        return control.may_name_point(before.name, code, *texts)

    bins = ConceptBins(domain.graph, own[0], own[1], may_name, most=MOST_BARS)
    named = np.array([may_name(one.code) for one in bins.bins])
    chosen = _choose(bins, named, before, after, persons)
    names = _names(domain, bins.bins)
    terms = domain.annotations.name
    sides = [np.bincount(bins.bin_of, weights=side, minlength=len(names) + 1).astype(np.int64) for side in own]
    shown = np.flatnonzero(chosen).tolist()
    if not shown:
        return Distribution(before.name, "nominal", (), (), (), _NOTHING, terms)
    original, masked = (side.tolist() for side in sides)
    bars = sorted(((names[i], original[i], masked[i]) for i in shown), key=lambda bar: (-bar[1], -bar[2]))
    rest = [sum(side) - sum(side[i] for i in shown) for side in (original, masked)]
    others = [(OTHER, rest[0], rest[1])] if any(rest) else []
    alone = any(bins.bins[i].alone for i in shown)
    counted = _CONCEPTS if domain.graph.max_depth > 1 else _VALUES
    note = counted + (_ALONE if alone else "") + (_OTHERS if others else "")
    return _distribution(before.name, "nominal", [*bars, *others, *_kept(before, after)], note, terms)


def _points(column: Column) -> NDArray[Any]:
    """The points of the records that have one."""
    points: NDArray[Any] = column.point[column.code[~column.kept[column.code]]]
    return points


def _weights(column: Column) -> Records:
    """How many records each of these points stands for; ``None``: one."""
    return None if column.records is None else column.records[~column.kept[column.code]]


def _records(column: Column) -> int:
    """The number of records."""
    return len(column.code) if column.records is None else int(column.records.sum())


def _sum(chosen: NDArray[np.bool_], records: Records) -> int:
    """How many records are chosen."""
    return int(chosen.sum() if records is None else records[chosen].sum())


def _kept(before: Column, after: Column) -> list[tuple[str, int, int]]:
    """The number of cells without a point, which are kept unchanged."""
    counts = [_sum(column.kept[column.code], column.records) for column in (before, after)]
    return [(KEPT, counts[0], counts[1])] if any(counts) else []


def _distribution(
    column: str, kind: str, bars: Sequence[tuple[str, int, int]], note: str, terms: str = ""
) -> Distribution:
    names, original, masked = zip(*bars, strict=True)
    return Distribution(column, kind, names, original, masked, note, terms)


def _choose(
    bins: ConceptBins,
    named: NDArray[np.bool_],
    before: Column,
    after: Column,
    persons: NDArray[np.integer] | None,
) -> NDArray[np.bool_]:
    """Which bins get a bar: at most twelve with “other”, and “other” does not hold only a few originals."""
    size = len(bins.bins) + 1
    known = ~before.kept[before.code]
    number = bins.bin_of[_points(before)]
    who = None if persons is None else persons[known]
    weights = _weights(before)
    held = count_holders(number, size, who, weights)
    masked = count_codes(bins.bin_of[_points(after)], size, _weights(after))
    records = count_codes(number, size, weights) + masked
    few = (held < RARE) & ((held > 0) | (masked < RARE))
    shown = np.append(named, False) & ~few
    by_size = sorted(np.flatnonzero(shown).tolist(), key=lambda i: (records[i], held[i]))
    surplus = len(by_size) - MOST_BARS
    if surplus > 0 or (surplus == 0 and records[~shown].any()):
        shown[by_size[: surplus + 1]] = False
    for i in sorted(by_size, key=lambda i: held[i]):
        others = ~shown[number]
        in_others = _sum(others, weights) if who is None else len(np.unique(who[others]))
        if in_others == 0 or in_others >= RARE:
            break
        shown[i] &= held[i] == 0
    else:
        # All bars were added to “other”, which may still be too few.
        shown[:] = False
    return shown[:-1]


def _names(domain: Taxonomy, bins: Sequence[ConceptBin]) -> list[str]:
    """The first labels of concepts, with their ids if labels are equal."""
    labels = [domain.texts.first(one.code) for one in bins]
    labels = [f"{label}, unspecified" if one.alone else label for label, one in zip(labels, bins, strict=True)]
    often = Counter(labels)
    ids = [domain.ids[one.code] for one in bins]
    return [f"{label} ({name})" if often[label] > 1 else label for label, name in zip(labels, ids, strict=True)]
